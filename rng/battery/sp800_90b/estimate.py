"""Estimates of min-entropy that count: most common value, collision, Markov, compression, t-tuple, longest repeat.

Source: NIST SP 800-90B (January 2018), 6.3.1 to 6.3.6.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numba import njit

from rng.array_types import Bytes as Symbols, Counts
from rng.battery.lanes import distances

# 6.3.5 step 1 and 6.3.6 step 1: a tuple that comes so often is common.
COMMON = 35
WORD = 64


def suffix_order(symbols: Symbols) -> Counts:
    """Where the suffixes begin, in their order: by their first symbols at once, then by ranks of doubled length.

    Each round sorts only the suffixes that are still equal.

    Source: Manber and Myers, SIAM J. Computing 22 (1993), 935-948; Larsson and Sadakane, Theoretical Computer
    Science 387 (2007), 258-272.

    Example:
        >>> suffix_order(np.array([1, 0, 1, 0, 0], dtype=np.uint8)).tolist()
        [4, 3, 1, 2, 0]
    """
    size = symbols.size
    keys, reach = _openings(symbols)
    # Where openings are equal only because one suffix ended, the shorter one is the smaller: from the last one on.
    order = later_first(keys)
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


def _openings(symbols: Symbols) -> tuple[Counts, int]:
    """As many symbols from each place on as a word holds, as one number, and how many; zeros follow."""
    width = max(1, int(symbols.max()).bit_length())
    keys, reach = symbols.astype(np.int64), 1
    while 2 * reach * width < WORD:
        longer = keys << np.int64(reach * width)
        longer[: max(0, keys.size - reach)] |= keys[reach:]
        keys, reach = longer, 2 * reach
    return keys, reach


def later_first(keys: Counts) -> Counts:
    """The places of keys in their order, of equal keys the later place first."""
    return np.asarray(keys.size - 1 - np.argsort(keys[::-1], kind="stable"))


@njit(cache=True, nogil=True)
def common_prefixes(symbols: Symbols, order: Counts) -> Counts:
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
def _groups(shared: Counts) -> tuple[Counts, Counts]:
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


def repetitions(symbols: Symbols) -> tuple[Counts, Counts]:
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


def t_tuple(symbols: Symbols, counted: tuple[Counts, Counts]) -> "Estimate":
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


def longest_repeated_substring(symbols: Symbols, counted: tuple[Counts, Counts]) -> "Estimate":
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


# 6.3: the upper end of the 99 % interval of a normal variable. The text prints 2.576, NIST's program has all digits
# of the 99.5 % quantile, which is followed so that results can be compared with it.
Z_ALPHA = 2.5758293035489008
ALPHA = 0.99
BISECTIONS = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """One estimator on one sequence.

    Args:
        estimator: Name, in kebab case.
        section: Of SP 800-90B.
        min_entropy: Estimate in bits for each sample of the sequence.
        details: Intermediate values as the standard names them, to compare with other programs.
    """

    estimator: str
    section: str
    min_entropy: float
    details: Mapping[str, float] = field(default_factory=dict)


def upper_bound(share: float, trials: int) -> float:
    """Upper end of the interval of a probability of which a share was seen.

    Source: SP 800-90B 6.3.1 step 2 (the divisor is one less than the number of trials).

    Example:
        >>> round(upper_bound(0.4, 20), 4)
        0.6895
    """
    return min(1.0, share + Z_ALPHA * math.sqrt(share * (1 - share) / (trials - 1)))


def bits(probability: float) -> float:
    """Min-entropy of an outcome of this probability.

    Example:
        >>> bits(0.25)
        2.0
    """
    return max(0.0, -math.log2(probability))


def bisect(falling: Callable[[float], float], wanted: float, low: float, high: float) -> float | None:
    """The argument at which a falling function takes a value; None if it takes none between the ends."""
    if not falling(high) <= wanted <= falling(low):
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > wanted else (low, middle)
    return (low + high) / 2


# 6.3.3: the chain whose most likely run is taken; 6.3.4: bits of a block, blocks that start the dictionary off.
CHAIN = 128
BLOCK = 6
DICTIONARY = 1_000
# 6.3.4 step 4, the correction of the standard deviation for b = 6.
CORRECTION = 0.5907
# Powers below e to the minus so much change no digit of a sum.
NO_DIGIT = 70.0


def most_common_value(symbols: Symbols) -> Estimate:
    """How likely is the most likely sample? (6.3.1)."""
    count = int(np.bincount(symbols).max())
    share = count / symbols.size
    bound = upper_bound(share, symbols.size)
    return Estimate(
        "most-common-value", "6.3.1", bits(bound), {"mode_count": count, "p_hat": share, "p_u": bound}
    )


@njit(cache=True, nogil=True)
def _collisions(s: Symbols) -> tuple[int, int]:
    """Collisions found, and those among them that took three samples."""
    found = three = at = 0
    while at + 1 < s.size:
        if s[at] == s[at + 1]:
            at += 2
        elif at + 2 < s.size:
            at += 3
            three += 1
        else:
            break
        found += 1
    return found, three


def collision(symbols: Symbols) -> Estimate:
    """How soon does a value come twice? For bits alone (6.3.2).

    The mean of 2 + 2p(1-p) is solved for p: the closed form of step 7.
    """
    found, three = _collisions(symbols)
    if found < 2:
        return Estimate("collision", "6.3.2", 0.0, {"v": found})
    mean = 2 + three / found
    deviation = math.sqrt(three * (found - three) / found / (found - 1))
    lower = mean - Z_ALPHA * deviation / math.sqrt(found)
    # A mean below two has no solution: all bits are then equal.
    p = 0.5 + math.sqrt(max(0.0, 1.25 - 0.5 * lower)) if lower < 2.5 else 0.5
    details = {"v": found, "x_bar": mean, "sigma_hat": deviation, "x_bar_lower": lower, "p": min(p, 1.0)}
    return Estimate("collision", "6.3.2", bits(min(p, 1.0)), details)


def markov(symbols: Symbols) -> Estimate:
    """How likely is the most likely run of 128 bits of a chain that remembers one bit? (6.3.3)."""
    ones = symbols.astype(np.int64)
    pairs = np.bincount(2 * ones[:-1] + ones[1:], minlength=4).reshape(2, 2)
    first = np.array([1 - ones.mean(), ones.mean()])
    after = pairs / np.maximum(pairs.sum(axis=1, keepdims=True), 1)
    with np.errstate(divide="ignore"):
        start, step = np.log2(first), np.log2(after)
    half = CHAIN // 2
    # The runs that can be the most likely ones: constant, alternating, and constant after the first bit.
    runs = [
        start[a] + (CHAIN - 1) * step[a, a] if a == b else start[a] + step[a, b] + (CHAIN - 2) * step[b, b]
        for a, b in product((0, 1), repeat=2)
    ]
    alternating = [start[a] + half * step[a, 1 - a] + (half - 1) * step[1 - a, a] for a in (0, 1)]
    likeliest = max(x for x in map(float, (*runs, *alternating)) if not math.isnan(x))
    details = {
        "p_0": float(first[0]),
        "p_1": float(first[1]),
        **{f"p_{a}{b}": float(after[a, b]) for a, b in product((0, 1), repeat=2)},
        "p_hat_max": 2.0**likeliest,
    }
    return Estimate("markov", "6.3.3", max(0.0, min(1.0, -likeliest / CHAIN)), details)


def compression(symbols: Symbols) -> Estimate:
    """How far back is the last equal block of six bits? Maurer's statistic for a biased source (6.3.4)."""
    blocks = symbols.size // BLOCK
    tested = blocks - DICTIONARY
    if tested < 2:
        return Estimate("compression", "6.3.4", 1.0, {"v": max(0, tested)})
    logs = np.log2(distances(symbols[: blocks * BLOCK].reshape(-1, BLOCK), DICTIONARY))
    mean = float(logs.mean())
    # As step 5 prints it: the sum of squares over v - 1, less the square of the mean.
    deviation = CORRECTION * math.sqrt(max(0.0, float(np.square(logs).sum()) / (tested - 1) - mean**2))
    lower = mean - Z_ALPHA * deviation / math.sqrt(tested)
    u = np.arange(1, blocks + 1)
    weights = np.log2(u) * (blocks - np.maximum(u, DICTIONARY)).clip(min=0)
    ends = np.where(u > DICTIONARY, np.log2(u), 0.0)

    def g(z: float) -> float:
        # Beyond here the powers are below e^-70: with what they are multiplied by they change no digit.
        used = min(blocks, 2 + math.ceil(NO_DIGIT / -math.log1p(-z))) if z < 1 else 1
        powers = (1 - z) ** (u[:used] - 1)
        total = float(z * z * (weights[:used] * powers).sum() + z * (ends[:used] * powers).sum())
        return float(total / tested)

    def expected(p: float) -> float:
        return float(g(p) + (2**BLOCK - 1) * g((1 - p) / (2**BLOCK - 1)))

    p = bisect(expected, lower, 2.0**-BLOCK, 1 - 1e-12)
    details = {"v": tested, "x_bar": mean, "sigma_hat": deviation, "x_bar_lower": lower}
    if p is None:
        # 6.3.4 step 8: above the mean of even blocks nothing can be compressed; below that of constant ones, all.
        return Estimate("compression", "6.3.4", 1.0 if lower > expected(2.0**-BLOCK) else 0.0, details)
    return Estimate("compression", "6.3.4", bits(p) / BLOCK, {**details, "p": p})
