"""Estimators of repeated tuples: the t-tuple and the longest repeated substring estimates.

Source: NIST SP 800-90B (January 2018), 6.3.5 and 6.3.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rng.battery.sp800_90b.estimate import Estimate, bits, upper_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Symbols = NDArray[np.uint8]
    Integers = NDArray[np.int64]

# 6.3.5 step 1 and 6.3.6 step 1: a tuple that comes so often is common.
COMMON = 35
WORD = 64
DIGIT = 11
LAST_DIGIT = (1 << DIGIT) - 1


def suffix_order(symbols: Symbols) -> Integers:
    """Where the suffixes begin, in their order: by their first symbols at once, then by ranks of doubled length.

    Each round sorts only the suffixes that are still alike.

    Source: Manber and Myers, SIAM J. Computing 22 (1993), 935-948; Larsson and Sadakane, Theoretical Computer
    Science 387 (2007), 258-272.

    Example:
        >>> suffix_order(np.array([1, 0, 1, 0, 0], dtype=np.uint8)).tolist()
        [4, 3, 1, 2, 0]
    """
    size = symbols.size
    keys, reach, width = _openings(symbols)
    # Where openings are equal only because one suffix ended, the shorter one is the smaller: from the last one on.
    order = radix_order(keys, reach * width)
    ordered = keys[order]
    begins = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    ended = order > size - reach
    begins[ended] = True
    begins[1:] |= ended[:-1]
    places = np.arange(size)
    starts = np.maximum.accumulate(np.where(begins, places, 0))
    ranks = np.empty(size, dtype=np.int64)
    ranks[order] = starts
    tied = np.flatnonzero(~begins | ~np.concatenate((begins[1:], [True])))
    while tied.size and reach < size:
        at = order[tied]
        following = np.where(at + reach < size, ranks[np.minimum(at + reach, size - 1)], -1)
        keys = starts[tied] * (size + 1) + following + 1
        sorted_by = np.argsort(keys, kind="stable")
        order[tied], keys = at[sorted_by], keys[sorted_by]
        begins = np.concatenate(([True], keys[1:] != keys[:-1]))
        starts[tied] = np.maximum.accumulate(np.where(begins, tied, 0))
        ranks[order[tied]] = starts[tied]
        tied = tied[~begins | ~np.concatenate((begins[1:], [True]))]
        reach *= 2
    return order


def _openings(symbols: Symbols) -> tuple[Integers, int, int]:
    """As many symbols from each place on as a word holds, as one number, how many, and their bits; zeros follow."""
    width = max(1, int(symbols.max()).bit_length())
    keys, reach = symbols.astype(np.int64), 1
    while 2 * reach * width < WORD:
        longer = keys << np.int64(reach * width)
        longer[: max(0, keys.size - reach)] |= keys[reach:]
        keys, reach = longer, 2 * reach
    return keys, reach, width


@njit(cache=True, nogil=True)
def radix_order(keys: Integers, bits: int) -> Integers:
    """The places of non-negative keys below 2^bits in their order, of equal keys the later place first.

    Source: Knuth, The Art of Computer Programming 3, 5.2.5 (algorithm R), by digits of eleven bits.
    """
    size = keys.size
    keys, order = keys[::-1].copy(), np.arange(size - 1, -1, -1)
    next_keys, next_order = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for shift in range(0, bits, DIGIT):
        starts = np.zeros(1 << DIGIT, dtype=np.int64)
        for i in range(size):
            starts[(keys[i] >> shift) & LAST_DIGIT] += 1
        starts = np.cumsum(starts) - starts
        for i in range(size):
            digit = (keys[i] >> shift) & LAST_DIGIT
            at = starts[digit]
            next_keys[at], next_order[at] = keys[i], order[i]
            starts[digit] = at + 1
        keys, next_keys, order, next_order = next_keys, keys, next_order, order
    return order


@njit(cache=True, nogil=True)
def common_prefixes(symbols: Symbols, order: Integers) -> Integers:
    """Symbols that each suffix shares with the one before it in order; the first shares none.

    Source: Kasai et al., Combinatorial Pattern Matching 2001, LNCS 2089, 181-192.
    """
    size = symbols.size
    places = np.empty(size, dtype=np.int64)
    for i in range(size):
        places[order[i]] = i
    shared = np.zeros(size, dtype=np.int64)
    run = 0
    for i in range(size):
        if places[i] == 0:
            run = 0
            continue
        other = order[places[i] - 1]
        while i + run < size and other + run < size and symbols[i + run] == symbols[other + run]:
            run += 1
        shared[places[i]] = run
        run = max(0, run - 1)
    return shared


@njit(cache=True, nogil=True)
def _groups(shared: Integers) -> tuple[Integers, Integers]:
    """For each length: pairs of places whose common prefix has exactly it, and the largest group that shares it.

    A group is a stretch of the order whose suffixes share a prefix; those that are open stand on a stack.

    Source: Abouelhoda, Kurtz and Ohlebusch, J. Discrete Algorithms 2 (2004), 53-86, algorithm 4.1.
    """
    size, longest = shared.size, shared.max()
    pairs = np.zeros(longest + 1, dtype=np.int64)
    fullest = np.ones(longest + 1, dtype=np.int64)
    lengths = np.zeros(longest + 2, dtype=np.int64)
    begins = np.zeros(longest + 2, dtype=np.int64)
    top = 0
    for k in range(1, size + 1):
        length = shared[k] if k < size else 0
        begin = k - 1
        while lengths[top] > length:
            begin = begins[top]
            members = k - begin
            # Of these pairs, those of the group around it are counted there once more.
            pairs[lengths[top]] += members * (members - 1) // 2
            pairs[max(length, lengths[top - 1])] -= members * (members - 1) // 2
            fullest[lengths[top]] = max(fullest[lengths[top]], members)
            top -= 1
        if lengths[top] < length:
            top += 1
            lengths[top], begins[top] = length, begin
    return pairs, fullest


def repetitions(symbols: Symbols) -> tuple[Integers, Integers]:
    """For each length 0, 1, …: pairs of equal tuples of it, and how often the most common one comes.

    Example:
        >>> [x.tolist() for x in repetitions(np.array([1, 0, 1, 0, 0], dtype=np.uint8))]
        [[10, 4, 1], [5, 3, 2]]
    """
    shared = common_prefixes(symbols, suffix_order(symbols))
    pairs, fullest = _groups(shared)
    at_least = pairs[::-1].cumsum()[::-1]
    at_least[0] = symbols.size * (symbols.size - 1) // 2
    most = np.maximum.accumulate(fullest[::-1])[::-1]
    most[0] = symbols.size
    return at_least, most


def t_tuple(symbols: Symbols, counted: tuple[Integers, Integers]) -> Estimate:
    """How likely is the most likely tuple that comes at least 35 times? (6.3.5)."""
    most = counted[1]
    common = np.flatnonzero(most[1:] >= COMMON) + 1
    if not common.size:
        return Estimate("t-tuple", "6.3.5", bits(upper_bound(1 / symbols.size, symbols.size)), {"t": 0})
    shares = most[common] / (symbols.size - common + 1)
    p_hat = float((shares ** (1 / common)).max())
    bound = upper_bound(p_hat, symbols.size)
    details = {"t": int(common[-1]), "p_hat_max": p_hat, "p_u": bound}
    return Estimate("t-tuple", "6.3.5", bits(bound), details)


def longest_repeated_substring(symbols: Symbols, counted: tuple[Integers, Integers]) -> Estimate:
    """How often do two tuples agree that are too long to be common? (6.3.6)."""
    pairs, most = counted
    rare = np.flatnonzero(most[1:] < COMMON) + 1
    longest = most.size - 1
    first = int(rare[0]) if rare.size else longest + 1
    if first > longest:
        return Estimate("longest-repeated-substring", "6.3.6", bits(1.0), {"u": first, "v": longest})
    lengths = np.arange(first, longest + 1)
    places = symbols.size - lengths + 1
    shares = pairs[first : longest + 1] / (places * (places - 1) / 2)
    p_hat = float((shares ** (1 / lengths)).max())
    bound = upper_bound(p_hat, symbols.size)
    details = {"u": first, "v": longest, "p_hat": p_hat, "p_u": bound}
    return Estimate("longest-repeated-substring", "6.3.6", bits(bound), details)
