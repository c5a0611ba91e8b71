"""The steps of verification: each looks at one thing, and passes or raises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography import x509

from certify.errors import CertifyError, InputError, Refusing, TrustError, listed
from certify.evidence import NOTHING_STATED, Evidence
from certify.seal import layout
from certify.seal.attestation import (
    envelope_signature,
    execution_of,
    require_statement,
    require_subjects,
    verify_envelope,
)
from certify.seal.canonical import parse_canonical, sha256_hex
from certify.seal.certificates import (
    CLOCK_TOLERANCE,
    common_name,
    fingerprint,
    order_chain,
    pem,
    read_certificates,
    require_path,
    require_purpose,
    require_validity,
)
from certify.seal.cms_container import Container, read_container, require_made_over
from certify.seal.evidence_schema import present, release_of, require_schema
from certify.seal.guide import checker_bytes, guide_bytes
from certify.seal.layout import Sealed, require_sums
from certify.seal.pdf_bounds import (
    ByteRange,
    matching_path,
    read_attachments,
    read_byte_range,
    require_bounded,
)
from certify.seal.pdf_objects import require_objects
from certify.seal.pdf_validation import PdfSignature, read_security_store, read_signature, require_valid
from certify.seal.signer import (
    has_low_s,
    is_demonstration,
    read_revocations,
    require_unrevoked,
)
from certify.seal.tested import NUMBERS, require_numbers
from certify.seal.time_stamp_token import read_token, require_authority, require_one_dating

#: Recomputes the exact figures from the submission in the evidence, and proves the strategies among the files of the
#: pack; returns what differs, empty if nothing.
Rerun = Callable[[Mapping[str, Any], Mapping[str, bytes]], Sequence[str]]

#: Makes again, from the evidence, what the files of the pack hold; returns what differs, empty if nothing.
Remake = Callable[[Mapping[str, Any], Mapping[str, bytes]], Sequence[str]]

# Differences listed one by one; those beyond are counted.
_MOST_LISTED = 40


class NotRequestedError(Exception):
    """A step has nothing to judge by, because the caller did not ask for it; says what was not requested."""


class NotPossibleError(Exception):
    """A step was requested and cannot be taken by this software; says what can take it."""


@dataclass(slots=True)
class SealedCase:
    """What is being verified, and what the steps so far have learnt of it.

    Args:
        report: The bytes of the report.
        files: Every file of the pack by name; None where a report is verified alone.
        trust: The roots that the caller trusts; None where the caller named none.
        at: The time of verification.
        revocations: Revocation lists that the caller gave.
        trust_tsa: The roots of time-stamp authorities that the caller trusts; None where the caller named none.
        rerun: Recomputes the exact figures.
        render: Makes the pages and the exact tables again from the evidence.
        replay: Repeats the whole run.
        evidence: The evidence as it was read; empty before that, and of a page of tests.
        claimed: The same as its noun; there where the evidence is.
    """

    report: bytes
    files: Mapping[str, bytes] | None
    trust: Sequence[x509.Certificate] | None
    at: datetime
    revocations: Sequence[x509.CertificateRevocationList] = ()
    trust_tsa: Sequence[x509.Certificate] | None = None
    rerun: Rerun | None = None
    render: Remake | None = None
    replay: Remake | None = None
    byte_range: ByteRange | None = None
    container: Container | None = None
    signature: PdfSignature | None = None
    certificate: Container | None = None
    path: tuple[x509.Certificate, ...] = ()
    attachments: Mapping[str, bytes] = field(default_factory=dict)
    statement: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    claimed: Evidence = field(init=False)

    @property
    def kind(self) -> Sealed:
        """What is verified; a page of tests is known by its one attachment, once that was read."""
        if self.files is not None:
            return Sealed.AUDIT if layout.AUDIT in self.files else Sealed.PACK
        by_attachment = {NUMBERS: Sealed.TESTS, layout.AUDIT: Sealed.AUDIT_REPORT}
        first, *others = self.attachments or ("",)
        return Sealed.REPORT if others else by_attachment.get(first, Sealed.REPORT)

    @property
    def pack(self) -> Mapping[str, bytes]:
        """The files of the pack, in steps that are taken for packs only."""
        return self.files or {}

    @property
    def sealed(self) -> Container:
        """The signature with its certificates, in steps that are taken after it was read."""
        if self.container is None:
            raise TrustError("the signature of the report was not read")
        return self.container

    @property
    def signed(self) -> PdfSignature:
        """The signature of the report, in steps that are taken after it was read."""
        if self.signature is None:
            raise TrustError("the signature of the report was not read")
        return self.signature


def check_files(case: SealedCase) -> str:
    """Are all files there that a pack has?"""
    unknown = layout.unknown_names(case.pack)
    if unknown:
        raise TrustError(f"no files of a pack, whatever they say: {', '.join(unknown)}")
    required = layout.AUDITED if case.kind is Sealed.AUDIT else layout.REQUIRED
    missing = sorted(required - case.pack.keys())
    if missing:
        raise TrustError(f"missing: {', '.join(missing)}")
    known = required | {layout.INTERMEDIATE_CERTIFICATES, layout.REVOCATIONS}
    others = sorted(case.pack.keys() - known) if case.kind is Sealed.AUDIT else []
    if others:
        raise TrustError(f"the pack of an audit has no such files: {', '.join(others)}")
    return f"{len(case.pack)} plain files, {sum(map(len, case.pack.values()))} bytes"


def check_sums(case: SealedCase) -> str:
    """Does the list of digests name every file, as it is, and no other?"""
    require_sums(case.pack[layout.SUMS], case.pack)
    return f"{len(case.pack) - 1} digests in {layout.SUMS}, none missing and none too many"


def check_attestation(case: SealedCase) -> str:
    """Is the attestation signed by the key of the pack's certificate?"""
    certificate = _pack_certificate(case)
    case.statement = verify_envelope(case.pack[layout.ATTESTATION], certificate)
    return f"DSSE envelope signed by the key of {common_name(certificate)!r}"


