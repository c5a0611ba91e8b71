"""The most that one round can cost whoever banks, over all draws and all play, at the limits of the table."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from certify.analysis.engine.walk import CHOICE, NO_MOVE, SETTLED, RoundGraph
from certify.by_key import gathered, summed
from certify.errors import InputError
from certify.model import Equipment, Game, Price, Row
from certify.model.points import Reached
from certify.model.round import Chance, Choice, Exposure, ReferenceRound, Settled, WagerResult


class RealRounds:
    """Rounds of cards that there are, through a graph of averaged steps: some of its ways take a card too often."""

    def __init__(self, graph: RoundGraph) -> None:
        self.graph = graph
        self.sources = [state for state in range(graph.size) for _ in graph.edges(state)]
        self.leading = gathered((target, edge) for edge, target in enumerate(graph.targets))
        (piece,) = graph.reference.equipment
        self.left = summed(zip(graph.drawn_as, piece.copies, strict=True))

    def by(self, edge: int) -> tuple[int, ...]:
        """Returns the edges of a round that goes by an edge; there is one, for an edge is counted by its rounds."""
        graph, known = self.graph, set[Hashable]()
        ways: list[tuple[int, ...]] = [(edge,)]
        while True:
            way = ways.pop()
            begun, ended = self.sources[way[0]], graph.targets[way[-1]]
            taken = Counter(graph.drawn_as[graph.moves[one]] for one in way)
            key = begun, ended, frozenset(taken.items())
            if key in known or any(self.left[face] < often for face, often in taken.items()):
                continue
            known.add(key)
            if begun:
                ways += [(one, *way) for one in self.leading[begun]]
            elif graph.kinds[ended] == SETTLED:
                return way
            else:
                ways += [(*way, one) for one in graph.edges(ended)]


def path_to(graph: RoundGraph, state: int) -> Reached:
    """Returns a round from the start to an end, a shortest one unless steps are averaged."""
    draws: list[tuple[str, int]] = []
    decisions: list[str] = []
    steps: list[tuple[int, int]] = []
    if graph.drawn_as:
        real = RealRounds(graph)
        steps = [(real.sources[edge], edge) for edge in reversed(real.by(graph.parents[state]))]
        state = 0
    while graph.parents[state] != NO_MOVE:
        edge = graph.parents[state]
        state = graph.source(edge)
        steps.append((state, edge))
    current: Any = graph.reference.start()
    left = {piece.id: list(piece.copies) for piece in graph.reference.equipment}
    kept = {piece.id for piece in graph.reference.equipment if piece.replaced}
    for place, edge in reversed(steps):
        move = graph.moves[edge]
        node = graph.reference.node(current)
        if graph.kinds[place] == CHOICE:
            decisions.append(graph.choice(place).ids[move])
            current = graph.reference.decided(current, decisions[-1])
        elif isinstance(node, Chance):
            face = _face(graph.reference, current, move, left[node.equipment])
            left[node.equipment][face] -= node.equipment not in kept
            draws.append((node.equipment, face))
            current = graph.reference.drawn(current, face)
    return Reached(current, graph.reference.node(current), tuple(draws), tuple(decisions))


def _face(reference: ReferenceRound[Any], state: Any, move: int, left: Sequence[int]) -> int:
    """Returns the face of an edge, or where all cards that show it are gone, the next one that leads the same way."""
    if left[move]:
        return move
    alike = reference.alike(state, move)
    return next(face for face, items in enumerate(left) if items and reference.alike(state, face) == alike)


def ends(graph: RoundGraph) -> Mapping[int, int]:
    """Returns for each way in which a round can end the first state that ends so."""
    found: dict[int, int] = {}
    for state, kind in enumerate(graph.kinds):
        if kind == SETTLED:
            found.setdefault(graph.details[state], state)
    return found


def witnesses(
    graph: RoundGraph, rows_of: Callable[[str, str], Sequence[str]]
) -> Mapping[tuple[str, str], Reached]:
    """Returns a round for every row that some draws and some decisions reach, by wager and row.

    The walk visits every state that any play reaches, so that a row that is not among them is unreachable: no
    draws and no decisions settle in it.

    Where some round of a wager wins awards, its rows are those that win: its outcomes are classes of rounds.

    Args:
        graph: The merged states of the round.
        rows_of: The rows that an outcome of a wager is paid by.
    """
    awarded = {result.wager for results in graph.results for result in results if result.awards}
    first: dict[tuple[str, str], int] = {}
    # Thousands of states end in some dozens of outcomes.
    paid_by = cache(rows_of)
    for place, state in ends(graph).items():
        for result in graph.results[place]:
            won = [award.row for award in result.awards]
            for row in won if result.wager in awarded else paid_by(result.wager, result.outcome):
                first.setdefault((result.wager, row), state)
    return {key: path_to(graph, state) for key, state in first.items()}


def replay(reference: ReferenceRound[Any], played: Reached) -> tuple[WagerResult, ...]:
    """Returns how a round ends that is replayed from its draws and decisions.

    Raises:
        InputError: The round asks for something else than was recorded.
    """
    draws, decisions = iter(played.drawn), iter(played.decisions)
    state: Any = reference.start()
    while not isinstance(node := reference.node(state), Settled):
        if isinstance(node, Choice):
            option = next(decisions, None)
            if option not in node.ids:
                raise InputError(f"{option!r} was recorded, expected one of {', '.join(node.ids)}")
            state = reference.decided(state, option)
            continue
        piece, face = next(draws, (None, NO_MOVE))
        if piece != node.equipment:
            raise InputError(f"a draw from {piece} was recorded, expected one from {node.equipment}")
        state = reference.drawn(state, face)
    return node.results


E = TypeVar("E")

Prices = Mapping[str, Price]
"""What every wager of a round comes to, in units of its initial stake."""


def exposure(game: Game, graph: RoundGraph) -> Exposure:
    """Returns the highest total net win of one round, with a row of draws and the decisions that produce it.

    Every end that any play of any draws reaches is compared.

    Args:
        game: The submission.
        graph: The merged states of its round.

    Raises:
        InputError: The wagers have limits in different currencies, or the round settles other wagers.
    """
    reached = ends(graph)
    prices = {
        place: {result.wager: Price(result.net, result.staked) for result in graph.results[place]}
        for place in sorted(reached)
    }

    def shown(place: int) -> tuple[Row, tuple[str, ...]]:
        played = path_to(graph, reached[place])
        return _drawn(played, graph.reference.equipment), played.decisions

    return costliest(game, prices, shown)


def costliest(
    game: Game, prices: Mapping[E, Prices], shown: Callable[[E], tuple[Row, tuple[str, ...]]]
) -> Exposure:
    """Returns the most that one of several ends of a round costs; of equal ones the first.

    What wins is staked at its maximum; the first wager is staked at its minimum where it loses, the others are then
    not placed. What a player adds to a wager on the way counts in its stake.

    Args:
        game: The submission.
        prices: Every end with what each wager comes to by it.
        shown: Returns a row of draws and the decisions that come to an end.

    Raises:
        InputError: The wagers have limits in different currencies, or an end settles other wagers.
    """
    currencies = {wager.limits.currency for wager in game.wagers}
    if len(currencies) != 1:
        raise InputError(f"{game.path}: limits in {', '.join(sorted(currencies))}: no exposure in one sum")
    bets = {end: list(_bets(game, found)) for end, found in prices.items()}
    end = max(bets, key=lambda one: sum(bet.win for bet in bets[one]))
    deck, decisions = shown(end)
    return Exposure(
        amount=sum(bet.win for bet in bets[end]),
        currency=currencies.pop(),
        wins=tuple((bet.wager, bet.win) for bet in bets[end]),
        deck=deck,
        decisions=decisions,
        stakes=tuple((bet.wager, bet.stake) for bet in bets[end]),
    )


def _drawn(played: Reached, equipment: Sequence[Equipment]) -> Row:
    """Returns what the round looked at where one piece is drawn from, else the whole row."""
    row = played.row(equipment)
    return row[: len(played.drawn)] if len(equipment) == 1 else row


@dataclass(frozen=True, slots=True)
class _Bet:
    wager: str
    stake: int
    win: int


def _bets(game: Game, prices: Prices) -> Iterator[_Bet]:
    for wager in game.wagers:
        if wager.id not in prices:
            raise InputError(
                f"{game.path}: the round settles no wager {wager.id!r}: expected {', '.join(prices)}"
            )
        price = prices[wager.id]
        least = wager.limits.minimum if wager is game.wagers[0] else 0
        stake = wager.limits.maximum if price.net > 0 else least
        # Broken minor units count in the player's favour: an upper bound is requested.
        parts = (price.staked, price.net)
        yield _Bet(wager.id, *(-(-stake * one.numerator // one.denominator) for one in parts))
