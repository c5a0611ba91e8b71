"""Slots are played alike by reference round, second text and compiled play-through, and held by the kit."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice

import pytest
from cli_support import refuses
from representatives import only
from slot_rules import EVERY, PLAIN
from small_slots import LINES, small

from certify.analysis.engine.strategies import ConstantChoice
from certify.analysis.engine.walk import RoundGraph
from certify.certification.cross_checks import card_by_card
from certify.errors import InputError
from certify.families import added_rows_of, play, told_net
from certify.families.slot.exact.round import round_figures
from certify.families.slot.random_elements import pieces_of
from certify.families.slot.reference import SlotRound
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.second import settle
from certify.families.slot.volume.port import SlotCounter
from certify.kit.agreement import agreement
from certify.kit.faults import planted
from certify.kit.laws import laws, reach
from certify.kit.rule_values import raised_in_rules
from certify.kit.subject import Subject
from certify.model import Verdict, keywords
from certify.model.stages import Pays
from certify.simulation import StreamDecks

SEED = bytes(range(32))
ROUNDS = 60


def played(rules: SlotRules) -> tuple[SlotCounter, StreamDecks]:
    """Returns what plays a slot, and where its rounds come from."""
    return SlotCounter(rules, "main"), StreamDecks(SEED, pieces_of(rules))


@pytest.mark.parametrize("name", EVERY)
def test_reference_and_kernel_play_the_same_rounds(name: str) -> None:
    """Outcome and net result of every round, and what each row won in all of them."""
    rules = EVERY[name]
    counter, source = played(rules)
    compiled, plain, reference = source.words(0), source.words(0), SlotRound(rules, "main")
    told, starts = counter.play_rounds(compiled, ROUNDS)
    assert told == card_by_card(reference, counter, ConstantChoice(""), plain, ROUNDS)
    assert compiled.drawn == plain.drawn
    rows = source.whole(0, starts)
    assert told == counter.outcomes(rows)
    times: Counter[tuple[str, str]] = Counter()
    amount: dict[tuple[str, str], Fraction] = {}
    squares = Fraction(0)
    for row, said in zip(rows, told, strict=True):
        ended = play(reference, row.tolist(), ())
        assert ended.told(["main"], ["main"]) == said
        result = ended.results[0]
        assert settle(rules, {"main": {}}, ended.draws, ()) == {"main": (result.outcome, result.net)}
        assert sum((one.contribution for one in result.won), Fraction(0)) == result.net + 1
        squares += result.net**2
        for one in result.awards:
            times[one.part, one.row] += int(one.times)
            amount[one.part, one.row] = amount.get((one.part, one.row), Fraction(0)) + one.contribution
    counted = counter.count_rounds(source.words(0), ROUNDS)
    assert counted == counter.count(rows)
    totals = counted.totals_of("main")
    assert totals is not None
    assert totals.squares == squares
    assert {one[:2]: (one.times, Fraction(one.amount, totals.unit)) for one in totals.awards} == {
        key: (times[key], amount[key]) for key in times
    }


@pytest.mark.parametrize("name", only(EVERY, "full reels"))
def test_campaigns_come_to_the_exact_figures(name: str) -> None:
    """Mean by the exact variance, outcomes by their exact chances, contributions row by row."""
    rules, rounds = EVERY[name], 200_000
    figures = round_figures(rules, "main")
    counter, source = played(rules)
    counted = counter.count_rounds(source.words(1), rounds)
    totals = counted.totals_of("main")
    assert totals is not None
    error = figures.standard_deviation / math.sqrt(rounds)
    assert abs(float(totals.net / rounds - figures.expectation)) < 4 * error
    for outcome in figures.outcomes:
        mean = float(rounds * outcome.probability)
        assert abs(counted.wager("main")[outcome.id] - mean) <= 5 * math.sqrt(mean) + 5
    won = {(one.part, one.row) for one in totals.awards}
    assert won <= {(one.part, one.row) for one in figures.awards}


def test_a_round_is_told_as_a_player_sees_it() -> None:
    """Stops, window, wins, what starts, and every game of the series."""
    counter, source = played(PLAIN)
    told, starts = counter.play_rounds(source.words(0), 400)
    place = next(place for place, said in enumerate(told) if said[0].startswith("free-games"))
    ended = play(SlotRound(PLAIN, "main"), source.whole(0, starts)[place].tolist(), ())
    assert ended.trace[0].startswith("base game: reels stop at ")
    assert any(line.startswith("star-3 pays 10 coins") for line in ended.trace)
    assert "free-games starts: 3" in ended.trace
    assert any(line.startswith("free-games, game 1 of 3 so far: reels stop at ") for line in ended.trace)
    assert ended.trace[-1].startswith("main settles as free-games, ")


def test_a_series_longer_than_a_row_of_draws_ends_the_play_and_says_what_is_expected() -> None:
    """It said no more than that a round asks for more draws than a row holds."""
    text = LINES.replace("games = [0, 2, 4]", "games = [0, 1400, 1400]\nagain = [0, 4, 4]")
    counter, source = played(rules_of(small(text)))
    with pytest.raises(
        InputError, match=r"1,500 games of a series .* expected most_games, most_again or fewer"
    ):
        counter.count_rounds(source.words(0), 2_000)


# The second text of slots, written from the printed rules, against rounds as they are played.


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
    refuses(
        ValueError,
        ("left over", lambda: settle(PLAIN, {"main": {}}, (*draws, "1 seven"), ())),
        ("more draws than there are", lambda: settle(PLAIN, {"main": {}}, draws[:-1], ())),
    )


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


# The kit and slots: rules that state the pays, outcomes that are classes of rounds, rows that are awards.


WITHOUT_FEATURES = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222"]

[[strips]]
id = "base"
reels = ["a b c a", "a b b c", "b a c c"]

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [1, 2, 9]
"""