def check_signed_bytes(case: SealedCase) -> str:
    """Is the report what the key of the certificate in it signed? No reader of PDF takes part."""
    covered, container = _signed_bytes(case.report)
    case.byte_range, case.container = covered, container
    return (
        f"bytes 0 to {covered.first_length} and {covered.second_start} to {len(case.report)} are signed by the key of "
        f"{common_name(container.signer)!r}"
    )


def _signed_bytes(content: bytes) -> tuple[ByteRange, Container]:
    """Returns what a signed PDF covers and its signature, made by the key of the certificate in it."""
    covered = read_byte_range(content)
    container = read_container(covered.signature_container(content))
    require_made_over(container, covered.signed(content))
    return covered, container


def check_certificate(case: SealedCase) -> str:
    """Is the certificate signed as the report is: as a whole, by the same chain, at the same time, under its number?"""
    content = case.pack[layout.CERTIFICATE]
    _, container = _signed_bytes(content)
    require_bounded(content)
    signature = read_signature(content)
    own = (set(container.certificates), signature.signing_time, container.time_stamped)
    if own != (set(case.sealed.certificates), case.signed.signing_time, case.sealed.time_stamped):
        raise TrustError(
            f"{layout.CERTIFICATE} was expected to have the signer and the signing time of the report"
        )
    expected = layout.SIGNED[layout.CERTIFICATE].format(case.claimed.report.number)
    if signature.reason != expected:
        raise TrustError(
            f"the signature was expected to be made for {expected!r}, not for {signature.reason!r}"
        )
    require_valid(signature, case.path[-1], case.path)
    stamps = [read_token(one.token, one.signature) for one in (container, case.sealed) if one.time_stamped]
    require_one_dating(stamps, case.at)
    held = require_objects(content)
    attached = read_attachments(content)
    if attached:
        raise TrustError(
            f"{layout.CERTIFICATE} was expected to carry nothing, not {', '.join(sorted(attached))}"
        )
    case.certificate = container
    return f"signed for {expected!r} by the signer of the report; {held}"


