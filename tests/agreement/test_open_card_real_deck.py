"""The casino version with an open dealer's card, on the real deck: every ordered deal, by rules written down again."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import perm
from pathlib import Path

import pytest

from certify.mathematics import analyze
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
KING_OF_DIAMONDS = 36
POINTS = (2, 4, 6, 8, 10, 12, 14, 1)


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
