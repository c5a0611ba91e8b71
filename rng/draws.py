"""What can be drawn: orders of items, ordered samples without replacement, integers, and rows of these.

A draw says how many integers it yields and how words become a row, each possible row of integers equally
likely. Whether the items are cards, balls or stops of a reel, and what they are worth, is the caller's business.

The row of a compound draw is the rows of its parts, one after the other. Parts take their words in
order; integers that follow each other share words as long as their bounds fit one.

Source: docs/byte-consumption-rule.md, version 1, rules 3 to 5.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from math import perm, prod
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from rng.errors import RangeError
from rng.shuffle import GROUP_LIMIT, MAX_CARDS, bound_groups, deal
from rng.uniform import Words, together_below
from rng.words import WordSource, serve

MAX_BELOW: Final = 1 << 63
"""The largest range of one integer."""

MAX_WIDTH: Final = 1 << 17
"""The most integers in the row of one draw."""

LONGEST_ROW: Final = 3_072
"""Words of a row that is drawn compiled, at most; with those rejected it stays within what a source lets wait."""

FEW_ITEMS: Final = 24
"""Items of a sample up to which many are dealt at once: what that costs grows with the square of their number."""

_ITEM_BYTES: Final = (1, 2, 4, 8)


class Draw(ABC):
    """Something that can be drawn, all of its outcomes exactly equally likely."""

    __slots__ = ()

    @property
    @abstractmethod
    def elements(self) -> "tuple[OrderedSample | Integer, ...]":
        """The samples and integers that it consists of, in the order in which they are drawn."""

    @property
    def width(self) -> int:
        """How many integers one draw yields."""
        return sum(element.size for element in self.elements)

    @property
    def outcomes(self) -> int:
        """How many rows are possible, all equally likely: the number of ways to draw, order included."""
        return prod(perm(element.values, element.size) for element in self.elements)

    @property
    def item_bytes(self) -> int:
        """Bytes of each integer of its rows: 1, 2, 4 or 8, the fewest that hold every value."""
        highest = max(element.values for element in self.elements) - 1
        return next(size for size in _ITEM_BYTES if highest < 1 << 8 * size)

    @property
    def least_words(self) -> int:
        """The words that one draw uses when none is rejected."""
        return sum(len(step.groups) for step in steps(self))


@dataclass(frozen=True, slots=True)
class OrderedSample(Draw):
    """So many of the items 0 to n - 1 without replacement, in the order drawn: balls, an opening hand.

    Args:
        items: 1 to 65,536.
        size: 1 to `items`.

    Raises:
        RangeError: a number is out of range.
    """

    items: int
    size: int

    def __post_init__(self) -> None:
        _whole("items", self.items, 1, MAX_CARDS)
        _whole("items drawn", self.size, 1, self.items)

    @property
    def values(self) -> int:
        """Every integer is below this."""
        return self.items

    @property
    def elements(self) -> "tuple[OrderedSample, ...]":
        """Itself."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Permutation(Draw):
    """An order of the items 0 to n - 1: a shuffled deck or shoe.

    Args:
        items: 1 to 65,536.

    Raises:
        RangeError: the number is out of range.
    """

    items: int

    def __post_init__(self) -> None:
        _whole("items", self.items, 1, MAX_CARDS)

    @property
    def elements(self) -> tuple[OrderedSample, ...]:
        """The sample of all items."""
        return (OrderedSample(self.items, self.items),)