def check_report_form(case: SealedCase) -> str:
    """Has the report one signature, certifying the whole file, that forbids every change?"""
    require_bounded(case.report)
    case.signature = read_signature(case.report)
    covered = case.signature.byte_range
    return (
        f"one PAdES certification (ETSI.CAdES.detached, DocMDP P=1) over the entire file, bytes 0 to "
        f"{covered.first_length} and {covered.second_start} to {len(case.report)}; "
        f"signing time {case.signature.signing_time:%Y-%m-%dT%H:%M:%SZ} by the signer's clock"
    )


def check_chain(case: SealedCase) -> str:
    """Do the certificates that came along form one chain, and are they those of the pack?"""
    container = case.sealed
    signer = container.signer
    case.path = (signer, *order_chain(signer, [*(case.trust or ()), *container.certificates]))
    if set(container.certificates) != set(case.path) or len(container.certificates) != len(case.path):
        raise TrustError(
            "the certificates in the signature were expected to be the signer's chain and no others"
        )
    require_path(case.path)
    if case.files is not None:
        _require_pack_certificates(case)
    return " < ".join(f"{common_name(certificate)!r}" for certificate in case.path)


def check_objects(case: SealedCase) -> str:
    """Does the file hold nothing but what pages, attachments and the signature need?"""
    return require_objects(case.report)


def check_signature(case: SealedCase) -> str:
    """Does the signature of the report verify?"""
    return require_valid(case.signed, case.path[-1], case.path)


def check_identity(case: SealedCase) -> str:
    """Does the chain lead to a root that the caller trusts?"""
    root = case.path[-1]
    described = f"{common_name(root)!r} (SHA-256 {fingerprint(root)})"
    if case.trust is None:
        raise NotRequestedError(
            f"no trusted root was given, so that trust was NOT established: anyone can make a root. "
            f"The chain ends in {described}"
        )
    if root not in case.trust:
        raise TrustError(f"the chain ends in {described}, which is not the trusted root")
    return f"the chain ends in the trusted root {described}"


def check_validity(case: SealedCase) -> str:
    """Were all certificates valid when the report was signed, and was that not in the future?"""
    moment = case.signed.signing_time
    if moment > case.at + CLOCK_TOLERANCE:
        raise TrustError(
            f"the signing time {moment:%Y-%m-%dT%H:%M:%SZ} is after the time of verification "
            f"{case.at:%Y-%m-%dT%H:%M:%SZ}"
        )
    for certificate in case.path:
        require_validity(certificate, moment)
    end = min(certificate.not_valid_after_utc for certificate in case.path)
    if end < case.at:
        return f"valid at the signing time, which only the signer's clock states; expired since, on {end:%Y-%m-%d}"
    return f"valid at the signing time and until {end:%Y-%m-%d}"


def check_time_stamp(case: SealedCase) -> str:
    """Does a time-stamp authority that the caller trusts say when the signature existed?"""
    if not case.sealed.time_stamped:
        raise NotRequestedError(
            "the signature carries no time stamp: its time is the claim of the signer's clock"
        )
    stamp = read_token(case.sealed.token, case.sealed.signature)
    moment = f"{stamp.moment:%Y-%m-%dT%H:%M:%SZ}"
    if case.signed.signing_time > stamp.moment + CLOCK_TOLERANCE:
        raise TrustError(f"the signature claims to be later than its time stamp of {moment}")
    if stamp.moment > case.at + CLOCK_TOLERANCE:
        raise TrustError(f"the time stamp of {moment} is after the time of verification")
    for certificate in case.path:
        require_validity(certificate, stamp.moment)
    dated = f"dated {moment} by {common_name(stamp.authority)!r}"
    if case.trust_tsa is None:
        raise NotRequestedError(f"{dated}: no root of time-stamp authorities was given (--trust-tsa)")
    lists = [*case.revocations, *_pack_revocations(case)]
    root = require_authority(stamp, case.trust_tsa, case.path, lists)
    return f"{dated}, whose chain ended at that time in the trusted root {root!r}"