def subject(**changed: object) -> Subject:
    game = small(LINES)
    found = Subject(replace(game, port=replace(game.port, **changed)), bytes(range(32)), 20)
    # Free games are walked for a minute until there are too many states.
    found.__dict__["whole"] = None
    return found


def test_every_pay_that_the_rules_state_is_raised_once() -> None:
    game = small(LINES)
    sound = rules_of(game)
    raised = [rules_of(one) for _, one in raised_in_rules(game)]
    stated = sum(coins > 0 for row in (*sound.line_pays, *sound.scatter_pays) for coins in row.pays)
    assert len(set(raised)) == len(raised) == stated > 4
    assert sound not in raised


@pytest.mark.slow
def test_every_leg_of_a_slot_notices_a_pay_raised_in_the_rules_and_a_round_settled_otherwise() -> None:
    found = list(planted(subject()))
    assert {one.leg for one in found} == {"reference", "exact", "second", "volume", "settlement"}
    assert all(one.noticed for one in found)


def test_a_second_text_that_pays_by_other_rules_than_it_is_given_is_found() -> None:
    sound = rules_of(small(LINES))

    def deaf(_: SlotRules, pays: Pays, draws: tuple[str, ...], decisions: tuple[str, ...]) -> object:
        return settle(sound, pays, draws, decisions)

    two_pays = list(islice(planted(subject(second=deaf)), 8))
    assert [one.leg for one in two_pays if not one.noticed] == ["second", "second"]


def test_rows_that_are_awards_are_shown_by_rounds_that_win_them() -> None:
    verdicts = {one.law: one.verdict for one in reach(subject())}
    assert verdicts["paid-rows"] is Verdict.SATISFIED
    assert verdicts["rows"] is not Verdict.NOT_SATISFIED


def test_a_slot_that_is_walked_on_every_path_comes_to_its_own_figures_class_by_class() -> None:
    game = small(WITHOUT_FEATURES)
    walked = Subject(game, bytes(range(32)), 20)
    assert walked.whole is not None
    assert _own_counting(walked) is Verdict.SATISFIED
    assert [one.verdict for one in reach(walked)] == [Verdict.SATISFIED] * 2
    planted_fault = Subject(game, bytes(range(32)), 20)
    planted_fault.__dict__["whole"] = replace(walked.whole, graph=_paying_one_more(walked.whole.graph))
    assert _own_counting(planted_fault) is Verdict.NOT_SATISFIED


def test_only_rules_that_add_awards_have_rows_that_no_table_names() -> None:
    assert not added_rows_of(small(WITHOUT_FEATURES).port.rules, small(WITHOUT_FEATURES))


def _own_counting(tried: Subject) -> Verdict:
    return next(one.verdict for one in agreement(tried) if one.law == "own-counting")


def _paying_one_more(graph: RoundGraph) -> RoundGraph:
    """A walk whose best round of a class comes to one unit more."""
    (best,) = max(graph.results, key=lambda results: results[0].net)
    raised = {best: (replace(best, net=best.net + 1),)}
    return replace(graph, results=tuple(raised.get(one[0], one) for one in graph.results))


def test_a_round_that_wins_what_no_row_pays_is_found() -> None:
    rules = small(LINES).port.rules
    fewer = type("Fewer", (type(rules),), {"paid_rows": lambda self, game, wager: ()})(**keywords(rules))
    verdicts = {one.law: one.verdict for one in reach(subject(rules=fewer))}
    assert verdicts["paid-rows"] is Verdict.NOT_SATISFIED


def test_pays_that_the_rules_state_are_not_doubled_in_a_paytable_that_nothing_reads() -> None:
    found = {one.title: one.verdict for one in laws(subject())}
    doubled = next(title for title in found if title.startswith("Paying double"))
    assert found[doubled] is Verdict.NOT_APPLICABLE
