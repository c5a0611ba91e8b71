"""Texts of cards that are only compared are stepped once for all that compare alike; a stand-in tells no more."""

from dataclasses import replace
from fractions import Fraction

import pytest
from staged_games import DECK, LOSE, WIN, game

from certify.analysis.engine import best, stage_points
from certify.analysis.engine.automaton import least
from certify.analysis.engine.comparing import Unlike, may_stand
from certify.analysis.engine.distribution import counting_order
from certify.analysis.engine.proof import MergingError, proved, surroundings
from certify.analysis.engine.reading import FaceClass
from certify.analysis.engine.stage_points import walked
from certify.analysis.engine.walk import walk
from certify.errors import InputError
from certify.families.stage_machine import StagedRound
from certify.model.stages import NextDraw, draw, ended

HEARTS = "hearts"
ASIDE = []


def suited(table):
    return draw("player", suit_came, "first", 0)


def suit_came(table, suit, drawn, card):
    kept = card.suit if suit in ("first", card.suit) else ""
    if drawn == 2:
        return ended(("bet", WIN if kept else LOSE))
    return draw("player", suit_came, kept, drawn + 1)


def by_type(table):
    return draw("player", by_type_came)


def by_type_came(table, card):
    return ended(("bet", WIN if type(card.suit) is str and card.suit != HEARTS else LOSE))


def by_class(table):
    return draw("player", by_class_came)


def by_class_came(table, card):
    return ended(("bet", WIN if isinstance(card.suit, str) and card.suit != HEARTS else LOSE))


def by_identity(table):
    return draw("player", by_identity_came)


def by_identity_came(table, card):
    return ended(("bet", LOSE if card.suit is HEARTS else WIN))


def past_an_error(table):
    return draw("player", past_an_error_came)


def past_an_error_came(table, card):
    try:
        return ended(("bet", LOSE if HEARTS.startswith(card.suit) else WIN))
    except TypeError:
        return ended(("bet", LOSE))


def by_method(table):
    return draw("player", by_method_came)


def by_method_came(table, card):
    return ended(("bet", LOSE if HEARTS.__eq__(card.suit) else WIN))


def by_value(table):
    return draw("player", by_value_came)


def by_value_came(table, card):
    return ended(("bet", LOSE if card.suit.startswith("h") else WIN))


def aside(table):
    return draw("player", aside_came)


def aside_came(table, card):
    ASIDE.append(card.suit)
    return draw("player", aside_came_again) if card.suit != HEARTS else ended(("bet", WIN))


def aside_came_again(table, card):
    return ended(("bet", WIN if ASIDE[-2] == card.suit else LOSE))


def steps(text):
    """Returns a walk with stand-ins, and one that reads every text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage_points, "may_stand", lambda text: False)
        reading = walked(text)
    return walked(text), reading


def test_suits_that_are_compared_are_stepped_once_for_all_that_differ():
    text = game(suited, DECK)
    ours, reading = steps(text)
    assert may_stand(text)
    # Each suit and none, and the end: after the first card two steps where a suit is held, one where none is.
    assert (ours.moments, ours.rows) == (reading.moments, reading.rows)
    assert (ours.steps, reading.steps) == (1 * 4 + 4 * 2 + 4 * 2 + 1, 1 * 4 + 4 * 4 + 5 * 4)


@pytest.mark.parametrize("text", [by_type, by_class, by_identity, past_an_error, by_method])
def test_nothing_stands_in_where_code_could_tell(text):
    assert not may_stand(game(text, DECK))
    before = surroundings(game(text, DECK))
    proved(least(walked(game(text, DECK))), before, rounds=200)


def test_a_value_that_is_asked_for_is_stepped_by_value():
    ours, reading = steps(game(by_value, DECK))
    assert may_stand(game(by_value, DECK))
    assert (ours.rows, ours.steps) == (reading.rows, reading.steps)


def test_a_stand_in_that_is_kept_aside_is_refused():
    text = game(aside, DECK)
    with pytest.raises(InputError, match=r"kept aside|again|changed"):
        proved(least(walked(text)), surroundings(text), rounds=1)


def test_classes_that_were_compared_wrongly_are_found():
    text = game(suited, DECK)
    automaton = least(walked(text))
    found = automaton.walked
    number = next(
        place
        for place, one in enumerate(found.moments)
        if isinstance(one, NextDraw) and one.kept == (HEARTS, 1)
    )
    others = next(one for one in found.classes[number] if one.unlike)
    assert others.unlike == (("suit", (HEARTS,)),)
    for wrong, message in (
        (FaceClass(others.faces, (), (("suit", (HEARTS, "clubs")),)), "compared with"),
        (FaceClass(others.faces, (), (("suit", ("joker",)),)), "again"),
        (FaceClass(others.faces, ("suit",)), "differ in their suit"),
    ):
        own = [wrong if one is others else one for one in found.classes[number]]
        planted = replace(
            found, classes=[own if at == number else one for at, one in enumerate(found.classes)]
        )
        with pytest.raises(MergingError, match=message):
            proved(replace(automaton, walked=planted), surroundings(text), rounds=1)


def test_a_stand_in_gives_nothing_but_whether_it_differs():
    beyond = []
    one = Unlike("suit", (HEARTS,), beyond)
    assert one != HEARTS
    assert one not in (HEARTS, None, 1, True, ())
    assert not beyond
    for ask in (
        hash,
        bool,
        len,
        iter,
        str,
        repr,
        sorted,
        lambda it: it + "",
        lambda it: f"{it}",
        lambda it: it == "clubs",
    ):
        beyond.clear()
        with pytest.raises(InputError, match="suit"):
            ask([one, one] if ask is sorted else one)
        assert beyond == ["suit"]


def test_a_flush_of_three_is_as_likely_as_it_is():
    graph = walk(StagedRound(game(suited, DECK)))
    value = best.solve(graph, counting_order(graph.offsets, graph.targets), {"bet": Fraction(1)}).value
    assert value == 2 * Fraction(12 * 11, 51 * 50) - 1
