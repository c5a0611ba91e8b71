"""Templates (SP 800-22 2.7 and 2.8): without overlaps and with them, and the exact law of their counts.

Non-overlapping template matching test: does any of many aperiodic patterns occur too often or too rarely?

Source: NIST SP 800-22 Rev. 1a, 2.7 and 3.7.

Overlapping template matching test: do stretches of ones of a given length crowd or avoid each other?

Source: NIST SP 800-22 Rev. 1a, 2.8 and 3.8; Hamano and Kaneko, IEICE Trans. E90-A(9), 2007 (exact
probabilities).
"""

import math
from functools import lru_cache

import numpy as np
from numba import njit
from scipy.special import gammaincc

from rng.array_types import Bytes, Counts, Floats
from rng.battery.cell_sums import LOOKED_AT_BELOW
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    BitSample,
    Constants,
    Parameters,
    SampleTest,
    class_effect,
    count_windows,
    over_classes,
)

# Above this many expected occurrences in a block their number is normal as far out as anyone looks.
MOST_EXPECTED = 1_000
# The statistic is summed on this grid; beyond its end every tail is below a double's precision.
STEP = 1 / 128
END = 256.0


@njit(cache=True, nogil=True)
def _chances(size: int, m: int, most: int) -> Floats:
    ring = np.zeros((m + 1, most + 1))
    p = 0.5**m
    ring[:, 0] = 1.0
    # a(n) = a(n-1) + (z - 1) 2^-m a(n-m), polynomials in z whose coefficients are probabilities.
    for n in range(m, size + 1):
        new, last, old = ring[n % (m + 1)], ring[(n - 1) % (m + 1)], ring[(n - m) % (m + 1)]
        for k in range(most, 0, -1):
            new[k] = last[k] - p * old[k] + p * old[k - 1]
        new[0] = last[0] - p * old[0]
    found: Floats = ring[size % (m + 1)].copy()
    return found


def occurrence_chances(size: int, m: int) -> Floats:
    """Probabilities of 0, 1, 2, … occurrences of an aperiodic template of m bits in ``size`` random bits.

    An aperiodic template cannot overlap itself, so that its occurrences follow the recurrence of
    ``1 / (1 - 2x - (z - 1) x^m)``; all such templates have the same law.

    Source: Guibas and Odlyzko, J. Combinatorial Theory A 30 (1981), 183-208.

    Example:
        >>> occurrence_chances(4, 3)[:3].tolist()
        [0.75, 0.25, 0.0]
    """
    mean = (size - m + 1) * 0.5**m
    return np.asarray(_chances(size, m, int(mean + 14 * math.sqrt(mean) + 40)))


@lru_cache(maxsize=8)
def _tails(size: int, m: int, blocks: int, mean: float, variance: float) -> Floats:
    chances = occurrence_chances(size, m)
    places = ((np.arange(chances.size) - mean) ** 2 / variance / STEP).round().astype(np.int64)
    cells = int(END / STEP)
    one = np.bincount(np.minimum(places, cells), weights=chances.clip(min=0), minlength=cells + 1)
    total = np.zeros(cells + 1)
    total[0] = 1.0
    used = np.flatnonzero(one)
    for _ in range(blocks):
        # Block by block, without a transform: its rounding would drown the tail.
        longer = np.zeros(cells + 1)
        for place in used:
            longer[place:] += one[place] * total[: cells + 1 - place]
        longer[cells] += 1.0 - longer.sum() if longer.sum() < 1 else 0.0
        total = longer
    return total[::-1].cumsum()[::-1]


def statistic_tail(
    statistic: float, size: int, m: int, blocks: int, moments: tuple[float, float]
) -> float | None:
    """Probability that the statistic of one template reaches a value; None where the limit law will do.

    Args:
        statistic: Sum over the blocks of the squared deviations, divided by the variance.
        size: Bits in a block.
        m: Bits of the template.
        blocks: Number of blocks.
        moments: Mean and variance that the statistic was computed with.
    """
    if moments[0] > MOST_EXPECTED:
        return None
    # Half a step for each rounded block, so that what equals the statistic is counted with it.
    at = math.floor(statistic / STEP - math.sqrt(blocks))
    return float(_tails(size, m, blocks, *moments)[min(max(at, 0), int(END / STEP))])


# The reference program never tests more templates than this, however many there are.
MOST_TEMPLATES = 148


@lru_cache(maxsize=16)
def aperiodic_templates(m: int) -> tuple[int, ...]:
    """Return the aperiodic templates of m bits in increasing order.

    Example:
        >>> [format(template, "03b") for template in aperiodic_templates(3)]
        ['001', '011', '100', '110']
    """
    return tuple(
        template
        for template in range(1 << m)
        if all(template >> shift != template & ((1 << (m - shift)) - 1) for shift in range(1, m))
    )


