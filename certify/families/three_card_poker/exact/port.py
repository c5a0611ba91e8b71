"""The exact figures of three card poker behind the port of the families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from certify.analysis.engine.strategies import ALWAYS, ConstantChoice
from certify.analysis.engine.strategy_file import Offered, read_strategy
from certify.analysis.explanation import Explanation
from certify.analysis.sensitivity import raised_pays
from certify.errors import InputError
from certify.families.french_deck.figures import faces_named, of_wager
from certify.families.port import StrategyPlan, Variant
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of, label
from certify.families.three_card_poker.exact.exposure import exposure
from certify.families.three_card_poker.rules import lowest_words, rules_of
from certify.families.three_card_poker.strategy import PLAY_FROM, PRINTED_RULE, play_from
from certify.model.figures import Analysis, Exposure, Joint
from certify.model.game import Game
from certify.model.strategy import FILE, MAIN_OPTIMAL, Strategy

NAMES: Final = (MAIN_OPTIMAL, f"{PLAY_FROM}RANKS", "always:play", "always:fold", f"{FILE}PATH.toml")

_OTHER_DEALERS: Final = (9, 11)
"""Highest cards of dealers who qualify more or less often than with a queen, for comparison."""


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and the printed rules of a lowest hand."""
    return StrategyPlan(
        names=NAMES,
        analysed=(MAIN_OPTIMAL, PRINTED_RULE),
        played=(MAIN_OPTIMAL, PRINTED_RULE),
        simpler=lambda _: (PRINTED_RULE, f"{PLAY_FROM}Q", "always:play"),
    )


class ThreeCardExact:
    """Exact figures by counting every pair of hands."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers; stakes change nothing, as the ante alone is decided on.

        Raises:
            InputError: No such strategy.
        """
        return self.analyze_table(game, strategy_of(game, strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.three_card_poker.exact import figures

        chances = figures.chances(game, strategy)
        wagers = tuple(
            of_wager(game, one.id, chances, figures.ends(game, one.id), grows=one.id == ids.ANTE)
            for one in game.wagers
        )
        return Analysis(game.id, strategy, wagers, figures.decisions(game, strategy))

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers under a named strategy."""
        from certify.families.three_card_poker.exact import figures

        played = strategy_of(game, strategy)
        wagers = tuple(wager.id for wager in game.wagers)
        return Joint(played.name, played.strategy_class, wagers, figures.chances(game, played))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house, with a deal that shows it."""
        return exposure(game)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what playing and folding a hand are worth, such as ``Q of clubs, 6 of hearts, 4 of hearts``.

        Raises:
            InputError: The text does not name three different cards of the deck.
        """
        from certify.families.three_card_poker.exact import figures

        play = figures.value_of(game, _label(game, text)).play
        best = ids.PLAY if play > -1 else ids.FOLD
        values = ((ids.FOLD, Fraction(-1)), (ids.PLAY, play))
        return Explanation(text, None, None, (), None, (), None, best, values)

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay raised by one unit to 1."""
        return raised_pays(game, wager)

    def variants(self, game: Game) -> Iterator[Variant]:
        """Yields the game with a dealer who qualifies more often, or less."""
        rules = rules_of(game)
        for lowest in _OTHER_DEALERS:
            if lowest != rules.lowest:
                words = f"the dealer qualifies with {lowest_words(lowest)}"
                yield Variant("dealer-qualifies", words, replace(game, rules=replace(rules, lowest=lowest)))


def best_return(game: Game, wager: str) -> Fraction:
    """Returns the return of a wager under best play for the ante."""
    return ThreeCardExact().analyze(game, MAIN_OPTIMAL).wager(wager).return_to_player


def strategy_of(game: Game, name: str) -> Strategy:
    """Returns a named strategy.

    Raises:
        InputError: No such strategy.
    """
    from certify.families.three_card_poker.exact import figures

    if name == MAIN_OPTIMAL:
        return figures.best(game)
    if name.startswith(PLAY_FROM):
        return play_from(name)
    if name.removeprefix(ALWAYS) in ids.OPTIONS and name.startswith(ALWAYS):
        return ConstantChoice(name.removeprefix(ALWAYS))
    if name.startswith(FILE):
        offered: Offered = dict.fromkeys(figures.counted(game).labels, ids.OPTIONS)
        return read_strategy(Path(name.removeprefix(FILE)), offered)
    raise InputError(f"no strategy {name!r}: expected {', '.join(NAMES)}")


def _label(game: Game, text: str) -> str:
    faces = faces_named(game.equipment[0], text, HAND, "three different cards")
    return label(deck_of(game).of(faces))
