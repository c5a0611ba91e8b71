"""Decks that come again: whole, by their opening or disguised, and decks that were not shuffled."""

from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from math import factorial, perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels, nulls, permutations
from rng.battery.cards.decks import Decks, DeckShoe, copies, of_shoe, pieces, plain
from rng.battery.minimum_counts import repeated, values_repeated
from rng.battery.result import TestResult


def fingerprints(decks: Decks) -> NDArray[np.uint64]:
    """A 64-bit sum for each deck that equal decks share; unequal ones are distinguished afterwards."""
    # Powers of an odd constant (Knuth's multiplicative hash, 2^64 over the golden ratio), modulo 2^64.
    weights = np.array([pow(0x9E3779B97F4A7C15, i + 1, 1 << 64) for i in range(decks.shape[1])], np.uint64)
    wide = (piece.astype(np.uint64) + np.uint64(7) for piece in pieces(decks))
    return np.concatenate([(np.square(piece) * weights).sum(axis=1, dtype=np.uint64) for piece in wide])


def repeated_decks(decks: Decks) -> int:
    """Number of decks that had been dealt before."""
    prints = fingerprints(decks)
    suspects = decks[np.isin(prints, values_repeated(prints))]
    return len(suspects) - len(np.unique(suspects, axis=0)) if len(suspects) else 0


def run_duplicates(decks: Decks) -> TestResult:
    """Repeated whole decks: Poisson with mean N(N-1)/(2 n!), so that one repetition already fails."""
    size = len(decks)
    mean = size * (size - 1) / (2 * factorial(decks.shape[1]))
    again = repeated_decks(decks)
    return TestResult(
        p_values=(goodness.poisson_at_least(again, mean),),
        statistic=float(again),
        null=f"Poisson with mean {mean:.3g}",
        discrete=True,
        detectable="fewer than "
        f"{int(float(f'{size * (size - 1) // 6:.3g}')):,} different decks (95 % chance of a repeat)",
    )


DUPLICATES = (plain("duplicates", 2, run_duplicates),)


FORMS = (
    "cut or reversed",
    "ids mirrored",
    "suits renamed",
    "same opening",
    "same ending",
    "places and cards exchanged",
)
# Openings are so long that in all the sample fewer pairs than this are expected to share one.
RARE = 1e-9


