"""Computing again what evidence claims: exact figures and conclusions from the submission, rounds from their seed."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from certify.certification.conclude import state
from certify.certification.evidence import (
    finding_evidence,
    item_evidence,
    plan_evidence,
    statement_evidence,
)
from certify.certification.exact import exact_evidence, exact_results
from certify.certification.figures import THOROUGH
from certify.certification.findings import find
from certify.certification.profile import Profile
from certify.certification.reference import clause_differences
from certify.certification.run import RunOutcome
from certify.certification.tables import RECORDED, Record, exact_files
from certify.clauses.registry import checks
from certify.clauses.results import ExactResults, Results
from certify.errors import CertifyError
from certify.issue.compare import compare, some
from certify.issue.data import observation_of
from certify.issue.parties import GAME_FILE
from certify.issue.recorded import head_differences, request_of
from certify.issue.seeded import (
    counted_differences,
    observed_again,
    outcome_without_campaigns,
    seeded_differences,
)
from certify.model.game import Game
from certify.seal.evidence_schema import SCHEMA
from certify.submission import parse_game

FURTHER: Final = frozenset(
    {
        "agreement",
        "clauses",
        "deck_audit",
        "files",
        "findings",
        "item",
        "observations",
        "obligations",
        "played_rounds",
        "randomness",
        "regime",
        "report",
        "rng",
        "rounds",
        "run",
        "schema",
        "simulation",
        "tool",
    }
)
"""Objects of the evidence beside those that follow from the submission alone."""


def differences(evidence: Mapping[str, Any]) -> list[str]:
    """Returns what comes out differently when the evidence is computed again, empty where all is the same.

    Everything exact follows from the submission that the evidence embeds; recorded rounds, the comparison of legs,
    the audit of decks, the facts about the generator and the exercised terms follow from the seed; head and command
    from profile, parties and time; every observation that rests on these is observed again; findings, statement and
    the status of each clause follow from the observations and from catalogues that must be those of this software.
    Campaigns and statistical tests are not repeated here; their sizes, streams and expectations are compared.
    """
    file = evidence["item"]["files"][0]
    try:
        submission = base64.b64decode(file["base64"])
        game = parse_game(submission, file["name"])
    except CertifyError as error:
        return [f"the embedded submission cannot be read: {error}"]
    try:
        request = request_of(evidence)
        exact = exact_results(game, request.regime)
        outcome = outcome_without_campaigns(exact, request)
    except CertifyError as error:
        return [f"the evidence cannot be computed again: {error}"]
    computed = exact_evidence(exact, sensitivity=request.profile.name in THOROUGH)
    return [
        *_parts(computed, evidence),
        *_fixed(game, submission, request.profile, evidence),
        *head_differences(evidence, request),
        *seeded_differences(outcome, request, evidence),
        *counted_differences(exact, request, evidence),
        *_conclusions(exact, outcome.results, evidence),
        *clause_differences(game, evidence),
        *_listed(exact, outcome, submission, evidence),
    ]


def _parts(computed: Mapping[str, Any], evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares everything exact, and names what the evidence leaves out or adds."""
    for key in sorted((set(computed) | FURTHER) - set(evidence)):
        yield f"/{key}: the evidence leaves out what this software computes"
    for key in sorted(set(evidence) - set(computed) - FURTHER):
        yield f"/{key}: the evidence holds what this software does not compute for this game and profile"
    for key, value in computed.items():
        if key in evidence:
            yield from some(compare(value, evidence[key], f"/{key}"), f"/{key}")


def _fixed(game: Game, submission: bytes, profile: Profile, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares what no run may say otherwise: item, plan, error allowed, decision rule, sample sizes."""
    run = {**plan_evidence(checks()), "profile": asdict(profile)}
    for key in sorted(evidence["run"].keys() - run.keys() - {"command", "seed"}):
        yield f"/run/{key}: the evidence holds what no run says"
    yield from compare(SCHEMA, evidence["schema"], "/schema")
    yield from compare(item_evidence(game, submission), evidence["item"], "/item")
    yield from compare(run, {key: evidence["run"].get(key) for key in run}, "/run")


def _listed(
    exact: ExactResults, outcome: RunOutcome, submission: bytes, evidence: Mapping[str, Any]
) -> Iterator[str]:
    """Compares the list of data files: which there are, and as what they are described."""
    described = {name: text for name, (_, text) in exact_files(exact, submission).items()}
    record = Record(outcome, (), bytes.fromhex(evidence["run"]["seed"]))
    described |= {name: describe(record) for name, (describe, _) in RECORDED.items()}
    told = [{key: file[key] for key in file.keys() - {"sha256", "bytes"}} for file in evidence["files"]]
    computed = [{"name": name, "description": text} for name, text in sorted(described.items())]
    yield from some(compare(computed, told, "/files"), "/files")


def _conclusions(exact: ExactResults, results: Results, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Compares observations of what was computed again, findings and statement with what follows."""
    claimed = [observation_of(entry) for entry in evidence["observations"]]
    registered = checks()
    named = list(dict.fromkeys(one.check for one in claimed))
    if named != list(registered):
        missing = ", ".join(sorted(set(registered) - set(named))) or "none"
        yield f"/observations: not those of the {len(registered)} checks in their order; missing: {missing}"
    for check in registered.values():
        seen = observed_again(check, results)
        if seen is not None:
            told = [entry for entry in evidence["observations"] if entry["check"] == check.id]
            yield from compare(seen, told, f"/observations/{check.id}")
    demonstration = bool(evidence["report"]["demonstration_key"])
    findings = find(exact, claimed, GAME_FILE, demonstration=demonstration)
    yield from compare([finding_evidence(one) for one in findings], evidence["findings"], "/findings")
    statement = state(claimed, findings, exact.game.title)
    yield from compare(statement_evidence(statement), evidence["report"]["statement"], "/report/statement")
