"""The policy of a team: what may land by itself, what needs approval, and what is never approved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

from certify.currency import minor_units
from certify.errors import InputError, KeyPath, Problems, SubmissionError
from certify.exact import parse_fraction, parse_percent
from certify.gate.change import Bump, ChangeKind, kind, severity_named
from certify.model.finding import Severity
from certify.rounds.money import Rounding
from certify.submission.locate import located_toml
from certify.untrusted_input import Document, TomlError, bounded_toml, read_bounded

T = TypeVar("T")

GLI_19_FLOOR: Final = Fraction(3, 4)
"""GLI-19 v3.0 4.7.1: least theoretical return of a house-banked game."""

LONGEST_TERM: Final = 366
"""Days that an approval may hold unless the policy says otherwise."""

FILE_NAMES: Final = ("certify.toml", "pyproject.toml")
_POINTS: Final = re.compile(r"^(\d{1,3}(?:\.\d{1,12})?) ?(?:pp|percentage points)$")


@dataclass(frozen=True, slots=True)
class CertifiedReturn:
    """A return as it was certified, against which every later one is measured.

    Args:
        text: The return as the policy states it: a fraction such as ``61/62``, or a printed percentage.
        lowest: Least return that it stands for; the return itself where it is a fraction.
        highest: Greatest return that it stands for.
    """

    text: str
    lowest: Fraction
    highest: Fraction

    def distance(self, exact: Fraction) -> Fraction:
        """Returns how far an exact return lies from the certified one, nothing within what it stands for."""
        if exact < self.lowest:
            return exact - self.lowest
        return max(exact - self.highest, Fraction(0))


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What the gate asks of a change.

    Args:
        fail_on: Least severity of an unapproved change that keeps a comparison from passing.
        paths: Patterns of the files to compare; all where empty.
        exclude: Patterns of the files to leave out.
        approvals: File of approvals, beside the policy file; the default is ``certify-approvals.toml``.
        require_signed_approvals: Whether an approval counts only when signed by somebody trusted.
        trust: PEM files of roots that signers of approvals chain to.
        never_approve: Kinds of change that no approval lets land.
        max_return_decrease: How far a return may fall without approval, as a fraction of one.
        max_return_increase: How far a return may rise without approval, as a fraction of one.
        max_exposure: The most that one round may cost the house, in minor units by currency.
        floors: Least return of every wager by jurisdiction.
        severity: Severities by kind that differ from the defaults.
        bump: How far kinds of change ask the version to be raised, where that differs from the defaults.
        wagers: Thresholds by wager that differ from the two above: decrease, increase.
        max_approval_days: Longest term of an approval in days, from the day it was given to its last day.
        certified: Certified returns by game and wager (``main/total-wagered`` for that on everything wagered):
            the thresholds hold for the distance from them too, however many small changes lie between.
        families: SHA-256 of the code of families that lies in no state, as it was certified.
        rounding: What happens to a fraction of the smallest coin in a payout.
        approver_is_not_author: Whether an approval by an author of the commits that are judged does not count.
    """

    fail_on: Severity = Severity.MAJOR
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    approvals: str = ""
    require_signed_approvals: bool = False
    trust: tuple[str, ...] = ()
    never_approve: tuple[str, ...] = ()
    max_return_decrease: Fraction = Fraction(0)
    max_return_increase: Fraction = Fraction(0)
    max_exposure: Mapping[str, int] = field(default_factory=dict)
    floors: Mapping[str, Fraction] = field(default_factory=lambda: {"GLI-19": GLI_19_FLOOR})
    severity: Mapping[str, Severity] = field(default_factory=dict)
    bump: Mapping[str, Bump] = field(default_factory=dict)
    wagers: Mapping[str, tuple[Fraction | None, Fraction | None]] = field(default_factory=dict)
    max_approval_days: int = LONGEST_TERM
    certified: Mapping[str, Mapping[str, CertifiedReturn]] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    rounding: Rounding = Rounding.DOWN
    approver_is_not_author: bool = False

    def severity_of(self, found: ChangeKind) -> Severity:
        """Returns how much a kind of change matters under this policy."""
        return found.severity if found.fixed else self.severity.get(found.id, found.severity)

    def bump_of(self, found: ChangeKind) -> Bump:
        """Returns how far a kind of change asks the version to be raised under this policy."""
        return self.bump.get(found.id, found.bump)

    def allows(self, wager: str, delta: Fraction) -> bool:
        """Tells whether a return may move that far without approval."""
        decrease, increase = self.wagers.get(wager, (None, None))
        low = self.max_return_decrease if decrease is None else decrease
        high = self.max_return_increase if increase is None else increase
        return -low <= delta <= high


