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
    keys, reach = _openings(symbols)
    # Where openings are equal only because one suffix ended, the shorter one is the smaller: from the last one on.
    order = size - 1 - np.argsort(keys[::-1], kind="stable")
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


def _openings(symbols: Symbols) -> tuple[Integers, int]:
    """As many symbols from each place on as a word holds, as one number, and how many; zeros follow the last one."""
    width = max(1, int(symbols.max()).bit_length())
    keys, reach = symbols.astype(np.int64), 1
    while 2 * reach * width < WORD:
        longer = keys << np.int64(reach * width)
        longer[: max(0, keys.size - reach)] |= keys[reach:]
        keys, reach = longer, 2 * reach
    return keys, reach


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
def _merge(shared: Integers, by_length: Integers) -> tuple[Integers, Integers]:
    """For each length: pairs of places whose common prefix has exactly it, and the fullest group so far."""
    size = shared.size
    longest = shared[by_length[0]] if size > 1 else 0
    pairs = np.zeros(longest + 1, dtype=np.int64)
    fullest = np.ones(longest + 1, dtype=np.int64)
    parent = np.arange(size)
    members = np.ones(size, dtype=np.int64)
    best = 1
    for k in range(size):
        here = by_length[k]
        length = shared[here]
        if length == 0:
            break
        a = here
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        b = here - 1
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        pairs[length] += members[a] * members[b]
        if members[a] < members[b]:
            a, b = b, a
        parent[b] = a
        members[a] += members[b]
        best = max(best, members[a])
        fullest[length] = best
    return pairs, fullest


def repetitions(symbols: Symbols) -> tuple[Integers, Integers]:
    """For each length 0, 1, …: pairs of equal tuples of it, and how often the most common one comes.

    Example:
        >>> [x.tolist() for x in repetitions(np.array([1, 0, 1, 0, 0], dtype=np.uint8))]
        [[10, 4, 1], [5, 3, 2]]
    """
    shared = common_prefixes(symbols, suffix_order(symbols))
    pairs, fullest = _merge(shared, np.argsort(-shared, kind="stable"))
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
