"""What somebody who has seen some cards believes of the others.

What a player can know: moments of decision grouped by what is seen, weighted by what may lie hidden.

A player who forgets nothing holds, at every decision, the moments that fit everything seen and done so far, each
with its chance: a *belief*. Beliefs with equal proportions are one. Options are judged by the whole belief, never by
the moment that the round is really in, so that no play found here looks at a hidden card.
"""

import math
from array import array
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final

from certify.analysis.engine.folding import Folded, Front, mixed
from certify.by_key import gathered
from certify.errors import InputError
from certify.model import Choice

BELIEF_LIMIT: Final = 500_000
"""Most different beliefs of one round that are kept at once."""

Weights = tuple[tuple[int, int], ...]
"""(moment, whole-number weight) in the order of moments, the weights without a common divisor."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What follows an option: what is settled before the next decision, and which beliefs come with which chance.

    Args:
        settled: Expected net result of what is settled before the next decision.
        following: (belief, chance) of each next decision.
    """

    settled: Fraction
    following: tuple[tuple[int, Fraction], ...]

    def value(self, worth: Sequence[Fraction]) -> Fraction:
        """Returns what the option is worth, given what each belief is worth."""
        return self.settled + sum((chance * worth[number] for number, chance in self.following), Fraction(0))


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
            targets.extend(number for outlook in belief.outlooks for number, _ in outlook.following)
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
            following.append((self._number(choice, weighted), Fraction(total, denominator)))
        return Outlook(Fraction(settled, denominator), tuple(following))

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
