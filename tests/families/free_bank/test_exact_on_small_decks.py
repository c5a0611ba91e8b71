"""Best answers of a seat and of the bank are beaten by no plan of a small deck, and an equilibrium is proven."""

from __future__ import annotations

from fractions import Fraction

import pytest

from certify.families.free_bank.charts import BankChart, ChartLine, Lying, OpenTotal
from certify.families.free_bank.exact.equilibrium import bracket, equilibrium
from certify.families.free_bank.exact.passing import joint
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.rules import FreeBankRules

HALF = Fraction(1, 2)


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

BANK = BankChart(
    "lots",
    "",
    ChartLine(11, ((9, HALF),)),
    ((OpenTotal(False, 1), ChartLine(8, draws=(((4,), -1, Fraction(2, 3)),))),),
    ((Lying((2,)), ChartLine(13)), (Lying((7, 7)), ChartLine(6, ((10, Fraction(1, 7)),)))),
)


@pytest.mark.parametrize("name", ["sept", "siete", "sette"])
def test_an_equilibrium_of_a_small_deck_is_proven_to_the_grain(name: str) -> None:
    terms = GAMES[name]
    found = equilibrium(terms, Fraction(1, 10**6))
    assert found.bracket == bracket(terms, found.player, found.bank)
    assert 0 <= found.bracket.width <= Fraction(1, 10**6)
    assert found.bracket.lower <= joint(terms, found.player, found.bank).expectation <= found.bracket.upper
