"""Making pages and exact tables again from the evidence of a pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from certify.certification.tables import exact_files
from certify.certification.tool import tool_evidence
from certify.evidence.document import Evidence
from certify.evidence.read import evidence_of
from certify.evidence.tool import Tool
from certify.issue.again import exact_results
from certify.issue.data import data_differences
from certify.issue.parties import GAME_FILE
from certify.issue.recorded import request_of, submission_of
from certify.seal.canonical import canonical_bytes
from certify.seal.pdf_validation import read_signature
from certify.seal.stamp import language_of
from certify.seal.tested import NUMBERS, numbers_of, reason_of


def rendered_differences(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> list[str]:
    """Returns which pages and exact tables of a pack are not what this software makes of its evidence.

    Args:
        evidence: The evidence.
        files: The files of the pack by name; the report alone where no more is there.
    """
    return list(_rendered(evidence, evidence_of(evidence), files))


def printed_differences(files: Mapping[str, bytes]) -> list[str]:
    """Returns whether a signed page of tests of randomness is not what this software makes of its numbers.

    Args:
        files: The page and the numbers that it carries.
    """
    from certify.report.battery import render_battery
    from certify.seal.signed_again import signed_again

    report, numbers = files["report.pdf"], files[NUMBERS]
    made, signed = numbers_of(numbers), read_signature(report)
    pages, _ = render_battery(made, numbers, signed.signing_time)
    reason = reason_of(made.input.sha256)
    again = signed_again(pages, report, reason=reason, signing_time=signed.signing_time)
    return [] if report == again else ["the page is not the one that follows from its numbers"]


def _rendered(evidence: Mapping[str, Any], claimed: Evidence, files: Mapping[str, bytes]) -> Iterator[str]:
    from certify.report.html import render_html
    from certify.report.pdf import render_pdf
    from certify.seal.signed_again import signed_again

    submission, issued = submission_of(claimed), datetime.fromisoformat(claimed.report.issued)
    attachments = {"evidence.json": canonical_bytes(evidence), GAME_FILE: submission}
    language = language_of(files["report.pdf"])
    pages = render_pdf(dict(evidence), attachments, issued=issued, language=language)
    # The whole file, not its first revision: what a signer adds to the revision of the signature is shown too.
    reason = f"Report {claimed.report.number}"
    signed = signed_again(pages, files["report.pdf"], reason=reason, signing_time=issued)
    if not files["report.pdf"].startswith(pages):
        yield f"report.pdf: its pages are not those that follow from the evidence{other_versions(claimed.tool)}"
    elif files["report.pdf"] != signed:
        yield (
            "report.pdf: the revision with the signature holds more, or other things, than a signature"
            f"{other_versions(claimed.tool)}"
        )
    if "report.html" in files and files["report.html"] != render_html(dict(evidence), language):
        yield f"report.html: not what follows from the evidence{other_versions(claimed.tool)}"
    if len(files) > 1:
        yield from _tables(claimed, files, submission)


def _tables(claimed: Evidence, files: Mapping[str, bytes], submission: bytes) -> Iterator[str]:
    """Compares the tables: those of the submission alone, and those of evidence and seed."""
    request = request_of(claimed)
    exact = exact_results(request.game, request.regime, thorough=request.profile.thorough)
    for name, (content, _) in exact_files(exact, submission, claimed.report, claimed.brought).items():
        if files.get(name) != content:
            yield f"{name}: not what follows from the submission{other_versions(claimed.tool)}"
    yield from data_differences(exact, request, claimed, files)


def other_versions(tool: Tool) -> str:
    """Returns which libraries the pack was made with that are others here, as the end of a sentence."""
    here, there = tool_evidence().packages, tool.packages
    others = [
        f"{name} {there.get(name, 'none')} there, {here.get(name, 'none')} here"
        for name in sorted(set(here) | set(there))
        if here.get(name) != there.get(name)
    ]
    return f" (made with other versions: {'; '.join(others)})" if others else ""
