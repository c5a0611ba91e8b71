"""Exercising the terms of a game on a system that plays it, at every point its rounds can reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from certify.errors import NothingCheckedError
from certify.evidence import life
from certify.families.registry import family_of
from certify.model.finding import Verdict
from certify.model.game import Game, Terms
from certify.rounds.events import Bets
from certify.rounds.further_situations import situations_of
from certify.rounds.play import Edition, edition_of, opening_for
from certify.rounds.policy import KNOWN_RESULT_CLAUSES, Policy
from certify.rounds.probe import Deck, Point, Probe, Stage, Trial, UnreachableError
from certify.rounds.situations import Situation
from certify.rounds.system import DEALS, Command, Reply, System, SystemFactory, View, reference_system


@dataclass(frozen=True, slots=True)
class ExerciseReport:
    """What an exercise saw.

    Args:
        situations: One result for each situation, in the order of the report.
        decks: Number of decks exercised.
        points: Number of points of rounds on those decks.
        rounds: Number of rounds that were dealt.
        stakes: Stakes bet in every round, minor units.
        policy: The terms as parameters, by name.
        people: Rounds of several people, person by person; none where one player plays alone.
    """

    situations: tuple[life.Situation, ...]
    decks: int
    points: int
    rounds: int
    stakes: Bets
    policy: tuple[tuple[str, str], ...]
    people: tuple[life.PersonRound, ...] | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict over all situations: the worst of those that apply."""
        verdicts = {result.verdict for result in self.situations}
        for verdict in (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE, Verdict.SATISFIED):
            if verdict in verdicts:
                return verdict
        return Verdict.NOT_APPLICABLE

    def result(self, situation_id: str) -> life.Situation:
        """Returns the result of one situation.

        Raises:
            KeyError: There is no such situation.
        """
        for result in self.situations:
            if result.id == situation_id:
                return result
        raise KeyError(situation_id)

    def to_evidence(self) -> life.Exercise:
        """Returns the report as a noun of the evidence, amounts in minor units."""
        return life.Exercise(
            situations=self.situations,
            policy=dict(self.policy),
            stakes=dict(self.stakes),
            decks=self.decks,
            points=self.points,
            rounds=self.rounds,
            people=self.people,
        )


@dataclass(slots=True)
class _Tally:
    """What was seen of one situation so far: counts, the first trial and the shortest failure."""

    trials: int = 0
    failures: int = 0
    first: Trial | None = None
    shortest: Trial | None = None

    def add(self, trial: Trial) -> None:
        self.trials += 1
        self.first = self.first or trial
        if trial.holds:
            return
        self.failures += 1
        if self.shortest is None or len(trial.story) < len(self.shortest.story):
            self.shortest = trial


@dataclass(slots=True)
class _Counting:
    """Counts the rounds that are really dealt by the systems of an exercise."""

    factory: SystemFactory
    rounds: int = 0

    def __call__(self, edition: Edition, balance: int, instant: datetime) -> System:
        return _CountedSystem(self.factory(edition, balance, instant), self)


@dataclass(slots=True)
class _CountedSystem:
    """A system under test whose deals are counted."""

    system: System
    counting: _Counting

    def set_clock(self, instant: datetime) -> None:
        self.system.set_clock(instant)

    def set_deck(self, deck: Deck) -> None:
        self.system.set_deck(deck)

    def perform(self, command: Command, key: str = "") -> Reply:
        reply = self.system.perform(command, key)
        if reply.done and command.action in DEALS:
            self.counting.rounds += 1
        return reply

    def view(self) -> View:
        return self.system.view()


def exercise(
    game: Game,
    decks: Sequence[Deck],
    clock_start: datetime,
    *,
    policy: Policy | None = None,
    system: SystemFactory = reference_system,
    stakes: Bets = (),
    progress: Callable[[int, int], None] | None = None,
) -> ExerciseReport:
    """Exercises a system at every point that rounds on some decks can reach.

    Args:
        game: The submission, whose terms say what is expected.
        decks: Decks of 40 card ids in dealing order; more decks reach more points. Where a family names decks
            that reach rare ends of a round, those are exercised too.
        clock_start: Time at which every round is dealt, aware.
        policy: Terms as parameters; those of the submission, the rest by default, where left out.
        system: Makes the systems under test; the state machine of this package where left out.
        stakes: Stakes in minor units; different ones on every wager within its limits where left out.
        progress: Told the number of decks done and their total.

    Returns:
        A verdict for each situation, each value really observed from the system.

    Raises:
        NothingCheckedError: No deck was given.
    """
    if not decks:
        raise NothingCheckedError("no deck to exercise rounds on: expected at least one")
    edition = edition_of(game, policy)
    bets = stakes or default_stakes(game)
    situations = situations_of(edition.play)
    tallies = {situation.id: _Tally() for situation in situations}
    factory = _Counting(system)
    points = 0
    decks = (*decks, *edition.play.witnesses(decks))
    for index, deck in enumerate(decks):
        following = decks[(index + 1) % len(decks)]
        opening = opening_for(edition.play, bets)
        probe = Probe(factory, edition, tuple(deck), tuple(following), clock_start, bets, opening)
        for point in probe.points():
            points += 1
            _try_all(situations, probe, point, tallies)
        if progress is not None:
            progress(index + 1, len(decks))
    company, people = _company(game, decks, clock_start, edition.policy, system)
    return ExerciseReport(
        situations=(*(_conclude(each, edition, tallies[each.id]) for each in situations), *company),
        decks=len(decks),
        points=points,
        rounds=factory.rounds,
        stakes=bets,
        policy=policy_values(edition.policy),
        people=people or None,
    )