@dataclass(frozen=True, slots=True)
class Integer(Draw):
    """One integer from 0 to n - 1: the stop of a wheel or reel, a die.

    Args:
        below: 1 to 2^63.

    Raises:
        RangeError: the number is out of range.
    """

    below: int
    size: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _whole("values", self.below, 1, MAX_BELOW)

    @property
    def values(self) -> int:
        """Every integer is below this."""
        return self.below

    @property
    def elements(self) -> "tuple[Integer, ...]":
        """Itself."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Product(Draw):
    """Several draws in a row, independent of each other: five reels, a shoe and a die.

    Raises:
        RangeError: there is no part, or the row would be longer than 131,072 integers.
    """

    parts: tuple[Draw, ...]

    def __post_init__(self) -> None:
        if not self.parts or not all(isinstance(part, Draw) for part in self.parts):
            raise RangeError("a product of nothing, or of something that cannot be drawn")
        _whole("integers in a row", sum(part.width for part in self.parts), 1, MAX_WIDTH)

    @property
    def elements(self) -> tuple[OrderedSample | Integer, ...]:
        """The elements of its parts, in order."""
        return tuple(chain.from_iterable(part.elements for part in self.parts))


@dataclass(frozen=True, slots=True)
class Repetition(Draw):
    """The same draw several times, independently: three dice.

    Raises:
        RangeError: the number of times is not at least one, or the row would be longer than 131,072
            integers.
    """

    part: Draw
    times: int

    def __post_init__(self) -> None:
        _whole("times", self.times, 1, MAX_WIDTH)
        _whole("integers in a row", self.part.width * self.times, 1, MAX_WIDTH)

    @property
    def elements(self) -> tuple[OrderedSample | Integer, ...]:
        """The elements of the draw, so many times."""
        return self.part.elements * self.times


@dataclass(frozen=True, slots=True)
class DrawStep:
    """What a row of words yields: one ordered sample, or integers that follow each other.

    Args:
        items: how many items the sample is drawn from; 0 for integers.
        width: how many integers come out.
        groups: the bounds in the groups that are each drawn from one word.
    """

    items: int
    width: int
    groups: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=256)
def steps(draw: Draw) -> tuple[DrawStep, ...]:
    """The frozen order in which a draw takes its words.

    >>> [step.groups for step in steps(Repetition(Integer(6), 2))]
    [((6, 6),)]

    Source: docs/byte-consumption-rule.md, version 1, rules 4 and 5.
    """
    made: list[DrawStep] = []
    for integers, run in groupby(draw.elements, lambda element: isinstance(element, Integer)):
        if integers:
            bounds = [element.values for element in run]
            made.append(DrawStep(0, len(bounds), shared(bounds)))
        else:
            made += [_sample_step(sample) for sample in run if isinstance(sample, OrderedSample)]
    return tuple(made)


def _sample_step(sample: OrderedSample) -> DrawStep:
    groups: list[tuple[int, ...]] = []
    drawn = 0
    for group in bound_groups(sample.items):
        if drawn >= sample.size:
            break
        groups.append(group)
        drawn += len(group)
    return DrawStep(sample.items, sample.size, tuple(groups))


def shared(bounds: list[int]) -> tuple[tuple[int, ...], ...]:
    """Bounds in the groups that share a word: each takes the next while their product is at most 2^57."""
    groups: list[list[int]] = []
    for bound in bounds:
        if not groups or prod(groups[-1]) * bound > GROUP_LIMIT:
            groups.append([])
        groups[-1].append(bound)
    return tuple(tuple(group) for group in groups)


def draw_one(source: Words, draw: Draw) -> tuple[int, ...]:
    """One row, in plain Python: the twin of `draw_many`."""
    row: list[int] = []
    for step in steps(draw):
        if step.items:
            row += deal(source, step.items, step.width)
        else:
            row += chain.from_iterable(together_below(source, group) for group in step.groups)
    return tuple(row)


def draw_many(
    source: WordSource, draw: Draw, count: int, columns: int | None = None
) -> "NDArray[np.unsignedinteger]":
    """So many rows, identical to calling `draw_one` so many times.

    Args:
        source: the words to draw from, of which every row takes those of the whole draw.
        draw: what a row is.
        count: rows.
        columns: first integers of each row that are made; all of them where left out.

    Returns:
        Unsigned integers of `draw.item_bytes` bytes, of shape (count, columns).

    Raises:
        RangeError: the count is negative.
    """
    _whole("draws", count, 0, 1 << 62)
    rows = np.empty((count, columns or draw.width), dtype=f"u{draw.item_bytes}")
    if draw.least_words > LONGEST_ROW:
        for row in rows:
            row[:] = draw_one(source, draw)[: rows.shape[1]]
        return rows
    from rng.kernels import draw_rows  # loaded on first use: compiling takes a moment
    from rng.lazy_kernels import deal_rows

    order, (first, *others) = _order(draw), steps(draw)
    few = not others and rows.shape[1] < min(first.items, FEW_ITEMS + 1)
    group_of = np.repeat(np.arange(order[1].size), order[1])

    def step(words: "NDArray[np.uint64]", done: int) -> tuple[int, int]:
        if few:
            return deal_rows(words, rows[done:], first.items, group_of, *order[2:4])
        return draw_rows(words, rows[done:], *order)

    serve(source, count, step, draw.least_words)
    return rows


def deal_decks(source: WordSource, count: int, cards: int) -> "NDArray[np.unsignedinteger]":
    """So many full shuffles, one deck a row, identical to calling `rng.shuffle.shuffle` so many times."""
    return draw_many(source, Permutation(cards), count)


def draw_from(
    source: WordSource, draw: Draw, starts: "NDArray[np.int64]"
) -> "NDArray[np.unsignedinteger[Any]]":
    """The row that each of some words begins, whether or not rows share words, as rounds drawn in part do.

    Args:
        source: the words, from the beginning of the stream.
        draw: what a row is.
        starts: numbers of the words, in rising order.

    Returns:
        Unsigned integers of `draw.item_bytes` bytes, of shape (starts, draw.width).
    """
    from rng.kernels import draw_rows  # as above

    rows = np.empty((len(starts), draw.width), dtype=f"u{draw.item_bytes}")
    order = _order(draw)
    for place, start in enumerate(starts.tolist()):
        source.skip_to(start)
        wanted = draw.least_words
        while not draw_rows(source.window(wanted), rows[place : place + 1], *order)[0]:
            wanted += 1
    return rows


def check_rows(draw: Draw, rows: "NDArray[np.integer]") -> None:
    """Refuses rows that the draw cannot yield.

    Raises:
        RangeError: the shape is wrong, a value is out of range or an item of a sample comes twice.
    """
    if rows.ndim != 2 or rows.shape[1] != draw.width or not np.issubdtype(rows.dtype, np.integer):
        raise RangeError(f"rows of {rows.dtype} {rows.shape}: whole numbers, {draw.width} a row expected")
    column = 0
    for element in draw.elements:
        part = rows[:, column : column + element.width]
        wrong = (part < 0).any(axis=1) | (part >= element.values).any(axis=1)
        if element.width > 1:
            ordered = np.sort(part, axis=1)
            wrong |= (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            values = " ".join(map(str, part[row].tolist()[:20]))
            raise RangeError(
                f"row {row}, from column {column + 1}: {element.width} different values below "
                f"{element.values} expected, got {values}"
            )
        column += element.width


@lru_cache(maxsize=64)
def _order(draw: Draw) -> "tuple[NDArray[Any], ...]":
    """The steps of a draw as the arrays that the compiled loop reads."""
    parts = [(step.items, step.width, len(step.groups)) for step in steps(draw)]
    groups = [group for step in steps(draw) for group in step.groups]
    return (
        np.array(parts, dtype=np.int64).reshape(-1, 3),
        np.array([len(group) for group in groups], dtype=np.int64),
        np.array([prod(group) for group in groups], dtype=np.uint64),
        np.array([(1 << 64) % prod(group) for group in groups], dtype=np.uint64),
        np.array([bound for group in groups for bound in group], dtype=np.uint64),
    )


def _whole(what: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise RangeError(f"{value!r} {what}: a whole number from {low} to {high} expected")
