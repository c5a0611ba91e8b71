"""Exact figures of one seat against the bank agree with every deal of small decks, best answers with all others."""

from __future__ import annotations

from dataclasses import replace
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
from tests.families.free_bank.every_deal import expected, nets

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
SWAPPING_BANK = BankTerms(
    FreeBankRules(matta=True, swap=True, reale=True, bank_collects=2, bank_swaps=True),
    reale=Fraction(2),
    deck=deck(three=1, four=1, five=1, seven=1, face=1, matta=1),
)
DEAR_TIES = replace(SETTE, rules=replace(SETTE_RULES, bank_collects_from_seven_and_a_half=3))
"""A reale that a reale beats costs its stake, whatever a 7½ that a 7½ beats costs."""
GAMES = {
    "sept": SEPT,
    "siete": SIETE,
    "sette": SETTE,
    "swapping-bank": SWAPPING_BANK,
    "dear-ties": DEAR_TIES,
}

PLAYERS = (
    StandOn("p", 9),
    StandOn("p", 12, swaps=True),
    PlayerChart(
        "lots",
        "",
        8,
        by_cards=(((-1, (2,)), HALF), ((-1, (7, 2)), Fraction(1, 3)), ((2, (4,)), Fraction(1, 5))),
        swaps=((2, Fraction(1, 4)), (3, Fraction(1))),
    ),
)
BANKS = (
    StandOn("b", 10),
    BankChart(
        "lots",
        "",
        ChartLine(11, ((9, HALF),)),
        ((OpenTotal(False, 1), ChartLine(8, draws=(((4,), -1, Fraction(2, 3)),))),),
        ((Lying((2,)), ChartLine(13)), (Lying((7, 7)), ChartLine(6, ((10, Fraction(1, 7)),)))),
    ),
)


def strategies(terms, side):
    """Strategies of a side that the rules know."""
    if side == "bank":
        return BANKS
    return (
        tuple(player for player in PLAYERS if terms.rules.swap or not (getattr(player, "swaps", False)))
        or PLAYERS[:1]
    )


@pytest.mark.parametrize("name", GAMES)
def test_the_joint_distribution_is_that_of_every_deal(name: str) -> None:
    terms = GAMES[name]
    for player in strategies(terms, "player"):
        for bank in BANKS:
            ends = joint(terms, player, bank)
            assert sum(ends.chances.values()) == 1
            assert ends.net == nets(terms, player, bank)


@pytest.mark.parametrize("name", GAMES)
def test_best_answers_are_worth_what_dealing_them_out_gives(name: str) -> None:
    terms = GAMES[name]
    bank, player = BANKS[1], strategies(terms, "player")[-1]
    chart = player_answer(terms, bank, "best-response")
    assert expected(terms, chart, bank) == player_best_response(terms, bank).value
    chart = bank_answer(terms, player, "best-response")
    assert expected(terms, player, chart) == bank_best_response(terms, player).value


TINY = BankTerms(FreeBankRules(bank_collects=2), deck=deck(three=1, six=1, face=2))


def test_no_player_without_lots_does_better_than_the_best_answer() -> None:
    bank = BANKS[1]
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
