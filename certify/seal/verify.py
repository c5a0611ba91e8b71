"""Verifies a pack or a report: everything that a signature is thought to promise, step by step."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from certify.errors import TrustError
from certify.evidence import Evidence, stated_in
from certify.seal import layout, verification_steps as steps
from certify.seal.audited import check_audit
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import certificates_of, pem
from certify.seal.layout import Sealed, read_file, read_pack
from certify.seal.signer import is_demonstration, revocations_of
from certify.seal.verification_report import (
    NO_REGISTER,
    StepOutcome,
    VerificationReport,
    VerificationStep,
    Verified,
)
from certify.seal.verification_steps import (
    NotPossibleError,
    NotRequestedError,
    Remake,
    Rerun,
    SealedCase,
)

_PACKS, _TESTS = frozenset({Sealed.PACK}), frozenset({Sealed.TESTS})
_AUDITS = frozenset({Sealed.AUDIT, Sealed.AUDIT_REPORT})
_FOLDERS = frozenset({Sealed.PACK, Sealed.AUDIT})
_WITH_EVIDENCE = frozenset({Sealed.PACK, Sealed.REPORT})

# Characters of one step's detail; what a hostile file says may be as long as the file.
_LONGEST = 8_000


@dataclass(frozen=True, slots=True)
class _Plan:
    """A step to take: its id and title, what it means, how it is done, and what it builds upon.

    A report verified alone has its evidence inside it only; ``needs_alone`` says what builds on that. ``of`` says what
    has such a step. What is ``of_the_trusted`` is looked at only if it comes from the trusted signer, where the caller
    named a root.
    """

    id: str
    title: str
    means: str
    check: Callable[[SealedCase], str]
    needs: tuple[str, ...] = ()
    of: frozenset[Sealed] = frozenset(Sealed)
    needs_alone: tuple[str, ...] = ()
    of_the_trusted: bool = False


_PLAN = (
    # Who signed comes first: before that is known, nothing that somebody wrote is parsed but the signature itself.
    _Plan(
        "files", "The pack is complete, and holds nothing else", "there is something to check",
        steps.check_files, (), _FOLDERS,
    ),
    _Plan(
        "signed-bytes", "The report is what the key of one certificate signed",
        "not a byte of it, but for the signature itself, was altered",
        steps.check_signed_bytes,
    ),
    _Plan(
        "chain", "The certificates form one chain", "every link was signed by the next, up to a root",
        steps.check_chain, ("signed-bytes",),
    ),
    _Plan(
        "identity", "The signer is known", "the signer is whom the trusted root says",
        steps.check_identity, ("chain",),
    ),
    _Plan(
        "report-form", "The report carries one certification that covers it entirely",
        "nothing was added after signing, and no later change is allowed",
        steps.check_report_form, ("signed-bytes",), of_the_trusted=True,
    ),
    _Plan(
        "validity", "The certificates were valid at the signing time",
        "the signer was entitled to sign at the time that the signature states",
        steps.check_validity, ("chain", "report-form"),
    ),
    _Plan(
        "purpose", "The certificate was issued for signing documents",
        "the key was not borrowed from another use",
        steps.check_purpose, ("chain",),
    ),
    _Plan(
        "revocation", "No certificate was revoked", "no issuer had withdrawn a certificate by then",
        steps.check_revocation, ("chain", "report-form"),
    ),
    _Plan(
        "report-signature", "The signature of the report verifies",
        "every byte of the report is as it was signed by the holder of the signer's key",
        steps.check_signature, ("report-form", "chain"),
    ),
    _Plan(
        "objects", "The report holds nothing but pages, attachments and its signature",
        "no script, layer, link to another file, hidden attachment or page of the signature's own is in it",
        steps.check_objects, ("report-form",), of_the_trusted=True,
    ),
    _Plan(
        "time-stamp", "A time-stamp authority dated the signature",
        "the signature is no younger than that, whatever the signer's clock says",
        steps.check_time_stamp, ("chain", "report-form"),
    ),
    _Plan(
        "sums", "Every file has its listed digest, and no file is unlisted",
        "no file was damaged on its way; the list itself is not signed",
        steps.check_sums, ("files",), _FOLDERS,
    ),
    _Plan(
        "attestation", "The attestation is signed", "its signer vouches for every digest in it",
        steps.check_attestation, ("files",), _FOLDERS, of_the_trusted=True,
    ),
    _Plan(
        "attested", "Every file is as attested",
        "no file was altered, exchanged, added or removed since the attestation was signed",
        steps.check_attested, ("attestation",), _FOLDERS,
    ),
    _Plan(
        "attachments", "The evidence inside the report is the evidence next to it",
        "whoever has the report alone has the same evidence",
        steps.check_attachments, ("report-form", "report-signature"), of_the_trusted=True,
    ),
    _Plan(
        "numbers", "The attached numbers are those of the sample that the signature names, and so are its verdicts",
        "whoever has the sample can see by its digest that it is the one; every verdict follows from its p-values",
        steps.check_numbers, ("attachments",), _TESTS, of_the_trusted=True,
    ),
    _Plan(
        "audit", "Verdict, signature and attestation follow from the numbers of the audit",
        "whoever reads one of them reads the same in the others",
        check_audit, ("chain", "attested", "attachments"), _AUDITS, of_the_trusted=True,
    ),
    _Plan(
        "evidence", "The evidence is canonical and complete",
        "it can be read in one way only, and its embedded submission has its digest",
        steps.check_evidence, of=_WITH_EVIDENCE, needs_alone=("attachments",), of_the_trusted=True,
    ),
    _Plan(
        "result", "The attested result is that of the evidence", "who reads the attestation alone reads the same",
        steps.check_result, ("attested", "evidence"), _PACKS,
    ),
    _Plan(
        "issue", "Evidence and signature agree on when, under what number and with what kind of key",
        "the report does not pass for another's, or for one of another day",
        steps.check_issue, ("chain", "report-form", "evidence"), _WITH_EVIDENCE,
    ),
    _Plan(
        "term", "The certificate has not ended", "the last day that its issuer states is not over",
        steps.check_term, ("evidence",), _WITH_EVIDENCE,
    ),
    _Plan(
        "certificate", "The certificate is signed as the report is",
        "it was signed whole, by the same signer at the same time, under the number of the report",
        steps.check_certificate, ("chain", "report-form", "issue"), _PACKS, of_the_trusted=True,
    ),
    _Plan(
        "one-form", "The signatures have the one form that they may have",
        "nobody but the signer could have written another that verifies too",
        steps.check_one_form, ("chain", "evidence"),
    ),
    _Plan(
        "listed", "The data are those that the evidence names", "the tables belong to this evidence",
        steps.check_listed, ("evidence",), _PACKS,
    ),
    _Plan(
        "guide", "The guide is the one that follows from the signature",
        "its commands check the pack and do nothing else",
        steps.check_guide, ("chain", "report-form", "attachments", "certificate"), _FOLDERS,
    ),
    _Plan(
        "checker", "The checker in the pack is the one of this software",
        "it was not rewritten to find nothing", steps.check_checker, ("files",), _PACKS,
    ),
    _Plan(
        "rerun", "The exact figures come out the same again", "the figures follow from the submission",
        steps.check_rerun, ("evidence",), _WITH_EVIDENCE,
    ),
    _Plan(
        "rendered", "The signed file states what the evidence states",
        "report and tables are what this software makes of the evidence, and nothing else was signed",
        steps.check_rendered, ("rerun", "report-signature", "objects", "certificate"), _WITH_EVIDENCE,
    ),
    _Plan(
        "replay", "The whole run gives the same results",
        "what was played, tested and exercised follows from the seed",
        steps.check_replay, ("rerun",), _WITH_EVIDENCE,
    ),
    _Plan(
        "printed", "The pages say what the numbers say", "no word and no figure on them is the signer's own",
        steps.check_printed, ("numbers", "audit", "report-signature", "objects"), _TESTS | _AUDITS,
    ),
    _Plan(
        "tested-again", "Everything gives the same results", "numbers and pages follow from the sample or the logs",
        steps.check_tested_again, ("numbers", "audit"), _TESTS | _AUDITS,
    ),
)  # fmt: skip


def verify(
    path: Path,
    trust: Path | None,
    at: datetime,
    *,
    rerun: Rerun | None = None,
    render: Remake | None = None,
    replay: Remake | None = None,
    revocations: Sequence[Path] = (),
    trust_tsa: Path | None = None,
) -> VerificationReport:
    """Verifies a pack, or a report alone, and says step by step what was found.

    Stricter than any viewer: what viewers accept or merely remark on (bytes after the signature, a second
    signature, an altered container, a chain to a root of the same name) fails here. Without ``trust`` the
    pack's own root serves to check that everything belongs together, and the report says that identity
    was not established.

    Args:
        path: Folder of a pack, or a report (PDF).
        trust: PEM file with the roots that the caller trusts, got from elsewhere than the pack.
        at: The time of verification, aware.
        rerun: Recomputes the exact figures from the evidence and returns what differs.
        render: Makes pages and exact tables again from the evidence and returns what differs from the files.
        replay: Repeats the whole run and returns what differs from evidence and files.
        revocations: PEM files with revocation lists, newer than those of the pack.
        trust_tsa: PEM file with the roots of time-stamp authorities that the caller trusts.

    Returns:
        The report; its ``require`` raises for the first step that fails.

    Raises:
        InputError: A path cannot be read, or a file of trust or revocations is none.
    """
    if at.tzinfo is None:
        raise ValueError("the time of verification needs a time zone: expected an aware datetime")
    roots = None if trust is None else certificates_of(trust)
    lists = revocations_of(revocations)
    try:
        case = _case(path, roots, at.astimezone(UTC))
    except TrustError as error:
        opened = VerificationStep("files", "The files can be read", "", StepOutcome.FAILS, str(error))
        return VerificationReport(str(path), (opened,), False, _not_established([opened]))
    case.rerun, case.render, case.replay = rerun, render, replay
    case.revocations = lists
    case.trust_tsa = None if trust_tsa is None else certificates_of(trust_tsa)
    taken = list(_take(case))
    established = any(step.id == "identity" and step.outcome is StepOutcome.HOLDS for step in taken)
    return VerificationReport(
        str(path),
        tuple(taken),
        established,
        _not_established(taken, case),
        is_demonstration(case.path),
        _verified(case),
    )


def _verified(case: SealedCase) -> Verified | None:
    """Returns what was verified, as it is in memory."""
    if case.signature is None or not case.path:
        return None
    contents = {layout.REPORT: case.report}
    if case.files is not None:
        contents[layout.ATTESTATION] = case.files.get(layout.ATTESTATION, b"")
    digests = {name: sha256_hex(content) for name, content in contents.items()}
    return Verified(
        digests,
        pem(case.path).decode("ascii"),
        case.signature.signing_time.isoformat(),
        case.claimed.report.number if case.evidence else "",
        sha256_hex(case.pack[layout.CERTIFICATE]) if layout.CERTIFICATE in case.pack else "",
    )


def _case(path: Path, roots: Sequence[x509.Certificate] | None, at: datetime) -> SealedCase:
    """Returns the case of a folder or a file."""
    if path.is_dir():
        files = read_pack(path)
        return SealedCase(files.get(layout.REPORT, b""), files, roots, at)
    return SealedCase(read_file(path.resolve(), path.name), None, roots, at)


def _take(case: SealedCase) -> Iterator[VerificationStep]:
    """Yields the steps of the plan as taken; one whose ground fails is not taken."""
    held: set[str] = set()
    for plan in _PLAN:
        if case.kind not in plan.of:
            # What has no such step lacks nothing that other steps build on.
            held.add(plan.id)
            continue
        needs = plan.needs + (plan.needs_alone if case.files is None else ())
        if plan.of_the_trusted and case.trust is not None:
            needs += ("identity",)
        lacking = [need for need in needs if need not in held]
        outcome, detail = _attempt(plan, case, lacking)
        if outcome is StepOutcome.HOLDS:
            held.add(plan.id)
        yield VerificationStep(plan.id, plan.title, plan.means, outcome, detail)


def _attempt(plan: _Plan, case: SealedCase, lacking: Sequence[str]) -> tuple[StepOutcome, str]:
    """Takes one step and returns how it ended."""
    if lacking:
        return StepOutcome.NOT_CHECKED, f"it needs steps that failed or did not run: {', '.join(lacking)}"
    try:
        return StepOutcome.HOLDS, plan.check(case)
    except NotRequestedError as reason:
        return StepOutcome.NOT_CHECKED, str(reason)
    except NotPossibleError as reason:
        return StepOutcome.NOT_POSSIBLE, str(reason)
    except TrustError as error:
        said = str(error)
        return StepOutcome.FAILS, said if len(
            said
        ) <= _LONGEST else f"{said[:_LONGEST]}… ({len(said)} characters)"


def _not_established(taken: Sequence[VerificationStep], case: SealedCase | None = None) -> tuple[str, ...]:
    """Returns what a reader must not conclude from a success."""
    texts = {
        "identity": "who signed: no root was given that you trust (--trust)",
        "revocation": "whether the signer's certificate was revoked: only its issuer knows",
        "time-stamp": "that the signing time is true: it is the claim of the signer's own clock",
        "rerun": "that the figures are right: they were not computed again (--rerun)",
        "rendered": "that the pages state what the evidence states: they were not rendered again (--rerun)",
        "replay": "that the campaigns and tests of randomness give these results: they were not repeated (--replay)",
        "printed": "that the pages state what the numbers state: they were not rendered again (--rerun)",
        "tested-again": "that the sample or the logs give these numbers: test or audit them again",
    }
    unchecked = [s.id for s in taken if s.outcome in (StepOutcome.NOT_CHECKED, StepOutcome.NOT_POSSIBLE)]
    return (
        *(text for step, text in texts.items() if step in unchecked),
        *(_stated(case.claimed) if case and case.evidence else ()),
        "that the generator in operation is the one that gave the sample: only who took it knows"
        if case and case.kind is Sealed.TESTS
        else "that the logs hold every round as it was played: only the owner of the logs knows"
        if case and case.kind in _AUDITS
        else "that the game in operation is the item that was tested: compare its digests with those of the report",
        *(() if case and case.kind in _TESTS | _AUDITS else (NO_REGISTER,)),
    )


def _stated(claimed: Evidence) -> Iterator[str]:
    """Yields what the evidence states on the signer's word alone."""
    tool, family, brought = claimed.tool, claimed.family, claimed.brought
    yield (
        f"that {tool.name} {tool.version} computed it, of the sources {tool.source_sha256}, "
        f"with the packages of its bill of materials, on {tool.platform}, "
        "at the place of testing that the report names: the issuer says so"
    )
    if family.package != tool.name:
        yield (
            f"that the code of the family {family.family!r}, which is no part of {tool.name}, plays by the "
            f"printed rules: it is that of {family.package} {family.version}, of the sources "
            f"{family.sha256}; read it, or compute the game by the code of another author"
        )
    if brought.system or brought.outputs:
        yield (
            "that the operator's own system and output gave the results printed of them: they are known here by "
            "their digests alone; test them again with --system and --rng-output of a new run"
        )
    if brought.files is not None:
        yield (
            f"that the {len(brought.files)} files listed as the product are those in operation: compare their digests "
            "on site with data/critical-files.csv"
        )
    words = ", ".join(f"{where} {value!r}" for where, value in stated_in(claimed.report, "/report"))
    yield f"what is stated by the issuer, not checked but for its form: {words}"
