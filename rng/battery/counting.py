"""What sampling can never show is counted: the bias of ``word % n``, and the sample that would reveal it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rng.battery import goodness
from rng.errors import SampleError
from rng.shuffle import CARDS

WORD_SIZES = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class CountedBias:
    """The bias of a Fisher-Yates shuffle by ``word % n``, counted word by word.

    Args:
        bits: Bits of the word.
        worst: Largest relative deviation of any draw from equal likelihood.
        noncentrality: Expected growth of the chi-square statistic of all recovered draws, for each deck.
        decks: Decks at which the test of recovered draws would find it with 95 % power at p < 2e-6.
    """

    bits: int
    worst: Fraction
    noncentrality: Fraction
    decks: int


def relative_deviations(bits: int, n: int) -> tuple[tuple[int, Fraction], tuple[int, Fraction]]:
    """Counts the words for each value of ``word % n``.

    Of 2^bits words, 2^bits mod n values are reached once more often than the others.

    Returns:
        (how many values, by how much too likely, relatively) for the frequent and for the rare values.

    Raises:
        SampleError: If there are more values than words.

    Example:
        >>> relative_deviations(8, 40)
        ((16, Fraction(3, 32)), (24, Fraction(-1, 16)))
    """
    words = 1 << bits
    if not 1 <= n <= words:
        raise SampleError(f"{bits} bits cannot reach {n} values")
    frequent = words % n
    return (
        (frequent, Fraction((words // n + 1) * n, words) - 1),
        (n - frequent, Fraction(words // n * n, words) - 1),
    )


def noncentrality(bits: int, n: int) -> Fraction:
    """Growth of the chi-square statistic of one draw of ``word % n``, for each number drawn.

    Example:
        >>> noncentrality(8, 32)
        Fraction(0, 1)
    """
    squares = (count * deviation**2 for count, deviation in relative_deviations(bits, n))
    return sum(squares, Fraction(0)) / n


def counted_bias(bits: int, cards: int = CARDS) -> CountedBias:
    """Counts the bias of a shuffle by ``word % n`` over all its draws, n from 2 to the number of cards.

    Example:
        >>> counted_bias(32).worst
        Fraction(1, 134217728)
    """
    ranges = range(2, cards + 1)
    worst = max(abs(deviation) for n in ranges for count, deviation in relative_deviations(bits, n) if count)
    total = sum((noncentrality(bits, n) for n in ranges), Fraction(0))
    freedom = cards * (cards - 1) // 2
    needed = Fraction(goodness.detectable_noncentrality(freedom)) / total
    return CountedBias(bits, worst, total, -(-needed.numerator // needed.denominator))


def bias_table(cards: int = CARDS) -> tuple[CountedBias, ...]:
    """The counted bias for words of 8, 16, 32 and 64 bits."""
    return tuple(counted_bias(bits, cards) for bits in WORD_SIZES)
