"""Exact figures and play-through of games whose hands share a board; behind the port of the families."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.analysis.explanation import Explanation
from certify.analysis.hands.deals import Whole
from certify.analysis.hands.held import faces_labelled, faces_named
from certify.by_key import summed
from certify.families.one_decision.exact import Chances, OneDecisionExact, Shown
from certify.families.one_decision.play import OneDecisionVolume
from certify.families.one_decision.text import DecisionTerms, OneDecision
from certify.families.shared_board.board import BOARD, OWN
from certify.families.shared_board.openings import situations_of
from certify.families.shared_board.strategies import (
    best,
    board_of,
    chosen_by,
    counted_under,
    counts,
    worth,
)
from certify.families.shared_board.ways import meeting, opening, player
from certify.model import Game, Recipe, Strategy


def _shown(text: OneDecision, strategy: Strategy, way: int, kind: int, end: int) -> Shown:
    """Returns a deck whose round ends so, with its decisions; which hands meet so is found under any strategy."""
    shared, deck = board_of(text.terms), text.deck
    begun = opening(deck, shared, counts(text.terms, strategy).shown[kind, end].tolist())
    left = [face for face in range(deck.size) if face not in begun]
    rows = np.array([(*begun, *pair) for pair in combinations(left, OWN)], dtype=np.uint8)[:, shared.order]
    ends = player(deck, shared, chosen_by(text.terms, strategy))(rows) % shared.ends
    faces = rows[int(np.flatnonzero(ends == end)[0])].tolist()
    return (*faces, *(face for face in left if face not in faces)), shared.ways[way].path


@dataclass(frozen=True)
class BoardExact(OneDecisionExact):
    """Exact figures of games whose hands share a board."""

    def chances(self, text: OneDecision, strategy: Strategy) -> Chances:
        """Returns the probability of every joint outcome of the wagers under a strategy."""
        found = counts(text.terms, strategy)
        cells = np.argwhere(found.cells).tolist()
        joint = summed((text.outcomes(*cell), int(found.cells[tuple(cell)])) for cell in cells)
        return {one: Fraction(times, found.dealt) for one, times in joint.items()}

    def examples(
        self, text: OneDecision, strategy: Strategy | None = None
    ) -> Iterator[tuple[tuple[str, ...], Callable[[], Shown]]]:
        """Yields joint outcomes, each with what shows it, as it is met where a strategy is counted: the best one."""
        strategy = strategy or best(text.terms)
        found = counts(text.terms, strategy)
        for way in range(len(board_of(text.terms).ways)):
            for kind, end in np.argwhere(found.shown[..., 0] >= 0).tolist():
                yield text.outcomes(way, kind, end), partial(_shown, text, strategy, way, kind, end)

    def shows(self, game: Game, wager: str, falls: Callable[[str], bool]) -> Recipe | None:
        """Returns a round in which the outcome of a wager falls as required."""
        text, place = self.text(game), [one.id for one in game.wagers].index(wager)
        for outcomes, example in self.examples(text, counted_under(text.terms)):
            if falls(outcomes[place]):
                faces, path = example()
                drawn = next(way.drawn for way in board_of(text.terms).ways if way.path == path)
                return Recipe(tuple(text.equipment[0].faces[face] for face in faces[:drawn]), path)
        return None

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what every option is worth on the own cards and what is open of the board, the own two first.

        Raises:
            InputError: The text does not name so many different cards of the deck.
        """
        rules = self.text(game)
        shared = board_of(rules.terms)
        number = len(text.replace(" / ", " ").split("," if "," in text else " "))
        points = [point for point in shared.points if OWN + point.opened == number]
        due = (points or [shared.points[0]])[0]
        faces = faces_labelled(rules.deck, text, OWN + due.opened)
        faces = faces or faces_named(game.equipment[0], text, OWN + due.opened, self.asked)
        values = worth_of_options(rules.terms, shared.points.index(due), faces)
        options = tuple(zip(due.ids, values, strict=True))
        first = max(options, key=lambda one: one[1])
        return Explanation(text, None, None, (), None, (), None, first[0], options)


def worth_of_options(terms: DecisionTerms, number: int, faces: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Returns what every option of a point is worth, in units of the stake.

    Args:
        terms: The game.
        number: The point.
        faces: The own cards, then what is open of the board.
    """
    shared, deck, found = board_of(terms), terms.deck, worth(terms)
    point = shared.points[number]
    if point.opened == BOARD:
        *by_way, dealt = meeting(deck, shared, terms.nets, faces)
        return tuple(Fraction(by_way[one], terms.parts * dealt) for one in point.follow)
    situation = int(situations_of(deck, np.array([faces]))[0])
    unit = terms.parts * int(found.counts[number][situation])
    return tuple(Fraction(int(one[situation]), unit) for one in found.options[number])


@dataclass(frozen=True)
class BoardVolume(OneDecisionVolume):
    """Play-through of games whose hands share a board."""

    def player(self, text: OneDecision, strategy: Strategy) -> Callable[[NDArray[Any]], Whole]:
        """Returns what finds the cell of every row, int64[rows], flattened."""
        return player(text.deck, board_of(text.terms), chosen_by(text.terms, strategy))
