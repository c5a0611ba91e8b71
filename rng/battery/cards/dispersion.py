"""Too even or too uneven at one place of the deck, within blocks of any number of decks."""

from __future__ import annotations

import numpy as np

from rng.battery import dispersion
from rng.battery.cards.decks import SMALL, Decks, plain
from rng.battery.result import TestResult


def run(decks: Decks) -> TestResult:
    """Dispersion of the cards dealt at each of the first places: decks from a bag of decks, hot and cold stretches.

    The cards at one place are independent from deck to deck and equally likely, as numbers drawn are.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    places = min(decks.shape[1], SMALL)
    found = {
        f"position {place + 1}, {blocks}": p_value
        for place in range(places)
        for blocks, p_value in dispersion.by_block_size(decks[:, place].astype(np.int64), decks.shape[1])
    }
    return TestResult(
        suite="cards",
        test="dispersion",
        p_values=tuple(found.values()),
        labels=tuple(found),
        parameters={"positions": places},
        sample_size=len(decks),
        null=dispersion.NULL,
        discrete=True,
        detectable=dispersion.detectable(len(decks), len(found)),
    )


TESTS = (plain("dispersion", dispersion.LEAST_SAMPLE, run),)