def check_purpose(case: SealedCase) -> str:
    """Was the signer's certificate issued for signing documents?"""
    require_purpose(case.path[0])
    return f"the certificate of {common_name(case.path[0])!r} may sign documents"


def check_revocation(case: SealedCase) -> str:
    """Has an issuer withdrawn a certificate of the chain?"""
    lists = [*case.revocations, *_pack_revocations(case)]
    unjudged = require_unrevoked(case.path, lists, case.signed.signing_time)
    if unjudged:
        names = ", ".join(repr(common_name(certificate)) for certificate in unjudged)
        raise NotRequestedError(f"no current revocation list of its issuer is at hand for {names}")
    return f"not revoked according to {len(lists)} revocation list{'s' if len(lists) > 1 else ''}"


def check_attachments(case: SealedCase) -> str:
    """Are the files in the report the files next to it?"""
    case.attachments = read_attachments(case.report)
    expected = layout.AUDIT if case.kind in (Sealed.AUDIT, Sealed.AUDIT_REPORT) else layout.EVIDENCE
    if expected not in case.attachments and case.kind is not Sealed.TESTS:
        raise TrustError(f"expected {expected} among the attachments of the report")
    if case.files is None:
        return f"attached: {', '.join(sorted(case.attachments))}"
    strays = [
        name for name, content in case.attachments.items() if matching_path(name, content, case.files) is None
    ]
    if strays:
        raise TrustError(f"attached to the report, but different or absent next to it: {', '.join(strays)}")
    return f"identical inside the report and next to it: {', '.join(sorted(case.attachments))}"


def check_numbers(case: SealedCase) -> str:
    """Are the numbers of a page of tests those of the sample that its signature names?"""
    return require_numbers(case.attachments[NUMBERS], case.signed.reason)


def check_printed(case: SealedCase) -> str:
    """Do the pages of tests, or of an audit, say what their numbers say?"""
    _require_same(case, case.render, {**_all_files(case), **case.attachments})
    return "the signed file but its signature, made again from the numbers, byte for byte"


def check_tested_again(case: SealedCase) -> str:
    """Does everything come out the same? Nobody can tell without the sample or the logs."""
    said = (
        "the sample is not in the report: `certify rng test` on it makes numbers and page again"
        if case.kind is Sealed.TESTS
        else "the logs are not in the pack: `certify audit` on them makes numbers and pages again"
    )
    if case.rerun is None and case.replay is None:
        raise NotRequestedError(said)
    raise NotPossibleError(said)


def check_evidence(case: SealedCase) -> str:
    """Is the evidence canonical, unambiguous, and of its schema, with the digests of what it embeds?"""
    content = (case.attachments if case.files is None else case.files).get(layout.EVIDENCE)
    if content is None:
        raise TrustError(f"{layout.EVIDENCE} is missing")
    if len(content) > layout.maximum_bytes(layout.EVIDENCE):
        raise TrustError(f"{layout.EVIDENCE} is larger than {layout.maximum_bytes(layout.EVIDENCE)} bytes")
    evidence = parse_canonical(content, layout.EVIDENCE)
    case.claimed, case.evidence = require_schema(evidence), evidence
    item, report = case.claimed.item, case.claimed.report
    return (
        f"{case.claimed.schema}, report {report.number} on {item.game} {item.version}, "
        f"verdict {str(report.statement.verdict)!r}, SHA-256 {sha256_hex(content)}"
    )


def check_attested(case: SealedCase) -> str:
    """Is every file as attested?"""
    require_subjects(case.statement, case.pack)
    return f"{len(case.pack.keys() - layout.NOT_ATTESTED)} subjects, each with its attested digest"


def check_result(case: SealedCase) -> str:
    """Is the attested result that of the evidence?"""
    require_statement(case.statement, case.evidence, case.pack)
    ran = execution_of(case.statement)
    told = (
        ""
        if ran is None
        else f"; computed on {ran['executor']}, {ran['computedTwice']} chunks computed twice"
        + "".join(f", {kind} found by its digest" for kind in ran.get("found", {}))
    )
    return f"result {case.statement['predicate']['result']}{told}"


