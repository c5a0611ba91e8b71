"""What any play can make of a printed figure: the best and the worst possible, where the round can be walked for it."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count
from typing import Final

from certify.analysis.engine import best
from certify.analysis.engine.distribution import CountingOrder, counting_order
from certify.analysis.engine.exact import CountedGame
from certify.analysis.engine.walk import NO_MOVE, GraphSource, RoundGraph, walk
from certify.errors import InputError
from certify.families import (
    BoundedRound,
    Configuration,
    ConfigurationKind,
    SteppedRound,
    WagerResult,
    rows_of,
)
from certify.mathematics.of_game import engine_of, offered, return_of
from certify.model import (
    BY_VARIANCE,
    HIT_FREQUENCY,
    HOUSE_EDGE,
    MAIN_OPTIMAL,
    MAXIMUM_AWARD,
    ODDS_OF_MAXIMUM,
    ODDS_OF_ROW,
    ON_TOTAL,
    RETURN,
    Claim,
    Equipment,
    Game,
    award_of,
    possible_rows,
    possible_words,
)
from certify.model.points import along

ENDLESS: Final = 256
"""Bits of first draws that a state must tell apart where a round may go on without end."""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """The equipment of a game as far as one round can look at it.

    Args:
        equipment: Each piece with the most draws that a round makes of it as its supply.
        unwalked: Why the draws of a round could not be counted; the pieces are then whole. Empty where they were, or
            where nothing hangs on it.
        most: More rows of faces than one round looks at, where its text bounds them; 0 where they are counted.
    """

    equipment: tuple[Equipment, ...]
    unwalked: str = ""
    most: int = 0

    @property
    def bits(self) -> float:
        """Bits that tell all rows of these draws apart: the binary logarithm of their number."""
        return math.log2(self.most or possible_rows(self.equipment))

    @property
    def rows(self) -> str:
        """The number of rows as a formula, a bound of it in powers of ten."""
        if not self.most:
            return possible_words(self.equipment)
        power = len(str(self.most)) - 1
        return f"{-(-self.most // 10 ** (power - 2)) / 100:.2f} × 10^{power}"


@lru_cache(maxsize=64)
def looked_at(game: Game, enough: int) -> LookedAt:
    """Returns the equipment of a game as far as one round can look at it.

    Where even the whole equipment needs no more than the bits at hand, or one round needs more, nothing is walked. No
    state tells all rounds apart that may go on without end: of these, the first draws that hold 256 bits are looked at.
    Nor need it tell apart a whole row of events such as spins, each finding everything put back: one of each kind
    is looked at, and as many more as hold 256 bits.

    Args:
        game: The submission.
        enough: Bits at hand.
    """
    whole = LookedAt(game.equipment)
    if whole.bits <= enough:
        return whole
    try:
        reference = game.port.reference(game)
        if isinstance(reference, SteppedRound):
            return some_events(reference.events, game.equipment)
        one = _one_round(game)
        if one.bits > enough:
            return one
        if isinstance(reference, BoundedRound):
            return LookedAt(game.equipment, most=reference.most_rows)
        counted = engine_of(game.port).counted(game)
    except InputError as error:
        return LookedAt(game.equipment, str(error))
    longest = most_draws(counted.graph, counted.order)
    return LookedAt(
        tuple(
            replace(piece, supply=max(1, min(piece.supply, drawn, _told_apart(piece))))
            for piece, drawn in zip(game.equipment, longest, strict=True)
        )
    )


def some_events(events: Sequence[Sequence[Equipment]], row: Sequence[Equipment]) -> LookedAt:
    """Returns one event of every kind, and as many more of each as hold 256 bits or the row has.

    What must be available is every outcome of each draw, that is of one event. Events draw from what is put back, so
    that the next one finds everything again; that a long round of them repeats none of its beginning is requested next
    to.
    """
    each: Counter[str] = Counter()
    for event in events:
        for piece in event:
            each[piece.id] = max(each[piece.id], piece.supply)
    untold = next((piece.id for piece in row if not each[piece.id]), None)
    if untold is not None:
        raise InputError(f"no event of the round draws {untold!r}, and rows hold it")
    for many in count(1):
        some = tuple(replace(piece, supply=min(piece.supply, many * each[piece.id])) for piece in row)
        seen = LookedAt(some)
        if seen.bits >= ENDLESS or all(piece.supply <= many * each[piece.id] for piece in row):
            break
    return seen


def _one_round(game: Game) -> LookedAt:
    """Returns the draws of the deepest of some rounds: no round needs less state than what one of them looks at."""
    deepest = max(along(game.port.reference(game)), key=lambda reached: len(reached.drawn))
    drawn = Counter(piece for piece, _ in deepest.drawn)
    return LookedAt(
        tuple(
            replace(piece, supply=max(1, min(drawn[piece.id], _told_apart(piece))))
            for piece in game.equipment
        )
    )


def _told_apart(piece: Equipment) -> int:
    """Returns the draws of a piece that hold as many bits as a round must tell apart; all where none is put back."""
    return piece.supply if not piece.replaced else math.ceil(ENDLESS / math.log2(piece.size))


def most_draws(graph: RoundGraph, order: CountingOrder) -> Sequence[int]:
    """Returns the most draws of each piece on any way from the start to an end.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted; what a round can come back to draws as often as the piece
            allows.
    """
    supply = [piece.supply for piece in graph.reference.equipment]
    most = [[0] * len(supply)] * graph.size
    for group, loops in order.backward():
        drawn = [0] * len(supply)
        for state in group:
            for edge in graph.edges(state):
                drawn = [max(pair) for pair in zip(drawn, most[graph.targets[edge]], strict=True)]
        for state in group:
            if (place := graph.pieces[state]) != NO_MOVE:
                drawn[place] = supply[place] if loops else drawn[place] + 1
        for state in group:
            most[state] = drawn
    return most[0]


SMALL: Final = 2_000
"""States up to which a round is walked in addition to the family's own counting, in about a second."""

