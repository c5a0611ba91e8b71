"""Computing again what evidence claims: all that follows from submission, seed and what was counted, compared whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from certify.certification.evidence import build_evidence
from certify.certification.generator import VECTORS
from certify.certification.items import items_evidence
from certify.certification.request import RunRequest
from certify.certification.tables import RECORDED, Record, Told, exact_files
from certify.clauses.results import ExactResults
from certify.errors import CertifyError, TrustError
from certify.evidence.document import Evidence
from certify.evidence.read import evidence_of
from certify.families.registry import family_of
from certify.issue.again import exact_results
from certify.issue.code import code_as_allowed
from certify.issue.compare import evidence_differences
from certify.issue.delta import DESCRIBED, since_differences
from certify.issue.judged import brought_differences, worded_differences
from certify.issue.make import concluded
from certify.issue.recorded import head_differences, recorded_issue, request_of, submission_of
from certify.issue.seeded import outcome_again
from certify.model.form import FieldOrigin
from certify.model.game import Game
from certify.submission import parse_game
from rng.errors import SampleError


def differences(evidence: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> list[str]:
    """Returns what comes out differently when the evidence is computed again, empty where all is the same.

    Strategies that the run searched for are taken from the files and proven, not searched for again.

    The whole evidence is built again, as a run builds it, from the submission that it embeds, from seed, profile and
    parties, and from what it says was counted: outcomes of campaigns, p-values, planted faults. Every field that
    follows is compared. What was counted is held to its form here, and compared where the run is repeated.
    """
    try:
        claimed = evidence_of(evidence)
    except TrustError as error:
        return [str(error)]
    try:
        game = parse_game(submission_of(claimed), claimed.item.files[0].name)
    except CertifyError as error:
        return [f"the embedded submission cannot be read: {error}"]
    try:
        request = request_of(claimed)
        certificate = family_of(game).certificate
        if certificate is not None:
            certificate.offer(game, files or {})
        exact = exact_results(game, request.regime, thorough=request.profile.thorough)
        computed = evidence_again(exact, request, claimed, files or {})
    except (CertifyError, SampleError) as error:
        return [f"the evidence cannot be computed again: {error}"]
    return [
        *evidence_differences(computed, claimed, {FieldOrigin.FOLLOWS}),
        *head_differences(claimed, request),
        *worded_differences(request, claimed.randomness),
        *brought_differences(game, claimed.brought),
        *since_differences(claimed, files or {}),
    ]


def evidence_again(
    exact: ExactResults, request: RunRequest, claimed: Evidence, files: Mapping[str, bytes]
) -> Evidence:
    """Returns the evidence of a run that counted what evidence says it counted, issued as it says.

    Args:
        exact: What follows from the submission alone.
        request: What was asked of the run.
        claimed: The evidence.
        files: The files of the pack by name; the report alone where no more is there.

    Raises:
        InputError: It does not count what was planned.
        SampleError: Nothing follows from its p-values.
    """
    outcome = outcome_again(exact, request, claimed)
    issue, submission = recorded_issue(claimed, request), submission_of(claimed)
    described = {
        name: text
        for name, (_, text) in exact_files(exact, submission, claimed.report, claimed.brought).items()
    }
    record = Record(outcome, Told(), request.seed)
    described |= {name: describe(record) for name, (describe, _) in RECORDED.items()}
    described |= {} if claimed.since is None else DESCRIBED
    listed = {name: (files.get(name, b""), text) for name, text in described.items()}
    made = build_evidence(request, outcome, concluded(outcome, issue), issue, submission, listed)
    return as_stated(made, claimed, request.game, files)


def as_stated(made: Evidence, claimed: Evidence, game: Game, files: Mapping[str, bytes]) -> Evidence:
    """Returns evidence that was made again, with what other steps of verification hold taken from what is claimed.

    The code of a family is that of the pack, or what the caller allows in its place; the item names it. Files that are
    not here are those that the evidence lists. What changed since an earlier pack is held to the evidence of both.
    Installed without the published vectors, there is nothing to run them on.
    """
    family, theirs = code_as_allowed(made.family, claimed.family), {one.name: one for one in claimed.files}
    rng = made.rng
    if not VECTORS.is_dir():
        rng = replace(
            rng,
            known_answers=claimed.rng.known_answers,
            known_answer_tests=claimed.rng.known_answer_tests,
            known_answers_passed=claimed.rng.known_answers_passed,
            known_answers_by_algorithm=claimed.rng.known_answers_by_algorithm,
        )
    return replace(
        made,
        family=family,
        items=items_evidence(game, submission_of(claimed), claimed.brought, claimed.tool, family),
        files=tuple(
            one
            if one.name in files or one.name not in theirs
            else replace(theirs[one.name], description=one.description)
            for one in made.files
        ),
        rng=rng,
        since=claimed.since,
    )
