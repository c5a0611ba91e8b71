"""Revocation: whether an issuer has withdrawn a certificate, judged by the lists at hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization

from certify.errors import InputError, TrustError
from certify.seal.certificates import common_name
from certify.untrusted_input import REVOCATIONS, read_bounded

_BEGIN = b"-----BEGIN X509 CRL-----"


def read_revocations(content: bytes, name: str) -> tuple[x509.CertificateRevocationList, ...]:
    """Returns the revocation lists of a PEM file.

    Raises:
        InputError: The file holds something else.
    """
    blocks = content.split(_BEGIN)[1:]
    if not blocks:
        raise InputError(f"{name} holds no revocation list in PEM form")
    try:
        return tuple(x509.load_pem_x509_crl(_BEGIN + block) for block in blocks)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} holds no readable revocation list: {error}") from error


def revocations_of(paths: Sequence[Path]) -> list[x509.CertificateRevocationList]:
    """Returns the revocation lists of PEM files that the caller names.

    Raises:
        InputError: A file cannot be read, or holds something else.
    """
    files = {str(path): read_bounded(path, REVOCATIONS, pipes=True) for path in paths}
    return [entry for name, content in files.items() for entry in read_revocations(content, name)]


def revocations_pem(lists: Sequence[x509.CertificateRevocationList]) -> bytes:
    """Returns revocation lists in PEM form."""
    return b"".join(entry.public_bytes(serialization.Encoding.PEM) for entry in lists)


def require_unrevoked(
    path: Sequence[x509.Certificate], lists: Sequence[x509.CertificateRevocationList], signing_time: datetime
) -> tuple[x509.Certificate, ...]:
    """Refuses a chain in which an issuer has withdrawn a certificate.

    A certificate that was withdrawn after the signing time is refused as well: the signing time is the
    claim of whoever holds the key, and the holder of a stolen key can claim any.

    Args:
        path: The signer's certificate and its issuers up to the root.
        lists: Revocation lists, those that nobody in the chain signed being passed over.
        signing_time: When the signature says it was made.

    Returns:
        The certificates that no list speaks about, current at the signing time or later.

    Raises:
        TrustError: A certificate was revoked.

    Source: RFC 5280, sections 5.1 and 6.3.
    """
    unjudged = []
    for certificate, issuer in pairwise(path):
        judged = False
        for entry in lists:
            if not is_issued_by(entry, issuer):
                continue
            revoked = entry.get_revoked_certificate_by_serial_number(certificate.serial_number)
            if revoked is not None:
                raise TrustError(
                    f"the certificate of {common_name(certificate)!r} was revoked by its issuer on "
                    f"{revoked.revocation_date_utc:%Y-%m-%dT%H:%M:%SZ}"
                )
            end = entry.next_update_utc
            judged = judged or end is None or end >= signing_time
        if not judged:
            unjudged.append(certificate)
    return tuple(unjudged)


def is_issued_by(entry: x509.CertificateRevocationList, issuer: x509.Certificate) -> bool:
    """Tells whether a revocation list is signed by an issuer."""
    try:
        key = issuer.public_key()
        return entry.issuer == issuer.subject and entry.is_signature_valid(key)  # type: ignore[arg-type]
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
