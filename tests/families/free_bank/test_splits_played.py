"""Splitting against banks that look: only decks with two faces are played, and the exact worth lies in the interval."""

from __future__ import annotations

from fractions import Fraction

import pytest
from free_bank_tables import game_of

from certify.families.free_bank import splits_played as played
from certify.families.free_bank.charts import PlayerChart, SplitChart
from certify.families.free_bank.exact.asked import FIVE
from certify.families.free_bank.exact.names import bank_conduct
from certify.families.free_bank.exact.settlement import terms_of
from certify.families.free_bank.exact.splitting import split_worth
from certify.families.free_bank.strategy import Pair
from certify.families.free_bank.volume.settlement import net
from certify.families.free_bank.volume.twin import play_one
from certify.simulation import StreamDecks

GAME = game_of("siete-y-media")
CHART = SplitChart(
    "splits", "total", PlayerChart("five", "total", 10), frozenset({1, 2, 3}), frozenset(), frozenset()
)


@pytest.mark.parametrize("bank", ["stand-on:5", "looks-at-all:5"])
def test_the_weighed_gain_is_that_of_all_decks(bank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no second face comes to a first one, both ways of play end every round alike."""
    monkeypatch.setattr(played, "split_answer", lambda terms, against, name: CHART)
    terms, conduct = terms_of(GAME), bank_conduct(terms_of(GAME), bank)
    pays = {one.id: one.pays for one in GAME.wagers[0].paytable.rows}
    decks = StreamDecks.of(GAME, bytes(32)).deal(0, 400).tolist()
    faces = [deck for deck in decks if deck[0] >= 28 and deck[2] >= 28]
    for deck in decks:
        ends = [
            net(play_one(deck, Pair(player, conduct), terms.rules), pays, terms.rules)
            for player in (CHART, CHART.one)
        ]
        assert deck in faces or ends[0] == ends[1]
    mean, error = played.gain(GAME, conduct, faces)
    assert error > 0
    assert abs(mean) < 4 * float(Fraction(132, 1560))


def test_decks_are_those_whose_first_card_and_first_draw_are_faces() -> None:
    decks = played.two_faces(GAME, 2_000)
    assert 110 < len(decks) < 230
    assert all(deck[0] >= 28 and deck[2] >= 28 and sorted(deck) == list(range(40)) for deck in decks)


@pytest.mark.slow
def test_the_exact_worth_against_a_bank_on_five_lies_in_its_interval_and_looking_takes_some_of_it() -> None:
    rows = played.splits_played(GAME).rows
    stands, looks, _ = (row.figures["worth"] for row in rows)
    assert stands.low <= split_worth(terms_of(GAME), FIVE).worth <= stands.high
    assert 0 < looks.low < looks.high < stands.high
