"""Best play of every described fixture in which something is decided, by a player who enumerates small decks.

The player knows the settlement of the second implementation and nothing of the engine: it draws every card that is
left, tries every option on everything that lies open, and remembers what it has found.
"""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from representatives import only

from certify.families.described.second import Played
from certify.mathematics import analyze
from certify.model import pays_of, shoe
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
