"""Decks under test: their shape, their validity, and how tests read them in pieces."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery.result import TestResult
from rng.battery.suite import Test, at_least
from rng.errors import SampleError

# Shuffled decks, one a row: ``decks[t, i]`` is the id of the card in position ``i`` of deck ``t``.
Decks = NDArray[np.uint8] | NDArray[np.uint16]

MOST_CARDS = 1024
# Fewer cards than this and the total of fixed points is no longer Poisson to working precision.
FEWEST_CARDS = 20
# Up to so many cards every pair of positions is compared, and pairs of single cards rather than of ranks.
SMALL = 64


@dataclass(frozen=True, slots=True)
class DeckShoe:
    """The cards of a shoe by id: equal cards of several decks are distinguished by their ids.

    Args:
        ranks: Group of each card, numbered from 0; empty where they have none or all the same.
        suits: The same by suit.
        cards: Number of cards.
    """

    cards: int
    ranks: tuple[int, ...] = ()
    suits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("ranks", "suits"):
            groups = getattr(self, name)
            if groups and (len(groups) != self.cards or set(groups) != set(range(max(groups) + 1))):
                raise SampleError(
                    f"groups of {len(groups)} cards: each of {self.cards} cards in a group numbered from 0 expected"
                )
            if groups and max(groups) == 0:
                object.__setattr__(self, name, ())


def four_suits(cards: int) -> DeckShoe:
    """The shoe of ids ``4 * rank + suit``; without ranks and suits where they cannot be four of each.

    Example:
        >>> four_suits(8).ranks, four_suits(8).suits
        ((0, 0, 0, 0, 1, 1, 1, 1), (0, 1, 2, 3, 0, 1, 2, 3))
    """
    if cards % 4:
        return DeckShoe(cards)
    return DeckShoe(
        cards, tuple(card // 4 for card in range(cards)), tuple(card % 4 for card in range(cards))
    )


def shoe_of(ranks: int, suits: int, decks: int = 1, jokers: int = 0) -> DeckShoe:
    """A shoe of several decks, each of ranks × suits cards and some jokers; ids count deck by deck.

    Within a deck the id is ``suits * rank + suit``, and the jokers come last, a rank and a suit of their own.

    Example:
        >>> shoe_of(13, 4, decks=8).cards, shoe_of(13, 4, jokers=2).ranks[-3:]
        (416, (12, 13, 13))
    """
    if min(ranks, suits, decks) < 1 or jokers < 0:
        raise SampleError(
            f"{decks} decks of {ranks} ranks, {suits} suits and {jokers} jokers: at least one each"
        )
    by_rank = (*(card // suits for card in range(ranks * suits)), *[ranks] * jokers)
    by_suit = (*(card % suits for card in range(ranks * suits)), *[suits] * jokers)
    return DeckShoe(decks * len(by_rank), by_rank * decks, by_suit * decks)


# Below this many decks a test of means and totals leaves out the chi-square of its distribution, whose far tail is
# not yet right.
DISTRIBUTION_DECKS = 200
# 16,384 decks of 40 cards are 640 KiB: a chunk and its temporaries stay within the second-level cache.
CHUNK = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class DealtDecks:
    """Decks under test.

    Args:
        rows: One deck a row, each card id once; a memory map will do.
        of: Ranks and suits of the cards.

    Raises:
        SampleError: If the array is not one of whole decks of the shoe.
    """

    rows: Decks
    of: DeckShoe

    def __post_init__(self) -> None:
        check_decks(self.rows)
        cards = self.rows.shape[1]
        if cards < FEWEST_CARDS or cards != self.of.cards:
            raise SampleError(f"expected {max(self.of.cards, FEWEST_CARDS)} cards, got {cards}")

    @property
    def size(self) -> int:
        """How many decks there are."""
        return len(self.rows)


CardTest = Test[DeckShoe, DealtDecks]
Fewest = Callable[[DeckShoe], int | str]


def of_shoe(name: str, minimum: Fewest, run: Callable[[Decks, DeckShoe], TestResult]) -> CardTest:
    """A test that looks at ranks and suits of the cards too."""
    return Test(name, minimum, lambda dealt: run(dealt.rows, dealt.of))


def plain(name: str, minimum: int | Fewest, run: Callable[[Decks], TestResult]) -> CardTest:
    """A test that looks at the order of the ids alone, whatever the cards are."""
    fewest = minimum if callable(minimum) else at_least(minimum)
    return Test(name, fewest, lambda dealt: run(dealt.rows))


def a_cell(expected: int) -> Callable[[DeckShoe], int | str]:
    """So many decks a card: each card is then expected so often in each position."""
    return lambda shoe: expected * shoe.cards


def pieces(decks: Decks, overlap: int = 0) -> Iterator[NDArray[Any]]:
    """Yields the decks some at a time, contiguous in memory.

    Args:
        decks: The decks.
        overlap: Decks of the next piece that each piece holds as well, for what compares decks some apart.
    """
    for start in range(0, len(decks), CHUNK):
        piece = decks[start : start + CHUNK + overlap]
        if len(piece) > overlap:
            yield np.ascontiguousarray(piece)


def column_chunks(decks: Decks, overlap: int = 0) -> Iterator[NDArray[np.uint8]]:
    """Yields the same with positions as rows, so that one position is contiguous in memory."""
    return (np.ascontiguousarray(piece.T) for piece in pieces(decks, overlap))


def values_by_place(rows: Iterable[NDArray[Any]], size: int) -> NDArray[np.int64]:
    """How often each place of rows as long as a deck held each value: ``counts[place, value]``."""
    counts = np.zeros((size, size), dtype=np.int64)
    for piece in rows:
        for place, column in enumerate(piece.T):
            counts[place] += np.bincount(column, minlength=size)
    return counts


def copies(shoe: DeckShoe) -> NDArray[np.int64]:
    """Which copy of its face each card is, in the order of the ids; 0 where the cards have no faces.

    Example:
        >>> copies(DeckShoe(4, ranks=(0, 0, 1, 0), suits=(0, 1, 0, 1))).tolist()
        [0, 0, 0, 1]
    """
    seen, numbers = Counter[tuple[int, int]](), []
    for face in zip(shoe.ranks, shoe.suits or (0,) * shoe.cards, strict=True) if shoe.ranks else ():
        numbers.append(seen[face])
        seen[face] += 1
    return np.array(numbers or [0] * shoe.cards)


def first_invalid(decks: Decks) -> int | None:
    """Index of the first row that is not a permutation of its card ids, or None if all are."""
    for number, piece in enumerate(pieces(decks)):
        wrong = np.flatnonzero((np.sort(piece, axis=1) != np.arange(decks.shape[1])).any(axis=1))
        if wrong.size:
            return number * CHUNK + int(wrong[0])
    return None


def check_decks(decks: Decks) -> None:
    """Refuses anything that is not a table of whole decks.

    Raises:
        SampleError: If the array is not two-dimensional ``uint8`` or ``uint16``, or a row is not a permutation.
    """
    fits = decks.ndim == 2 and decks.dtype in (np.uint8, np.uint16) and 2 <= decks.shape[1] <= MOST_CARDS
    if not fits or (decks.dtype == np.uint8 and decks.shape[1] > 256):
        raise SampleError(
            f"decks must be a uint8 or uint16 array of shape (decks, 2 to {MOST_CARDS} cards), "
            f"got {decks.dtype} {decks.shape}"
        )
    wrong = first_invalid(decks)
    if wrong is not None:
        row = " ".join(str(card) for card in decks[wrong][:64])
        raise SampleError(f"deck {wrong}: expected each card 0 to {decks.shape[1] - 1} once, got {row}")


def positions(cards: int) -> tuple[str, ...]:
    """Labels of the positions of a deck, counted from one."""
    return tuple(f"position {i + 1}" for i in range(cards))
