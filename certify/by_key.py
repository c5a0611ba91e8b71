"""What comes with the same key, put together: added up, or listed."""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Part = TypeVar("Part", Fraction, float, int)
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


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Returns the values of each key as they come, in the order in which their keys first come.

    >>> gathered([("red", 1), ("black", 2), ("red", 3)])
    {'red': [1, 3], 'black': [2]}
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