def _company(
    game: Game, decks: Sequence[Deck], start: datetime, policy: Policy, system: SystemFactory
) -> life.Lives:
    """Returns how rounds of several people went on our own machine: a system under test is asked of one player."""
    company = family_of(game).company
    if company is None or system is not reference_system:
        return (), ()
    return company.exercise(game, decks, start, timedelta(days=policy.void_after_days))


def default_stakes(game: Game) -> Bets:
    """Returns stakes within the limits, different on every wager where these allow it.

    Different stakes show which wager was paid or forgotten.
    """
    return tuple(
        (wager.id, min(wager.limits.maximum, wager.limits.minimum * (2 * index + 3)))
        for index, wager in enumerate(game.wagers)
    )


def policy_values(policy: Policy) -> tuple[tuple[str, str], ...]:
    """Returns the terms as names and values for the report."""
    return (
        ("malfunction_voids_all", "yes" if policy.malfunction_voids_all else "no"),
        ("void_after_days", str(policy.void_after_days)),
        ("day_count", f"{policy.day_count} ({policy.zone})"),
        ("void_stakes", str(policy.void_stakes)),
        ("after_settlement", str(policy.after_settlement)),
        ("rounding", str(policy.rounding)),
        ("known_results", f"{policy.known_results} ({KNOWN_RESULT_CLAUSES[policy.known_results]})"),
    )


def _try_all(
    situations: Sequence[Situation], probe: Probe, point: Point, tallies: Mapping[str, _Tally]
) -> None:
    for situation in situations:
        if point.stage not in situation.stages or not situation.promised(probe.edition.game.terms):
            continue
        tally = tallies[situation.id]
        try:
            for trial in situation.trials(probe, point):
                tally.add(trial)
        except UnreachableError as error:
            tally.add(error.trial)


def _conclude(situation: Situation, edition: Edition, tally: _Tally) -> life.Situation:
    observed, verdict, shown = _observed(situation, edition, tally)
    return life.Situation(
        id=situation.id,
        situation=situation.title,
        expected=situation.demand(edition.policy),
        observed=observed,
        verdict=verdict,
        trials=tally.trials,
        failures=tally.failures,
        evidence=shown.story if shown else (),
        clauses=situation.clauses,
        adopted_terms=under_adopted_terms(situation.id, edition.game.terms),
    )


_TERM_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "malfunction_voids_all": ("malfunction", "void-is-final"),
    "unresolved_void_after_days": (
        "unresolved",
        "settle-after-term",
        "expired-once",
        "clock-set-back",
        "result-known-at-term",
    ),
    "resume_after_disconnection": ("resume", "settled-while-disconnected", "restart"),
    "previous_wins_paid": ("previous-wins",),
}
"""Beginnings of the ids of situations that a term of the source speaks about, by the term."""


def under_adopted_terms(situation_id: str, terms: Terms) -> bool:
    """Tells whether a situation is judged by a term that the source does not print."""
    printed = dict(terms.printed)
    return any(
        situation_id.startswith(beginnings) and not printed.get(term) for term, beginnings in _TERM_OF.items()
    )


def _observed(situation: Situation, edition: Edition, tally: _Tally) -> tuple[str, Verdict, Trial | None]:
    if not situation.promised(edition.game.terms):
        return "not promised by the terms of the submission", Verdict.NOT_APPLICABLE, None
    if tally.first is None and Stage.DECISION in situation.stages and not edition.play.options:
        return "no round of this game waits for a decision", Verdict.NOT_APPLICABLE, None
    if tally.first is None:
        return "no round on the given decks reached this situation", Verdict.INCONCLUSIVE, None
    if tally.shortest is not None:
        failing = tally.shortest
        text = (
            f"{tally.failures} of {tally.trials} trials differ; the shortest: "
            f"expected {failing.expected}; observed {failing.observed}"
        )
        return text, Verdict.NOT_SATISFIED, failing
    text = f"as expected in all {tally.trials} trials, such as: {tally.first.observed}"
    return text, Verdict.SATISFIED, tally.first
