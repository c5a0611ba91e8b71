"""The exact figures of Caribbean stud behind the port of the families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Final

from certify.analysis.engine.exposure import costliest
from certify.analysis.explanation import Explanation
from certify.analysis.sensitivity import raised_pays
from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import HAND, deck_of
from certify.families.caribbean_stud.cards import label as label_of
from certify.families.caribbean_stud.raise_rules import parse_rules, read_rules
from certify.families.caribbean_stud.rules import rules_of
from certify.families.caribbean_stud.strategy import (
    EVERYTHING,
    MATCHING,
    NAMED,
    PAIR_NAME,
    RAISE_FROM,
    THREE_RULES,
    named,
)
from certify.families.french_deck.figures import faces_named, of_wager
from certify.families.port import StrategyPlan, Variant
from certify.model.equipment import Row
from certify.model.figures import Analysis, Decision, Exposure, Joint
from certify.model.game import Game
from certify.model.strategy import FILE, MAIN_OPTIMAL, Strategy

NAMES: Final = (MAIN_OPTIMAL, *NAMED, f"{FILE}PATH.toml")

SIMPLER: Final = (
    THREE_RULES,
    f"{RAISE_FROM}A-K-J-8-3",
    MATCHING,
    PAIR_NAME,
    f"{RAISE_FROM}A-K",
    EVERYTHING,
)
"""Printed rules, best first under the pays that are printed most."""


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and the printed rules."""
    return StrategyPlan(
        names=NAMES,
        analysed=(MAIN_OPTIMAL, THREE_RULES),
        played=(MAIN_OPTIMAL, THREE_RULES),
        simpler=lambda _: SIMPLER,
    )


class StudExact:
    """Exact figures by inclusion and exclusion over all hands and open cards."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers; stakes change nothing, as the ante alone is decided on.

        Raises:
            InputError: No such strategy.
        """
        return self.analyze_table(game, strategy_of(game, strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.caribbean_stud.exact import figures
        from certify.families.caribbean_stud.exact.decisions import decisions

        chances = figures.chances(game, strategy)
        wagers = tuple(
            of_wager(game, one.id, chances, figures.ends(game, one.id), grows=one.id == ids.ANTE)
            for one in game.wagers
        )
        return Analysis(game.id, strategy, wagers, decisions(game, strategy))

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers under a named strategy."""
        from certify.families.caribbean_stud.exact import figures

        played = strategy_of(game, strategy)
        wagers = tuple(wager.id for wager in game.wagers)
        return Joint(played.name, played.strategy_class, wagers, figures.chances(game, played))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house, with a deal that shows it."""
        from certify.families.caribbean_stud.exact import figures

        ended = figures.raised_outcomes(game)
        nets = {wager.id: {end.id: end.pays for end in figures.ends(game, wager.id)} for wager in game.wagers}
        return costliest(
            game,
            {
                outcomes: {wager: nets[wager][one] for wager, one in zip(nets, outcomes, strict=True)}
                for outcomes in ended
            },
            lambda outcomes: (_deal(game, *ended[outcomes]), (ids.RAISE,)),
        )

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what raising and folding a hand are worth against an open card, named last.

        Raises:
            InputError: The text does not name six different cards of the deck.
        """
        from certify.families.caribbean_stud.exact import figures

        value = figures.value_of(game, _label(game, text))
        values = ((ids.FOLD, Fraction(-1)), (ids.RAISE, value))
        return Explanation(
            text, None, None, (), None, (), None, ids.RAISE if value > -1 else ids.FOLD, values
        )

    def read_card(self, game: Game, text: str, source: str) -> Strategy:
        """Returns the rule that a printed card states, in the form of a file of rules.

        Raises:
            InputError: The card is no such rule.
        """
        return parse_rules(text, source)

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay raised by one unit to 1."""
        return raised_pays(game, wager)

    def variants(self, game: Game) -> Iterator[Variant]:
        """Yields the game with a dealer who qualifies with another hand."""
        rules = rules_of(game)
        for lowest in (ids.ACE, ids.PAIR):
            if lowest != rules.lowest:
                words = f"the dealer qualifies with {lowest}" + (" or better" if lowest == ids.PAIR else "")
                yield Variant("dealer-qualifies", words, replace(game, rules=replace(rules, lowest=lowest)))


def best_return(game: Game, wager: str) -> Fraction:
    """Returns the return of a wager under best play for the ante."""
    from certify.families.caribbean_stud.exact import figures

    chances = figures.chances(game, figures.best(game))
    return of_wager(game, wager, chances, figures.ends(game, wager), grows=wager == ids.ANTE).return_to_player


def strategy_of(game: Game, name: str) -> Strategy:
    """Returns a named strategy.

    Raises:
        InputError: No such strategy.
    """
    from certify.families.caribbean_stud.exact import figures

    if name == MAIN_OPTIMAL:
        return figures.best(game)
    if name.startswith(FILE):
        return read_rules(Path(name.removeprefix(FILE)))
    found = named(name)
    if found is None:
        raise InputError(f"no strategy {name!r}: expected {', '.join(NAMES)}")
    return found


def charted(decision: Decision) -> tuple[int, str]:
    """Returns place and name of the row of a chart: kind of the hand, or its three highest ranks.

    >>> charted(Decision("A-K-Q-8", (), "8", "raise", {}))[1], charted(Decision("two pair", (), "8", "raise", {}))[1]
    ('A-K-Q', 'two pair')
    """
    from certify.families.caribbean_stud.exact.decisions import row_of_hand

    return row_of_hand(decision.hand)


def _label(game: Game, text: str) -> str:
    words = "six different cards, the open one last,"
    *own, up = deck_of(game).of(faces_named(game.equipment[0], text, HAND + 1, words))
    return label_of(own, up)


def _deal(game: Game, player: tuple[int, ...], up: int, end: int) -> Row:
    """Returns a deck that begins with a hand, an open card and others of the dealer with which the round ends so."""
    from certify.families.caribbean_stud.exact.counting import end_of

    deck, lowest = deck_of(game), rules_of(game).lowest
    left = [face for face in range(deck.size) if face not in (*player, up)]
    others = combinations(left, HAND - 1)
    other = next(four for four in others if end_of(deck, lowest, player, (up, *four)) == end)
    return (*player, up, *other, *(face for face in left if face not in other))
