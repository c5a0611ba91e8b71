"""Rounds against a free bank, laid out card by card, and what each of them pays by the three sources."""

from __future__ import annotations

from fractions import Fraction

import pytest
from free_bank_tables import GAMES, played, row_of, seated, stand_on, table_of

from certify.errors import InputError
from certify.families.driver import decide_by, position, steps
from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.strategy import BankSees, HandEnd, OpenHand, OpenSeat, PlayerSees
from certify.families.port import Choice

LONG = (
    *(32, 39, 26, 2, 10, 17, 37, 36, 29, 20, 13, 3, 33, 15, 38, 14, 4, 1, 0, 31),
    *(22, 16, 9, 19, 25, 18, 7, 5, 30, 21, 23, 24, 27, 6, 11, 8, 28, 12, 34, 35),
)
"""A deck that eleven seats who all go for 7½ use up."""


@pytest.mark.parametrize(
    ("name", "cards", "decisions", "outcome", "net"),
    [
        # Player's first card, bank's first card, then draws.
        ("sept-et-demi", "7 6", "stand stand", "win", 1),
        ("sept-et-demi", "6 6", "stand stand", "lose", -1),
        ("sept-et-demi", "7 6 J", "hit stand", "seven-and-a-half", 1),
        ("sept-et-demi", "7 7 J Q", "hit hit", "both-seven-and-a-half", -1),
        ("sept-et-demi", "6 7 J", "stand hit", "bank-seven-and-a-half", -1),
        ("sept-et-demi", "7 A 3", "hit", "bust", -1),
        ("sept-et-demi", "2 7 5", "stand hit", "win", 1),
        ("siete-y-media", "7 6 J", "cover hit stand", "seven-and-a-half", 2),
        ("siete-y-media", "6 7 J", "cover stand hit", "bank-seven-and-a-half", -2),
        ("siete-y-media", "7 7 J Q", "cover hit hit", "both-seven-and-a-half", -4),
        ("siete-y-media", "7 7 5", "cover hit", "bust", -1),
        ("sette-e-mezzo", "7 6 J", "cover hit stand", "reale", 2),
        ("sette-e-mezzo", "M 6 7", "cover hit stand", "reale", 2),
        ("sette-e-mezzo", "M 6 J", "cover hit stand", "reale", 2),
        ("sette-e-mezzo", "M 6 3", "cover hit stand stand", "win", 1),
        ("sette-e-mezzo", "A 6 6 J", "cover hit hit stand", "seven-and-a-half", 1),
        ("sette-e-mezzo", "7 A J 6 Q", "cover hit hit hit", "reale", 2),
        ("sette-e-mezzo", "A 7 6 J Q", "cover hit hit hit", "both-seven-and-a-half", -1),
        ("sette-e-mezzo", "7 7 J Q", "cover hit hit", "both-reale", -1),
        ("sette-e-mezzo", "6 7 J", "cover stand hit", "bank-seven-and-a-half", -2),
        ("sette-e-mezzo", "3 6 7 J", "cover swap hit stand", "reale", 2),
        ("sette-e-mezzo", "M 7", "cover stand stand", "lose", -1),
    ],
)
def test_a_round_pays_what_its_source_says(
    name: str, cards: str, decisions: str, outcome: str, net: int
) -> None:
    result = played(name, cards, *decisions.split())
    assert (result.outcome("bet"), result.net["bet"]) == (outcome, Fraction(net))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("total", ["A", "4", "7"])
def test_a_tie_goes_to_the_bank(name: str, total: str) -> None:
    covered = () if name == "sept-et-demi" else ("cover",)
    assert played(name, f"{total} {total}", *covered, "stand", "stand").net["bet"] == -1


def test_faces_may_be_split_into_four_hands_with_equal_bets_played_in_order() -> None:
    # J; Q, K split off, a further J split off: four hands. The first takes 6, the others a card each.
    result = played(
        "siete-y-media", "J 5 Q K J 6 2 7 7", "cover", "hit", "split", "hit", "split", "hit", "split",
        "hit", "stand", "hit", "stand", "hit", "hit", "stand",
    )  # fmt: skip
    assert result.outcome("bet") == "lose+seven-and-a-half+seven-and-a-half+win"
    assert result.net["bet"] == 1 - 1 + 2 + 2
    assert result.staked["bet"] == 4


def asked(round_: FreeBankRound, cards: str, decisions: str, decks: int = 1) -> Choice:
    """Returns the decision that is open after cards and decisions."""
    choice = position(round_, row_of(cards, decks), decisions.split()).choice
    assert choice is not None
    return choice


@pytest.mark.parametrize(
    ("cards", "decisions"),
    [
        ("J 5 Q K J Q", "cover hit split hit split hit split hit"),
        ("J 5 Q K", "cover hit stay hit"),
        ("J 5 Q K", "cover hit split stand hit"),
    ],
    ids=["a fifth hand", "a hand of two faces", "a hand of a split"],
)
def test_no_more_is_split_than_four_hands_from_a_single_first_face(cards: str, decisions: str) -> None:
    assert asked(table_of("siete-y-media"), cards, decisions).ids == ("stand", "hit")