def check_one_form(case: SealedCase) -> str:
    """Are the signatures themselves written in the one form that they may have?"""
    signatures = {layout.REPORT: case.sealed.signature}
    if case.certificate is not None:
        signatures[layout.CERTIFICATE] = case.certificate.signature
    if case.statement:
        signatures[layout.ATTESTATION] = envelope_signature(case.pack[layout.ATTESTATION])
    key = case.path[0].public_key()
    high = [name for name, signature in signatures.items() if not has_low_s(key, signature)]
    if high:
        raise TrustError(f"the ECDSA signature has the higher of its two values of s: {', '.join(high)}")
    return f"{len(signatures)} in distinguished encoding, of two values of s the lower"


def check_issue(case: SealedCase) -> str:
    """Does the evidence say of the signature what the signature says of itself?"""
    report, moment = case.claimed.report, f"{case.signed.signing_time:%Y-%m-%dT%H:%M:%SZ}"
    if report.issued != moment:
        raise TrustError(
            f"the evidence says that the report was issued on {report.issued!r}, signed on {moment}"
        )
    expected = layout.SIGNED[layout.REPORT].format(report.number)
    if case.signed.reason != expected:
        raise TrustError(
            f"the signature was expected to be made for {expected!r}, not for {case.signed.reason!r}"
        )
    demonstration = is_demonstration(case.path)
    if report.demonstration_key is not demonstration:
        raise TrustError(
            "the report says that it was signed with "
            f"{'a demonstration key' if report.demonstration_key else 'a key of its issuer'}, "
            f"and the certificates name {'a demonstration identity' if demonstration else 'an issuer'}"
        )
    return f"issued on {moment}, under number {report.number}, " + (
        "with a demonstration key, for which nobody vouches" if demonstration else "with no demonstration key"
    )


def check_term(case: SealedCase) -> str:
    """Has the certificate not ended, where its issuer states a last day?"""
    last = (case.claimed.report.engagement or NOTHING_STATED).valid_until
    if not last:
        raise NotRequestedError("the issuer states no last day of the certificate")
    if f"{case.at:%Y-%m-%d}" > last:
        raise TrustError(f"the certificate's validity ended on {last}")
    return f"valid until {last}, as the issuer states"


def check_guide(case: SealedCase) -> str:
    """Is the guide the one that follows from the signature, command by command?"""
    paths = {name: matching_path(name, content, case.pack) for name, content in case.attachments.items()}
    expected = guide_bytes(
        case.path,
        signed={name: case.pack[name] for name in layout.SIGNED if name in case.pack},
        signing_time=case.signed.signing_time,
        attachments={name: path for name, path in paths.items() if path is not None},
        time_stamped=case.signed.container.time_stamped,
    )
    if case.pack[layout.GUIDE] != expected:
        raise TrustError(
            f"{layout.GUIDE} is not the guide that follows from the signature: do not run its commands"
        )
    return "every command in it follows from the signature"


def check_checker(case: SealedCase) -> str:
    """Is the checker in the pack the one of this software?"""
    expected = sha256_hex(checker_bytes())
    found = sha256_hex(case.pack[layout.CHECKER])
    if found != expected:
        raise TrustError(
            f"{layout.CHECKER} has SHA-256 {found}, expected {expected}, the one of this software: do not run it"
        )
    return f"{layout.CHECKER} is that of this software, SHA-256 {found}"


def check_listed(case: SealedCase) -> str:
    """Are the data files that the evidence names those of the pack?"""
    listed = {file.name: file.sha256 for file in case.claimed.files}
    wrong = [
        name
        for name, digest in sorted(listed.items())
        if name not in case.pack or sha256_hex(case.pack[name]) != digest
    ]
    if wrong:
        raise TrustError(f"named by the evidence, but different or absent: {', '.join(wrong)}")
    sizes = {file.name: file.bytes_ for file in case.claimed.files}
    wrong = [name for name, size in sorted(sizes.items()) if size != len(case.pack[name])]
    if wrong or len(sizes) != len(case.claimed.files):
        raise TrustError(f"named twice, or with another size than they have: {', '.join(wrong)}")
    strays = sorted(name for name in case.pack if name.startswith("data/") and name not in listed)
    if strays:
        raise TrustError(f"data that the evidence does not name: {', '.join(strays)}")
    return f"{len(listed)} files named by the evidence"


