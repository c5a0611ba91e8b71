"""The walk of the bits (SP 800-22 2.13 to 2.15): cumulative sums, random excursions and their variant.

Cumulative sums test, forward and backward: does the random walk of the bits stray too far?

Source: NIST SP 800-22 Rev. 1a, 2.13 and 3.13.

Random excursions test: how often does each cycle of the walk visit each state near zero?

Source: NIST SP 800-22 Rev. 1a, 2.14 and 3.14.

Random excursions variant test: how often does the walk visit each state, all cycles together?

Source: NIST SP 800-22 Rev. 1a, 2.15 and 3.15.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rng.battery.cell_sums import pearson_tail, visits_two_sided
from rng.battery.goodness import DETECTION_LEVEL, DETECTION_POWER, POWER_WORDS, detectable_shift
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.sample import (
    FAR,
    LAST_CLASS,
    NEAR,
    SUITE,
    BitSample,
    Constants,
    Parameters,
    SampleTest,
    chi_square_p,
    class_effect,
)


def detectable_drift(n: int) -> float:
    """How far the share of ones is from one half when the walk's end alone is far enough out.

    A random walk strays z roots of n with a probability near 4 (1 - Phi(z)), the first term of 3.13's series.
    """
    strays = float(ndtri(1 - DETECTION_LEVEL / 4)) + float(ndtri(DETECTION_POWER))
    return strays / (2 * math.sqrt(n))


def _quarter(value: int) -> int:
    """Divide by four towards zero, as the program's integers do: the limits of its two sums hang on it."""
    return -(-value // 4) if value < 0 else value // 4


def tail(z: int, n: int) -> float:
    """Probability that the walk of n steps strays as far as z (2.13.4 (4)).

    Example:
        >>> round(tail(4, 10), 6)
        0.411659
    """
    reach = n // z
    first = np.arange(_quarter(1 - reach), _quarter(reach - 1) + 1)
    second = np.arange(_quarter(-reach - 3), _quarter(reach - 1) + 1)
    scale = z / math.sqrt(n)
    inside = (ndtr((4 * first + 1) * scale) - ndtr((4 * first - 1) * scale)).sum()
    outside = (ndtr((4 * second + 3) * scale) - ndtr((4 * second + 1) * scale)).sum()
    return min(max(float(1.0 - inside + outside), 0.0), 1.0)


def tails(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for many distances, in units of √n and none below 0.2: there the sums' limits decide nothing."""
    p_values = np.ones_like(distances)
    for k in range(-12, 13):
        p_values -= ndtr((4 * k + 1) * distances) - ndtr((4 * k - 1) * distances)
        p_values += ndtr((4 * k + 3) * distances) - ndtr((4 * k + 1) * distances)
    return p_values.clip(0.0, 1.0)


def evaluate_cumulative_sums(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the largest distance of the walk from its start, and from its end, with their distribution."""
    n, walk = sample.length, sample.walk
    forward = max(walk.highest, -walk.lowest)
    # The walk taken backwards starts at the end: its distances are those of the walk from its last point.
    backward = max(walk.highest - walk.end, walk.end - walk.lowest)
    return TestResult(
        p_values=(tail(forward, n), tail(backward, n)),
        labels=("forward", "backward"),
        null="largest distance of a random walk, normal approximation (SP 800-22 3.13)",
        discrete=True,
        detectable=f"share of ones off one half by {detectable_drift(n):.3g}, or less{POWER_WORDS}",
    )


CUMULATIVE_SUMS = SampleTest(
    "cumulative-sums", "2.13", evaluate_cumulative_sums, lambda _: 100, "SP 800-22 2.13.7"
)


EXCURSION_STATES = (-4, -3, -2, -1, 1, 2, 3, 4)
# Digits that the reference program keeps of the probabilities of 3.14.
REFERENCE_DIGITS = 10
# 2.14.4 (4): a walk with fewer cycles than this, or than 0.005 times the root of its length, is not tested.
FEWEST_CYCLES = 500


def visit_probabilities(state: int, constants: Constants = "exact") -> tuple[float, ...]:
    """Probability that a cycle visits a state 0, 1, 2, 3, 4, and 5 or more times (3.14).

    Example:
        >>> visit_probabilities(-1)
        (0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125)
    """
    stay = 1 - 1 / (2 * abs(state))
    once = 1 / (4 * state * state)
    middle = [once * stay ** (k - 1) for k in range(1, LAST_CLASS)]
    exact = (stay, *middle, stay**4 / (2 * abs(state)))
    return exact if constants == "exact" else tuple(round(p, REFERENCE_DIGITS) for p in exact)


def too_few_cycles(sample: BitSample, test: str) -> NotRun | None:
    """Say that the test does not apply to a walk with too few cycles, if that is so.

    The reference program writes a p-value of 0.000000 for every state of such a sequence and leaves it out of
    its summary later; here it is a test that was not run, with the number of cycles as the reason.
    """
    cycles, n = sample.walk.cycles, sample.length
    least = max(FEWEST_CYCLES, 0.005 * n**0.5)
    if cycles >= least or not sample.enforce_lengths:
        return None
    reason = f"{cycles} cycles, at least {least:g} are required (SP 800-22 2.14.4 (4))"
    return NotRun(SUITE, test, reason)


def evaluate_excursions(
    sample: BitSample, parameters: Parameters, constants: Constants
) -> TestResult | NotRun:
    """Compare the visits to each of eight states with their distribution over cycles."""
    refusal = too_few_cycles(sample, RANDOM_EXCURSIONS.name)
    if refusal is not None:
        return refusal
    walk = sample.walk
    statistics, deciding = [], []
    for state in EXCURSION_STATES:
        probabilities = visit_probabilities(state, constants)
        expected = walk.cycles * np.array(probabilities)
        statistics.append(float(((walk.near[state + NEAR] - expected) ** 2 / expected).sum()))
        deciding.append(pearson_tail(statistics[-1], probabilities, walk.cycles))
    return TestResult(
        p_values=tuple(chi_square_p(statistic, LAST_CLASS) for statistic in statistics),
        deciding=tuple(deciding),
        labels=tuple(f"{state:+d}" for state in EXCURSION_STATES),
        parameters={"cycles": walk.cycles},
        degrees_of_freedom=LAST_CLASS,
        null="chi-square over the number of visits in a cycle (SP 800-22 3.14)",
        detectable=class_effect(LAST_CLASS, walk.cycles),
    )


RANDOM_EXCURSIONS = SampleTest(
    "random-excursions", "2.14", evaluate_excursions, lambda _: 1_000_000, "SP 800-22 2.14.7"
)


VARIANT_STATES = tuple(state for state in range(-FAR, FAR + 1) if state)


def evaluate_variant(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult | NotRun:
    """Compare the visits to each of eighteen states with the number of cycles."""
    refusal = too_few_cycles(sample, RANDOM_EXCURSIONS_VARIANT.name)
    if refusal is not None:
        return refusal
    cycles = sample.walk.cycles
    p_values, deciding = [], []
    for state in VARIANT_STATES:
        visits = int(sample.walk.far[state + FAR])
        # 2.15.4 (4).
        p_values.append(math.erfc(abs(visits - cycles) / math.sqrt(2 * cycles * (4 * abs(state) - 2))))
        deciding.append(visits_two_sided(visits, cycles, state))
    return TestResult(
        p_values=tuple(p_values),
        deciding=tuple(deciding),
        labels=tuple(f"{state:+d}" for state in VARIANT_STATES),
        parameters={"cycles": cycles},
        null="half-normal (SP 800-22 3.15)",
        detectable=f"visits next to zero off by a share of {detectable_shift(1) * math.sqrt(2 / cycles):.3g}"
        f"{POWER_WORDS}",
    )


RANDOM_EXCURSIONS_VARIANT = SampleTest(
    "random-excursions-variant",
    "2.15",
    evaluate_variant,
    lambda _: 1_000_000,
    "SP 800-22 2.15.7",
)
