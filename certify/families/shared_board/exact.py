"""Strategies where a board is shared, in every situation and in few lines; their exact figures and play-through."""

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.strategies import ALWAYS, ConstantChoice
from certify.analysis.explanation import Explanation
from certify.analysis.hands.deals import Whole, hand_of
from certify.analysis.hands.holds import faces_labelled
from certify.analysis.hands.strength import KINDS, RANKS, SHIFT, TITLES, CountedDeck
from certify.errors import InputError
from certify.families.one_decision.exact import Chances, OneDecisionExact, Shown, chances
from certify.families.one_decision.hand_vs_dealer import sums
from certify.families.one_decision.play import OneDecisionVolume
from certify.families.one_decision.text import DecisionTerms, OneDecision
from certify.families.shared_board.board import BOARD, DEALT, OWN, Board, Point
from certify.families.shared_board.counting import (
    BoardWorth,
    Chosen,
    blocks_of,
    opened,
    situations_of,
    worth_of,
)
from certify.families.shared_board.ways import Counts, counted, meeting, opening, player, reached, strengths
from certify.model import MAIN_OPTIMAL, Decision, Game, Recipe, Strategy

MOST_NAMED: Final = 3_000_000
"""Situations of which a strategy of another form is tried one by one, at most."""


@dataclass(frozen=True)
class BoardStrategy:
    """A complete strategy: what is decided in every situation, whatever suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        deck: The cards.
        shared: How situations are numbered.
        early: For each point with cards to come, the place of the option in each situation, a byte each.
        river: The same of the others, a bit each.
    """

    name: str
    strategy_class: str
    deck: CountedDeck
    shared: Board
    early: tuple[bytes, ...] = field(repr=False)
    river: bytes = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns what is decided on what is seen."""
        point, cards = self.shared.read(str(sees))
        faces = {card: face for face, card in enumerate(self.deck.cards)}
        row = np.array([[faces[card] for card in cards]])
        chosen, number = self.chosen, self.shared.points.index(point)
        return options[option_at(chosen, number, int(situations_of(self.deck, row)[0]))]

    @property
    def chosen(self) -> Chosen:
        """What is decided, as loops take it."""
        river = np.frombuffer(self.river, dtype=np.uint8)
        points = len(self.shared.points) - len(self.early)
        early = tuple(np.frombuffer(one, dtype=np.uint8) for one in self.early)
        return Chosen(early, river.reshape(points, -1 if points else 0))

    def table(self) -> object:
        """Returns the digest of all decisions: they are too many to be written out."""
        every = hashlib.sha256(b"".join((*self.early, self.river)))
        return {"points": [" ".join(point.path) for point in self.shared.points], "sha256": every.hexdigest()}


def option_at(chosen: Chosen, point: int, situation: int) -> int:
    """Returns the place of the option that is taken in a situation."""
    if point < len(chosen.early):
        return int(chosen.early[point][situation])
    return int(chosen.river[point - len(chosen.early), situation >> 3] >> (situation & 7) & 1)


def board_of(terms: DecisionTerms) -> Board:
    """Returns what a game tells apart of hands that share a board.

    Raises:
        InputError: None is shared.
    """
    if not isinstance(terms.told, Board):
        raise InputError("no board is shared in this game")
    return terms.told


def names_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names of the strategies of a game."""
    return MAIN_OPTIMAL, *(f"{ALWAYS}{option}" for option in reversed(options))


def strategy_of(text: OneDecision, name: str) -> Strategy:
    """Returns a named strategy of a game.

    Raises:
        InputError: No such strategy.
    """
    if name == MAIN_OPTIMAL:
        return best(text.terms)
    if name in names_of(text.options):
        return ConstantChoice(name.removeprefix(ALWAYS))
    raise InputError(f"no strategy {name!r}: expected {', '.join(names_of(text.options))}")


def worth(terms: DecisionTerms) -> BoardWorth:
    """Returns what every situation of a game is worth."""
    return worth_of(terms.deck, board_of(terms), terms.nets)


@lru_cache(maxsize=4)
def best(terms: DecisionTerms) -> BoardStrategy:
    """Returns the best strategy for the main wager; of options that are worth the same the least committing one."""
    found = worth(terms).best
    early = tuple(one.tobytes() for one in found.early)
    shared = board_of(terms)
    return BoardStrategy(
        MAIN_OPTIMAL, "own cards and board", terms.deck, shared, early, found.river.tobytes()
    )


