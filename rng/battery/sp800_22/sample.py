"""One sequence of bits and what its tests share: windows of patterns, and the walk of the bits."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.bits import BitStream
from rng.battery.cell_sums import pearson_tail
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError


def chi_square_p(statistic: float, degrees_of_freedom: int) -> float:
    """Probability that a chi-square variable exceeds the statistic.

    Example:
        >>> round(chi_square_p(7.2, 3), 6)
        0.065789
    """
    return float(special.gammaincc(degrees_of_freedom / 2, max(statistic / 2, 0.0)))


def class_effect(degrees_of_freedom: int, observations: int, p_values: int = 1) -> str:
    """Say which departure from class probabilities p is found, as the root of the sum of (q - p)²/p."""
    size = math.sqrt(goodness.detectable_noncentrality(degrees_of_freedom, p_values) / observations)
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


# The states of the random excursions test lie within 4 of zero, those of its variant within 9.
NEAR = 4
FAR = 9
# Visits in a cycle are counted as 0, 1, 2, 3, 4 and "5 or more".
LAST_CLASS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The walk of the bits, up for every one and down for every zero: its reach, cycles and visits.

    Args:
        lowest: The lowest point, the start (0) included.
        highest: The highest one. end: The last one.
        cycles: Number of cycles; a walk that does not end at zero ends in a cycle of its own.
        near: Cycles by state (-4 to 4; the middle row is unused) and number of visits, 5 for more: shape
            (9, 6). far: Visits in all by state, -9 to 9: shape (19,).
    """

    lowest: int
    highest: int
    end: int
    cycles: int
    near: NDArray[np.int64]
    far: NDArray[np.int64]


# Widest pattern: 2^24 counters of four bytes are 64 MiB.
WIDEST = 24


@njit(cache=True, nogil=True)
def count_windows(bits: NDArray[np.uint8], width: int) -> NDArray[np.int64]:
    """Count the patterns of ``width`` bits, at most 24, that begin at each place but the last ``width - 1``.

    Example:
        >>> count_windows(np.array([0, 0, 1, 1, 0, 1, 1], dtype=np.uint8), 2).tolist()
        [1, 2, 1, 2]
    """
    counts = np.zeros(1 << width, dtype=np.uint32)
    pattern, mask = np.uint32(0), np.uint32((1 << width) - 1)
    for place in range(bits.size):
        pattern = np.uint32(pattern << 1) & mask | bits[place]
        if place >= width - 1:
            counts[pattern] += np.uint32(1)
    return counts.astype(np.int64)


@njit(cache=True, nogil=True)
def _walk(
    bits: NDArray[np.uint8], near: NDArray[np.int64], far: NDArray[np.int64]
) -> tuple[int, int, int, int]:
    before = far.copy()
    position = lowest = highest = cycles = 0
    for place in range(bits.size):
        position += int(2 * np.int64(bits[place]) - 1)
        lowest, highest = min(lowest, position), max(highest, position)
        if -FAR <= position <= FAR:
            far[position + FAR] += 1
        if position == 0 or place == bits.size - 1:
            cycles += 1
            for state in range(-NEAR, NEAR + 1):
                visits = far[state + FAR] - before[state + FAR]
                near[state + NEAR, min(visits, LAST_CLASS) if state else 0] += 1
            before[:] = far
    return lowest, highest, position, cycles


Kept = TypeVar("Kept")

# Patterns are counted at least this wide, so that the serial and approximate entropy tests share one pass.
SHARED_WIDTH = 16


class BitSample:
    """A sequence of bits with its walk and counts, computed when a test first asks for them.

    Args:
        bits: The sequence.
        enforce_lengths: Whether tests refuse what is too short for them by the standard.
    """

    def __init__(self, bits: BitStream, *, enforce_lengths: bool = True) -> None:
        self.bits = bits
        self.enforce_lengths = enforce_lengths
        self.length = bits.length
        self._kept: dict[str, object] = {}

    @cached_property
    def unpacked(self) -> NDArray[np.uint8]:
        """One byte, 0 or 1, for every bit."""
        return self.bits.unpacked()

    @cached_property
    def ones(self) -> int:
        """Number of ones in the sequence."""
        return int(np.count_nonzero(self.unpacked))

    def blocks(self, size: int) -> NDArray[np.uint8]:
        """Return the whole blocks of ``size`` bits, a row each; what is left over at the end is not used."""
        return self.unpacked[: self.length // size * size].reshape(-1, size)

    @cached_property
    def walk(self) -> Walk:
        """The random walk of the bits, cut at its returns to zero."""
        near = np.zeros((2 * NEAR + 1, LAST_CLASS + 1), dtype=np.int64)
        far = np.zeros(2 * FAR + 1, dtype=np.int64)
        return Walk(*_walk(self.unpacked, near, far), near, far)

    def once(self, name: str, count: Callable[[], Kept]) -> Kept:
        """Return what ``count`` finds, counted the first time only: both sets of constants use one count."""
        if name not in self._kept:
            self._kept[name] = count()
        return cast("Kept", self._kept[name])

    def ring_counts(self, m: int) -> NDArray[np.int64]:
        """Count every pattern of m bits, the sequence read as a ring."""
        return self.once(f"ring {m}", lambda: self._ring_counts(m))

    def _ring_counts(self, m: int) -> NDArray[np.int64]:
        if m >= SHARED_WIDTH:
            return count_windows(np.resize(self.unpacked, self.length + m - 1), m)
        # Patterns that begin with the same m bits are next to each other.
        wider = self.ring_counts(m + 1)
        return wider[0::2] + wider[1::2]


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
