"""The two texts of the games with an open card: they agree on every state, and faults in one of them are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from open_card_rules import CASINO, HOME, on_cards

from certify.analysis.engine.deals import deals
from certify.families.open_card.rules import ANY_NUMBER, DrawnSeven, OpenCardRules, OpenCardTie
from certify.families.open_card.second import settle
from certify.families.open_card.text import OpenCardPrice, Table, text
from certify.families.second_text import TextAgreement, compared, settled
from certify.families.stage_machine import StagedRound
from certify.model.game import Game
from certify.model.stages import RoundText

FEWER = (0, 4, 9, 12, 16, 20, 24, 28, 29, 36)
"""A, 2, 2, 3, 4, 5, 6, 7, two faces and the King of diamonds among them."""


def agreement(game: Game, changed: Callable[[RoundText], RoundText] = lambda one: one) -> TextAgreement:
    """How far the second text settles a game as the first one does, a fault planted in the first."""
    played = StagedRound(changed(text(game)))
    every = deals(played.proven.automaton, played.graph())
    return compared(game, settle, settled(played.text, every))


@pytest.mark.parametrize(
    "rules",
    [
        OpenCardRules(tie=OpenCardTie.ANTE_RETURNED),
        OpenCardRules(tie=OpenCardTie.LOSE, player_may_stand_on_first_card=False),
        OpenCardRules((1,), dealer_always_draws=True),
        OpenCardRules((), 3, dealer_stands_on=13, dealer_maximum_cards=3),
        OpenCardRules((), 3, False, 10, ANY_NUMBER, True),
    ],
    ids=["ante returned", "ties lose", "one ante", "three cards", "both must draw"],
)
def test_the_texts_agree_under_other_rules(rules: OpenCardRules) -> None:
    found = agreement(on_cards(rules, FEWER, CASINO if rules.final_bets else HOME))
    assert found.deals > 100
    assert (found.differing, found.differences) == (0, ())


def _table(**changes: object) -> Callable[[RoundText], RoundText]:
    def changed(one: RoundText) -> RoundText:
        return replace(one, table=Table(replace(one.table.rules, **changes)))

    return changed


def _paid(tie: OpenCardTie) -> Callable[[RoundText], RoundText]:
    def changed(one: RoundText) -> RoundText:
        assert isinstance(one.price, OpenCardPrice)
        return replace(one, price=replace(one.price, tie=tie))

    return changed


@pytest.mark.parametrize(
    "fault",
    [
        _table(dealer_stands_on=10),
        _table(dealer_always_draws=True),
        _table(dealer_maximum_cards=3),
        _table(player_maximum_cards=3),
        _table(drawn_seven=DrawnSeven.BEATS_NOTHING),
        _paid(OpenCardTie.LOSE),
        _paid(OpenCardTie.ANTE_RETURNED),
    ],
    ids=[
        "the dealer stands on five",
        "the dealer always draws",
        "the dealer may hold three cards",
        "the player may hold three cards",
        "a drawn seven and a half beats nothing",
        "a tie loses",
        "a tie returns the ante alone",
    ],
)
def test_a_fault_in_rules_settlement_or_pays_of_the_first_text_is_found_by_the_second(
    fault: Callable[[RoundText], RoundText],
) -> None:
    found = agreement(CASINO, fault)
    assert found.differing > 0
    assert found.differences
