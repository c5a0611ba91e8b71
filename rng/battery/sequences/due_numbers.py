"""Numbers that are due: bets on what has been missing for long, and on what was just drawn."""

from __future__ import annotations

import numpy as np

from rng.battery import due
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.suite import Test


def run(draws: IntegerDraws) -> TestResult:
    """Due numbers: bets on numbers that have been missing for one to eight times their mean waiting time.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021),
    407-431.
    """
    values = np.asarray(draws.values[: due.MOST_DRAWN]).astype(np.int64)
    found = dict(due.by_waiting(values[:, None], draws.below))
    return TestResult(
        suite="sequences",
        test="due-numbers",
        p_values=tuple(found.values()),
        labels=tuple(found),
        sample_size=draws.size,
        null=due.NULL,
        discrete=True,
        detectable=due.detectable(values.size * due.due_share(draws.below, 1), len(found)),
    )


def _minimum(below: int) -> int | None:
    return due.LEAST_DRAWN if below <= due.MOST_NUMBERS else None


TESTS = (Test("due-numbers", _minimum, run),)
