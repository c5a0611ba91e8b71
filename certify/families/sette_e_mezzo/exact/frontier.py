"""Where the best decision changes as a side stake grows, and what each point of the way returns.

The value of the whole stake under best play is the highest of the straight lines that single strategies draw
over the side stake. So between two stakes the lines of their best strategies either meet on that curve, and
then nothing lies between, or a better one lies above their crossing. Halving at crossings finds every corner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from certify.errors import InputError
from certify.evidence import par as evidence
from certify.exact import percent_text
from certify.families.sette_e_mezzo.exact.analyze import tree_of
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS, solve_joint
from certify.families.sette_e_mezzo.exact.settlement import MAIN
from certify.families.sette_e_mezzo.exact.strategies import draws_of, jointly_optimal
from certify.families.sette_e_mezzo.exact.strategy_chart import reach
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.seven_and_a_half.cards import RANKS
from certify.families.seven_and_a_half.counting import hand_name
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class StakePiece:
    """A range of side stakes over which one strategy is best.

    Args:
        stake_from: Side stake per unit of main at which the strategy becomes best.
        stake_to: Side stake at which the next one does, or the end of the range.
        main: Return of the main wager under it.
        side: Return of the side bet under it.
        hits: Hands drawn on now that the piece before stands on.
        stands: Hands stood on now that the piece before draws on.
        strategy: The strategy.
    """

    stake_from: Fraction
    stake_to: Fraction
    main: Fraction
    side: Fraction
    hits: tuple[str, ...]
    stands: tuple[str, ...]
    strategy: HitTable

    def total_return(self, stake: Fraction) -> Fraction:
        """Returns the return on the whole stake, one unit on main and a side stake."""
        return (self.main + stake * self.side) / (1 + stake)


@dataclass(frozen=True, slots=True)
class _Line:
    """What one strategy is worth: the main wager's expectation plus stake times the side bet's."""

    main: Fraction
    side: Fraction
    strategy: HitTable

    def at(self, stake: Fraction) -> Fraction:
        return self.main + stake * self.side


@lru_cache(maxsize=8)
def frontier(game: Game, side: str, limit: Fraction = Fraction(10)) -> tuple[StakePiece, ...]:
    """Returns the strategies that are best as a side stake grows from 0 to a limit, per unit of main stake.

    Raises:
        InputError: The side bet is none of the game's, or the limit is not positive.
    """
    if side not in WAGERS or side == MAIN:
        raise InputError(f"no side bet {side!r} in {game.id}: expected {', '.join(WAGERS[1:])}")
    if limit <= 0:
        raise InputError(f"side stakes up to {limit}: expected a positive limit")

    def best(stake: Fraction) -> _Line:
        return _line(game, side, stake)

    corners = _corners(best, Fraction(0), limit)
    return _pieces(game, corners, limit)


def _line(game: Game, side: str, stake: Fraction) -> _Line:
    tree = tree_of(game)
    solution = solve_joint(tree, game, {MAIN: Fraction(1), side: stake})
    return _Line(
        solution.wager_expectation(MAIN), solution.wager_expectation(side), jointly_optimal(solution)
    )


def _corners(
    best: Callable[[Fraction], _Line], start: Fraction, end: Fraction
) -> list[tuple[Fraction, _Line]]:
    """Returns the best lines from ``start`` to ``end``, each with the stake at which it becomes best."""
    first, last = best(start), best(end)
    return [(start, first), *_between(best, first, last)]


def _between(best: Callable[[Fraction], _Line], first: _Line, last: _Line) -> list[tuple[Fraction, _Line]]:
    if first.side == last.side:
        return []
    crossing = (first.main - last.main) / (last.side - first.side)
    middle = best(crossing)
    if middle.at(crossing) == first.at(crossing):
        return [(crossing, last)]
    return [*_between(best, first, middle), *_between(best, middle, last)]


def _pieces(game: Game, corners: list[tuple[Fraction, _Line]], limit: Fraction) -> tuple[StakePiece, ...]:
    pieces = []
    ends = [stake for stake, _ in corners[1:]] + [limit]
    before: _Line | None = None
    for (start, line), end in zip(corners, ends, strict=True):
        hits, stands = _changes(game, before, line)
        pieces.append(StakePiece(start, end, 1 + line.main, 1 + line.side, hits, stands, line.strategy))
        before = line
    return tuple(piece for piece in pieces if piece.stake_from < piece.stake_to)


def _changes(game: Game, before: _Line | None, line: _Line) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the hands that are now drawn on, and those now stood on, among hands that come up."""
    if before is None:
        return (), ()
    tree = tree_of(game)
    old, new = draws_of(before.strategy), draws_of(line.strategy)
    hits, stands = set(), set()
    for state in {*reach(tree, before.strategy), *reach(tree, line.strategy)}:
        if not tree.hands.is_decision(state.hand):
            continue
        rank = min(state.first, len(RANKS) - 1)
        drew, draws = (choose(rank, state.hand, state.same) for choose in (old, new))
        if draws and not drew:
            hits.add(f"{RANKS[rank]} first: {hand_name(state.hand)}")
        if drew and not draws:
            stands.add(f"{RANKS[rank]} first: {hand_name(state.hand)}")
    return tuple(sorted(hits)), tuple(sorted(stands))


def most_side_return(game: Game, side: str, main_at_least: Fraction) -> Fraction | None:
    """Returns the highest return of a side bet that any play can have while main returns at least so much.

    Any play, mixtures of strategies included, lies on or below the frontier; between two corners it is the
    mixture of the two. None where main cannot return that much.
    """
    pieces = frontier(game, side)
    if pieces[0].main < main_at_least:
        return None
    for piece, after in pairwise(pieces):
        if after.main < main_at_least:
            share = (piece.main - main_at_least) / (piece.main - after.main)
            return piece.side + share * (after.side - piece.side)
    return pieces[-1].side


def frontier_evidence(pieces: tuple[StakePiece, ...]) -> tuple[evidence.FrontierPiece, ...]:
    """Returns a frontier as nouns of the evidence."""
    return tuple(
        evidence.FrontierPiece(
            stake_from=piece.stake_from,
            stake_to=piece.stake_to,
            main_return=piece.main,
            side_return=piece.side,
            total_return_from_percent=percent_text(piece.total_return(piece.stake_from)),
            total_return_to_percent=percent_text(piece.total_return(piece.stake_to)),
            now_hit=piece.hits,
            now_stand=piece.stands,
        )
        for piece in pieces
    )
