"""A round for every row that blackjack pays: by recipes, for the general search gives up on six decks."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from certify.errors import SubmissionError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.family import RECIPES, findings
from certify.families.blackjack.figures import EXACT
from certify.families.blackjack.reference import reference
from certify.families.blackjack.rules import BlackjackRules
from certify.families.blackjack.side_bets import FLUSH, QUEENS_AND_NATURAL
from certify.families.driver import play
from certify.families.port import FindingBasis
from certify.families.registry import family_of
from certify.families.witnesses import reachable_rows, witnesses
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, Kind, shoe, strip
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL
from certify.submission import parse_game, read_game
from tests.families.blackjack.rounds import (
    BONUSES,
    PLAIN,
    SIDES,
    Anything,
    any_rows,
    dice_of,
    game_of,
    six_decks,
)

if TYPE_CHECKING:
    from certify.model.figures import Analysis

STAKE = 100
"""The greatest stake, in minor units."""
PATH = Path("fixtures/games/blackjack-no-hole-card/game.toml")


def shown(game: Game) -> set[tuple[str, str]]:
    rows = set()
    for found in witnesses(game, reachable_rows(game)):
        played = play(reference(game), found.deck, found.decisions)
        rows.add((found.wager, ids.row_of(played.outcome(found.wager))))
    return rows


SPANISH_RANKS = tuple(rank for rank in FRENCH_RANKS if rank != "10")


@pytest.mark.parametrize("ranks", [FRENCH_RANKS, SPANISH_RANKS], ids=["French decks", "Spanish decks"])
@pytest.mark.parametrize("charlie", [5, 6, 7])
def test_every_row_of_a_game_with_all_bonuses_and_side_bets_is_shown(
    charlie: int, ranks: tuple[str, ...]
) -> None:
    piece = shoe("shoe", ranks, FRENCH_SUITS, decks=6)
    game = game_of(BlackjackRules(charlie=charlie), piece, {ids.MAIN: BONUSES} | SIDES)
    assert shown(game) == set(RECIPES)


def test_every_row_of_the_published_game_is_shown() -> None:
    game = read_game(PATH)
    rules = family_of(game).rules
    assert shown(game) == {
        (wager.id, row) for wager in game.wagers for row in rules.reachable_rows(game, wager.id)
    }


def test_rows_are_shown_without_a_king_too_and_by_an_endless_deck_without_suits() -> None:
    # Both were refused: the general search gives up before it comes to such rounds.
    never, every = BlackjackRules(charlie=7, peek=ids.Peek.NEVER), {ids.MAIN: BONUSES} | SIDES
    fewer = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=3, removed=("K of hearts",))
    assert shown(game_of(never, fewer, every)) == set(RECIPES)
    plain = {row: pays for row, pays in BONUSES.items() if not row.startswith("suited")}
    endless = strip("deck", Kind.WHEEL, FRENCH_RANKS, 60)
    assert (ids.MAIN, ids.CHARLIE) in shown(game_of(never, endless, {ids.MAIN: plain}))


def test_suited_sevens_are_refused_where_sevens_of_several_suits_are_not_paid() -> None:
    # The exact figures left the row out, which play and second text paid.
    text = PATH.read_text("utf-8").replace(
        'id = "natural"\n',
        'id = "suited-sevens"\ntitle = "Sevens"\npays = "20 to 1"\n\n[[wagers.paytable]]\nid = "natural"\n',
    )
    with pytest.raises(SubmissionError, match='row "suited-sevens" is counted beside a row "sevens" alone'):
        parse_game(text.encode(), "game.toml")


@pytest.mark.parametrize(
    ("row", "most"),
    [
        # All were told as two stakes: hands were split, doubled and won, and nothing else was tried.
        ({ids.SEVENS: Fraction(50)}, Fraction(100)),
        ({ids.CHARLIE: Fraction(5)}, Fraction(10)),
        ({ids.INSURED: Fraction(9)}, Fraction(9, 2)),
    ],
    ids=["doubled sevens", "five cards on each of two hands", "an insured natural"],
)
def test_the_dearest_round_is_one_that_is_paid_at_once_or_insured_where_that_costs_more(
    row: dict[str, Fraction], most: Fraction
) -> None:
    rules = BlackjackRules(split_hands=2, charlie=5, double_after_split=False)
    pays = {
        ids.NATURAL: Fraction(3, 2),
        ids.CHARLIE: Fraction(1),
        ids.WIN: Fraction(1),
        ids.PUSH: Fraction(0),
    }
    game = game_of(rules, strip("deck", Kind.WHEEL, ("A", "2", "7", "9", "K"), 60), {ids.MAIN: pays | row})
    assert EXACT.exposure(game).amount == most * game.wagers[0].limits.maximum


def test_the_dearest_round_splits_again_and_its_open_card_is_of_the_suit_that_side_bets_need() -> None:
    # Two hands of four were played out, and one open card of each value: 4 stakes, and no flush.
    deck = strip("deck", Kind.WHEEL, ("A", "5", "6", "10"), 60)
    assert EXACT.exposure(game_of(BlackjackRules(), deck, {ids.MAIN: PLAIN})).amount == 8 * STAKE
    dear = {
        ids.LUCKY_LADIES: {QUEENS_AND_NATURAL: Fraction(1000)},
        ids.TWENTY_ONE_THREE: {FLUSH: Fraction(9)},
    }
    queens = shoe("shoe", ("A", "Q"), ("spades", "hearts"), decks=8)
    found = EXACT.exposure(game_of(BlackjackRules(), queens, {ids.MAIN: PLAIN} | dear))
    assert (found.amount, found.attained) == (1009 * STAKE, True)


def test_where_no_round_is_found_that_costs_so_much_a_bound_is_told_that_no_round_exceeds() -> None:
    # Seven cards that do not bust would need aces, of which this deck has none.
    rules = BlackjackRules(charlie=7)
    deck = shoe("shoe", ("6", "10"), FRENCH_SUITS, decks=8)
    game = game_of(rules, deck, {ids.MAIN: PLAIN | {ids.CHARLIE: Fraction(20)}})
    found = EXACT.exposure(game)
    # Four hands at 20 to 1.
    assert (found.amount, found.attained) == (80 * STAKE, False)
    for row in any_rows(dice_of(7), game.equipment[0], 300):
        (main,) = play(reference(game), row, Anything(7)).results
        assert main.net * STAKE <= found.amount


@pytest.mark.parametrize("hands", [1, 4])
def test_the_convention_of_split_hands_is_named_where_hands_may_be_split(hands: int) -> None:
    game = six_decks(BlackjackRules(split_hands=hands, ace_hands=1))
    basis = FindingBasis(game, {MAIN_OPTIMAL: cast("Analysis", None)}, {}, {})
    found = list(findings(basis))
    assert [one.title.id for one in found] == ["blackjack.finding.split-hands"] * (hands > 1)
