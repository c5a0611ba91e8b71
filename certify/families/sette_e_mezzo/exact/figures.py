"""Strategies of 7 e Mezzo by name, their exact figures, and where the best decision changes as a side stake grows.

The value of the whole stake under best play is the highest of the straight lines that single strategies draw
over the side stake. So between two stakes the lines of their best strategies either meet on that curve, and
then nothing is between, or a better one is above their crossing. Halving at crossings finds every corner. Printed
returns that no one player has follow from it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from certify.analysis.explanation import Branch, Explanation
from certify.analysis.strategy_file import strategy_text
from certify.by_key import summed
from certify.errors import InputError
from certify.evidence import par as evidence
from certify.exact import format_half_points, percent_text
from certify.families.port import StrategyPlan
from certify.families.sette_e_mezzo.exact.best_play import (
    Chances,
    JointSolution,
    chances,
    draws_of,
    outcome_pays,
    reach,
    solve,
)
from certify.families.sette_e_mezzo.exact.hand_tree import main_ends, state_name, tree_of
from certify.families.sette_e_mezzo.rules import (
    HIT,
    MAIN,
    STAND,
    WAGER_IDS,
    HitTable,
    Seen,
    hit_table,
    rules_of,
)
from certify.families.seven_and_a_half.cards import CLASSES, ORDERS, RANKS, SEVEN_AND_A_HALF, Hand, hand_name
from certify.families.seven_and_a_half.strategy_files import (
    ALWAYS_SECOND_CARD,
    COMPOSITION,
    FIRST_CARD,
    MIMIC_DEALER,
    OWN_CARD,
    PRINTED_CARD,
    STAND_ON,
    THRESHOLDS,
    TIME_OUT,
    TOTAL,
    parse_card,
    parse_hand,
    parse_strategy_name,
)
from certify.model import (
    FILE,
    JOINTLY_OPTIMAL,
    MAIN_OPTIMAL,
    RETURN,
    Analysis,
    Claim,
    Decision,
    Game,
    Outcome,
    Paytable,
    Strategy,
    WagerFigures,
    unit_stakes,
)

DRAW = "draw"

Stakes = Mapping[str, Fraction]


# --- strategies by name ------------------------------------------------------------------------------------


def named_strategy(game: Game, name: str, stakes: Stakes | None = None) -> HitTable:
    """Returns the table of a strategy.

    Args:
        game: The submission.
        name: ``main-optimal``, ``jointly-optimal``, ``always-second-card``, ``mimic-dealer``, ``time-out``,
            ``stand-on:TOTAL`` or ``file:PATH``.
        stakes: Units on each wager; only ``jointly-optimal`` depends on them, and takes one unit on each
            wager where they are left out.

    Raises:
        InputError: No such strategy, or stakes that do not fit the game.
    """
    parsed, tree = parse_strategy_name(name), tree_of(game)
    totals, rule = tree.totals, tree.dealer.rule
    if parsed.kind == JOINTLY_OPTIMAL:
        return jointly_optimal(solve(game, unit_stakes(game) if stakes is None else stakes))
    if parsed.kind == FILE:
        return read_card(game, strategy_text(Path(parsed.path)), parsed.path)
    if parsed.kind in (THRESHOLDS, OWN_CARD):
        raise InputError(f"{parsed.kind} needs an open dealer's card, which {game.id} does not show")
    if parsed.kind in (MAIN_OPTIMAL, ALWAYS_SECOND_CARD):
        hits = {state[2] for state in solve(game).hits}
        second = parsed.kind == ALWAYS_SECOND_CARD
        return _table(
            game, parsed.kind, COMPOSITION, lambda hand: (second and sum(hand) == 1) or hand in hits
        )
    if parsed.kind == MIMIC_DEALER:
        # Where the dealer draws on a first face card and the player need not, who mimics draws as the dealer does. The
        # other reading, that only the dealer's total is copied, is ``stand-on`` with that total.
        return _table(game, MIMIC_DEALER, TOTAL, lambda hand: rule.draws(hand, totals[hand], 0))
    if parsed.kind == TIME_OUT:
        # GLI-19 v3.0, 4.16.3(c): decisions that a platform takes for a player are recorded and disclosed.
        return _table(game, TIME_OUT, TOTAL, lambda hand: False)
    return _table(game, name, TOTAL, lambda hand: totals[hand] < parsed.total)


def _table(game: Game, name: str, strategy_class: str, draws: Callable[[Hand], bool]) -> HitTable:
    drawn = frozenset(hand for hand in tree_of(game).decisions if draws(hand))
    return HitTable(name, strategy_class, drawn)


def jointly_optimal(solution: JointSolution) -> HitTable:
    """Returns the strategy that is best for all stakes together.

    It may depend on which card came first, since only the first card can pair with the dealer's.
    """
    stands = {state[2] for state in solution.draw if state in solution.stand and state not in solution.hits}
    drawn = {state[2] for state in solution.hits}
    always = frozenset(drawn - stands)
    if drawn == always:
        return HitTable(JOINTLY_OPTIMAL, COMPOSITION, always)
    return HitTable(JOINTLY_OPTIMAL, FIRST_CARD, always, True, solution.hits)


def read_card(game: Game, text: str, source: str) -> HitTable:
    """Returns the strategy that a printed card states, in the form of a strategy file.

    Raises:
        InputError: It is not complete and unambiguous.
    """
    tree = tree_of(game)
    offered = {(0, hand): (STAND, HIT) for hand in tree.decisions}
    name, chosen = parse_card(text, source, offered, tree.totals.__getitem__)
    drawn = frozenset(hand for (_, hand), option in chosen.items() if option == HIT)
    return HitTable(name, PRINTED_CARD, drawn)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of 7 e Mezzo."""
    fixed = (MAIN_OPTIMAL, JOINTLY_OPTIMAL, ALWAYS_SECOND_CARD, MIMIC_DEALER, TIME_OUT)
    return StrategyPlan(
        names=(*fixed, f"{STAND_ON}TOTAL", f"{FILE}PATH.toml"),
        analysed=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD, JOINTLY_OPTIMAL),
        played=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD),
        simpler=simpler,
    )