DEFAULT: Final = GatePolicy()


def find_policy(start: Path) -> Path | None:
    """Returns the nearest file with a policy, from a folder upwards; ``certify.toml`` goes before the other."""
    for folder in (start, *start.parents):
        for name in FILE_NAMES:
            path = folder / name
            if path.is_file() and has_policy(name, read_bounded(path)):
                return path
    return None


def has_policy(name: str, data: bytes) -> bool:
    """Tells whether a file speaks of the gate; a ``certify.toml`` always does."""
    if Path(name).name != "pyproject.toml":
        return True
    try:
        document = bounded_toml(data)
    except TomlError:
        # Not ours to judge unless it names us; then it must not be passed over in silence.
        return b"[tool.certify" in data
    tool = document.get("tool")
    return isinstance(tool, dict) and "certify" in tool


def load_policy(path: Path) -> GatePolicy:
    """Returns the policy of a file.

    Raises:
        SubmissionError: The file cannot be read, or a key or value of it is not known.
    """
    return parse_policy(read_bounded(path), str(path))


def parse_policy(data: bytes, path: str) -> GatePolicy:
    """Returns the policy that the bytes of ``certify.toml`` or ``pyproject.toml`` state.

    Raises:
        SubmissionError: A key or value is not known; all are listed with their lines.
    """
    document, lines = located_toml(data, path)
    prefix: KeyPath = ()
    if Path(path).name == "pyproject.toml":
        document, prefix = document.get("tool", {}).get("certify", {}), ("tool", "certify")
    problems = Problems(path, lambda key: lines.line((*prefix, *key)))
    policy = _policy(document, problems)
    if problems.found:
        raise SubmissionError(problems.found)
    return policy


def _policy(document: Any, problems: Problems) -> GatePolicy:
    """Returns the policy of a document; its only table is ``[gate]``."""
    known = {entry.name for entry in fields(GatePolicy)}
    gate = _table(document, (), {"gate"}, problems).get("gate", {})
    values = {}
    for name, value in _table(gate, ("gate",), known, problems).items():
        try:
            values[name] = _READ[name](value)
        except (InputError, AttributeError, TypeError) as error:
            problems.add(("gate", name), f"{name}: {error}")
    return GatePolicy(**values)


def _table(value: Any, key: KeyPath, known: set[str], problems: Problems) -> Document:
    """Returns the known keys of a table."""
    if not isinstance(value, dict):
        problems.add(key, f"expected a table, got {value!r}")
        return {}
    for name in value:
        if name not in known:
            problems.add((*key, name), f'unknown key "{name}": expected one of {", ".join(sorted(known))}')
    return {name: item for name, item in value.items() if name in known}


def _points(value: Any) -> Fraction:
    """Returns percentage points such as ``0.05 pp`` as a fraction of one."""
    match = _POINTS.match(value) if isinstance(value, str) else None
    if match is None:
        raise InputError(f'{value!r}: expected percentage points such as "0.05 pp"')
    return Fraction(match[1]) / 100


