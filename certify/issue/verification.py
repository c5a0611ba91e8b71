"""Verifying a pack, with everything computed, rendered or repeated again that the caller asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.certification.evidence import build_evidence, with_files
from certify.certification.request import Reporter
from certify.certification.run import run_certification
from certify.certification.submitted import tool_evidence
from certify.certification.tables import data_files, exact_files
from certify.evidence.document import Evidence
from certify.evidence.read import evidence_of
from certify.evidence.submitted import Tool
from certify.issue.data import ENVIRONMENT, data_differences, exact_results
from certify.issue.make import concluded
from certify.issue.parties import GAME_FILE
from certify.issue.recorded import evidence_differences, recorded_issue, request_of, submission_of
from certify.issue.rerun import as_stated
from certify.model.form import FieldOrigin
from certify.seal.canonical import canonical_bytes
from certify.seal.confined import confined_verification
from certify.seal.pdf_validation import read_signature
from certify.seal.stamp import language_of
from certify.seal.tested import NUMBERS, numbers_of, reason_of
from certify.seal.verification_report import VerificationReport
from certify.seal.verify import verify

if TYPE_CHECKING:
    from certify.certification.request import Reporter


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
    from certify.report.pdf import render_html, render_pdf
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
    made = build_evidence(request, outcome, conclusions, issue, submission)
    data = data_files(outcome, made, submission)
    made = as_stated(with_files(made, data), claimed, request.game, files)
    found = list(evidence_differences(made, claimed, {FieldOrigin.FOLLOWS, FieldOrigin.COUNTED}))
    for name, (content, _) in data.items():
        if len(files) > 1 and name not in ENVIRONMENT and files.get(name) != content:
            found.append(f"{name}: not what the run gives when it is repeated{other_versions(claimed.tool)}")
    return found


Compute = Callable[[Mapping[str, Any], Mapping[str, bytes]], Sequence[str]]


def verify_pack(
    pack: Path,
    trust: Path | None,
    at: datetime,
    progress: Reporter,
    *,
    rerun: bool = False,
    replay: bool = False,
    revocations: Sequence[Path] = (),
    allowed: Sequence[tuple[str, str]] = (),
    trust_tsa: Path | None = None,
) -> VerificationReport:
    """Verifies a pack or a report alone, and computes again what it claims as far as is asked.

    Args:
        pack: Folder of a pack, or a report (PDF).
        trust: PEM file with the roots that the caller trusts; None where the caller names none.
        at: The time of verification, aware.
        progress: Is told how far a repeated run is.
        rerun: Whether exact figures, conclusions, recorded rounds and pages are made again and compared.
        replay: Whether the whole run is repeated as well, which takes as long as the run did.
        revocations: PEM files with revocation lists, newer than those of the pack.
        trust_tsa: PEM file with the roots of time-stamp authorities that the caller trusts.
        allowed: Installed families, by name and digest, that may compute a pack which names other code.

    Raises:
        InputError: A path cannot be read, or a file of trust or revocations is none.
    """
    # Imported where they are needed: a plain verification loads neither mathematics nor the renderer.
    read = confined_verification(pack, trust, at, revocations, trust_tsa)
    if read.failures or not (rerun or replay):
        return read
    from certify.issue.code import code_of_pack
    from certify.issue.data import one_verification
    from certify.issue.rerun import differences

    def by_its_code(task: Compute) -> Compute:
        def compute(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> Sequence[str]:
            if not evidence:
                # A page of tests of randomness is of no family's code.
                return printed_differences(files)
            with code_of_pack(evidence, allowed):
                return task(evidence, files)

        return compute

    with one_verification():
        return verify(
            pack,
            trust,
            at,
            rerun=by_its_code(differences),
            render=by_its_code(rendered_differences),
            replay=by_its_code(lambda evidence, files: replayed_differences(evidence, files, progress))
            if replay
            else None,
            revocations=revocations,
            trust_tsa=trust_tsa,
        )
