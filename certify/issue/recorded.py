"""What evidence says was asked of a run and who issued its report, read back from it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from certify.certification.evidence import Issue, report_evidence
from certify.certification.profile import profile_named
from certify.certification.reference import regime_of_evidence
from certify.certification.run import Request
from certify.issue.compare import compare
from certify.issue.parties import Parties, issue_of
from certify.submission import parse_game


def submission_of(evidence: Mapping[str, Any]) -> bytes:
    """Returns the bytes of the submission that evidence embeds."""
    return base64.b64decode(evidence["item"]["files"][0]["base64"])


def request_of(evidence: Mapping[str, Any]) -> Request:
    """Returns what was asked of the run.

    Raises:
        InputError: Profile or jurisdiction are none that this software knows, or the submission cannot be read.
    """
    return Request(
        parse_game(submission_of(evidence), evidence["item"]["files"][0]["name"]),
        profile_named(evidence["run"]["profile"]["name"]),
        bytes.fromhex(evidence["run"]["seed"]),
        datetime.fromisoformat(evidence["report"]["tested_from"]),
        regime=regime_of_evidence(evidence),
    )


def recorded_issue(evidence: Mapping[str, Any], request: Request) -> Issue:
    """Returns who issued the report and when.

    Only what an issuer is free to state is taken from the evidence: parties, time and kind of key. Number,
    revision, classification, duration and command follow from the rest.
    """
    report = evidence["report"]
    parties = Parties(
        report["issuer"]["name"],
        report["issuer"]["address"],
        report["client"],
        report.get("authorised_by", ""),
    )
    return issue_of(
        request,
        parties,
        datetime.fromisoformat(report["issued"]),
        demonstration=bool(report["demonstration_key"]),
    )


def head_differences(evidence: Mapping[str, Any], request: Request) -> Iterator[str]:
    """Yields what the head of the report and the command say otherwise than what follows."""
    issue = recorded_issue(evidence, request)
    computed = report_evidence(request, issue)
    told = {key: value for key, value in evidence["report"].items() if key != "statement"}
    yield from compare(computed, told, "/report")
    yield from compare(issue.command, evidence["run"].get("command"), "/run/command")
    if issue.tested_from > issue.issued:
        yield f"/report/tested_from: {told['tested_from']} lies after the issue of the report"