def check_rerun(case: SealedCase) -> str:
    """Do the exact figures come out the same when computed again?"""
    _require_same(case, case.rerun, case.pack)
    family = case.claimed.family
    return (
        "computed again from the embedded submission, without a difference, by the code of "
        f"{family.package} {family.version} for the family {family.family!r}"
    )


def check_rendered(case: SealedCase) -> str:
    """Are the pages what this software makes of the evidence?"""
    _require_same(case, case.render, _all_files(case))
    store = read_security_store(case.report) if case.signed.container.time_stamped else None
    kept = f"; kept for the long term: {'; '.join(store.listed())}" if store else ""
    return f"the signed file but its signature, the pages and the tables made again, byte for byte{kept}"


def check_replay(case: SealedCase) -> str:
    """Does the whole run come out the same when it is repeated?"""
    _require_same(case, case.replay, _all_files(case), "--replay")
    return "the whole run repeated from its seed, without a difference"


def _all_files(case: SealedCase) -> Mapping[str, bytes]:
    """Returns the files of the pack, or the report where it is verified alone."""
    return {layout.REPORT: case.report} if case.files is None else case.files


def _require_same(
    case: SealedCase, compute: Remake | None, files: Mapping[str, bytes], asked_by: str = "--rerun"
) -> None:
    """Refuses whatever comes out differently, and evidence that nothing can be computed from.

    What another release wrote is not computed again: it computes it again itself.
    """
    if compute is None:
        raise NotRequestedError(f"not requested ({asked_by})")
    if case.evidence and (release := release_of(case.evidence)) != present():
        raise NotPossibleError(
            f"evidence of certify {release.version} is computed again by the software that wrote it (SHA-256 of its "
            f"sources {release.source_sha256}), not by this one"
        )
    # Anyone can sign evidence that lacks a part, or has another thing in its place.
    with (
        Refusing(
            (ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
            TrustError,
            "the evidence lacks what is needed to compute it again, or has another thing in its place",
            words=None,
        ),
        Refusing(CertifyError, TrustError, "the figures cannot be computed again from the evidence"),
    ):
        differences = compute(case.evidence, files)
    if differences:
        raise TrustError(listed(differences, _MOST_LISTED))


def _pack_certificate(case: SealedCase) -> x509.Certificate:
    """Returns the signer's certificate as the pack has it."""
    with Refusing(InputError, TrustError):
        return read_certificates(case.pack[layout.SIGNER_CERTIFICATE], layout.SIGNER_CERTIFICATE)[0]


def _require_pack_certificates(case: SealedCase) -> None:
    """Refuses certificates next to the report that are not, byte for byte, those inside its signature."""
    expected = {
        layout.SIGNER_CERTIFICATE: pem(case.path[:1]),
        layout.ROOT_CERTIFICATE: pem(case.path[-1:]),
        layout.INTERMEDIATE_CERTIFICATES: pem(case.path[1:-1]) or None,
    }
    wrong = sorted(name for name, content in expected.items() if case.pack.get(name) != content)
    if wrong:
        raise TrustError(f"not the certificates of the report's signature: {', '.join(wrong)}")


def _pack_revocations(case: SealedCase) -> Sequence[x509.CertificateRevocationList]:
    """Returns the revocation lists that travel in the pack."""
    content = case.pack.get(layout.REVOCATIONS)
    if content is None:
        return ()
    with Refusing(InputError, TrustError):
        lists = read_revocations(content, layout.REVOCATIONS)
    if pem(lists) != content:
        raise TrustError(
            f"{layout.REVOCATIONS} holds more than revocation lists, or writes them in another form"
        )
    return lists
