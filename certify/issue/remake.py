"""Making pages and exact tables again from the evidence of a pack."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from certify.certification.exact import exact_results
from certify.certification.reference import regime_of_evidence
from certify.certification.tables import exact_files
from certify.certification.tool import tool_evidence
from certify.seal.canonical import canonical_bytes
from certify.submission import parse_game


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

    submission = base64.b64decode(evidence["item"]["files"][0]["base64"])
    attachments = {"evidence.json": canonical_bytes(evidence), "game.toml": submission}
    pages = render_pdf(
        dict(evidence), attachments, issued=datetime.fromisoformat(evidence["report"]["issued"])
    )
    if not files["report.pdf"].startswith(pages):
        yield f"report.pdf: its pages are not those that follow from the evidence{other_versions(evidence)}"
    if "report.html" in files and files["report.html"] != render_html(dict(evidence)):
        yield f"report.html: not what follows from the evidence{other_versions(evidence)}"
    if len(files) > 1:
        yield from _tables(evidence, files, submission)


def _tables(evidence: Mapping[str, Any], files: Mapping[str, bytes], submission: bytes) -> Iterator[str]:
    """Compares the tables that follow from the submission alone."""
    game = parse_game(submission, evidence["item"]["files"][0]["name"])
    exact = exact_results(game, regime_of_evidence(evidence))
    for name, (content, _) in exact_files(exact, submission).items():
        if files.get(name) != content:
            yield f"{name}: not what follows from the submission{other_versions(evidence)}"


def other_versions(evidence: Mapping[str, Any]) -> str:
    """Returns which libraries the pack was made with that are others here, as the end of a sentence."""
    here, there = tool_evidence()["packages"], evidence["tool"].get("packages", {})
    others = [
        f"{name} {there.get(name, 'none')} there, {here.get(name, 'none')} here"
        for name in sorted(set(here) | set(there))
        if here.get(name) != there.get(name)
    ]
    return f" (made with other versions: {'; '.join(others)})" if others else ""
