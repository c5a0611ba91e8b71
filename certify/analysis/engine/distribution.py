"""How a round ends under a strategy: whole-number weights carried from the start to the ends, divided once.

Loops, of rounds whose length is not bounded, are linear equations over fractions.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.walk import CHANCE, CHOICE, SETTLED, RoundGraph
from certify.by_key import reached, summed
from certify.errors import InputError
from certify.model import ByLot, Chances, Choice, Joint, Price, Strategy

UNKNOWNS_LIMIT: Final = 1_000
"""Most equations that are solved together."""

Row = Mapping[int, Fraction]


def solve_loops(steps: Sequence[Row], ends: Sequence[Row]) -> list[dict[int, Fraction]]:
    """Returns x with x = steps · x + ends, each unknown a sum over what the ends name.

    Unknowns are eliminated one by one, those with the fewest others next to them first. Where rounds can go on
    for ever from an unknown, no such x exists.

    Args:
        steps: For each unknown the chance of coming to each unknown.
        ends: For each unknown what it comes to otherwise, by name (a number).

    Raises:
        InputError: There are too many unknowns, or from one of them the round never ends.

    >>> half = Fraction(1, 2)
    >>> solve_loops([{0: half}], [{7: Fraction(1, 6), 4: Fraction(1, 3)}])
    [{7: Fraction(1, 3), 4: Fraction(2, 3)}]
    """
    size = len(steps)
    if size > UNKNOWNS_LIMIT:
        raise InputError(
            f"{size} states of the round lead back to each other: expected at most {UNKNOWNS_LIMIT}, which is as "
            "many linear equations over fractions as are solved together"
        )
    rows = [dict(row) for row in steps]
    rests = [dict(row) for row in ends]
    users: list[set[int]] = [set() for _ in range(size)]
    for place, row in enumerate(rows):
        for other in row:
            users[other].add(place)
    order: list[int] = []
    open_ = set(range(size))
    while open_:
        pivot = min(open_, key=lambda place: (len(rows[place]) * len(users[place]), place))
        open_.remove(pivot)
        order.append(pivot)
        _eliminate(pivot, rows, rests, users, open_)
    solution: list[dict[int, Fraction]] = [{} for _ in range(size)]
    for place in reversed(order):
        total = dict(rests[place])
        for other, chance in rows[place].items():
            _add(total, solution[other], chance)
        solution[place] = total
    return solution


def visits_of_loop(
    entering: Mapping[int, Fraction], following: Callable[[int], Iterable[tuple[int, Fraction]]]
) -> dict[int, Fraction]:
    """Returns how often a round is expected to come to states that lead back to each other, those that it enters.

    Args:
        entering: How often each of them is entered from elsewhere.
        following: What follows on one of them with which chance; only needed of a state that a round comes to.

    Raises:
        InputError: As ``solve_loops``.
    """

    def inside(state: int) -> Iterator[int]:
        return (target for target, _ in following(state) if target in entering)

    entered = reached((state for state, often in entering.items() if often), inside)
    place = {state: at for at, state in enumerate(sorted(entered))}
    steps: list[dict[int, Fraction]] = [{} for _ in place]
    for state, at in place.items():
        inner = ((place[target], chance) for target, chance in following(state) if target in place)
        for to, chance in summed(inner).items():
            steps[to][at] = chance
    found = solve_loops(steps, [{0: entering[state]} for state in place])
    return {state: row[0] for state, row in zip(place, found, strict=True)}


def _eliminate(
    pivot: int,
    rows: list[dict[int, Fraction]],
    rests: list[dict[int, Fraction]],
    users: list[set[int]],
    open_: set[int],
) -> None:
    """Solves one equation for its own unknown and puts it into those that are still open."""
    stays = rows[pivot].pop(pivot, Fraction(0))
    if stays == 1:
        raise InputError(
            "the round can come to a state from which it never ends: nothing is ever settled there"
        )
    if stays:
        factor = 1 / (1 - stays)
        rows[pivot] = {other: chance * factor for other, chance in rows[pivot].items()}
        rests[pivot] = {name: value * factor for name, value in rests[pivot].items()}
    for user in users[pivot] & open_:
        chance = rows[user].pop(pivot)
        _add(rows[user], rows[pivot], chance)
        _add(rests[user], rests[pivot], chance)
        for other in rows[pivot]:
            users[other].add(user)


def _add(total: dict[int, Fraction], more: Row, factor: Fraction) -> None:
    for name, value in more.items():
        total[name] = total.get(name, Fraction(0)) + factor * value


_LONGEST: Final = 256
"""Edges of the longest way that is followed before a graph is looked at for loops."""

_BLOCK: Final = 1_024
"""States whose ways on are looked at together."""


@dataclass(frozen=True, slots=True)
class CountingOrder:
    """Groups of states, none of which leads back to an earlier group.

    Args:
        groups: The groups in order, the start's first.
        loops: For each group whether a round can come back to a state of it.
    """

    groups: Sequence[Sequence[int]]
    loops: Sequence[bool]

    def forward(self) -> Iterator[tuple[Sequence[int], bool]]:
        """Yields the groups from the start on, and whether each holds a loop."""
        return zip(self.groups, self.loops, strict=True)

    def backward(self) -> Iterator[tuple[Sequence[int], bool]]:
        """Yields the groups from the ends back, and whether each holds a loop."""
        return zip(reversed(self.groups), reversed(self.loops), strict=True)


def counting_order(
    offsets: Sequence[int] | NDArray[np.int64], targets: Sequence[int] | NDArray[np.int64]
) -> CountingOrder:
    """Returns the strongly connected components of a graph in topological order.

    Args:
        offsets: Where the edges of each state begin, and at the end where the last ends.
        targets: State that each edge leads to.
    """
    size = len(offsets) - 1
    starts, ends = np.asarray(offsets, np.int64), np.asarray(targets, np.int64)
    sources = np.repeat(np.arange(size), np.diff(starts))
    if bool(np.all(ends > sources)):
        return CountingOrder([(state,) for state in range(size)], [False] * size)
    height = heights(starts, ends)
    if height is not None:
        rising = np.argsort(-height, kind="stable").tolist()
        return CountingOrder([(state,) for state in rising], [False] * size)
    # Loaded here, for most commands walk no round.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(len(ends), np.int8), ends, starts), shape=(size, size))
    count, labels = connected_components(graph, directed=True, connection="strong")
    members: list[list[int]] = [[] for _ in range(count)]
    for state, label in enumerate(labels.tolist()):
        members[label].append(state)
    loops = np.bincount(labels, minlength=count) > 1
    loops[labels[sources[sources == ends]]] = True
    ordered = list(_topological(count, labels[sources], labels[ends]))
    return CountingOrder([members[label] for label in ordered], [bool(loops[label]) for label in ordered])


def heights(offsets: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Returns the length of the longest way from each state to an end.

    Args:
        offsets: Where the edges of each state begin, and at the end where the last ends.
        targets: State that each edge leads to.

    Returns:
        None where there is a loop, or ways that 256 turns over all edges do not follow to their ends.
    """
    height = np.zeros(len(offsets) - 1, np.int64)
    leads_on = np.flatnonzero(np.diff(offsets))
    # Most edges lead to later states: the last of them first, so that a way is followed within one turn.
    blocks = []
    for begin in reversed(range(0, len(leads_on), _BLOCK)):
        own = leads_on[begin : begin + _BLOCK]
        first = offsets[own[0]]
        blocks.append((own, targets[first : offsets[own[-1] + 1]], offsets[own] - first))
    for _ in range(_LONGEST):
        longer = False
        for own, led, begins in blocks:
            longest = np.maximum.reduceat(height[led], begins) + 1
            if not np.array_equal(longest, height[own]):
                height[own] = longest
                longer = True
        if not longer:
            return height
    return None


