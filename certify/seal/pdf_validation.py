"""Checks the signature of a report, more strictly than any viewer does."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from cryptography import x509

from certify.errors import Refusing, TrustError
from certify.seal.certificates import common_name, der, fingerprint, read_certificate
from certify.seal.cms_container import Container, read_container
from certify.seal.pdf_bounds import ByteRange, bounded_reader, read_byte_range
from certify.seal.pdf_signature import FIELD, certifying_signer, opened_and_stamped, prepared
from certify.seal.signer import Signer

_MAXIMUM_STORED: Final = 64
_MAXIMUM_STORED_BYTES: Final = 16 * 1024 * 1024
_MAXIMUM_RESERVED: Final = 256 * 1024
_KEPT: Final = ("/Certs", "/CRLs")


@dataclass(frozen=True, slots=True)
class SecurityStore:
    """What a report keeps for the long term next to its signature (DSS), in the order of the file.

    Args:
        certificates: Certificates in DER.
        revocations: Revocation lists in DER.
    """

    certificates: tuple[bytes, ...]
    revocations: tuple[bytes, ...]

    def listed(self) -> tuple[str, ...]:
        """Returns each object in a few words."""
        named = [read_certificate(encoded) for encoded in self.certificates]
        lists = [x509.load_der_x509_crl(encoded) for encoded in self.revocations]
        return (
            *(f"certificate {common_name(one)!r} (SHA-256 {fingerprint(one)})" for one in named),
            *(f"revocation list of {entry.issuer.rfc4514_string()!r}" for entry in lists),
        )


class _RecordedKey:
    """Takes the place of the key of a signature that was made already."""

    def sign(self, message: bytes) -> bytes:
        """Refuses: nothing is signed again."""
        raise TypeError("a signature that was made already is not made again")


def signed_again(unsigned_pdf: bytes, report: bytes, *, reason: str, signing_time: datetime) -> bytes:
    """Returns the signed file that follows from a rendered report, with the signature of one that is given.

    Nothing of the given file is taken over but the signature itself, the certificates in it, the space reserved
    for it where a time stamp is inside, and the objects of the security store, each of which must be a certificate
    or a revocation list and nothing else. Whatever else stood in the revision of the signature is not in what is
    returned: contents of pages, actions, metadata.

    Args:
        unsigned_pdf: The report as rendered from its evidence.
        report: The signed report that is looked at.
        reason: The reason that the evidence leads to.
        signing_time: When the evidence says that it was signed; aware.

    Raises:
        TrustError: The given file is no report of one signature, or what it keeps for the long term is not
            what such a store may hold.
    """
    gap = read_byte_range(report)
    container = read_container(gap.signature_container(report))
    # The signer is first in a chain whose order nobody uses here: certificates are not written into the pages.
    signer = Signer(
        _RecordedKey(),
        container.signer,
        tuple(certificate for certificate in container.certificates if certificate != container.signer),
    )
    # Hexadecimal digits between the angle brackets: with a time stamp inside, their number is the authority's.
    reserved = gap.second_start - gap.first_length - 2 if container.time_stamped else None
    if reserved is not None and reserved > _MAXIMUM_RESERVED:
        raise TrustError(f"the signature reserves {reserved} digits: expected at most {_MAXIMUM_RESERVED}")
    store = read_security_store(report) if container.time_stamped else None
    # pyHanko meets the objects of a hostile file here; whatever it raises, the file is refused.
    with Refusing(Exception, TrustError, "the signed report cannot be made again", words=repr):
        made = asyncio.run(_made(unsigned_pdf, signer, reason, signing_time.astimezone(UTC), reserved, store))
    again = read_byte_range(made)
    return (
        made[: again.first_length] + report[gap.first_length : gap.second_start] + made[again.second_start :]
    )


async def _made(
    unsigned_pdf: bytes,
    signer: Signer,
    reason: str,
    moment: datetime,
    reserved: int | None,
    store: SecurityStore | None,
) -> bytes:
    """Returns the file as it stood before its signature was filled in; the steps are those of signing."""
    writer, stamp = opened_and_stamped(unsigned_pdf, signer, reason, moment)
    pdf_signer = certifying_signer(signer, stamp, reason, "", None, None, time_stamped=reserved is not None)
    supply = None if store is None else partial(_supply, store=store)
    return bytes((await prepared(pdf_signer, writer, moment, reserved, supply))[2].getvalue())


def _supply(writer: Any, store: SecurityStore) -> None:
    """Writes a security store as signing for the long term does."""
    from asn1crypto.crl import CertificateList
    from asn1crypto.x509 import Certificate
    from pyhanko.sign.validation import DocumentSecurityStore

    DocumentSecurityStore.supply_dss_in_writer(
        writer,
        sig_contents=None,
        certs=[Certificate.load(encoded, strict=True) for encoded in store.certificates],
        crls=[CertificateList.load(encoded, strict=True) for encoded in store.revocations],
    )


def read_security_store(report: bytes) -> SecurityStore | None:
    """Returns what a report keeps for the long term, None where it keeps nothing.

    Raises:
        TrustError: It holds anything but certificates and revocation lists, each in its one form.

    Source: ETSI EN 319 142-1, section 5.4.
    """
    embedded = read_signature(report).embedded
    with Refusing(
        Exception, TrustError, "what the report keeps for the long term cannot be read", words=repr
    ):
        root = embedded.reader.root
        if "/DSS" not in root:
            return None
        store = root["/DSS"]
        # Read by index, which follows references; pyHanko's get does not.
        parts = {key: [_stored(entry) for entry in store[key]] for key in _KEPT if key in store}
        kinds = set(store) - {*_KEPT, "/Type"}
    everything = [encoded for part in parts.values() for encoded in part]
    if kinds or len(everything) > _MAXIMUM_STORED or sum(map(len, everything)) > _MAXIMUM_STORED_BYTES:
        raise TrustError(
            "what the report keeps for the long term was expected to be certificates and revocation lists: "
            f"{len(everything)} objects, further entries: {', '.join(sorted(kinds)) or 'none'}"
        )
    found = SecurityStore(*(tuple(parts.get(key, ())) for key in _KEPT))
    with Refusing(
        (TrustError, ValueError), TrustError, "what the report keeps for the long term cannot be read"
    ):
        found.listed()
    return found


def _stored(entry: Any) -> bytes:
    """Returns the bytes of one object of a security store."""
    return bytes((entry.get_object() if hasattr(entry, "get_object") else entry).data)


@dataclass(frozen=True, slots=True)
class PdfSignature:
    """The one signature of a report, found to have the form that a report's signature has.

    Args:
        byte_range: What it covers.
        container: The signature itself, with its certificates.
        signing_time: When, by the signer's own clock.
        reason: Why, as the signer wrote.
        embedded: The signature as pyHanko holds it.
    """

    byte_range: ByteRange
    container: Container
    signing_time: datetime
    reason: str
    embedded: Any


def read_signature(pdf: bytes) -> PdfSignature:
    """Returns the one signature of a report after checking its form, not yet its mathematics.

    Raises:
        TrustError: There is not exactly one signature, or it is no PAdES certification of the entire
            file that forbids every change.

    Source: ISO 32000-2, sections 12.8.1, 12.8.2.2 and 12.8.6; ETSI EN 319 142-1, section 6.3.
    """
    byte_range = read_byte_range(pdf)
    container = read_container(byte_range.signature_container(pdf))
    # A parser that meets hostile bytes may raise anything; whatever it raises, the file is refused.
    with Refusing(Exception, TrustError, "the report cannot be read as a signed PDF", words=repr):
        embedded, root = _open(pdf)
        _require_certification(embedded, root)
        signing_time, reason = embedded.self_reported_timestamp, str(embedded.sig_object.get("/Reason", ""))
    if signing_time is None or signing_time.tzinfo is None:
        raise TrustError("the signature was expected to state its signing time")
    return PdfSignature(byte_range, container, signing_time.astimezone(UTC), reason, embedded)


def _open(pdf: bytes) -> tuple[Any, Any]:
    """Returns the only signature of a PDF and the document catalogue."""
    from pyhanko.sign.fields import enumerate_sig_fields

    reader = bounded_reader(pdf)
    fields = [name for name, _, _ in enumerate_sig_fields(reader)]
    signatures = list(reader.embedded_signatures)
    if fields != [FIELD] or len(signatures) != 1:
        raise TrustError(
            f"expected one signed field {FIELD!r} in the report, found: {', '.join(fields) or 'none'}"
        )
    # The report as rendered, and its signature: no third revision.
    if reader.encrypted or reader.xrefs.hybrid_xrefs_present or reader.xrefs.total_revisions != 2:
        raise TrustError("expected the report as rendered and one revision with its signature")
    return signatures[0], reader.root


def _require_certification(embedded: Any, root: Any) -> None:
    """Refuses a signature that is no certification forbidding all changes."""
    signature = embedded.sig_object
    form = {key: str(signature.get(key)) for key in ("/Type", "/Filter", "/SubFilter")}
    if form != {"/Type": "/Sig", "/Filter": "/Adobe.PPKLite", "/SubFilter": "/ETSI.CAdES.detached"}:
        raise TrustError(f"expected a PAdES signature (ETSI.CAdES.detached), found {form}")
    references = signature.get("/Reference", [])
    methods = [str(reference.get("/TransformMethod")) for reference in references]
    if methods != ["/DocMDP"] or references[0].get("/TransformParams", {}).get("/P") != 1:
        raise TrustError("the signature was expected to certify that no change is allowed (DocMDP P=1)")
    permissions = root.get("/Perms", {})
    if set(permissions) != {"/DocMDP"} or permissions.raw_get("/DocMDP") != embedded.sig_field.raw_get("/V"):
        raise TrustError("the document was expected to name its certification, and nothing else, in /Perms")


def require_valid(
    signature: PdfSignature,
    root: x509.Certificate,
    issuers: Sequence[x509.Certificate],
) -> str:
    """Refuses a signature that does not verify, or whose chain does not validate to a root.

    Only the mathematics, the chain and the coverage are judged here. What was changed after signing is
    never analysed: a file that is not covered entirely is refused instead.

    Args:
        signature: The signature, whose form was checked.
        root: The root that the signer's chain must end in.
        issuers: The certificates between.

    Returns:
        What was found.

    Raises:
        TrustError: The digest, the signature, the chain, the coverage or a time stamp is not as it should be.

    Source: RFC 5652, section 5.6; RFC 5280, section 6; RFC 3161, appendix A.
    """
    # As above: whatever the validator raises, the signature is refused.
    with Refusing(Exception, TrustError, "the signature of the report cannot be checked", words=repr):
        status = asyncio.run(_status(signature, root, issuers))
    problems = list(_problems(signature, status))
    if problems:
        raise TrustError("; ".join(problems))
    covered = signature.byte_range.first_length + signature.byte_range.second_length
    mechanism = str(status.pkcs7_signature_mechanism).replace("_", " ")
    return f"{mechanism} over the SHA-256 digest of all {covered} bytes outside it"


async def _status(
    signature: PdfSignature,
    root: x509.Certificate,
    issuers: Sequence[x509.Certificate],
) -> Any:
    """Returns what pyHanko makes of a signature at its signing time."""
    from asn1crypto.x509 import Certificate
    from pyhanko.sign.validation import async_validate_pdf_signature
    from pyhanko.sign.validation.settings import KeyUsageConstraints
    from pyhanko_certvalidator import ValidationContext

    def context(*roots: x509.Certificate) -> Any:
        return ValidationContext(
            trust_roots=[Certificate.load(der(trusted)) for trusted in roots],
            other_certs=[Certificate.load(der(issuer)) for issuer in issuers],
            moment=signature.signing_time,
            best_signature_time=signature.signing_time,
            allow_fetching=False,
            # Revocation is judged by a step of its own, which can say what it had to judge by.
            revocation_mode="soft-fail",
        )

    usage = KeyUsageConstraints(
        key_usage={"digital_signature", "non_repudiation"}, match_all_key_usages=False
    )
    logger = logging.getLogger("pyhanko")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        return await async_validate_pdf_signature(
            signature.embedded,
            context(root),
            # Who dated the signature is judged by a step of its own; an empty list of roots would mean those of the
            # machine.
            ts_validation_context=context(root),
            key_usage_settings=usage,
            skip_diff=True,
        )
    finally:
        logger.setLevel(level)


def _problems(signature: PdfSignature, status: Any) -> Iterator[str]:
    """Yields what pyHanko found wrong."""
    from pyhanko.sign.validation.status import SignatureCoverageLevel

    if status.signing_cert.dump() != der(signature.container.signer):
        yield "the signature names another certificate as its signer's"
    if not status.intact:
        yield "the signed bytes were altered: their digest is not the signed digest"
    if not status.valid:
        yield "the signature was not made with the key of its certificate"
    if not status.trusted:
        yield f"the signer's certificate does not validate: {status.trust_problem_indic}"
    if status.coverage is not SignatureCoverageLevel.ENTIRE_FILE or not status.docmdp_ok:
        yield "the signature does not cover the entire file"
    stamp = status.timestamp_validity
    if (
        signature.container.time_stamped != (stamp is not None)
        or status.content_timestamp_validity is not None
    ):
        yield "the time stamp was not found where it belongs"
    if stamp is not None and not (stamp.intact and stamp.valid):
        yield "the time stamp is not over this signature, or was altered"
