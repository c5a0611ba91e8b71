"""Repeating the whole run that evidence tells of, from its seed."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from certify.certification.evidence import Issue, build_evidence
from certify.certification.profile import profile_named
from certify.certification.reference import regime_of_evidence
from certify.certification.run import Reporter, Request, run_certification
from certify.certification.tables import data_files
from certify.evidence import Evidence, evidence_of, plain
from certify.issue.make import conclude
from certify.issue.remake import other_versions
from certify.issue.rerun import compare, recorded_game_file
from certify.submission import parse_game

ENVIRONMENT: Final = frozenset({"data/sbom.cdx.json"})
"""Files that tell about the machine that computed, and are another's on another machine."""


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
    request, issue, game_file = _request(claimed), _issue(claimed), recorded_game_file(claimed)
    outcome = run_certification(request, progress)
    conclusions = conclude(outcome, game_file, demonstration=issue.demonstration_key)
    submission = base64.b64decode(claimed.item.files[0].base64)
    data = data_files(outcome, conclusions.observations, request.seed, submission)
    again = plain(build_evidence(request, outcome, conclusions, issue, submission, data))
    found: list[str] = []
    for key in sorted(set(again) - {"tool", "files"}):
        found += compare(again[key], evidence.get(key), f"/{key}")
    for name, (content, _) in data.items():
        if len(files) > 1 and name not in ENVIRONMENT and files.get(name) != content:
            found.append(f"{name}: not what the run gives when it is repeated{other_versions(evidence)}")
    return found


def _request(claimed: Evidence) -> Request:
    """Returns what was asked of the run."""
    file = claimed.item.files[0]
    return Request(
        parse_game(base64.b64decode(file.base64), file.name),
        profile_named(claimed.run.profile.name),
        bytes.fromhex(claimed.run.seed),
        datetime.fromisoformat(claimed.report.tested_from),
        regime=regime_of_evidence(claimed),
    )


def _issue(claimed: Evidence) -> Issue:
    """Returns who issued the report and when, as the evidence says."""
    report = claimed.report
    return Issue(
        issued=datetime.fromisoformat(report.issued),
        tested_from=datetime.fromisoformat(report.tested_from),
        tested_to=datetime.fromisoformat(report.tested_to),
        issuer=report.issuer.name,
        address=report.issuer.address,
        client=report.client,
        demonstration_key=report.demonstration_key,
        command=claimed.run.command,
        revision=report.revision,
        authorised_by=report.authorised_by or "",
    )
