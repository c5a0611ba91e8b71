"""The evidence: one object from which the report is rendered and every figure can be traced."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final

from certify.certification.audit import RoundRecord
from certify.certification.conclude import ClauseStatus, Statement
from certify.certification.exact import exact_evidence
from certify.certification.figures import THOROUGH
from certify.certification.playing import ALPHA, RULE
from certify.certification.reference import clause_evidence, obligations_evidence, regime_evidence
from certify.certification.run import Request, RunOutcome
from certify.certification.texts import (
    BYTE_RULE,
    CLASSIFICATION,
    DECISION_RULE,
    RESEEDING,
    SEEDING,
)
from certify.certification.tool import tool_evidence
from certify.clauses.checks.generator import needed_bits
from certify.clauses.registry import Check
from certify.clauses.results import Randomness, RngFacts
from certify.exact import fraction_text
from certify.families.driver import PlayedRound
from certify.model.clause import Certainty
from certify.model.finding import Finding, Observation
from certify.model.game import Game
from certify.simulation import DRAWS, SHARED_CODE, campaign_json, volume_of
from rng.bias import ALLOWED

SCHEMA: Final = "certify-evidence/1"

ROUNDS_IN_EVIDENCE: Final = 25
"""Recorded rounds that the evidence holds in full; the others are in ``data/rounds.jsonl``."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Who issues the report, when, for whom.

    Args:
        issued: Time of issue.
        tested_from: Start of the tests.
        tested_to: End of the tests.
        issuer: Name of the issuer.
        address: Its address.
        client: Who asked for the report.
        demonstration_key: Whether the report is signed with a demonstration key.
        command: Command that computes everything again.
        revision: Revision of the report.
        authorised_by: Who stands for the report; may be left open.
    """

    issued: datetime
    tested_from: datetime
    tested_to: datetime
    issuer: str
    address: str
    client: str
    demonstration_key: bool
    command: str
    revision: int = 1
    authorised_by: str = ""


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What was concluded from the results."""

    checks: Mapping[str, Check]
    observations: Sequence[Observation]
    clauses: Sequence[ClauseStatus]
    findings: Sequence[Finding]
    statement: Statement


def build_evidence(
    request: Request,
    outcome: RunOutcome,
    conclusions: Conclusions,
    issue: Issue,
    submission: bytes,
    files: Mapping[str, tuple[bytes, str]],
) -> dict[str, Any]:
    """Returns the evidence object, schema ``certify-evidence/1``.

    Args:
        request: What was asked.
        outcome: What was computed.
        conclusions: What was concluded.
        issue: Who issues the report.
        submission: The submitted bytes.
        files: Data files of the pack with their descriptions, by name.
    """
    results, game = outcome.results, outcome.results.game
    return {
        "schema": SCHEMA,
        "report": _report(request, conclusions.statement, issue),
        "tool": tool_evidence(),
        "run": {
            "command": issue.command,
            "seed": request.seed.hex(),
            "profile": asdict(request.profile),
            **plan_evidence(conclusions.checks),
        },
        "item": item_evidence(game, submission),
        **exact_evidence(results, sensitivity=request.profile.name in THOROUGH),
        "simulation": {
            "campaigns": [
                campaign_json(
                    play.campaign,
                    play.agreements,
                    game,
                    play.analysis,
                    kernel_twin_rounds=request.profile.twin_rounds,
                )
                for play in results.playthroughs
            ],
            "borderline_rule": RULE,
            "borderline_first": [
                campaign_json(play.first.campaign, play.first.agreements, game, play.first.analysis)
                for play in results.playthroughs
                if play.first is not None
            ],
            "shared_code": list(SHARED_CODE),
            "independent_code": [*volume_of(game).independent_code, DRAWS],
        },
        "agreement": results.agreement.json(),
        "deck_audit": asdict(results.deck_audit),
        "played_rounds": [
            round_json(record, played, request.seed)
            for record, played in outcome.recorded[:ROUNDS_IN_EVIDENCE]
        ],
        "rng": rng_evidence(results.rng, game),
        "randomness": randomness_evidence(results.randomness),
        "rounds": results.exercise.to_evidence()
        | {"recalled": [asdict(record) for record in results.recalled]},
        "observations": [observation_evidence(observation) for observation in conclusions.observations],
        "regime": regime_evidence(results.regime, game),
        "clauses": [clause_evidence(status) for status in conclusions.clauses],
        "obligations": obligations_evidence(conclusions.clauses),
        "findings": [finding_evidence(finding) for finding in conclusions.findings],
        "files": [
            {
                "name": name,
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
                "description": description,
            }
            for name, (content, description) in sorted(files.items())
        ],
    }


def report_number(issued: datetime, submission_sha256: str, seed: bytes) -> str:
    """Returns the number of a report: its date, and eight digits of what was tested with which seed."""
    digest = hashlib.sha256(bytes.fromhex(submission_sha256) + seed + issued.isoformat().encode()).hexdigest()
    return f"CR-{issued:%Y%m%d}-{digest[:8].upper()}"


