"""Known generators behind a shuffle: its draws follow from the deck, and the state behind them from the draws."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rng.battery.cards.between_rounds import relative
from rng.battery.cards.decks import Decks, plain
from rng.battery.cards.permutations import CODES
from rng.battery.result import TestResult
from rng.battery.sequences import congruential, linear
from rng.battery.sequences.recognised import KNOWN_LAGS, LEAST_RELATED, known_relations

# Decks whose draws are looked at one by one, and one after the other: a generator may be seeded anew for each. Sums of
# draws of additive generators reach farther back.
LOOKED_AT, IN_A_ROW, ADDED = 3, 16, 64
# Ways of a shuffle: from the last place down, or from the first one up.
WAYS = ("draws downwards", "draws upwards")


def readings(decks: Decks) -> Iterator[tuple[str, NDArray[np.unsignedinteger], int]]:
    """Yields how decks may have been shuffled, the orders that did it, and the number of the first.

    A shuffle begins with the order of the ids, or with the deck as it lay.
    """
    yield "", np.ascontiguousarray(decks), 1
    yield " relative", np.concatenate([*relative(decks)]), 2


def additive(rows: NDArray[np.int64]) -> tuple[str, float]:
    """The additive generator whose lags the draws of decks obey best, and its p-value, corrected for all of them.

    Each draw is taken as a share of its range. Equally spaced shares have a cosine of mean zero whatever is added to
    them, so that the sum of the cosines of a relation is a martingale of steps below one.

    Args:
        rows: The draws of each deck, the first from all of its cards.

    Source: Azuma, Tohoku Math. J. 19 (1967), 357-367.
    """
    shares = ((rows + 0.5) / np.arange(rows.shape[1] + 1, 1, -1)).reshape(-1)
    found = {"additive generators": 1.0}
    for relation in known_relations():
        size = shares.size - relation.lags[0]
        if len(relation.lags) == 2 and size >= LEAST_RELATED:
            turns = shares[-size:].copy()
            for lag, times in zip(relation.lags, relation.times, strict=True):
                turns += times * shares[relation.lags[0] - lag :][:size]
            total = max(0.0, float(np.cos(2 * np.pi * turns).sum()))
            found[relation.name] = math.exp(-total * total / (2 * size))
    label, p_value = min(found.items(), key=lambda one: one[1])
    return label, min(1.0, len(found) * p_value)


def run(decks: Decks) -> TestResult:
    """Known generators: the draws of single decks, and of decks in a row, against every generator of the tables.

    The draws of a shuffle are independent numbers, each of a range of its own, and follow from the deck.

    Source: Java SE API, java.util.Collections.shuffle; Knuth, The Art of Computer Programming 2, 3.4.2, algorithm P;
    Arkin, Hill, Marks, Schmid and Walls, How We Learned to Cheat at Online Poker (1999).
    """
    ranges = tuple(range(decks.shape[1], 1, -1))
    found: dict[str, float] = {}
    for reading, part, first in readings(decks[:ADDED]):
        for way in WAYS:
            rows = CODES[way](part)[:, :0:-1].astype(np.int64)
            decks_alone = (
                (f"deck {number + first}, {way}{reading}: ", 0, row)
                for number, row in enumerate(rows[:LOOKED_AT].tolist())
            )
            found |= congruential.best_of(decks_alone, ranges, congruential.GENERATORS, LOOKED_AT)
            drawn = rows[:IN_A_ROW]
            solved = linear.found_in(drawn.reshape(-1).tolist(), ranges * len(drawn))
            for label, p_value in (*solved, additive(rows)):
                found[f"decks from {first} on, {way}{reading}: {label}"] = p_value
    return TestResult.of(
        found,
        null="draws foretold: each true with at most the probability of the smallest range; states: union bound; "
        "cosines of known sums of draws: Azuma's bound",
        detectable=(
            f"any of {len(congruential.GENERATORS)} congruential generators known by name from {LOOKED_AT} decks, of "
            f"{len(linear.LINEAR)} linear ones from {IN_A_ROW}, of {len(KNOWN_LAGS)} additive ones from {ADDED}"
        ),
    )


KNOWN_GENERATORS = (plain("known-generators", IN_A_ROW, run),)
