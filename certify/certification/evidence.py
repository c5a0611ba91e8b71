"""The evidence: one object from which the report is rendered and every figure can be traced."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.certification.audit import AuditedRound
from certify.certification.clause_evidence import obligations_evidence, regime_evidence
from certify.certification.conclude import Conclusion
from certify.certification.exact import exact_evidence
from certify.certification.items import items_evidence
from certify.certification.play_through import ALPHA, HARD, borderline_rule
from certify.certification.request import RunRequest
from certify.certification.run import RunOutcome
from certify.certification.tool import family_evidence, tool_evidence
from certify.clauses.registry import Check, on_item
from certify.clauses.results import PlayThrough, Results
from certify.evidence.conclusions import DataFile
from certify.evidence.document import Evidence
from certify.evidence.item import Item, SubmittedFile
from certify.evidence.life import Rounds
from certify.evidence.played import StatedRound
from certify.evidence.randomness import Randomness
from certify.evidence.report import Head, Report
from certify.evidence.run import PlannedCheck, PlannedRun, Run
from certify.evidence.simulation import Simulation, StatedCampaign
from certify.families.driver import PlayedRound
from certify.messages import say, worded
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.model.item import UnderTest
from certify.model.message import Message
from certify.simulation import campaign_evidence, independent_code, shared_code

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ROUNDS_IN_EVIDENCE: Final = 25
"""Recorded rounds that the evidence holds in full; the others are in ``data/rounds.jsonl``."""

Files = dict[str, tuple[bytes, str]]
"""Data files of a pack with their descriptions, by name."""


@dataclass(frozen=True, slots=True)
class Issue:
    """The head of a report, with the command that makes it again.

    Args:
        head: Number, dates and parties.
        command: Command that computes everything again.
    """

    head: Head
    command: str

    @property
    def moment(self) -> datetime:
        """Time of issue."""
        return datetime.fromisoformat(self.head.issued)


def build_evidence(
    request: RunRequest,
    outcome: RunOutcome,
    conclusions: Conclusion,
    issue: Issue,
    submission: bytes,
) -> Evidence:
    """Returns the evidence; its files, which are written from it, are listed by :func:`with_files`.

    Args:
        request: What was asked.
        outcome: What was computed.
        conclusions: What was concluded.
        issue: Who issues the report.
        submission: The submitted bytes.
    """
    results, game = outcome.results, outcome.results.game
    exact = exact_evidence(results, sensitivity=results.thorough)
    return Evidence(
        **_fields(exact),
        report=Report(**_fields(issue.head), statement=conclusions.statement),
        tool=tool_evidence(),
        family=family_evidence(game),
        items=items_evidence(game, submission, results.brought, tool_evidence(), family_evidence(game)),
        brought=results.brought,
        run=Run(
            **_fields(plan_evidence(conclusions.checks)),
            command=issue.command,
            seed=request.seed.hex(),
            profile=request.profile,
        ),
        item=item_evidence(game, submission),
        simulation=_simulation(request, results),
        agreement=results.agreement.evidence(),
        texts=results.texts,
        deck_audit=results.deck_audit,
        played_rounds=tuple(
            round_evidence(record, played, request.seed)
            for record, played in outcome.recorded[:ROUNDS_IN_EVIDENCE]
        ),
        rng=results.rng.stated,
        randomness=randomness_evidence(results.randomness),
        rounds=rounds_evidence(results),
        observations=conclusions.observations,
        regime=regime_evidence(results.regime, game),
        clauses=conclusions.clauses,
        obligations=obligations_evidence(conclusions.clauses),
        findings=conclusions.findings,
        files=(),
    )


def with_files(made: Evidence, files: Files) -> Evidence:
    """Returns evidence that lists data files of the pack beside those that it lists already."""
    listed = {one.name: one for one in made.files} | {
        name: DataFile(name, hashlib.sha256(content).hexdigest(), len(content), description)
        for name, (content, description) in files.items()
    }
    return replace(made, files=tuple(listed[name] for name in sorted(listed)))


def _fields(noun: DataclassInstance) -> dict[str, Any]:
    """Returns the parts of a noun by name, for one that says more."""
    return {field.name: getattr(noun, field.name) for field in fields(noun)}


def _simulation(request: RunRequest, results: Results) -> Simulation:
    game, plays = results.game, results.playthroughs
    return Simulation(
        campaigns=tuple(_campaign(play, game, request.profile.twin_rounds) for play in plays),
        **worded(borderline_rule=borderline_rule()),
        borderline_first=tuple(_campaign(play.first, game) for play in plays if play.first is not None),
        shared_code=shared_code(game),
        independent_code=independent_code(game),
    )


def _campaign(play: PlayThrough, game: Game, twin_rounds: int = 0) -> StatedCampaign:
    """Returns a campaign as the evidence states it; one that comes from evidence is stated already."""
    if isinstance(play.campaign, StatedCampaign):
        return play.campaign
    return campaign_evidence(
        play.campaign, play.agreements, game, play.analysis, kernel_twin_rounds=twin_rounds
    )


def plan_evidence(registered: Mapping[str, Check]) -> PlannedRun:
    """Returns what was planned: the checks, the error that is allowed, the decision rule."""
    return PlannedRun(
        plan=tuple(PlannedCheck(check.id, check.title, check.own) for check in registered.values()),
        alpha=ALPHA,
        **worded(
            decision_rule=(say("run.decision-rule"), say("run.without-margin"), _overall_risk()),
        ),
    )


def _overall_risk() -> Message:
    """Returns how likely a faultless item is refused by any of the families of tests, at most."""
    hard = Fraction(str(HARD))
    return say("run.overall-risk", overall=len(FAMILIES) * (hard + ALPHA**2), hard=hard, alpha=ALPHA)


FAMILIES: Final = ("play-through", "what was dealt")
"""Families of statistical tests of every report; each holds its error by itself, and both share the two-stage rule."""


def item_evidence(game: Game, submission: bytes) -> Item:
    """Returns what was tested, with its bytes."""
    return Item(
        game=game.id,
        title=game.title,
        version=game.version,
        supplier=game.supplier,
        family=game.family,
        files=(
            SubmittedFile(
                name="game.toml",
                sha256=hashlib.sha256(submission).hexdigest(),
                bytes_=len(submission),
                base64=base64.b64encode(submission).decode("ascii"),
            ),
        ),
        sources=game.sources,
    )


def randomness_evidence(found: Randomness) -> Randomness:
    """Returns the statistical tests and their collective verdict as they may be stated of the product."""
    tests = tuple(replace(test, verdict=shown_on_reference(test.verdict)) for test in found.tests)
    return replace(found, tests=tests, verdict=shown_on_reference(found.verdict))


def shown_on_reference(word: str) -> str:
    """Returns a verdict about what was dealt as it may be stated: all of it was dealt by the reference generator."""
    return str(Verdict.REFERENCE) if word == Verdict.SATISFIED else word


def rounds_evidence(results: Results) -> Rounds:
    """Returns the terms exercised on the reference round machine, and the rounds recalled."""
    exercised = results.exercise
    situations = tuple(
        replace(one, verdict=on_item(one.verdict, UnderTest.REFERENCE_ROUNDS)) for one in exercised.situations
    )
    return Rounds(
        **_fields(replace(exercised, situations=situations)),
        told=results.told,
        recalled=tuple(asdict(record) for record in results.recalled),
    )


def round_evidence(record: AuditedRound, played: PlayedRound, seed: bytes) -> StatedRound:
    """Returns one recorded round, with everything needed to deal and play it again."""
    return StatedRound(
        seed=seed.hex(),
        purpose="simulation-decks",
        stream=record.stream_index,
        deck=record.position,
        hands={hand.holder: hand.faces for hand in played.hands},
        decisions=tuple(record.decisions),
        outcomes=dict(played.outcomes),
        net=dict(played.net),
        trace_sha256=record.digest,
        trace=tuple(played.trace),
    )
