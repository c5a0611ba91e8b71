"""Caribbean stud as it is played: five cards and the dealer's open one, raise or fold, the dealer's other four."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import Deals
from certify.analysis.hands.strength import (
    HIGH,
    PAIR,
    ROWS,
    SHIFT,
    STRAIGHT_FLUSH,
    TITLES,
    CountedDeck,
    ranks_that_decide,
)
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.rules import cells_of, pattern_of, patterns, rules_of
from certify.families.one_decision.text import (
    BOTH,
    FOLDED,
    LOSE,
    LOST,
    TIE,
    UNQUALIFIED,
    WIN,
    OneDecision,
    highest,
)
from certify.model import Game, Outcome, Strategy, Wager

_LEAST: Final = {ids.ANY: 0, ids.ACE: 1 << 12, ids.ACE_KING: 3 << 11, ids.PAIR: PAIR << SHIFT}
"""Strength from which a dealer qualifies."""

_ENDS: Final = (ids.UNQUALIFIED, ids.WIN, ids.TIE, ids.LOSE, ids.FOLD)


@dataclass(frozen=True)
class CaribbeanStud(OneDecision):
    """The rules of Caribbean stud."""

    cards = 5
    opened = 1
    shared = 1
    main = ids.ANTE
    options = ids.OPTIONS

    @property
    def least(self) -> int:
        """Strength from which the dealer qualifies."""
        return _LEAST[rules_of(self.game).lowest]

    @property
    def adds(self) -> Fraction:
        """What a raise adds to the ante."""
        return Fraction(rules_of(self.game).antes)

    @property
    def fold_loses_all(self) -> bool:
        """Whether a player who folds loses every other bet too."""
        return rules_of(self.game).fold_loses_all

    def outcome(self, wager: Wager, kind: int, end: int, together: int) -> str:
        """Returns how a wager ends; a raise that wins by the row that pays it."""
        if wager.id == ids.ANTE and end != WIN:
            return _ENDS[end]
        of = together if wager.id == ids.FIVE_PLUS_ONE else kind
        named = wager.paytable.ids
        paid = next((row for row in ROWS[of] if row in named), "")
        return paid or (ids.WIN if wager.id == ids.ANTE else LOST)

    def main_net(self, outcome: str) -> Fraction:
        """Returns the net result of an outcome of the ante with its raise, in antes.

        A winning ante is paid even money, the raise by the player's hand; a dealer who does not qualify pays the ante
        alone.
        """
        fixed = {ids.FOLD: Fraction(-1), ids.TIE: Fraction(0), ids.LOSE: -1 - self.adds}
        if outcome in fixed:
            return fixed[outcome]
        pays = self.game.wager(ids.ANTE).paytable.pays(outcome)
        return pays if outcome == ids.UNQUALIFIED else 1 + self.adds * pays

    def rows(self, wager: Wager) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager, without probability."""
        named = wager.paytable.ids
        if wager.id != ids.ANTE:
            ended = (*(row for row in ids.HANDS if row in named), LOST)
            return tuple(Outcome(one, self.net(wager.id, one), Fraction(0)) for one in ended)
        paid = (row for row in ids.RAISE_ROWS if row in named)
        ended = (*paid, ids.UNQUALIFIED, ids.TIE, ids.LOSE, ids.FOLD)
        return tuple(
            Outcome(one, self.main_net(one), Fraction(0), self.staked(ids.ANTE, one), ids.row_of(one))
            for one in ended
        )

    def called(self, strength: int) -> str:
        """Returns what a hand is called."""
        kind, (often, _) = strength >> SHIFT, ranks_that_decide(strength)
        if kind == PAIR:
            return f"pair of {highest(often)}"
        # A royal flush is called the straight flush that it is.
        title = TITLES[min(kind, STRAIGHT_FLUSH)]
        return title if kind != HIGH else f"{highest(strength)} high"

    def cells(self) -> Iterator[tuple[int, int, int]]:
        """Yields kind, end and kind together; ends that do not hang on the player's hand come first."""
        for end in (UNQUALIFIED, TIE, LOSE, FOLDED, WIN):
            yield from ((kind, end, together) for kind, together in product(BOTH, BOTH))

    @classmethod
    def lines(cls, deck: CountedDeck, deals: Deals) -> NDArray[np.int64]:
        """Returns the pattern of every class of hands."""
        # A strength and a pattern of five cards are the same thing under two names.
        place = {pattern: number for number, pattern in enumerate(patterns(deck))}
        _, first, at = np.unique(deals.strengths[deals.numbers], return_index=True, return_inverse=True)
        shown = deals.hands[first].tolist()
        return np.array([place[pattern_of(deck.of(hand))] for hand in shown])[at]

    @classmethod
    def chart(
        cls, deck: CountedDeck, deals: Deals, strategy: Strategy, options: tuple[str, ...]
    ) -> NDArray[np.uint8]:
        """Returns the cells of a strategy's chart of patterns."""
        return np.frombuffer(cells_of(deck, strategy), dtype=np.uint8)


def text_of(game: Game) -> CaribbeanStud:
    """Returns the rules of a game, which are its reference round."""
    return CaribbeanStud(game)
