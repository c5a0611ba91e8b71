"""Words of a whole stream: counts of values and of bits, and relations between words."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numba import njit
from scipy import special

from rng.array_types import Bytes, Counts, Numbers
from rng.battery import dispersion, e_values, goodness
from rng.battery.bits import release
from rng.battery.cell_sums import CellSum, empty_value, two_sided, two_sided_bound, worst
from rng.battery.dispersion import STRETCHES, trend_p
from rng.battery.minimum_counts import repeated
from rng.battery.result import TestResult
from rng.battery.sequences.frequency import least_frequent, most_frequent
from rng.battery.suite import Test, at_least
from rng.battery.whole import PIECE, Whole, pieces

WIDTHS = (8, 16, 32, 64)
# So many words are sorted to see which come again: 2^24 of 64 bits are 128 MiB.
MOST_SORTED = 1 << 24
# Ones are counted in blocks of no fewer bytes than these, and no more than about so many blocks.
SHORTEST, MOST_BLOCKS = 4, 1 << 18


def run_frequency(whole: Whole) -> TestResult:
    """Frequency of every value of 8 and of 16 bits, both tails, and the value that comes most and least often.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 A; exact binomial tails with Bonferroni's bound.
    """
    fits, extreme = {}, {}
    for width, counts in ((8, whole.words.bytes), (16, whole.words.sixteens)):
        total = int(counts.sum())
        if total >= goodness.LEAST_EXPECTED * counts.size:
            fits[f"words of {width} bits"] = goodness.uniform_fit(counts)
        most, least = int(counts.max()), int(counts.min())
        extreme[f"most frequent of {width} bits, {counts.argmax():#x}"] = most_frequent(
            most, total, counts.size
        )
        extreme[f"least frequent of {width} bits, {counts.argmin():#x}"] = least_frequent(
            least, total, counts.size
        )
    first = next(iter(fits.values()), None)
    return TestResult(
        p_values=(*(fit.p_value for fit in fits.values()), *extreme.values()),
        deciding=(*(fit.two_sided for fit in fits.values()), *extreme.values()),
        labels=(*fits, *extreme),
        statistic=first.statistic if first else None,
        degrees_of_freedom=first.degrees_of_freedom if first else None,
        null="multinomial, equal probabilities: chi-square; exact binomial tail of one value, Bonferroni over all",
        discrete=True,
        detectable=goodness.describe_deviation(255, 8 * whole.words.words, len(fits) + len(extreme)),
    )


def run_bits(whole: Whole) -> TestResult:
    """Ones at each place of words of 8, 16, 32 and 64 bits: binomial, exactly."""
    found = {}
    for width in WIDTHS:
        words = whole.words.words * 64 // width
        for place, ones in enumerate(whole.words.ones(width).tolist()):
            label = f"bit {place + 1} of {width}"
            found[label] = goodness.binomial_two_sided(ones, words, 0.5)
    return TestResult.of(
        found,
        null="binomial(words, 1/2), exact; bits counted from the first of the word",
        detectable=goodness.describe_shift(
            whole.words.words, "in the mean sign of one place of 64", len(found)
        ),
    )


def run_parity(whole: Whole) -> TestResult:
    """Parity of words of 16, 32 and 64 bits: the number with an odd number of ones is binomial, exactly."""
    found = {
        f"words of {width} bits": goodness.binomial_two_sided(odd, whole.words.words * 64 // width, 0.5)
        for width, odd in whole.words.odd.items()
    }
    return TestResult.of(
        found,
        null="binomial(words, 1/2), exact",
        detectable=goodness.describe_shift(
            whole.words.words, "in the mean sign of the parity of 64", len(found)
        ),
    )


def repetitions_p(again: int, words: int, values: int) -> float:
    """Two-sided p-value of the words that had come before: twice the bound on the smaller tail of the exact law.

    Of m values of which w words leave e unseen, w - (m - e) words have come before; the number of empty cells of a
    multinomial variable has a moment function that is known to working precision.

    Args:
        again: Words that had come before.
        words: Number of words.
        values: Values that a word can take.

    Source: Johnson and Kotz, Urn Models and Their Application (1977), 3.2 (occupancy).

    Example:
        A permutation of 65,536 values in which no word comes again among the first 3,000, and the 67.6 expected:

        >>> repetitions_p(0, 3_000, 1 << 16) < 1e-25, repetitions_p(68, 3_000, 1 << 16)
        (True, 1.0)
    """
    empty = values - words + again
    mean = values * math.exp(words * math.log1p(-1 / values))
    # The variance of the empty cells of as many Poisson counts, less what their total tells.
    load = words / values
    spread = math.sqrt(max(values * math.exp(-load) * -math.expm1(-load) - words * math.exp(-2 * load), 1e-9))
    moment = CellSum(words, {1 / values: values}, empty_value).log_moment
    # Centred: numbers so large would leave no digits for their difference.
    return two_sided_bound(lambda slope: moment(slope) - slope * mean, empty - mean, spread)


def run_repetitions(whole: Whole) -> TestResult:
    """Words of 16 and 32 bits that come again: too many, or too few as from a permutation or a cipher of a counter.

    Source: Johnson and Kotz, Urn Models and Their Application (1977), 3.2; Knuth, The Art of Computer Programming 2,
    3.3.2 I (collision test).
    """
    counted = whole.words.sixteens
    sixteens, seen = int(counted.sum()), int(np.count_nonzero(counted))
    octets = whole.octets[: min(whole.octets.size // 4, MOST_SORTED) * 4]
    words = octets.size // 4
    # One quarter of the values after another, so that no more than a quarter of the words is held.
    again = sum(repeated(_words_of_quarter(octets, quarter)) for quarter in range(4))
    found = {
        f"{sixteens:,} words of 16 bits": repetitions_p(sixteens - seen, sixteens, counted.size),
        f"{words:,} words of 32 bits": repetitions_p(again, words, 1 << 32),
    }
    return TestResult.of(
        found,
        null="empty cells of a multinomial variable; Chernoff's bound on its exact moments",
        detectable=goodness.describe_count(
            max(1.0, words**2 / 2.0**33),
            "words of 32 bits that come again",
        ),
    )


def _words(octets: Bytes, width: int) -> Numbers:
    """The words of a width, as the bytes stand; a view where they are mapped."""
    size = width // 8
    whole = np.ascontiguousarray(octets[: octets.size // size * size])
    return np.require(whole.view(f"u{size}"), requirements="A")


def _words_of_quarter(octets: Bytes, quarter: int) -> Numbers:
    """The words of 32 bits whose two highest bits are given, read piece by piece."""
    every = (_words(piece.octets[: piece.size], 32) for piece in pieces(octets))
    return np.concatenate([words[words >> np.uint32(30) == quarter] for words in every])


def _ones(octets: Bytes) -> tuple[Counts, int]:
    """Ones in blocks of equal size, as many as there may be, and the bits of one."""
    size = max(SHORTEST, octets.size // MOST_BLOCKS)
    whole = octets[: octets.size // size * size].reshape(-1, size)
    together, ones = max(1, PIECE // size), []
    for start in range(0, len(whole), together):
        ones.append(np.bitwise_count(whole[start : start + together]).sum(axis=1, dtype=np.int64))
        release(octets)
    return np.concatenate(ones), 8 * size


def _ones_over_time(octets: Bytes) -> dict[str, float]:
    """Whether ones come too evenly, hot and cold, or ever more often."""
    ones, size = _ones(octets)
    stretches = np.arange(STRETCHES) * ones.size // STRETCHES
    lengths = np.diff(stretches, append=ones.size) * float(size)
    found = {"trend of ones": trend_p(np.add.reduceat(ones, stretches), lengths, 0.5)}
    sizes = [2**k for k in range(ones.size.bit_length())]
    even = []
    for together in sizes:
        counts = np.add.reduceat(ones, np.arange(0, ones.size, together))[: ones.size // together]
        bits = together * size
        statistic = float(np.square(2 * counts - bits).sum()) / bits
        even.append(dispersion.pearson_p(statistic, counts.size, bits, {0.5: 2}))
    return found | {"ones, blocks of every size": min(1.0, min(even) * len(sizes))}


def run_dispersion(whole: Whole) -> TestResult:
    """Dispersion of ones, and of the first words of 8 and of 16 bits, within blocks of all sizes: bags, hot stretches.

    Ones are counted in the whole stream, and their trend with them.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16; Cochran, Biometrics 10 (1954), 417-451
    (trend).
    """
    found = {
        f"{width} bits, {blocks}": p_value
        for width in (8, 16)
        for blocks, p_value in dispersion.by_block_size(_words(whole.octets[:MOST_BYTES], width), 1 << width)
    }
    found |= _ones_over_time(whole.octets)
    return TestResult.of(
        found, null=dispersion.NULL, detectable=dispersion.detectable(whole.octets.size, len(found))
    )


WORDS = (
    Test("word-frequency", at_least(100 * 64), run_frequency),
    Test("word-bits", at_least(100 * 64), run_bits),
    Test("word-parity", at_least(100 * 64), run_parity),
    Test("word-repetitions", at_least(100 * 64), run_repetitions),
    Test("word-dispersion", at_least(100 * 64), run_dispersion),
)


# Relations show in the first mebibytes, or not at all.
MOST_BYTES = 1 << 22
CHUNK = 1 << 18
FARTHEST = 8
WEIGHED = (32, 64)
# Words of generators, and blocks of ChaCha and of hash functions.
AGREEING = (64, 512)


def agreements(octets: Bytes, width: int = 64) -> tuple[Counts, Counts]:
    """How often each two bits of a word agree, and each bit with each of the word before.

    Returns:
        ``same[a, b]`` within a word, and ``before[a, b]`` of bit a of a word and bit b of the one before.

    Example:
        >>> same, before = agreements(np.array([255] * 8 + [0] * 8, dtype=np.uint8))
        >>> same[0, 1], before[0, 1]
        (np.int64(2), np.int64(0))
    """
    size = width // 8
    words = octets.size // size
    same, before = np.zeros((2, width, width), dtype=np.int64)
    last = np.zeros((0, width), dtype=np.float32)
    for start in range(0, size * words, CHUNK):
        bits = np.unpackbits(octets[start : min(start + CHUNK, size * words)]).reshape(-1, width)
        signs = np.concatenate([last, bits.astype(np.float32) * 2 - 1])
        now = signs[len(last) :]
        same += np.rint(now.T @ now).astype(np.int64)
        before += np.rint(signs[1:].T @ signs[:-1]).astype(np.int64)
        last = signs[-1:]
    return (same + words) // 2, (before + max(0, words - 1)) // 2


@njit(cache=True)
def after_bytes(octets: Bytes) -> tuple[Counts, Counts]:
    """Bits of a word of 32 after each value of each byte of the word before.

    Returns:
        ``cases[byte, value]``, and ``ones[byte, value, bit]`` of the words that follow.
    """
    cases = np.zeros((4, 256), dtype=np.int64)
    ones = np.zeros((4, 256, 32), dtype=np.int64)
    for start in range(4, octets.size - 3, 4):
        for byte in range(4):
            value = octets[start - 4 + byte]
            cases[byte, value] += 1
            row = ones[byte, value]
            for bit in range(32):
                row[bit] += octets[start + (bit >> 3)] >> (7 - (bit & 7)) & 1
    return cases, ones


def exclusive_ors(octets: Bytes, farthest: int) -> Counts:
    """How often each value came of a byte, one j bytes before and one k before, added without carry.

    Returns:
        ``counts[j, k, value]`` for 0 ≤ j < k, where j = 0 leaves out the middle one.
    """
    counts = np.zeros((farthest, farthest + 1, 256), dtype=np.int64)
    back = [octets[farthest - lag : octets.size - lag] for lag in range(farthest + 1)]
    for j, k in combinations(range(farthest + 1), 2):
        both = back[0] ^ back[k]
        counts[j, k] = np.bincount(both ^ back[j] if j else both, minlength=256)
    return counts


def weights_p(octets: Bytes, width: int) -> float:
    """P-value of how far the numbers of ones in words of a width spread: Chernoff's bound on the exact moments."""
    ones = np.bitwise_count(octets[: octets.size // (width // 8) * (width // 8)].view(f"u{width // 8}"))
    law = np.zeros((width // 2) ** 2 + 1)
    count = np.zeros(law.size, dtype=np.int64)
    chances = special.comb(width, np.arange(width + 1)) / 2.0**width
    for weight, (seen, chance) in enumerate(
        zip(np.bincount(ones, minlength=width + 1), chances, strict=True)
    ):
        count[(weight - width // 2) ** 2] += seen
        law[(weight - width // 2) ** 2] += chance
    return dispersion.mean_p(count, law)


def _found(octets: Bytes) -> Iterator[tuple[str, float]]:
    for width in AGREEING:
        words = 8 * octets.size // width
        same, before = agreements(octets, width)
        one, other = np.triu_indices(width, 1)
        at, p_value = worst(two_sided(same[one, other], words, np.full(one.size, 0.5)), range(one.size))
        yield f"bits {one[at] + 1} and {other[at] + 1} of {width}", p_value
        at, p_value = worst(
            two_sided(before.reshape(-1), words - 1, np.full(before.size, 0.5)), range(before.size)
        )
        now, then = divmod(at, width)
        yield f"bit {now + 1} of {width} and bit {then + 1} of the word before", p_value
    cases, ones = after_bytes(octets)
    # How often a byte took a value depends on what followed before, so that the bits after it are bet on.
    won = e_values.log_capital(ones, np.repeat(cases[:, :, None], 32, axis=2), np.full(ones.shape, 0.5))
    byte, value, bit = (int(x) for x in np.unravel_index(int(won.argmax()), won.shape))
    yield (
        f"bit {bit + 1} of 32 after {value:#x} in byte {byte + 1}",
        e_values.p_value(e_values.mean_log(won.reshape(-1))),
    )
    xors = exclusive_ors(octets, FARTHEST)
    chosen = list(combinations(range(FARTHEST + 1), 2))
    table = np.stack([xors[pair] for pair in chosen])
    p_values = two_sided(table.reshape(-1), octets.size - FARTHEST, np.full(table.size, 1 / 256))
    pair, value = divmod(int(p_values.argmin()), 256)
    label = f"bytes {' and '.join(str(lag) for lag in chosen[pair] if lag)} apart: {value:#x}"
    yield label, min(1.0, p_values.size * float(p_values.min()))
    for width in WEIGHED:
        yield f"ones in words of {width} bits", weights_p(octets, width)


def run(whole: Whole) -> TestResult:
    """Bits of one word and of the word before, bits after a byte, bytes added without carry, ones in a word.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 (serial test), every pair and value by its own exact tail.
    """
    octets = np.ascontiguousarray(whole.octets[:MOST_BYTES])
    found = dict(_found(octets))
    return TestResult.of(
        found,
        parameters={"looked_at": 8 * octets.size},
        null="binomial, exact; Bonferroni over pairs and values; Chernoff's bound on the exact moments of the ones",
        detectable=goodness.describe_shift(
            octets.size // 8, "in the mean sign of one place of 64", len(found) * 64
        ),
    )


WORD_RELATIONS = (Test("word-relations", at_least(100 * 64), run),)
