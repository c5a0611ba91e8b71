"""How far from uniform a number is when it is scaled from a word, in exact fractions.

The measure is the greatest difference between the probability of a value and 1/n. It is computed
by counting words: for `w mod n` by division, for the multiply-and-reject form of `rng.uniform` by
counting multiples of n in the interval of products that is kept for each value.

Source: 25 CFR 547.14(f) allows a difference of at most 1 in 50,000,000.
"""

from fractions import Fraction
from typing import Final

from rng.errors import RangeError

ALLOWED: Final = Fraction(1, 50_000_000)
"""The greatest bias that 25 CFR 547.14(f) allows."""


def modulo_bias(word_bits: int, n: int) -> Fraction:
    """The bias of `w mod n` for a uniform word w.

    Of the 2^k words, r = 2^k mod n values are reached once more often than the others.

    >>> modulo_bias(8, 40)
    Fraction(3, 1280)
    """
    _check(word_bits, n)
    words = 1 << word_bits
    often, rare = -(-words // n), words // n
    return max(Fraction(often, words) - Fraction(1, n), Fraction(1, n) - Fraction(rare, words))


def words_kept(word_bits: int, n: int, value: int) -> int:
    """How many words of the multiply-and-reject form give a value: the same number for every value.

    A word w gives the value v when w·n lies in [v·2^k + t, (v + 1)·2^k), t = 2^k mod n; the words
    counted are the multiples of n in that interval.

    >>> [words_kept(8, 40, v) for v in (0, 17, 39)]
    [6, 6, 6]
    """
    _check(word_bits, n)
    size = 1 << word_bits
    low, high = value * size + size % n, (value + 1) * size
    return -(-high // n) - -(-low // n)


def rejection_bias(word_bits: int, n: int) -> Fraction:
    """The bias of the multiply-and-reject form, from the count of words kept for every value.

    >>> rejection_bias(64, 40)
    Fraction(0, 1)
    """
    counts = [words_kept(word_bits, n, value) for value in range(n)]
    kept = sum(counts)
    return max(abs(Fraction(count, kept) - Fraction(1, n)) for count in counts)


def _check(word_bits: int, n: int) -> None:
    if type(n) is not int or type(word_bits) is not int or not 1 <= n <= 1 << word_bits:
        raise RangeError(f"{n!r} values from words of {word_bits!r} bits: 1 to 2^bits expected")
