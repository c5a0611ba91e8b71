"""Signs a report: PAdES baseline B-B, B-T or B-LT in one revision, certifying that nothing may change afterwards."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from certify.errors import InputError, Refusing, RenderError
from certify.seal.certificates import common_name, der, fingerprint
from certify.seal.signer import Signer
from certify.seal.stamp import StampText, language_of, render_stamp

if TYPE_CHECKING:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.signers import PdfSigner
    from pyhanko.sign.timestamps import TimeStamper
    from pyhanko_certvalidator import ValidationContext


def validation_context(
    signer: Signer, stamp_roots: Sequence[x509.Certificate], moment: datetime
) -> "ValidationContext | None":
    """Returns by what the signer's chain and that of the time-stamp authority are judged before signing.

    Nothing is fetched: the lists are those of the signer. Where one is missing, signing fails, so that a
    report never claims to carry what it lacks.

    Args:
        signer: Who signs, with the revocation lists of all issuers, those of the authority included.
        stamp_roots: Roots of the time-stamp authority.
        moment: The signing time.

    Returns:
        The context; None where there are no lists or no roots, and the signature stays without them.

    Source: ETSI EN 319 142-1, section 5.5 and 6.3 (level B-LT).
    """
    if not signer.revocations or not stamp_roots:
        return None
    from asn1crypto.crl import CertificateList
    from asn1crypto.x509 import Certificate
    from pyhanko_certvalidator import ValidationContext

    return ValidationContext(
        trust_roots=[Certificate.load(der(root)) for root in (signer.root, *stamp_roots)],
        other_certs=[Certificate.load(der(issuer)) for issuer in signer.intermediates],
        crls=[
            CertificateList.load(entry.public_bytes(serialization.Encoding.DER))
            for entry in signer.revocations
        ],
        moment=moment,
        best_signature_time=moment,
        allow_fetching=False,
        revocation_mode="require",
        # A list issued shortly after the moment says as much about it as one issued before.
        retroactive_revinfo=True,
    )


#: The one signature field of a report.
FIELD = "Issuer"


def sign_pdf(
    unsigned_pdf: bytes,
    signer: Signer,
    *,
    signing_time: datetime,
    reason: str,
    location: str,
    timestamper: "TimeStamper | None" = None,
    stamp_roots: Sequence[x509.Certificate] = (),
) -> bytes:
    """Returns the report signed and certified, the unsigned report being its first bytes.

    The signature is a certification (DocMDP P=1: no changes allowed) in the report's own empty field,
    which is never created here: a report without it was not rendered as intended.

    Args:
        unsigned_pdf: The rendered report with one empty signature field called ``Issuer``.
        signer: Who signs.
        signing_time: When, by the signer's clock; aware.
        reason: Why, as viewers show it.
        location: Where, as viewers show it.
        timestamper: A time-stamp authority (RFC 3161), which makes the signature PAdES B-T.
        stamp_roots: Roots of the authority. With them, and with revocation lists of all issuers at the signer,
            the signature is PAdES B-LT: chains and lists are in the same revision as the signature.

    Raises:
        RenderError: The report has not exactly one empty signature field of that name.
        InputError: A key behind a command, or the time-stamp authority, did not do its part, or the revocation
            lists do not suffice for B-LT.

    Source: ETSI EN 319 142-1, section 6; ISO 32000-2, sections 12.8.1 and 12.8.2.2.
    """
    from pyhanko.sign.general import SigningError
    from pyhanko.sign.timestamps.common_utils import TimestampRequestError
    from pyhanko_certvalidator.errors import PathError, ValidationError

    if signing_time.tzinfo is None:
        raise ValueError("the signing time needs a time zone: expected an aware datetime")
    moment = signing_time.astimezone(UTC).replace(microsecond=0)
    writer, stamp = opened_and_stamped(unsigned_pdf, signer, reason, moment)
    context = validation_context(signer, stamp_roots, moment) if timestamper else None
    pdf_signer = certifying_signer(signer, stamp, reason, location, timestamper, context)
    logger = logging.getLogger("pyhanko.sign.signers.pdf_signer")
    level = logger.level
    # It warns that nothing is fetched, which is what is wanted.
    logger.setLevel(logging.ERROR)
    try:
        with (
            Refusing(
                (SigningError, PathError, ValidationError),
                InputError,
                "the report cannot be signed for the long term",
            ),
            Refusing(
                TimestampRequestError,
                InputError,
                "the time-stamp authority did not date the signature",
            ),
        ):
            return asyncio.run(_sign(pdf_signer, writer, moment))
    finally:
        logger.setLevel(level)


def opened_and_stamped(
    unsigned_pdf: bytes, signer: Signer, reason: str, moment: datetime
) -> "tuple[IncrementalPdfFileWriter, bytes]":
    """Returns a writer that appends to the report, and the visible stamp that fits its empty signature field."""
    writer, (width, height) = open_unsigned(unsigned_pdf)
    text = StampText(
        common_name(signer.certificate),
        moment,
        reason,
        fingerprint(signer.certificate),
        language_of(unsigned_pdf),
    )
    return writer, render_stamp(text, width, height)


def open_unsigned(unsigned_pdf: bytes) -> "tuple[IncrementalPdfFileWriter, tuple[float, float]]":
    """Returns a writer that appends to the report, and width and height of its empty signature field."""
    from pyhanko.pdf_utils.misc import PdfError
    from pyhanko.sign.fields import enumerate_sig_fields

    with Refusing(
        (PdfError, ValueError, KeyError), RenderError, "the unsigned report is not a PDF that can be signed"
    ):
        writer = _writer(unsigned_pdf)
        fields = list(enumerate_sig_fields(writer.prev))
    empty = [field.get_object() for name, value, field in fields if value is None and name == FIELD]
    if len(fields) != 1 or len(empty) != 1:
        names = ", ".join(name for name, _, _ in fields) or "none"
        raise RenderError(
            f"expected one empty signature field {FIELD!r} in the unsigned report, found: {names}"
        )
    left, bottom, right, top = (float(edge) for edge in empty[0]["/Rect"])
    return writer, (abs(right - left), abs(top - bottom))


def _writer(unsigned_pdf: bytes) -> "IncrementalPdfFileWriter":
    """Returns a writer that takes nothing from its surroundings.

    pyHanko's own would stamp the machine's time and its name over the metadata of the report, and draw
    the identifier of the revision at random; here the metadata is as rendered and the identifier
    follows from the content, so that the same key and time give the same file.
    """
    from pyhanko.pdf_utils.generic import ArrayObject, ByteStringObject
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    class ReproducibleWriter(IncrementalPdfFileWriter):
        """Appends a revision without looking at the clock or drawing anything."""

        @classmethod
        def _handle_id(cls, prev: Any) -> Any:
            """Returns the file identifiers: the first as rendered, the second by content."""
            first = prev.trailer["/ID"][0]
            original = getattr(first, "original_bytes", None) or bytes(first)
            return ArrayObject([ByteStringObject(original), ByteStringObject(digest[:16])])

        def _update_meta(self) -> None:
            """Leaves the metadata as rendered."""

    digest = hashlib.sha256(unsigned_pdf).digest()
    return ReproducibleWriter(BytesIO(unsigned_pdf))


def certifying_signer(
    signer: Signer,
    stamp: bytes,
    reason: str,
    location: str,
    timestamper: "TimeStamper | None",
    context: "ValidationContext | None",
    *,
    time_stamped: bool | None = None,
) -> "PdfSigner":
    """Returns what pyHanko needs to know of a certification.

    Args:
        signer: Who signs.
        stamp: The visible signature, a PDF of one page.
        reason: Why, as viewers show it.
        location: Where, as viewers show it.
        timestamper: A time-stamp authority, where there is one.
        context: What the signature needs for the long term, where it is made for that.
        time_stamped: Whether a time stamp will be inside; follows from the authority where it is left out.
    """
    dated = timestamper is not None if time_stamped is None else time_stamped

    from pyhanko.pdf_utils.layout import AxisAlignment as Align, InnerScaling, Margins, SimpleBoxLayoutRule
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter
    from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner
    from pyhanko.sign.signers.pdf_signer import DSSContentSettings, SigDSSPlacementPreference
    from pyhanko.stamp.static import StaticStampStyle

    metadata = PdfSignatureMetadata(
        field_name=FIELD,
        md_algorithm="sha256",
        reason=reason,
        location=location,
        name=common_name(signer.certificate),
        certify=True,
        subfilter=SigSeedSubFilter.PADES,
        docmdp_permissions=MDPPerm.NO_CHANGES,
        # Without a time stamp every length is known beforehand, and no byte is left over as padding.
        tight_size_estimates=not dated and _fixed_size(signer),
        embed_validation_info=context is not None,
        validation_context=context,
        # A revision after the signature would make viewers call a certified report changed.
        dss_settings=DSSContentSettings(
            include_vri=False, placement=SigDSSPlacementPreference.TOGETHER_WITH_SIGNATURE
        ),
    )
    # The stamp is as large as the field: no margins, no scaling beyond rounding, no border of pyHanko's own.
    rule = SimpleBoxLayoutRule(Align.ALIGN_MID, Align.ALIGN_MID, Margins(), InnerScaling.STRETCH_TO_FIT)
    style = StaticStampStyle(
        border_width=0, background=_page_content(stamp), background_layout=rule, background_opacity=1.0
    )
    return PdfSigner(metadata, _cms_signer(signer), timestamper=timestamper, stamp_style=style)


async def _sign(pdf_signer: "PdfSigner", writer: "IncrementalPdfFileWriter", moment: datetime) -> bytes:
    """Returns the signed file; these are the steps of ``async_sign_pdf`` with the time given, not taken."""
    from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes

    document, digest, output = await prepared(pdf_signer, writer, moment)
    # PAdES forbids the signing-time attribute in the CMS; the time is in /M of the signature dictionary.
    attributes = PdfCMSSignedAttributes(signing_time=moment)
    await document.perform_signature(document_digest=digest.document_digest, pdf_cms_signed_attrs=attributes)
    return bytes(output.getvalue())


async def prepared(
    pdf_signer: "PdfSigner",
    writer: "IncrementalPdfFileWriter",
    moment: datetime,
    reserved: int | None = None,
    supply: Callable[[Any], None] | None = None,
) -> tuple[Any, Any, Any]:
    """Returns the file that is to be signed, its digest, and where it is written.

    Args:
        pdf_signer: How it is signed.
        writer: Appends to the report.
        moment: The signing time.
        reserved: Digits that are reserved for the signature; as many as it needs where left out.
        supply: Writes what is kept for the long term, where that is there already.
    """
    session = pdf_signer.init_signing_session(writer, existing_fields_only=True)
    session.system_time = moment
    collected = await session.perform_presign_validation(writer)
    if reserved is None:
        reserved = await session.estimate_signature_container_size(
            collected, tight=pdf_signer.signature_meta.tight_size_estimates
        )
    if supply is not None:
        supply(writer)
    document = session.prepare_tbs_document(validation_info=collected, bytes_reserved=reserved)
    return (document, *document.digest_tbs_document())


def _fixed_size(signer: Signer) -> bool:
    """Returns whether all signatures of the key have one length; DER makes ECDSA signatures vary."""
    return isinstance(signer.certificate.public_key(), RSAPublicKey)


def _cms_signer(signer: Signer) -> Any:
    """Returns a signer of CMS messages that asks our key for the raw signature.

    The root travels with the signature, so that a report alone shows its whole chain.
    """
    from asn1crypto.algos import SignedDigestAlgorithm
    from asn1crypto.x509 import Certificate
    from pyhanko.sign.signers import Signer as CmsSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    class KeySigner(CmsSigner):
        """Signs with the key of a :class:`~certify.seal.signer.Signer`."""

        async def async_sign_raw(self, data: bytes, digest_algorithm: str, dry_run: bool = False) -> bytes:
            """Returns the raw signature; a dry run needs its length only."""
            if digest_algorithm != "sha256":
                raise ValueError(f"expected SHA-256 as the digest of the signature, not {digest_algorithm}")
            return bytes(_longest_signature(signer)) if dry_run else signer.key.sign(data)

    issuers = SimpleCertificateStore()  # type: ignore[no-untyped-call]
    for certificate in signer.chain:
        issuers.register(Certificate.load(der(certificate)))
    algorithm = "sha256_rsa" if _fixed_size(signer) else "sha256_ecdsa"
    return KeySigner(
        signing_cert=Certificate.load(der(signer.certificate)),
        cert_registry=issuers,
        signature_mechanism=SignedDigestAlgorithm({"algorithm": algorithm}),
        embed_roots=True,
    )


def _longest_signature(signer: Signer) -> int:
    """Returns the greatest length in bytes of a signature of the signer's key."""
    key = signer.certificate.public_key()
    # ECDSA on P-256 in DER: a sequence of two integers of at most 33 bytes each.
    return (key.key_size + 7) // 8 if isinstance(key, RSAPublicKey) else 72


def _page_content(page: bytes) -> Any:
    """Returns the first page of a small PDF as content for an appearance, under a name that never varies."""
    from pyhanko.pdf_utils.content import PdfContent
    from pyhanko.pdf_utils.layout import BoxConstraints
    from pyhanko.pdf_utils.reader import PdfFileReader

    class PageContent(PdfContent):
        """Draws a page of another PDF."""

        def render(self) -> bytes:
            """Imports the page into the report and returns the operators that draw it."""
            form = self._ensure_writer.import_page_as_xobject(PdfFileReader(BytesIO(page)), page_ix=0)
            self.resources.xobject["/Stamp"] = form
            left, bottom, right, top = form.get_object()["/BBox"]
            self.box = BoxConstraints(width=abs(right - left), height=abs(top - bottom))
            return b"/Stamp Do"

    return PageContent()
