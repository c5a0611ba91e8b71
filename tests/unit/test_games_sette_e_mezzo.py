"""The readable rules against the examples and sentences of the published rules screen."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify.errors import InputError
from certify.families.driver import play
from certify.families.sette_e_mezzo import second
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie, with_push
from certify.families.sette_e_mezzo.text import combination, text, total_of
from certify.families.seven_and_a_half.cards import DECK_SIZE, card_name, rank_of, suit_of
from certify.families.seven_and_a_half.counting import class_of
from certify.families.stage_machine import StagedRound
from certify.model.game import Paytable
from certify.submission import read_game

CARDS = {card_name(card): card for card in range(DECK_SIZE)}

GAME = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))
RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)


def cards(text):
    return [CARDS[name] for name in text.split(", ")]


def deck_of(text):
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
def test_hand_values(hand, half_points):
    kinds = [class_of(card) for card in cards(hand)]
    assert total_of(tuple(map(kinds.count, range(9)))) == half_points
    assert second.points(hand.split(", ")) == half_points


@pytest.mark.parametrize(
    ("hand", "row"),
    [
        ("K of Denari, Q of Denari, J of Denari", "royal-flush"),  # the example printed by the source
        ("4 of Bastoni, 5 of Bastoni, 6 of Bastoni", "straight-flush"),  # printed
        ("Q of Coppe, Q of Spade, Q of Bastoni", "three-of-a-kind"),  # printed
        ("2 of Coppe, 5 of Coppe, Q of Coppe", "flush"),  # printed
        ("2 of Denari, 3 of Spade, 4 of Coppe", "straight"),  # printed
        ("J of Denari, Q of Spade, K of Coppe", "straight"),
        ("6 of Denari, 7 of Spade, J of Coppe", "lose"),  # printed: no straight
        ("7 of Denari, J of Spade, Q of Coppe", "lose"),  # printed: no straight
        ("K of Denari, A of Spade, 2 of Coppe", "lose"),  # printed: no straight
        ("K of Coppe, A of Coppe, 2 of Coppe", "flush"),
        ("K of Denari, 3 of Spade, 4 of Coppe", "lose"),  # the King of Denari is a King here
    ],
)
def test_against_the_examples_of_the_rules_screen(hand, row):
    three = cards(hand)
    ranks, suited = tuple(map(rank_of, three)), len(set(map(suit_of, three))) == 1
    assert combination(ranks, suited) == combination(ranks[::-1], suited) == row
    assert second.three_row(hand.split(", ")) == row


def played_out(deck, decisions, rules=RULES, *, win=1):
    main, *side_bets = GAME.wagers
    rows = tuple(replace(row, pays=Fraction(win)) if row.id == "win" else row for row in main.paytable.rows)
    wagers = (replace(main, paytable=Paytable(rows)), *side_bets)
    return play(StagedRound(text(with_push(replace(GAME, rules=rules, wagers=wagers)))), deck, decisions)


def main_outcome(text, *decisions, rules=RULES):
    return played_out(deck_of(text), decisions, rules).outcome("main")


def test_the_king_row_against_a_dealer_seven_and_a_half_is_a_rule():
    deck = "K of Denari, 7 of Coppe, 7 of Denari, J of Coppe"
    assert main_outcome(deck) == "king-of-denari-seven-and-a-half"
    assert main_outcome(deck, rules=SetteEMezzoRules()) == "lose"
    assert main_outcome(deck, rules=SetteEMezzoRules(tie=Tie.PUSH)) == "push"


def test_seven_and_a_half_in_three_cards_with_the_matta_is_a_plain_win():
    assert main_outcome("5 of Denari, 4 of Coppe, J of Coppe, K of Denari, 7 of Coppe", "hit", "hit") == "win"


def test_the_dealer_draws_below_three_and_stands_on_three():
    stands = played_out(deck_of("5 of Denari, 3 of Coppe, 7 of Coppe"), ("stand",))
    draws = played_out(deck_of("5 of Denari, 2 of Coppe, J of Coppe, J of Spade"), ("stand",))
    assert stands.faces("dealer") == tuple(cards("3 of Coppe"))
    assert draws.faces("dealer") == tuple(cards("2 of Coppe, J of Coppe, J of Spade"))


def test_a_bust_player_forfeits_the_pair_but_not_the_poker_hand():
    deck = deck_of("7 of Denari, 7 of Coppe, 7 of Spade")
    bust = played_out(deck, ("hit",))
    assert dict(bust.outcomes) == {
        "main": "bust",
        "partita-perfetta": "not-uncovered",
        "mano-di-poker": "three-of-a-kind",
    }
    unconditional = SetteEMezzoRules(pair_condition=PairCondition.UNCONDITIONAL)
    turned = played_out(deck, ("hit",), unconditional)
    assert turned.outcome("partita-perfetta") == "pair-of-sevens"
    # The dealer neither draws nor uncovers the first card; where a pair wins whatever happens, it is uncovered.
    assert "player ends on 14, bust" in bust.trace
    assert "dealer ends on 7, 1 of 1 face down" in bust.trace
    assert "dealer ends on 7" in turned.trace


def test_a_round_explains_itself_and_pays():
    deck = deck_of("2 of Denari, 3 of Denari, 4 of Coppe")
    played = played_out(deck, ("hit", "stand"))
    assert played.trace == (
        "player is dealt 2 of Denari: total 2",
        "dealer is dealt, face down, 3 of Denari: total 3",
        "player decides hit on 2",
        "player draws 4 of Coppe: total 6",
        "player decides stand on 6",
        "player ends on 6",
        "dealer ends on 3",
        "main settles as win, 1 net",
        "partita-perfetta settles as lose, -1 net",
        "mano-di-poker settles as straight, 5 net",
    )
    assert played.net["main"] == 1
    assert played_out(deck, played.decisions) == played


def test_what_is_no_deck_and_no_decision_is_refused():
    with pytest.raises(InputError, match="39 draws were recorded for a round, expected 40"):
        played_out(list(range(39)), ("stand",))
    with pytest.raises(InputError, match="drawn twice"):
        played_out([0] * 40, ("stand",))
    with pytest.raises(InputError, match="'fold'"):
        played_out(list(range(40)), ("fold",))
    with pytest.raises(InputError, match="one more"):
        played_out(list(range(40)), ())