def _topological(count: int, sources: np.ndarray, targets: np.ndarray) -> Iterator[int]:
    """Yields components in an order in which every edge between two of them goes forward (Kahn 1962)."""
    between = np.unique(np.stack((sources, targets))[:, sources != targets], axis=1)
    following: list[list[int]] = [[] for _ in range(count)]
    entering = [0] * count
    for source, target in between.T.tolist():
        following[source].append(target)
        entering[target] += 1
    ready = [label for label in range(count) if not entering[label]]
    while ready:
        label = ready.pop()
        yield label
        for target in following[label]:
            entering[target] -= 1
            if not entering[target]:
                ready.append(target)


Decide = Callable[[Choice], Chances]
"""Gives the options that are taken, by id, each with its probability."""

_LONG: Final = 512
"""Bits of a denominator from which a fraction is reduced to lowest terms on the way."""


def decide_by(strategy: Strategy) -> Decide:
    """Returns the decisions of a strategy."""
    if isinstance(strategy, ByLot):
        return lambda choice: strategy.chances(choice.sees, choice.ids)
    return lambda choice: ((strategy.choose(choice.sees, choice.ids), Fraction(1)),)


@dataclass(frozen=True, slots=True)
class Visits:
    """How often a round comes to what can be settled and decided.

    Args:
        results: Probability of each way in which the round ends, in the order of the graph's results.
        choices: Expected number of times that a round comes to each choice, in the order of the graph's choices:
            the probability of coming to it, where no round comes to it twice.
    """

    results: tuple[Fraction, ...]
    choices: tuple[Fraction, ...]


