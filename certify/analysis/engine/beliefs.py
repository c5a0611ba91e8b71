"""What somebody who has seen some cards believes of the others, and which states are one to somebody who decides.

What a player can know: moments of decision grouped by what is seen, weighted by what may lie hidden.

A player who forgets nothing holds, at every decision, the moments that fit everything seen and done so far, each
with its chance: a *belief*. Beliefs with equal proportions are one. Options are judged by the whole belief, never by
the moment that the round is really in, so that no play found here looks at a hidden card.

Through given stakes, what is worth the same and looks the same from a state on is one. A state is folded into its
*front*: what is settled before the next decision, in units of all stakes together, and with which chance each next
decision comes. Two moments of decision that look the same to the player, and whose options lead to equal fronts,
become one. All numbers are whole, over one denominator a front.
"""

import math
from array import array
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import zip_longest
from typing import Any, Final

from certify.analysis.engine.distribution import CountingOrder, solve_loops, visits
from certify.analysis.engine.stage_points import written_at
from certify.analysis.engine.walk import CHANCE, CHOICE, SETTLED, Drawn, NumberedValues, RoundGraph, chances
from certify.by_key import gathered, summed
from certify.errors import InputError
from certify.model import Chance, Choice, ReferenceRound, WagerResult

Signature = tuple[Hashable, ...]


class _Check:
    """The first signature of everything that matters."""

    def __init__(self, reference: ReferenceRound[Any]) -> None:
        self.reference = reference
        self.pieces = {piece.id: piece for piece in reference.equipment}
        self.copies = {piece.id: piece.copies for piece in reference.equipment}
        self.known: dict[Hashable, Signature] = {}
        self.found: list[str] = []

    def look(self, state: Any, drawn: Drawn) -> None:
        """Compares a state with the first one that is stated to matter in the same way."""
        key = self.reference.matters(state)
        signature = self._signature(state, drawn)
        known = self.known.setdefault(key, signature)
        if known != signature:
            one, other = next(pair for pair in zip_longest(known, signature) if pair[0] != pair[1])
            self.found.append(
                f"{written_at(self.reference.matters)} forgets something: two states are {key}, and from one "
                f"follows {one}, from another {other}"
            )

    def _signature(self, state: Any, drawn: Drawn) -> Signature:
        """Returns what a state waits for and what follows, one step on."""
        reference = self.reference
        node = reference.node(state)
        if isinstance(node, Choice):
            following = tuple(reference.matters(reference.decided(state, option)) for option in node.ids)
            return ("choice", node.seat, node.options, node.sees, following)
        if not isinstance(node, Chance):
            return ("settled", node.results)
        leads = cache(lambda face: reference.matters(reference.drawn(state, face)))
        weights = summed(
            (leads(face), items)
            for items, face in chances(reference, self.pieces, self.copies, state, node, drawn)
        )
        self._require_alike(state, node, drawn, leads)
        return ("chance", node.equipment, node.to, frozenset(weights.items()))

    def _require_alike(
        self, state: Any, node: Chance, drawn: Drawn, leads: Callable[[int], Hashable]
    ) -> None:
        led: dict[Hashable, Hashable] = {}
        piece = self.pieces[node.equipment]
        gone = Counter(() if piece.replaced else drawn)
        for face in (
            face for face, copies in enumerate(self.copies[piece.id]) if gone[piece.id, face] < copies
        ):
            alike, key = self.reference.alike(state, face), leads(face)
            if led.setdefault(alike, key) != key:
                self.found.append(
                    f"{written_at(self.reference.alike)} merges too much: faces of {piece.id} that are {alike} "
                    f"lead to {led[alike]} and to {key}"
                )


def check_some(reference: ReferenceRound[Any], visited: Iterable[tuple[Any, Drawn]]) -> tuple[int, list[str]]:
    """Compares states that some rounds came to, one step on; returns how many were compared, and what differs.

    Two states that are stated to matter in the same way must wait for the same thing, offer and show the same, settle
    in the same way, and lead with the same weights to states that matter in the same way again. Faces that are stated
    to be equal must lead to states that matter in the same way.

    Args:
        reference: The round.
        visited: States, each with what had been drawn from equipment that puts nothing back.
    """
    # Every round comes to the start, and many to the same cards: what was looked at once is not looked at again.
    check, visits = _Check(reference), Counter(visited)
    for state, drawn in visits:
        check.look(state, drawn)
    return visits.total(), check.found


Front = tuple[int, int, tuple[tuple[int, int], ...]]
"""(denominator, settled net result, (moment, chance) of each next decision), in lowest terms."""

