"""What changed between two states: its kind, values and figures before and after, and what approves it.

For the gate and for ``run --since``.
"""

import dataclasses
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple, TypeVar

from certify.errors import InputError, KeyPath, T
from certify.evidence import Moved
from certify.exact import fraction_text
from certify.model import Severity, parts_of

Value = TypeVar("Value")

Place = tuple[str, ...]
"""Where a figure is: keys, and ids instead of positions."""

Pair = tuple[Value | None, Value | None]
"""Something before and after; none where that state does not have it."""


def paired(before: Mapping[T, Value], after: Mapping[T, Value]) -> dict[T, Pair[Value]]:
    """Returns what either state has by its name, as it is before and after: in the order after, then what is gone.

    >>> paired({"a": 1, "b": 2}, {"c": 3, "b": 4})
    {'c': (None, 3), 'b': (2, 4), 'a': (1, None)}
    """
    return {name: (before.get(name), after.get(name)) for name in dict.fromkeys([*after, *before])}


def differing(pairs: Mapping[T, Pair[Value]]) -> dict[T, Pair[Value]]:
    """Returns the pairs whose ends differ.

    >>> differing(paired({"a": 1, "b": 2}, {"b": 4, "a": 1}))
    {'b': (2, 4)}
    """
    return {name: (old, new) for name, (old, new) in pairs.items() if old != new}


def numbered(names: Iterable[T]) -> Iterator[tuple[T, int]]:
    """Yields names in their order, each with how often it has come so far.

    >>> list(numbered("aba"))
    [('a', 1), ('b', 1), ('a', 2)]
    """
    seen: Counter[T] = Counter()
    for name in names:
        seen[name] += 1
        yield name, seen[name]


class StateFigure(NamedTuple):
    """An exact figure of one state.

    Args:
        value: The figure.
        near: Whether a noun that it belongs to says that it is between bounds.
        off: How far it may be off, where the noun says so.
    """

    value: Fraction
    near: bool = False
    off: Fraction = Fraction(0)


def moved(at: Place, before: StateFigure | None, after: StateFigure | None) -> Moved:
    """Returns how far a figure moved between two states, and how far that may be off.

    >>> moved(("main", "return"), StateFigure(Fraction(1, 2)), StateFigure(Fraction(3, 4))).difference
    Fraction(1, 4)
    """
    old, new = (None if one is None else one.value for one in (before, after))
    near = any(one is not None and one.near for one in (before, after))
    off = [Fraction(0) if one is None else one.off for one in (before, after)]
    return Moved(
        at,
        old,
        new,
        None if old is None or new is None else new - old,
        near or None,
        (*off, sum(off, Fraction(0))) if any(off) else None,
    )


_EXACT: Final = frozenset(
    {
        "return",
        "house_edge",
        "returns",
        "total_return",
        "expectation",
        "stakes",
        "bracket",
        "net",
        "pays",
        "claims",
    }
)
"""Parts of a noun that are exact though it says that the rest of itself is between bounds."""

_NAMING: Final = (
    "id", "outcome", "strategy", "wager", "metric", "row", "hand", "first", "dealer", "subject", "change", "rounds",
    "bankroll", "confidence", "net", "stake_from",
)  # fmt: skip
"""What tells the members of a list apart, as far as they have it."""


