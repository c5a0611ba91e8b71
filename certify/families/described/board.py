"""Described games in which two cards each share a board of five, with one decision once three of it lie open.

As with whole hands of three, the submission's stages are acted out on what hands come to: once for each class of what
is seen, and once for each way in which two hands meet that its conditions tell apart. The boards themselves are counted
by the toolkit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final, cast

from certify.analysis.hands.strength import FIVE, SHIFT, Card
from certify.errors import InputError
from certify.families.described.compiler import Compiler
from certify.families.described.reading import Described, described_of
from certify.families.described.rules import Against, DescribedRules, Measurement, Within, parts_of
from certify.families.described.showdown import FIVE_CARDS, Cell, Scene, Showdown, with_decision
from certify.families.one_decision.text import BOARD, FLOP, LATER, LOST, OWN, PLAYER, SEEN, DecisionState
from certify.model import Game, Option
from certify.model.round import Chance, Choice, Hand, Node, Settled

if TYPE_CHECKING:
    from certify.families.one_decision.shared_board import Board

MOST_ENDS: Final = 40
"""Ways in which two hands meet that are distinguished, at most: each is counted for two million situations."""

WHAT: Final = (
    "two cards to each of two places and five to a third with one decision: expected one whole deck, two turns, in the "
    "first of which two cards come to one place and three to the board, then one decision between an option that loses "
    "the stake and ends the round and one that adds to it, then the other two of the board and the dealer's two; "
    "conditions read the best five cards of a place with the board"
)
"""What a game with a shared board looks like."""


@dataclass(frozen=True, slots=True)
class BoardScene(Scene):
    """What a described game asks of hands that share a board.

    Args:
        board: The place of the shared cards.
        seen: For each class of what is seen, what the player's hand comes to.
        pairs: For each way in which hands meet, what the player's and the dealer's come to.
    """

    board: str = ""
    seen: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    __hash__ = Scene.__hash__

    @property
    def at_once(self) -> bool:
        """Whether both hands are dealt before anything can be decided: the dealer's is not."""
        return False

    def _known(self, mine: int, theirs: int = -1, both: int = 0) -> dict[int, int]:
        own = self.seen[mine] if theirs < 0 else self.pairs[theirs][0]
        return {place: self.pairs[theirs][1] if side else own for place, side in enumerate(self.sides)}


def shares_board(found: Described) -> bool:
    """Returns whether two cards come to each of two places and five to a third."""
    dealt = [place for turn in found.turns for place, _ in turn.draws]
    return sorted(dealt.count(place) for place in set(dealt)) == [OWN, OWN, BOARD]


def board_scene_of(game: Game, rules: DescribedRules) -> BoardScene:
    """Returns what a described game asks of hands that share a board.

    Raises:
        InputError: It asks for something else.
    """
    from certify.families.one_decision.shared_board import SIGNS, Board

    found = described_of(game, rules)
    own, board, other, order = _places(found)
    compiler = Compiler(found, game.equipment, found.wagers, whole=True)
    whose = {frozenset([own, board]): 0, frozenset([other, board]): 1}
    sides = tuple(whose.get(frozenset(reading.places), -1) for reading in compiler.readings)
    for reading, side in zip(compiler.readings, sides, strict=True):
        if side < 0 or reading.order != FIVE_CARDS:
            raise InputError(f'"{reading.words}" is read: {WHAT}')
    early, late = (_edges(compiler, turn, sides) for turn in range(2))
    if early[1]:
        raise InputError(f"the dealer's hand is read before it is dealt: {WHAT}")
    raw = list(product(_classes(late[0]), _classes(late[1]), range(SIGNS)))
    pairs = tuple(_meeting(*one) for one in raw)
    seen = tuple(low for low, _ in _classes(early[0]))
    edges = [tuple(map(_strength, one)) for one in (early[0], *late)]
    told = Board(edges[0], edges[1], edges[2], tuple(range(len(raw))), order)
    holders = found.places[own], found.places[other]
    scene = BoardScene(
        compiler.program(), sides, {}, holders, told, renamed=True, main=found.wagers[0],
        board=found.places[board], seen=seen, pairs=tuple(pair or (0, 0) for pair in pairs),
    )  # fmt: skip
    scene = with_decision(scene, dealt=True, hands=range(len(seen)))
    if scene.looks or not scene.options:
        raise InputError(f"the stake is not given up in one decision that ends the round: {WHAT}")
    ends: dict[Hashable, int] = {}
    columns = []
    for number, pair in enumerate(pairs):
        ended = (
            tuple(scene.ended(scene.play, mine, number, 0).items() for mine in range(len(seen)))
            if pair
            else ()
        )
        columns.append(ends.setdefault(tuple(map(tuple, ended)), len(ends)) if pair else -1)
    if len(ends) > MOST_ENDS:
        raise InputError(
            f"hands meet in {len(ends)} ways that conditions distinguish: expected at most {MOST_ENDS}"
        )
    first = tuple(scene.pairs[columns.index(end)] for end in range(len(ends)))
    return replace(scene, told=replace(told, columns=tuple(columns)), pairs=first)