Moment = tuple[int, tuple[int, ...]]
"""A decision by its place among the choices of the graph, with the number of the front that each option leads to."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A round seen through given stakes.

    Args:
        fronts: The different fronts.
        moments: The different moments of decision.
        start: Number of the front of the start.
        choices: The choices of the graph.
    """

    fronts: Sequence[Front]
    moments: Sequence[Moment]
    start: int
    choices: tuple[Choice, ...]


def fold(
    graph: RoundGraph,
    order: CountingOrder,
    stakes: Mapping[str, Fraction],
) -> Folded:
    """Returns a round seen through given stakes.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted.
        stakes: Units on each wager; a wager that is not named is not bet on.

    Raises:
        InputError: A stake on a wager that the round does not settle.
    """
    strangers = sorted(set(stakes) - set(graph.wagers))
    if strangers:
        raise InputError(f"stakes on {', '.join(strangers)}: expected wagers {', '.join(graph.wagers)}")
    folding = _Folding(graph, stakes)
    if not graph.choices:
        # Backward, whole numbers of averaged steps would grow with every state.
        worths = [folding.fronts.listed[worth] for worth in folding.worth]
        often = visits(graph, order, lambda _: ()).results
        net = sum(
            (chance * Fraction(net, whole) for chance, (whole, net, _) in zip(often, worths, strict=True)),
            Fraction(0),
        )
        start = folding.fronts[net.denominator, net.numerator, ()]
        return Folded(folding.fronts.listed, (), start, ())
    for group, loops in order.backward():
        if loops:
            folding.fold_loop(group)
        else:
            folding.fold_state(group[0])
    return Folded(folding.fronts.listed, folding.moments, folding.front_of[0], graph.choices)


class _Folding:
    """Fronts found so far, from the ends of the round back."""

    def __init__(self, graph: RoundGraph, stakes: Mapping[str, Fraction]) -> None:
        self.graph = graph
        self.front_of = [-1] * graph.size
        self.fronts: NumberedValues[Front] = NumberedValues()
        self.moments: list[Moment] = []
        self.known_moments: dict[Moment, int] = {}
        self.worth = [self._worth(results, stakes) for results in graph.results]
        self.free = [len(choice.options) > 1 for choice in graph.choices]

    def _worth(self, results: tuple[WagerResult, ...], stakes: Mapping[str, Fraction]) -> int:
        net = sum((stakes[one.wager] * one.net for one in results if one.wager in stakes), Fraction(0))
        return self.fronts[net.denominator, net.numerator, ()]

    def fold_state(self, state: int) -> None:
        """Finds the front of a state from the fronts of those that follow."""
        graph = self.graph
        kind, detail = graph.kinds[state], graph.details[state]
        if kind == SETTLED:
            self.front_of[state] = self.worth[detail]
        elif kind == CHANCE:
            self.front_of[state] = self._mixed(state, detail)
        else:
            fronts = tuple(self.front_of[graph.targets[edge]] for edge in graph.edges(state))
            self.front_of[state] = self._decided(detail, fronts) if self.free[detail] else fronts[0]

    def _decided(self, choice: int, fronts: tuple[int, ...]) -> int:
        moment = (choice, fronts)
        number = self.known_moments.setdefault(moment, len(self.moments))
        if number == len(self.moments):
            self.moments.append(moment)
        return self.fronts[1, 0, ((number, 1),)]

    def _mixed(self, state: int, total: int) -> int:
        """Returns the front of a state of chance, which mixes the fronts of those that follow."""
        graph, merged = self.graph, dict[int, int]()
        own = slice(graph.offsets[state], graph.offsets[state + 1])
        for target, weight in zip(graph.targets[own], graph.weights[own], strict=True):
            front = self.front_of[target]
            merged[front] = merged.get(front, 0) + weight
        if len(merged) == 1:
            return front
        listed = self.fronts.listed
        return self.fronts[mixed([(weight, listed[front]) for front, weight in merged.items()], total)]

    def fold_loop(self, group: Sequence[int]) -> None:
        """Finds the fronts of states that lead back to each other: chance between decisions is solved.

        Every free decision in a loop stays a moment of its own.
        """
        graph = self.graph
        own = {
            state: self._open_moment(state)
            for state in group
            if graph.kinds[state] == CHOICE and self.free[graph.details[state]]
        }
        rest = [state for state in group if state not in own]
        unknown = {state: place for place, state in enumerate(rest)}
        for state, moment in own.items():
            self.front_of[state] = self.fronts[1, 0, ((moment, 1),)]
        following = [[*self._following(state)] for state in rest]
        steps = [summed((unknown[to], chance) for to, chance in row if to in unknown) for row in following]
        ends = [summed(self._ending(one for one in row if one[0] not in unknown)) for row in following]
        for state, found in zip(rest, solve_loops(steps, ends), strict=True):
            self.front_of[state] = self.fronts[_front(found)]
        for state, moment in own.items():
            fronts = tuple(self.front_of[graph.targets[edge]] for edge in graph.edges(state))
            self.moments[moment] = (graph.details[state], fronts)

    def _ending(self, row: Iterable[tuple[int, Fraction]]) -> Iterator[tuple[int, Fraction]]:
        """Yields what states whose fronts are known add to a front, each with the chance of its state."""
        for state, chance in row:
            denominator, net, moments = self.fronts.listed[self.front_of[state]]
            for name, count in ((_NET, net), *moments):
                yield name, chance * Fraction(count, denominator)

    def _open_moment(self, state: int) -> int:
        self.moments.append((self.graph.details[state], ()))
        return len(self.moments) - 1

    def _following(self, state: int) -> list[tuple[int, Fraction]]:
        graph, detail = self.graph, self.graph.details[state]
        if graph.kinds[state] == CHANCE:
            return [
                (graph.targets[edge], Fraction(graph.weights[edge], detail)) for edge in graph.edges(state)
            ]
        return [(graph.targets[graph.offsets[state]], Fraction(1))]


