"""One sequence of bits and what its tests share: windows of patterns, and the walk of the bits."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.bits import BitStream
from rng.battery.cell_sums import pearson_tail
from rng.battery.lanes import ones_in_word
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError
from rng.kernels import called_by_kernels


def igamc(a: float, x: float) -> float:
    """Upper regularised incomplete gamma function (5.5.3 of the standard)."""
    return float(special.gammaincc(a, max(x, 0.0)))


def chi_square_p(statistic: float, degrees_of_freedom: int) -> float:
    """Probability that a chi-square variable exceeds the statistic.

    Example:
        >>> round(chi_square_p(7.2, 3), 6)
        0.065789
    """
    return igamc(degrees_of_freedom / 2, statistic / 2)


@lru_cache(maxsize=64)
def chi_square_effect(degrees_of_freedom: int, p_values: int = 1) -> float:
    """Noncentrality of a chi-square statistic that is found with the stated power."""
    return goodness.detectable_noncentrality(degrees_of_freedom, p_values)


def class_effect(degrees_of_freedom: int, observations: int, p_values: int = 1) -> str:
    """Say which departure from class probabilities p is found, as the root of the sum of (q - p)²/p."""
    size = math.sqrt(chi_square_effect(degrees_of_freedom, p_values) / observations)
    return f"class probabilities q with sqrt(sum (q-p)²/p) of {size:.3g}{goodness.power_words(p_values)}"


def over_classes(
    observed: NDArray[np.int64],
    probabilities: Sequence[float],
    parameters: Mapping[str, int | float | str],
    null: str,
    *,
    discrete: bool = False,
) -> TestResult:
    """Compare how often each class came with its probability."""
    observations = int(observed.sum())
    expected = observations * np.array(probabilities)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    freedom = len(probabilities) - 1
    return TestResult(
        p_values=(chi_square_p(statistic, freedom),),
        deciding=(pearson_tail(statistic, probabilities, observations),),
        parameters=parameters,
        statistic=statistic,
        degrees_of_freedom=freedom,
        null=null,
        discrete=discrete,
        detectable=class_effect(freedom, observations),
    )


SUITE = "sp800-22"


@njit(cache=True, nogil=True, inline="always")
def bits_at(words: NDArray[np.uint64], start: int, width: int) -> np.uint64:
    """Return ``width`` bits (1 to 64) from bit ``start`` as a number; for use within kernels."""
    at, offset = start >> 6, np.uint64(start & 63)
    word = words[at] << offset
    if offset:
        word |= words[at + 1] >> (np.uint64(64) - offset)
    return np.uint64(word >> np.uint64(64 - width))


@njit(cache=True, nogil=True)
def _window_counts(words: NDArray[np.uint64], counts: NDArray[np.int64], stride: int, width: int) -> None:
    every = ~np.uint64(0)
    for window in range(counts.size):
        start, end = window * stride, window * stride + width
        first, last = start >> 6, end >> 6
        # Ones from the first word to the last, less those before the start; the last word only up to the end.
        total = np.int64(0)
        mask = every >> np.uint64(start & 63)
        for at in range(first, last):
            total += np.int64(ones_in_word(words[at] & mask))
            mask = every
        if end & 63:
            total += np.int64(ones_in_word(words[last] & mask & ~(every >> np.uint64(end & 63))))
        counts[window] = total


def ones_in_windows(words: NDArray[np.uint64], count: int, stride: int, width: int) -> NDArray[np.int64]:
    """Count the ones in ``count`` windows of ``width`` bits that begin ``stride`` bits apart.

    Example:
        >>> words = np.array([0b1011 << 60, 0, 0], dtype=np.uint64)
        >>> ones_in_windows(words, 2, 2, 2).tolist()
        [1, 2]
    """
    counts = np.zeros(count, dtype=np.int64)
    if count and width > 0:
        _window_counts(words, counts, stride, width)
    return counts


def shifted(words: NDArray[np.uint64], by: int) -> NDArray[np.uint64]:
    """Return the sequence moved ``by`` bits towards its beginning, zeros following (0 < by < 64)."""
    moved = words << np.uint64(by)
    moved[:-1] |= words[1:] >> np.uint64(64 - by)
    return moved


# The states of the random excursions test lie within 4 of zero, those of its variant within 9.
NEAR = 4
FAR = 9
# Visits in a cycle are counted as 0, 1, 2, 3, 4 and "5 or more".
LAST_CLASS = 5


def _byte_walks() -> NDArray[np.int8]:
    """For every byte: where its eight steps lead, and the highest and lowest point on the way."""
    steps = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int8) - 1
    walks = steps.cumsum(axis=1)
    return np.stack([walks[:, -1], walks.max(axis=1), walks.min(axis=1)], axis=1).astype(np.int8)


BYTE_WALKS = _byte_walks()


@njit(cache=True, nogil=True)
def _walk_extremes(octets: NDArray[np.uint8], length: int, tables: NDArray[np.int8]) -> tuple[int, int, int]:
    position = highest = lowest = 0
    for at in range(length >> 3):
        octet = octets[at]
        highest = max(highest, position + tables[octet, 1])
        lowest = min(lowest, position + tables[octet, 2])
        position += tables[octet, 0]
    for bit in range(length & 7):
        position += 2 * ((octets[length >> 3] >> (7 - bit)) & 1) - 1
        highest = max(highest, position)
        lowest = min(lowest, position)
    return position, highest, lowest


def walk_extremes(octets: NDArray[np.uint8], length: int) -> tuple[int, int, int]:
    """Return where the walk of the bits ends and its highest and lowest points, the start (0) included."""
    end, highest, lowest = _walk_extremes(octets, length, BYTE_WALKS)
    return int(end), int(highest), int(lowest)


@dataclass(frozen=True, slots=True, eq=False)
class Excursions:
    """The walk's cycles and visits.

    Args:
        cycles: Number of cycles; a walk that does not end at zero ends in a cycle of its own.
        near: Cycles by state (-4 to 4; the middle row is unused) and number of visits, 5 for more: shape
            (9, 6). far: Visits in all by state, -9 to 9: shape (19,).
    """

    cycles: int
    near: NDArray[np.int64]
    far: NDArray[np.int64]


@called_by_kernels
def _close_cycle(visits: NDArray[np.int64], near: NDArray[np.int64]) -> None:
    for state in range(visits.size):
        near[state, min(visits[state], 5)] += 1
        visits[state] = 0


@njit(cache=True, nogil=True)
def _walk(
    octets: NDArray[np.uint8],
    length: int,
    tables: NDArray[np.int8],
    near: NDArray[np.int64],
    far: NDArray[np.int64],
) -> int:
    visits = np.zeros(9, dtype=np.int64)
    position = cycles = 0
    for at in range((length + 7) >> 3):
        octet = octets[at]
        steps = min(8, length - 8 * at)
        if steps == 8 and (position > 17 or position < -17):
            # Eight steps from here stay beyond every state that is counted.
            position += int(tables[octet, 0])
            continue
        for bit in range(steps):
            position += 2 * int((octet >> np.uint8(7 - bit)) & np.uint8(1)) - 1
            if -9 <= position <= 9:
                far[position + 9] += 1
                if position == 0:
                    cycles += 1
                    _close_cycle(visits, near)
                elif -4 <= position <= 4:
                    visits[position + 4] += 1
    if position != 0:
        cycles += 1
        _close_cycle(visits, near)
    return cycles


def walk_excursions(octets: NDArray[np.uint8], length: int) -> Excursions:
    """Walk up for every one and down for every zero, counting cycles and visits."""
    near = np.zeros((2 * NEAR + 1, LAST_CLASS + 1), dtype=np.int64)
    far = np.zeros(2 * FAR + 1, dtype=np.int64)
    cycles = int(_walk(octets, length, BYTE_WALKS, near, far))
    return Excursions(cycles, near, far)


# Widest pattern: 2^24 counters of four bytes are 64 MiB.
WIDEST = 24


@njit(cache=True, nogil=True)
def _count_windows(
    octets: NDArray[np.uint8], start: int, count: int, width: int, counts: NDArray[np.uint32]
) -> None:
    mask = np.uint32((1 << width) - 1)
    spare = 32 - width
    first, last = start >> 3, (start + count + 7) >> 3
    window = np.uint64(0)
    for at in range(first, first + 4):
        window = (window << np.uint64(8)) | np.uint64(octets[at])
    for at in range(first, last):
        # Forty bits from this byte on: every pattern that begins in the byte is within them.
        window = (window << np.uint64(8)) | np.uint64(octets[at + 4])
        low = max(start - 8 * at, 0)
        high = min(start + count - 8 * at, 8)
        if low == 0 and high == 8:
            for bit in range(8):
                counts[np.uint32(window >> np.uint64(spare + 8 - bit)) & mask] += np.uint32(1)
        else:
            for bit in range(low, high):
                counts[np.uint32(window >> np.uint64(spare + 8 - bit)) & mask] += np.uint32(1)


def count_windows(octets: NDArray[np.uint8], start: int, count: int, width: int) -> NDArray[np.int64]:
    """Count the patterns of ``width`` bits that begin at ``count`` consecutive places from bit ``start``.

    Args:
        octets: Packed bits; zeros are taken to follow them.
        start: First place.
        count: Number of places.
        width: Bits in a pattern, at most 24.

    Example:
        >>> count_windows(np.array([0b00110110], dtype=np.uint8), 0, 7, 2).tolist()
        [1, 2, 2, 2]
    """
    counts = np.zeros(1 << width, dtype=np.uint32)
    needed = (start + count + 7) // 8 + 5
    if octets.size < needed:
        octets = np.concatenate((octets, np.zeros(needed - octets.size, dtype=np.uint8)))
    _count_windows(octets, start, count, width, counts)
    return counts.astype(np.int64)


def narrowed(counts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return the counts of the first ``width`` bits of every pattern."""
    while counts.size > 1 << width:
        # Patterns that differ in their last bit only stand next to each other.
        counts = counts[0::2] + counts[1::2]
    return counts


