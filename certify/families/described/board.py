"""Described games in which two cards each share a board of five, decided on before it, or once some of it is open.

As with whole hands of three, the submission's stages are acted out on what hands come to: once for each way through the
decisions, each class of what is seen, and each way in which two hands meet that its conditions tell apart. The boards
themselves are counted by the toolkit.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, product
from math import lcm
from typing import Any, Final, cast

from certify.analysis.hands.strength import FIVE, SHIFT, Card
from certify.by_key import gathered
from certify.errors import InputError, Refusing
from certify.families.described.compiler import Compiler
from certify.families.described.reading import Described, described_of
from certify.families.described.rules import (
    Against,
    DescribedRules,
    Measurement,
    Within,
    parts_of,
)
from certify.families.described.showdown import FIVE_CARDS, Cell, Scene, Showdown
from certify.families.described.stages import laid, start
from certify.families.one_decision.text import PLAYER, DecisionState, DecisionTerms
from certify.families.shared_board.board import BOARD, DEALT, FLOP, OWN, SEEN, SIGNS, Board, BoardWay, Point
from certify.model import Game
from certify.model.round import Chance, Choice, Hand, Node, Settled
from certify.model.stages import Choose, NextDraw, opened

MOST_ENDS: Final = 250
"""Ways in which two hands meet that are distinguished, at most."""

WHAT: Final = (
    "two cards to each of two places and five to a third: expected one whole deck, the player's two cards first, then "
    "three of the board, a fourth and a fifth, together or one by one, and the dealer's two after the last decision; "
    "decisions before the board or once three, four or all of it are open, on all of it between two options, which are "
    "the same on every hand and add to the first wager alone; conditions read the best five cards of a place with the "
    "board, once three or all of it are open"
)
"""What a game with a shared board looks like."""


@dataclass(frozen=True, slots=True)
class BoardScene(Scene):
    """What a described game asks of hands that share a board.

    Args:
        board: The place of the shared cards.
        turns: For each turn how many cards lie there once it was dealt.
        seen: For each class of what is seen, what the player's hand comes to.
        pairs: For each way in which hands meet, what the player's and the dealer's come to.
    """

    board: str = ""
    turns: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    __hash__ = Scene.__hash__

    def acted(self, path: Sequence[str], kind: int, pair: int) -> tuple[Point | BoardWay, Mapping[str, str]]:
        """Acts a round out.

        Args:
            path: What is decided.
            kind: Class of what is seen.
            pair: How the hands meet.

        Returns:
            The decision that is due, or the way that the round went; and how the wagers ended that did.
        """
        after, won, _ = opened(start(self.program))
        drawn, offered, left = 0, list[tuple[str, ...]](), list(path)
        while isinstance(after, NextDraw | Choose):
            kept: tuple[Any, ...] = after.kept
            step = self.program.steps[kept[0]]
            if isinstance(after, NextDraw):
                drawn += len(step.draws)
                if drawn != self.turns[kept[0]]:
                    raise InputError(f"a turn is left out before {step.id}: {WHAT}")
                with Refusing(ValueError, InputError):
                    moment = laid(self.program, after, self._lying(drawn, kind, pair))
            elif not left:
                return Point(step.id, tuple(path), drawn - OWN, after.options, ()), dict(won)
            else:
                offered.append(tuple(option.id for option in after.options))
                with Refusing(ValueError, InputError):
                    moment = after.then(self.program, *after.kept, left.pop(0))
            after, more, _ = opened(moment)
            won += more
        return BoardWay(tuple(path[: len(offered)]), drawn, tuple(offered)), dict(won + after.won)

    def _lying(self, drawn: int, kind: int, pair: int) -> dict[int, int]:
        """Returns what readings come to once so many cards lie there."""
        values: list[int | None] = [self.seen[kind] if drawn >= SEEN else None, None]
        if drawn >= OWN + BOARD:
            values = [self.pairs[pair][0], self.pairs[pair][1] if drawn == DEALT else None]
        known = ((place, values[side]) for place, side in enumerate(self.sides))
        return {place: value for place, value in known if value is not None}


def shares_board(found: Described) -> bool:
    """Returns whether two cards come to each of two places and five to a third."""
    dealt = [place for turn in found.turns for place, _ in turn.draws]
    return sorted(dealt.count(place) for place in set(dealt)) == [OWN, OWN, BOARD]


def board_scene_of(game: Game, rules: DescribedRules) -> BoardScene:
    """Returns what a described game asks of hands that share a board.

    Raises:
        InputError: It asks for something else.
    """
    found = described_of(game, rules)
    own, board, other, order, turns = _places(found)
    compiler = Compiler(found, game.equipment, found.wagers, whole=True)
    whose = {frozenset([own, board]): 0, frozenset([other, board]): 1}
    sides = tuple(whose.get(frozenset(reading.places), -1) for reading in compiler.readings)
    for reading, side in zip(compiler.readings, sides, strict=True):
        if side < 0 or reading.order != FIVE_CARDS:
            raise InputError(f'"{reading.words}" is read: {WHAT}')
    early, mine, theirs = _edges(compiler, turns, sides)
    raw = list(product(_classes(mine), _classes(theirs), range(SIGNS)))
    pairs = tuple(_meeting(*one) for one in raw)
    edges = [tuple(map(_strength, one)) for one in (early, mine, theirs)]
    seen = tuple(low for low, _ in _classes(early))
    told = Board(edges[0], edges[1], edges[2], order)
    scene = BoardScene(
        compiler.program(), sides, {}, (found.places[own], found.places[other]), told, renamed=True,
        main=found.wagers[0], board=found.places[board], turns=turns, seen=seen,
        pairs=tuple(pair or (0, 0) for pair in pairs),
    )  # fmt: skip
    points, ways = _tree(scene)
    met = [number for number, pair in enumerate(pairs) if pair]
    ends: dict[Hashable, int] = {}
    columns = [-1] * len(pairs)
    for number in met:
        ended = [tuple(_ended(scene, way, kind, number).items()) for way in ways for kind in range(len(seen))]
        columns[number] = ends.setdefault(tuple(ended), len(ends))
    if len(ends) > MOST_ENDS:
        raise InputError(
            f"hands meet in {len(ends)} ways that conditions distinguish: expected at most {MOST_ENDS}"
        )
    first = tuple(scene.pairs[columns.index(end)] for end in range(len(ends)))
    told = replace(told, points=points, ways=ways, columns=tuple(columns))
    return replace(scene, told=told, pairs=first)


def _ended(scene: BoardScene, way: BoardWay, kind: int, pair: int) -> Mapping[str, str]:
    """Returns how every wager ends.

    Raises:
        InputError: What may be decided, or is dealt, depends on the hands.
    """
    reached, won = scene.acted(way.path, kind, pair)
    if reached != way:
        raise InputError(f"what may be decided, or when a round ends, depends on the hands: {WHAT}")
    return won


def _tree(scene: BoardScene) -> tuple[tuple[Point, ...], tuple[BoardWay, ...]]:
    """Returns the points and the ways of a game."""
    points, ways, waiting = list[Point](), list[BoardWay](), [tuple[str, ...]()]
    # The list grows while it is walked.
    for path in waiting:
        point, _ = scene.acted(path, 0, 0)
        if isinstance(point, BoardWay):
            ways.append(point)
            continue
        added = {wager for option in point.options for wager, _ in option.adds} - {scene.main}
        many = len(point.options) > 2 and point.opened == BOARD
        if point.opened not in (0, FLOP, FLOP + 1, BOARD) or added or many:
            raise InputError(f"the decision after the turn {point.turn} is of another form: {WHAT}")
        points.append(point)
        waiting += [(*path, option) for option in point.ids]
    points.sort(key=lambda point: point.opened)
    paths = [*(point.path for point in points), *(way.path for way in ways)]
    numbers = {path: number for number, path in enumerate(paths)}
    led = [tuple(numbers[*point.path, option] for option in point.ids) for point in points]
    return tuple(replace(point, follow=to) for point, to in zip(points, led, strict=True)), tuple(ways)


def _places(found: Described) -> tuple[int, int, int, tuple[int, ...], tuple[int, ...]]:
    """Returns the places of the player, the board and the dealer, which card each draw is, and how many lie by turn."""
    dealt = [[place for place, _ in turn.draws] for turn in found.turns]
    every = [place for one in dealt for place in one]
    board = next(place for place in every if every.count(place) == BOARD)
    own, other = dict.fromkeys(place for place in every if place != board)
    turns = tuple(accumulate(map(len, dealt)))
    decided = max((number for number, turn in enumerate(found.turns) if turn.choices), default=-1)
    straight = all(to > number for number, turn in enumerate(found.turns) for to in turn.following)
    late = any(own in one for one in dealt[1:]) or any(other in one for one in dealt[: decided + 1])
    if not straight or late or any(turn.clears for turn in found.turns):
        raise InputError(WHAT)
    # Cards are numbered by what they are: the player's own, those of the board in their order, the dealer's.
    waiting = {own: [0, 1], board: [2, 3, 4, 5, 6], other: [7, 8]}
    return own, board, other, tuple(waiting[place].pop(0) for place in every), turns


def _edges(compiler: Compiler, turns: Sequence[int], sides: Sequence[int]) -> tuple[list[int], ...]:
    """Returns from where on conditions tell hands apart: what is seen early, the player's whole hand, the dealer's."""
    edges: tuple[set[int], ...] = set(), set(), set()
    for turn, lying in enumerate(turns):
        for part in (part for one in compiler.conditions[turn] for part in parts_of(one)):
            if isinstance(part, Within) and isinstance(part.reading, Measurement):
                side = sides[compiler.place[part.reading]]
                read = (SEEN, OWN + BOARD, DEALT) if not side else (DEALT,)
                if lying not in read:
                    raise InputError(f'"{part.reading.words}" is read when {lying} cards lie there: {WHAT}')
                edges[0 if lying == SEEN else 1 + side].update((part.low, part.high + 1))
            elif isinstance(part, Against) and (
                lying < DEALT or sides[compiler.place[part.one]] == sides[compiler.place[part.other]]
            ):
                raise InputError(f'"{part.one.words}" against "{part.other.words}": {WHAT}')
    highest = len(FIVE_CARDS.kinds) << SHIFT
    return tuple(sorted(edge for edge in one if 0 < edge < highest) for one in edges)


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
    """A described game in which hands share a board, and its reference round; its state holds every card in order."""

    scene: BoardScene

    @property
    def board(self) -> Board:
        """What is distinguished of hands."""
        return cast("Board", self.scene.told)

    @property
    def options(self) -> tuple[str, ...]:
        """Everything that may be decided, the less committing options of each point first."""
        return tuple(dict.fromkeys(option for point in self.board.points for option in point.ids))

    @property
    def play(self) -> str:
        """The most committing option of the first decision."""
        return self.board.points[0].ids[-1] if self.board.points else ""

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many ways, classes of what is seen and ends there are."""
        return len(self.board.ways), self.board.kinds, self.board.ends

    @cached_property
    def table(self) -> Mapping[Cell, Mapping[str, str]]:
        """How every wager ends, by cell: way, class of what is seen, and how hands meet."""
        way, kinds, ends = (range(size) for size in self.shape)
        return {
            cell: _ended(self.scene, self.board.ways[cell[0]], *cell[1:])
            for cell in product(way, kinds, ends)
        }

    @cached_property
    def terms(self) -> DecisionTerms:
        """What the worth of every decision hangs on."""
        nets: list[list[Fraction]] = []
        for way, _ in enumerate(self.board.ways):
            by_kind = [
                [self.main_net(self.table[way, kind, end][self.main]) for end in range(self.board.ends)]
                for kind in range(self.board.kinds)
            ]
            if any(one != by_kind[0] for one in by_kind):
                raise InputError(f"what the first three of the board make is paid on {self.main}: {WHAT}")
            nets.append(by_kind[0])
        parts = lcm(*(net.denominator for by_end in nets for net in by_end))
        whole = tuple(tuple(int(net * parts) for net in by_end) for by_end in nets)
        return DecisionTerms(type(self), self.options, self.main, self.deck, 0, whole, parts, self.board)

    # --- the round ---

    def _roles(self) -> Sequence[int]:
        """Returns for each draw whose it is: the player's, the board's first three or others, the dealer's."""
        return [(card >= OWN) + (card >= SEEN) + (card >= OWN + BOARD) for card in self.board.order]

    def _due(self, state: DecisionState) -> Point | None:
        """Returns the decision that is due; none where cards are, or nothing is."""
        point = self.board.point(state.option.split())
        return point if point and len(state.player) == OWN + point.opened else None

    def start(self) -> DecisionState:
        """Returns the state before anything is dealt."""
        return DecisionState(held=((0, 0, 0, 0),) * self.deck.suits)

    def node(self, state: DecisionState) -> Node:
        """Returns what the round waits for."""
        point = self._due(state)
        if point:
            return Choice(PLAYER, point.options, self.board.sees(point, self.deck.of(state.player)))
        path = tuple(state.option.split())
        if any(way.path == path and way.drawn <= len(state.player) for way in self.board.ways):
            return Settled(self.results(state))
        own, other = self.holders
        places = (own, self.scene.board, self.scene.board, other)
        return Chance(self.equipment[0].id, places[self._roles()[len(state.player)]])

    def drawn(self, state: DecisionState, face: int) -> DecisionState:
        """Returns the state after a card."""
        rank, suit = self.deck.cards[face]
        holds = list(state.held[suit])
        holds[self._roles()[len(state.player)]] |= 1 << rank
        held = (*state.held[:suit], tuple(holds), *state.held[suit + 1 :])
        return replace(state, player=(*state.player, face), held=held)

    def decided(self, state: DecisionState, option: str) -> DecisionState:
        """Returns the state after a decision.

        Raises:
            InputError: The option is not offered.
        """
        point = self._due(state)
        if point is None or option not in point.ids:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(self.options)}")
        return replace(state, option=f"{state.option} {option}".strip())

    def matters(self, state: DecisionState) -> Hashable:
        """Returns what is where, suit by suit, whatever the suits are called; at the end, the results."""
        if isinstance(self.node(state), Settled):
            return self.results(state)
        return len(state.player), state.option, tuple(sorted(state.held))

    def hands(self, state: DecisionState) -> tuple[Hand, ...]:
        """Returns the cards of either side and the board."""
        roles = zip(state.player, self._roles(), strict=False)
        lying = gathered(((role + 1) // 2, face) for face, role in roles)
        own, other = self.holders
        sides = enumerate((own, self.scene.board, other))
        return tuple(Hand(holder, tuple(lying.get(side, ())), (), "") for side, holder in sides)

    def cell(self, player: Sequence[Card], dealer: Sequence[Card], option: str) -> Cell:
        """Returns the cell of a round, given all its cards in the order drawn and what was decided."""
        paths = [way.path for way in self.board.ways]
        return paths.index(tuple(option.split())), *self.board.met((*player, *dealer))