def visits(graph: RoundGraph, order: CountingOrder, decide: Decide) -> Visits:
    """Returns how often a round comes to each end and to each choice.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted.
        decide: What is decided.

    Raises:
        InputError: A decision that a round comes to is not among the options, its probabilities do not sum to one, or a
            round so played may never end.
    """
    carried = _Carried(graph, decide)
    for group, loops in order.forward():
        if loops:
            carried.solve(group)
        else:
            carried.pass_on(group[0])
    return Visits(_divided(carried.ends, len(graph.results)), _divided(carried.decided, len(graph.choices)))


Taken = tuple[tuple[int, Fraction], ...]
"""Places of options among those of a choice, each with its probability."""


def _taken(choice: Choice, chances: Chances) -> Taken:
    if sum(chance for _, chance in chances) != 1:
        told = ", ".join(f"{option} {chance}" for option, chance in chances)
        raise InputError(f"options were taken with the chances {told or 'of none'}: expected a sum of one")
    return tuple((_place(choice, option), chance) for option, chance in chances if chance)


def _place(choice: Choice, option: str) -> int:
    if option not in choice.ids:
        raise InputError(f"{option!r} was decided, expected one of {', '.join(choice.ids)}")
    return choice.ids.index(option)


Sums = dict[int, dict[int, int]]
"""Whole numbers by denominator, then by what they belong to."""


def _divided(sums: Sums, size: int) -> tuple[Fraction, ...]:
    totals = [Fraction(0)] * size
    for denominator, counts in sums.items():
        for place, count in counts.items():
            totals[place] += Fraction(count, denominator)
    return tuple(totals)


