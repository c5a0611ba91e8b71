"""What comes with the same key, put together, added up or listed; and what keys lead to."""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Part = TypeVar("Part", Fraction, float, int)
Other = TypeVar("Other", Fraction, float, int)
Value = TypeVar("Value")


def summed(parts: Iterable[tuple[Key, Part]]) -> dict[Key, Part]:
    """Returns what parts of the same key come to together, in the order in which their keys first come.

    >>> summed([("win", 2), ("lose", 5), ("win", 1)])
    {'win': 3, 'lose': 5}
    """
    sums: dict[Key, Part] = {}
    for key, part in parts:
        sums[key] = sums[key] + part if key in sums else part
    return sums


def summed_pairs(parts: Iterable[tuple[Key, tuple[Part, Other]]]) -> dict[Key, tuple[Part, Other]]:
    """Returns what pairs of the same key come to together, in the order in which their keys first come.

    >>> summed_pairs([("win", (2, 6)), ("lose", (5, 0)), ("win", (1, 4))])
    {'win': (3, 10), 'lose': (5, 0)}
    """
    listed = list(parts)
    first = summed((key, one) for key, (one, _) in listed)
    second = summed((key, other) for key, (_, other) in listed)
    return {key: (one, second[key]) for key, one in first.items()}


def reached(starts: Iterable[Key], following: Callable[[Key], Iterable[Key]]) -> list[Key]:
    """Returns what some lead to, directly or not, these included, in the order in which they are first come to.

    >>> reached([3], lambda one: [one // 2, one + 1] if 0 < one < 5 else [])
    [3, 1, 4, 0, 2, 5]
    """
    found = list(dict.fromkeys(starts))
    known = set(found)
    for one in found:
        fresh = dict.fromkeys(other for other in following(one) if other not in known)
        known.update(fresh)
        found += fresh
    return found


def unchanging(value: Value, following: Callable[[Value], Value]) -> Value:
    """Returns what a value becomes once what follows it is the same.

    >>> unchanging(40, lambda number: number // 2)
    0
    """
    while (after := following(value)) != value:
        value = after
    return value


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Returns the values of each key as they come, in the order in which their keys first come.

    >>> gathered([("red", 1), ("black", 2), ("red", 3)])
    {'red': [1, 3], 'black': [2]}
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
