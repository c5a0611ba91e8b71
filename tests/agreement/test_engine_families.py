"""The engine that walks reference rounds against the families' own counting, on small and on real decks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from certify.analysis.engine.best import solve
from certify.analysis.engine.counted import CountedGame, counted_game
from certify.analysis.engine.distribution import counting_order, decide_by, joint, visits
from certify.analysis.engine.exact import EngineExact
from certify.analysis.engine.walk import walk
from certify.families.port import rows_of
from certify.families.registry import family_of
from certify.families.sette_e_mezzo.exact.distribution import joint_distribution
from certify.families.sette_e_mezzo.exact.game_tree import game_tree
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS, solve_joint
from certify.families.sette_e_mezzo.exact.optimal import game_value
from certify.families.sette_e_mezzo.exact.optimal import solve as solve_main
from certify.families.sette_e_mezzo.exact.strategies import draws_of, jointly_optimal, main_optimal
from certify.families.sette_e_mezzo.text import text
from certify.families.seven_and_a_half.cards import DECK_SIZE, card_name
from certify.families.seven_and_a_half.counting import ClassDeck
from certify.families.stage_machine import StagedRound
from certify.mathematics import analyze
from certify.mathematics.of_game import exposure
from certify.model.game import Game
from certify.submission import read_game

CARDS = {card_name(card): card for card in range(DECK_SIZE)}

SETTE_E_MEZZO = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))
SMALL_DECKS = ("4 5 6 J Q", "A 3 7 K", "5 6 7 J K")
UNITS = {"main": Fraction(1), "partita-perfetta": Fraction(2), "mano-di-poker": Fraction(1, 2)}


def on_cards(cards: tuple[int, ...]) -> StagedRound:
    """Returns a round dealt from some of the cards."""
    (deck,) = SETTE_E_MEZZO.equipment
    faces = tuple(deck.faces[card] for card in cards)
    fewer = replace(deck, faces=faces, shows=tuple(range(len(cards))), supply=len(cards))
    return StagedRound(text(replace(SETTE_E_MEZZO, equipment=(fewer,))))


def two_suits(ranks: str) -> tuple[int, ...]:
    return tuple(sorted(CARDS[f"{rank} of {suit}"] for rank in ranks.split() for suit in ("Denari", "Coppe")))


@pytest.mark.parametrize("ranks", SMALL_DECKS)
def test_small_decks_of_7_e_mezzo_are_played_and_distributed_as_the_family_counts_them(ranks: str) -> None:
    cards = two_suits(ranks)
    graph = walk(on_cards(cards))
    order = counting_order(graph.offsets, graph.targets)
    tree = game_tree(SETTE_E_MEZZO, ClassDeck(cards))

    main = solve(graph, order, {"main": Fraction(1)})
    own = solve_main(tree.hands, tree.dealer, tree.terms)
    assert main.value == game_value(own)
    table = main.table("main-optimal")
    found = joint(graph, visits(graph, order, decide_by(table)), table)
    assert found.wagers == WAGERS
    counted = joint_distribution(tree, draws_of(main_optimal(tree, own)))
    assert dict(found.probabilities) == {k: p for k, p in counted.probabilities.items() if p}

    together = solve(graph, order, UNITS)
    jointly = solve_joint(tree, SETTE_E_MEZZO, UNITS)
    table = together.table("jointly-optimal")
    found = joint(graph, visits(graph, order, decide_by(table)), table)
    counted = joint_distribution(tree, draws_of(jointly_optimal(jointly)))
    assert dict(found.probabilities) == {k: p for k, p in counted.probabilities.items() if p}


def counted(name: str) -> CountedGame:
    game = read_game(Path(f"fixtures/games/{name}/game.toml"))
    family = family_of(game)
    return counted_game(family.reference, partial(rows_of, family.rules), game)


def assert_reproduced(game: Game, strategies: tuple[str, ...]) -> None:
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


def test_the_games_of_us5632489_return_what_they_always_did() -> None:
    assert 1 + counted("us5632489-casino").solution().value == Fraction(201034, 137085)
    assert 1 + counted("us5632489-home").solution().value == Fraction(10120821773902837, 9059753340237600)


@pytest.mark.slow
def test_7_e_mezzo_is_reproduced_by_its_reference_round_alone() -> None:
    assert 1 + counted("playtech-7-e-mezzo").solution().value == Fraction(4099063827798161, 4118069700108000)
    assert_reproduced(SETTE_E_MEZZO, ("main-optimal", "jointly-optimal"))
