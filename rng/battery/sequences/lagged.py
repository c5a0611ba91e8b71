"""Correlation over any distance: signs of the numbers, and sums and differences, at all lags at once.

Sums and differences of two and of three numbers some places apart: every value that they may take, at every lag.

Where a number is the opposite, or a fixed step away, of one drawn before, neither halves nor parities show it: the
fault is in one value of a sum or difference. Modulo the range each of these sums holds a last number that none of
the earlier ones holds, so that they are uniform and independent, and the count of each value is binomial.
"""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from scipy.fft import fft, ifft

from rng.array_types import Counts, Words
from rng.battery import goodness, projections
from rng.battery.cell_sums import two_sided
from rng.battery.lanes import JUDGED, Signs
from rng.battery.minimum_counts import repeated
from rng.battery.projections import Look, ProjectedRows, Row
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest
from rng.battery.suite import Test, at_least

WINDOW_BITS = 100
MOST_WINDOWS = 1 << 24


def window_length(below: int) -> int:
    """Numbers in a window that hold at least a hundred bits, so that none may ever come back.

    Example:
        >>> window_length(40), window_length(2**32)
        (19, 4)
    """
    return math.ceil(WINDOW_BITS / math.log2(below) - 1e-9)


def window_codes(values: Words, length: int) -> Words:
    """A 64-bit code of every window of consecutive numbers; equal windows have equal codes."""
    codes = np.zeros(len(values) - length + 1, dtype=np.uint64)
    multiplier = np.uint64(0x9E3779B97F4A7C15)  # odd; 2^64 over the golden ratio
    for offset in range(length):
        mixed = codes ^ (values[offset : offset + len(codes)] + np.uint64(1))
        mixed *= multiplier
        codes = mixed ^ mixed >> np.uint64(29)
    return codes


