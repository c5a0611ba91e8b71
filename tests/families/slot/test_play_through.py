"""Slots are played alike by reference round and compiled play-through, and as the exact figures say."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from representatives import only
from slot_rules import EVERY, PLAIN
from small_slots import LINES, small

from certify.analysis.engine.strategies import ConstantChoice
from certify.certification.cross_checks import card_by_card
from certify.errors import InputError
from certify.families.driver import play
from certify.families.slot.exact.round import round_figures
from certify.families.slot.random_elements import pieces_of
from certify.families.slot.reference import SlotRound
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.second import settle
from certify.families.slot.volume.port import SlotCounter
from certify.simulation.decks import StreamDecks

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
    for row, said in zip(rows, told, strict=True):
        ended = play(reference, row.tolist(), ())
        assert ended.told(["main"], ["main"]) == said
        result = ended.results[0]
        assert settle(rules, {"main": {}}, ended.draws, ()) == {"main": (result.outcome, result.net)}
        assert sum((one.contribution for one in result.won), Fraction(0)) == result.net + 1
        for one in result.awards:
            times[one.part, one.row] += int(one.times)
            amount[one.part, one.row] = amount.get((one.part, one.row), Fraction(0)) + one.contribution
    counted = counter.count_rounds(source.words(0), ROUNDS)
    assert counted == counter.count(rows)
    totals = counted.totals_of("main")
    assert totals is not None
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


def test_a_limit_on_the_win_takes_away_what_lies_above_it() -> None:
    """The rest is told as a row of its own, below nothing."""
    rules = replace(PLAIN, most=Fraction(4))
    counter, source = played(rules)
    counted = counter.count_rounds(source.words(0), 3_000)
    totals = counted.totals_of("main")
    assert totals is not None
    assert totals.highest == 3
    limit = next(one for one in totals.awards if one.row == "limit")
    assert limit.amount < 0 < limit.times


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
