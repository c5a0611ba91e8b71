"""Chances against a dealer's final hand: counted by composition, and by dealing every ordered hand of a small deck."""

from collections import defaultdict
from fractions import Fraction
from functools import cache

import pytest
from open_card_rules import CASINO, HOME, KING, counted, dealer_draws, decides, end_of, on_cards
from representatives import firsts

from certify.families.open_card.chances import (
    ENDS,
    OpenDeal,
    PlainDeck,
    TrueChances,
    deal_of,
    joint_chances,
    true_chances,
)
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules
from certify.families.open_card.strategies import named
from certify.families.seven_and_a_half.cards import CLASS_FACE
from certify.families.seven_and_a_half.counting import plus, single
from certify.mathematics import analyze

CARDS = (0, 4, 5, 8, 9, 16, 24, 28, KING)
"""A, 2, 2, 3, 3, 5, 7, a Jack and the King of diamonds: a dealer who stands on 5 or below never runs out of them."""

HOMES = {
    f"stands on {stands_on / 2}, {'always draws' if always else 'may stand at once'}": OpenCardRules(
        final_bets=(),
        player_maximum_cards=ANY_NUMBER,
        dealer_maximum_cards=ANY_NUMBER,
        dealer_stands_on=stands_on,
        dealer_always_draws=always,
    )
    for stands_on, always in ((8, False), (8, True), (10, False))
}
RULES = {
    **HOMES,
    "any number of cards for the player alone": OpenCardRules(final_bets=(), player_maximum_cards=ANY_NUMBER),
    "any number of cards for the dealer alone": OpenCardRules(
        dealer_stands_on=8, dealer_maximum_cards=ANY_NUMBER
    ),
    "three cards each": OpenCardRules(final_bets=(), player_maximum_cards=3, dealer_maximum_cards=3),
    "casino": OpenCardRules(),
    "no card for anyone": OpenCardRules(final_bets=(), player_maximum_cards=1, dealer_maximum_cards=1),
}

Ends = dict[str, Fraction]


def called(cards, king):
    """Classes of a hand, low first; the King of diamonds by name, or one of the faces."""
    return tuple(sorted(min(card >> 2, CLASS_FACE) + (king and card == KING) for card in cards))


def table_of(rules, strategy):
    """The strategy found on the small deck."""
    return named(on_cards(rules, CARDS, CASINO if rules.final_bets else HOME), strategy)


def dealt(rules, strategy):
    """Every ordered deal by the readable rules: how rounds end, by the classes of the dealer's final hand.

    The player's cards come before the dealer's, and the dealer takes cards whatever became of the player.
    """
    chosen = dict(table_of(rules, strategy).choices)
    found = defaultdict(lambda: defaultdict(Fraction))

    def plays(player, shown, chance):
        if not decides(player, rules):
            yield player, False, chance
            return
        move = chosen[min(shown >> 2, CLASS_FACE), counted(player)].partition("-")[0]
        if move != "hit":
            yield player, move == "fold", chance
            return
        left = [card for card in CARDS if card != shown and card not in player]
        for card in left:
            yield from plays((*player, card), shown, chance / len(left))

    def draws(dealer, gone, chance):
        if not dealer_draws(dealer, rules):
            yield dealer, chance
            return
        left = [card for card in CARDS if card not in dealer and card not in gone]
        for card in left:
            yield from draws((*dealer, card), gone, chance / len(left))

    firsts = [
        (first, shown) for first in CARDS for shown in CARDS if first != shown and KING not in (first, shown)
    ]
    for first, shown in firsts:
        for player, folded, chance in plays((first,), shown, Fraction(1)):
            for dealer, weight in draws((shown,), player, chance):
                end = "fold" if folded else end_of(player, dealer)
                for king in {False, KING in dealer}:
                    found[called(dealer, king)][end] += weight
    return found


@cache
def both(name, strategy):
    """By the dealer's final hand: the chances by dealing every hand, and those that are counted."""
    deal, table = OpenDeal(PlainDeck(CARDS), RULES[name]), table_of(RULES[name], strategy)
    compared = {}
    for hand, ends in dealt(RULES[name], strategy).items():
        whole = sum(ends.values())
        lost = ends["lose"] + ends["bust"]
        parts = (lost, ends["push"], ends["win"], ends["fold"])
        compared[hand] = (
            TrueChances(*(part / whole for part in parts)),
            true_chances(deal, table, hand),
        )
    return compared


@pytest.mark.parametrize("strategy", firsts(["main-optimal", "always-second-card"]))
@pytest.mark.parametrize("name", RULES)
def test_chances_equal_every_ordered_deal_of_a_small_deck(name, strategy):
    for hand, (by_dealing, found) in both(name, strategy).items():
        assert found == by_dealing, hand


def test_hands_of_every_length_are_among_those_compared():
    """Dealers with one to four cards, busts, hands with the King of diamonds; players with more than two cards."""
    hands = set(both("stands on 4.0, may stand at once", "main-optimal"))
    assert {len(hand) for hand in hands} == {1, 2, 3, 4}
    assert any(8 in hand for hand in hands)
    assert any(sum(2 * kind + 2 if kind < 7 else 1 for kind in hand) > 15 for hand in hands)


def final_hands(deal):
    """Every hand on which the dealer of the real deck ends, by classes."""
    level, ended = {single(first) for first in range(CLASS_FACE + 1)}, set()
    while level:
        going = {hand for hand in level if deal.dealer_draws(hand)}
        ended |= level - going
        level = {
            plus(hand, kind)
            for hand in going
            for kind, cards in enumerate(deal.deck.class_counts)
            if hand[kind] < cards
        }
    return {tuple(kind for kind, held in enumerate(hand) for _ in range(held)) for hand in ended}


@pytest.mark.parametrize("strategy", firsts(["main-optimal", "always-second-card"]))
@pytest.mark.parametrize(
    ("game", "hands"), firsts([(CASINO, 2 + 21 + 12), (HOME, 457)]), ids=["casino", "home"]
)
def test_over_all_hands_of_the_dealer_the_chances_add_up_to_the_figures_of_the_game(game, hands, strategy):
    """The law of total probability on the real deck: what is counted by the dealer's hand, and without it.

    In the casino version these are a 6, a 7, and a first card of six classes with another of them or a 6 or 7.
    """
    deal, analysis = deal_of(game), analyze(game, strategy)
    found = dict.fromkeys(ENDS, Fraction(0))
    finals = final_hands(deal)
    for dealer in finals:
        for end, chance in joint_chances(deal, analysis.strategy, dealer).items():
            found[end] += chance
    assert len(finals) == hands
    counted = defaultdict(Fraction)
    for outcome in analysis.wager("ante").outcomes:
        counted[outcome.id.partition("-final-")[0]] += outcome.probability
    assert found["tie"] == counted["push"]
    assert found["player"] == counted["win"]
    assert found["dealer"] == counted["lose"] + counted["bust"]
    assert found["fold"] == counted["fold"]
