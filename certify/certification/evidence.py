"""The evidence: one object from which the report is rendered and every figure can be traced."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Final

from certify.certification.conclude import Conclusion
from certify.certification.exact import exact_evidence
from certify.certification.play_through import ALPHA, HARD, AuditedRound, borderline_rule
from certify.certification.request import RunRequest
from certify.certification.run import RunOutcome
from certify.certification.submitted import family_evidence, tool_evidence
from certify.children import source_digest
from certify.clauses import Check, PlayThrough, Regime, Results, on_item, parse_own, regime_of
from certify.errors import InputError, Refusing
from certify.evidence import (
    Brought,
    ClauseStatus,
    DataFile,
    Evidence,
    FamilyCode,
    Head,
    Item,
    ItemUnderTest,
    PlannedCheck,
    PlannedRun,
    Randomness,
    Report,
    Rounds,
    Run,
    Simulation,
    StatedCampaign,
    StatedRound,
    SubmittedFile,
    Tool,
    document as evidence,
)
from certify.families import PlayedRound
from certify.messages import say, verbatim, worded
from certify.model import Certainty, Game, Message, Status, UnderTest, Verdict, keywords
from certify.rounds import OBLIGATIONS, policy_values
from certify.simulation import PURPOSE, SURE, campaign_evidence, independent_code, shared_code


def regime_evidence(regime: Regime, game: Game) -> evidence.StatedRegime:
    """Returns by what a game is judged."""
    files = {one.own.id: one.file for one in regime.jurisdictions if one.own}
    return evidence.StatedRegime(
        jurisdictions=tuple(
            evidence.StatedJurisdiction(
                name=one.name,
                title=one.title,
                catalogues=one.catalogues,
                limits=one.limits,
                note=one.note,
            )
            for one in regime.jurisdictions
        ),
        catalogues=tuple(
            evidence.StatedCatalogue(
                id=catalogue.id,
                standard=catalogue.title,
                name=catalogue.name,
                edition=catalogue.edition,
                sha256=catalogue.sha256,
                base64=base64.b64encode(files[catalogue.id]).decode("ascii")
                if catalogue.id in files
                else None,
            )
            for catalogue in regime.catalogues
        ),
        policy=dict(policy_values(regime.policy(game.terms))),
    )


def obligations_evidence(statuses: Sequence[ClauseStatus]) -> tuple[evidence.Obligation, ...]:
    """Returns the obligations passed to the operator: clauses that are his, and what no test of a round can promise.

    Source: GLI-19 v3.0, 1.6.1.
    """
    duties = tuple(
        evidence.Obligation(_named(status), status.note or status.paraphrase)
        for status in statuses
        if status.status is Status.OPERATOR
    )
    named = {f"{status.standard} {status.number}" for status in statuses if status.status is Status.OPERATOR}
    further = (evidence.Obligation(clause, text) for clause, text in OBLIGATIONS if clause not in named)
    return (*duties, *further)


def _named(status: ClauseStatus) -> str:
    """Returns standard and number of a clause, marked where nobody read it in the standard."""
    name = f"{status.standard} {status.number}"
    return name if status.certainty == Certainty.VERBATIM else f"{name} (secondary reference)"


def regime_of_evidence(claimed: Evidence) -> Regime:
    """Returns the jurisdictions that evidence says it was judged by, with the limits that this software knows.

    Raises:
        InputError: The evidence names none, or one that is not known.
    """
    files = {one.id: one.base64 for one in claimed.regime.catalogues if one.base64}
    with Refusing(InputError, InputError, "/regime/jurisdictions"):
        own = [parse_own(base64.b64decode(file), f"catalogue-{name}.toml") for name, file in files.items()]
        return regime_of([one.name for one in claimed.regime.jurisdictions if one.name not in files], own)


_OURS = {
    UnderTest.REFERENCE_GENERATOR: ("rng/*.py", "rng/drbg/**/*"),
    UnderTest.REFERENCE_ROUNDS: ("certify/rounds/**/*",),
    UnderTest.TESTS: ("rng/battery/**/*",),
}
"""Items of this software, each with the source files that it consists of."""


def items_evidence(
    game: Game, submission: bytes, brought: Brought, tool: Tool, family: FamilyCode
) -> tuple[ItemUnderTest, ...]:
    """Returns every item under test.

    Args:
        game: The submission.
        submission: Its bytes.
        brought: What the operator submitted.
        tool: The software, whose generator and round machine stand in for those of the operator.
        family: The code that plays the game.
    """
    return (
        ItemUnderTest(
            id=UnderTest.SUBMISSION,
            version=game.version,
            sha256=hashlib.sha256(submission).hexdigest(),
            **worded(title=verbatim(game.title)),
        ),
        ItemUnderTest(
            id=UnderTest.FAMILY,
            version=f"{family.package} {family.version}",
            sha256=family.sha256,
            **worded(title=say("item.family-code", family=family.family)),
        ),
        *(
            ItemUnderTest(
                id=item,
                version=f"{tool.name} {tool.version}",
                sha256=source_digest(*files),
                **worded(title=say(f"item.{item}")),
            )
            for item, files in _OURS.items()
        ),
        *(
            ItemUnderTest(
                id=UnderTest.OPERATOR_OUTPUT,
                version=output.sampling.item if output.sampling is not None else "",
                sha256=output.sha256,
                **worded(
                    title=say(
                        "item.operator-generator-output",
                        name=output.name,
                        kind=output.kind,
                        count=output.count,
                    )
                ),
            )
            for output in brought.outputs
        ),
        *(
            ItemUnderTest(
                id=UnderTest.OPERATOR_ROUNDS,
                version=system.version,
                sha256=system.sha256,
                **worded(title=say("item.operator-round-system", target=system.target)),
            )
            for system in (brought.system,)
            if system is not None
        ),
    )


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
        request: What was requested.
        outcome: What was computed.
        conclusions: What was concluded.
        issue: Who issues the report.
        submission: The submitted bytes.
    """
    results, game = outcome.results, outcome.results.game
    operators = bool(results.brought.outputs) or results.brought.system is not None
    exact = exact_evidence(results, sensitivity=results.thorough, operators=operators)
    simulated = _simulation(request, results)
    return Evidence(
        **keywords(exact),
        report=Report(**keywords(issue.head), statement=conclusions.statement),
        tool=tool_evidence(),
        family=family_evidence(game),
        items=items_evidence(game, submission, results.brought, tool_evidence(), family_evidence(game)),
        brought=results.brought,
        run=Run(
            **keywords(plan_evidence(conclusions.checks, simulated)),
            command=issue.command,
            seed=request.seed.hex(),
            profile=request.profile,
        ),
        item=item_evidence(game, submission),
        simulation=simulated,
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
    """Returns evidence that lists data files of the pack next to those that it lists already."""
    listed = {one.name: one for one in made.files} | {
        name: DataFile(name, hashlib.sha256(content).hexdigest(), len(content), description)
        for name, (content, description) in files.items()
    }
    return replace(made, files=tuple(listed[name] for name in sorted(listed)))


def _simulation(request: RunRequest, results: Results) -> Simulation:
    game, plays, twins = results.game, results.playthroughs, request.profile.twin_rounds
    return Simulation(
        campaigns=tuple(_campaign(play, twins) for play in plays if not play.planned.configuration),
        **worded(borderline_rule=borderline_rule()),
        borderline_first=tuple(_campaign(play.first, twins) for play in plays if play.first is not None),
        shared_code=shared_code(game),
        independent_code=independent_code(game),
        configurations=tuple(_campaign(play, twins) for play in plays if play.planned.configuration) or None,
    )


def _campaign(play: PlayThrough, twin_rounds: int) -> StatedCampaign:
    """Returns a campaign as the evidence states it; one that comes from evidence is stated already."""
    if isinstance(play.campaign, StatedCampaign):
        return play.campaign
    game, analysis = play.planned.game, play.planned.analysis
    twins = twin_rounds if play.planned.purpose == PURPOSE else 0
    stated = campaign_evidence(play.campaign, play.agreements, game, analysis, kernel_twin_rounds=twins)
    return replace(stated, configuration=play.planned.configuration or None)


def plan_evidence(registered: Mapping[str, Check], simulated: Simulation) -> PlannedRun:
    """Returns what was planned: the checks, the error that is allowed, the decision rule, for these campaigns."""
    return PlannedRun(
        plan=tuple(PlannedCheck(check.id, check.title, check.own) for check in registered.values()),
        alpha=ALPHA,
        **worded(
            decision_rule=(say("run.decision-rule"), say("run.without-margin"), _overall_risk(simulated)),
        ),
    )


def refused_at_most(margins: int) -> tuple[Fraction, Fraction]:
    """Returns how likely a faultless play-through comes into doubt, and how likely it is refused, at most.

    A first sample is in doubt by its p-values or by a margin that it missed; a fresh one decides, and may be wrong too.

    Args:
        margins: Margins that agreement must be shown within, each of which a long enough sample may miss.

    >>> [str(bound) for bound in refused_at_most(2)]
    ['3/100', '301/1000000']
    """
    doubt = min(ALPHA + margins * (1 - Fraction(str(SURE))), Fraction(1))
    return doubt, Fraction(str(HARD)) + ALPHA * doubt


def _overall_risk(simulated: Simulation) -> Message:
    """Returns how likely a faultless item is refused by either family of tests, at most."""
    margins = sum(one.equivalence.asked for campaign in simulated.campaigns for one in campaign.wagers)
    doubt, refused = refused_at_most(margins)
    return say(
        "run.overall-risk",
        overall=refused + refused_at_most(0)[1],
        doubt=doubt,
        margins=margins,
        missed=1 - Fraction(str(SURE)),
        hard=Fraction(str(HARD)),
        alpha=ALPHA,
    )


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
        **keywords(replace(exercised, situations=situations)),
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
