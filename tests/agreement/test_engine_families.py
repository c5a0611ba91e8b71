"""The engine that walks reference rounds against the families' own counting, on small and on real decks."""

from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from certify.analysis.engine.counted import counted_game
from certify.analysis.engine.exact import EngineExact
from certify.families.port import rows_of
from certify.families.registry import family_of
from certify.mathematics import analyze
from certify.mathematics.of_game import exposure
from certify.submission import read_game

SETTE_E_MEZZO = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))


def counted(name):
    game = read_game(Path(f"fixtures/games/{name}/game.toml"))
    family = family_of(game)
    return counted_game(family.reference, partial(rows_of, family.rules), game)


def assert_reproduced(game, strategies):
    """The engine's figures, play, decisions and exposure are those of the family's own counting."""
    family = family_of(game)
    exact = EngineExact(family.reference, partial(rows_of, family.rules))
    for strategy in strategies:
        own, walked = analyze(game, strategy), exact.analyze(game, strategy)
        for wager in game.wagers:
            ours, theirs = walked.wager(wager.id), own.wager(wager.id)
            assert {o.id: (o.pays, o.probability, o.staked) for o in ours.outcomes if o.probability} == {
                o.id: (o.pays, o.probability, o.staked) for o in theirs.outcomes if o.probability
            }
            assert ours.return_on_total_wagered == theirs.return_on_total_wagered
    assert exact.exposure(game).amount == exposure(game).amount
    rows = set(exact.witnesses(game))
    assert rows == {
        (wager.id, row) for wager in game.wagers for row in family.rules.reachable_rows(game, wager.id)
    }


def test_the_games_of_us5632489_return_what_they_always_did():
    assert 1 + counted("us5632489-casino").solution().value == Fraction(201034, 137085)
    assert 1 + counted("us5632489-home").solution().value == Fraction(10120821773902837, 9059753340237600)


@pytest.mark.slow
def test_7_e_mezzo_is_reproduced_by_its_reference_round_alone():
    assert 1 + counted("playtech-7-e-mezzo").solution().value == Fraction(4099063827798161, 4118069700108000)
    assert_reproduced(SETTE_E_MEZZO, ("main-optimal", "jointly-optimal"))
