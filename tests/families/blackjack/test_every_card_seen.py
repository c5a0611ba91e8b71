"""What looking at every card on the table could add to split hands: bounded, beside the best found by every order."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb, perm

import numpy as np
import pytest
from dealt_out import EveryCardSeen, whole_decks
from representatives import firsts, only

from certify.errors import InputError
from certify.families.blackjack.exact.search import against
from certify.families.blackjack.exact.seen import AllSeen, Moments, added
from certify.families.blackjack.exact.splits import Convention
from certify.families.blackjack.exact.strategies import BestPlay, card_of, plans
from certify.families.blackjack.exact.terms import BlackjackGame, Shoe
from certify.families.blackjack.rules import BlackjackRules
from certify.families.registry import family
from certify.messages import LANGUAGES, speaking, tell

SIXES, SEVENS, EIGHTS = (
    (0, 0, 0, 0, 0, 8, 0, 8, 0, 14),
    (0, 0, 6, 0, 0, 0, 6, 0, 0, 10),
    (6, 0, 0, 0, 0, 8, 0, 8, 0, 10),
)
SHOES = {
    "eights against a ten": (SIXES, BlackjackRules(), 9, 7, 0.1),
    "eights against a six": (SIXES, BlackjackRules(), 5, 7, 0.0),
    "eights against a ten, aces in the shoe": (EIGHTS, BlackjackRules(split_hands=3), 9, 7, 1e-4),
    "aces against a six": (EIGHTS, BlackjackRules(ace_hands=3), 5, 0, 0.0),
    "sevens against a ten": (SEVENS, BlackjackRules(split_hands=3), 9, 6, 0.03),
}
"""Cards, rules, open card, pair, and what looking at everything adds at least."""


@pytest.mark.parametrize("name", only(SHOES, "sevens against a ten", "aces against a six"))
@pytest.mark.parametrize("best", firsts([True, False]), ids=["by cards", "by totals"])
def test_the_best_that_looks_at_every_card_lies_within_the_bound(name: str, best: bool) -> None:
    shoe, rules, up, value, least = SHOES[name]
    terms = BlackjackGame(Shoe(shoe), rules)
    plan = plans(terms, BestPlay("best", terms) if best else card_of(terms))[up]
    whole = against(terms, up)
    more = EveryCardSeen(terms, up, value).worth() - whole.splitting(value, plan)
    bounds = [AllSeen(whole, plan, [value], orders).added(value) for orders in (1, 2, 3)]
    assert least - 1e-12 <= more <= min(bounds)
    # What is known of more cards together leaves less to be bounded: hardly anything but a rounding goes the other way.
    assert bounds[0] > bounds[1] - 1e-6 > bounds[2] - 2e-6


def test_hands_are_worth_with_cards_seen_what_they_are_worth_in_the_shoe_without_these() -> None:
    terms, up, value = BlackjackGame(whole_decks(1), BlackjackRules()), 5, 7
    whole = against(terms, up)
    every = AllSeen(whole, plans(terms, BestPlay("best", terms))[up], [value], 2)
    six_and_ten = tuple(int(one in (5, 9)) for one in range(10))
    seen = every._fewer[every._sets.index(six_and_ten)]
    apart = against(replace(terms, shoe=terms.shoe.without(six_and_ten)), up)
    found, expected, left = seen.split_hands(value, 0), apart.split_hands(value, 0), apart.left_before()
    left[value] -= 1
    hands = [
        hand for hand in apart.hands.place
        if hand[value] and sum(hand) > 1 and all(held <= many for held, many in zip(hand, left, strict=True))
    ]  # fmt: skip
    here, there = ([one.hands.place[hand] for hand in hands] for one in (seen, apart))
    assert len(hands) == 291
    assert np.array_equal(found.options[here], expected.options[there])
    assert not np.array_equal(found.options[here], whole.split_hands(value, 0).options[here])


@pytest.mark.parametrize("many", [3, 4, 5, 6])
def test_variances_with_many_cards_seen_follow_from_those_with_one_and_two(many: int) -> None:
    # What the next two cards multiply to, of eleven: what is expected of it depends on no more than two cards together.
    cards = (1, 1, 2, 3, 5, 8, 8, 9, 11, 11, 13)
    size = len(cards)

    def expected(seen: tuple[int, ...]) -> float:
        left = [card for place, card in enumerate(cards) if place not in seen]
        return (sum(left) ** 2 - sum(card * card for card in left)) / perm(len(left), 2)

    def rows(number: int) -> list[float]:
        return [expected(seen) for seen in combinations(range(size), number)]

    mean = np.array(rows(0))
    found = Moments.of(
        np.array([[one] for number in range(3) for one in rows(number)]),
        np.array([[1 / comb(size, number)] for number in range(3) for _ in rows(number)]),
        np.array([number for number in range(3) for _ in rows(number)]),
        np.array([size]), np.array([2]), span=0.0,
    )  # fmt: skip
    assert found.spread(many)[0] == pytest.approx(
        float(np.mean((np.array(rows(many)) - mean) ** 2)), rel=1e-9
    )


@pytest.mark.parametrize("hands", firsts([2, 4]))
def test_an_endless_deck_tells_nothing_to_who_looks(hands: int) -> None:
    rules = BlackjackRules(hits_soft_17=True, split_hands=hands, ace_hands=2)
    terms = BlackjackGame(whole_decks(0), rules)
    assert 0 <= added(terms, plans(terms, BestPlay("best", terms))) < 1e-8


def test_a_pair_of_one_deck_whose_like_is_open_has_a_bound_though_no_card_of_it_may_be_left() -> None:
    terms = BlackjackGame(whole_decks(1), BlackjackRules(hits_soft_17=True))
    whole = against(terms, 7)
    plan = plans(terms, BestPlay("best", terms))[7]
    assert 0 < AllSeen(whole, plan, [7], 2).added(7) < 0.04


def test_ways_of_playing_without_a_bound_are_refused() -> None:
    terms = BlackjackGame(whole_decks(6), BlackjackRules())
    with pytest.raises(InputError, match="by how many they become"):
        added(terms, plans(terms, BestPlay("best", terms, Convention.PAIRS)))
    rescued = BlackjackGame(whole_decks(6), replace(terms.rules, double_rescue=True))
    with pytest.raises(InputError, match="given up"):
        added(rescued, plans(terms, BestPlay("best", terms)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bound_is_printed_rounded_outwards(language: str) -> None:
    family("blackjack")
    with speaking(language, "blackjack"):
        assert "0017" in tell("blackjack.finding.seen", most="163/10000000")