def repeated_windows(draws: IntegerDraws, length: int) -> int:
    """Windows seen before, anywhere in the sequence.

    Up to 2^24 windows all are compared; beyond that those whose code is a multiple of a power of two,
    chosen by content, so that both copies of a repeated block are looked at in the same places.
    """
    step = np.uint64((1 << max(0, (draws.size // MOST_WINDOWS).bit_length())) - 1)
    codes, ends = [], np.empty(0, dtype=np.uint64)
    for piece in draws.chunks():
        joined = np.concatenate([ends, piece])
        if len(joined) >= length:
            found = window_codes(joined, length)
            codes.append(found[found >> np.uint64(32) & step == 0])
            ends = joined[-(length - 1) :]
    every = np.concatenate(codes) if codes else np.empty(0, dtype=np.uint64)
    return repeated(every)


def run_duplicates(draws: IntegerDraws) -> TestResult:
    """Repeated blocks: windows of a hundred bits or more, at any distance, none of which may come back.

    The p-value of any repetition is bounded by the expected number of equal pairs among true windows and
    among their 64-bit codes.
    """
    length = window_length(draws.below)
    again = repeated_windows(draws, length)
    pairs = draws.size * (draws.size - 1) / 2
    bound = min(1.0, pairs * (float(draws.below) ** -length + 2.0**-64))
    # One equal pair of codes in a very long sample may be chance: Poisson counts how often that happens.
    p_value = goodness.poisson_at_least(again, bound) if again else 1.0
    return TestResult(
        p_values=(p_value,),
        parameters={"window": length},
        statistic=float(again),
        null=f"Poisson with mean at most {bound:.3g}",
        discrete=True,
        detectable=f"any block of a hundred bits or more that comes back{goodness.CERTAIN_WORDS}",
    )


DUPLICATES = (Test("duplicates", at_least(100), run_duplicates),)


def upper_half(piece: Words, below: int) -> Signs:
    """-1 for numbers of the lower half of the range, +1 for the upper half, 0 for the one in the middle."""
    half = np.uint64(below // 2)
    signs = np.where(piece >= half, np.float32(1), np.float32(-1))
    if below % 2:
        signs[piece == half] = 0
    return signs


def parity(piece: Words, below: int) -> Signs:
    """-1 for odd numbers, +1 for even ones; 0 for the largest, where there is one more even number."""
    signs = np.where(piece & np.uint64(1), np.float32(-1), np.float32(1))
    if below % 2:
        signs[piece == np.uint64(below - 1)] = 0
    return signs


# Wheels, dice and decks; of larger ranges one value of a sum says little.
LARGEST_RANGE = 128
MOST_SUMMED_LAGS = 1 << 16
SIZE = 1 << 18
MOST_LOOKED_AT = 1 << 20
NEAR = 16
FARTHEST_OF_THREE = 12
FARTHEST_BIT = 32
LEAST_NUMBERS = 1_000
SECTORS = (1, 3, 5, 9, 13)
_EUROPE = (
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
)
_AMERICA = (
    "0 28 9 26 30 11 7 20 32 17 5 22 34 15 3 24 36 13 1 37 27 10 25 29 12 8 19 31 18 6 21 33 16 4 23 35 14 2"
)
# Numbers in their order round the wheel, by how many there are; 37 means the double zero.
WHEELS = {37: np.array(_EUROPE.split(), dtype=int), 38: np.array(_AMERICA.split(), dtype=int)}


def three_counts(values: Counts, below: int, farthest: int) -> Counts:
    """How often each value came of a number, more or less an earlier one, more or less one before that.

    Returns:
        ``counts[pair, signs, value]`` over the pairs of lags j < k up to ``farthest`` in lexical order, and the signs
        ++, +-, -+, -- of the two earlier numbers; of bits, whose sums and differences are the same, ++ alone.
    """
    pairs, here = list(combinations(range(1, farthest + 1), 2)), values[farthest:] + 2 * below
    counts = np.empty((len(pairs), 1 if below == 2 else 4, below), dtype=np.int64)
    for signs, pair in zip(counts, pairs, strict=True):
        near, far = (values[farthest - lag : values.size - lag] for lag in pair)
        for row, others in zip(signs, (near + far, near - far, far - near, -near - far), strict=False):
            # Sums are counted as they are, up to 5 times the range, and what is equal modulo the range is joined.
            row[:] = np.bincount(here + others, minlength=5 * below).reshape(5, below).sum(axis=0)
    return counts


def two_counts(values: Counts, below: int, lags: int) -> tuple[Counts, Counts, int, int]:
    """How often each value came of the difference and of the sum of two numbers, at each lag.

    Every count is the mean of the characters of the range, whose products at all lags are one transform each.

    Returns:
        ``differences[lag - 1, value]``, ``sums[lag - 1, value]``, the blocks that the numbers are cut into, and
        the length of a block: there are so many times the length less the lag in each row.

    Example:
        >>> differences, sums, _, _ = two_counts(np.array([0, 1, 2, 0, 1, 2]), 3, 2)
        >>> differences.tolist(), sums.tolist()
        ([[0, 5, 0], [0, 0, 4]], [[2, 2, 1], [1, 1, 2]])
    """
    blocks = -(-values.size // (SIZE - lags))
    length = values.size // blocks
    size = min(SIZE, 1 << (length + lags - 1).bit_length())
    cut = values[: blocks * length].reshape(blocks, length)
    waves = np.exp(2j * np.pi / below * np.outer(np.arange(1, below // 2 + 1), np.arange(below)))
    at_lags = np.empty((2, len(waves), lags), dtype=np.complex128)
    for found, wave in zip(at_lags.transpose(1, 0, 2), waves, strict=True):
        products = np.zeros((2, size), dtype=np.complex128)
        for block in cut:
            spectrum = fft(wave[block], size)
            products[0] += spectrum.real**2 + spectrum.imag**2
            products[1] += spectrum * np.roll(spectrum[::-1], 1)
        found[:] = ifft(products)[:, 1 : lags + 1]
    # The characters beyond half the range are the opposites of these, but for the one in its middle.
    waves = waves * np.where(2 * np.arange(1, len(waves) + 1) == below, 1, 2)[:, None]
    terms = blocks * (length - np.arange(1, lags + 1))[:, None]
    differences, sums = (
        np.rint((terms + table.real.T @ waves.real + table.imag.T @ waves.imag) / below).astype(np.int64)
        for table in at_lags
    )
    return differences, sums, blocks, length


def farthest_cell(counts: Counts, trials: Counts) -> tuple[float, int]:
    """P-value of the value that is farthest out, corrected for all of them, and its index.

    Args:
        counts: How often each value of a sum came, a sum a row.
        trials: How many sums there are in each row.

    Example:
        >>> farthest_cell(np.array([[50, 50], [100, 0]]), np.array([100, 100]))[1]
        2
    """
    below = counts.shape[1]
    everywhere = np.repeat(trials, below)
    scores = np.abs(counts.reshape(-1) - everywhere / below) / np.sqrt(everywhere)
    judged = np.argsort(scores)[::-1][:JUDGED]
    tails = np.array(
        [
            float(two_sided(counts.reshape(-1)[[i]], int(everywhere[i]), np.array([1 / below]))[0])
            for i in judged
        ]
    )
    best = int(tails.argmin())
    return min(1.0, scores.size * float(tails[best])), int(judged[best])


def _two(values: Counts, below: int) -> Iterator[tuple[str, float]]:
    lags = min(MOST_SUMMED_LAGS, values.size // 2)
    *tables, blocks, length = two_counts(values, below, lags)
    trials = blocks * (length - np.arange(1, lags + 1))
    for name, table in zip(("difference", "sum"), tables, strict=True):
        for words, rows in (
            (f"lags up to {NEAR}", slice(0, NEAR)),
            (f"lags up to {lags}", slice(NEAR, lags)),
        ):
            p_value, at = farthest_cell(table[rows], trials[rows])
            lag, value = divmod(at, below)
            yield f"{name} {value} at lag {lag + 1 + rows.start}, of {words}", p_value


def _three(values: Counts, below: int) -> tuple[str, float]:
    farthest = FARTHEST_BIT if below == 2 else FARTHEST_OF_THREE
    counts = three_counts(values, below, farthest)
    pairs, signs, _ = counts.shape
    trials = np.full(pairs * signs, values.size - farthest)
    p_value, at = farthest_cell(counts.reshape(-1, below), trials)
    pair, sign = divmod(at // below, signs)
    j, k = [(j, k) for j in range(1, farthest + 1) for k in range(j + 1, farthest + 1)][pair]
    words = f"lags {j} ({'-' if sign & 2 else '+'}) and {k} ({'-' if sign & 1 else '+'})"
    return f"value {at % below} of three numbers, {words}", p_value


_POCKET = Look("pockets", "in order", (0,))
# From one number of a wheel to the next: its pockets, one by one and by sectors.
THROWN = tuple(Row(_POCKET, _POCKET, lag, "difference", SECTORS) for lag in (1, 2, 3))


def run(draws: IntegerDraws) -> TestResult:
    """Sums and differences of numbers at any lag, and of three numbers close together, value by value.

    Numbers of a wheel also by their places on it: a croupier who throws the same way lands as far from the last
    number.

    Source: Knuth, The Art of Computer Programming 2, 3.2.2 (sums of earlier numbers); binomial, exact; Bonferroni.
    """
    values, below = draws.values[:MOST_LOOKED_AT].astype(np.int64), draws.below
    found = dict(_two(values, below)) if below > 2 else {}
    label, p_value = _three(values[: MOST_LOOKED_AT // 2], below)
    found[label] = p_value
    if below in WHEELS:
        pockets = tuple(np.argsort(WHEELS[below]).tolist())
        thrown = projections.run(
            ProjectedRows(values[:, None], lambda _name, _place: pockets, replaced=True), THROWN
        )
        found |= dict(zip(thrown.labels, thrown.p_values, strict=True))
    cells = MOST_SUMMED_LAGS * below
    return TestResult.of(
        found,
        parameters={"looked_at": values.size},
        null="sums modulo the range are uniform and independent; binomial, exact; Bonferroni over lags and values",
        detectable=goodness.describe_fullest(values.size, 1 / below, cells, "sums in one class"),
    )


LAGGED_SUMS: tuple[SequenceTest, ...] = (
    Test("lagged-sums", lambda below: LEAST_NUMBERS if below <= LARGEST_RANGE else None, run),
)