def test_every_split_stakes_as_much_as_the_first_hand_and_its_cover() -> None:
    options = asked(table_of("siete-y-media"), "J 5 Q", "cover hit").options
    assert {option.id: option.adds for option in options}["split"] == (("bet", Fraction(4)),)
    with pytest.raises(InputError, match="expected one of stay, split"):
        position(table_of("siete-y-media"), row_of("J 5 Q"), ["cover", "hit", "split-half"])


def test_a_swap_is_offered_once_and_before_anything_else() -> None:
    table = table_of("sette-e-mezzo")
    for cards, decisions, offered in (
        ("3 6", "cover", True),
        ("4 6", "cover", True),
        ("5 6", "cover", False),
        ("3 6 A", "cover hit", False),
        ("3 6 3", "cover swap", False),
        ("A 6 2", "cover hit", False),
    ):
        assert ("swap" in asked(table, cards, decisions).ids) == offered, (cards, decisions)
    with pytest.raises(InputError, match="expected one of stand, hit"):
        position(table, row_of("3 6 A"), ["cover", "hit", "swap"])


def bank_sees(name: str, cards: str, decisions: str) -> BankSees:
    sees = asked(table_of(name), cards, decisions).sees
    assert isinstance(sees, BankSees)
    return sees


def test_the_bank_sees_open_cards_in_order_and_no_hidden_one() -> None:
    # A and 2 hidden, 3 then face open, and face then 3: the hidden card makes no difference, the order does.
    first = bank_sees("sept-et-demi", "A 7 3 J", "hit hit stand")
    other = bank_sees("sept-et-demi", "2 7 3 J", "hit hit stand")
    turned = bank_sees("sept-et-demi", "A 7 J 3", "hit hit stand")
    assert first == other
    assert first != turned
    assert first.table == (OpenSeat((OpenHand((2, 7), HandEnd.STOOD),)),)


def test_the_bank_sees_a_hand_of_seven_and_a_half_whole_and_that_a_card_was_swapped() -> None:
    shown = bank_sees("sette-e-mezzo", "3 6 7 J", "cover swap hit")
    assert shown.table == (OpenSeat((OpenHand((6, 7), HandEnd.SEVEN_AND_A_HALF, True),), swapped=True),)


@pytest.mark.parametrize(("name", "covered"), [("sept-et-demi", False), ("sette-e-mezzo", True)])
def test_what_a_lost_hand_shows_is_a_reading(name: str, covered: bool) -> None:
    ahead = "cover " if covered else ""  # two seats, the bank, and a bust of the first
    sees = asked(reference(seated(name, 2)), "7 6 5 3", f"{ahead}hit {ahead}", decks=3).sees
    assert isinstance(sees, PlayerSees)
    (seen,) = sees.table
    assert seen.hands[0].end is HandEnd.BUST
    assert seen.hands[0].first_shown is not covered
    assert seen.hands[0].cards == ((2,) if covered else (6, 2))


def test_a_bank_that_is_alone_does_not_play_and_does_not_uncover() -> None:
    result = played("sept-et-demi", "7 6 5", "hit")
    assert result.faces("bank") == (20,)
    assert {hand.holder: hand.hidden for hand in result.hands}["bank"] == (0,)


def test_the_bank_passes_to_the_first_seat_in_order_with_what_its_game_asks_for() -> None:
    for name, cards, decisions, taker in (
        ("sept-et-demi", "6 7 7 A J Q", "stand hit hit stand", 1),
        ("sette-e-mezzo", "6 7 7 A J Q", "cover stand cover hit cover hit stand", 1),
        ("sept-et-demi", "6 6 6 A", "stand stand stand stand", None),
        ("siete-y-media", "6 7 7 A J Q", "cover stand cover hit cover hit stand", None),
    ):
        round_ = reference(seated(name, 3))
        taken = iter(decisions.split())
        *_, last = steps(round_, row_of(cards, decks=3), lambda choice, taken=taken: next(taken))
        assert round_.next_bank(last.state) == taker, name


def test_a_deck_that_runs_out_is_made_again_of_the_cards_of_lost_hands() -> None:
    game = seated("sept-et-demi", 11)
    round_ = reference(game)
    pair = stand_on(15, 15)
    *_, last = steps(round_, (*LONG, *range(40), *range(40)), decide_by(pair))
    assert last.state.deck.piece >= 1
    dealt = [card for seat in last.state.seats for hand in seat.hands for card in hand.cards]
    assert len(dealt) + len(last.state.bank) >= 40
    assert len(round_.results(last.state)) == 11


def test_with_no_card_left_at_all_whoever_would_draw_stands() -> None:
    round_ = reference(seated("sept-et-demi", 11, decks=1))
    *_, last = steps(round_, LONG, decide_by(stand_on(15, 15)))
    assert not last.state.deck.left
    # The bank draws below 7½ whatever it has, and the deck leaves it nothing to draw.
    stood = [hand.end for seat in last.state.seats for hand in seat.hands].count(HandEnd.STOOD)
    assert last.state.bank_stood or stood
