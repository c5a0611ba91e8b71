"""A stranger's Mississippi Stud on the toolkit of hands: two cards, three bets, a hand of five, published figures.

Nothing but the toolkit is used: kinds of hands, sets of cards and the hands within them, sums over one card more.
Rules and figures: wizardofodds.com/games/mississippi-stud: house edge 4.91 %, element of risk 1.37 %, 3.59 units bet
on average; also casinocitytimes.com, "House edge and element of risk".
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from certify.analysis.hands import strength
from certify.analysis.hands.deals import BINOMIAL, check_alike, deals_of, number
from certify.analysis.hands.holds import kinds_by
from certify.analysis.hands.strength import KINDS, RANKS, SHIFT, CountedDeck, best_five, ranks_that_decide
from certify.analysis.hands.subsets import offsets_of, sums_over_larger, within
from certify.errors import InputError
from certify.exact import parse_percent

DECK = CountedDeck(tuple((rank, suit) for suit in range(4) for rank in range(13)), 4)
JACK = RANKS.index("J")
SIX = RANKS.index("6")

LOSES, PUSH, HIGH_PAIR = 0, 1, 2
ROWS = {
    strength.TWO_PAIR: (3, 2),
    strength.THREE: (4, 3),
    strength.STRAIGHT: (5, 4),
    strength.FLUSH: (6, 6),
    strength.FULL_HOUSE: (7, 10),
    strength.FOUR: (8, 40),
    strength.STRAIGHT_FLUSH: (9, 100),
    strength.ROYAL: (10, 500),
}
"""Row and pay of each kind above a pair; jacks or better pay 1 to 1, sixes to tens push."""
PAYS = np.array([-1, 0, 1, *(pay for _, pay in ROWS.values())], dtype=np.int64)

BETS = (1, 2, 3)
"""Antes that each street may be raised by; folding loses all that was bet."""
STREETS = (4, 3, 2)
"""Cards that are seen at each decision, the last one first."""


def row_of(strength, wild=0):
    """Returns the row of a hand of five."""
    kind, (paired, _) = strength >> SHIFT, ranks_that_decide(strength)
    if kind == strength.PAIR:
        return HIGH_PAIR if paired >> JACK else PUSH if paired >> SIX else LOSES
    return ROWS[kind][0] if kind in ROWS else LOSES


@dataclass(frozen=True)
class Solved:
    """Best play of a deck.

    Args:
        worth: By cards seen and antes bet, what going on as is best comes to in every set of cards, over `shares`.
        bets: By cards seen and antes bet, the best bet on every set of cards, 0 to fold.
        shares: By cards seen, over how many ways of drawing the rest `worth` is told.
        expectation: Net result of a round, in antes.
    """

    worth: dict[tuple[int, int], NDArray[np.int64]]
    bets: dict[tuple[int, int], NDArray[np.int64]]
    shares: dict[int, int]
    expectation: Fraction


@cache
def solved():
    """Returns best play, from the last street back to the first; every number is whole until the end."""
    rows, offsets = rows_of(), offsets_of(DECK.size, 5)
    counted = within(DECK.size, 5, rows, len(PAYS))
    # What one ante on the last street comes to over all fifth cards, for every four cards.
    one = counted[offsets[4] :] @ PAYS
    worth = {}
    bets = {}
    shares = {4: 48, 3: 48 * 49, 2: 48 * 49 * 50}
    for cards in STREETS:
        for bet in bets_before(cards):
            if cards == 4:
                options = [(bet + more) * one for more in BETS]
            else:
                options = [over_next(worth[cards + 1, bet + more], cards) for more in BETS]
            every = np.array([np.full_like(options[0], -bet * shares[cards]), *options])
            # Of bets that are worth the same the largest: so the published average is counted.
            worth[cards, bet], bets[cards, bet] = every.max(axis=0), 3 - every[::-1].argmax(axis=0)
    total = int(worth[2, 1].sum())
    return Solved(worth, bets, shares, Fraction(total, comb(52, 2) * shares[2]))


def bets_before(cards):
    """Returns the antes that may have been bet before so many cards are decided on."""
    streets = STREETS[::-1].index(cards)
    return range(1 + streets, 2 + 3 * streets)


def over_next(larger, cards):
    """Returns for every set of cards what all sets of one more come to together."""
    smaller = np.zeros((comb(DECK.size, cards), 1), dtype=np.int64)
    sums_over_larger(larger.reshape(-1, 1), cards + 1, BINOMIAL, smaller)
    return smaller[:, 0]


@cache
def rows_of():
    """Returns the row of every hand of five; that it does not hang on names of suits is proved on every hand."""
    rows = kinds_by(deals_of(DECK, 5), row_of)
    check_alike(rows, deals_of(DECK, 5).numbers, deals_of(DECK, 5).place)
    return rows


def faces(text):
    """Returns the faces of cards such as ``Ah Kd``."""
    return [RANKS.index(name[:-1]) + 13 * "dhsc".index(name[-1]) for name in text.split()]


def wagered():
    """Returns how much is bet on average under best play, played forward over every deal."""
    found, total = solved(), Fraction(0)
    reached = {1: np.ones(comb(52, 2), dtype=np.int64)}
    for cards in STREETS[::-1]:
        following = {}
        for bet, ways in reached.items():
            chosen = found.bets[cards, bet]
            total += Fraction(bet * int(ways[chosen == 0].sum()), comb(52, 2) * deals_so_far(cards))
            for more in BETS:
                going = np.where(chosen == more, ways, 0)
                if cards == 4:
                    total += Fraction((bet + more) * int(going.sum()), comb(52, 2) * deals_so_far(cards))
                else:
                    onward = following.setdefault(bet + more, np.zeros(comb(52, cards + 1), dtype=np.int64))
                    onward += to_larger(going, cards)
        reached = following
    return total


def deals_so_far(cards):
    """Returns in how many orders the cards after the first two came."""
    return {2: 1, 3: 50, 4: 50 * 49}[cards]


def to_larger(ways, cards):
    """Returns in how many ways every set of one card more is come to."""
    hands = np.array(list(combinations(range(52), cards + 1)), dtype=np.int64)
    place = sum(BINOMIAL[hands[:, at], at + 1] for at in range(cards + 1))
    found = np.zeros(comb(52, cards + 1), dtype=np.int64)
    for left in range(cards + 1):
        kept = np.delete(hands, left, axis=1)
        smaller = sum(BINOMIAL[kept[:, at], at + 1] for at in range(cards))
        found[place] += ways[smaller]
    return found


@pytest.mark.slow
def test_best_play_keeps_the_published_house_edge_and_bets_what_is_published():
    edge = -solved().expectation
    assert parse_percent("4.91 %").stands_for(edge)
    average = wagered()
    assert round(average, 2) == Fraction("3.59")
    assert parse_percent("1.37 %").stands_for(edge / average)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cards", "bet", "raised"),
    [
        # The published strategy: 3 on any pair, 1 on a high card of at least a jack or two of six to ten, else fold.
        ("Ah Ad", 1, 3), ("2h 2d", 1, 3), ("Jh 2d", 1, 1), ("6h 6d", 1, 3), ("7h 6d", 1, 1), ("5h 2d", 1, 0),
        # Third card: 3 on a made hand, on a royal draw, on a straight flush draw without gaps from 5-6-7 up.
        ("Jh Jd 4c", 4, 3), ("Ah Kh Qh", 2, 3), ("5h 6h 7h", 2, 3), ("2h 5d 9c", 2, 0),
        # Fourth card: 3 on a made hand or a flush draw, on an open straight draw of eights or better.
        ("Jh Jd 4c 2s", 3, 3), ("2h 5h 9h Jh", 3, 3), ("8h 9d 10c Js", 3, 3), ("2h 3d 7c 9s", 3, 0),
    ],
)  # fmt: skip
def test_best_play_decides_as_the_published_strategy_does(cards, bet, raised):
    hand = faces(cards)
    assert solved().bets[len(hand), bet][number(hand)] == raised


@pytest.mark.slow
def test_the_worth_of_four_cards_is_the_average_over_the_fifth():
    hand, found = faces("Jh 10h 9c 2s"), solved()
    left = [face for face in range(52) if face not in hand]
    won = sum(int(PAYS[row_of(best_five(DECK.of([*hand, face])))]) for face in left)
    best = max(-3 * 48, *((3 + more) * won for more in BETS))
    assert found.worth[4, 3][number(hand)] == best


@pytest.mark.slow
def test_a_row_that_hangs_on_the_name_of_a_suit_is_refused_and_a_wrong_pay_is_noticed(
    monkeypatch,
):
    deals, wrong = deals_of(DECK, 5), rows_of().copy()
    wrong[number(faces("2d 4d 6d 8d 10d"))] = LOSES
    with pytest.raises(InputError, match="differ in the names of suits alone"):
        check_alike(wrong, deals.numbers, deals.place)
    paid = PAYS.copy()
    paid[3] += 1
    monkeypatch.setitem(globals(), "PAYS", paid)
    assert not parse_percent("4.91 %").stands_for(-solved.__wrapped__().expectation)


def test_hands_come_as_often_as_any_table_of_poker_says():
    assert np.bincount(rows_of(), minlength=11).tolist()[3:] == [
        123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4
    ]  # fmt: skip
    assert KINDS == 11