def mixed(parts: Sequence[tuple[int, Front]], total: int) -> Front:
    """Returns a mixture of fronts in lowest terms.

    Args:
        parts: (whole-number weight, front).
        total: What the weights are counted in.

    >>> mixed([(1, (1, 2, ())), (2, (2, 1, ((5, 1),)))], 3)
    (3, 3, ((5, 1),))
    """
    scale = math.lcm(*[front[0] for _, front in parts])
    settled, following = 0, dict[int, int]()
    for weight, (denominator, net, ends) in parts:
        factor = weight * (scale // denominator)
        settled += factor * net
        for moment, chance in ends:
            following[moment] = following.get(moment, 0) + factor * chance
    scale *= total
    shared = math.gcd(scale, settled, *following.values())
    moments = tuple(sorted([(moment, chance // shared) for moment, chance in following.items()]))
    return scale // shared, settled // shared, moments


_NET: Final = -1
"""Name of what is settled, among the numbers of moments."""


def _front(found: Mapping[int, Fraction]) -> Front:
    denominator = math.lcm(*(value.denominator for value in found.values()))
    whole = {name: int(value * denominator) for name, value in found.items()}
    net = whole.pop(_NET, 0)
    return denominator, net, tuple(sorted(whole.items()))


BELIEF_LIMIT: Final = 500_000
"""Most different beliefs of one round that are kept at once."""

Weights = tuple[tuple[int, int], ...]
"""(moment, whole-number weight) in the order of moments, the weights without a common divisor."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What follows an option: what is settled before the next decision, and which beliefs come with which chance.

    Args:
        denominator: What the whole numbers are counted in.
        net: Expected net result of what is settled before the next decision.
        coming: (belief, chance) of each next decision.
    """

    denominator: int
    net: int
    coming: tuple[tuple[int, int], ...]

    @property
    def settled(self) -> Fraction:
        """Expected net result of what is settled before the next decision."""
        return Fraction(self.net, self.denominator)

    @property
    def following(self) -> tuple[tuple[int, Fraction], ...]:
        """(belief, chance) of each next decision."""
        return tuple((number, Fraction(chance, self.denominator)) for number, chance in self.coming)

    def value(self, worth: Sequence[Fraction]) -> Fraction:
        """Returns what the option is worth, given what each belief is worth."""
        coming = [(chance, *worth[number].as_integer_ratio()) for number, chance in self.coming]
        scale = math.lcm(*[denominator for _, _, denominator in coming])
        total = sum([chance * net * (scale // denominator) for chance, net, denominator in coming])
        return Fraction(self.net * scale + total, scale * self.denominator)


@dataclass(frozen=True, slots=True)
class Belief:
    """What a player knows at a decision.

    Args:
        choice: The decision.
        weights: The moments that it may be, with their weights.
        outlooks: What follows each option, in the order of the options.
    """

    choice: Choice
    weights: Weights
    outlooks: tuple[Outlook, ...]


@dataclass(frozen=True, slots=True)
class BeliefGraph:
    """Every belief that some play comes to, from the start on.

    Args:
        beliefs: The beliefs, by number.
        start: What comes before the first decision.
    """

    beliefs: tuple[Belief, ...]
    start: Outlook

    def edges(self) -> "tuple[array[int], array[int]]":
        """Returns the graph as offsets and targets, as the counting order reads it."""
        offsets, targets = array("q", [0]), array("q")
        for belief in self.beliefs:
            targets.extend([number for outlook in belief.outlooks for number, _ in outlook.coming])
            offsets.append(len(targets))
        return offsets, targets


def beliefs_of(folded: Folded, limit: int = BELIEF_LIMIT) -> BeliefGraph:
    """Returns every belief that some play comes to.

    Raises:
        InputError: There are more than the limit, or two decisions look the same and do not offer the same.
    """
    growing = _Growing(folded, limit)
    start = growing.outlook(folded.fronts[folded.start])
    found: list[Belief] = []
    while growing.waiting:
        choice, weights = growing.waiting.popleft()
        outlooks = tuple(
            growing.outlook(_after(folded, weights, place)) for place in range(len(choice.options))
        )
        found.append(Belief(choice, weights, outlooks))
    return BeliefGraph(tuple(found), start)


def _after(folded: Folded, weights: Weights, place: int) -> Front:
    """Returns what follows an option, whichever of the moments it is."""
    if len(weights) == 1:
        return folded.fronts[folded.moments[weights[0][0]][1][place]]
    parts = [(weight, folded.fronts[folded.moments[moment][1][place]]) for moment, weight in weights]
    return mixed(parts, sum(weight for weight, _ in parts))


@dataclass(slots=True, eq=False)
class _Growing:
    """Beliefs found so far."""

    folded: Folded
    limit: int
    numbers: dict[Weights, int] = field(default_factory=dict)
    waiting: deque[tuple[Choice, Weights]] = field(default_factory=deque)
    offered: dict[tuple[str, Hashable], Choice] = field(default_factory=dict)

    def outlook(self, front: Front) -> Outlook:
        """Returns a front with its moments grouped by what the player sees."""
        denominator, settled, moments = front
        seen = gathered((self.folded.moments[moment][0], (moment, weight)) for moment, weight in moments)
        following = []
        for place, weighted in seen.items():
            choice = self._checked(self.folded.choices[place])
            total = sum(weight for _, weight in weighted)
            following.append((self._number(choice, weighted), total))
        return Outlook(denominator, settled, tuple(following))

    def _checked(self, choice: Choice) -> Choice:
        known = self.offered.setdefault((choice.seat, choice.sees), choice)
        if known != choice:
            raise InputError(
                f"two decisions of {choice.seat} look the same ({choice.sees}) and offer {', '.join(known.ids)} and "
                f"{', '.join(choice.ids)}: what is offered can be seen, so that `sees` must distinguish them"
            )
        return choice

    def _number(self, choice: Choice, weighted: Sequence[tuple[int, int]]) -> int:
        shared = math.gcd(*(weight for _, weight in weighted))
        weights = tuple((moment, weight // shared) for moment, weight in weighted)
        number = self.numbers.get(weights)
        if number is None:
            number = len(self.numbers)
            if number >= self.limit:
                raise InputError(
                    f"the player can come to more than {self.limit} different beliefs about what is hidden: too "
                    "many to be solved in memory. Expected a family with its own exact counting"
                )
            self.numbers[weights] = number
            self.waiting.append((choice, weights))
        return number


def occasions(graph: BeliefGraph) -> Mapping[tuple[str, Hashable], tuple[int, ...]]:
    """Returns the beliefs of every decision that looks the same, by seat and what is seen."""
    found = gathered(
        ((belief.choice.seat, belief.choice.sees), number) for number, belief in enumerate(graph.beliefs)
    )
    return {key: tuple(numbers) for key, numbers in found.items()}


def seen_text(seen: Any) -> str:
    """Returns what is seen as a text, parts of parts joined by a plus.

    >>> seen_text((4, ("A", 3), None)), seen_text("point 6")
    ('4, A+3, -', 'point 6')
    """
    parts = _parts(seen)
    return _atom(seen) if parts is None else ", ".join(_joined(part) for part in parts)


def _joined(part: Any) -> str:
    parts = _parts(part)
    if parts is None:
        return _atom(part)
    inner = [_joined(one) if _parts(one) is None else f"({_joined(one)})" for one in parts]
    return "+".join(inner) or "none"


def _parts(seen: Any) -> tuple[Any, ...] | None:
    if is_dataclass(seen) and not isinstance(seen, type):
        return tuple(getattr(seen, field.name) for field in fields(seen))
    if isinstance(seen, frozenset):
        return tuple(sorted(seen, key=repr))
    return tuple(seen) if isinstance(seen, tuple) else None


def _atom(seen: Any) -> str:
    if isinstance(seen, Enum):
        return str(seen.value)
    return "-" if seen is None else str(seen)


def seen_texts(all_seen: Iterable[Hashable]) -> Mapping[Hashable, str]:
    """Returns a text for everything that is seen, different for what is different.

    Where two would read the same, they are written out as Python writes them.
    """
    listed = list(dict.fromkeys(all_seen))
    readers = Counter(map(seen_text, listed))
    return {seen: seen_text(seen) if readers[seen_text(seen)] == 1 else repr(seen) for seen in listed}
