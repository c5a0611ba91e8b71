"""Where the best decision changes as a side stake grows, and what each point of the way returns.

The value of the whole stake under best play is the highest of the straight lines that single strategies draw
over the side stake. So between two stakes the lines of their best strategies either meet on that curve, and
then nothing is between, or a better one is above their crossing. Halving at crossings finds every corner. Printed
returns that no one player has follow from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from certify.errors import InputError
from certify.evidence import par as evidence
from certify.exact import percent_text
from certify.families.sette_e_mezzo.exact.best_play import draws_of, reach, solve
from certify.families.sette_e_mezzo.exact.figures import jointly_optimal, named_strategy, return_of
from certify.families.sette_e_mezzo.exact.hand_tree import tree_of
from certify.families.sette_e_mezzo.rules import MAIN, WAGER_IDS, HitTable
from certify.families.seven_and_a_half.cards import RANKS, hand_name
from certify.families.seven_and_a_half.strategy_files import ALWAYS_SECOND_CARD
from certify.model import JOINTLY_OPTIMAL, MAIN_OPTIMAL, RETURN, Claim, Game


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
    if side not in WAGER_IDS or side == MAIN:
        raise InputError(f"no side bet {side!r} in {game.id}: expected {', '.join(WAGER_IDS[1:])}")
    if limit <= 0:
        raise InputError(f"side stakes up to {limit}: expected a positive limit")

    def best(stake: Fraction) -> _Line:
        solution = solve(game, {MAIN: Fraction(1), side: stake})
        return _Line(
            solution.wager_expectation(MAIN), solution.wager_expectation(side), jointly_optimal(solution)
        )

    first = best(Fraction(0))
    return _pieces(game, [(Fraction(0), first), *_between(best, first, best(limit))], limit)


def _between(best: Callable[[Fraction], _Line], first: _Line, last: _Line) -> list[tuple[Fraction, _Line]]:
    """Returns the best lines after the first up to the last, each with the stake at which it becomes best."""
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
    hits: set[str] = set()
    stands: set[str] = set()
    for state in {*reach(tree, before.strategy), *reach(tree, line.strategy)}:
        rank, _, hand = state
        if state not in tree.drawn or hand in tree.forced or old(state) == new(state):
            continue
        (hits if new(state) else stands).add(f"{RANKS[rank]} first: {hand_name(hand)}")
    return tuple(sorted(hits)), tuple(sorted(stands))


def most_side_return(game: Game, side: str, main_at_least: Fraction) -> Fraction | None:
    """Returns the highest return of a side bet that any play can have while main returns at least so much.

    Any play, mixtures of strategies included, is on or below the frontier; between two corners it is the
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


# --- printed returns of one player -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StrategyReturns:
    """The returns of all wagers under one strategy, and which printed figures hold under it."""

    strategy: str
    returns: Mapping[str, Fraction]
    holds: tuple[tuple[str, bool], ...]

    @property
    def all_hold(self) -> bool:
        """Whether every printed figure holds under this strategy."""
        return all(holds for _, holds in self.holds)


@dataclass(frozen=True, slots=True)
class ThreeReturns:
    """Whether the printed returns can hold for one player, with the numbers that decide it.

    Args:
        claims: The printed returns.
        strategies: Returns under each strategy looked at, one unit on each wager.
        most: For each side bet: its highest return under any play at all that gives main its printed return.
        possible: Whether one player can have all printed returns; none where that was not decided.
    """

    claims: tuple[Claim, ...]
    strategies: tuple[StrategyReturns, ...]
    most: tuple[tuple[str, Fraction | None], ...]
    possible: bool | None


def three_returns(game: Game) -> ThreeReturns:
    """Returns whether the printed returns of a game can hold for one player at once."""
    claims = tuple(claim for claim in game.claims if claim.metric == RETURN)
    names = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD, JOINTLY_OPTIMAL)
    strategies = tuple(_strategy_returns(game, name, claims) for name in names)
    most = _most(game, claims)
    possible = _possible(claims, strategies, dict(most))
    return ThreeReturns(claims, strategies, most, possible)


def _strategy_returns(game: Game, strategy: str, claims: tuple[Claim, ...]) -> StrategyReturns:
    table = named_strategy(game, strategy)
    returns = {wager: return_of(game, table, wager) for wager in WAGER_IDS}
    holds = tuple((claim.wager, claim.printed.stands_for(returns[claim.wager])) for claim in claims)
    return StrategyReturns(strategy, returns, holds)


def _most(game: Game, claims: tuple[Claim, ...]) -> tuple[tuple[str, Fraction | None], ...]:
    floors = [claim.printed.interval[0] for claim in claims if claim.wager == MAIN]
    if not floors:
        return ()
    sides = [wager for wager in WAGER_IDS if wager != MAIN and game.claims_on(wager)]
    return tuple((side, most_side_return(game, side, max(floors))) for side in sides)


def _possible(
    claims: tuple[Claim, ...], strategies: tuple[StrategyReturns, ...], most: dict[str, Fraction | None]
) -> bool | None:
    if any(strategy.all_hold for strategy in strategies):
        return True
    for claim in claims:
        highest = most.get(claim.wager, claim.printed.interval[0])
        if highest is None or highest < claim.printed.interval[0]:
            return False
    return None