def _exactly(is_one: Callable[[Any], bool], words: str) -> Callable[[Any], Any]:
    """Returns what takes a value as it is stated, or says what was expected."""

    def read(value: Any) -> Any:
        if not is_one(value):
            raise InputError(f"{value!r}: expected {words}")
        return value

    return read


_text = _exactly(lambda value: isinstance(value, str), "text")
_flag = _exactly(lambda value: isinstance(value, bool), "true or false")
_table_of = _exactly(lambda value: isinstance(value, dict), "a table")
_list_of_texts = _exactly(
    lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value), "a list of texts"
)
_days = _exactly(lambda value: type(value) is int and 1 <= value <= 3660, "a number of days from 1 to 3660")
_bump_named = _exactly(
    lambda value: isinstance(value, str) and value.upper() in Bump.__members__,
    f"one of {', '.join(bump.name.lower() for bump in Bump)}",
)
_rounding_named = _exactly(lambda value: value in list(Rounding), f"one of {', '.join(Rounding)}")


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_list_of_texts(value))


def _kinds(value: Any) -> tuple[str, ...]:
    return tuple(kind(name).id for name in _texts(value))


def _by_kind(read: Callable[[Any], T]) -> Callable[[Any], dict[str, T]]:
    def table(value: Any) -> dict[str, T]:
        found = {}
        for name, item in _table_of(value).items():
            if kind(name).fixed:
                raise InputError(f'"{name}" cannot be set by a policy')
            found[name] = read(item)
        return found

    return table


def _floors(value: Any) -> dict[str, Fraction]:
    found = {"GLI-19": GLI_19_FLOOR} | {
        name: parse_percent(_text(item)).value for name, item in _table_of(value).items()
    }
    if found["GLI-19"] < GLI_19_FLOOR:
        raise InputError(
            "GLI-19 asks for 75 %: expected no less; a lower floor is set under a name of its own"
        )
    return found


def _wagers(value: Any) -> dict[str, tuple[Fraction | None, Fraction | None]]:
    known = ("max_return_decrease", "max_return_increase")
    found: dict[str, tuple[Fraction | None, Fraction | None]] = {}
    for wager, table in _table_of(value).items():
        thresholds = _table_of(table)
        for name in thresholds:
            if name not in known:
                raise InputError(f'unknown key "{name}" of {wager}: expected one of {", ".join(known)}')
        low, high = (_points(thresholds[name]) if name in thresholds else None for name in known)
        found[wager] = (low, high)
    return found


def _certified(value: Any) -> dict[str, dict[str, CertifiedReturn]]:
    return {
        game: {wager: _certified_return(_text(item)) for wager, item in _table_of(table).items()}
        for game, table in _table_of(value).items()
    }


def _families(value: Any) -> dict[str, str]:
    found = {name: _text(item) for name, item in _table_of(value).items()}
    for name, digest in found.items():
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise InputError(f"{name}: {digest!r}: expected the SHA-256 of its code, 64 hexadecimal digits")
    return found


def _certified_return(text: str) -> CertifiedReturn:
    """Returns a certified return from a fraction or a printed percentage."""
    if text.endswith("%"):
        return CertifiedReturn(text, *parse_percent(text).interval)
    exact = parse_fraction(text)
    return CertifiedReturn(text, exact, exact)


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "fail_on": severity_named,
    "paths": _texts,
    "exclude": _texts,
    "approvals": _text,
    "require_signed_approvals": _flag,
    "trust": _texts,
    "never_approve": _kinds,
    "max_return_decrease": _points,
    "max_return_increase": _points,
    "max_exposure": lambda value: {name: minor_units(item, name) for name, item in _table_of(value).items()},
    "floors": _floors,
    "severity": _by_kind(severity_named),
    "bump": _by_kind(lambda value: Bump[_bump_named(value).upper()]),
    "wagers": _wagers,
    "max_approval_days": _days,
    "certified": _certified,
    "families": _families,
    "rounding": lambda value: Rounding(_rounding_named(value)),
    "approver_is_not_author": _flag,
}
