"""Best play of every described fixture in which something is decided, by a player who enumerates small decks.

The player knows the settlement of the second implementation and nothing of the engine: it draws every card that is
left, tries every option on everything that lies open, and remembers what it has found.
"""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from representatives import only

from certify.certification.play_through import audit_decks
from certify.errors import InputError, SubmissionError
from certify.families.described import submitted as described
from certify.families.described.second import Played
from certify.mathematics import analyze
from certify.model import pays_of, shoe
from certify.simulation import StreamDecks
from certify.submission import parse_game, read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"

DECKS = {
    "red-dog": ("A 2 3 4 5 6 7 8", "diamonds hearts"),
    "casino-war": ("2 3 9 A", "diamonds hearts"),
    "let-it-ride": ("10 J A", "diamonds hearts"),
    "mississippi-stud": ("6 J A", "diamonds hearts"),
    "three-card-poker": ("2 J Q A", "diamonds hearts"),
    "three-card-bonuses": ("2 J Q A", "diamonds hearts"),
    "casino-holdem": ("3 4 A", "diamonds hearts spades"),
    "ultimate-texas-holdem": ("3 4 A", "diamonds hearts spades"),
    "texas-holdem-bonus": ("3 4 A", "diamonds hearts spades"),
    "mines": ("", ""),
    "craps": ("4", ""),
}
"""Ranks and suits, none where the game is small as it is; sides of dice, whose odds then have an edge either way."""


WHOLE_DECKS = {
    "three-card-poker",
    "three-card-bonuses",
    "casino-holdem",
    "texas-holdem-bonus",
    "ultimate-texas-holdem",
}


SLOWLY = {"casino-holdem", "texas-holdem-bonus"}
"""Games whose hands meet over a board, as those of ultimate-texas-holdem do with one more decision."""


class WaitsError(Exception):
    """The round waits for a draw, or for a decision between options."""

    def __init__(self, now, options=(), sees=()):
        super().__init__()
        self.now, self.options, self.sees = now, options, sees


class Table(Played):
    """A round that says what it waits for."""

    def draw(self, place, piece):
        if not self.draws:
            raise WaitsError(self)
        super().draw(place, piece)

    def decide(self, turn):
        offered = [one.option for one in self.rules.offers if one.at == turn.id and self.true(one.when)]
        if len(offered) > 1 and not self.decisions:
            raise WaitsError(self, tuple(dict.fromkeys(offered)), turn.sees)
        return super().decide(turn)


class Player:
    """Somebody who tries everything."""

    def __init__(self, game):
        self.rules, self.pays, self.main = game.rules, pays_of(game.wagers), game.wagers[0].id
        (piece,) = game.equipment
        self.put_back, self.assumed, self.came_back = piece.replaced, {}, set()
        self.deck = Counter(dict(zip(piece.faces, piece.copies, strict=True)))
        self.known = {}
        self.decided = 0

    def worth(self, draws=(), decisions=()):
        """What the first wager nets on average once these cards came and this was decided."""
        try:
            return Table(self.rules, self.pays, draws, decisions).result()[self.main][1]
        except WaitsError as waits:
            lying = tuple(sorted((place, tuple(sorted(cards))) for place, cards in waits.now.cards.items()))
            seen = waits.sees or [place for place, _ in lying]
            assert {place for place, cards in lying if cards} <= set(seen) | {"stakes"}
            # What was decided counts by what it staked: no condition of these games asks for more.
            drawn = () if self.put_back else tuple(sorted(draws))
            key = lying, drawn, tuple(sorted(waits.now.staked.items())), waits.options
            if key in self.assumed:
                self.came_back.add(key)
                return self.assumed[key]
            if key not in self.known:
                self.known[key] = self._solved(key, draws, decisions, waits.options)
            return self.known[key]

    def _solved(self, key, *situation):
        """What a situation is worth; one that comes again of itself is a line in what it is assumed to be worth."""
        before, decided, found = len(self.known), self.decided, []
        for assumed in (Fraction(0), Fraction(1)):
            self.assumed[key] = assumed
            found.append(self._best(*situation))
            del self.assumed[key]
            if key not in self.came_back:
                return found[0]
            for under_assumption in list(self.known)[before:]:
                del self.known[under_assumption]
        assert self.decided == decided, "what is decided on the way bends the line"
        self.came_back.remove(key)
        return found[0] / (1 - found[1] + found[0])

    def _best(self, draws, decisions, options):
        if options:
            self.decided += 1
            return max(self.worth(draws, (*decisions, option)) for option in options)
        left = self.deck if self.put_back else self.deck - Counter(draws)
        total = sum(copies * self.worth((*draws, face), decisions) for face, copies in left.items())
        return Fraction(total, left.total())


