"""What changed between two states: values and figures before and after, for the gate and for ``run --since``."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeVar

from certify.evidence import Moved
from certify.exact import fraction_text
from certify.model import parts_of

Name = TypeVar("Name")
Value = TypeVar("Value")

Place = tuple[str, ...]
"""Where a figure is: keys, and ids instead of positions."""

Pair = tuple[Value | None, Value | None]
"""Something before and after; none where that state does not have it."""


def paired(before: Mapping[Name, Value], after: Mapping[Name, Value]) -> dict[Name, Pair[Value]]:
    """Returns what either state has by its name, as it is before and after: in the order after, then what is gone.

    >>> paired({"a": 1, "b": 2}, {"c": 3, "b": 4})
    {'c': (None, 3), 'b': (2, 4), 'a': (1, None)}
    """
    return {name: (before.get(name), after.get(name)) for name in dict.fromkeys([*after, *before])}


def differing(pairs: Mapping[Name, Pair[Value]]) -> dict[Name, Pair[Value]]:
    """Returns the pairs whose ends differ.

    >>> differing(paired({"a": 1, "b": 2}, {"b": 4, "a": 1}))
    {'b': (2, 4)}
    """
    return {name: (old, new) for name, (old, new) in pairs.items() if old != new}


def numbered(names: Iterable[Name]) -> Iterator[tuple[Name, int]]:
    """Yields names in their order, each with how often it has come so far.

    >>> list(numbered("aba"))
    [('a', 1), ('b', 1), ('a', 2)]
    """
    seen: Counter[Name] = Counter()
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
