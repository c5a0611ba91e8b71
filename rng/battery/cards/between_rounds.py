"""One round and those before it: orders kept, and decks that are too similar.

Cards of one rank, suit or face some places apart in a deck: bets while it is dealt, on what lay there before.

A shoe whose packs were laid on each other and hardly mixed shows the same card again after fifty-two others. While a
deck is dealt, what is left tells the fair price of every bet on the next card; no law of the whole deck is needed.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import inf, log, sqrt

import numpy as np
from numba import njit

from rng.array_types import Counts, Floats, Numbers
from rng.battery import e_values, goodness
from rng.battery.cards import kernels, nulls, permutations
from rng.battery.cards.decks import Decks, DeckShoe, of_shoe, pieces, plain
from rng.battery.cards.repeated_decks import neighbour_law
from rng.battery.cell_sums import tally, two_sided_bound
from rng.battery.result import TestResult

LEAST_DECKS = 100
LEAST_SINCE_LAST = 33


def relative(decks: Decks) -> Iterator[Numbers]:
    """Yields, piece by piece, each deck but the first with its cards named by their places in the deck before.

    Example:
        >>> next(relative(np.array([[2, 0, 1], [2, 1, 0]], dtype=np.uint8))).tolist()
        [[0, 2, 1]]
    """
    for piece in pieces(decks, overlap=1):
        yield np.take_along_axis(kernels.inverse(piece[:-1]), piece[1:].astype(np.intp), axis=1)


def total_p(total: int, decks: int, law: nulls.NullLaw) -> float:
    """Two-sided p-value of a sum over decks: twice Chernoff's bound on the smaller tail, by the exact moments.

    Source: Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        >>> total_p(195, 100, neighbour_law((40,))), total_p(300, 100, neighbour_law((40,))) < 1e-9
        (1.0, True)
    """
    # Of a large shoe the rarest have a probability that no float holds.
    parts = [Fraction(p).as_integer_ratio() for p in law.probabilities]
    logs = np.array([log(top) - log(bottom) if top else -inf for top, bottom in parts])
    values, mean = np.arange(logs.size), float(law.mean)

    def moment(slope: float) -> float:
        return decks * float(np.logaddexp.reduce(logs + slope * (values - mean)))

    return two_sided_bound(moment, total - decks * mean, sqrt(decks * float(law.variance)), noticed=0.0)


def run_since_last(decks: Decks) -> TestResult:
    """Each deck by the places of its cards in the deck before: a uniformly random order, independent of all others.

    Cards that stick together stay neighbours; few riffles leave few rising sequences.

    Source: Bayer and Diaconis, Annals of Applied Probability 2 (1992), 294-313 (rising sequences suffice for riffles).
    """
    cards, size = decks.shape[1], len(decks) - 1
    measured = (
        (
            (np.abs(np.diff(piece.astype(np.int16), axis=1)) == 1).sum(axis=1),
            permutations.descents(piece),
            permutations.MEASURES["rising sequences"](piece),
        )
        for piece in relative(decks)
    )
    neighbours, descents, falls = (tally(found, cards) for found in zip(*measured, strict=True))
    kept = neighbour_law((cards,))
    total = int((np.arange(cards) * neighbours).sum())
    p_values = {"neighbours": (total_p(total, size, kept),) * 2}
    for name, counts, law in (
        ("neighbours, distribution", neighbours, kept),
        ("descents", descents, nulls.descent_law(cards)),
        ("rising sequences", falls, nulls.descent_law(cards)),
    ):
        found = permutations.compare(counts, law, "")
        for label, p_value, decided in zip(found.labels, found.p_values, found.decided, strict=True):
            if not (counts is neighbours and label == "mean"):
                p_values[f"{name}, {label}" if counts is not neighbours else name] = (p_value, decided)
    return TestResult(
        p_values=tuple(published for published, _ in p_values.values()),
        deciding=tuple(decided for _, decided in p_values.values()),
        labels=tuple(p_values),
        statistic=total / size,
        null="orders of both decks uniform: neighbours by inclusion and exclusion (Chernoff's bound on their sum), "
        "Eulerian numbers over n!",
        discrete=True,
        detectable=goodness.describe_shift(
            size, f"standard deviations of the neighbours kept (mean {float(kept.mean):.3g})", len(p_values)
        ),
    )


SINCE_LAST = (plain("since-last-deck", LEAST_SINCE_LAST, run_since_last),)


MOST_APART = 128
# Bets of more decks than this are as telling; of large shoes fewer decks are as many bets.
MOST_BETS = 1 << 26


@njit(cache=True)
def capital(
    decks: Numbers,
    groups: Counts,
    sizes: Counts,
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
                    won[apart] -= bets[apart, like] * prices[like, n - i]
    won += matches.reshape(-1, 1) * tilts
    return won


def alike(decks: Decks, groups: tuple[int, ...]) -> tuple[int, float]:
    """The distance at which bets on cards of the same group won most, and the p-value of all bets together."""
    n, tilts = len(groups), np.log(e_values.TILTS)
    sizes = np.bincount(groups)
    share = np.arange(sizes.max() + 1)[:, None] / np.maximum(np.arange(n + 1), 1)[None, :]
    prices = np.log1p(np.minimum(share, 1.0)[:, :, None] * np.expm1(tilts))
    farthest = min(MOST_APART, n - 1)
    held = decks[: max(LEAST_DECKS, MOST_BETS // (n * farthest))]
    won = capital(np.ascontiguousarray(held), np.array(groups), sizes, tilts, prices, farthest)
    return int(won.max(axis=1).argmax()) + 1, e_values.p_value(e_values.mean_log(won.reshape(-1)))


def faces(shoe: DeckShoe) -> tuple[int, ...]:
    """Rank and suit of each card as one number."""
    both = shoe.ranks, shoe.suits or (0,) * shoe.cards
    return tuple(np.unique(both, axis=1, return_inverse=True)[1].reshape(-1).tolist())


def equal_runs_apart(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Cards of one rank, of one suit and of one face so many places apart, at every distance up to 128.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    found = {}
    for name, groups in (("ranks", shoe.ranks), ("suits", shoe.suits), ("faces", faces(shoe))):
        if 1 < len(set(groups)) < shoe.cards:
            apart, p_value = alike(decks, groups)
            found[f"{name} equal, {apart} apart"] = p_value
    return TestResult.of(
        found,
        null=e_values.NULL,
        detectable=goodness.describe_shift(
            len(decks) * shoe.cards, "in the correlation of two positions", len(found) * MOST_APART
        ),
    )


def _fewest(shoe: DeckShoe) -> int | str:
    if not shoe.ranks or len(set(shoe.ranks)) == shoe.cards:
        return "the cards have no ranks to compare"
    return LEAST_DECKS


EQUAL_APART = (of_shoe("alike-apart", _fewest, equal_runs_apart),)
