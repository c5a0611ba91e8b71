"""Repeating the whole run that evidence tells of, from its seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from certify.certification.evidence import build_evidence
from certify.certification.request import Reporter
from certify.certification.run import run_certification
from certify.certification.tables import data_files, told_of
from certify.evidence.read import evidence_of
from certify.issue.compare import evidence_differences
from certify.issue.data import ENVIRONMENT
from certify.issue.make import concluded
from certify.issue.recorded import recorded_issue, request_of, submission_of
from certify.issue.remake import other_versions
from certify.issue.rerun import as_stated
from certify.model.form import FieldOrigin


def replayed_differences(
    evidence: Mapping[str, Any], files: Mapping[str, bytes], progress: Reporter
) -> list[str]:
    """Repeats the whole run that evidence tells of, and returns what comes out differently.

    Args:
        evidence: The evidence.
        files: The files of the pack by name; the report alone where no more is there.
        progress: Is told how far the run is.

    Raises:
        InputError: The evidence tells of no run that this software can repeat.
    """
    claimed = evidence_of(evidence)
    request = request_of(claimed)
    issue = recorded_issue(claimed, request)
    outcome = run_certification(request, progress)
    conclusions = concluded(outcome, issue)
    submission = submission_of(claimed)
    data = data_files(outcome, told_of(conclusions), request.seed, submission, issue.head)
    made = build_evidence(request, outcome, conclusions, issue, submission, data)
    made = as_stated(made, claimed, request.game, files)
    found = list(evidence_differences(made, claimed, {FieldOrigin.FOLLOWS, FieldOrigin.COUNTED}))
    for name, (content, _) in data.items():
        if len(files) > 1 and name not in ENVIRONMENT and files.get(name) != content:
            found.append(f"{name}: not what the run gives when it is repeated{other_versions(claimed.tool)}")
    return found
