"""A situation that is tried at points of rounds, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from certify.evidence.life import Situation
from certify.families.trials import Trial, TrialTally
from certify.model.game import Terms
from certify.rounds.policy import Policy
from certify.rounds.probe import ProbePoint, UnreachableError
from certify.rounds.state import Phase

Trials = Callable[[ProbePoint], Iterator[Trial]]
"""Tries a situation at one point, and yields what was expected and observed."""


@dataclass(frozen=True, slots=True)
class TriedSituation:
    """Something that can happen to a round, and what the terms demand then.

    Args:
        id: Id of the situation in the evidence.
        title: What happens.
        demand: What the terms demand, as a sentence in which ``{days}`` stands for the days of the term, or by policy.
        clauses: Clauses that it exercises.
        phases: Where in a round it is tried.
        trials: Tries it at one point.
        promised: Tells whether the terms promise it; where not, it does not apply.
    """

    id: str
    title: str
    demand: str | Callable[[Policy], str]
    clauses: tuple[str, ...]
    phases: Collection[Phase]
    trials: Trials
    promised: Callable[[Terms], bool]

    def demanded(self, policy: Policy) -> str:
        """Returns what the terms demand under a policy."""
        return (
            self.demand.format(days=policy.void_after_days)
            if isinstance(self.demand, str)
            else self.demand(policy)
        )

    def concluded(self, tally: TrialTally, policy: Policy, *, adopted: bool) -> Situation:
        """Returns how the situation ended over all its trials.

        Args:
            tally: The trials.
            policy: The terms as parameters.
            adopted: Whether the source prints no term for it.
        """
        return tally.situation(self.id, self.title, self.demanded(policy), self.clauses, adopted=adopted)


class TriedSituations(list[TriedSituation]):
    """Situations in the order of the report, each declared above what tries it."""

    def tried(
        self,
        name: str,
        title: str,
        demand: str | Callable[[Policy], str],
        *clauses: str,
        at: Collection[Phase],
        promised: Callable[[Terms], bool] = lambda terms: True,
    ) -> Callable[[Trials], Trials]:
        """Declares a situation that a function tries; see :class:`TriedSituation`."""

        def declare(trials: Trials) -> Trials:
            self.append(TriedSituation(name, title, demand, clauses, at, trials, promised))
            return trials

        return declare


def tallies_of(
    situations: Sequence[TriedSituation],
    points: Iterable[ProbePoint],
    terms: Terms,
    tallies: Mapping[str, TrialTally],
) -> int:
    """Tries situations at points, each where it can occur and is promised; returns the number of points.

    Args:
        situations: What is tried.
        points: Where.
        terms: Terms of the submission.
        tallies: Counts of each situation by its id, which are added to.
    """
    seen = 0
    for point in points:
        seen += 1
        for one in situations:
            if point.phase not in one.phases or not one.promised(terms):
                continue
            try:
                for trial in one.trials(point):
                    tallies[one.id].add(trial)
            except UnreachableError as error:
                tallies[one.id].add(error.trial)
    return seen
