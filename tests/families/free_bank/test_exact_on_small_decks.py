"""Best answers of a seat and of the bank are beaten by no plan of a small deck, and an equilibrium is proven."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.families.free_bank.exact.answers import bank_answer, player_answer
from certify.families.free_bank.exact.best_bank import bank_best_response, worth_to_a_bank_that_swaps
from certify.families.free_bank.exact.equilibrium import bracket, equilibrium
from certify.families.free_bank.exact.passing import joint
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.rules import FreeBankRules
from certify.families.free_bank.strategy import StandOn


def deck(**held: int) -> tuple[int, ...]:
    names = ("a", "two", "three", "four", "five", "six", "seven", "face", "matta")
    return tuple(held.get(name, 0) for name in names)


SEPT = BankTerms(FreeBankRules(), deck=deck(a=1, three=2, five=2, seven=1, face=3))
SIETE = BankTerms(
    FreeBankRules(bank_collects=2, bank_collects_from_seven_and_a_half=4),
    seven_and_a_half=Fraction(2),
    deck=deck(two=2, four=2, six=1, seven=2, face=2),
)
SETTE_RULES = FreeBankRules(matta=True, swap=True, reale=True, bank_collects=2)
SETTE = BankTerms(SETTE_RULES, reale=Fraction(2), deck=deck(three=2, four=1, six=1, seven=1, face=2, matta=1))
GAMES = {
    "sept": SEPT,
    "siete": SIETE,
    "sette": SETTE,
}


@pytest.mark.parametrize("name", ["sept", "siete", "sette"])
def test_an_equilibrium_of_a_small_deck_is_proven_to_the_grain(name: str) -> None:
    terms = GAMES[name]
    found = equilibrium(terms, Fraction(1, 10**6))
    assert found.bracket == bracket(terms, found.player, found.bank)
    assert 0 <= found.bracket.width <= Fraction(1, 10**6)
    assert found.bracket.lower <= joint(terms, found.player, found.bank).expectation <= found.bracket.upper
    # A best answer, played as its chart says, brings what it is said to bring.
    player, bank = player_answer(terms, found.bank, "p"), bank_answer(terms, found.player, "b")
    assert joint(terms, player, found.bank).expectation == found.bracket.upper
    assert joint(terms, found.player, bank).expectation == found.bracket.lower


@pytest.mark.parametrize(
    ("terms", "kept", "worth"),
    [
        (SETTE, Fraction(-2827, 10080), Fraction(-1361, 3360)),
        (
            replace(SIETE, deck=deck(a=1, two=1, three=3, four=3, five=1, six=1, seven=2, face=3)),
            Fraction(-789433, 3603600),
            Fraction(-7048841, 25225200),
        ),
    ],
)
def test_a_bank_that_swaps_leaves_what_hands_that_hold_the_card_given_up_come_to(
    terms: BankTerms, kept: Fraction, worth: Fraction
) -> None:
    """Counted before by another way: every hand of the bank together with the card that it gave up."""
    player = StandOn("p", 10, terms.rules.swap)
    assert bank_best_response(terms, player).value == kept
    assert worth_to_a_bank_that_swaps(terms, player) == worth
