"""A seat that decides sees every open card: best play by counting every deal of small decks, apart from the engine."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.certification.audit import audit_decks
from certify.errors import InputError
from certify.families.described import text
from certify.mathematics import analyze
from certify.simulation import StreamDecks
from certify.submission import parse_game

FOLD_OR_RAISE = (Path(__file__).parent / "strangers/fold-or-raise.toml").read_text("utf-8")
Hand = tuple[int, ...]


def game(turns, options, settled, deck, pays):
    """Returns a game of one wager whose row is paid so many to one."""
    words = FOLD_OR_RAISE
    tables = words.partition("each_turn")[0], words[words.index("[game]") :]
    described = f"each_turn = [\n{turns}\n]\nmay_decide = [\n{options}\n]\nsettled_by = [\n{settled}\n]\n"
    ranks = ", ".join(f'"{rank}"' for rank in deck)
    words = tables[0] + described + tables[1]
    words = words.replace('ranks = ["2", "3", "4", "5", "6", "7"]', f"ranks = [{ranks}]")
    return parse_game(words.replace('"5 to 1"', f'"{pays} to 1"').encode(), "game.toml")


def best_of(deck, raised):
    """Returns the return of folding (the stake is lost) or raising, decided on the two open cards alone."""
    hands = list(combinations(deck, 2))
    left = [[card for card in deck if card not in hand] for hand in hands]
    values = [max(Fraction(-1), raised(hand, rest)) for hand, rest in zip(hands, left, strict=True)]
    return 1 + sum(values, Fraction(0)) / len(hands)


def test_who_holds_the_seven_folds():
    # From the case: whoever holds the seven knows that the dealer does not.
    (figures,) = analyze(parse_game(FOLD_OR_RAISE.encode(), "game.toml")).wagers
    assert figures.return_to_player == Fraction(4, 3)


def test_where_beliefs_are_too_many_the_seat_sees_its_cards_all_the_same(
    monkeypatch,
):
    def too_many(graph):
        raise InputError("more beliefs than are counted")

    monkeypatch.setattr(text, "beliefs_of", too_many)
    for kept in (text._forgets, text._compiled, text._text):
        kept.cache_clear()
    (figures,) = analyze(parse_game(FOLD_OR_RAISE.encode(), "game.toml")).wagers
    assert figures.return_to_player == Fraction(4, 3)


@settings(max_examples=12, deadline=None)
@given(
    deck=st.sets(st.integers(2, 10), min_size=4, max_size=7).map(sorted),
    winning=st.sets(st.integers(2, 10), min_size=1, max_size=3),
    pays=st.integers(1, 6),
)
def test_what_the_dealer_may_still_hold(deck, winning, pays):
    shown = ", ".join(map(str, sorted(winning & set(deck))))
    if not shown or set(deck) <= winning:
        return
    played = game(
        '{ id = "deal", deals = ["2 to player", "1 to dealer covered"] },{ id = "showdown", shows = ["dealer"] },',
        '{ at = "deal", option = "fold", to = "end" },{ at = "deal", option = "raise", stakes = ["1 on raise"] },',
        f'{{ wager = "ante", when = "dealer shows {{{shown}}}", row = "win" }},',
        deck,
        pays,
    )

    def raised(hand, rest):
        won = Fraction(sum(card in winning for card in rest), len(rest))
        return 2 * (won * pays - (1 - won))

    assert analyze(played).wagers[0].return_to_player == best_of(deck, raised)


@pytest.mark.parametrize(("low", "high"), [(9, 13), (12, 13), (15, 16)])
def test_a_total_does_not_say_which_cards_are_gone(low, high):
    # A third card is added to two: 2+6 and 3+5 are one total and leave other cards.
    deck = list(range(2, 9))
    played = game(
        '{ id = "deal", deals = ["2 to player"] },{ id = "third", deals = ["1 to player"] },',
        '{ at = "deal", option = "fold", to = "end" },{ at = "deal", option = "raise", stakes = ["1 on raise"] },',
        f'{{ wager = "ante", at = ["third"], when = "sum of player is {low} to {high}", row = "win" }},',
        deck,
        2,
    )

    def raised(hand, rest):
        won = Fraction(sum(low <= sum(hand) + card <= high for card in rest), len(rest))
        return 2 * (2 * won - (1 - won))

    assert analyze(played).wagers[0].return_to_player == best_of(deck, raised)


def test_play_through_decides_by_the_same_cards():
    played = parse_game(FOLD_OR_RAISE.encode(), "game.toml")
    seed = bytes(range(32))
    strategy = analyze(played).strategy
    audit, recorded = audit_decks(played, strategy, seed, StreamDecks.of(played, seed).deal(0, 40), 20)
    assert audit.stake_differences == 0
    assert {option for record, _ in recorded for option in record.decisions} == {"fold", "raise"}
