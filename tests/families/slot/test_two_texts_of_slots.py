"""The second text of slots, written from the printed rules, against rounds as they are played."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from slot_rules import EVERY, PLAIN

from certify.families.driver import play
from certify.families.port import told_net
from certify.families.slot.random_elements import pieces_of
from certify.families.slot.reference import SlotRound
from certify.families.slot.rules import SlotRules
from certify.families.slot.second import settle
from certify.families.slot.volume.port import SlotCounter
from certify.simulation.decks import StreamDecks

SEED = bytes(range(32))


@cache
def rounds(rules: SlotRules, number: int, stream: int = 0) -> list[tuple[tuple[str, ...], str, Fraction]]:
    """Returns rounds with their draws as they are named, outcome and net result."""
    counter, source = SlotCounter(rules, "main"), StreamDecks(SEED, pieces_of(rules))
    _, starts = counter.play_rounds(source.words(stream), number)
    reference = SlotRound(rules, "main")
    ended = [play(reference, row.tolist(), ()) for row in source.whole(stream, starts)]
    return [(one.draws, one.results[0].outcome, one.results[0].net) for one in ended]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_both_texts_settle_many_rounds_alike(name: str) -> None:
    """Thousands of rounds, every step of their features."""
    for draws, outcome, net in rounds(EVERY[name], 4_000, 5):
        assert settle(EVERY[name], {"main": {}}, draws, ()) == {"main": (outcome, net)}


@pytest.mark.parametrize("number", [2_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_the_second_text_settles_windows(number: int) -> None:
    """Against compiled code that shares nothing with it, of a game without features."""
    rules = replace(PLAIN, free_games=())
    counter, source = SlotCounter(rules, "main"), StreamDecks(SEED, pieces_of(rules))
    told, starts = counter.play_rounds(source.words(3), number)
    faces = [piece.faces for piece in pieces_of(rules)]
    for row, said in zip(source.whole(3, starts), told, strict=True):
        draws = [names[stop] for names, stop in zip(faces, row.tolist(), strict=True)]
        outcome, net = settle(rules, {"main": {}}, draws, ())["main"]
        assert said == (told_net(outcome, net),)


def test_draws_left_over_and_draws_missing_are_refused() -> None:
    """A record that does not fit the rules is no round."""
    draws = rounds(PLAIN, 1)[0][0]
    with pytest.raises(ValueError, match="left over"):
        settle(PLAIN, {"main": {}}, (*draws, "1 seven"), ())
    with pytest.raises(ValueError, match="more draws than there are"):
        settle(PLAIN, {"main": {}}, draws[:-1], ())


CHANGED = {
    "a line bet of two": replace(PLAIN, line_bet=2),
    "another multiplier": replace(PLAIN, stages=(PLAIN.stages[0], replace(PLAIN.stages[1], multiplier=2))),
    "wilds that double": replace(PLAIN, wilds=(replace(PLAIN.wilds[0], multiplies=((2, Fraction(1)),)),)),
    "one more game": replace(PLAIN, free_games=(replace(PLAIN.free_games[0], most_games=2),)),
}


@pytest.mark.parametrize("rules", CHANGED.values(), ids=CHANGED)
def test_a_text_that_plays_by_other_rules_is_found(rules: SlotRules) -> None:
    """Planted: the first text plays as printed, the second by a rule that was changed."""
    found = 0
    for draws, outcome, net in rounds(PLAIN, 400, 9):
        try:
            found += settle(rules, {"main": {}}, draws, ()) != {"main": (outcome, net)}
        except ValueError:
            found += 1
    assert found
