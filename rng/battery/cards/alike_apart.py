"""Cards of one rank, suit or face some places apart in a deck: bets while it is dealt, on what lay there before.

A shoe whose packs were laid on each other and hardly mixed shows the same card again after fifty-two others. While a
deck is dealt, what is left tells the fair price of every bet on the next card; no law of the whole deck is needed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import due, evidence, goodness
from rng.battery.cards.decks import Decks, DeckShoe, of_shoe
from rng.battery.result import TestResult

Floats = NDArray[np.float64]

MOST_APART = 128
# Bets of more decks than this are as telling; of large shoes fewer decks are as many bets.
MOST_BETS = 1 << 26
LEAST_DECKS = 100


@njit(cache=True)
def capital(
    decks: NDArray[np.unsignedinteger],
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    tilts: Floats,
    prices: Floats,
    farthest: int,
) -> Floats:
    """Logarithm of what each bet has become, shape (distances, tilts).

    Args:
        decks: The decks, one a row.
        groups: Group of each card.
        sizes: Cards of each group.
        tilts: Logarithm of what a bet takes a card of the same group to be times as likely as.
        prices: Logarithm of the fair price of each tilt, for so many cards of the group left of so many cards left.
        farthest: Largest distance.
    """
    count, n = decks.shape
    grouped = groups[decks.ravel()].astype(np.uint16).reshape(count, n)
    left = np.empty((count, sizes.size), dtype=np.int32)
    left[:] = sizes
    won = np.zeros((farthest, tilts.size))
    # What a bet takes depends on the cards left alone: equal bets of a place are counted, and priced once.
    bets = np.empty((farthest, sizes.max() + 1), dtype=np.int64)
    matches = np.zeros(farthest, dtype=np.int64)
    for i in range(n):
        bets[:] = 0
        for t in range(count):
            group = grouped[t, i]
            for apart in range(1, min(i, farthest) + 1):
                before = grouped[t, i - apart]
                bets[apart - 1, left[t, before]] += 1
                matches[apart - 1] += before == group
            left[t, group] -= 1
        for apart in range(min(i, farthest)):
            for like in range(bets.shape[1]):
                if bets[apart, like]:
                    for j in range(tilts.size):
                        won[apart, j] -= bets[apart, like] * prices[like, n - i, j]
    won += matches.reshape(-1, 1) * tilts
    return won


def alike(decks: Decks, groups: tuple[int, ...]) -> tuple[int, float]:
    """The distance at which bets on cards of the same group won most, and the p-value of all bets together."""
    n, tilts = len(groups), np.log(due.TILTS)
    sizes = np.bincount(groups)
    share = np.arange(sizes.max() + 1)[:, None] / np.maximum(np.arange(n + 1), 1)[None, :]
    prices = np.log1p(np.minimum(share, 1.0)[:, :, None] * np.expm1(tilts))
    farthest = min(MOST_APART, n - 1)
    held = decks[: max(LEAST_DECKS, MOST_BETS // (n * farthest))]
    won = capital(np.ascontiguousarray(held), np.array(groups), sizes, tilts, prices, farthest)
    return int(won.max(axis=1).argmax()) + 1, evidence.p_value(evidence.mean_log(won.reshape(-1)))


def faces(shoe: DeckShoe) -> tuple[int, ...]:
    """Rank and suit of each card as one number."""
    both = shoe.ranks, shoe.suits or (0,) * shoe.cards
    return tuple(np.unique(both, axis=1, return_inverse=True)[1].reshape(-1).tolist())


def run(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Cards of one rank, of one suit and of one face so many places apart, at every distance up to 128.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    found = {}
    for name, groups in (("ranks", shoe.ranks), ("suits", shoe.suits), ("faces", faces(shoe))):
        if 1 < len(set(groups)) < shoe.cards:
            apart, p_value = alike(decks, groups)
            found[f"{name} alike, {apart} apart"] = p_value
    return TestResult.of(
        found,
        null=due.NULL,
        detectable=goodness.describe_shift(
            len(decks) * shoe.cards, "in the correlation of two positions", len(found) * MOST_APART
        ),
    )


def _fewest(shoe: DeckShoe) -> int | str:
    if not shoe.ranks or len(set(shoe.ranks)) == shoe.cards:
        return "the cards have no ranks to compare"
    return LEAST_DECKS


TESTS = (of_shoe("alike-apart", _fewest, run),)
