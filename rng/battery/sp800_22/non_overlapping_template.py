"""Non-overlapping template matching test: does any of many aperiodic patterns occur too often or too rarely?

Source: NIST SP 800-22 Rev. 1a, 2.7 and 3.7.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincc

from rng.battery.far_tails import LOOKED_AT_BELOW
from rng.battery.result import TestResult
from rng.battery.sp800_22.histogram import count_windows
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import class_effect
from rng.battery.sp800_22.template_law import statistic_tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The reference program never tests more templates than this, however many there are.
MOST_TEMPLATES = 148


def _is_aperiodic(template: int, m: int) -> bool:
    """Whether no shift of the template agrees with itself, so that occurrences never overlap."""
    return all(template >> shift != template & ((1 << (m - shift)) - 1) for shift in range(1, m))


@lru_cache(maxsize=16)
def aperiodic_templates(m: int) -> tuple[int, ...]:
    """Return the aperiodic templates of m bits in increasing order.

    Example:
        >>> [format(template, "03b") for template in aperiodic_templates(3)]
        ['001', '011', '100', '110']
    """
    return tuple(template for template in range(1 << m) if _is_aperiodic(template, m))


def tested_templates(m: int) -> tuple[int, ...]:
    """Return the templates that the reference program tests: all, or every k-th of them, at most 148."""
    templates = aperiodic_templates(m)
    step = max(1, len(templates) // MOST_TEMPLATES)
    return templates[::step][:MOST_TEMPLATES]


def occurrences(sample: BitSample, m: int, blocks: int) -> NDArray[np.int64]:
    """Count every window of m bits inside each block: shape (blocks, 2^m).

    Aperiodic templates cannot overlap themselves, so the count of a template is the number that a search
    which skips behind every match finds, for all templates in one pass.
    """
    size = sample.length // blocks
    places = size - m + 1
    return np.stack([count_windows(sample.octets, block * size, places, m) for block in range(blocks)])


def expectation(size: int, m: int, constants: Constants) -> tuple[float, float]:
    """Mean and variance of the number of occurrences in a block of ``size`` bits (2.7.4 (3)).

    The standard's variance counts ``size`` places where there are size - m + 1 and lets all of them have all
    their neighbours; the exact one is that of a sum of indicators that exclude each other within m - 1
    places.
    """
    p, places = 0.5**m, size - m + 1
    if constants == "reference":
        return places * p, size * (p - (2 * m - 1) * p * p)
    return places * p, places * p - p * p * ((2 * m - 1) * places - m * (m - 1))


def decided_p(
    statistic: float, p_value: float, size: int, m: int, blocks: int, moments: tuple[float, float]
) -> float:
    """Return the p-value that decides: by the exact law of the counts where the chi-square law may be wrong."""
    if p_value >= LOOKED_AT_BELOW:
        return p_value
    exact = statistic_tail(statistic, size, m, blocks, moments)
    return p_value if exact is None else max(p_value, exact)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the occurrences of every template in every block with their expectation."""
    m, blocks = parameters["m"], parameters["blocks"]
    templates = tested_templates(m)
    mean, variance = expectation(sample.length // blocks, m, constants)
    found = sample.once(f"templates {m} {blocks}", lambda: occurrences(sample, m, blocks))
    counts = found[:, templates]
    statistics = ((counts - mean) ** 2 / variance).sum(axis=0)
    p_values = gammaincc(blocks / 2, statistics / 2)
    size = sample.length // blocks
    deciding = [
        decided_p(float(statistic), float(p), size, m, blocks, (mean, variance))
        for statistic, p in zip(statistics, p_values, strict=True)
    ]
    return TestResult(
        p_values=tuple(float(p) for p in p_values),
        deciding=tuple(deciding),
        labels=tuple(format(template, f"0{m}b") for template in templates),
        parameters={**parameters, "constants": constants},
        degrees_of_freedom=blocks,
        null="chi-square for every template (SP 800-22 3.7)",
        detectable=class_effect(blocks, sample.length, len(templates)),
    )


def _minimum(parameters: Parameters) -> int:
    # A block must expect five occurrences: as many as it takes for their number to be nearly normal.
    m = parameters["m"]
    return parameters["blocks"] * ((5 << m) + m - 1)


TEST = SampleTest(
    "non-overlapping-template",
    "2.7",
    evaluate,
    _minimum,
    "the standard gives no minimum; five expected occurrences in a block",
    lambda parameters: parameters["blocks"] * 2 * parameters["m"],
    {"m": 9, "blocks": 8},
    {"m": (2, 16), "blocks": (1, 100)},
)
