"""The readable rules against the examples and sentences of the published rules screen."""

from fractions import Fraction

import pytest
from certify.families.sette_e_mezzo.round import play_round, replay

from certify.errors import InputError
from certify.families.sette_e_mezzo import rulebook
from certify.families.sette_e_mezzo.mano_di_poker import classify
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.seven_and_a_half.cards import DECK_SIZE, parse_card
from certify.model.paytable import Paytable, PaytableRow

RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)


def cards(text: str) -> list[int]:
    return [parse_card(name) for name in text.split(", ")]


def deck_of(text: str) -> list[int]:
    first = cards(text)
    return [*first, *(card for card in range(DECK_SIZE) if card not in first)]


@pytest.mark.parametrize(
    ("hand", "half_points"),
    [
        ("A of Denari", 2),
        ("7 of Coppe, J of Spade", 15),
        ("K of Coppe, K of Spade", 2),
        ("K of Denari", 14),
        ("K of Denari, 7 of Denari", 15),  # the matta counts ½
        ("K of Denari, J of Denari", 15),  # the matta counts 7
        ("K of Denari, 5 of Denari", 14),  # the matta counts 2: no value makes 7½
        ("K of Denari, 5 of Denari, J of Denari", 15),
        ("K of Denari, 7 of Denari, J of Denari", 16),  # bust even at ½
        ("K of Denari, 5 of Denari, 4 of Denari", 19),
        ("7 of Denari, 7 of Coppe", 28),
    ],
)
def test_hand_values(hand: str, half_points: int) -> None:
    assert rulebook.hand_value(cards(hand)) == half_points


@pytest.mark.parametrize(
    ("hand", "combination"),
    [
        ("K of Denari, Q of Denari, J of Denari", "royal-flush"),  # the example printed by the source
        ("4 of Bastoni, 5 of Bastoni, 6 of Bastoni", "straight-flush"),  # printed
        ("Q of Coppe, Q of Spade, Q of Bastoni", "three-of-a-kind"),  # printed
        ("2 of Coppe, 5 of Coppe, Q of Coppe", "flush"),  # printed
        ("2 of Denari, 3 of Spade, 4 of Coppe", "straight"),  # printed
        ("J of Denari, Q of Spade, K of Coppe", "straight"),
        ("6 of Denari, 7 of Spade, J of Coppe", None),  # printed: no straight
        ("7 of Denari, J of Spade, Q of Coppe", None),  # printed: no straight
        ("K of Denari, A of Spade, 2 of Coppe", None),  # printed: no straight
        ("K of Coppe, A of Coppe, 2 of Coppe", "flush"),
        ("K of Denari, 3 of Spade, 4 of Coppe", None),  # the King of Denari is a King here
    ],
)
def test_against_the_examples_of_the_rules_screen(hand: str, combination: str | None) -> None:
    first, second, third = cards(hand)
    assert classify(first, second, third) == classify(third, first, second) == combination


def main_outcome(text: str, taken: int, rules: SetteEMezzoRules = RULES) -> str:
    return play_round(deck_of(text), rules, {}, lambda hand: "hit" if len(hand) < taken else "stand").outcome(
        "main"
    )


def test_the_king_row_against_a_dealer_seven_and_a_half_is_a_rule() -> None:
    deck = "K of Denari, 7 of Coppe, 7 of Denari, J of Coppe"
    assert main_outcome(deck, 2) == "king-of-denari-seven-and-a-half"
    assert main_outcome(deck, 2, SetteEMezzoRules()) == "lose"
    assert main_outcome(deck, 2, SetteEMezzoRules(tie=Tie.PUSH)) == "push"


def test_seven_and_a_half_in_three_cards_with_the_matta_is_a_plain_win() -> None:
    assert main_outcome("5 of Denari, 4 of Coppe, J of Coppe, K of Denari, 7 of Coppe", 3) == "win"


def test_the_dealer_draws_below_three_and_stands_on_three() -> None:
    stands = play_round(deck_of("5 of Denari, 3 of Coppe, 7 of Coppe"), RULES, {}, lambda _: "stand")
    draws = play_round(
        deck_of("5 of Denari, 2 of Coppe, J of Coppe, J of Spade"), RULES, {}, lambda _: "stand"
    )
    assert stands.dealer == tuple(cards("3 of Coppe"))
    assert draws.dealer == tuple(cards("2 of Coppe, J of Coppe, J of Spade"))


def test_a_bust_player_forfeits_the_pair_but_not_the_poker_hand() -> None:
    deck = deck_of("7 of Denari, 7 of Coppe, 7 of Spade")
    bust = play_round(deck, RULES, {}, replay(["hit"]))
    assert dict(bust.outcomes) == {
        "main": "bust",
        "partita-perfetta": "not-uncovered",
        "mano-di-poker": "three-of-a-kind",
    }
    unconditional = SetteEMezzoRules(pair_condition=PairCondition.UNCONDITIONAL)
    turned = play_round(deck, unconditional, {}, replay(["hit"]))
    assert turned.outcome("partita-perfetta") == "pair-of-sevens"
    assert "player is bust: the dealer neither draws nor uncovers the first card" in bust.trace
    assert "player is bust: the dealer does not draw and uncovers the first card" in turned.trace


def test_a_round_explains_itself_and_pays() -> None:
    deck = deck_of("2 of Denari, 3 of Denari, 4 of Coppe")
    paytable = Paytable((PaytableRow("win", "Win", Fraction(1)),))
    played = play_round(deck, RULES, {"main": paytable}, replay(["hit", "stand"]))
    assert played.trace == (
        "player is dealt 2 of Denari: total 2",
        "dealer is dealt, face down, 3 of Denari: total 3",
        "player hits on 2",
        "player draws 4 of Coppe: total 6",
        "player stands on 6",
        "player's hand ends on 6",
        "dealer stands on 3",
        "main settles as win, pays 1 net",
        "partita-perfetta settles as lose",
        "mano-di-poker settles as straight",
    )
    assert played.net == (("main", Fraction(1)),)
    assert play_round(deck, RULES, {"main": paytable}, replay(played.decisions)) == played


def test_what_is_no_deck_and_no_decision_is_refused() -> None:
    with pytest.raises(InputError, match="39 cards"):
        play_round(list(range(39)), RULES, {}, lambda _: "stand")
    with pytest.raises(InputError, match="each of the ids"):
        play_round([0] * 40, RULES, {}, lambda _: "stand")
    with pytest.raises(InputError, match="'fold'"):
        play_round(list(range(40)), RULES, {}, lambda _: "fold")
    with pytest.raises(InputError, match="one more"):
        play_round(list(range(40)), RULES, {}, replay([]))
