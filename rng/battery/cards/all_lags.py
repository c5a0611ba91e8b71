"""Cards that come back in their place after any number of decks, however many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rng.battery import goodness
from rng.battery.cards.decks import Decks, plain
from rng.battery.lags import Lagged, Signs, detectable_correlation, farthest, lagged
from rng.battery.result import TestResult

MOST_LAGS = 100_000
# The places that are followed one by one: those that every round uses.
PLACES = 10
# Decks in a block that is transformed at once.
BLOCK = 1 << 18


def card_signs(cards: int) -> Signs:
    """A sign for each card, as many of one as of the other; none for the last card of an odd number.

    The signs follow the number of ones in the id (Thue and Morse), so that no order of suits or ranks is favoured.

    Example:
        >>> card_signs(5).tolist()
        [1.0, -1.0, -1.0, 1.0, 0.0]
    """
    signs = np.array([1 - 2 * (card.bit_count() % 2) for card in range(cards)], dtype=np.float32)
    if cards % 2:
        signs[-1] = 0
    return signs


def cut(decks: int) -> tuple[int, int, int]:
    """Blocks, decks in a block, and lags that are looked at: up to half a block.

    Example:
        >>> cut(200_000), cut(1_000_000)
        ((1, 200000, 100000), (4, 250000, 100000))
    """
    blocks = -(-decks // BLOCK)
    length = decks // blocks
    return blocks, length, min(MOST_LAGS, length // 2)


def place_lags(decks: Decks, place: int) -> Lagged:
    """The signs of the cards in one place, at all lags."""
    blocks, length, lags = cut(len(decks))
    signs = card_signs(decks.shape[1])

    def pieces() -> Iterator[Signs]:
        for block in range(blocks):
            yield signs[decks[block * length : (block + 1) * length, place]]

    return lagged(pieces(), length, lags)


def run(decks: Decks) -> TestResult:
    """Matches at all lags: each card has a sign, and a card that comes back brings the same sign.

    The signs in one place are independent and fair, so that the products at any lag are binomial, exactly.
    """
    places = min(PLACES, decks.shape[1])
    found = [farthest(place_lags(decks, place)) for place in range(places)]
    blocks, length, lags = cut(len(decks))
    worst = min(range(places), key=lambda place: found[place])
    level = goodness.detection_level(places)
    share = detectable_correlation(blocks * (length - 1), lags, level, goodness.DETECTION_POWER)
    return TestResult(
        p_values=tuple(p_value for p_value, _ in found),
        labels=tuple(f"place {place + 1}" for place in range(places)),
        parameters={"lags": lags, "lag": found[worst][1], "place": worst + 1},
        null="products of independent fair signs: binomial, exact; Bonferroni over the lags",
        discrete=True,
        detectable=f"{100 * share:.3g} % of the cards of one place repeated at one lag{goodness.power_words(places)}",
    )


TESTS = (plain("matches-at-all-lags", 200, run),)