STEPS: Final = 50
"""Steps of Dinkelbach's method; each finds a better strategy, of which there are finitely many."""


@dataclass(frozen=True, slots=True)
class Possible:
    """Between what a figure can lie, whatever is played; none where that was not found.

    Args:
        lowest: The least that some play comes to.
        highest: The most that some play comes to.
    """

    lowest: Fraction | None
    highest: Fraction | None

    def excludes(self, claim: Claim) -> bool:
        """Returns whether no play comes to what is printed."""
        low, high = claim.printed.interval
        # An end of the interval that does not itself print so is as far out as anything beyond it.
        prints = claim.printed.stands_for
        above = self.lowest is not None and self.lowest >= high and not prints(self.lowest)
        below = self.highest is not None and self.highest <= low and not prints(self.highest)
        # Where there is one figure alone, it prints so or not.
        alone = self.lowest is not None and self.lowest == self.highest and not prints(self.lowest)
        return above or below or alone


NOT_FOUND: Final = Possible(None, None)


@lru_cache(maxsize=256)
def possible(game: Game, claim: Claim) -> Possible:
    """Returns what any play can make of the figure that a claim is about.

    Args:
        game: The submission.
        claim: A printed figure of it.
    """
    if claim.metric in BY_VARIANCE or claim.metric == ODDS_OF_MAXIMUM:
        # Neither is a mean over rounds, which is what play is solved for.
        return NOT_FOUND
    if claim.metric == ODDS_OF_ROW and _never(game, claim):
        return Possible(Fraction(0), Fraction(0))
    ways = [one for one in offered(game) if one.kind is not ConfigurationKind.GAMBLE]
    if len(ways) > 1 or any(one.kind is ConfigurationKind.SEED for one in ways):
        return _of_any(ways, claim)
    walked = _walked(game)
    if walked is None:
        return _best_known(game, claim)
    try:
        return _extremes(walked, claim)
    except InputError:
        # Two who decide, or more than can be solved: what is possible is not known, and is not stated.
        return _best_known(game, claim)


def _of_any(ways: Sequence[Configuration], claim: Claim) -> Possible:
    """Returns the bounds of a return, whatever is staked; of a meter that grows there is no end of it.

    Of figures but returns, it is not known what every configuration comes to.
    """
    grows = any(one.kind is ConfigurationKind.SEED for one in ways)
    if grows or claim.metric not in (RETURN, HOUSE_EDGE):
        return NOT_FOUND
    least, most = min(one.returned for one in ways), max(one.most_returned for one in ways)
    return Possible(least, most) if claim.metric == RETURN else Possible(1 - most, 1 - least)


