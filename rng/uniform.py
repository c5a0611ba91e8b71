"""Numbers below any n without bias, and the bias of other ways to make them.

From bits to numbers: unbiased integers below n, one at a time or several from one word.

A word w of 64 bits is multiplied by n; the upper half of the 128-bit product is the number and the
lower half decides whether w is kept: w is rejected when the lower half is below 2^64 mod n.

Why the bias is exactly zero: the products w·n for w = 0 … 2^64 - 1 are the multiples of n below
n·2^64. For each value v, those with upper half v are the multiples of n in [v·2^64, (v+1)·2^64).
Keeping only those whose distance from v·2^64 is at least t = 2^64 mod n leaves an interval of length
2^64 - t, a multiple of n, which holds exactly (2^64 - t)/n multiples of n whatever v is. So each
v is reached by equally many words. The argument uses nothing but the word size being a power of
two larger than n; the tests count every word exhaustively at small word sizes.

Several numbers below b1, …, bk are taken from one word by multiplying the lower half on by the next
bound: the upper halves are then the mixed-radix digits of the upper half of w·(b1·…·bk), and the
final lower half is that product's, so the same argument with n = b1·…·bk makes all combinations
equally likely.

Source: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019;
N. Brackett-Rozinsky and D. Lemire, "Batched ranged random integer generation", Software: Practice
and Experience 55(1), 2024.

How far from uniform a number is when it is scaled from a word, in exact fractions.

The measure is the greatest difference between the probability of a value and 1/n. It is computed
by counting words: for `w mod n` by division, for the multiply-and-reject form of `rng.uniform` by
counting multiples of n in the interval of products that is kept for each value.

Source: 25 CFR 547.14(f) allows a difference of at most 1 in 50,000,000.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rng.errors import RangeError
from rng.words import WordSource, serve

WORD_BITS: Final = 64


class Words(Protocol):
    """Anything that serves 64-bit words in order."""

    def word(self) -> int:
        """The next word, 0 to 2^64 - 1."""


def below(source: Words, n: int) -> int:
    """An integer from 0 to n - 1, each exactly equally likely.

    Args:
        source: the words to draw from; one word is used per attempt.
        n: 1 to 2^64; below(source, 1) is 0 and still uses a word.

    Raises:
        RangeError: n is not an integer from 1 to 2^64.
    """
    return together_below(source, (n,))[0]


def together_below(source: Words, bounds: Sequence[int]) -> tuple[int, ...]:
    """One integer below each bound from a single word, all combinations exactly equally likely.

    Args:
        source: the words to draw from; one word is used per attempt.
        bounds: integers whose product is at most 2^64.

    Raises:
        RangeError: a bound is not a positive integer, or the product exceeds 2^64.
    """
    for n in bounds:
        if type(n) is not int or not 1 <= n <= 1 << WORD_BITS:
            raise RangeError(f"bound {n!r}: an integer from 1 to 2^64 expected")
    product = prod(bounds)
    if not bounds or product > 1 << WORD_BITS:
        raise RangeError(f"bounds {tuple(bounds)!r}: their product must be from 1 to 2^64")
    threshold = (1 << WORD_BITS) % product
    while True:
        values = split_word(source.word(), bounds, threshold)
        if values is not None:
            return values


def split_word(
    word: int, bounds: Sequence[int], threshold: int, word_bits: int = WORD_BITS
) -> tuple[int, ...] | None:
    """The integers that one word gives, or nothing if the word is rejected.

    >>> split_word(200, (7, 6), (1 << 8) % 42, word_bits=8)
    (5, 2)

    Args:
        word: 0 to 2^word_bits - 1.
        bounds: the bounds in order.
        threshold: 2^word_bits modulo the product of the bounds.
        word_bits: the size of the word; other sizes than 64 serve exhaustive proofs.
    """
    values = []
    for n in bounds:
        wide = word * n
        values.append(wide >> word_bits)
        word = wide & ((1 << word_bits) - 1)
    return tuple(values) if word >= threshold else None


def many_below(source: WordSource, n: int, count: int) -> NDArray[np.uint64]:
    """So many integers from 0 to n - 1, identical to calling `below` so many times.

    Raises:
        RangeError: n is not from 1 to 2^64, or the count is negative.
    """
    if type(n) is not int or not 1 <= n <= 1 << WORD_BITS:
        raise RangeError(f"bound {n!r}: an integer from 1 to 2^64 expected")
    if type(count) is not int or count < 0:
        raise RangeError(f"{count!r} integers: a whole number from 0 expected")
    if n == 1 << WORD_BITS:
        # The product's upper half is the word itself; the bound does not fit into a word.
        return np.frombuffer(source.read(8 * count), dtype="<u8").astype(np.uint64)
    from rng.kernels import draw_rows  # loaded on first use: compiling takes a moment

    values = np.empty(count, dtype=np.uint64)
    sizes, bound = np.ones(1, dtype=np.int64), np.array([n], dtype=np.uint64)
    order = np.array([(0, 1, 1)]), sizes, bound, np.array([(1 << WORD_BITS) % n], dtype=np.uint64), bound

    def step(words: NDArray[np.uint64], done: int) -> tuple[int, int]:
        return draw_rows(words, values[done:, None], *order)

    serve(source, count, step)
    return values


ALLOWED: Final = Fraction(1, 50_000_000)
"""The greatest bias that 25 CFR 547.14(f) allows."""


def modulo_bias(word_bits: int, n: int) -> Fraction:
    """The bias of `w mod n` for a uniform word w.

    Of the 2^k words, r = 2^k mod n values are reached once more often than the others; of more values than there are
    words, the others are never reached.

    >>> modulo_bias(8, 40), modulo_bias(1, 3)
    (Fraction(3, 1280), Fraction(1, 3))
    """
    _check(word_bits, min(n, 1 << word_bits))
    words = 1 << word_bits
    often, rare = -(-words // n), words // n
    return max(Fraction(often, words) - Fraction(1, n), Fraction(1, n) - Fraction(rare, words))


def words_kept(word_bits: int, n: int, value: int) -> int:
    """How many words of the multiply-and-reject form give a value: the same number for every value.

    A word w gives the value v when w·n is in [v·2^k + t, (v + 1)·2^k), t = 2^k mod n; the words
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
    return max(abs(Fraction(count, kept) - Fraction(1, n)) for count in {*counts})


def _check(word_bits: int, n: int) -> None:
    if type(n) is not int or type(word_bits) is not int or not 1 <= n <= 1 << word_bits:
        raise RangeError(f"{n!r} values from words of {word_bits!r} bits: 1 to 2^bits expected")