def _stamp(moment: datetime) -> str:
    """Returns a time in UTC to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _report(request: Request, statement: Statement, issue: Issue) -> dict[str, Any]:
    return {
        "number": report_number(issue.issued, request.game.sha256, request.seed),
        "revision": issue.revision,
        "issued": _stamp(issue.issued),
        "tested_from": _stamp(issue.tested_from),
        "tested_to": _stamp(issue.tested_to),
        "profile": request.profile.name,
        "classification": CLASSIFICATION,
        "demonstration_key": issue.demonstration_key,
        "issuer": {"name": issue.issuer, "address": issue.address},
        "client": issue.client,
        **({"authorised_by": issue.authorised_by} if issue.authorised_by else {}),
        "statement": statement_evidence(statement),
    }


def plan_evidence(registered: Mapping[str, Check]) -> dict[str, Any]:
    """Returns what was planned: the checks, the error that is allowed, the decision rule."""
    return {
        "plan": [{"check": check.id, "title": check.title} for check in registered.values()],
        "alpha": fraction_text(ALPHA),
        "decision_rule": DECISION_RULE,
    }


def statement_evidence(statement: Statement) -> dict[str, Any]:
    """Returns the overall statement."""
    return {
        "verdict": str(statement.verdict),
        "sentence": statement.sentence,
        "checks": dict(statement.counts),
    }


def observation_evidence(observation: Observation) -> dict[str, Any]:
    """Returns one observation."""
    return asdict(observation) | {
        "verdict": str(observation.verdict),
        "evidence": list(observation.evidence),
    }


def finding_evidence(finding: Finding) -> dict[str, Any]:
    """Returns one finding."""
    return asdict(finding) | {
        "severity": finding.severity.name.lower(),
        "clauses": list(finding.clauses),
    }


def item_evidence(game: Game, submission: bytes) -> dict[str, Any]:
    """Returns the ``item`` of the evidence: what was tested, with its bytes."""
    return {
        "game": game.id,
        "title": game.title,
        "version": game.version,
        "supplier": game.supplier,
        "family": game.family,
        "files": [
            {
                "name": "game.toml",
                "sha256": hashlib.sha256(submission).hexdigest(),
                "bytes": len(submission),
                "base64": base64.b64encode(submission).decode("ascii"),
            }
        ],
        "sources": [asdict(source) for source in game.sources],
    }


def rng_evidence(facts: RngFacts, game: Game) -> dict[str, Any]:
    """Returns the ``rng`` object of the evidence."""
    return {
        "algorithm": facts.algorithm,
        "standard": "NIST SP 800-90A Rev. 1",
        "security_strength": facts.security_strength,
        "state_bits": facts.state_bits,
        "seed_bits": facts.seed_bits,
        "needed_bits": f"{needed_bits(game):.2f}",
        "seeding": SEEDING,
        "reseeding": RESEEDING,
        "byte_rule": BYTE_RULE,
        "known_answers": [
            {"file": f.file, "sha256": f.sha256, "format": f.format, "tests": f.tests, "passed": f.passed}
            for f in facts.known_answer_files
        ],
        "known_answer_tests": facts.known_answer_tests,
        "known_answers_passed": facts.known_answers_passed,
        "known_answers_by_algorithm": [
            {"algorithm": name, "tests": tests, "passed": passed}
            for name, tests, passed in facts.known_answers_by_algorithm
        ],
        "bias": [
            {
                "n": n,
                "ours": fraction_text(ours),
                "modulo_16": fraction_text(modulo_16),
                "modulo_32": fraction_text(modulo_32),
            }
            for n, ours, modulo_16, modulo_32 in facts.biases
        ],
        "bias_limit": {
            "value": fraction_text(ALLOWED),
            "source": "25 CFR 547.14(f)",
            "certainty": str(Certainty.SECONDARY),
        },
        "orders": [{"cards": n, "draws": draws, "equal": equal} for n, draws, equal in facts.orders],
        "streams": {"compared": facts.streams_compared, "sharing_a_block": facts.streams_shared},
        "reseeds_exercised": facts.reseeds_exercised,
        "purposes": [
            {"purpose": purpose, "description": description, "where": where}
            for purpose, description, where in facts.purposes
        ],
    }


def randomness_evidence(randomness: Randomness) -> dict[str, Any]:
    """Returns the ``randomness`` object of the evidence."""
    return {
        "plan": {"sha256": randomness.plan_digest, "rule": randomness.rule, "stages": randomness.stages},
        "decks": randomness.decks,
        "bits": randomness.bits,
        "alpha": randomness.alpha,
        "family_size": randomness.family_size,
        "tests": [_test(test, randomness.alpha) for test in randomness.tests],
        "not_run": [
            {"suite": suite, "test": test, "reason": reason} for suite, test, reason in randomness.not_run
        ],
        "verdict": randomness.word,
        "sentence": "; ".join(randomness.reasons) + ".",
        "smallest_adjusted_p": randomness.smallest_adjusted_p,
        "planted": [
            {
                "fault": fault.fault,
                "caught_by": fault.caught_by,
                "sample": fault.sample,
                "p": fault.p_value,
                "caught": fault.caught,
            }
            for fault in randomness.planted
        ],
    }


def _test(test: Any, alpha: float) -> dict[str, Any]:
    return asdict(test) | {
        "p_values": list(test.p_values),
        "labels": list(test.labels),
        "threshold": alpha,
    }


def round_json(record: RoundRecord, played: PlayedRound, seed: bytes) -> dict[str, Any]:
    """Returns one recorded round, with everything needed to deal and play it again."""
    return {
        "seed": seed.hex(),
        "purpose": "simulation-decks",
        "stream": record.stream_index,
        "deck": record.position,
        "hands": {hand.holder: list(hand.faces) for hand in played.hands},
        "decisions": list(record.decisions),
        "outcomes": dict(played.outcomes),
        "net": {wager: fraction_text(net) for wager, net in played.net.items()},
        "trace_sha256": record.digest,
        "trace": list(played.trace),
    }