def _never(game: Game, claim: Claim) -> bool:
    """Returns whether odds are of a row of the paytable that no round reaches."""
    rows = {row.id for row in game.wager(claim.wager).paytable.rows}
    return claim.row in rows - set(game.port.rules.reachable_rows(game, claim.wager))


def _walked(game: Game) -> CountedGame | None:
    """Returns the game walked: by the engine where it counts the game anyway, else where that takes a moment."""
    family = game.port
    if family.exact is None:
        return engine_of(family).counted(game)
    reference = family.reference(game)
    if isinstance(reference, GraphSource):
        # A text in stages is merged and proved whole before its states are known: seconds, where one is meant.
        return None
    try:
        graph = walk(reference, SMALL)
    except InputError:
        return None
    return CountedGame(
        game, graph, counting_order(graph.offsets, graph.targets), partial(rows_of, family.rules)
    )


def _best_known(game: Game, claim: Claim) -> Possible:
    """Returns what the family's own counting says: best play for the first wager returns the most."""
    if claim.wager != game.wagers[0].id or claim.metric not in (RETURN, HOUSE_EDGE):
        return NOT_FOUND
    highest = return_of(game, MAIN_OPTIMAL, claim.wager)
    return Possible(None, highest) if claim.metric == RETURN else Possible(1 - highest, None)


def _extremes(walked: CountedGame, claim: Claim) -> Possible:
    if claim.metric == MAXIMUM_AWARD:
        limits = walked.game.wager(claim.wager).limits
        place = walked.graph.wagers.index(claim.wager)
        awards = [
            award_of(claim, [(Fraction(results[place].net), Fraction(results[place].staked))], limits)
            for results in walked.graph.results
        ]
        # Play can leave the highest award out; it cannot make a higher one, nor another than one of these.
        return Possible(min(awards), max(awards))
    if claim.metric == ON_TOTAL:
        return Possible(
            _on_total(walked, claim.wager, worst=True), _on_total(walked, claim.wager, worst=False)
        )
    least, most = (_solved(walked, claim, worst=worst) for worst in (True, False))
    if claim.metric == HOUSE_EDGE:
        return Possible(-most, -least)
    if claim.metric == RETURN:
        return Possible(1 + least, 1 + most)
    return Possible(least, most)


def _solved(walked: CountedGame, claim: Claim, *, worst: bool) -> Fraction:
    def worth(result: WagerResult) -> Fraction:
        if claim.metric == HIT_FREQUENCY:
            return Fraction(Fraction(result.staked) + Fraction(result.net) > 0)
        if claim.metric == ODDS_OF_ROW:
            return Fraction(claim.row in walked.rows_of(walked.game, result.wager, result.outcome))
        return Fraction(result.net)

    place = walked.graph.wagers.index(claim.wager)
    graph = _worth(walked.graph, place, [worth(results[place]) for results in walked.graph.results])
    return best.solve(graph, walked.order, {claim.wager: Fraction(1)}, worst=worst).value


def _worth(graph: RoundGraph, place: int, worths: list[Fraction]) -> RoundGraph:
    """Returns the same round in which one wager comes to other worths."""
    results = tuple(
        (*ended[:place], replace(ended[place], net=worth), *ended[place + 1 :])
        for ended, worth in zip(graph.results, worths, strict=True)
    )
    return replace(graph, results=results)


def _on_total(walked: CountedGame, wager: str, *, worst: bool) -> Fraction:
    """Returns the best (or worst) return per unit of everything staked, a ratio of two expectations.

    Source: W. Dinkelbach, On Nonlinear Fractional Programming, Management Science 13 (1967), 492-498.

    Raises:
        InputError: The search does not end.
    """
    place = walked.graph.wagers.index(wager)
    ends = [results[place] for results in walked.graph.results]
    ratio = Fraction(0)
    for _ in range(STEPS):
        worths = [Fraction(end.net) - ratio * Fraction(end.staked) for end in ends]
        solution = best.solve(
            _worth(walked.graph, place, worths), walked.order, {wager: Fraction(1)}, worst=worst
        )
        if solution.value == 0:
            return 1 + ratio
        visits = walked.visits(solution.table("ratio"))
        nets, stakes = (
            sum(
                (chance * Fraction(value) for chance, value in zip(visits.results, values, strict=True)),
                Fraction(0),
            )
            for values in ([end.net for end in ends], [end.staked for end in ends])
        )
        ratio = nets / stakes
    raise InputError(f"the best return on everything staked was not found in {STEPS} steps")
