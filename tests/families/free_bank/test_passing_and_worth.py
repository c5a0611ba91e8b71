"""Who banks in the long run, and what a first card is worth: exact on a small deck."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.passing import (
    chance_of_passing,
    first_to_take,
    joint,
    passes,
    shares,
    two_at_the_table,
)
from certify.families.free_bank.exact.player_hands import FIRST
from certify.families.free_bank.exact.port import gain_of_choosing_stakes
from certify.families.free_bank.exact.settlement import PLAIN, REALE
from certify.families.free_bank.rules import Passing
from certify.families.free_bank.strategy import StandOn
from tests.families.free_bank.test_exact_on_small_decks import SEPT, SETTE

PASSING = replace(SEPT, rules=replace(SEPT.rules, passing=Passing.SEVEN_AND_A_HALF))


def test_the_first_seat_takes_the_bank_as_often_as_it_has_seven_and_a_half() -> None:
    player, bank = StandOn("p", 10), StandOn("b", 10)
    ends = joint(PASSING, player, bank)
    having = sum(chance for (end, _), chance in ends.chances.items() if end == PLAIN)
    assert (
        chance_of_passing(PASSING, joint(PASSING, player, bank)) == having == first_to_take(PASSING, 10, 1)[0]
    )


def test_the_bank_passes_as_each_rule_says() -> None:
    rules = PASSING.rules
    assert passes(PASSING, PLAIN, PLAIN)
    kept = replace(PASSING, rules=replace(rules, passes_when_bank_has_it=False))
    assert not passes(kept, PLAIN, PLAIN)
    assert passes(kept, PLAIN, 12)
    reale = replace(SETTE, rules=replace(SETTE.rules, passing=Passing.REALE))
    assert passes(reale, REALE, PLAIN)
    assert not passes(reale, PLAIN, 12)
    assert not passes(SEPT, PLAIN, 12)


def test_everybody_who_plays_alike_banks_the_same_share() -> None:
    first, second = first_to_take(PASSING, 10, 2)
    stays = 1 - first - second
    ring = ((stays, first, second), (second, stays, first), (first, second, stays))
    assert shares(ring) == (Fraction(1, 3),) * 3
    alike = StandOn("p", 10), StandOn("b", 11)
    ends = joint(PASSING, *alike)
    table = two_at_the_table(PASSING, ends, ends)
    assert table == (Fraction(1, 2), 0)


def test_shares_are_refused_where_the_bank_never_passes() -> None:
    with pytest.raises(ValueError, match="depends on who begins"):
        shares(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
    with pytest.raises(ValueError, match="sum to one"):
        shares(((Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))))


def test_first_cards_are_all_there_and_choosing_stakes_gains_with_each_unit() -> None:
    bank = StandOn("b", 10)
    own = player_best_response(SETTE, bank).own
    assert sum(own.dealt(node) for node in own.nodes if node.before == FIRST) == 1
    assert gain_of_choosing_stakes(SETTE, bank, 1) == 0
    gains = [gain_of_choosing_stakes(SETTE, bank, most) for most in (2, 3)]
    assert gains[1] == 2 * gains[0] >= 0
