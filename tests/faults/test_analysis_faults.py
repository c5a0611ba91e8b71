"""Planted faults in rules, pays and deck: each one must change a figure that is checked."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from representatives import only

from certify.errors import InputError, NothingCheckedError
from certify.evidence.encode import plain
from certify.exact import parse_percent
from certify.families.sette_e_mezzo.exact.best_play import solve
from certify.families.sette_e_mezzo.rules import Tie
from certify.families.seven_and_a_half.cards import rank_of
from certify.families.seven_and_a_half.counting import FULL_DECK, ClassDeck
from certify.mathematics import analyze, identify
from certify.mathematics.figures_evidence import analysis_evidence
from certify.model.figures import Outcome, WagerFigures
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")

FAULTS = {
    "swapped tie": {"tie": Tie.PUSH},
    "king loses to 7½": {"king_wins_against_dealer_seven_and_a_half": False},
    "dealer stands half a point early": {"dealer_stands_on": 5},
    "dealer stands half a point late": {"dealer_stands_on": 7},
    "dealer does not chase 7½": {"dealer_chases_seven_and_a_half": False},
}


def holds(game, wager, strategy="main-optimal"):
    (claim,) = plain(analysis_evidence(analyze(game, strategy), game))["wagers"][wager]["claims"]
    return claim["holds"]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_wrong_rule_breaks_the_printed_return_of_main(fault):
    assert holds(GAME, "main")
    assert not holds(replace(GAME, rules=replace(GAME.rules, **fault)), "main")


@pytest.mark.parametrize(
    "wager", ["main", "partita-perfetta", pytest.param("mano-di-poker", marks=pytest.mark.slow)]
)
def test_a_wrong_pay_on_any_row_breaks_the_printed_return(wager):
    strategy = "always-second-card" if wager == "mano-di-poker" else "main-optimal"
    assert holds(GAME, wager, strategy)
    for position, row in enumerate(GAME.wager(wager).paytable.rows):
        wrong = list(GAME.wager(wager).paytable.rows)
        wrong[position] = replace(row, pays=row.pays + 1)
        wagers = tuple(
            replace(entry, paytable=replace(entry.paytable, rows=tuple(wrong)))
            if entry.id == wager
            else entry
            for entry in GAME.wagers
        )
        assert not holds(replace(GAME, wagers=wagers), wager, strategy), row.id


@pytest.mark.parametrize("missing", only([0, 6, 7], 6))
def test_missing_cards_of_a_rank_change_the_return(missing):
    short = ClassDeck(tuple(card for card in FULL_DECK.cards if rank_of(card) != missing))
    assert solve(GAME, deck=short).wager_expectation("main") != solve(GAME).wager_expectation("main")


def test_an_impossible_figure_is_called_impossible_with_its_nearest_miss():
    claims = tuple(replace(claim, text="98.00 %", printed=parse_percent("98.00 %")) for claim in GAME.claims)
    game = replace(GAME, claims=claims)
    found = identify(game, "main")
    assert found.fits_count == 0
    assert found.readings[0].nearest_miss is not None
    assert found.conclusion.startswith("Impossible")
    side = identify(game, "partita-perfetta", by_row={"pair-of-sevens": [40]}, maximum=1)
    assert side.fits_count == 0
    assert all(search.nearest_miss is not None for search in side.readings)
    assert side.conclusion.startswith("Impossible")


def test_a_figure_cut_off_instead_of_rounded_is_another_claim():
    truncated = parse_percent("99.54 %", truncated=True)
    claims = tuple(
        replace(claim, printed=truncated) if claim.wager == "main" else claim for claim in GAME.claims
    )
    assert identify(replace(GAME, claims=claims), "main").fits_count == 0


def test_probabilities_that_do_not_sum_to_one_are_refused():
    with pytest.raises(ValueError, match="sum to 9/10"):
        WagerFigures("main", (Outcome("win", Fraction(1), Fraction(9, 10)),))


def test_values_that_the_enumeration_cannot_hold_are_refused():
    values = tuple((rank, 2 if rank == "Q" else points) for rank, points in GAME.values)
    with pytest.raises(InputError, match="different values"):
        analyze(replace(GAME, values=values))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "upward"}, "order 'upward'"),
        ({"by_row": {"full-house": [3]}}, "no row full-house"),
        ({"minimum": 5, "maximum": 4}, "no range"),
    ],
)
def test_searches_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        identify(GAME, "mano-di-poker", **options)


def test_a_wager_without_a_printed_return_cannot_be_identified():
    with pytest.raises(NothingCheckedError, match="prints no return for main"):
        identify(replace(GAME, claims=()), "main")
