"""What a run comes to without its campaigns and tests being repeated: from submission, seed, and what was counted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, replace
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from certify.certification import exact
from certify.certification.audit import SAMPLED_WITHIN, audit_decks
from certify.certification.generator import establish
from certify.certification.planted import faults_again
from certify.certification.play_through import play_again
from certify.certification.randomness import randomness_again, rows_tested
from certify.certification.recalled_rounds import recalled_rounds
from certify.certification.request import RunRequest, purposes_of
from certify.certification.run import (
    RunOutcome,
    agreement_of_legs,
    exercise_terms,
    planned_rounds,
    tell_rounds,
    two_texts,
)
from certify.clauses.results import ExactResults, Results
from certify.evidence.document import Evidence
from certify.evidence.randomness import PlanOfTests, Randomness
from certify.mathematics import head_of
from certify.simulation import StreamDecks

Asked = ParamSpec("Asked")
Result = TypeVar("Result")

_COMPUTED: Final[ContextVar[dict[Hashable, Any] | None]] = ContextVar("computed again", default=None)


@contextmanager
def one_verification() -> Iterator[None]:
    """Keeps what is computed again as long as the context lasts; nothing of it outlives the context."""
    before = _COMPUTED.set({})
    try:
        yield
    finally:
        _COMPUTED.reset(before)


def once(
    key: Callable[..., Hashable],
) -> Callable[[Callable[Asked, Result]], Callable[Asked, Result]]:
    """Has a function compute once in one verification for each key of its arguments; beyond one, each time."""

    def decorated(function: Callable[Asked, Result]) -> Callable[Asked, Result]:
        @wraps(function)
        def called(*asked: Asked.args, **named: Asked.kwargs) -> Result:
            computed = _COMPUTED.get()
            if computed is None:
                return function(*asked, **named)
            place = function, key(*asked, **named)
            if place not in computed:
                computed[place] = function(*asked, **named)
            result: Result = computed[place]
            return result

        return called

    return decorated


exact_results = once(
    lambda game, regime, *, thorough=True, executor=None: (game.sha256, game.path, regime, thorough)
)(exact.exact_results)


class _Silent:
    """Is told how far the work is, and tells nobody."""

    def step(self, text: str) -> None:
        """Says nothing."""

    def at(self, done: int, total: int, unit: str) -> None:
        """Says nothing."""


_NOTHING_TESTED: Final = Randomness(
    plan=PlanOfTests("", "", 0),
    decks=0,
    bits=0,
    alpha=0.0,
    family_size=0,
    tests=(),
    not_run=(),
    verdict="inconclusive",
    sentence="",
    smallest_adjusted_p=0.0,
    planted=(),
)
"""The tests of a run that made none."""


@once(
    lambda exact, request, software: (
        (exact.game.sha256, exact.game.path, request.regime),
        (request.profile, request.seed, request.started, software),
    )
)
def outcome_without_campaigns(exact: ExactResults, request: RunRequest, software: str) -> RunOutcome:
    """Returns everything of a run but campaigns and statistical tests, from the submission and the seed.

    Legs are compared, decks audited, rounds recorded, the generator examined and the terms exercised as in a
    run of the same profile; of the decks, no more are dealt than rounds are sampled among.

    Args:
        exact: What follows from the submission alone.
        request: What was asked of the run.
        software: Digest of the sources that dealt. It is a fact of that day, named as not established; recorded
            rounds are held to the tool that the evidence names.
    """
    profile = request.profile
    rows = rows_tested(exact.game.equipment, profile.decks)
    decks = StreamDecks.of(exact.game, request.seed).deal(0, min(rows, SAMPLED_WITHIN))
    strategy = exact.analyses[head_of(exact.game)].strategy
    audit, recorded = audit_decks(exact.game, strategy, request.seed, decks, profile.replays)
    results = Results(
        **{each.name: getattr(exact, each.name) for each in fields(ExactResults)},
        playthroughs=(),
        randomness=_NOTHING_TESTED,
        agreement=agreement_of_legs(request, exact.analyses),
        texts=two_texts(request, exact.analyses),
        deck_audit=replace(audit, decks=rows),
        rng=establish(request.game, request.seed, request.vectors),
        exercise=exercise_terms(request, _Silent()),
        recalled=tuple(
            replace(one, software_sha256=software)
            for one in recalled_rounds(request.game, request.regime, request.seed, request.started)
        ),
        brought=request.brought,
        told=tell_rounds(request),
    )
    return RunOutcome(results, recorded, decks)


def outcome_again(exact: ExactResults, request: RunRequest, claimed: Evidence) -> RunOutcome:
    """Returns what a run comes to where it counted what evidence says that it counted.

    Args:
        exact: What follows from the submission alone.
        request: What was asked of the run.
        claimed: The evidence, of which nothing is taken but what a run counts.

    Raises:
        InputError: It does not count what was planned.
        SampleError: Nothing follows from its p-values.
    """
    outcome = outcome_without_campaigns(exact, request, claimed.tool.source_sha256)
    game, profile = exact.game, request.profile
    purposes = purposes_of(game)
    played = play_again(
        request,
        exact.analyses,
        purposes,
        planned_rounds(exact, profile, purposes),
        exact.strategy_of,
        claimed.simulation,
    )
    tested = randomness_again(
        claimed.randomness,
        game,
        rows_tested(game.equipment, profile.decks),
        profile.streams,
        profile.stream_bits,
        faults_again(claimed.randomness.planted),
    )
    return replace(outcome, results=replace(outcome.results, playthroughs=played, randomness=tested))
