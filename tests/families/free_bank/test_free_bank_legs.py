"""Reference round, compiled play-through and twin on the same decks; strategies that decide by lot among them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from time import sleep

import numpy as np
import pytest
from free_bank_tables import GAMES, game_of, row_of, seated, stand_on
from representatives import firsts, only

from certify.certification.cross_checks import agreement
from certify.errors import InputError
from certify.families.driver import decide_by, play, steps
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import rules_of
from certify.families.free_bank.strategy import ORDERS, BankSees, Chances, Lot, Pair, Sees, StandOn, lot_of
from certify.families.free_bank.volume import settlement
from certify.families.free_bank.volume.several import nets_of, outcomes
from certify.families.free_bank.volume.several import play as play_several
from certify.families.free_bank.volume.tables import BankTables


@dataclass(frozen=True)
class ByMood:
    """A strategy that looks at everything it sees and decides by lot, however badly."""

    name: str
    pure: bool = False
    looks_at: str = "everything"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        seen = sees if isinstance(sees, BankSees) else sees.own
        mood = random.Random(repr((self.name, seen)))  # noqa: S311 - a mood is no secret
        shares = [mood.randrange(5) + (option == "hit") for option in options]
        if self.pure or not sum(shares):
            return ((options[shares.index(max(shares))], Fraction(1)),)
        total = sum(shares)
        return tuple((o, Fraction(share, total)) for o, share in zip(options, shares, strict=True) if share)

    def table(self) -> object:
        return self.name


PAIRS = (
    stand_on(10, 10, swaps=True),
    Pair(ByMood("player", pure=True), ByMood("bank", pure=True)),
    Pair(ByMood("player"), ByMood("bank")),
    Pair(StandOn("player", 13), ByMood("bank")),
)


def decks(count: int, of: int = 1, seed: int = 1) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    drawn = np.random.default_rng(seed)
    rows = [np.concatenate([drawn.permutation(40) for _ in range(of)]) for _ in range(count)]
    return np.array(rows, dtype=np.uint8)


@pytest.mark.parametrize(
    ("name", "pair", "number"),
    [
        *only(
            [(name, pair, 60) for name in GAMES for pair in PAIRS[:2]],
            *((GAMES[0], one, 60) for one in PAIRS[:2]),
        ),
        *((GAMES[1], pair, 10) for pair in PAIRS[2:]),
    ],
)
def test_three_implementations_end_every_round_alike_and_cast_the_same_lots(
    name: str, pair: Pair, number: int
) -> None:
    found = agreement(game_of(name), pair, decks(number))
    assert not found.differences
    assert len(found.legs) == 3


@pytest.mark.parametrize("name", firsts(GAMES))
def test_several_seats_end_as_the_reference_round_says_and_the_deck_runs_out_with_it(name: str) -> None:
    for seats, pair in ((2, stand_on(11, 11)), (9, stand_on(14, 13, swaps=name == "sette-e-mezzo"))):
        game = seated(name, seats)
        rows = decks(8, of=3, seed=seats)
        rules = reference(game)
        lasts = [[*steps(rules, row, decide_by(pair))][-1] for row in rows.tolist()]
        results = [rules.results(last.state) for last in lasts]
        ends = [tuple(outcome for outcome, _, _ in one) for one in results]
        assert outcomes(rows, pair, rules_of(game)) == ends
        nets = nets_of({row.id: row.pays for row in game.wagers[0].paytable.rows}, rules_of(game))
        found = play_several(rows, pair, rules_of(game), nets)
        assert found.mean(1, nets)[0] * len(rows) == pytest.approx(sum(one[1][1] for one in results))
        assert found.bank()[0] * len(rows) == pytest.approx(-sum(net for one in results for _, net, _ in one))


def test_what_several_seats_cannot_play_is_refused() -> None:
    rules = replace(rules_of(game_of("sept-et-demi")), seats=2)
    nets = np.zeros(len(settlement.ENDS))
    with pytest.raises(InputError, match="one total"):
        play_several(decks(1, of=3), PAIRS[1], rules, nets)
    with pytest.raises(InputError, match="by lot"):
        play_several(decks(1, of=3), Pair(ByMood("player"), StandOn("bank", 10)), rules, nets)
    with pytest.raises(InputError, match="3 decks"):
        play_several(decks(1), PAIRS[0], rules, nets)


def test_a_lot_is_the_order_of_cards_that_no_round_reaches_and_falls_as_often_as_its_chance() -> None:
    assert lot_of(range(40)) == 0
    assert lot_of([*range(28), *range(39, 27, -1)]) == ORDERS - 1
    thirds = (("stand", Fraction(1, 3)), ("hit", Fraction(2, 3)))
    taken = [Lot(at, 9_000).take(thirds) for at in range(9_000)]
    assert abs(taken.count("stand") - 3_000) <= 1
    # Two decisions of one round are independent: what is left of the lot is spread evenly again.
    both = 0
    for at in range(9_000):
        lot = Lot(at, 9_000)
        both += lot.take(thirds) == "stand" and lot.take(thirds) == "stand"
    assert abs(both - 1_000) <= 2


def test_a_strategy_that_decides_by_lot_replays_from_its_row() -> None:
    game, pair = game_of("sept-et-demi"), PAIRS[2]
    row = decks(1, seed=9)[0].tolist()
    once, again = (play(reference(game), row, pair) for _ in range(2))
    assert once == again
    with pytest.raises(InputError, match="decides by lot"):
        play(reference(game), row_of("3 6"), decide_by(pair))


@dataclass(frozen=True)
class ByWhatLiesOpen:
    """A bank that hits or stands by the sum of all it sees."""

    name: str = "bank"
    looks_at: str = "everything"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        assert isinstance(sees, BankSees)
        opened = sum(sum(hand.cards) + len(hand.cards) for seat in sees.table for hand in seat.hands)
        return ((options[(opened * (1 + sum(sees.hand)) // 3) % 2], Fraction(1)),)

    def table(self) -> object:
        return self.name


class Slowly(list[np.ndarray[tuple[int, int], np.dtype[np.uint64]]]):
    """A list that lets others go first before it takes something in."""

    def append(self, entry: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> None:
        sleep(0.001)
        super().append(entry)


def test_chunks_played_side_by_side_find_the_same_answers_of_the_bank_as_one_after_the_other() -> None:
    rules, pair = rules_of(game_of("sette-e-mezzo")), Pair(StandOn("player", 6), ByWhatLiesOpen())
    alone = BankTables(pair, rules)
    shared = copy(alone)
    shared._answers, shared._answer_of, shared._rows = {}, {}, Slowly()
    views = [np.array([view], dtype=np.int32) for view in range(len(alone.seen))][:14]

    def answered(tables: BankTables, view: np.ndarray[tuple[int], np.dtype[np.int32]]) -> bytes:
        rows, answers = tables.answers(view)
        return answers[rows[view[0]]].tobytes()

    expected = [answered(alone, view) for view in views]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda view: answered(shared, view), views)) == expected
    assert [answered(shared, view) for view in views] == expected
    assert len(set(expected)) > 2
