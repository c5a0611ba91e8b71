"""Printed rows that no deal can produce: judged by themselves, and nothing else of the game is lost."""

from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify.errors import InputError
from certify.exact import decimal_text
from certify.families.open_card.chances import deal_of, player_ways, true_chances, why_never
from certify.families.open_card.document import printed_verdicts
from certify.families.open_card.printed import COLUMNS, Printing
from certify.families.open_card.readings import with_rules
from certify.families.open_card.rules import ANY_NUMBER
from certify.mathematics import analyze
from certify.submission import read_game
from certify.submission.printed import printed_share

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
ON_THREE = with_rules(CASINO, dealer_stands_on=6)
LOST = {"THREE-THREE", "THREE-FOUR"}
"""What a dealer who stands on three never ends on."""


def hand(*names):
    kinds = ("A", "2", "3", "4", "5", "6", "7", "face", "K")
    return tuple(kinds.index(name) for name in names)


def test_a_row_that_no_deal_produces_has_a_verdict_and_the_others_keep_theirs():
    counts, rows = printed_verdicts(ON_THREE)
    assert (len(counts), len(rows)) == (26, 23)
    by_label = {entry.label: entry for entry in rows}
    assert {label for label, entry in by_label.items() if not entry.conditional} == LOST
    lost = by_label["THREE-FOUR"]
    assert lost.as_probability == Printing.NO_PROBABILITY
    assert lost.reason == (
        "no deal produces this hand: in no order of 3+4, 7, does the dealer draw up to the last card "
        "(stands on 3, holds at most 2 cards)"
    )
    # What the source counted is still held against its own fractions.
    assert lost.under_implied_reading == Printing.HOLDS
    assert lost.ways == asdict(player_ways(deal_of(CASINO), hand("3", "4")))
    kept = {entry.label: entry for entry in printed_verdicts(CASINO)[1]}
    assert {label for label in kept if "no deal" in kept[label].reason} == set()
    assert {
        label
        for label in by_label
        if by_label[label].under_implied_reading != kept[label].under_implied_reading
    } == set()


@pytest.mark.parametrize(
    ("rules", "cards", "words"),
    [
        ({}, hand("3", "4"), ""),
        ({}, hand("face", "K"), ""),
        ({"dealer_stands_on": 13}, hand("6"), "on 6, 6, the dealer draws another card (stands on 6½"),
        ({"dealer_always_draws": True}, hand("7"), "always draws a second card"),
        ({"dealer_maximum_cards": 1}, hand("A", "A"), "in no order of A+A, 2, does the dealer draw"),
        ({"dealer_maximum_cards": 1}, hand("A"), ""),
        ({"dealer_maximum_cards": ANY_NUMBER}, hand("A", "A"), "on A+A, 2, the dealer draws another card"),
        ({"dealer_maximum_cards": ANY_NUMBER}, hand("A", "A", "4"), ""),
        ({}, hand("K", "7"), "in no order of 7+"),
        ({}, hand("K", "K"), "the deck does not hold"),
        ({}, hand("A", "A", "A", "A", "A"), "the deck does not hold A+A+A+A+A"),
    ],
)  # fmt: skip
def test_why_a_dealer_never_ends_on_a_hand(rules, cards, words):
    game = with_rules(CASINO, **rules)
    tree = deal_of(game)
    found = why_never(tree, cards)
    assert words in found
    assert bool(words) == bool(found)
    if words:
        with pytest.raises(InputError, match="never ends"):
            true_chances(tree, analyze(game).strategy, cards)


def with_row(game, cards, *printed):
    shares = map(printed_share, printed)
    row = replace(CASINO.printed_rows[0], label="?", total=None, hand=cards)
    row = replace(
        row,
        shares=tuple(zip(COLUMNS, (*shares, *list(dict(row.shares).values())[len(printed) :]), strict=True)),
    )
    return replace(game, printed_rows=(row,), printed_counts=())


def test_the_king_drawn_later_is_a_half():
    """A row of five and the King of diamonds: 5½, and neither a certain win nor the row of any face."""
    for cards in (hand("5", "K"), hand("K", "5")):
        (entry,) = printed_verdicts(with_row(CASINO, cards))[1]
        assert entry.conditional
        king, face = (
            entry.conditional["main-optimal"],
            printed_verdicts(with_row(CASINO, hand("5", "face")))[1][0],
        )
        assert 0 < king["dealer_wins"].probability < 1
        assert king != face.conditional["main-optimal"]
    ways = player_ways(deal_of(CASINO), hand("5", "K"))
    # The King of diamonds alone would be 7½; with the dealer it is among nobody's hands.
    assert (ways.lone_faces, ways.total) == (11, 38 + 38 * 37 // 2)


def test_a_dealer_who_is_bust_loses_to_every_hand_that_is_not():
    ways = player_ways(deal_of(CASINO), hand("5", "5"))
    assert (ways.below, ways.equal) == (0, 0)
    (entry,) = printed_verdicts(with_row(CASINO, hand("5", "5")))[1]
    optimal = entry.conditional["main-optimal"]
    assert optimal["tie"].probability == 0
    assert optimal["player_wins"].probability > Fraction(1, 2)


@pytest.mark.parametrize("cards", [hand("face"), hand("5", "5")], ids=["a lone face", "a bust"])
def test_hands_over_one_denominator_hold_where_a_lone_face_ties_and_where_the_dealer_is_bust(cards):
    """A lone ½ ties with a lone ½, which no other hand does, and beats a dealer who is bust."""
    game = with_rules(CASINO, dealer_maximum_cards=len(cards))
    ways = player_ways(deal_of(game), cards)
    tie = ways.lone_faces if len(cards) == 1 else 0
    assert (ways.below, ways.equal) == (0, 0)
    shares = [Fraction(n, ways.total) for n in (ways.bust, tie, ways.total - ways.bust - tie)]
    printed = [decimal_text(100 * value, 4) for value in shares]
    (entry,) = printed_verdicts(with_row(game, cards, *printed))[1]
    assert (entry.as_probability, entry.reason) == (
        Printing.HOLDS,
        "it is the same hands over one denominator",
    )
