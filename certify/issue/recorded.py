"""What evidence says was asked of a run and who issued its report, read back from it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime

from certify.certification.evidence import Issue, regime_of_evidence
from certify.certification.profile import profile_named
from certify.certification.request import RunRequest
from certify.errors import InputError
from certify.evidence.document import Evidence
from certify.evidence.report import NOTHING_STATED
from certify.issue.parties import Parties, issue_of
from certify.issue.text_screening import require_parties
from certify.submission import parse_game


def submission_of(claimed: Evidence) -> bytes:
    """Returns the bytes of the submission that evidence embeds."""
    return base64.b64decode(claimed.item.files[0].base64)


def request_of(claimed: Evidence) -> RunRequest:
    """Returns what was asked of the run.

    Raises:
        InputError: Profile or jurisdiction are none that this software knows, or the submission cannot be read.
    """
    return RunRequest(
        parse_game(submission_of(claimed), claimed.item.files[0].name),
        profile_named(claimed.run.profile.name),
        bytes.fromhex(claimed.run.seed),
        datetime.fromisoformat(claimed.report.tested_from),
        regime=regime_of_evidence(claimed),
        brought=claimed.brought,
        since=claimed.since.earlier if claimed.since is not None else None,
    )


def recorded_parties(claimed: Evidence) -> Parties:
    """Returns who issued the report, for whom: what an issuer is free to state."""
    report = claimed.report
    return Parties(
        report.issuer.name,
        report.issuer.address,
        report.client,
        report.authorised_by or "",
        report.engagement or NOTHING_STATED,
        claimed.brought.samplings,
    )


def recorded_issue(claimed: Evidence, request: RunRequest) -> Issue:
    """Returns who issued the report and when.

    Only what an issuer is free to state is taken from the evidence: parties, time and kind of key. Number,
    revision, classification, duration and command follow from the rest.
    """
    report = claimed.report
    return issue_of(
        request,
        recorded_parties(claimed),
        datetime.fromisoformat(report.issued),
        demonstration=report.demonstration_key,
    )


def head_differences(claimed: Evidence, request: RunRequest) -> Iterator[str]:
    """Yields where what an issuer is free to state has not the form in which a run states it."""
    try:
        require_parties(recorded_parties(claimed), request.started)
    except InputError as error:
        yield f"/report: {error}"
    if request.started > recorded_issue(claimed, request).moment:
        yield f"/report/tested_from: {claimed.report.tested_from} lies after the issue of the report"
