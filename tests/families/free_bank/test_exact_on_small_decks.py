"""Best answers of a seat and of the bank are beaten by no plan of a small deck, and an equilibrium is proven."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from certify.families.free_bank.charts import BankChart, ChartLine, Lying, OpenTotal, PlayerChart
from certify.families.free_bank.exact.answers import bank_answer, player_answer
from certify.families.free_bank.exact.bank_hands import bank_hands
from certify.families.free_bank.exact.best_bank import bank_best_response
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.equilibrium import bracket, equilibrium
from certify.families.free_bank.exact.passing import joint
from certify.families.free_bank.exact.player_hands import own_hands
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.rules import FreeBankRules
from certify.families.free_bank.strategy import StandOn

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


TINY = BankTerms(FreeBankRules(bank_collects=2), deck=deck(three=1, six=1, face=2))


def test_no_player_without_lots_does_better_than_the_best_answer() -> None:
    bank = BANK
    hands = [node for node in own_hands(TINY).nodes if node.follows][:8]
    rest = player_answer(TINY, bank, "best").by_cards
    values = []
    for choices in product((Fraction(0), Fraction(1)), repeat=len(hands)):
        lines = tuple(((node.given_up, node.cards), hit) for node, hit in zip(hands, choices, strict=True))
        named = {key for key, _ in lines}
        lines += tuple(entry for entry in rest if entry[0] not in named)
        values.append(joint(TINY, PlayerChart("all", "", 10, by_cards=lines), bank).expectation)
    assert max(values) == player_best_response(TINY, bank).value
    assert len(set(values)) > 3


def test_no_plan_of_the_bank_does_better_than_its_best_answer() -> None:
    player = StandOn("p", 9)
    hands = bank_hands(TINY)
    held = [node.hand for place, node in enumerate(hands.nodes) if hands.chooses(place)]
    answer = bank_best_response(TINY, player)
    chart = bank_answer(TINY, player, "best")
    for view in own_hands(TINY).views:
        lying = Lying(view.hands[0].cards, view.swapped)
        others = [(key, line) for key, line in chart.by_cards if key != lying]
        values = []
        for choices in product((Fraction(0), Fraction(1)), repeat=min(len(held), 5)):
            draws = tuple(
                (tuple(card for card, count in enumerate(hand) for _ in range(count)), -1, hit)
                for hand, hit in zip(held, choices, strict=False)
            )
            by_cards = (*others, (lying, ChartLine(10, draws=draws)))
            rival = BankChart("rival", "", chart.otherwise, chart.by_total, by_cards)
            values.append(joint(TINY, player, rival).expectation)
        assert min(values) >= answer.value


@pytest.mark.parametrize("name", ["sept", "siete", "sette"])
def test_an_equilibrium_of_a_small_deck_is_proven_to_the_grain(name: str) -> None:
    terms = GAMES[name]
    found = equilibrium(terms, Fraction(1, 10**6))
    assert found.bracket == bracket(terms, found.player, found.bank)
    assert 0 <= found.bracket.width <= Fraction(1, 10**6)
    assert found.bracket.lower <= joint(terms, found.player, found.bank).expectation <= found.bracket.upper


def test_a_certificate_with_one_strategy_altered_is_wider() -> None:
    found = equilibrium(SEPT, Fraction(1, 10**6))
    proven = bracket(SEPT, PlayerChart("altered", "", 15), found.bank)
    assert proven.upper == found.bracket.upper
    assert proven.lower < found.bracket.lower - Fraction(1, 1000)
