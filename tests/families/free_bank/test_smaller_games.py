"""Own counting agrees with the engine's walk over every path of a smaller game, lots of the equilibrium included."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from free_bank_tables import GAMES, game_of, with_rules

from certify.analysis.engine.counted import CountedGame
from certify.analysis.engine.distribution import visits
from certify.errors import InputError
from certify.families.free_bank.exact import names
from certify.families.free_bank.exact.settlement import PLAIN, BankTerms, terms_of
from certify.families.free_bank.family import FAMILY, counted_return
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import rules_of
from certify.families.free_bank.strategy import Pair
from certify.kit.subject import counted, differences, figures_of, walked_figures
from certify.model.equipment import shoe
from certify.model.game import Game

SLOW = pytest.mark.slow
EVERY = [pytest.param(name, marks=() if name == "sept-et-demi" else SLOW) for name in GAMES]


@pytest.mark.parametrize("name", GAMES)
def test_the_deck_that_is_counted_is_that_of_the_submission(name: str) -> None:
    game = game_of(name)
    rules = rules_of(game)
    assert terms_of(game).deck == rules.deck
    (small,) = FAMILY.checks.smaller(game)  # type: ignore[misc]
    terms = terms_of(small)
    assert terms.size == 9
    classes = reference(small).classes
    assert tuple(classes.count(card) for card in range(9)) == terms.deck
    assert (terms.deck[8] == 1) == rules.matta
    assert terms.deck[7] >= rules.hands or rules.hands == 1
    assert not tuple(FAMILY.checks.smaller(with_rules(game, seats=2)))  # type: ignore[misc]


@cache
def walk_of(name: str) -> tuple[Game, CountedGame]:
    """Returns the smaller game of a game, walked on every path."""
    (small,) = FAMILY.checks.smaller(game_of(name))  # type: ignore[misc]
    walked = counted(FAMILY, small)
    assert walked is not None
    return small, walked


@pytest.mark.parametrize("name", EVERY)
def test_own_counting_is_what_every_path_of_the_reference_round_comes_to(name: str) -> None:
    small, walked = walk_of(name)
    exact = FAMILY.exact
    assert exact is not None
    for pair in ("equilibrium against equilibrium", "stand-on:5 against stand-on:5"):
        own = exact.analyze(small, pair)
        assert not differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine")
        assert len(figures_of(own)["bet"]) >= 6


def test_splitting_counted_exactly_is_what_the_reference_round_comes_to() -> None:
    # Twelve cards, which four hands and the bank never empty: with nine, whoever draws last finds no card.
    game = game_of("siete-y-media")
    (deck,) = game.equipment
    held = {f"{rank} of {suit}" for rank in ("6", "7") for suit in deck.suits[:3]}
    held |= {
        f"{rank} of {suit}"
        for rank, suits in (("5", 2), ("J", 2), ("Q", 1), ("K", 1))
        for suit in deck.suits[:suits]
    }
    cards = shoe(deck.id, deck.ranks, deck.suits, removed=[card for card in deck.faces if card not in held])
    small = replace(game, equipment=(cards,))
    own = FAMILY.exact.analyze(small, "split-best-response against stand-on:5")  # type: ignore[union-attr]
    assert isinstance(own.strategy, Pair)
    assert counted_return(small, own.strategy) == own.wagers[0].return_to_player == 1 - Fraction(211, 3960)
    assert own.wagers[0].total_wagered > 1


def test_a_tie_that_own_counting_gives_back_is_found_by_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    small, walked = walk_of("sept-et-demi")
    net = BankTerms.net

    def lenient(self: BankTerms, player: int, bank: int) -> object:
        return 0 if player == bank < PLAIN else net(self, player, bank)

    def told() -> list[str]:
        names._figures.cache_clear()
        own = FAMILY.exact.analyze(small, "stand-on:5 against stand-on:5")  # type: ignore[union-attr]
        return differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine")

    assert not told()
    monkeypatch.setattr(BankTerms, "net", lenient)
    assert told()
    monkeypatch.undo()
    names._figures.cache_clear()


def test_a_strategy_by_lot_whose_chances_are_no_distribution_is_refused_by_the_walk() -> None:
    _, walked = walk_of("sept-et-demi")
    half = Fraction(1, 2)
    with pytest.raises(InputError, match="expected a sum of one"):
        visits(walked.graph, walked.order, lambda choice: ((choice.ids[0], half),))
    with pytest.raises(InputError, match="'peek' was decided"):
        visits(walked.graph, walked.order, lambda choice: ((choice.ids[0], half), ("peek", half)))
    even = visits(
        walked.graph,
        walked.order,
        lambda choice: tuple((one, Fraction(1, len(choice.ids))) for one in choice.ids),
    )
    assert sum(even.results) == 1
    assert min(even.results) > 0  # whoever decides by lot comes to every end
