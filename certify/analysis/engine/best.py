"""The play that is best, or worst, for given stakes, without a look at what lies hidden."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.analysis.engine.arrivals import arrivals
from certify.analysis.engine.beliefs import Belief, BeliefGraph, beliefs_of, occasions
from certify.analysis.engine.folding import fold
from certify.analysis.engine.loops import solve_loop
from certify.analysis.engine.order import CountingOrder, counting_order
from certify.analysis.engine.walk import RoundGraph
from certify.errors import InputError
from certify.model.strategy import ChoiceTable, Strategy

SEEN: Final = "everything seen"
"""Class of a strategy that may use everything that the reference round lets the player see."""


@dataclass(frozen=True, slots=True)
class BestDecision:
    """What is best on everything that looks alike.

    Args:
        seat: Who decides.
        sees: What is seen.
        options: Ids of the options in the order of the rules.
        taken: The option taken.
        values: Expected net result of each option, in units of all stakes together, with best play afterwards:
            over the beliefs in which the decision comes up, or of the first where it never does.
        beliefs: Numbers of the beliefs that look so.
    """

    seat: str
    sees: Hashable
    options: tuple[str, ...]
    taken: str
    values: tuple[Fraction, ...]
    beliefs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """Best (or worst) play for given stakes.

    Args:
        stakes: Units on each wager.
        value: Expected net result of a round, in units of all stakes together.
        decided: What is taken on every decision that some play comes to.
        graph: The beliefs that were solved.
        worth: Value of each belief.
    """

    stakes: tuple[tuple[str, Fraction], ...]
    value: Fraction
    decided: tuple[BestDecision, ...]
    graph: BeliefGraph
    worth: tuple[Fraction, ...]

    def table(self, name: str) -> ChoiceTable:
        """Returns the play as a strategy."""
        return ChoiceTable(name, SEEN, frozenset((one.sees, one.taken) for one in self.decided))


def solve(
    graph: RoundGraph,
    order: CountingOrder,
    stakes: Mapping[str, Fraction],
    *,
    worst: bool = False,
    others: Mapping[str, Strategy] | None = None,
) -> Solution:
    """Returns the play that is best for given stakes.

    Of options that are worth the same the first in the order of the rules is taken, the least committing one.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted.
        stakes: Units on each wager; a wager that is not named is not bet on.
        worst: Whether the worst play is asked for instead.
        others: Strategies of seats that do not decide freely.

    Raises:
        InputError: Stakes on an unknown wager; several seats decide freely; what the player sees forgets something
            that matters; or the round is too large to be solved.
    """
    _require_one_seat(graph, others or {})
    found = beliefs_of(fold(graph, order, stakes, others))
    worth, held = _worth(found, worst=worst)
    alike = tuple(occasions(found).values())
    taken = [_taken(found, numbers, worth, held, worst=worst) for numbers in alike]
    places = {number: place for numbers, place in zip(alike, taken, strict=True) for number in numbers}
    reached = arrivals(found, places)
    decided = tuple(
        _decided(found, numbers, place, worth, reached) for numbers, place in zip(alike, taken, strict=True)
    )
    placed = tuple((wager, stakes.get(wager, Fraction(0))) for wager in graph.wagers)
    return Solution(placed, found.start.value(worth), decided, found, tuple(worth))


def _require_one_seat(graph: RoundGraph, others: Mapping[str, Strategy]) -> None:
    seats = {choice.seat for choice in graph.choices if len(choice.options) > 1} - set(others)
    if len(seats) > 1:
        raise InputError(
            f"{', '.join(sorted(seats))} decide in this game: best play is defined for one of them against given "
            "strategies of the others, expected those"
        )


def _worth(found: BeliefGraph, *, worst: bool) -> tuple[list[Fraction], dict[int, int]]:
    """Returns the value of each belief and, for those that rounds come back to, the option that ends them."""
    worth = [Fraction(0)] * len(found.beliefs)
    held: dict[int, int] = {}
    for group, loops in counting_order(*found.edges()).backward():
        if loops:
            solved = solve_loop(found, group, worth, worst=worst)
            held.update(solved)
            continue
        values = [outlook.value(worth) for outlook in found.beliefs[group[0]].outlooks]
        worth[group[0]] = min(values) if worst else max(values)
    return worth, held


def _taken(
    found: BeliefGraph,
    numbers: tuple[int, ...],
    worth: Sequence[Fraction],
    held: Mapping[int, int],
    *,
    worst: bool,
) -> int:
    """Returns the place of the option that is best on all beliefs that look alike.

    Raises:
        InputError: No option is best on all of them.
    """
    best = [_best_places(found.beliefs[number], worth, worst=worst) for number in numbers]
    shared = sorted(frozenset.intersection(*best))
    if not shared:
        ids = found.beliefs[numbers[0]].choice.ids
        raise InputError(_forgotten(found.beliefs[numbers[0]], [ids[min(places)] for places in best]))
    # Where rounds come back to a decision, waiting for ever may look as good as going on.
    ending = [held[number] for number in numbers if number in held and held[number] in shared]
    return ending[0] if ending else shared[0]


def _decided(
    found: BeliefGraph,
    numbers: tuple[int, ...],
    place: int,
    worth: Sequence[Fraction],
    reached: Sequence[Fraction],
) -> BestDecision:
    """Returns a decision with the value of each option, over the beliefs in which it comes up under this play."""
    choice = found.beliefs[numbers[0]].choice
    weights = {number: reached[number] for number in numbers if reached[number]} or {numbers[0]: Fraction(1)}
    total = sum(weights.values(), Fraction(0))
    values = tuple(
        sum(
            (w * found.beliefs[number].outlooks[option].value(worth) for number, w in weights.items()),
            Fraction(0),
        )
        / total
        for option in range(len(choice.ids))
    )
    return BestDecision(choice.seat, choice.sees, choice.ids, choice.ids[place], values, numbers)


def _best_places(belief: Belief, worth: Sequence[Fraction], *, worst: bool) -> frozenset[int]:
    values = [outlook.value(worth) for outlook in belief.outlooks]
    wanted = min(values) if worst else max(values)
    return frozenset(place for place, value in enumerate(values) if value == wanted)


def _forgotten(belief: Belief, best: Sequence[str]) -> str:
    different = ", ".join(dict.fromkeys(best))
    return (
        f"decisions of {belief.choice.seat} that look alike ({belief.choice.sees}) are not alike: after different "
        f"rounds different options are best ({different}). `sees` of the reference round forgets something that "
        "matters, expected that it tells these rounds apart"
    )
