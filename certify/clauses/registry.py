"""The register of checks: each is a function from results to observations; catalogues say which clauses it answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from certify.clauses.results import ExactResults, Results
from certify.model.clause import Applicability, Catalogue, Method
from certify.model.finding import REFERENCE, Observation, Severity, UnderTest, Verdict

CheckFunction = Callable[[Results], Iterable["Answer"]]
ExactFunction = Callable[[ExactResults], Iterable["Answer"]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a check says about one subject.

    Args:
        verdict: How it ended.
        expected: What was expected, with its numbers.
        observed: What was seen, with its numbers.
        subject: What it is about, empty for the whole game.
        reason: Why it is inconclusive or not applicable.
        evidence: Pointers into the evidence.
        item: The item that was looked at, where it is not the one of the check.
    """

    verdict: Verdict
    expected: str
    observed: str
    subject: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    item: UnderTest | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check.

    Args:
        id: Its id, as the clauses name it.
        title: What it checks, one sentence.
        function: The code.
        own: Why the harness runs it itself, whatever catalogues were chosen; empty where it runs for clauses alone.
        severity: Severity of the finding where it is not satisfied.
        item: The item that it looks at; single answers may name another.
    """

    id: str
    title: str
    function: CheckFunction
    own: str = ""
    severity: Severity = Severity.MAJOR
    item: UnderTest = UnderTest.SUBMISSION

    def observe(self, results: Results) -> list[Observation]:
        """Returns the observations of this check; a check that says nothing is inconclusive."""
        return self._observed(self.function(results))

    def _observed(self, found: Iterable[Answer]) -> list[Observation]:
        answers = list(found)
        if not answers:
            answers = [
                Answer(Verdict.INCONCLUSIVE, "at least one observation", "none", reason="nothing was checked")
            ]
        return [self._observation(answer) for answer in answers]

    def _observation(self, answer: Answer) -> Observation:
        item = answer.item or self.item
        return Observation(
            check=self.id,
            title=self.title,
            verdict=on_item(answer.verdict, item),
            expected=answer.expected,
            observed=answer.observed,
            reason=answer.reason,
            evidence=answer.evidence,
            subject=answer.subject,
            item=item,
        )


_CHECKS: Final[dict[str, Check]] = {}


def exact_check(
    check_id: str,
    title: str,
    *,
    own: str = "",
    severity: Severity = Severity.MAJOR,
) -> Callable[[ExactFunction], ExactFunction]:
    """Registers a check that looks at nothing but what follows from the submission.

    Verification computes its observations again.

    Raises:
        ValueError: The id is taken.
    """

    def register(function: ExactFunction) -> ExactFunction:
        _register(Check(check_id, title, function, own, severity))
        return function

    return register


def check(
    check_id: str,
    title: str,
    item: UnderTest,
    *,
    own: str = "",
    severity: Severity = Severity.MAJOR,
) -> Callable[[CheckFunction], CheckFunction]:
    """Registers a check under its id, with the item that it looks at.

    Raises:
        ValueError: The id is taken.
    """

    def register(function: CheckFunction) -> CheckFunction:
        _register(Check(check_id, title, function, own, severity, item=item))
        return function

    return register


def _register(entry: Check) -> None:
    if entry.id in _CHECKS:
        raise ValueError(f"the check {entry.id} is registered twice")
    _CHECKS[entry.id] = entry


def checks() -> Mapping[str, Check]:
    """Returns all checks by id, in the order of the report, whichever module was imported first."""
    from certify.clauses.checks import ORDER, load_all

    load_all()
    place = {f"certify.clauses.checks.{name}": number for number, name in enumerate(ORDER)}
    ordered = sorted(_CHECKS.values(), key=lambda check: place.get(check.function.__module__, len(place)))
    return {check.id: check for check in ordered}


def planned(catalogues: Iterable[Catalogue], applies: Collection[Applicability]) -> Mapping[str, Check]:
    """Returns the checks that run: those that the catalogues' clauses ask of the game, and the harness's own.

    Args:
        catalogues: The catalogues that were chosen.
        applies: Kinds of games that the game belongs to.
    """
    asked = {
        check
        for catalogue in catalogues
        for clause in catalogue.clauses
        if clause.method is Method.TEST and clause.applies in applies
        for check in clause.checks
    }
    return {name: check for name, check in checks().items() if name in asked or check.own}


def on_item(verdict: Verdict, item: UnderTest) -> Verdict:
    """Returns a verdict as it may be stated about an item: what holds on a reference is shown there, not satisfied.

    >>> on_item(Verdict.SATISFIED, UnderTest.REFERENCE_ROUNDS).value
    'shown on the reference'
    >>> on_item(Verdict.NOT_SATISFIED, UnderTest.REFERENCE_ROUNDS).value
    'not satisfied'
    """
    return Verdict.REFERENCE if verdict is Verdict.SATISFIED and item in REFERENCE else verdict


def verdict_of(holds: bool) -> Verdict:
    """Returns the verdict of something that either holds or does not."""
    return Verdict.SATISFIED if holds else Verdict.NOT_SATISFIED