Kept = TypeVar("Kept")

# Patterns are counted at least this wide, so that the serial and approximate entropy tests share one pass.
SHARED_WIDTH = 16


class BitSample:
    """A sequence of bits with its words, bytes and counts, computed when a test first asks for them.

    Args:
        bits: The sequence.
        enforce_lengths: Whether tests refuse what is too short for them by the standard.
    """

    def __init__(self, bits: BitStream, *, enforce_lengths: bool = True) -> None:
        self.bits = bits
        self.enforce_lengths = enforce_lengths
        self.length = bits.length
        self._kept: dict[str, object] = {}
        self._ring: NDArray[np.int64] | None = None

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """64-bit words, first bit most significant, two words of zeros behind the last."""
        return self.bits.words()

    @cached_property
    def octets(self) -> NDArray[np.uint8]:
        """Packed bytes, the bits beyond the sequence cleared."""
        return self.bits.octets()

    @cached_property
    def unpacked(self) -> NDArray[np.uint8]:
        """One byte, 0 or 1, for every bit."""
        return self.bits.unpacked()

    @cached_property
    def ones(self) -> int:
        """Number of ones in the sequence."""
        return int(np.bitwise_count(self.words).sum(dtype=np.int64))

    @cached_property
    def excursions(self) -> Excursions:
        """The random walk of the bits, cut at its returns to zero."""
        return walk_excursions(self.octets, self.length)

    def once(self, name: str, count: Callable[[], Kept]) -> Kept:
        """Return what ``count`` finds, counted the first time only: both sets of constants use one count."""
        if name not in self._kept:
            self._kept[name] = count()
        return cast("Kept", self._kept[name])

    def ring_counts(self, m: int) -> NDArray[np.int64]:
        """Count every pattern of m bits, the sequence read as a ring."""
        if self._ring is None or self._ring.size < 1 << m:
            width = max(m, SHARED_WIDTH)
            self._ring = count_windows(self._closed(width), 0, self.length, width)
        return narrowed(self._ring, m)

    def _closed(self, width: int) -> NDArray[np.uint8]:
        """Return the packed sequence followed by its first bits, as many as a pattern may need."""
        if self.length % 8 == 0 and self.length >= 2 * width:
            return np.concatenate((self.octets, self.octets[:8]))
        repeats = -(-width // self.length)
        return np.packbits(np.concatenate((self.unpacked, *[self.unpacked] * repeats)))


# `reference`: the constants the program STS 2.1.2 computes with. `exact`: the same recomputed from theory.
Constants = Literal["reference", "exact"]
Parameters = Mapping[str, int]
Evaluation = Callable[[BitSample, Parameters, Constants], TestResult | NotRun]


@dataclass(frozen=True, slots=True)
class SampleTest:
    """One of the fifteen tests.

    Args:
        name: As in ``certify rng test``.
        section: Of SP 800-22 Rev. 1a.
        evaluate: Computes statistic and p-values; only called with parameters and a length that were checked.
        minimum: Shortest sequence for given parameters.
        why: The clause or the reason of that minimum.
        least: Shortest sequence that a statistic can be computed from at all.
        defaults: Parameters, as the reference program sets them.
        limits: Smallest and largest value of each parameter.
    """

    name: str
    section: str
    evaluate: Evaluation
    minimum: Callable[[Parameters], int]
    why: str
    least: Callable[[Parameters], int] = lambda _: 4
    defaults: Parameters = field(default_factory=dict)
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def parameters(self, settings: Mapping[str, int]) -> dict[str, int]:
        """Return the defaults overridden by ``settings``.

        Raises:
            SampleError: If a name is unknown or a value out of its limits.
        """
        for name, value in settings.items():
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise SampleError(f"{self.name}: unknown parameter {name!r}, expected one of: {known}")
            low, high = self.limits[name]
            if not low <= value <= high:
                raise SampleError(f"{self.name}: {name} = {value}, expected {low} to {high}")
        return {**self.defaults, **settings}

    def refusal(self, sample: BitSample, parameters: Parameters) -> NotRun | None:
        """Say why a sequence is too short, if it is."""
        length, minimum = sample.length, self.minimum(parameters)
        least = minimum if sample.enforce_lengths else min(minimum, self.least(parameters))
        if length >= least:
            return None
        chosen = "".join(f", {name} = {value}" for name, value in parameters.items())
        why = self.why if sample.enforce_lengths else "not one block otherwise"
        reason = f"{length} bits{chosen}: at least {least} bits are required ({why})"
        return NotRun(SUITE, self.name, reason, least)
