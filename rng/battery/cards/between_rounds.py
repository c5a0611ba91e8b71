"""From one round to the next: colours and halves that follow, ranks that never come after a hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import evidence, goodness
from rng.battery.cards.dealt import rank_sizes
from rng.battery.cards.decks import Decks, DeckShoe, of_shoe
from rng.battery.cells import signs_agree
from rng.battery.result import TestResult

LAGS = (1, 2, 3)
# Places of the round now, and of the round before: those that hands are dealt to, and the last of the deck.
NOW, FIRST, LAST = 4, 12, 4
LEAST_DECKS = 100
MOST_RANKS = 16


def half_signs(shoe: DeckShoe) -> dict[str, NDArray[np.bool_]]:
    """Ways to cut the cards into two equal halves: suits two by two, low and high ranks, odd and even ranks.

    Example:
        >>> sorted(half_signs(DeckShoe(8, (0, 0, 0, 0, 1, 1, 1, 1), (0, 1, 2, 3, 0, 1, 2, 3))))
        ['even and odd ranks', 'low and high ranks', 'suits 1 and 2', 'suits 1 and 3', 'suits 1 and 4']
    """
    ranks, suits = np.asarray(shoe.ranks), np.asarray(shoe.suits)
    ways = {f"suits 1 and {other + 1}": (suits == 0) | (suits == other) for other in (1, 2, 3) if shoe.suits}
    if shoe.ranks:
        middle = (int(ranks.max()) + 1) / 2
        ways["low and high ranks"] = ranks < middle
        ways["even and odd ranks"] = ranks % 2 == 0
    return {name: sign for name, sign in ways.items() if 2 * int(sign.sum()) == shoe.cards}


def run_signs(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Colours and halves: a card now and one of an earlier round, agreeing with probability one half, exactly.

    The half that a card of this round belongs to is a fair coin whatever was dealt in rounds before.

    Source: S.D. 48:02:08:02(4) (serial correlation with the previous game); binomial, exact.
    """
    n, size = decks.shape[1], len(decks)
    before = sorted({*range(min(FIRST, n)), *range(max(0, n - LAST), n)})
    found = {}
    for name, sign in half_signs(shoe).items():
        table = np.ascontiguousarray(sign[decks[:, before]].T)
        for i, j, lag, agree in signs_agree(table[:NOW], table, LAGS):
            label = f"{name}, place {i + 1} and place {before[j] + 1} of {lag} rounds before"
            found[label] = goodness.binomial_two_sided(agree, size - lag, 0.5)
    return TestResult.of(
        found,
        null="agreements of a fair sign with any other of an earlier round: binomial(N - lag, 1/2), exact",
        detectable=goodness.describe_shift(size, "in the correlation of two signs", len(found)),
    )


def run_after_hands(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Ranks after a hand: the first cards of a round after every two ranks that the round before opened with.

    What is bet on a rank after each hand wins nothing from fair rounds, however the hands came about.

    Source: Ville (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021), 407-431.
    """
    sizes = rank_sizes(shoe)
    many, ranks = sizes.size, np.asarray(shoe.ranks)
    chances = sizes / shoe.cards
    opened = np.sort(ranks[decks[:, :2]], axis=1)
    hands = opened[:, 0] * many + opened[:, 1]
    found = {}
    for place in range(3):
        now = ranks[decks[:, place]]
        codes = hands[:-1] * many + now[1:]
        table = np.bincount(codes, minlength=many**3).reshape(many * many, many)
        visits = np.repeat(table.sum(axis=1)[:, None], many, axis=1)
        won = evidence.log_capital(table, visits, np.broadcast_to(chances, table.shape))
        hand, rank = np.unravel_index(int(won.argmax()), won.shape)
        label = f"place {place + 1}, rank {rank + 1} after ranks {hand // many + 1} and {hand % many + 1}"
        # A unit divided among all hands and ranks; what was never bet on keeps its part.
        low, high = np.triu_indices(many)
        found[label] = evidence.p_value(evidence.mean_log(won[low * many + high].reshape(-1)))
    return TestResult.of(
        found,
        null="capital of bets at fair prices, Ville's inequality: exact at any size",
        detectable="a rank that is left out after one hand of two ranks, once it is due some thirty times",
    )


def _signs(shoe: DeckShoe) -> int | str:
    return LEAST_DECKS if half_signs(shoe) else "the cards have no equal halves to compare"


def _hands(shoe: DeckShoe) -> int | str:
    if not shoe.ranks or max(shoe.ranks) + 1 > MOST_RANKS:
        return "the cards have no ranks to compare"
    return LEAST_DECKS


TESTS = (
    of_shoe("signs-between-rounds", _signs, run_signs),
    of_shoe("after-hands", _hands, run_after_hands),
)