@lru_cache(maxsize=4)
def chosen_by(terms: DecisionTerms, strategy: Strategy) -> Chosen:
    """Returns what a strategy decides in every situation.

    Raises:
        InputError: It would have to decide too often.
    """
    deck, shared = terms.deck, board_of(terms)
    if isinstance(strategy, BoardStrategy) and (strategy.deck, strategy.shared.points) == (
        deck,
        shared.points,
    ):
        return strategy.chosen
    chosen = [_options_of(deck, point, shared, strategy) for point in shared.points]
    early = [one for one, point in zip(chosen, shared.points, strict=True) if point.opened < BOARD]
    size = -(-len(opened(deck, BOARD).hands) * comb(deck.size, OWN) // 8)
    river = [np.packbits(one, bitorder="little") for one in chosen[len(early) :]]
    return Chosen(tuple(early), np.array(river, dtype=np.uint8).reshape(len(river), size))


def _options_of(deck: CountedDeck, point: Point, shared: Board, strategy: Strategy) -> NDArray[np.uint8]:
    boards, pairs = opened(deck, point.opened).hands, comb(deck.size, OWN)
    if isinstance(strategy, ConstantChoice):
        option = point.ids.index(strategy.choose("", point.ids))
        return np.full(len(boards) * pairs, option, dtype=np.uint8)
    found = np.zeros(len(boards) * pairs, dtype=np.uint8)
    if found.size > MOST_NAMED:
        raise InputError(f"{strategy.name}: {found.size:,} situations are decided one by one")
    for situation in range(found.size):
        board, own = boards[situation // pairs].tolist(), hand_of(situation % pairs, OWN, deck.size)
        if not set(board) & set(own):
            # Situations are numbered by what they are, not by the draw that each card was.
            cards = [*deck.of(own), *deck.of(board)]
            sees = shared.sees(point, [cards[place] for place in shared.order[: len(cards)]])
            found[situation] = point.ids.index(strategy.choose(sees, point.ids))
    return found


@lru_cache(maxsize=4)
def _counted(terms: DecisionTerms) -> dict[DecisionTerms, Strategy]:
    """Returns the strategy that a game was first counted under; of few games, for strategies are millions of bytes."""
    return {}


@lru_cache(maxsize=4)
def counts(terms: DecisionTerms, strategy: Strategy) -> Counts:
    """Returns how often rounds end how under a strategy.

    Raises:
        ArithmeticError: Best play, counted forwards, is not worth what it was found to be worth.
    """
    found = counted(terms.deck, board_of(terms), terms.nets, chosen_by(terms, strategy))
    nets = np.array(terms.nets, dtype=np.int64)[:, None]
    if isinstance(strategy, BoardStrategy) and int((found.cells * nets).sum()) != worth(terms).total:
        raise ArithmeticError("best play is not worth what it was found to be worth")
    _counted(terms).setdefault(terms, strategy)
    return found


def decisions(terms: DecisionTerms, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions of a game in few lines.

    Two own cards are listed by their ranks; with some of the board, by what both make and by the highest own card where
    both options are best; on the whole board, by what both make and what the board makes alone.
    """
    shared, chosen = board_of(terms), chosen_by(terms, strategy)
    found, lines = worth(terms), list[Decision]()
    ways: list[NDArray[np.uint8]] = []
    orders: list[int] = []
    for number, point in enumerate(shared.points[: len(chosen.early)]):
        before, possible = _before(shared, number), (found.counts[number] > 0).astype(np.uint8)
        if before is None:
            ways.append(possible)
            orders.append(1)
        else:
            came, option = before
            led, less = ways[came] * (chosen.early[came] == option), shared.points[came].opened
            # What is reached knows no board: hands that hold a card of it are no situation.
            ways.append(reached(terms.deck, point.opened, less, led) * possible)
            orders.append(orders[came] * comb(point.opened, less))
        lines += _listed(terms, number, ways[number], orders[number], chosen.early[number])
    for number, by_line in enumerate(counts(terms, strategy).lines, len(chosen.early)):
        lines += _on_whole_boards(terms, number, by_line, counts(terms, strategy).dealt)
    return tuple(lines)


def _before(shared: Board, number: int) -> tuple[int, int] | None:
    """Returns the point and the place of the option that lead to a point; none where every round comes to it."""
    for came, point in enumerate(shared.points):
        if number in point.follow:
            return came, point.follow.index(number)
    return None


def _titled(shared: Board, point: Point, title: str) -> str:
    """Returns the title of a decision, with its turn and what was decided where there are several points."""
    if len(shared.points) == 1:
        return title
    several = sum(other.opened == point.opened for other in shared.points) > 1
    return f"{point.turn}{', ' * several}{' '.join(point.path) * several}: {title}"


def _listed(
    terms: DecisionTerms, number: int, ways: NDArray[np.uint8], orders: int, chosen: NDArray[np.uint8]
) -> list[Decision]:
    """Returns the decisions of a point with cards to come."""
    shared, deck, found = board_of(terms), terms.deck, worth(terms)
    point, size = shared.points[number], deck.size
    ranks = np.array([rank for rank, _ in deck.cards], dtype=np.int64)
    suits = np.array([suit for _, suit in deck.cards], dtype=np.int64)
    first, second = np.tril_indices(size, -1)
    boards, options, wide = opened(deck, point.opened), len(point.options), 2 * len(RANKS)
    high, low = np.maximum(ranks[first], ranks[second]), np.minimum(ranks[first], ranks[second])
    weight, value = np.zeros((2, options + 1, max(KINDS, wide) * wide * options**2), dtype=np.int64)
    for rows, block in blocks_of(boards, len(high)):
        made, held = high, low * 2 + (suits[first] == suits[second])
        if point.opened:
            made, held = strengths(deck, boards.hands[block]) >> SHIFT, high
        decided = found.best.early[number][rows].astype(np.int64) * options + chosen[rows]
        tiled = np.tile(held, len(made) // len(held))
        groups = ((made * wide + tiled) * options**2 + decided).astype(np.int32)
        weights = np.repeat(boards.weights[block], len(held)) * ways[rows]
        for place in range(options):
            values = found.options[number][place][rows].astype(np.int64)
            sums(groups, weights, values, weight[place], value[place])
    times = int(found.counts[number].max())
    total = comb(size, point.opened) * comb(size - point.opened, OWN) * orders
    cells: dict[tuple[int, int, int, bool], list[int]] = {}
    met = [
        (*divmod(group // options**2, wide), group % options**2)
        for group in np.flatnonzero(weight[0]).tolist()
    ]
    for kind, rank, how in met:
        same = {one[2] for one in met if one[0] == kind}
        whole = point.opened > 0 and len(same) == 1
        mixed = sum(one[:2] == (kind, rank) for one in met) > 1
        cell = cells.setdefault((kind, wide if whole else rank, how, mixed), [0] * (options + 1))
        group = (kind * wide + rank) * options**2 + how
        cell[0] += int(weight[0][group])
        for place in range(options):
            cell[place + 1] += int(value[place][group])
    listed = []
    for (kind, rank, how, mixed), (comes, *worths) in sorted(cells.items(), reverse=True):
        if point.opened:
            title = TITLES[kind] if rank == wide else f"{TITLES[kind]}, {RANKS[rank]} in hand"
        else:
            title = f"{RANKS[kind]} {RANKS[rank // 2]}" + " suited" * (rank % 2)
        title += f", where {point.ids[how // options]} is best" * mixed
        unit = terms.parts * times * comes
        values_of = {one: Fraction(worth, unit) for one, worth in zip(point.ids, worths, strict=True)}
        listed.append(
            Decision(
                hand=_titled(shared, point, title),
                composition=(),
                dealer=None,
                best=point.ids[how // options],
                values=values_of,
                chosen=point.ids[how % options],
                probability=Fraction(comes, total),
            )
        )
    return listed


def _on_whole_boards(terms: DecisionTerms, number: int, by_line: Whole, dealt: int) -> list[Decision]:
    """Returns the decisions of a point at which the whole board is open."""
    shared = board_of(terms)
    point, listed = shared.points[number], []
    for line in reversed(np.flatnonzero(by_line[:, 0]).tolist()):
        comes, *worths = by_line[line].tolist()
        (kind, alone), how = divmod(line // 4, KINDS), line % 4
        title = f"{TITLES[kind]}, the board alone {TITLES[alone]}"
        several = {one % 4 for one in np.flatnonzero(by_line[:, 0]).tolist() if one // 4 == line // 4}
        title += f", where {point.ids[how // 2]} is best" * (len(several) > 1)
        listed.append(
            Decision(
                hand=_titled(shared, point, title),
                composition=(),
                dealer=None,
                best=point.ids[how // 2],
                values={
                    one: Fraction(worth, terms.parts * comes)
                    for one, worth in zip(point.ids, worths, strict=True)
                },
                chosen=point.ids[how % 2],
                probability=Fraction(comes, dealt),
            )
        )
    return listed


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
        return chances(text, found.cells, found.dealt)

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
        # Which hands meet how, and the first board that shows it, is the same under every strategy; where none was
        # counted, who commits least is, without best play, which takes most of the time.
        for outcomes, example in self.examples(
            text, _counted(text.terms).get(text.terms, ConstantChoice(""))
        ):
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
        faces = faces_labelled(rules.deck, game.equipment[0], text, OWN + due.opened, self.asked)
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

    def looks(self, text: OneDecision) -> int:
        """Returns how many cards of a deck a round looks at, at most."""
        return DEALT
