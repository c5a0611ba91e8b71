"""Moments that are stepped many at once come to what their stage returns, and a step that does not is found."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from certify.analysis.engine.automaton import least
from certify.analysis.engine.proof import MergingError, proved, surroundings
from certify.analysis.engine.stage_points import TARGET, walked
from certify.analysis.hands.strength import WILD
from certify.families.described.compiled_game import Register, initial
from certify.families.described.rules import Measure
from certify.families.described.stages import _added, _hands_with, dealt, dealt_together
from certify.families.described.submitted import text_of
from certify.model import Card
from certify.submission.reader import read_game

CARDS = [
    Card({"rank": rank, "suit": suit}) for suit in ("clubs", "hearts", "spades") for rank in (WILD, 0, 5, 12)
]


# Of a piece that has every suit that is held, or of one that lacks some.
@given(
    st.integers(0, 2),
    st.lists(st.lists(st.sampled_from(CARDS), max_size=6), min_size=1, max_size=9),
    st.sampled_from([CARDS, CARDS[:8]]),
)
def test_hands_of_many_moments_are_those_of_each(suits, several, drawn):
    register = Register(Measure.HAND, "", "rank", 0, None, suits, None, (), "player")
    values = []
    for cards in several:
        values.append(initial(register))
        for card in cards:
            values[-1] = _added(register, values[-1], card)
    table, hands = _hands_with(register, values, drawn)
    for value, line in zip(values, table.tolist(), strict=True):
        assert [hands[place] for place in line] == [_added(register, value, card) for card in drawn]


def arrows(found):
    """Returns what each moment leads to and what happens on the way, whatever numbers both have."""
    named = [repr(one) for one in found.moments]
    return {
        one: [
            arrow if arrow < 0 else (named[arrow & TARGET], found.labels[arrow >> 32])
            for arrow in map(int, row)
        ]
        for one, row in zip(named, found.rows, strict=True)
    }


def text(name):
    games = Path(__file__).parents[3] / "fixtures" / "games"
    own = Path(__file__).with_name("everything.toml")
    game = read_game(own if name == "everything" else games / name / "game.toml")
    return text_of(game, game.rules)


# Several readings of a draw; decisions; draws that are impossible; a shoe of six decks.
@pytest.mark.parametrize("name", ["everything", "red-dog", "keno", "casino-war"])
def test_stepped_together_or_one_by_one_is_the_same_walk(name):
    found = text(name)
    assert arrows(walked(found)) == arrows(walked(replace(found, together={})))


def led_apart(*called):
    """Every second card leads where the first one does."""
    places, moments = dealt_together(*called)
    places[:, 1::2] = places[:, :1]
    return places, moments


@pytest.mark.parametrize(("begins", "words"), [(0, "it led to"), (1, "stepped with others")])
def test_moments_that_are_led_apart_are_found_whenever_it_begins(begins, words):
    right = text("red-dog")
    wrong = replace(right, together={dealt: led_apart})
    found = replace(walked([wrong, right][begins]), text=wrong)
    with pytest.raises(MergingError, match=words):
        proved(least(found), surroundings(wrong), rounds=0)
