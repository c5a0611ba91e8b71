"""Layouts as tables really offer them: bounds hold for what can occur, and known figures come out."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from many_bets import craps, keno, layout, sic_bo, sic_bo_bets
from representatives import firsts

from certify.errors import SubmissionError
from certify.families.single_draw import combinations, submitted
from certify.mathematics import analyze
from certify.simulation.volume import volume_of
from certify.submission import parse_game


def read(text):
    return parse_game(text.encode(), "game.toml")


def returns(game):
    return {one.wager: one.return_to_player for one in analyze(game).wagers}


def test_a_sic_bo_layout_of_fifty_bets_is_analysed_and_played():
    game = read(sic_bo())
    exact = returns(game)
    assert len(exact) == 50
    # Of the 216 throws, as every book counts them.
    assert exact["small"] == exact["big"] == 1 - Fraction(1, 36)
    assert exact["any-triple"] == Fraction(6 * 31, 216)
    assert exact["triple-6"] == Fraction(181, 216)
    assert exact["pair-2-5"] == Fraction(30 * 6, 216)
    rows = np.random.default_rng(7).integers(0, 6, (4_000, 3)).astype(np.uint8)
    counter = volume_of(game).counter(game, analyze(game).strategy)
    assert counter.outcomes(rows)[:300] == counter.twin(rows[:300])


def throws():
    """A bet on each of the 56 different throws, besides the layout."""
    found = []
    for faces in combinations_with_replacement(range(1, 7), 3):
        parts = (f"count of {{{face}}} in dice is {faces.count(face)}" for face in sorted(set(faces)))
        found.append(
            (f"throw-{'-'.join(map(str, faces))}", "30 to 1", (("", " and ".join(parts), "win", ""),))
        )
    return found


def test_more_than_120_conditions_are_taken_for_what_they_cost_counts(
    monkeypatch,
):
    others = [(f"as-{bet}", pays, conditions) for bet, pays, conditions in sic_bo_bets()]
    text = layout(
        "many", "dice", 'kind = "dice"\nsides = 6\ndraws = 3', 3, [*sic_bo_bets(), *others, *throws()]
    )
    game = read(text)
    assert len(game.wagers) == 156
    assert returns(game)["throw-1-2-3"] == Fraction(6 * 31, 216)
    monkeypatch.setattr(combinations, "MOST_READ", 8_000)
    combinations.table_of.cache_clear()
    with pytest.raises(
        SubmissionError, match="156 conditions are read on 56 ways of a turn: expected at most 8,000"
    ):
        read(text)


@pytest.mark.parametrize("tickets", firsts([2, 4, 9]))
def test_keno_tickets_are_counted_together(tickets):
    exact = returns(read(keno([range(1, size + 1) for size in range(1, tickets + 1)])))
    # One number of twenty drawn out of eighty; two of them.
    assert exact["ticket-1"] == Fraction(11, 4)
    assert exact["ticket-2"] == 11 * Fraction(20 * 19, 80 * 79)


def test_tickets_that_share_no_number_are_refused_before_they_are_counted_with_what_to_do():
    with pytest.raises(SubmissionError, match=r"ways of a turn apart.*put some wagers into a submission"):
        read(keno([range(8 * place + 1, 8 * place + 9) for place in range(9)]))


def test_a_wager_of_more_rows_than_are_taken_is_refused(monkeypatch):
    monkeypatch.setattr(submitted, "MOST_ROWS", 0)
    with pytest.raises(SubmissionError, match="1 rows: expected at most 0 of one wager"):
        read(keno([range(1, 3)]))


def test_sixteen_craps_bets_are_read():
    assert len(read(craps()).wagers) == 16


@pytest.mark.slow
def test_sixteen_craps_bets_are_analysed():
    exact = {one.wager: one.return_to_player for one in analyze(read(craps())).wagers}
    # Place bets on 4, 5 and 6 at 9 to 5, 7 to 5 and 7 to 6: edges of 1/15, 1/25 and 1/66.
    assert [exact[f"place-{point}"] for point in (4, 5, 6)] == [
        1 - Fraction(1, 15),
        1 - Fraction(1, 25),
        1 - Fraction(1, 66),
    ]
    assert (exact["hard-4"], exact["hard-6"]) == (1 - Fraction(1, 9), 1 - Fraction(1, 11))


def test_a_round_has_the_draws_before_it_that_its_stages_need():
    # Nothing is said of the draws of the dice: three a turn.
    (dice,) = read(sic_bo().replace("draws = 3\n", "")).equipment
    assert dice.supply == 3
    # A bet on a hard four waits with 27 throws of 36: once in 10^15 rounds for longer than 121 throws.
    (dice,) = read(craps()).equipment
    waits = Fraction(27, 36)
    assert dice.supply % 2 == 0
    turns = dice.supply // 2
    assert 2 * waits**turns < Fraction(1, 10**15) < 7 * waits ** (turns - 1)


def test_draws_that_are_stated_are_kept_where_they_suffice():
    (dice,) = read(sic_bo().replace("draws = 3\n", "draws = 9\n")).equipment
    assert dice.supply == 9
    with pytest.raises(SubmissionError, match="3 draws from dice in a turn: expected 1 to 2"):
        read(sic_bo().replace("draws = 3\n", "draws = 2\n"))
