"""The toolkit of hands: strengths readable and compiled, classes of deals, hands met, what is left in the deck."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from certify.analysis.hands import strength_bits
from certify.analysis.hands.deals import deals_of, hand_of, number, offsets_of, require_equal_cards, within
from certify.analysis.hands.holds import arranged, best_holds, enumerated, hold_id, pays_of_kinds, values_of
from certify.analysis.hands.strength import (
    FIVE,
    KINDS,
    PAIR,
    ROYAL,
    SHIFT,
    STRAIGHT_FLUSH,
    TWO_PAIR,
    WILD,
    CountedDeck,
    best_five,
    bits_of,
    three_cards,
)
from certify.errors import InputError
from certify.families.one_decision import hand_vs_dealer
from certify.families.one_decision.exact import play_from
from certify.families.one_decision.hand_vs_dealer import situations, ways
from certify.families.one_decision.text import ENDS

WHOLE = CountedDeck(tuple((rank, suit) for suit in range(4) for rank in range(13)), 4)
SMALL = CountedDeck(tuple((rank, suit) for rank in (0, 1, 2, 3, 12) for suit in range(2)), 2)


def wild_deck(wilds):
    """Returns the whole deck with wild cards besides."""
    return replace(WHOLE, cards=(*WHOLE.cards, *[(WILD, 0)] * wilds))


def as_bits(deck, faces):
    """Returns a hand as bits."""
    return int(np.bitwise_or.reduce(bits_of(deck)[faces]))


@given(st.sampled_from([5, 6, 7]), st.permutations(range(52)))
def test_readable_and_compiled_strengths_of_five_to_seven_cards_are_equal(cards, deck):
    hand = deck[:cards]
    assert strength_bits.best_five_bits(as_bits(WHOLE, hand)) == best_five(WHOLE.of(hand))


def test_readable_and_compiled_strengths_are_equal_on_every_three_cards_and_on_made_hands():
    deals = deals_of(WHOLE, 3)
    random = Random(3)  # noqa: S311
    every = list(combinations(range(52), 3))
    for hand in random.sample(every, 3000):
        assert deals.strengths[number(hand)] == three_cards(WHOLE.of(hand))
    # Flushes, straights and full houses are rare among seven cards: dealt from nine cards they are not.
    for _ in range(3000):
        low, suits = random.randrange(9), random.sample(range(4), 2)
        few = [13 * suit + rank for rank in range(low, min(low + 6, 13)) for suit in suits]
        hand = tuple(random.sample(few, random.choice((5, 6, 7))))
        assert strength_bits.best_five_bits(as_bits(WHOLE, list(hand))) == best_five(WHOLE.of(hand))


@pytest.mark.parametrize("wilds", [1, 2, 3, 4])
def test_wild_cards_stand_for_whatever_makes_the_best_hand(wilds):
    deck, random = wild_deck(wilds), Random(wilds)  # noqa: S311
    for number_ in range(400 if wilds < 3 else 60):
        suit = random.randrange(4)
        among = [13 * suit + rank for rank in range(13)] if number_ % 2 else range(52)
        natural = random.sample(list(among), 5 - wilds)
        hand = [*natural, *range(52, 52 + wilds)]
        found = best_five(deck.of(hand))
        assert strength_bits.best_five_bits(as_bits(deck, hand)) == found
        if wilds == 1:
            assert found == max(by_hand([*WHOLE.of(natural), card]) for card in WHOLE.cards)
        elif number_ % 40 == 0 and wilds == 2:
            pairs = product(WHOLE.cards, repeat=2)
            assert found == max(by_hand([*WHOLE.of(natural), *pair]) for pair in pairs)


def by_hand(cards):
    """Returns the strength of five cards of which some may be the same card."""
    ranks = {rank for rank, _ in cards}
    if len(ranks) == 1:
        return FIVE << SHIFT | 1 << ranks.pop() + 13
    # The same card twice is no flush: it is told by its rank alone.
    return best_five(
        cards if len(set(cards)) == 5 else [(rank, place) for place, (rank, _) in enumerate(cards)]
    )


def test_hands_of_a_deck_are_of_each_kind_as_often_as_every_book_says():
    five, three = deals_of(WHOLE, 5).strengths >> SHIFT, deals_of(WHOLE, 3).strengths >> SHIFT
    assert np.bincount(five, minlength=KINDS).tolist() == [
        1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 0, 4
    ]  # fmt: skip
    assert np.bincount(three).tolist() == [16440, 3744, 1096, 720, 52, 44, 4]


def test_classes_of_deals_are_as_many_as_published_and_differ_in_suits_alone():
    # 134,459: arXiv:1602.04171; 1,755 starting hands of three cards.
    for cards, classes in ((5, 134_459), (3, 1_755)):
        deals = deals_of(WHOLE, cards)
        assert (len(deals.numbers), int(deals.weights.sum())) == (classes, comb(52, cards))
        assert (np.bincount(deals.place) == deals.weights).all()


def test_a_value_that_hangs_on_the_name_of_a_suit_is_refused():
    deals = deals_of(WHOLE, 3)
    require_equal_cards(deals.strengths, deals.numbers, deals.place)
    wrong = deals.strengths.copy()
    wrong[number((0, 1, 15))] += 1
    with pytest.raises(InputError, match="differ in the names of suits alone"):
        require_equal_cards(wrong, deals.numbers, deals.place)


def test_a_kind_is_asked_once_for_each_strength_and_number_of_wild_cards():
    asked = []

    def kind_of(strength, wild):
        asked.append((strength, wild))
        return strength >> SHIFT

    counted = enumerated(wild_deck(0), kind_of, KINDS)
    assert len(asked) == len(set(asked)) == 7_462  # Strengths of five cards: any table of poker hands.
    assert np.bincount(counted.kinds)[ROYAL] == 4


@given(st.integers(0, comb(52, 5) - 1))
def test_a_number_stands_for_one_hand(place):
    assert number(hand_of(place, 5, 52)) == place


def test_every_set_of_cards_is_within_as_many_hands_as_going_through_them_finds():
    random = Random(5)  # noqa: S311
    kinds = np.array([random.randrange(3) for _ in range(comb(10, 5))], dtype=np.uint8)
    found, offsets = within(10, 5, kinds, 3), offsets_of(10, 5)
    for held in range(5):
        for cards in combinations(range(10), held):
            row = [0, 0, 0]
            for hand in combinations(range(10), 5):
                row[kinds[number(hand)]] += set(cards) <= set(hand)
            assert found[offsets[held] + number(cards)].tolist() == row


def test_hands_met_are_those_of_going_through_every_deal_of_a_small_deck():
    least = PAIR << SHIFT
    found = situations(SMALL, least)
    table = ways(found, np.ones(len(found.hand), dtype=np.uint8), (KINDS, ENDS, KINDS))
    counted = {}
    for own in combinations(SMALL.cards, 5):
        left = [card for card in SMALL.cards if card not in own]
        for dealer in combinations(left, 5):
            mine, theirs = best_five(own), best_five(dealer)
            end = 0 if theirs < least else 1 if mine > theirs else 2 if mine == theirs else 3
            # Each of the dealer's cards may be the open one.
            for up in dealer:
                cell = (mine >> SHIFT, end, best_five((*own, up)) >> SHIFT)
                counted[cell] = counted.get(cell, 0) + 1
    assert {tuple(cell): int(table[tuple(cell)]) for cell in np.argwhere(table).tolist()} == counted
    assert int(table.sum()) == found.total


def test_a_hand_ranked_wrongly_changes_what_is_met(monkeypatch):
    deck = replace(SMALL, cards=(*SMALL.cards, (8, 0), (8, 1)))
    right, deals = situations(deck, 0), deals_of(deck, 5)
    # The weaker of two hands of a kind taken for the stronger one.
    wrong = deals.strengths ^ ((1 << SHIFT) - 1)
    monkeypatch.setattr(hand_vs_dealer, "deals_of", lambda *_: replace(deals, strengths=wrong))
    found = situations.__wrapped__(deck, 0)

    def lost(counted, kind):
        classes = counted.classes[counted.hand].tolist()
        told = zip(classes, counted.kinds.tolist(), counted.met[:, 3].tolist(), strict=True)
        return {(place, loses) for place, own, loses in told if own == kind}

    assert lost(found, TWO_PAIR) != lost(right, TWO_PAIR)


def test_the_value_of_every_hold_is_the_average_over_its_draws():
    def kind_of(strength, wild):
        return int(strength >> SHIFT >= STRAIGHT_FLUSH)

    counted = enumerated(SMALL, kind_of, 2)
    pays = pays_of_kinds(counted, [Fraction(0), Fraction(7, 2)])
    values, best = values_of(counted, pays), best_holds(counted, pays)
    for place, hand in list(enumerate(counted.deals.hands.tolist()))[::9]:
        assert tuple(hand) == arranged(SMALL, hand)
        left = [face for face in range(10) if face not in hand]
        for hold in range(32):
            kept = [face for at, face in enumerate(hand) if hold >> at & 1]
            drawn = [(*kept, *rest) for rest in combinations(left, 5 - len(kept))]
            won = [7 * kind_of(best_five(SMALL.of(end)), 0) for end in drawn]
            assert Fraction(int(values[place, hold]), counted.denominator) == Fraction(sum(won), len(won))
        assert values[place, best[place]] == values[place].max()
    assert hold_id(0) == "hold-none"


@pytest.mark.parametrize(
    ("hand", "option"),
    [
        *(("Qa 6b 4c", "play"), ("Qa 6b 3c", "fold"), ("Qa 5b 4c", "fold"), ("Ka 3b 2c", "play")),
        *(("3a 2a 2b", "play"), ("9a 7a 4a", "play"), ("4a 3b 2c", "play")),
    ],
)
def test_a_lowest_hand_and_whatever_makes_something_is_played(hand, option):
    assert play_from("play-from-Q-6-4").choose(hand, ("fold", "play")) == option
