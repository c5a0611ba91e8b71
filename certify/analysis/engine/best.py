"""The best strategy of a graph: values of its points, visits, and loops between them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.analysis.engine.beliefs import Belief, BeliefGraph, Outlook, beliefs_of, fold, occasions
from certify.analysis.engine.distribution import CountingOrder, counting_order, solve_loops, visits_of_loop
from certify.analysis.engine.walk import RoundGraph
from certify.errors import InputError
from certify.model import ChoiceTable


def arrivals(graph: BeliefGraph, places: Mapping[int, int]) -> list[Fraction]:
    """Returns the expected number of times that a round comes to each belief.

    Args:
        graph: The beliefs.
        places: Place of the option taken on each belief.

    Raises:
        InputError: A round so played may never end.
    """

    def following(number: int) -> tuple[tuple[int, Fraction], ...]:
        return graph.beliefs[number].outlooks[places[number]].following

    arriving = [Fraction(0)] * len(graph.beliefs)
    for number, chance in graph.start.following:
        arriving[number] += chance
    for group, loops in counting_order(*graph.edges()).forward():
        inside: Mapping[int, Fraction] = {}
        if loops:
            inside = visits_of_loop({number: arriving[number] for number in group}, following)
        for number, visits in inside.items():
            arriving[number] = visits
        for number in group:
            for other, chance in following(number):
                if other not in inside:
                    arriving[other] += arriving[number] * chance
    return arriving


def solve_loop(
    graph: BeliefGraph, group: Sequence[int], worth: list[Fraction], *, worst: bool
) -> Mapping[int, int]:
    """Finds the value of beliefs that lead back to each other, and writes it down.

    Policy iteration (Howard 1960) from a policy that ends every round. Options change only where that is strictly
    better; nothing is paid on the way round, so that each policy that follows ends every round too, and there are
    finitely many.

    Args:
        graph: The beliefs.
        group: Those that lead back to each other.
        worth: Value of each belief that was solved before; those of the group are added.
        worst: Whether the worst play is requested.

    Returns:
        The place of the option taken on each belief of the group.

    Raises:
        InputError: From one of them no play ends the round.
    """
    policy = _ending(graph, group)
    sign = -1 if worst else 1
    while True:
        values = _evaluated(graph, group, policy, worth)
        for number in group:
            worth[number] = values[number]
        changed = False
        for number in group:
            offered = [sign * outlook.value(worth) for outlook in graph.beliefs[number].outlooks]
            if max(offered) > sign * values[number]:
                policy[number] = offered.index(max(offered))
                changed = True
        if not changed:
            return policy


def _ending(graph: BeliefGraph, group: Sequence[int]) -> dict[int, int]:
    """Returns a policy under which every round leaves the group: each option brings the exit nearer."""
    inside = set(group)
    policy: dict[int, int] = {}
    found = True
    while found:
        found = False
        for number in [number for number in group if number not in policy]:
            staying = inside - set(policy)
            for place, outlook in enumerate(graph.beliefs[number].outlooks):
                if sum((chance for one, chance in outlook.following if one in staying), Fraction(0)) < 1:
                    policy[number] = place
                    found = True
                    break
    if len(policy) < len(inside):
        raise InputError(
            "the round can come to a decision from which no play ends it: nothing is settled there"
        )
    return policy


def _evaluated(
    graph: BeliefGraph, group: Sequence[int], policy: Mapping[int, int], worth: Sequence[Fraction]
) -> dict[int, Fraction]:
    place = {number: index for index, number in enumerate(group)}
    steps, ends = [], []
    for number in group:
        outlook = graph.beliefs[number].outlooks[policy[number]]
        inside = {place[other]: chance for other, chance in outlook.following if other in place}
        outside = tuple((other, chance) for other, chance in outlook.coming if other not in place)
        steps.append(inside)
        ends.append({0: Outlook(outlook.denominator, outlook.net, outside).value(worth)})
    return {
        number: row.get(0, Fraction(0)) for number, row in zip(group, solve_loops(steps, ends), strict=True)
    }


SEEN: Final = "everything seen"
"""Class of a strategy that may use everything that the reference round lets the player see."""


@dataclass(frozen=True, slots=True)
class BestDecision:
    """What is best on everything that looks the same.

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
) -> Solution:
    """Returns the play that is best for given stakes.

    Of options that are worth the same the first in the order of the rules is taken, the least committing one.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted.
        stakes: Units on each wager; a wager that is not named is not bet on.
        worst: Whether the worst play is requested instead.

    Raises:
        InputError: Stakes on an unknown wager; several seats decide; what the player sees forgets something
            that matters; or the round is too large to be solved.
    """
    seats = {choice.seat for choice in graph.choices if len(choice.options) > 1}
    if len(seats) > 1:
        raise InputError(
            f"{', '.join(sorted(seats))} decide in this game: best play is that of one seat, expected one that decides"
        )
    found = beliefs_of(fold(graph, order, stakes))
    worth, values, held = _worth(found, worst=worst)
    alike = tuple(occasions(found).values())
    taken = [_taken(found, numbers, values, held, worst=worst) for numbers in alike]
    places = {number: place for numbers, place in zip(alike, taken, strict=True) for number in numbers}
    reached = arrivals(found, places)
    decided = tuple(
        _decided(found, numbers, place, values, reached) for numbers, place in zip(alike, taken, strict=True)
    )
    placed = tuple((wager, stakes.get(wager, Fraction(0))) for wager in graph.wagers)
    return Solution(placed, found.start.value(worth), decided, found, tuple(worth))


