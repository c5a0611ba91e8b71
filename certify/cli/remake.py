"""Making again what a pack holds: its pages and exact tables from the evidence, or the whole run from its seed."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from certify.certification.evidence import Issue
    from certify.certification.run import Request

ENVIRONMENT: Final = frozenset({"data/sbom.cdx.json"})
"""Files that tell about the machine that computed, and are another's on another machine."""


def rendered_differences(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> list[str]:
    """Returns which pages and exact tables of a pack are not what this software makes of its evidence.

    Args:
        evidence: The evidence.
        files: The files of the pack by name; the report alone where no more is there.
    """
    return list(_rendered(evidence, files))


def _rendered(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[str]:
    from certify.report.html import render_html
    from certify.report.pdf import render_pdf
    from certify.seal.canonical import canonical_bytes

    submission = _submission(evidence)
    attachments = {"evidence.json": canonical_bytes(evidence), "game.toml": submission}
    pages = render_pdf(
        dict(evidence), attachments, issued=datetime.fromisoformat(evidence["report"]["issued"])
    )
    if not files["report.pdf"].startswith(pages):
        yield f"report.pdf: its pages are not those that follow from the evidence{_other_versions(evidence)}"
    if "report.html" in files and files["report.html"] != render_html(dict(evidence)):
        yield f"report.html: not what follows from the evidence{_other_versions(evidence)}"
    if len(files) > 1:
        yield from _tables(evidence, files, submission)


def _tables(evidence: Mapping[str, Any], files: Mapping[str, bytes], submission: bytes) -> Iterator[str]:
    """Compares the tables that follow from the submission alone."""
    from certify.certification.exact import exact_results
    from certify.certification.reference import regime_of_evidence
    from certify.certification.tables import exact_files
    from certify.submission import parse_game

    game = parse_game(submission, evidence["item"]["files"][0]["name"])
    exact = exact_results(game, regime_of_evidence(evidence))
    for name, (content, _) in exact_files(exact, submission).items():
        if files.get(name) != content:
            yield f"{name}: not what follows from the submission{_other_versions(evidence)}"


def replayed_differences(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> list[str]:
    """Repeats the whole run that evidence tells of, and returns what comes out differently.

    Args:
        evidence: The evidence.
        files: The files of the pack by name; the report alone where no more is there.

    Raises:
        InputError: The evidence tells of no run that this software can repeat.
    """
    from certify.certification.evidence import build_evidence
    from certify.certification.rerun import compare, recorded_game_file
    from certify.certification.run import run_certification
    from certify.certification.tables import data_files
    from certify.cli.options import Progress
    from certify.cli.run import conclude

    request, issue, game_file = _request(evidence), _issue(evidence), recorded_game_file(evidence)
    outcome = run_certification(request, Progress())
    conclusions = conclude(outcome, Path(game_file), demonstration=issue.demonstration_key)
    submission = _submission(evidence)
    data = data_files(outcome, conclusions.observations, request.seed, submission)
    again = build_evidence(request, outcome, conclusions, issue, submission, data)
    found: list[str] = []
    for key in sorted(set(again) - {"tool", "files"}):
        found += compare(_plain(again[key]), evidence.get(key), f"/{key}")
    for name, (content, _) in data.items():
        if len(files) > 1 and name not in ENVIRONMENT and files.get(name) != content:
            found.append(f"{name}: not what the run gives when it is repeated{_other_versions(evidence)}")
    return found


def _plain(value: Any) -> Any:
    """Returns a value as it is read back from the evidence."""
    from certify.seal.canonical import canonical_bytes, parse_canonical

    return parse_canonical(canonical_bytes({"value": value}), "the run repeated")["value"]


def _submission(evidence: Mapping[str, Any]) -> bytes:
    return base64.b64decode(evidence["item"]["files"][0]["base64"])


def _request(evidence: Mapping[str, Any]) -> Request:
    """Returns what was asked of the run."""
    from certify.certification.profile import profile_named
    from certify.certification.reference import regime_of_evidence
    from certify.certification.run import Request
    from certify.submission import parse_game

    return Request(
        parse_game(_submission(evidence), evidence["item"]["files"][0]["name"]),
        profile_named(evidence["run"]["profile"]["name"]),
        bytes.fromhex(evidence["run"]["seed"]),
        datetime.fromisoformat(evidence["report"]["tested_from"]),
        regime=regime_of_evidence(evidence),
    )


def _issue(evidence: Mapping[str, Any]) -> Issue:
    """Returns who issued the report and when, as the evidence says."""
    from certify.certification.evidence import Issue

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


def _other_versions(evidence: Mapping[str, Any]) -> str:
    """Returns which libraries the pack was made with that are others here, as the end of a sentence."""
    from certify.certification.tool import tool_evidence

    here, there = tool_evidence()["packages"], evidence["tool"].get("packages", {})
    others = [
        f"{name} {there.get(name, 'none')} there, {here.get(name, 'none')} here"
        for name in sorted(set(here) | set(there))
        if here.get(name) != there.get(name)
    ]
    return f" (made with other versions: {'; '.join(others)})" if others else ""