def _places(found: Described) -> tuple[int, int, int, tuple[int, ...]]:
    """Returns the places of the player, the board and the dealer, and which card each draw is."""
    decided = [bool(turn.choices) for turn in found.turns]
    if sum(decided) > 1:
        raise InputError(
            f"{sum(decided)} decisions before hands that share a board meet, as in Ultimate Texas Hold'em and Texas "
            f"Hold'em Bonus: one is counted. {WHAT}"
        )
    if decided != [True, False] or any(turn.clears for turn in found.turns):
        raise InputError(WHAT)
    early, late = ([place for place, _ in turn.draws] for turn in found.turns)
    board = next((place for place in early if early.count(place) == FLOP), -1)
    own = next((place for place in early if place != board), -1)
    other = next((place for place in late if place != board), -1)
    counts = [early.count(own), early.count(board), late.count(board), late.count(other)]
    if counts != [OWN, FLOP, BOARD - FLOP, OWN] or own == other:
        raise InputError(WHAT)
    # Cards are numbered by what they are: the player's own, the first three of the board, the others, the dealer's.
    waiting = {own: [0, 1], board: [2, 3, 4, 5, 6], other: [7, 8]}
    return own, board, other, tuple(waiting[place].pop(0) for place in (*early, *late))


def _edges(compiler: Compiler, turn: int, sides: Sequence[int]) -> tuple[list[int], list[int]]:
    """Returns from where on conditions after a turn tell hands of the player apart, and those of the dealer."""
    edges: tuple[set[int], set[int]] = set(), set()
    for part in (part for one in compiler.conditions[turn] for part in parts_of(one)):
        if isinstance(part, Within) and isinstance(part.reading, Measurement):
            edges[sides[compiler.place[part.reading]]].update((part.low, part.high + 1))
        elif isinstance(part, Against) and (
            not turn or sides[compiler.place[part.one]] == sides[compiler.place[part.other]]
        ):
            raise InputError(f'"{part.one.words}" against "{part.other.words}": {WHAT}')
    highest = len(FIVE_CARDS.kinds) << SHIFT
    own, dealer = (sorted(edge for edge in one if 0 < edge < highest) for one in edges)
    return own, dealer


def _classes(edges: Sequence[int]) -> list[tuple[int, int]]:
    """Returns the lowest strength of each class, and the first above it."""
    return list(pairwise((0, *edges, len(FIVE_CARDS.kinds) << SHIFT)))


def _meeting(own: tuple[int, int], other: tuple[int, int], sign: int) -> tuple[int, int] | None:
    """Returns two strengths of two classes that compare so; none where no two do."""
    mine, theirs = ((own[0], other[1] - 1), (max(own[0], other[0]),) * 2, (own[1] - 1, other[0]))[sign]
    within = own[0] <= mine < own[1] and other[0] <= theirs < other[1]
    return (mine, theirs) if within and (mine >= theirs) + (mine > theirs) == sign else None