def _worth(
    found: BeliefGraph, *, worst: bool
) -> tuple[list[Fraction], list[tuple[Fraction, ...]], dict[int, int]]:
    """Returns the value of each belief and of its options and, where rounds come back, the option that ends them."""
    worth = [Fraction(0)] * len(found.beliefs)
    values: list[tuple[Fraction, ...]] = [()] * len(found.beliefs)
    held: dict[int, int] = {}
    for group, loops in counting_order(*found.edges()).backward():
        if loops:
            held.update(solve_loop(found, group, worth, worst=worst))
        for number in group:
            values[number] = tuple([outlook.value(worth) for outlook in found.beliefs[number].outlooks])
            worth[number] = min(values[number]) if worst else max(values[number])
    return worth, values, held


def _taken(
    found: BeliefGraph,
    numbers: tuple[int, ...],
    values: Sequence[tuple[Fraction, ...]],
    held: Mapping[int, int],
    *,
    worst: bool,
) -> int:
    """Returns the place of the option that is best on all beliefs that look the same.

    Raises:
        InputError: No option is best on all of them.
    """
    best = [_best_places(values[number], worst=worst) for number in numbers]
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
    values: Sequence[tuple[Fraction, ...]],
    reached: Sequence[Fraction],
) -> BestDecision:
    """Returns a decision with the value of each option, over the beliefs in which it comes up under this play."""
    choice = found.beliefs[numbers[0]].choice
    weights = {number: reached[number] for number in numbers if reached[number]} or {numbers[0]: Fraction(1)}
    total = sum(weights.values(), Fraction(0))
    # Nearly every decision is one belief, whose values need no mean.
    mean = tuple(
        sum((w * values[number][option] for number, w in weights.items()), Fraction(0)) / total
        for option in range(len(choice.ids) * (len(weights) > 1))
    )
    return BestDecision(
        choice.seat, choice.sees, choice.ids, choice.ids[place], mean or values[next(iter(weights))], numbers
    )


def _best_places(values: tuple[Fraction, ...], *, worst: bool) -> frozenset[int]:
    wanted = min(values) if worst else max(values)
    return frozenset(place for place, value in enumerate(values) if value == wanted)


def _forgotten(belief: Belief, best: Sequence[str]) -> str:
    different = ", ".join(dict.fromkeys(best))
    return (
        f"decisions of {belief.choice.seat} that look the same ({belief.choice.sees}) differ: after different "
        f"rounds different options are best ({different}). `sees` of the reference round forgets something that "
        "matters, expected that it distinguishes these rounds"
    )