def figures_in(
    value: Any, at: Place, *, near: bool = False, off: Mapping[str, Fraction] | None = None
) -> Iterator[tuple[Place, StateFigure]]:
    """Yields every exact figure of a noun of the evidence, or of a collection of nouns, by where it is.

    Args:
        value: The noun.
        at: Where it is itself.
        near: Whether a noun around it says that it is between bounds.
        off: How far figures may be off, by their keys, where a noun around it says so.
    """
    if isinstance(value, Fraction):
        yield at, StateFigure(value, near, (off or {}).get(at[-1], Fraction(0)) if near else Fraction(0))
    elif at == ("exposure", "amount"):
        yield at, StateFigure(Fraction(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        # What a noun says of itself holds for its parts, but for those that are exact in every case.
        near, off = bool(getattr(value, "near", near)), getattr(value, "off", None) or off
        for part in (one for one in parts_of(type(value)) if one.key != "off"):
            exact = part.key in _EXACT
            yield from figures_in(part.of(value), (*at, part.key), near=near and not exact, off=off)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from figures_in(part, (*at, str(key)), near=near, off=off)
    elif isinstance(value, tuple | list):
        names = numbered(_name(part, position) for position, part in enumerate(value))
        for part, (name, again) in zip(value, names, strict=True):
            place = name if again == 1 else f"{name} #{again}"
            yield from figures_in(part, (*at, place), near=near, off=off)


def _name(part: object, position: int) -> str:
    """Returns what tells a member of a list from the others: what names it, else its position."""
    values = (getattr(part, name, None) for name in _NAMING)
    named = (value for value in values if value is not None and value != "")
    texts = (fraction_text(value) if isinstance(value, Fraction) else str(value) for value in named)
    return " ".join(texts) or str(position)


class Bump(IntEnum):
    """How far a version must be raised, least first."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """One kind of change.

    Args:
        id: Stable id, such as ``return-changed``.
        title: What happened, one sentence.
        severity: How much it matters unless the policy says otherwise.
        bump: How far it asks the version to be raised unless the policy says otherwise.
        clause: What asks for it.
        why: Why it matters.
        remedy: What can be done about it.
        fixed: Whether no policy may set its severity.
        of: What it is judged of: the ``change`` of a game, one ``state`` of a game, or the ``run``.
        by_return: Whether it is no more than minor while the return stays within the policy's thresholds.
        moved: Whether it says what the switch to a certified variant moved, all of which was certified before.
    """

    id: str
    title: str
    severity: Severity
    bump: Bump
    clause: str
    why: str
    remedy: str
    fixed: bool = False
    of: str = "change"
    by_return: bool = False
    moved: bool = False


@cache
def kinds() -> Mapping[str, ChangeKind]:
    """Returns every kind of change by its id, in the order of the documentation.

    >>> kinds()["return-changed"].severity.name
    'MAJOR'
    """
    text = resources.files("certify.gate").joinpath("kinds.toml").read_text(encoding="utf-8")
    return {
        entry["id"]: ChangeKind(
            **entry
            | {
                "severity": Severity[entry["severity"].upper()],
                "bump": Bump[entry["bump"].upper()],
            }
        )
        for entry in tomllib.loads(text)["kinds"]
    }


def kind(kind_id: str) -> ChangeKind:
    """Returns one kind of change.

    Raises:
        InputError: There is no such kind.
    """
    found = kinds().get(kind_id)
    if found is None:
        raise InputError(f'no kind of change "{kind_id}": expected one of {", ".join(kinds())}')
    return found


NOTHING: Final = "nothing"
"""Digest of a state in which a game does not exist."""


BOUND: Final = (
    "fingerprint",
    "game",
    "change",
    "subject",
    "before",
    "after",
    "reason",
    "until",
    "approved_on",
    "approved_by",
)
"""What an approval says, in the order in which it is bound."""


@dataclass(frozen=True, slots=True)
class Approval:
    """The approval of one change by somebody, bound to what was there before and after.

    Args:
        fingerprint: Fingerprint of the change, or of all changes of one game.
        game: Id of the game.
        change: Kind of the change, or ``every-change``.
        subject: What it is about.
        before: Digest of the meaning before.
        after: Digest of the meaning after.
        reason: Why it may be merged.
        until: Last day on which the approval holds, ISO 8601.
        approved_by: Who approved it, as they name themselves.
        approved_on: The day of the approval, ISO 8601.
        binding: SHA-256 over everything above, by which an entry that was edited is recognised.
        signature: Signature over all of the above, base64; empty where unsigned.
        certificates: Certificate of the signer and its issuers, PEM; empty where unsigned.
        line: Line of the entry in its file.
    """

    fingerprint: str
    game: str
    change: str
    subject: str
    before: str
    after: str
    reason: str
    until: str
    approved_on: str
    approved_by: str = ""
    binding: str = ""
    signature: str = ""
    certificates: str = ""
    line: int = 0

    @property
    def expected_binding(self) -> str:
        """SHA-256 over everything that the approval says: without a key it finds an edit, not a forger."""
        said = [getattr(self, name) for name in BOUND]
        return hashlib.sha256(
            json.dumps(["certify-approval/2", *said], ensure_ascii=True).encode()
        ).hexdigest()

    @property
    def days(self) -> int:
        """Its term: days from the day it was given to its last day."""
        return (date.fromisoformat(self.until) - date.fromisoformat(self.approved_on)).days


@dataclass(frozen=True, slots=True)
class Impact:
    """One value or figure that is otherwise, before a policy judges it.

    Args:
        kind: Id of the kind of change.
        subject: What it is about.
        message: One sentence with its numbers.
        before: Value before.
        after: Value after.
        key: Key in the file after that an annotation belongs to.
        wager: Wager it concerns, if one.
        within: Whether the policy's thresholds on the return allow it.
        printed: The printed figure that it is about, if it is about one.
    """

    kind: str
    subject: str
    message: str
    before: str | None = None
    after: str | None = None
    key: KeyPath = ()
    wager: str = ""
    within: bool = False
    printed: Place = ()


@dataclass(frozen=True, slots=True)
class GateChange:
    """Something that differs between two states of a game.

    Args:
        kind: What kind of change it is.
        game: Id of the game; empty where it concerns none.
        subject: What it is about, such as ``main/win``.
        severity: How much it matters under the policy.
        message: One sentence with its numbers.
        before: Value before; none where there was none.
        after: Value after; none where there is none.
        path: File that an annotation belongs to.
        line: Line in it, from 1.
        before_digest: Digest of the game's meaning before.
        after_digest: Digest of the game's meaning after.
        approval: The approval under which it may be merged, if any.
        wager: Id of the wager it concerns; empty where it concerns none alone.
    """

    kind: ChangeKind
    game: str
    subject: str
    severity: Severity
    message: str
    before: str | None = None
    after: str | None = None
    path: str = ""
    line: int = 1
    before_digest: str = NOTHING
    after_digest: str = NOTHING
    approval: Approval | None = None
    wager: str = ""

    @property
    def fingerprint(self) -> str:
        """What an approval names: this change between just these two meanings."""
        return fingerprint(self.kind.id, self.game, self.subject, self.before_digest, self.after_digest)

    @property
    def stable_id(self) -> str:
        """What stays the same when the change is edited further: kind, game and subject, never a line."""
        return _digest("alert", self.kind.id, self.game, self.subject)

    @property
    def word(self) -> str:
        """How much it matters, or that it is approved, in one word."""
        return "approved" if self.approval else self.severity.name.lower()


EVERY_CHANGE: Final = "every-change"
"""Kind that an approval of all changes of one game names."""


def fingerprint(kind: str, game: str, subject: str, before: str, after: str) -> str:
    """Returns the fingerprint of a change.

    >>> fingerprint("return-changed", "g", "main", "0" * 64, "1" * 64)
    'b0f1db04b0180da22edbcc4babbf1440'
    """
    return _digest("certify-change/1", kind, game, subject, before, after)


def _digest(*parts: str) -> str:
    """Returns 128 bits of a digest over parts that cannot run into each other."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()[:32]
