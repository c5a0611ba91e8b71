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
from certify.issue.make import conclude
from certify.issue.remake import other_versions
from certify.issue.rerun import compare, recorded_game_file
from certify.seal.canonical import canonical_bytes, parse_canonical
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
    request, issue, game_file = _request(evidence), _issue(evidence), recorded_game_file(evidence)
    outcome = run_certification(request, progress)
    conclusions = conclude(outcome, game_file, demonstration=issue.demonstration_key)
    submission = base64.b64decode(evidence["item"]["files"][0]["base64"])
    data = data_files(outcome, conclusions.observations, request.seed, submission)
    again = build_evidence(request, outcome, conclusions, issue, submission, data)
    found: list[str] = []
    for key in sorted(set(again) - {"tool", "files"}):
        found += compare(_plain(again[key]), evidence.get(key), f"/{key}")
    for name, (content, _) in data.items():
        if len(files) > 1 and name not in ENVIRONMENT and files.get(name) != content:
            found.append(f"{name}: not what the run gives when it is repeated{other_versions(evidence)}")
    return found


def _plain(value: Any) -> Any:
    """Returns a value as it is read back from the evidence."""
    return parse_canonical(canonical_bytes({"value": value}), "the run repeated")["value"]


def _request(evidence: Mapping[str, Any]) -> Request:
    """Returns what was asked of the run."""
    file = evidence["item"]["files"][0]
    return Request(
        parse_game(base64.b64decode(file["base64"]), file["name"]),
        profile_named(evidence["run"]["profile"]["name"]),
        bytes.fromhex(evidence["run"]["seed"]),
        datetime.fromisoformat(evidence["report"]["tested_from"]),
        regime=regime_of_evidence(evidence),
    )


def _issue(evidence: Mapping[str, Any]) -> Issue:
    """Returns who issued the report and when, as the evidence says."""
    report = evidence["report"]
    return Issue(
        issued=datetime.fromisoformat(report["issued"]),
        tested_from=datetime.fromisoformat(report["tested_from"]),
        tested_to=datetime.fromisoformat(report["tested_to"]),
        issuer=report["issuer"]["name"],
        address=report["issuer"]["address"],
        client=report["client"],
        demonstration_key=report["demonstration_key"],
        command=evidence["run"]["command"],
        revision=report["revision"],
        authorised_by=report.get("authorised_by", ""),
    )