def on_a_small_deck(name):
    """A fixture dealt from a few cards."""
    ranks, suits = (names.split() for names in DECKS[name])
    file = GAMES / name / "game.toml"
    if not ranks:
        return read_game(file)
    text = file.read_text("utf-8")
    if not suits:
        text = text.replace("draws = 148\n", "")  # They are counted where none are stated.
        return parse_game(text.replace("sides = 6", f"sides = {ranks[0]}").encode(), str(file))
    for key, stated in (("ranks", ranks), ("suits", suits), ("decks", 1)):
        text = re.sub(rf"^{key} = .*$", f"{key} = {stated}", text, count=1, flags=re.MULTILINE)
    # Where whole hands meet, a submission is dealt from a whole deck: that is exchanged once it was read.
    game = read_game(file) if name in WHOLE_DECKS else parse_game(text.encode(), str(file))
    # No condition reads cards in their order: what lies at a place may be remembered as a set.
    asked = [
        one.when for table in (game.rules.settlings, game.rules.leads, game.rules.offers) for one in table
    ]
    assert not any(re.search(r"\b(draw \d|last) (of|shows)|decided ", when) for when in asked)
    return replace(game, equipment=(shoe(game.equipment[0].id, ranks, suits),))


def test_every_described_fixture_with_decisions_is_tried():
    decided = {
        file.parent.name for file in GAMES.glob("*/game.toml") if "may_decide" in file.read_text("utf-8")
    }
    assert decided == set(DECKS)


@pytest.mark.parametrize("name", only(DECKS, *(DECKS.keys() - SLOWLY)))
def test_best_play_is_that_of_a_player_who_tries_everything(name):
    game, player = on_a_small_deck(name), Player(on_a_small_deck(name))
    found = analyze(game, "optimal").wager(game.wagers[0].id)
    assert found.return_to_player - 1 == player.worth()
    assert player.decided


def test_hands_over_a_board_that_is_not_open_yet_are_seen_and_need_no_single_cards():
    # Otherwise Let It Ride is decided on 292,825 deals, not on 2,536 hands, and refused.
    words = (GAMES / "let-it-ride/game.toml").read_text("utf-8")
    words = words.replace('"2", "3", "4", "5", "6", "7", "8", "9", "10"', '"9", "10"')
    board = words.replace('"player"] }', '"player", "board"] }')
    one, other = (analyze(parse_game(text.encode(), "game.toml"), "optimal") for text in (words, board))
    assert one.decisions == other.decisions
    assert len(one.decisions) > 9
    assert not any("open cards" in decision.hand for decision in one.decisions)


FOLD_OR_RAISE = (Path(__file__).parent / "strangers/fold-or-raise.toml").read_text("utf-8")


def open_game(turns, options, settled, deck, pays):
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


def test_dice_that_were_cleared_need_not_be_seen_but_cards_that_are_missing_from_the_deck():
    burnt = '{ id = "burn", deals = ["1 to burnt"] },\n  { id = "deal", clears = ["burnt"], sees = ["player"], deals'
    words = FOLD_OR_RAISE.replace('{ id = "deal", deals', burnt)
    with pytest.raises(SubmissionError, match='who decides sees an open card at "burnt"'):
        parse_game(words.encode(), "game.toml")
    thrown = re.sub(r'kind = "shoe".*?suits = .*?\n', 'kind = "dice"\nsides = 7\n', words, flags=re.DOTALL)
    (figures,) = analyze(parse_game(thrown.encode(), "game.toml")).wagers
    assert figures.return_to_player == 1 + 2 * (5 * Fraction(1, 7) - Fraction(6, 7))


def test_where_beliefs_are_too_many_the_seat_sees_its_cards_all_the_same(monkeypatch):
    def too_many(graph):
        raise InputError("more beliefs than are counted")

    monkeypatch.setattr(described, "beliefs_of", too_many)
    for kept in (described._forgets, described._compiled, described._text):
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
    played = open_game(
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
    played = open_game(
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


def test_what_brackets_hold_is_looked_up_again_after_a_decision():
    rules = read_game(Path(__file__).parent / "strangers/hilo-of-three.toml").rules
    now = Played(rules, {}, [], ["higher-1"])
    assert not now.true("(decided higher-1)")
    now.decide(rules.turns[0])
    assert now.true("(decided higher-1)")
