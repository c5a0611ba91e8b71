"""Too even or too uneven within blocks of any size: numbers from a bag, shuffled lists, hot and cold stretches."""

from __future__ import annotations

import numpy as np

from rng.battery import dispersion
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, digit_base
from rng.battery.suite import Test, at_least


def run(draws: IntegerDraws) -> TestResult:
    """Dispersion of the counts within blocks of all sizes, both tails.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    classes = digit_base(draws.below, dispersion.MOST_CLASSES)
    values = np.concatenate(list(draws.digits(classes)))
    found = dict(dispersion.by_block_size(values, classes))
    return TestResult(
        suite="sequences",
        test="dispersion",
        p_values=tuple(found.values()),
        labels=tuple(found),
        parameters={"classes": classes},
        sample_size=draws.size,
        null=dispersion.NULL,
        discrete=True,
        detectable=dispersion.detectable(values.size, len(found)),
    )


TESTS = (Test("dispersion", at_least(dispersion.LEAST_SAMPLE), run),)