def tested_templates(m: int) -> tuple[int, ...]:
    """Return the templates that the reference program tests: all, or every k-th of them, at most 148."""
    templates = aperiodic_templates(m)
    step = max(1, len(templates) // MOST_TEMPLATES)
    return templates[::step][:MOST_TEMPLATES]


def occurrences(sample: BitSample, m: int, blocks: int) -> Counts:
    """Count every window of m bits inside each block: shape (blocks, 2^m).

    Aperiodic templates cannot overlap themselves, so the count of a template is the number that a search
    which skips behind every match finds, for all templates in one pass.
    """
    return np.stack([count_windows(block, m) for block in sample.blocks(sample.length // blocks)[:blocks]])


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


def evaluate_non_overlapping_template(
    sample: BitSample, parameters: Parameters, constants: Constants
) -> TestResult:
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


NON_OVERLAPPING_TEMPLATE = SampleTest(
    "non-overlapping-template",
    "2.7",
    evaluate_non_overlapping_template,
    _minimum,
    "the standard gives no minimum; five expected occurrences in a block",
    lambda parameters: parameters["blocks"] * 2 * parameters["m"],
    {"m": 9, "blocks": 8},
    {"m": (2, 16), "blocks": (1, 100)},
)


# 2.8.2: block length and number of classes less one.
BLOCK = 1032
LAST_CLASS = 5


def reference_probabilities(m: int) -> tuple[float, ...]:
    """Class probabilities as the reference program computes them: a compound Poisson approximation (3.8)."""
    eta = (BLOCK - m + 1) / 2**m / 2
    first = [math.exp(-eta)]
    for u in range(1, LAST_CLASS):
        terms = (
            math.exp(-eta - u * math.log(2) + k * math.log(eta)) / math.factorial(k) * math.comb(u - 1, k - 1)
            for k in range(1, u + 1)
        )
        first.append(sum(terms))
    return (*first, 1 - sum(first))


@lru_cache(maxsize=16)
def exact_probabilities(m: int) -> tuple[float, ...]:
    """Class probabilities from the exact number of blocks with 0, 1, … occurrences.

    Example:
        >>> [round(p, 6) for p in exact_probabilities(9)]
        [0.364091, 0.185659, 0.139381, 0.100571, 0.070432, 0.139865]
    """
    # ways[u][r]: beginnings of a block with u occurrences (the last class: or more) that end in r ones (m:
    # or more).
    ways = [[0] * (m + 1) for _ in range(LAST_CLASS + 1)]
    ways[0][0] = 1
    for _ in range(BLOCK):
        following = [[0] * (m + 1) for _ in range(LAST_CLASS + 1)]
        for u, row in enumerate(ways):
            following[u][0] += sum(row)
            for run, count in enumerate(row[: m - 1]):
                following[u][run + 1] += count
            following[min(u + 1, LAST_CLASS)][m] += row[m - 1] + row[m]
        ways = following
    return tuple(sum(row) / (1 << BLOCK) for row in ways)


@njit(cache=True, nogil=True)
def overlapping_occurrences(blocks: Bytes, m: int) -> Counts:
    """Count, in every block, the places where m ones follow each other, overlapping ones included."""
    found = np.zeros(len(blocks), dtype=np.int64)
    for row in range(len(blocks)):
        run = 0
        for bit in blocks[row]:
            run = run + 1 if bit else 0
            found[row] += run >= m
    return found


def evaluate_overlapping_template(
    sample: BitSample, parameters: Parameters, constants: Constants
) -> TestResult:
    """Compare the occurrences of m ones over all blocks with their distribution."""
    m = parameters["m"]
    found = sample.once(f"ones {m}", lambda: overlapping_occurrences(sample.blocks(BLOCK), m))
    observed = np.bincount(found.clip(max=LAST_CLASS), minlength=LAST_CLASS + 1)
    chosen = reference_probabilities(m) if constants == "reference" else exact_probabilities(m)
    return over_classes(
        observed,
        chosen,
        {**parameters, "constants": constants},
        "chi-square over the number of occurrences in a block of 1032 bits (SP 800-22 3.8)",
    )


OVERLAPPING_TEMPLATE = SampleTest(
    "overlapping-template",
    "2.8",
    evaluate_overlapping_template,
    lambda _: 1_000_000,
    "SP 800-22 2.8.7",
    lambda _: BLOCK,
    {"m": 9},
    {"m": (5, 16)},
)