class _Carried:
    """Weights on their way through the graph: a whole number over a denominator for every state reached."""

    def __init__(self, graph: RoundGraph, decide: Decide) -> None:
        self.graph = graph
        self.decide = decide
        self.taken: dict[int, Taken] = {}
        self.counts = [0] * graph.size
        self.scales = [1] * graph.size
        self.counts[0] = 1
        self.ends: Sums = {}
        self.decided: Sums = {}

    def pass_on(self, state: int) -> None:
        """Hands the weight of a state to those that follow."""
        count, scale = self.counts[state], self.scales[state]
        if not count:
            return
        graph = self.graph
        kind, detail = graph.kinds[state], graph.details[state]
        if kind == CHANCE:
            scale *= detail
            if scale.bit_length() > _LONG:
                shared = math.gcd(count, scale)
                count, scale = count // shared, scale // shared
            for edge in range(graph.offsets[state], graph.offsets[state + 1]):
                self._add(graph.targets[edge], count * graph.weights[edge], scale)
        elif kind == SETTLED:
            _count(self.ends, scale, detail, count)
        else:
            _count(self.decided, scale, detail, count)
            for target, chance in self._followed(state):
                self._add(target, count * chance.numerator, scale * chance.denominator)

    def _add(self, state: int, count: int, scale: int) -> None:
        before = self.scales[state]
        if before == scale:
            self.counts[state] += count
        elif not self.counts[state]:
            self.counts[state], self.scales[state] = count, scale
        else:
            common = math.lcm(before, scale)
            self.counts[state] = self.counts[state] * (common // before) + count * (common // scale)
            self.scales[state] = common

    def solve(self, group: Sequence[int]) -> None:
        """Hands on the weights of states that lead back to each other: their expected numbers of visits."""
        entering = {state: Fraction(self.counts[state], self.scales[state]) for state in group}
        inside = visits_of_loop(entering, self._following)
        for state, expected in inside.items():
            if self.graph.kinds[state] == CHOICE:
                _count(self.decided, expected.denominator, self.graph.details[state], expected.numerator)
            for target, chance in self._following(state):
                if target not in inside:
                    share = expected * chance
                    self._add(target, share.numerator, share.denominator)

    def _following(self, state: int) -> list[tuple[int, Fraction]]:
        graph, detail = self.graph, self.graph.details[state]
        if graph.kinds[state] == CHOICE:
            return self._followed(state)
        return [(graph.targets[edge], Fraction(graph.weights[edge], detail)) for edge in graph.edges(state)]

    def _followed(self, state: int) -> list[tuple[int, Fraction]]:
        """Returns what follows a choice, with its probability; only for a choice that a round comes to."""
        place, first = self.graph.details[state], self.graph.offsets[state]
        if place not in self.taken:
            choice = self.graph.choices[place]
            self.taken[place] = _taken(choice, self.decide(choice))
        return [(self.graph.targets[first + option], chance) for option, chance in self.taken[place]]


def _count(sums: Sums, scale: int, place: int, count: int) -> None:
    counts = sums.setdefault(scale, {})
    counts[place] = counts.get(place, 0) + count


def joint(graph: RoundGraph, found: Visits, strategy: Strategy) -> Joint:
    """Returns the joint distribution of the outcomes of all wagers."""
    probabilities = summed(
        (tuple(result.outcome for result in results), probability)
        for results, probability in zip(graph.results, found.results, strict=True)
        if probability
    )
    ordered = dict(sorted(probabilities.items()))
    return Joint(strategy.name, strategy.strategy_class, graph.wagers, ordered)


def pays_of(graph: RoundGraph) -> dict[str, dict[str, Price]]:
    """Returns what each outcome that the rules allow comes to, by wager and outcome.

    Raises:
        InputError: One outcome comes to two different results.
    """
    found: dict[str, dict[str, tuple[Fraction, Fraction]]] = {wager: {} for wager in graph.wagers}
    for results in graph.results:
        for result in results:
            pays = result.net, result.staked
            known = found[result.wager].setdefault(result.outcome, pays)
            if known != pays:
                raise InputError(
                    f"{result.wager}: the outcome {result.outcome!r} comes to {known[0]} net of {known[1]} "
                    f"staked and to {pays[0]} net of {pays[1]}: expected an id of its own for each"
                )
    return {
        wager: {outcome: Price(Fraction(net), Fraction(staked)) for outcome, (net, staked) in every.items()}
        for wager, every in found.items()
    }
