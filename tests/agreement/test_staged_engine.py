"""The engine: every order of a small shoe, the families' own counting, texts in stages, false merging refused."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import pytest
import staged_games as games
from engine_rounds import MergedHiddenCard, OpenedCard
from staged_games import DECK, LOSE, SMALL, WIN, game

from certify.analysis.engine import best
from certify.analysis.engine.automaton import least
from certify.analysis.engine.best import SEEN, solve
from certify.analysis.engine.deals import deals
from certify.analysis.engine.distribution import counting_order, decide_by, joint, visits
from certify.analysis.engine.information_leaks import LeakError, leak_free
from certify.analysis.engine.proof import MergingError, proved, surroundings
from certify.analysis.engine.reading import FaceClass
from certify.analysis.engine.stage_points import walked
from certify.analysis.engine.table import round_table
from certify.analysis.engine.walk import walk
from certify.errors import InputError
from certify.families import play
from certify.families.stage_machine import StagedRound, proven
from certify.model import (
    FRENCH_SUITS,
    ChoiceTable,
    Kind,
    NextDraw,
    Price,
    by_name,
    draw,
    ended,
    in_copies,
    shoe,
)


def shown_to_be_merged(text):
    before = surroundings(text)
    automaton = least(walked(text))
    proved(automaton, before, rounds=200)
    return automaton


def test_draws_that_lead_too_many_ways_are_refused_before_they_are_stepped():
    die = in_copies("die", Kind.DICE, tuple(map(str, range(6_000))), (1,) * 6_000, 2)
    with pytest.raises(InputError, match="draws lead more than 32,000,000 ways"):
        walked(game(two_faces, die, face=by_name))


def two_faces(table):
    return draw("a", first_face)


def first_face(table, card):
    return draw("b", higher_face, card.face)


def higher_face(table, first, card):
    return ended(("bet", WIN if card.face > first else LOSE))


def solved(text):
    graph = walk(StagedRound(text))
    order = counting_order(graph.offsets, graph.targets)
    solution = best.solve(graph, order, {text.wagers[0]: Fraction(1)})
    strategy = solution.table("best")
    return solution, joint(graph, visits(graph, order, decide_by(strategy)), strategy)


def test_a_text_that_pays_otherwise_is_the_same_text_and_has_figures_of_its_own():
    """What is walked and proved of a text holds whatever it pays; nothing that is counted of it does."""
    text = game(games.red_dog, SMALL, price=games.red_dog_price)
    doubled = replace(
        text, price=lambda wager, row: Price(2 * text.price(wager, row).net, text.price(wager, row).staked)
    )
    assert text == doubled
    assert walk(StagedRound(text)).counted is walk(StagedRound(doubled)).counted
    values = [solved(one)[0].value for one in (text, doubled, text)]
    assert values == [values[0], 2 * values[0], values[0]] != [0, 0, 0]


# https://wizardofodds.com/games/red-dog/: one deck 3.155 %, six decks 2.798 %.
def test_a_loop_over_two_pieces_is_summed_to_its_end():
    text = game(games.point, games.COIN, games.DIE, wagers=("bet", "coin"), face=by_face)
    _, found = solved(text)
    # A point below six is made before a six is thrown one time in two; a six is always made at once or lost.
    won = Fraction(5, 6) * Fraction(1, 2) + Fraction(1, 6)
    assert found.probabilities[WIN, LOSE] == won / 2
    assert sum(found.probabilities.values()) == 1


def by_face(piece, face):
    return {"face": face, "name": piece.faces[face]}


def higher(table):
    return draw("player", higher_one)


def higher_one(table, card):
    return draw("banker", higher_two, card.order)


def higher_two(table, first, card):
    return ended(("bet", WIN if card.order > first else "push" if card.order == first else LOSE))


def test_cards_that_no_future_tells_apart_are_one_class():
    automaton = shown_to_be_merged(game(higher, DECK))
    assert len(automaton.rows) == 1 + 13 + 1
    assert max(len(set(one)) for one in automaton.partitions) == 13


def test_a_draw_that_is_impossible_may_raise_and_a_possible_one_is_refused():
    # Five cards of a rank cannot come from one deck, so that the stage is never come to with five.
    text = game(four_alike, shoe("deck", ("2", "3"), FRENCH_SUITS))
    shown_to_be_merged(text)
    assert walk(StagedRound(text)).size
    with pytest.raises(
        InputError, match=r"raised ZeroDivisionError.*\(agreement/test_staged_engine\.py:\d+\)"
    ):
        walk(StagedRound(game(four_alike, shoe("deck", ("2", "3"), FRENCH_SUITS, decks=2))))


def four_alike(table):
    return draw("player", counting, 0, 0)


def counting(table, drawn, twos, card):
    twos += card.rank == "2"
    if twos == 5:
        raise ZeroDivisionError("five of a kind")
    return (
        ended(("bet", WIN if twos == 4 else LOSE))
        if drawn == 4
        else draw("player", counting, drawn + 1, twos)
    )


FALSE = {
    "a hidden list": games.listed,
    "a hidden dict": games.mapped,
    "an attribute of a function": games.attributed,
    "a look behind the card": games.peeking,
    "a look behind the card that takes no for an answer": games.guessing,
    "an attribute of a class": games.classed,
    "a list that is emptied again, after one rank alone": games.stacked,
    "True beside 1 in what is seen": games.seeing_types,
    "a closure": games.closed,
    "a value that lies about equality": games.lying,
    "True beside 1": games.typed,
    "a default that can change": games.counted,
}


@pytest.mark.parametrize("planted", FALSE)
def test_state_that_is_kept_aside_is_refused(planted):
    with pytest.raises(
        InputError, match=r"handed|again|function of a module|changed|default|types|behind the card"
    ):
        shown_to_be_merged(game(FALSE[planted], DECK))


@pytest.mark.parametrize("leak", [games.leaking, games.offering])
def test_a_decision_that_sees_a_hidden_card_is_refused(leak):
    with pytest.raises(LeakError, match="face down"):
        shown_to_be_merged(game(leak, SMALL))


def test_equal_sights_of_different_types_are_no_one_decision():
    text = game(games.seeing_types_apart, DECK)
    shown_to_be_merged(text)
    with pytest.raises(InputError, match="one type at each place of what is seen"):
        walk(StagedRound(text))


def test_what_is_announced_may_be_known():
    assert leak_free(shown_to_be_merged(game(games.announcing, SMALL))) > 0


def test_a_face_in_no_class_or_in_a_wrong_one_and_what_is_read_only_the_second_time_are_found():
    text = game(higher, DECK)
    automaton = least(walked(text))
    found = automaton.walked
    (number,) = (
        place for place, one in enumerate(found.moments) if isinstance(one, NextDraw) and one.to == "player"
    )
    classes = found.classes[number]
    joined = FaceClass((*classes[0].faces, *classes[1].faces), ("order",))
    unread = FaceClass(tuple(range(52)), ())
    blind = [FaceClass(one.faces, ()) for one in classes]
    wrongly = r"no class|lead apart|differ in their order|instead of"
    for wrong, told in (
        (classes[1:], wrongly),
        ([*classes, classes[0]], wrongly),
        ([joined, *classes[2:]], wrongly),
        ([unread], wrongly),
        (blind, "again"),
    ):
        planted = replace(
            found, classes=[wrong if at == number else one for at, one in enumerate(found.classes)]
        )
        with pytest.raises(MergingError, match=told):
            proved(replace(automaton, walked=planted), surroundings(text), rounds=1)


def test_a_merged_state_that_is_not_alike_is_found_by_the_certificate():
    text = game(higher, DECK)
    automaton = least(walked(text))
    before = surroundings(text)
    wrong = [*automaton.state_of]
    wrong[2] = wrong[1]
    with pytest.raises(MergingError, match="merged and differ"):
        proved(replace(automaton, state_of=wrong), before, rounds=1)
    coarse = replace(automaton, partitions=(automaton.partitions[-1],) * len(automaton.partitions))
    with pytest.raises(MergingError, match="faces that were merged"):
        proved(replace(coarse, partitions=((0,) * 52,) * len(automaton.partitions)), before, rounds=1)


@pytest.mark.parametrize("text", [game(higher, DECK), game(games.red_dog, DECK, price=games.red_dog_price)])
def test_deals_come_to_every_state_and_settle_as_the_reference_round_does(text):
    reference = StagedRound(text)
    automaton, graph = proven(text).automaton, walk(reference)
    made = list(deals(automaton, graph))
    assert len(made) >= len(automaton.rows) - 1
    for one in made:
        row = [face for _, face in one.draws]
        row += [item for item in range(52) if item not in row]
        played = play(reference, row, one.decisions)
        assert dict(played.outcomes) == one.outcomes


def test_the_table_plays_as_the_round_does():
    text = game(games.red_dog, SMALL, price=games.red_dog_price)
    reference = StagedRound(text)
    strategy = solved(text)[0].table("best")
    table = round_table(proven(text).automaton, strategy)
    for row in permutations(range(8), 3):
        state, won = 0, list(table.settled[table.begun])
        for item in row:
            if table.piece[state] < 0:
                break
            face = text.equipment[0].shows[item]
            won += table.settled[table.settling[state, face]]
            state = int(table.following[state, face])
        whole = (*row, *(item for item in range(8) if item not in row))
        assert dict(won) == dict(play(reference, whole, strategy).outcomes)


def test_states_that_only_decisions_told_apart_are_merged_in_the_table():
    text = game(games.red_dog, DECK, price=games.red_dog_price)
    table = round_table(proven(text).automaton, solved(text)[0].table("best"))
    assert table.states < len(proven(text).automaton.rows)


HEARTS = "hearts"
ASIDE = []


def aside(table):
    return draw("player", aside_came)


def aside_came(table, card):
    ASIDE.append(card.suit)
    return draw("player", aside_came_again) if card.suit != HEARTS else ended(("bet", WIN))


def aside_came_again(table, card):
    return ended(("bet", WIN if ASIDE[-2] == card.suit else LOSE))


def test_a_suit_that_is_kept_aside_is_refused():
    text = game(aside, DECK)
    with pytest.raises(InputError, match=r"again|changed"):
        proved(least(walked(text)), surroundings(text), rounds=1)


SHOE = (3, 2, 4, 3)
"""Six cards: ranks 1 to 3 in two suits, target 4, the dealer draws below 3."""
STAKES = {"main": Fraction(1), "bonus": Fraction(1, 3)}


def every_strategy(offered):
    for options in product(*offered.values()):
        yield ChoiceTable("tried", SEEN, frozenset(zip(offered, options, strict=True)))


def counted_by_dealing(round_, strategy):
    """How many of the 720 orders of the shoe end so, each played card by card."""
    ends = Counter()
    for row in permutations(range(round_.equipment[0].size)):
        outcomes = play(round_, row, strategy).outcomes
        ends[outcomes["main"], outcomes["bonus"]] += 1
    return ends


@pytest.mark.parametrize("stakes", [{"main": Fraction(1)}, STAKES], ids=["main", "both"])
def test_best_and_worst_play_are_those_among_all_strategies(stakes):
    graph = walk(MergedHiddenCard(*SHOE, doubling=True))
    order = counting_order(graph.offsets, graph.targets)
    offered = {choice.sees: choice.ids for choice in graph.choices}
    values = [
        sum(
            probability * sum(stakes.get(result.wager, 0) * result.net for result in results)
            for results, probability in zip(
                graph.results, visits(graph, order, decide_by(one)).results, strict=True
            )
        )
        for one in every_strategy(offered)
    ]
    assert len(values) > 50
    assert solve(graph, order, stakes).value == max(values)
    assert solve(graph, order, stakes, worst=True).value == min(values)


def test_every_order_of_the_shoe_is_counted_as_it_is_dealt():
    round_ = MergedHiddenCard(*SHOE, doubling=True)
    graph = walk(round_)
    order = counting_order(graph.offsets, graph.targets)
    best, worst = (solve(graph, order, STAKES, worst=worst).table("tried") for worst in (False, True))
    for table in (best, worst):
        found = joint(graph, visits(graph, order, decide_by(table)), table)
        dealt = counted_by_dealing(round_, table)
        assert {key: Fraction(count, 720) for key, count in dealt.items()} == dict(found.probabilities)


def test_who_sees_the_hidden_card_does_better_than_best_play_does():
    values = []
    for round_ in (MergedHiddenCard(*SHOE), OpenedCard(*SHOE)):
        graph = walk(round_)
        order = counting_order(graph.offsets, graph.targets)
        values.append(solve(graph, order, STAKES).value)
    assert values[0] < values[1]
