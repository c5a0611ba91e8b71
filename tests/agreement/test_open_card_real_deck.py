"""Games with an open dealer's card, the real deck card by card: every ordered deal, by rules written down again."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import perm
from pathlib import Path

import pytest

from certify.families.open_card.rules import rules_of
from certify.mathematics import analyze
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
KING_OF_DIAMONDS = 36
POINTS = (2, 4, 6, 8, 10, 12, 14, 1)
DECK = (4, 4, 4, 4, 4, 4, 4, 12)


def kind(card):
    """Class of a card: A to 7, or a face, among them the King of diamonds wherever it is not first."""
    return min(card >> 2, 7)


def chosen_by(analysis):
    return dict(analysis.strategy.choices)


def counted(*kinds):
    return tuple(kinds.count(one) for one in range(8))


def end_of(player, dealer):
    if player > 15:
        return "bust"
    if dealer > 15 or player > dealer:
        return "win"
    return "push" if player == dealer else "lose"


def outcomes_of(analysis):
    return {end.id: end.probability for end in analysis.wager("ante").outcomes if end.probability}


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy",
    ["main-optimal", "always-second-card", "stand-on:5"],
)
def test_all_2193360_ordered_deals_of_four_cards_of_the_casino_version(strategy):
    """No round of the casino version needs a fifth card, so this is every deal that there is."""
    analysis = analyze(read_game(GAMES / "us5632489-casino/game.toml"), strategy)
    chosen = chosen_by(analysis)
    found = Counter()
    for first, shown in permutations(range(40), 2):
        deals = perm(38, 2)
        if KING_OF_DIAMONDS in (first, shown):
            found["king-of-diamonds" if first == KING_OF_DIAMONDS else "dealer-king-of-diamonds"] += deals
            continue
        move, _, bet = chosen[kind(shown), counted(kind(first))].partition("-")
        if move == "fold":
            found["fold"] += deals
            continue
        own, his = POINTS[kind(first)], POINTS[kind(shown)]
        rest = [POINTS[kind(card)] for card in range(40) if card not in (first, shown)]
        for third, fourth in permutations(rest, 2):
            player, following = (own + third, fourth) if move == "hit" else (own, third)
            dealer = his + following if his < 12 and player <= 15 else his
            found[f"{end_of(player, dealer)}-final-{bet}"] += 1
    whole = perm(40, 4)
    assert sum(found.values()) == whole == 2_193_360
    assert {end: Fraction(ways, whole) for end, ways in found.items()} == outcomes_of(analysis)


class HomeVersion:
    """The home version played from any three first cards, by classes and without a look at other code."""

    def __init__(self, chosen, stands_on, always_draws):
        self.chosen = chosen
        self.stands_on = stands_on
        self.always_draws = always_draws
        self.dealer = cache(self.dealer)
        self.player = cache(self.player)

    def dealer(self, player, left, total, cards, following):
        """How often each end comes, as (end, probability); the next card of the deck is given, or unknown."""
        if total >= self.stands_on and not (self.always_draws and cards == 1):
            return ((end_of(player, total), Fraction(1)),)
        return self.drawn(
            left, following, lambda one, rest: self.dealer(player, rest, total + POINTS[one], 2, None)
        )

    def player(self, hand, left, shown, following):
        total = sum(POINTS[one] * held for one, held in enumerate(hand))
        if total > 15:
            return (("bust", Fraction(1)),)
        if total < 15 and self.chosen[shown, hand] == "hit":

            def grown(one, rest):
                return self.player(tuple(n + (k == one) for k, n in enumerate(hand)), rest, shown, None)

            return self.drawn(left, following, grown)
        return self.dealer(total, left, POINTS[shown], 1, following)

    def drawn(self, left, following, then):
        """Draws the given card, or any card that is left; cards of the deck that are not seen come all alike."""
        ends = Counter()
        size = sum(left)
        for one, cards in enumerate(left) if following is None else ((following, size),):
            if cards:
                rest = tuple(n - (k == one) for k, n in enumerate(left))
                for end, chance in then(one, rest):
                    ends[end] += chance * Fraction(cards, size)
        return tuple(sorted(ends.items()))


@pytest.mark.parametrize("strategy", ["main-optimal", pytest.param("stand-on:5", marks=pytest.mark.slow)])
def test_all_59280_ordered_deals_of_the_first_three_cards_of_the_home_version(strategy):
    """Each first, open and third card by its id; only what lies below them is counted by class."""
    game = read_game(GAMES / "us5632489-home/game.toml")
    analysis = analyze(game, strategy)
    rules = rules_of(game)
    table = HomeVersion(chosen_by(analysis), rules.dealer_stands_on, rules.dealer_always_draws)
    firsts = Counter()
    found = Counter()
    for first, shown, third in permutations(range(40), 3):
        if KING_OF_DIAMONDS in (first, shown):
            found["king-of-diamonds" if first == KING_OF_DIAMONDS else "dealer-king-of-diamonds"] += 1
        else:
            firsts[kind(first), kind(shown), kind(third)] += 1
    for (first, shown, third), deals in firsts.items():
        left = tuple(n - (k == first) - (k == shown) for k, n in enumerate(DECK))
        for end, chance in table.player(counted(first), left, shown, third):
            found[end] += deals * chance
    whole = perm(40, 3)
    assert sum(found.values()) == whole == 59_280
    assert {end: Fraction(ways, whole) for end, ways in found.items()} == outcomes_of(analysis)