def simpler(game: Game) -> tuple[str, ...]:
    """Returns the best total to stand on, the dealer's rule, and what a platform decides for a player who is gone."""
    tree = tree_of(game)
    totals = sorted({tree.totals[hand] for hand in tree.decisions})
    names = [f"{STAND_ON}{format_half_points(total)}" for total in totals]
    return (
        max(names, key=lambda name: return_of(game, named_strategy(game, name), MAIN)),
        MIMIC_DEALER,
        TIME_OUT,
    )


# --- figures and decisions ---------------------------------------------------------------------------------


def return_of(game: Game, strategy: HitTable, wager: str) -> Fraction:
    """Returns the exact return of a wager under a strategy."""
    outcomes = _outcomes(game.wager(wager).paytable, chances(game, strategy)[wager])
    return WagerFigures(wager, tuple(outcomes)).return_to_player


class HandFigures:
    """Returns and decisions of all wagers, counted by hands."""

    def analyze(self, game: Game, strategy: str = MAIN_OPTIMAL, stakes: Stakes | None = None) -> Analysis:
        """Returns the exact figures of all wagers under a named strategy."""
        table = named_strategy(game, strategy, stakes)
        if table.name == JOINTLY_OPTIMAL:
            decisions = _joint_decisions(solve(game, unit_stakes(game) if stakes is None else stakes), table)
            return Analysis(game.id, table, _figures(game, table), tuple(decisions))
        return self.analyze_table(game, table)

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy given as a table."""
        return _analysis(game, hit_table(strategy))

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind the decision on a hand such as ``A+3``, card by card.

        Raises:
            InputError: The text names no hand, or one on which nothing is decided or drawn.
        """
        solution, hand = solve(game), parse_hand(text)
        tree = solution.tree
        states = {state[2]: state for state in tree.states}
        state = states.get(hand)
        if state is None or state not in solution.draw:
            raise InputError(f"on {text} no card is drawn any more, or it cannot occur: nothing to explain")
        forced = hand in tree.forced
        orders = tree.deck.orders_left(hand)
        drawn = solution.expectation(solution.draw[state], hand)
        stand = None if forced else solution.expectation(solution.stand[state], hand)
        ends = {} if forced else main_ends(tree, rules_of(game), hand)
        options = (DRAW,) if forced else (STAND, HIT)
        return Explanation(
            hand_name(hand),
            tree.totals[hand],
            tree.deck.size - sum(hand),
            tuple((outcome, Fraction(count, orders)) for outcome, count in sorted(ends.items())),
            stand,
            tuple(_branches(solution, hand, states)),
            drawn,
            DRAW if forced else HIT if state in solution.hits else STAND,
            tuple((option, stand if option == STAND and stand is not None else drawn) for option in options),
        )


