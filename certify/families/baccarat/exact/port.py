"""The exact figures of baccarat behind the port of the families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.analysis.engine.exposure import costliest
from certify.analysis.explanation import Explanation
from certify.analysis.sensitivity import raised_pays
from certify.errors import InputError
from certify.families.baccarat.exact.counting import Counted, Deal, End, counted, points_of, relation
from certify.families.baccarat.exact.settlement import outcome_of
from certify.families.baccarat.rules import LOSE, rows_of, rules_of
from certify.families.port import StrategyPlan, Variant
from certify.model.equipment import Equipment, completed
from certify.model.figures import Analysis, Exposure, Joint, Outcome, WagerFigures
from certify.model.game import Game, Wager
from certify.model.strategy import ChoiceTable, Strategy

MAIN_OPTIMAL: Final = "main-optimal"
NO_DECISIONS: Final = ChoiceTable(MAIN_OPTIMAL, "no decisions", frozenset())
"""The one strategy of a game in which nothing is decided."""

DECKS: Final = (1, 2, 4, 6, 8)
"""Shoes whose figures are counted for comparison."""


class BaccaratExact:
    """Exact figures by counting compositions."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers; nothing is decided, so that there is one strategy.

        Raises:
            InputError: Another strategy was asked for.
        """
        if strategy != MAIN_OPTIMAL:
            raise InputError(f"no strategy {strategy!r}: expected {MAIN_OPTIMAL}, nothing is decided here")
        return self.analyze_table(game, NO_DECISIONS)

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers."""
        found = counted(_shoe(game))
        wagers = tuple(_figures(game, wager, found) for wager in game.wagers)
        return Analysis(game.id, strategy, wagers, ())

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers."""
        found, rules = counted(_shoe(game)), rules_of(game)
        wagers = tuple(wager.id for wager in game.wagers)
        ways: dict[tuple[str, ...], int] = {}
        for end, orders in found.ways.items():
            outcomes = tuple(outcome_of(rules, wager, end) for wager in wagers)
            ways[outcomes] = ways.get(outcomes, 0) + orders
        chances = {outcomes: Fraction(orders, found.total) for outcomes, orders in ways.items()}
        return Joint(strategy, NO_DECISIONS.strategy_class, wagers, chances)

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house, with a deal that shows it."""
        found, rules = counted(_shoe(game)), rules_of(game)
        nets = {
            end: {wager.id: _net(wager, outcome_of(rules, wager.id, end)) for wager in game.wagers}
            for end, orders in found.ways.items()
            if orders
        }
        return costliest(game, nets, lambda end: (shown(_shoe(game), found.deals[end], end), ()))

    def explain(self, game: Game, text: str) -> Explanation:
        """Refuses: there is no decision to explain.

        Raises:
            InputError: Always.
        """
        raise InputError(f"nothing is decided in {game.id}: there is no decision {text!r} to explain")

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay raised by one unit to 1."""
        return raised_pays(game, wager)

    def variants(self, game: Game) -> Iterator[Variant]:
        """Yields the game dealt from shoes of other numbers of decks."""
        shoe = _shoe(game)
        deck = shoe.shows[: shoe.size // shoe.decks]
        for decks in DECKS:
            if decks != shoe.decks:
                shows = deck * decks
                other = replace(shoe, shows=shows, supply=len(shows), decks=decks)
                words = "one deck" if decks == 1 else f"{decks} decks"
                yield Variant("decks", words, replace(game, equipment=(other,)))


def plan(game: Game) -> StrategyPlan:
    """Returns the one strategy."""
    return StrategyPlan((MAIN_OPTIMAL,), (MAIN_OPTIMAL,), (MAIN_OPTIMAL,))


def _shoe(game: Game) -> Equipment:
    (shoe,) = game.equipment
    return shoe


def _figures(game: Game, wager: Wager, found: Counted) -> WagerFigures:
    """Returns the distribution of one wager: whole numbers of orders, and one division for each outcome."""
    rules = rules_of(game)
    ways = dict.fromkeys((*wager.paytable.ids, *rows_of(rules, wager.id), LOSE), 0)
    for end, orders in found.ways.items():
        ways[outcome_of(rules, wager.id, end)] += orders
    return WagerFigures(
        wager.id,
        tuple(
            Outcome(outcome, _net(wager, outcome), Fraction(orders, found.total))
            for outcome, orders in ways.items()
        ),
    )


def _net(wager: Wager, outcome: str) -> Fraction:
    return wager.paytable.pays(outcome) if outcome in wager.paytable.ids else Fraction(-1)


def shown(shoe: Equipment, deal: Deal, end: End) -> tuple[int, ...]:
    """Returns a row of draws that begins with a deal of these points and ends so; the rest follows in its order."""
    points = [deal.player[0], deal.banker[0], deal.player[1], deal.banker[1]]
    points += [*deal.player[2:], *deal.banker[2:]]
    names = [shoe.name_of(item) for item in range(shoe.size)]
    worth = [points_of(name) for name in names]

    def further(taken: tuple[int, ...]) -> tuple[int, ...] | None:
        place = len(taken)
        if place >= 3 and relation(names[taken[0]], names[taken[2]]) != end.player_pair:
            return None
        if place >= 4 and relation(names[taken[1]], names[taken[3]]) != end.banker_pair:
            return None
        if place == len(points):
            return taken
        for item in range(shoe.size):
            if worth[item] == points[place] and item not in taken:
                found = further((*taken, item))
                if found is not None:
                    return found
        return None

    dealt = further(())
    if dealt is None:
        raise InputError(f"{shoe.id}: no deal of the real shoe ends so, though it was counted")
    return completed((shoe,), dealt)
