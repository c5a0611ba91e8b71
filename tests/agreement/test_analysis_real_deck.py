"""The real deck: covariances, and witnesses replayed by the reference engine."""

from dataclasses import replace
from pathlib import Path

import pytest

from certify.errors import InputError
from certify.families.driver import play
from certify.families.registry import family_of
from certify.families.sette_e_mezzo.exact import witness as search
from certify.families.sette_e_mezzo.exact.witness import witnesses
from certify.families.sette_e_mezzo.rules import Tie
from certify.mathematics import analyze, joint_figures
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def test_covariances_equal_those_of_the_marginals_and_the_joint_distribution():
    figures = joint_figures(GAME, "main-optimal")
    analysis = analyze(GAME)
    for wager, value in figures.returns.items():
        assert value == analysis.wager(wager).return_to_player
        assert figures.of_pair(wager, wager).covariance == analysis.wager(wager).variance
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in figures.covariance)
    assert figures.variance == spread


def test_every_witness_is_replayed_to_its_outcomes_by_the_reference_engine():
    found = witnesses(GAME)
    assert len(found) > 30
    reference = family_of(GAME).reference(GAME)
    for outcomes, witness in found.items():
        played = play(reference, witness.deck, witness.decisions)
        assert tuple(played.outcome(wager.id) for wager in GAME.wagers) == outcomes
        assert played.decisions == witness.decisions
        assert sum(len(hand.faces) for hand in played.hands) == witness.dealt


@pytest.mark.slow
def test_witnesses_are_those_of_the_rules_whatever_is_paid():
    wagers = tuple(
        replace(
            wager,
            paytable=replace(
                wager.paytable, rows=tuple(replace(row, pays=3 * row.pays) for row in wager.paytable.rows)
            ),
        )
        for wager in GAME.wagers
    )
    richer = replace(GAME, wagers=wagers)
    assert richer != GAME
    assert witnesses(richer) is witnesses(GAME)
    found = witnesses(GAME)
    search._witnesses.cache_clear()
    assert witnesses(richer) == found
    otherwise = replace(GAME, rules=replace(GAME.rules, tie=Tie.PUSH))
    assert witnesses(otherwise).keys() != witnesses(GAME).keys()


def test_witnesses_are_refused_where_faces_are_worth_different_values():
    dearer = replace(GAME, values=tuple((rank, 2 if rank == "K" else value) for rank, value in GAME.values))
    with pytest.raises(InputError, match="cards of different values"):
        witnesses(dearer)


@pytest.mark.slow
def test_witnesses_cover_exactly_the_joint_outcomes_that_strategies_meet():
    from certify.families.sette_e_mezzo.exact.analyze import play_named

    reachable = set(witnesses(GAME))
    for strategy in ("main-optimal", "always-second-card", "mimic-dealer", "stand-on:7.5"):
        assert set(play_named(GAME, strategy).distribution.orders) <= reachable