@lru_cache(maxsize=32)
def _analysis(game: Game, table: HitTable) -> Analysis:
    return Analysis(game.id, table, _figures(game, table), tuple(_main_decisions(solve(game), table)))


def _figures(game: Game, table: HitTable) -> tuple[WagerFigures, ...]:
    found = chances(game, table)
    return tuple(
        WagerFigures(wager.id, tuple(_outcomes(wager.paytable, found[wager.id]))) for wager in game.wagers
    )


def _outcomes(paytable: Paytable, found: Chances) -> Iterator[Outcome]:
    """Yields the outcomes of a wager: its rows in printed order, then the others that can occur."""
    for outcome in (*paytable.ids, *sorted(set(found) - set(paytable.ids))):
        yield Outcome(outcome, outcome_pays(paytable, outcome), found.get(outcome, Fraction(0)))


def _main_decisions(solution: JointSolution, table: HitTable) -> Iterator[Decision]:
    """Yields every decision of the main wager, hands that the strategy never comes to included.

    Values are those of the main wager when the player plays on best for it; the choice of the analysed
    strategy is given with the best one.
    """
    reached = reach(solution.tree, table)
    ways = summed((state[2], count) for state, count in reached.items())
    # What follows a hand is worth the same to main whatever its first card was.
    states = {state[2]: state for state in solution.draw}
    for hand in sorted(states, key=lambda hand: (sum(hand), tuple(-held for held in hand))):
        drawn = HIT if hand in table.draws else STAND
        yield _decision(solution, states[hand], hand_name(hand), drawn, ways.get(hand, 0))


def _joint_decisions(solution: JointSolution, table: HitTable) -> Iterator[Decision]:
    """Yields every decision for the whole stake, one for each first card that it may look at.

    Values are the expected total net result in units of all stakes when the player plays on best for them.
    """
    reached, draws = reach(solution.tree, table), draws_of(table)
    for state in sorted(solution.draw, key=_reading_order):
        drawn = HIT if draws(state) else STAND
        yield _decision(solution, state, state_name(state), drawn, reached.get(state, 0), RANKS[state[0]])


def _reading_order(state: Seen) -> tuple[int, int, Hand, int]:
    rank, same, hand = state
    return sum(hand), rank, tuple(-held for held in hand), same


def _decision(
    solution: JointSolution, state: Seen, name: str, chosen: str, ways: int, first: str | None = None
) -> Decision:
    tree, hand = solution.tree, state[2]
    probability = Fraction(ways * tree.deck.orders_left(hand), ORDERS[tree.deck.size])
    drawn = solution.expectation(solution.draw[state], hand)
    if hand in tree.forced:
        return Decision(name, hand, None, DRAW, {DRAW: drawn}, DRAW, probability, first)
    values = {HIT: drawn, STAND: solution.expectation(solution.stand[state], hand)}
    best = HIT if state in solution.hits else STAND
    return Decision(name, hand, None, best, values, chosen, probability, first)


def _branches(solution: JointSolution, hand: Hand, states: Mapping[Hand, Seen]) -> Iterator[Branch]:
    tree = solution.tree
    size = tree.deck.size - sum(hand)
    for card_class, cards, longer in tree.deck.draws(hand):
        state, total = states[longer], tree.totals[longer]
        value = solution.expectation(solution.best(state), longer)
        then = "bust" if total > SEVEN_AND_A_HALF else HIT if state in solution.hits else STAND
        yield Branch(CLASSES[card_class], cards, Fraction(cards, size), hand_name(longer), total, then, value)


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
    if any(all(holds for _, holds in strategy.holds) for strategy in strategies):
        return True
    for claim in claims:
        highest = most.get(claim.wager, claim.printed.interval[0])
        if highest is None or highest < claim.printed.interval[0]:
            return False
    return None
