"""Random excursions variant test: how often does the walk visit each state, all cycles together?

Source: NIST SP 800-22 Rev. 1a, 2.15 and 3.15.
"""

from __future__ import annotations

import math

from rng.battery.far_tails import visits_two_sided
from rng.battery.goodness import POWER_WORDS
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.random_excursions import too_few_cycles
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import normal_effect
from rng.battery.sp800_22.walk import FAR

STATES = tuple(state for state in range(-FAR, FAR + 1) if state)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult | NotRun:
    """Compare the visits to each of eighteen states with the number of cycles."""
    refusal = too_few_cycles(sample, TEST.name)
    if refusal is not None:
        return refusal
    cycles = sample.excursions.cycles
    p_values, deciding = [], []
    for state in STATES:
        visits = int(sample.excursions.far[state + FAR])
        # 2.15.4 (4).
        p_values.append(math.erfc(abs(visits - cycles) / math.sqrt(2 * cycles * (4 * abs(state) - 2))))
        deciding.append(visits_two_sided(visits, cycles, state))
    return TestResult(
        p_values=tuple(p_values),
        deciding=tuple(deciding),
        labels=tuple(f"{state:+d}" for state in STATES),
        parameters={"cycles": cycles},
        null="half-normal (SP 800-22 3.15)",
        detectable=f"visits next to zero off by a share of {normal_effect() * math.sqrt(2 / cycles):.3g}{POWER_WORDS}",
    )


TEST = SampleTest("random-excursions-variant", "2.15", evaluate, lambda _: 1_000_000, "SP 800-22 2.15.7")
