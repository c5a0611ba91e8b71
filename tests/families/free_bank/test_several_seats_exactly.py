"""Several seats: figures of a seat by another way, what is refused and why, and when the deck cannot run out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from free_bank_tables import game_of

from certify.cli.options import strategy_name
from certify.errors import InputError, SubmissionError
from certify.families.free_bank.charts import ChartLine, OwnHandBank
from certify.families.free_bank.exact import names
from certify.families.free_bank.exact.answers import own_hand_answer
from certify.families.free_bank.exact.best_bank import bank_best_response
from certify.families.free_bank.exact.passing import joint
from certify.families.free_bank.exact.port import FreeBankExact, with_rules
from certify.families.free_bank.exact.settlement import terms_of
from certify.families.free_bank.family import counted_return
from certify.families.free_bank.strategy import Pair, StandOn
from certify.families.witnesses import reachable_rows, witnesses
from certify.model.equipment import shoe
from certify.submission import read_game

TWO = with_rules(game_of("sept-et-demi"), seats=2)
CARDS = ("2", "3", "4", "6", "7", "J", "Q", "K")


@pytest.mark.slow
def test_the_first_of_two_seats_gets_what_one_gets_against_a_bank_that_looks_at_its_own_hand() -> None:
    """Card by card through the reference round; seats stand on 2: no more cards are asked for than there are."""
    (deck,) = TWO.equipment
    kept = {f"{rank} of {deck.suits[0]}" for rank in CARDS}
    cards = shoe(deck.id, deck.ranks, deck.suits, removed=[card for card in deck.faces if card not in kept])
    bank = OwnHandBank("own hand", ChartLine(6, ((4, Fraction(1, 3)),), (((3,), -1, Fraction(1)),)))
    pair, game = Pair(StandOn("stand-on:2", 4), bank), replace(TWO, equipment=(cards,))
    assert counted_return(game, pair) == 1 + joint(terms_of(game), pair.player, bank).expectation


def test_no_bank_that_looks_at_its_own_hand_leaves_less_than_the_best_one() -> None:
    terms = terms_of(game_of("sept-et-demi"))
    player = StandOn("p", 10)
    best = own_hand_answer(terms, player, "b")
    value = joint(terms, player, best).expectation
    others = [joint(terms, player, StandOn("o", least)).expectation for least in range(8, 14)]
    assert value < min(others)
    assert bank_best_response(terms, player).value < value


@pytest.mark.parametrize(
    ("player", "bank", "why"),
    [
        ("equilibrium", "equilibrium", "look at each other's cards"),
        ("best-response", "stand-on:5", "look at each other's cards"),
        ("stand-on:5", "equilibrium", "looks at open cards weighs all of them"),
        ("stand-on:5", "best-response", "looks at open cards weighs all of them"),
    ],
)
def test_what_is_not_counted_with_several_seats_is_refused_with_the_reason(
    player: str, bank: str, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        names.conduct(TWO, player, bank)


def test_seats_that_may_empty_the_deck_are_refused() -> None:
    with pytest.raises(InputError, match="cards may be asked for and the deck has 40"):
        names.conduct(with_rules(TWO, seats=11), "stand-on:6", "stand-on:6")


def test_figures_of_two_seats_and_their_witnesses_are_there_without_naming_a_strategy() -> None:
    analysis = FreeBankExact().analyze(TWO, strategy_name(TWO, None, None))
    assert analysis.strategy.name == "stand-on:5 against best-by-own-hand"
    assert analysis.wagers[0].bracket is None
    assert {witness.row for witness in witnesses(TWO, reachable_rows(TWO))} == {
        "seven-and-a-half", "win", "lose", "bust", "bank-seven-and-a-half", "both-seven-and-a-half",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "value", "why"),
    [
        ("bank-swaps", "true", "its value not solved"),
        ("bank-looks-at", '"nothing"', "looks at nothing is not solved"),
    ],
)
def test_rules_that_are_not_solved_are_refused_at_their_line(
    rule: str, value: str, why: str, tmp_path: Path
) -> None:
    text = (Path(__file__).parents[3] / "fixtures/games/sette-e-mezzo/game.toml").read_text("utf-8")
    at = text.index(f'id = "{rule}"')
    line = text.index("value = ", at)
    file = tmp_path / "game.toml"
    file.write_text(text[:line] + f"value = {value}" + text[text.index("\n", line) :], "utf-8")
    with pytest.raises(SubmissionError) as refused:
        read_game(file)
    assert why in str(refused.value)
    assert f"game.toml:{text[:line].count(chr(10)) + 1}:" in str(refused.value)