def faces(shoe: DeckShoe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What is left of each card when its suit has no name, and its suit.

    Equal cards of several decks keep what tells them apart; without ranks each card is its own.

    Example:
        >>> faces(DeckShoe(4, ranks=(0, 0, 1, 1), suits=(0, 1, 0, 1)))[0].tolist()
        [0, 0, 1, 1]
    """
    if not shoe.ranks:
        return np.arange(shoe.cards), np.zeros(shoe.cards, dtype=np.int64)
    face = copies(shoe) * (max(shoe.ranks) + 1) + np.array(shoe.ranks)
    return face, np.array(shoe.suits or (0,) * shoe.cards)


def opening_length(cards: int, pairs: float) -> int:
    """Fewest cards that hardly any two decks begin with in the same way.

    Example:
        >>> opening_length(40, 200_000**2 / 2)
        13
    """
    return next((k for k in range(1, cards) if pairs <= RARE * perm(cards, k)), cards)


def without_disguise(decks: NDArray[np.int64], shoe: DeckShoe, length: int) -> Iterator[NDArray[np.int64]]:
    """Yields, for each form but the last, what a deck and its copies have in common, a deck a row."""
    n = decks.shape[1]
    # Read from card 0 on, towards the smaller of its two neighbours: no cut and no reversal changes that.
    start, steps = np.argmin(decks, axis=1)[:, None], np.arange(n)
    onwards, back = (np.take_along_axis(decks, (start + way) % n, axis=1) for way in (1, -1))
    yield np.take_along_axis(decks, (start + np.where(onwards < back, steps, -steps)) % n, axis=1)
    # Of two mirror images the one that begins with the smaller card; the middle card is its own image.
    first = np.where(2 * decks[:, :1] != n - 1, decks[:, :1], decks[:, 1:2])
    yield np.where(2 * first > n - 1, n - 1 - decks, decks)
    # Suits numbered in the order in which they appear.
    face, suits = faces(shoe)
    suit = suits[decks]
    appears = np.stack([(suit == number).argmax(axis=1) for number in range(int(suits.max()) + 1)], axis=1)
    yield face[decks] * n + np.take_along_axis(appears.argsort(axis=1).argsort(axis=1), suit, axis=1)
    yield decks[:, :length]
    yield decks[:, n - length :]


def codes_of(decks: Decks, shoe: DeckShoe, length: int) -> NDArray[np.uint64]:
    """For each form a 64-bit code of each deck, which its copies share."""
    parts = [
        np.stack([kernels.row_codes(rows) for rows in without_disguise(piece.astype(np.int64), shoe, length)])
        for piece in pieces(decks)
    ]
    # A deck and its inverse: where each card is, read as if it were what is at each place.
    pair = np.sort([fingerprints(decks), fingerprints(kernels.inverse(np.ascontiguousarray(decks)))], axis=0)
    return np.concatenate([np.concatenate(parts, axis=1), [pair[0] ^ np.square(pair[1])]])


def run_copies(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Copies of earlier decks: codes that a disguise does not change, none of which may come back.

    The number of equal pairs is Poisson with a mean of at most N(N-1)/2 times the chance that two decks are equal in
    this way, or only their 64-bit codes.
    """
    n, size = decks.shape[1], len(decks)
    pairs = size * (size - 1) / 2
    length = opening_length(n, pairs)
    suits = max(shoe.suits, default=0) + 1
    alike = (
        2 * n / factorial(n),
        2 / factorial(n),
        factorial(suits) / factorial(n),
        1 / perm(n, length),
        1 / perm(n, length),
        2 / factorial(n),
    )
    again = [repeated(codes) for codes in codes_of(decks, shoe, length)]
    p_values = tuple(
        goodness.poisson_at_least(count, pairs * (chance + 2.0**-64)) if count else 1.0
        for count, chance in zip(again, alike, strict=True)
    )
    return TestResult(
        p_values=p_values,
        labels=FORMS,
        parameters={"opening": length},
        statistic=float(max(again)),
        null="Poisson with mean N(N-1)/2 times the chance of two equal decks or two equal codes (a bound)",
        discrete=True,
        detectable=f"one copy of an earlier deck, or of its first or last {length} cards{goodness.CERTAIN_WORDS}",
    )


COPIES = (of_shoe("disguised-copies", lambda _shoe: 2, run_copies),)


MEASURES = (*permutations.MEASURES, "neighbours of a suit")
# What is rounded off in the law of the inversions of large shoes.
ROUNDED = 1e-14


def lines(shoe: DeckShoe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The line each card is on when a deck is sorted by suits, and its step on that line.

    Equal cards of several decks lie on lines of their own; without ranks the ids are one line.

    Example:
        >>> [part.tolist() for part in lines(DeckShoe(4, ranks=(0, 0, 1, 1), suits=(0, 1, 0, 1)))]
        [[0, 1, 0, 1], [0, 0, 1, 1]]
    """
    if not shoe.ranks:
        return np.zeros(shoe.cards, dtype=np.int64), np.arange(shoe.cards)
    line = copies(shoe) * (max(shoe.suits, default=0) + 1) + np.array(shoe.suits or (0,) * shoe.cards)
    return line, np.array(shoe.ranks)


def line_lengths(line: NDArray[np.int64], step: NDArray[np.int64]) -> tuple[int, ...]:
    """Cards on each line whose steps follow each other without a gap."""
    lengths: list[int] = []
    for name in sorted(set(line.tolist())):
        steps = sorted(step[line == name].tolist())
        lengths.append(1)
        for before, after in pairwise(steps):
            if after == before + 1:
                lengths[-1] += 1
            else:
                lengths.append(1)
    return tuple(lengths)


@cache
def neighbour_moments(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Sums over all orders of C(k, j), k the neighbours, for each j: choices of j adjacencies times the orders left.

    Cards that were neighbours on a line are glued together, and each block of several is turned either way: with a
    power of x for each adjacency, the choices on a line of n cards are F(n) = (1 + x) F(n-1) + x F(n-2).

    Example:
        >>> neighbour_moments((3,))  # 3! orders; 2 adjacencies, each in 4 of them; both in 2
        (6, 8, 2)
    """
    chosen = [1]
    for length in lengths:
        shorter, ways = [1], [1, 0]
        for _ in range(length - 1):
            shorter, ways = ways, [*map(sum, zip([*ways, 0], [0, *ways], [0, *shorter, 0], strict=True))]
        chosen = np.convolve(np.array(chosen, dtype=object), np.array(ways[:-1], dtype=object)).tolist()
    cards = sum(lengths)
    return tuple(ways * factorial(cards - j) for j, ways in enumerate(chosen))


@cache
def neighbour_law(lengths: tuple[int, ...]) -> nulls.NullLaw:
    """Neighbours of the lines that an order keeps next to each other, either way round, over all orders.

    Source: Feller, An Introduction to Probability Theory 1, IV.3 (exactly m among N events).

    Example:
        >>> neighbour_law((3,)).probabilities  # of six orders two keep both pairs, and the others one
        (Fraction(0, 1), Fraction(2, 3), Fraction(1, 3))
    """
    # The polynomial whose coefficients are the moments, highest first, at x - 1.
    counts = list(reversed(neighbour_moments(lengths)))
    for size in range(len(counts), 0, -1):
        counts[:size] = accumulate(counts[:size], lambda higher, here: here - higher)
    return nulls.counted_law(tuple(reversed(counts)))


def _tails(law: nulls.NullLaw, low: int, high: int) -> float:
    """Twice the smaller of the tails at the smallest and the largest value."""
    below, above = sum(law.probabilities[: low + 1]), sum(law.probabilities[high:])
    return 2 * min(float(below), float(above))


def tails(extremes: NDArray[np.int64], cards: int, lengths: tuple[int, ...]) -> tuple[float, ...]:
    """Probability of one deck as extreme as the most extreme one, for each measure."""
    smallest, largest = extremes.tolist()
    met = (
        nulls.counted_law(nulls.fixed_points(cards)),
        nulls.counted_law(nulls.successions(cards)),
        neighbour_law(lengths),
    )
    return (
        _tails(nulls.inversion_law(cards), smallest[0], largest[0])
        + (ROUNDED if cards > nulls.COUNTED else 0),
        *(_tails(nulls.descent_law(cards), smallest[k], largest[k]) for k in (1, 2)),
        *(float(sum(law.probabilities[most:])) for law, most in zip(met, largest[3:], strict=True)),
    )


def extremes_of(decks: Decks, shoe: DeckShoe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest value of each measure, and the decks that have them."""
    line, step = lines(shoe)

    def neighbours(piece: NDArray[Any]) -> NDArray[np.integer]:
        along = np.abs(np.diff(step[piece], axis=1)) == 1
        return np.asarray((along & (np.diff(line[piece], axis=1) == 0)).sum(axis=1), dtype=np.int64)

    measures = (*permutations.MEASURES.values(), neighbours)
    values = np.concatenate(
        [np.stack([measure(piece) for measure in measures]) for piece in pieces(decks)], axis=1
    )
    found, where = (values.min(axis=1), values.max(axis=1)), (values.argmin(axis=1), values.argmax(axis=1))
    return np.stack(found), np.stack(where)


def run_unshuffled(decks: Decks, shoe: DeckShoe) -> TestResult:
    """The most extreme deck of all by six measures of order, each by its exact law and the number of decks.

    A deck in the order of the ids, in the order it was bought in (suit by suit, whichever way each runs), or little
    mixed, is so far out that it shows among millions.
    """
    size, cards = len(decks), decks.shape[1]
    found, where = extremes_of(decks, shoe)
    chances = tails(found, cards, line_lengths(*lines(shoe)))
    p_values = tuple(min(1.0, size * chance) for chance in chances)
    worst = int(np.argmin(p_values))
    means = (cards * (cards - 1) / 4, (cards - 1) / 2, (cards - 1) / 2, 0, 0, 0)
    side = int(np.abs(found[:, worst] - means[worst]).argmax())
    return TestResult(
        p_values=p_values,
        labels=MEASURES,
        parameters={"deck": int(where[side, worst])},
        null="exact law of each measure over all orders; Bonferroni over the decks (a bound)",
        discrete=True,
        detectable=f"one deck that was not shuffled at all{goodness.CERTAIN_WORDS}",
    )


UNSHUFFLED = (of_shoe("unshuffled-deck", lambda _shoe: 1, run_unshuffled),)
