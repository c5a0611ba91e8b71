"""Computing again what evidence claims: exact figures and conclusions from the submission, rounds from their seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from certify.certification.clause_evidence import clause_differences
from certify.certification.conclude import checks_for, conclude
from certify.certification.evidence import item_evidence, plan_evidence
from certify.certification.exact import exact_evidence
from certify.certification.items import items_evidence
from certify.certification.profile import Profile
from certify.certification.run import RunOutcome
from certify.certification.tables import RECORDED, Record, Told, exact_files
from certify.certification.tool import family_evidence
from certify.clauses.results import ExactResults, Results
from certify.errors import CertifyError, TrustError
from certify.evidence.document import Evidence, ExactPart
from certify.evidence.plain import plain
from certify.evidence.read import evidence_of
from certify.families.registry import family_of
from certify.issue.again import exact_results
from certify.issue.code import code_differences
from certify.issue.compare import compare, some
from certify.issue.delta import DESCRIBED, since_differences
from certify.issue.judged import judged_differences
from certify.issue.parties import GAME_FILE
from certify.issue.recorded import head_differences, request_of, submission_of
from certify.issue.seeded import (
    counted_differences,
    observed_again,
    outcome_without_campaigns,
    seeded_differences,
)
from certify.model.form import json_name
from certify.submission import parse_game


def differences(evidence: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> list[str]:
    """Returns what comes out differently when the evidence is computed again, empty where all is the same.

    Strategies that the run searched for are taken from the files and proven, not searched for again.

    Everything exact follows from the submission that the evidence embeds; recorded rounds, the comparison of legs,
    the audit of decks, the facts about the generator and the exercised terms follow from the seed; head and command
    from profile, parties and time; every observation that rests on these is observed again; findings, statement and
    the status of each clause follow from the observations and from catalogues that must be those of this software.
    Campaigns and statistical tests are not repeated here; their sizes, streams and expectations are compared.
    """
    try:
        claimed = evidence_of(evidence)
    except TrustError as error:
        return [str(error)]
    submission = submission_of(claimed)
    try:
        game = parse_game(submission, claimed.item.files[0].name)
    except CertifyError as error:
        return [f"the embedded submission cannot be read: {error}"]
    try:
        request = request_of(claimed)
        certificate = family_of(game).certificate
        if certificate is not None:
            certificate.offer(game, files or {})
        exact = exact_results(game, request.regime, thorough=request.profile.thorough)
        outcome = outcome_without_campaigns(exact, request, claimed.tool.source_sha256)
    except CertifyError as error:
        return [f"the evidence cannot be computed again: {error}"]
    return [
        *_parts(exact_evidence(exact, sensitivity=exact.thorough), claimed),
        *_fixed(exact, submission, request.profile, claimed),
        *head_differences(claimed, request),
        *seeded_differences(outcome, request, claimed),
        *counted_differences(exact, request, claimed),
        *judged_differences(request, claimed),
        *_conclusions(exact, outcome.results, claimed),
        *since_differences(claimed, files or {}),
        *_listed(exact, outcome, submission, claimed),
    ]


def _parts(computed: ExactPart, claimed: Evidence) -> Iterator[str]:
    """Compares everything exact, and names what the evidence leaves out or adds."""
    for field in fields(ExactPart):
        ours, theirs = getattr(computed, field.name), getattr(claimed, field.name)
        where = f"/{json_name(field.name)}"
        if theirs is None and ours is not None:
            yield f"{where}: the evidence leaves out what this software computes"
        elif ours is None and theirs is not None:
            yield f"{where}: the evidence holds what this software does not compute for this game and profile"
        else:
            yield from some(compare(plain(ours), plain(theirs), where), where)


def _fixed(exact: ExactResults, submission: bytes, profile: Profile, claimed: Evidence) -> Iterator[str]:
    """Compares what no run may say otherwise: item, plan, error allowed, decision rule, sample sizes."""
    game = exact.game
    run = plain(plan_evidence(checks_for(exact))) | {"profile": plain(profile)}
    told = plain(claimed.run)
    yield from compare(plain(item_evidence(game, submission)), plain(claimed.item), "/item")
    items = items_evidence(game, submission, claimed.brought, claimed.tool, claimed.family)
    yield from compare(plain(items), plain(claimed.items), "/items")
    yield from code_differences(family_evidence(game), claimed.family)
    yield from compare(run, {key: told[key] for key in run}, "/run")


def _listed(exact: ExactResults, outcome: RunOutcome, submission: bytes, claimed: Evidence) -> Iterator[str]:
    """Compares the list of data files: which there are, and as what they are described."""
    exactly = exact_files(exact, submission, claimed.report, claimed.brought)
    described = {name: text for name, (_, text) in exactly.items()}
    record = Record(outcome, Told(), bytes.fromhex(claimed.run.seed))
    described |= {name: describe(record) for name, (describe, _) in RECORDED.items()}
    if claimed.since is not None:
        described |= DESCRIBED
    told = [{"name": file.name, "description": file.description} for file in claimed.files]
    computed = [{"name": name, "description": text} for name, text in sorted(described.items())]
    yield from some(compare(computed, told, "/files"), "/files")


def _conclusions(exact: ExactResults, results: Results, claimed: Evidence) -> Iterator[str]:
    """Compares observations of what was computed again, findings and statement with what follows."""
    registered = checks_for(exact)
    named = list(dict.fromkeys(one.check for one in claimed.observations))
    if named != list(registered):
        missing = ", ".join(sorted(set(registered) - set(named))) or "none"
        yield f"/observations: not those of the {len(registered)} checks in their order; missing: {missing}"
    for check in registered.values():
        seen = observed_again(check, results)
        if seen is not None:
            told = [one for one in claimed.observations if one.check == check.id]
            yield from compare(plain(seen), plain(told), f"/observations/{check.id}")
    conclusion = conclude(
        exact,
        claimed.observations,
        GAME_FILE,
        demonstration=claimed.report.demonstration_key,
        command=claimed.run.command,
        brought=claimed.brought,
    )
    yield from compare(plain(conclusion.findings), plain(claimed.findings), "/findings")
    yield from compare(plain(conclusion.statement), plain(claimed.report.statement), "/report/statement")
    yield from clause_differences(exact.game, claimed, conclusion.clauses)