def _strength(edge: int) -> int:
    """Returns an edge as the toolkit counts strengths: five of a kind, of wild cards alone, is a kind of its own."""
    return edge + (1 << SHIFT) * (edge >> SHIFT >= FIVE)


@dataclass(frozen=True)
class BoardShowdown(Showdown):
    """A described game in which hands share a board, and its reference round."""

    scene: BoardScene

    cards = SEEN

    @property
    def later(self) -> int:
        """Cards that come after the decision: the rest of the board, and the dealer's."""
        return LATER

    @property
    def board(self) -> Board:
        """What is distinguished of hands."""
        return cast("Board", self.scene.told)

    @cached_property
    def table(self) -> Mapping[Cell, Mapping[str, str]]:
        """How every wager ends, by cell."""
        found: dict[Cell, Mapping[str, str]] = {}
        for end, kind in product(range(self.board.ends), range(self.board.classes)):
            found[kind, end, 0] = self.scene.ended(self.play, kind, end, 0)
            given = found[kind, self.board.ends + end, 0] = self.scene.ended(self.fold, kind, end, 0)
            if given[self.main] != LOST:
                raise InputError(f'"{self.fold}" does not lose {self.main}: {WHAT}')
        return dict(sorted(found.items(), key=lambda one: (one[0][1], one[0][0])))

    def cell(self, player: Sequence[Card], dealer: Sequence[Card], option: str) -> Cell:
        """Returns the cell of a round, given the cards until the decision and after it, in the order drawn."""
        kind, end = self.board.met(player, dealer if option == self.play else ())
        return kind, end if end >= 0 else self.board.ends, 0

    # --- the round ---

    def _roles(self) -> Sequence[int]:
        """Returns for each draw whose it is: the player's, the board's before or after the decision, the dealer's."""
        return [(card >= OWN) + (card >= SEEN) + (card >= OWN + BOARD) for card in self.board.order]

    def start(self) -> DecisionState:
        """Returns the state before anything is dealt."""
        return DecisionState(held=((0, 0, 0, 0),) * self.deck.suits)

    def node(self, state: DecisionState) -> Node:
        """Returns what the round waits for."""
        drawn = len(state.player) + len(state.dealer)
        if drawn == self.cards and not state.option:
            sees = self.board.sees(self.deck.of(state.player))
            played = Option(self.play, ((self.main, self.adds),))
            return Choice(PLAYER, (Option(self.fold, gives_up=True), played), sees)
        if state.option == self.fold or drawn == self.cards + self.later:
            return Settled(self.results(state))
        own, other = self.holders
        places = (own, self.scene.board, self.scene.board, other)
        return Chance(self.equipment[0].id, places[self._roles()[drawn]])

    def drawn(self, state: DecisionState, face: int) -> DecisionState:
        """Returns the state after a card."""
        rank, suit = self.deck.cards[face]
        holds = list(state.held[suit])
        holds[self._roles()[len(state.player) + len(state.dealer)]] |= 1 << rank
        held = (*state.held[:suit], tuple(holds), *state.held[suit + 1 :])
        if len(state.player) < self.cards:
            return replace(state, player=(*state.player, face), held=held)
        return replace(state, dealer=(*state.dealer, face), held=held)

    def matters(self, state: DecisionState) -> Hashable:
        """Returns what is where, suit by suit, whatever the suits are called; at the end, the results."""
        if isinstance(self.node(state), Settled):
            return self.results(state)
        return len(state.player) + len(state.dealer), state.option, tuple(sorted(state.held))

    def hands(self, state: DecisionState) -> tuple[Hand, ...]:
        """Returns the cards of either side and the board."""
        lying: list[list[int]] = [[], [], []]
        for face, role in zip((*state.player, *state.dealer), self._roles(), strict=False):
            lying[(role + 1) // 2].append(face)
        own, other = self.holders
        named = zip((own, self.scene.board, other), lying, strict=True)
        return tuple(Hand(holder, tuple(faces), (), "") for holder, faces in named)
