"""The policy of a team: what may be merged without approval, what needs approval, and what is never approved."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, make_dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath
from types import GenericAlias
from typing import Annotated, Any, Final, TypeVar

from certify.errors import InputError, Problems, SubmissionError
from certify.exact import minor_units, parse_fraction, parse_percent
from certify.gate.change import Bump, ChangeKind, kind
from certify.model import Form, Severity, Sha256
from certify.model.form_reader import structure
from certify.rounds import Rounding
from certify.submission import located_toml
from certify.untrusted_input import TomlError, bounded_toml, read_bounded

GLI_19_FLOOR: Final = Fraction(3, 4)
"""GLI-19 v3.0 4.7.1: least theoretical return of a house-banked game."""

LONGEST_TERM: Final = 366
"""Days that an approval may hold unless the policy says otherwise."""

FILE_NAMES: Final = ("certify.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class CertifiedReturn:
    """A return as it was certified, against which every later one is measured.

    Args:
        text: The return as the policy states it: a fraction such as ``61/62``, or a printed percentage.
        lowest: Least return that it means; the return itself where it is a fraction.
        highest: Greatest return that it means.
    """

    text: str
    lowest: Fraction
    highest: Fraction

    def distance(self, exact: Fraction) -> Fraction:
        """Returns how far an exact return is from the certified one, nothing within what it means."""
        return exact - self.lowest if exact < self.lowest else max(exact - self.highest, Fraction(0))


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What the gate asks of a change.

    Args:
        fail_on: Least severity of an unapproved change that keeps a comparison from passing.
        paths: Patterns of the files to compare; all where empty.
        exclude: Patterns of the files to leave out.
        approvals: File of approvals, next to the policy file; the default is ``certify-approvals.toml``.
        require_signed_approvals: Whether an approval counts only when signed by somebody trusted.
        trust: PEM files of roots that signers of approvals chain to.
        never_approve: Kinds of change that no approval covers.
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
        families: SHA-256 of the code of families that is in no state, as it was certified.
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
        """Returns whether a return may move that far without approval."""
        decrease, increase = self.wagers.get(wager, (None, None))
        low = self.max_return_decrease if decrease is None else decrease
        high = self.max_return_increase if increase is None else increase
        return -low <= delta <= high


DEFAULT: Final = GatePolicy()


AnyPath = TypeVar("AnyPath", Path, PurePosixPath)


def policy_places(start: AnyPath) -> Iterator[AnyPath]:
    """Yields where a policy may be, the nearest first, from a folder upwards; ``certify.toml`` before the other."""
    for folder in (start, *start.parents):
        yield from (folder / name for name in FILE_NAMES)


def find_policy(start: Path) -> Path | None:
    """Returns the nearest file with a policy, from a folder upwards."""
    files = (path for path in policy_places(start) if path.is_file())
    return next((path for path in files if has_policy(path.name, read_bounded(path))), None)


def has_policy(name: str, data: bytes) -> bool:
    """Returns whether a file speaks of the gate; a ``certify.toml`` always does."""
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
    prefix = ("tool", "certify") if Path(path).name == "pyproject.toml" else ()
    problems = Problems(path, lambda key: lines.line((*prefix, *key)), lines.text)
    stated: Any = document
    for depth, name in enumerate(prefix, 1):
        stated = stated.get(name, {})
        if not isinstance(stated, dict):
            problems.add((), f"{'.'.join(prefix[:depth])}: expected a table, got {stated!r}")
            raise SubmissionError(problems.found)
    _, mistakes = structure(stated, _File)
    for mistake in mistakes:
        problems.add_form(mistake.key, mistake.message)
    table = stated.get("gate", {})
    wrong = {mistake.key[1] for mistake in mistakes if len(mistake.key) > 1}
    sound = {name: table[name] for name in table if name not in wrong} if isinstance(table, dict) else {}
    values, (gate, _) = {}, structure(sound, _Gate)
    for name in sound:
        value = getattr(gate, name)
        try:
            values[name] = _READ[name](value) if name in _READ else value
        except InputError as error:
            problems.add(("gate", name), f"{name}: {error}")
    problems.raise_found()
    return GatePolicy(**values)


def _one_of(names: Iterable[str]) -> Any:
    """Returns the form of a text that is one of some words."""
    words = [*names]
    return Annotated[str, Form(f"(?i:{'|'.join(words)})", f"one of {', '.join(words)}")]


_Points = Annotated[
    str,
    Form(r"\d{1,3}(\.\d{1,12})? ?(pp|percentage points)", 'percentage points such as "0.05 pp"'),
]
_Severity = _one_of(one.name.lower() for one in Severity)
_Named = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """Thresholds of one wager."""

    max_return_decrease: _Points | None = None
    max_return_increase: _Points | None = None


_FORMS: Final[Mapping[str, Any]] = {
    "fail_on": _Severity,
    "paths": tuple[str, ...],
    "exclude": tuple[str, ...],
    "approvals": str,
    "require_signed_approvals": bool,
    "trust": tuple[str, ...],
    "never_approve": tuple[str, ...],
    "max_return_decrease": _Points,
    "max_return_increase": _Points,
    "max_exposure": _Named,
    "floors": _Named,
    "severity": GenericAlias(dict, (str, _Severity)),
    "bump": GenericAlias(dict, (str, _one_of(one.name.lower() for one in Bump))),
    "wagers": dict[str, _Thresholds],
    "max_approval_days": int,
    "certified": dict[str, _Named],
    "families": dict[str, Sha256],
    "rounding": Annotated[str, Form("|".join(Rounding), f"one of {', '.join(Rounding)}")],
    "approver_is_not_author": bool,
}
"""Every key of ``[gate]`` with the form of its value."""

_Gate: Any = make_dataclass("_Gate", [(name, form | None, None) for name, form in _FORMS.items()])
_File: Any = make_dataclass("_File", [("gate", _Gate, field(default_factory=_Gate))])


def _points(text: str) -> Fraction:
    """Returns percentage points such as ``0.05 pp`` as a fraction of one."""
    return Fraction(text.partition("p")[0].strip()) / 100


def _days(value: int) -> int:
    if not 1 <= value <= 3660:
        raise InputError(f"{value}: expected a number of days from 1 to 3660")
    return value


def _by_kind(table: _Named, members: Any) -> dict[str, Any]:
    """Returns what a policy says of kinds of change, by their ids."""
    for name in table:
        if kind(name).fixed:
            raise InputError(f'"{name}" cannot be set by a policy')
    return {name: members[value.upper()] for name, value in table.items()}


def _floors(table: _Named) -> dict[str, Fraction]:
    found = {"GLI-19": GLI_19_FLOOR} | {name: parse_percent(text).value for name, text in table.items()}
    if found["GLI-19"] < GLI_19_FLOOR:
        raise InputError(
            "GLI-19 requires 75 %: expected no less; a lower floor is set under a name of its own"
        )
    return found


def _certified_return(text: str) -> CertifiedReturn:
    """Returns a certified return from a fraction or a printed percentage."""
    if text.endswith("%"):
        return CertifiedReturn(text, *parse_percent(text).interval)
    exact = parse_fraction(text)
    return CertifiedReturn(text, exact, exact)


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "rounding": Rounding,
    "fail_on": lambda name: Severity[name.upper()],
    "never_approve": lambda names: tuple(kind(name).id for name in names),
    "max_return_decrease": _points,
    "max_return_increase": _points,
    "max_exposure": lambda table: {name: minor_units(text, name) for name, text in table.items()},
    "floors": _floors,
    "severity": lambda table: _by_kind(table, Severity),
    "bump": lambda table: _by_kind(table, Bump),
    "wagers": lambda table: {
        wager: tuple(text and _points(text) for text in astuple(one)) for wager, one in table.items()
    },
    "max_approval_days": _days,
    "certified": lambda games: {
        game: {wager: _certified_return(text) for wager, text in table.items()}
        for game, table in games.items()
    },
}
"""How a value becomes what the policy holds, where it is not held as it is stated."""
