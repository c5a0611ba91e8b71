"""Making the signed file again: all of it follows from the rendered report and the certificates, but the signature."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from cryptography import x509

from certify.errors import CertifyError, TrustError
from certify.seal.certificates import common_name, fingerprint, read_certificate
from certify.seal.cms_container import read_container
from certify.seal.pdf_bounds import read_byte_range
from certify.seal.pdf_signature import certifying_signer, open_unsigned
from certify.seal.pdf_validation import read_signature
from certify.seal.signer import Signer
from certify.seal.stamp import StampText, language_of, render_stamp

_MAXIMUM_STORED: Final = 64
_MAXIMUM_STORED_BYTES: Final = 16 * 1024 * 1024
_MAXIMUM_RESERVED: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class SecurityStore:
    """What a report keeps for the long term beside its signature (DSS), in the order of the file.

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
    """Stands in the place of the key of a signature that was made already."""

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
    # The signer stands first in a chain whose order nobody uses here: certificates are not written into the pages.
    signer = Signer(_RecordedKey(), container.signer, _others(container.certificates, container.signer))
    # Hexadecimal digits between the angle brackets: with a time stamp inside, their number is the authority's.
    reserved = gap.second_start - gap.first_length - 2 if container.time_stamped else None
    if reserved is not None and reserved > _MAXIMUM_RESERVED:
        raise TrustError(f"the signature reserves {reserved} digits: expected at most {_MAXIMUM_RESERVED}")
    store = read_security_store(report) if container.time_stamped else None
    try:
        made = asyncio.run(_made(unsigned_pdf, signer, reason, signing_time.astimezone(UTC), reserved, store))
    except CertifyError:
        raise
    except Exception as error:
        # pyHanko meets the objects of a hostile file here; whatever it raises, the file is refused.
        raise TrustError(f"the signed report cannot be made again: {error!r}") from error
    again = read_byte_range(made)
    return (
        made[: again.first_length] + report[gap.first_length : gap.second_start] + made[again.second_start :]
    )


def _others(
    certificates: Sequence[x509.Certificate], signer: x509.Certificate
) -> tuple[x509.Certificate, ...]:
    return tuple(certificate for certificate in certificates if certificate != signer)


async def _made(
    unsigned_pdf: bytes,
    signer: Signer,
    reason: str,
    moment: datetime,
    reserved: int | None,
    store: SecurityStore | None,
) -> bytes:
    """Returns the file as it stood before its signature was filled in; the steps are those of signing."""
    writer, (width, height) = open_unsigned(unsigned_pdf)
    language = language_of(unsigned_pdf)
    text = StampText(
        common_name(signer.certificate), moment, reason, fingerprint(signer.certificate), language
    )
    stamp = render_stamp(text, width, height)
    pdf_signer = certifying_signer(signer, stamp, reason, "", None, None, time_stamped=reserved is not None)
    session = pdf_signer.init_signing_session(writer, existing_fields_only=True)
    session.system_time = moment
    if reserved is None:
        reserved = await session.estimate_signature_container_size(
            None, tight=pdf_signer.signature_meta.tight_size_estimates
        )
    if store is not None:
        _supply(writer, store)
    document = session.prepare_tbs_document(validation_info=None, bytes_reserved=reserved)
    _, output = document.digest_tbs_document()
    output.seek(0)
    return bytes(output.read())


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
    try:
        root = embedded.reader.root
        if "/DSS" not in root:
            return None
        store = root["/DSS"]
        # Read by index, which follows references; pyHanko's get does not.
        parts: dict[str, list[bytes]] = {"/Certs": [], "/CRLs": []}
        for key in parts.keys() & set(store):
            parts[key] = [_stored(entry) for entry in store[key]]
        kinds = set(store) - {"/Certs", "/CRLs", "/Type"}
    except TrustError:
        raise
    except Exception as error:
        # As above.
        raise TrustError(f"what the report keeps for the long term cannot be read: {error!r}") from error
    everything = [encoded for part in parts.values() for encoded in part]
    if kinds or len(everything) > _MAXIMUM_STORED or sum(map(len, everything)) > _MAXIMUM_STORED_BYTES:
        raise TrustError(
            "what the report keeps for the long term was expected to be certificates and revocation lists: "
            f"{len(everything)} objects, further entries: {', '.join(sorted(kinds)) or 'none'}"
        )
    found = SecurityStore(tuple(parts["/Certs"]), tuple(parts["/CRLs"]))
    try:
        found.listed()
    except (TrustError, ValueError) as error:
        raise TrustError(f"what the report keeps for the long term cannot be read: {error}") from error
    return found


def _stored(entry: Any) -> bytes:
    """Returns the bytes of one object of a security store."""
    return bytes((entry.get_object() if hasattr(entry, "get_object") else entry).data)
