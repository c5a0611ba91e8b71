"""Random excursions test: how often does each cycle of the walk visit each state near zero?

Source: NIST SP 800-22 Rev. 1a, 2.14 and 3.14.
"""

from __future__ import annotations

import numpy as np

from rng.battery.far_tails import pearson_tail
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import SUITE, Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import chi_square_p, class_effect
from rng.battery.sp800_22.walk import LAST_CLASS, NEAR

STATES = (-4, -3, -2, -1, 1, 2, 3, 4)
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
    cycles, n = sample.excursions.cycles, sample.length
    least = max(FEWEST_CYCLES, 0.005 * n**0.5)
    if cycles >= least or not sample.enforce_lengths:
        return None
    reason = f"{cycles} cycles, at least {least:g} are required (SP 800-22 2.14.4 (4))"
    return NotRun(SUITE, test, reason)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult | NotRun:
    """Compare the visits to each of eight states with their distribution over cycles."""
    refusal = too_few_cycles(sample, TEST.name)
    if refusal is not None:
        return refusal
    excursions = sample.excursions
    statistics, deciding = [], []
    for state in STATES:
        probabilities = visit_probabilities(state, constants)
        expected = excursions.cycles * np.array(probabilities)
        statistics.append(float(((excursions.near[state + NEAR] - expected) ** 2 / expected).sum()))
        deciding.append(pearson_tail(statistics[-1], probabilities, excursions.cycles))
    return TestResult(
        p_values=tuple(chi_square_p(statistic, LAST_CLASS) for statistic in statistics),
        deciding=tuple(deciding),
        labels=tuple(f"{state:+d}" for state in STATES),
        parameters={"cycles": excursions.cycles},
        degrees_of_freedom=LAST_CLASS,
        null="chi-square over the number of visits in a cycle (SP 800-22 3.14)",
        detectable=class_effect(LAST_CLASS, excursions.cycles),
    )


TEST = SampleTest("random-excursions", "2.14", evaluate, lambda _: 1_000_000, "SP 800-22 2.14.7")
