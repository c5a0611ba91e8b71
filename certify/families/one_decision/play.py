"""Play-through of games of one decision: one compiled loop over rows of cards, tables from the rules of the game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import BINOMIAL, Whole, arrays_of, deals_of, number_at
from certify.analysis.hands.strength import bits_of, label
from certify.analysis.hands.strength_bits import best_five_bits
from certify.by_key import summed
from certify.families.one_decision.distinguished import Apart
from certify.families.one_decision.full_hand_showdown import cells_of as cells_apart
from certify.families.one_decision.text import (
    BY_LABEL,
    FOLDED,
    LOSE,
    TIE,
    UNQUALIFIED,
    WIN,
    DecisionTerms,
    OneDecision,
)
from certify.kernels import njit
from certify.model import Axes, Counter, Game, JointCounts, Strategy


def cells_of(text: OneDecision, strategy: Strategy, rows: NDArray[Any]) -> Whole:
    """Returns the cell of every row, int64[rows]: kind of the player's hand, end and kind together, flattened.

    Args:
        text: The rules.
        strategy: What is played.
        rows: Unsigned integers[rows, cards], faces in dealing order: the player's hand, then the dealer's.
    """
    ranks, _ = arrays_of(text.deck)
    lines, cells = _lines(text.terms, strategy)
    played = np.empty(len(rows), dtype=np.uint8)
    _decide(rows, text.cards, text.opened, ranks, BINOMIAL, lines, cells, played)
    for row in np.flatnonzero(played == BY_LABEL).tolist():
        seen = text.deck.of(rows[row, : text.cards + text.opened].tolist())
        sees = label(seen[: text.cards], seen[text.cards :])
        played[row] = strategy.choose(sees, text.options) == text.play
    return ended(text, rows, played)


def ended(text: OneDecision, rows: NDArray[Any], played: NDArray[np.uint8]) -> Whole:
    """Returns the cell of every row, int64[rows], given which hands are played, uint8[rows]."""
    if text.apart is not None:
        return cells_apart(text.deck, cast(Apart, text.apart), rows, played)
    found = np.empty(len(rows), dtype=np.int64)
    _play(rows, played, text.cards, text.shared, bits_of(text.deck), text.least, found)
    return found


@lru_cache(maxsize=4)
def _lines(terms: DecisionTerms, strategy: Strategy) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Returns the line of every hand by its number, and the cells of all lines."""
    deals = deals_of(terms.deck, terms.kind.cards)
    lines = terms.kind.lines(terms.deck, deals).astype(np.int32)[deals.place]
    return lines, terms.kind.chart(terms.deck, deals, strategy, terms.options)


@njit(cache=True, nogil=True)
def _decide(
    rows: NDArray[Any],
    cards: int,
    opened: int,
    ranks: Whole,
    binomial: Whole,
    lines: NDArray[np.int32],
    cells: NDArray[np.uint8],
    played: NDArray[np.uint8],
) -> None:
    for row in range(rows.shape[0]):
        line = lines[number_at(rows, row, 0, cards, binomial)]
        played[row] = cells[line * 13 + ranks[rows[row, cards]]] if opened else cells[line]


@njit(cache=True, nogil=True)
def _play(
    rows: NDArray[Any],
    played: NDArray[np.uint8],
    cards: int,
    shared: int,
    bits: Whole,
    least: int,
    found: Whole,
) -> None:
    for row in range(rows.shape[0]):
        hand = dealer = both = np.int64(0)
        for place in range(cards):
            hand |= bits[rows[row, place]]
            dealer |= bits[rows[row, cards + place]]
        both = hand
        for place in range(shared):
            both |= bits[rows[row, cards + place]]
        own = best_five_bits(hand)
        end = FOLDED
        if played[row]:
            other = best_five_bits(dealer)
            end = UNQUALIFIED if other < least else WIN if own > other else TIE if own == other else LOSE
        found[row] = ((own >> 26) * 5 + end) * 11 + (best_five_bits(both) >> 26)


SHARES: Final = (
    "rules, strengths of hands and settlement: the implementation of the family and the toolkit of hands",
)
"""What the compiled play-through shares with the exact figures and the reference round, as printed in the evidence."""


@dataclass(frozen=True, slots=True)
class CellCounter:
    """Plays rows of cards by a compiled function.

    Args:
        axes: Wagers with their outcomes.
        by_cell: Outcomes of the wagers in order, by the cell in which a round ends.
        player: Returns the cell of every row, int64[rows].
        looks: First cards of a row that it looks at, at most.
    """

    axes: Axes
    by_cell: Mapping[int, tuple[str, ...]]
    player: Callable[[NDArray[Any]], Whole]
    looks: int

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""
        times = enumerate(np.bincount(self.player(rows)).tolist())
        return JointCounts.of_named(
            self.axes, summed((self.by_cell[cell], many) for cell, many in times if many)
        )

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""
        return [self.by_cell[cell] for cell in self.player(rows).tolist()]


@dataclass(frozen=True)
class OneDecisionVolume:
    """Play-through of a family of games of one decision.

    Args:
        text: Returns the rules of a game.
    """

    text: Callable[[Game], OneDecision]

    independent_code: tuple[str, ...] = ()
    shares: tuple[str, ...] = SHARES

    def player(self, text: OneDecision, strategy: Strategy) -> Callable[[NDArray[Any]], Whole]:
        """Returns what finds the cell of every row, int64[rows], flattened."""
        return partial(cells_of, text, strategy)

    def looks(self, text: OneDecision) -> int:
        """Returns how many cards of a deck a round looks at, at most."""
        return 2 * text.cards

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a strategy."""
        text = self.text(game)
        cells = list(text.cells())
        ended = [text.outcomes(*cell) for cell in cells]
        axes = tuple(
            (wager.id, tuple(dict.fromkeys(outcomes[place] for outcomes in ended)))
            for place, wager in enumerate(game.wagers)
        )
        places = np.ravel_multi_index(tuple(zip(*cells, strict=True)), text.shape).tolist()
        by_cell = dict(zip(places, ended, strict=True))
        return CellCounter(axes, by_cell, self.player(text, strategy), self.looks(text))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        return self.text(game).net(wager, outcome)
