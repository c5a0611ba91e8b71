"""Certificates of signers: names, chains and roots."""

import warnings
from collections.abc import Coroutine, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from certify.errors import InputError, Refusing, TrustError
from certify.untrusted_input import KEY, read_bounded

#: RFC 9336, section 3.1: id-kp-documentSigning.
DOCUMENT_SIGNING = ObjectIdentifier("1.3.6.1.5.5.7.3.36")

_ACCEPTED_PURPOSES = frozenset(
    {DOCUMENT_SIGNING, ExtendedKeyUsageOID.EMAIL_PROTECTION, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}
)
CLOCK_TOLERANCE: Final = timedelta(minutes=5)
"""Clocks of two machines differ; a signature from further in the future than this is refused."""

_MINIMUM_RSA_BITS = 2048
_MAXIMUM_CHAIN = 8

#: What the parser raises on bytes that are no certificate it knows.
_UNREADABLE = (
    ValueError,
    TypeError,
    UnsupportedAlgorithm,
    x509.InvalidVersion,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)
_Extension = TypeVar("_Extension", bound=x509.ExtensionType)


def read_certificates(content: bytes, name: str) -> tuple[x509.Certificate, ...]:
    """Returns the certificates of a PEM file, in its order.

    Raises:
        InputError: The file holds no readable certificate.
    """
    with Refusing(_UNREADABLE, InputError, f"{name} holds no readable PEM certificate"):
        certificates = tuple(x509.load_pem_x509_certificates(content))
        for certificate in certificates:
            _read_through(certificate)
    return certificates


def certificates_of(path: Path) -> tuple[x509.Certificate, ...]:
    """Returns the certificates of a PEM file that the caller names.

    Raises:
        InputError: The file cannot be read, or holds no readable certificate.
    """
    return read_certificates(read_bounded(path, KEY, pipes=True), str(path))


def read_certificate(encoded: bytes) -> x509.Certificate:
    """Returns the certificate in DER form that came with a signature.

    Raises:
        TrustError: It cannot be read.
    """
    with (
        Refusing(_UNREADABLE, TrustError, "a certificate that came with the signature cannot be read"),
        warnings.catch_warnings(),
    ):
        # The parser remarks on what it will refuse one day; a reader of the result has no use for that.
        warnings.simplefilter("ignore")
        certificate = x509.load_der_x509_certificate(encoded)
        _read_through(certificate)
    return certificate


def _read_through(certificate: x509.Certificate) -> None:
    """Reads every part of a certificate: the parser is lazy, and a broken part must be met here."""
    if certificate.serial_number <= 0:
        # RFC 5280, section 4.1.2.2.
        raise ValueError("expected a positive serial number")
    certificate.public_key()
    read = [
        certificate.subject,
        certificate.issuer,
        certificate.extensions,
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
        certificate.signature_algorithm_parameters,
        certificate.signature_hash_algorithm,
    ]
    if certificate.version is not x509.Version.v3 or None in read:
        raise ValueError("expected an X.509 certificate of version 3")


def pem(entries: Iterable[x509.Certificate | x509.CertificateRevocationList]) -> bytes:
    """Returns certificates or revocation lists in PEM form."""
    return b"".join(entry.public_bytes(serialization.Encoding.PEM) for entry in entries)


def der(certificate: x509.Certificate) -> bytes:
    """Returns a certificate in DER form."""
    return certificate.public_bytes(serialization.Encoding.DER)


def fingerprint(certificate: x509.Certificate) -> str:
    """Returns the SHA-256 fingerprint of a certificate in hexadecimal."""
    return certificate.fingerprint(hashes.SHA256()).hex()


def common_name(certificate: x509.Certificate) -> str:
    """Returns whom a certificate names: its common name, or its whole subject where it has none."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else certificate.subject.rfc4514_string()


def order_chain(signer: x509.Certificate, others: Sequence[x509.Certificate]) -> tuple[x509.Certificate, ...]:
    """Returns the issuers of a signer's certificate, nearest first, its root last.

    Every link is proved by its signature, not by its name. Certificates that are no part of the chain
    are left out. A certificate that issued itself is its own root and has an empty chain.

    Raises:
        TrustError: The chain does not reach a root among the certificates given.
    """
    chain: list[x509.Certificate] = []
    current = signer
    while not (current.subject == current.issuer and is_issued_by(current, current)):
        issuer = next((other for other in others if is_issued_by(current, other)), None)
        if issuer is None or len(chain) >= _MAXIMUM_CHAIN:
            raise TrustError(
                f"the certificate of {common_name(current)!r} does not chain to a root: "
                f"expected the certificate of {current.issuer.rfc4514_string()!r} among those given"
            )
        chain.append(issuer)
        current = issuer
    return tuple(chain)


def is_issued_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Returns whether one certificate carries a valid signature of another's key and its name."""
    try:
        certificate.verify_directly_issued_by(issuer)
    except (*_UNREADABLE, InvalidSignature):
        return False
    return True


def require_strength(certificate: x509.Certificate) -> None:
    """Refuses keys and digests that an ordinary verifier does not accept.

    Ed25519 is refused because pdfsig 22.12 and the CMS of OpenSSL 3.0 cannot check it.

    Raises:
        TrustError: The key is neither RSA of at least 2048 bits nor ECDSA on P-256.
    """
    key = certificate.public_key()
    if not (
        (isinstance(key, rsa.RSAPublicKey) and key.key_size >= _MINIMUM_RSA_BITS)
        or (isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1))
    ):
        raise TrustError(
            f"the key of {common_name(certificate)!r} cannot sign a report: "
            "expected RSA of at least 2048 bits (3072 recommended) or ECDSA on P-256"
        )


def require_purpose(certificate: x509.Certificate) -> None:
    """Refuses a certificate that was not issued for signing documents.

    Raises:
        TrustError: Its key usage or extended key usage does not allow it.

    Source: RFC 5280, sections 4.2.1.3 and 4.2.1.12; RFC 9336, section 3.1.
    """
    usage = extension_of(certificate, x509.KeyUsage)
    if usage is not None and not (usage.digital_signature or usage.content_commitment):
        raise TrustError(
            f"the certificate of {common_name(certificate)!r} may not sign: "
            "its key usage was expected to include digitalSignature or contentCommitment"
        )
    purposes = extension_of(certificate, x509.ExtendedKeyUsage)
    if purposes is not None and not _ACCEPTED_PURPOSES.intersection(purposes):
        found = ", ".join(purpose.dotted_string for purpose in purposes)
        raise TrustError(
            f"the certificate of {common_name(certificate)!r} was issued for another purpose ({found}): "
            "its extended key usage was expected to include documentSigning or emailProtection"
        )


def require_issuer(certificate: x509.Certificate) -> None:
    """Refuses an issuer that is no certification authority.

    Raises:
        TrustError: The basic constraints or key usage do not allow it to issue certificates.

    Source: RFC 5280, sections 4.2.1.3 and 4.2.1.9.
    """
    constraints = extension_of(certificate, x509.BasicConstraints)
    usage = extension_of(certificate, x509.KeyUsage)
    if constraints is None or not constraints.ca or (usage is not None and not usage.key_cert_sign):
        raise TrustError(
            f"{common_name(certificate)!r} is not a certification authority, yet it issued a certificate"
        )


def require_path(
    path: Sequence[x509.Certificate], accepted: frozenset[ObjectIdentifier] = _ACCEPTED_PURPOSES
) -> None:
    """Refuses a path with a weak key, or that its issuers, the root among them, do not allow.

    Stricter than RFC 5280, whose trust anchor is a key and a name: what the root's certificate says of itself
    binds too, and an issuer whose certificate names purposes may issue signers of documents only if it names one
    of theirs.

    Args:
        path: The signer's certificate and its issuers up to the root.
        accepted: Purposes of which an issuer that names any must name one.

    Raises:
        TrustError: A key is weak, an issuer is no certification authority, its path is longer than it allows, it was
            not made for issuing signers of documents, or the path is none by RFC 5280.

    Source: RFC 5280, sections 4.2.1.3, 4.2.1.9, 4.2.1.12 and 6.1.4 (k) to (n).
    """
    for certificate in path:
        require_strength(certificate)
    for below, issuer in enumerate(path[1:]):
        require_issuer(issuer)
        constraints = extension_of(issuer, x509.BasicConstraints)
        longest = constraints.path_length if constraints is not None else None
        if longest is not None and below > longest:
            raise TrustError(
                f"{common_name(issuer)!r} allows {longest} issuers below itself in a path, and there are {below}"
            )
        purposes = extension_of(issuer, x509.ExtendedKeyUsage)
        if purposes is not None and not accepted.intersection(purposes):
            raise TrustError(
                f"{common_name(issuer)!r} may issue certificates for other purposes only: its extended key usage "
                "was expected to include documentSigning or emailProtection, or to be absent"
            )
    _require_standard(path)


def _require_standard(path: Sequence[x509.Certificate]) -> None:
    """Refuses a path by names that an issuer may not certify, weak keys, or critical extensions that nobody here knows.

    Source: RFC 5280, section 6.1.
    """
    from asn1crypto.x509 import Certificate
    from pyhanko_certvalidator import ValidationContext
    from pyhanko_certvalidator.authority import CertTrustAnchor, derive_quals_from_cert
    from pyhanko_certvalidator.path import ValidationPath
    from pyhanko_certvalidator.policy_decl import PKIXValidationParams
    from pyhanko_certvalidator.validate import async_validate_path

    # Validity at the moment that counts is judged by itself; a path that never was valid is refused there.
    moment = max(certificate.not_valid_before_utc for certificate in path)
    if len(path) == 1 or moment > min(certificate.not_valid_after_utc for certificate in path):
        return
    with Refusing(Exception, TrustError, f"the certificate of {common_name(path[0])!r} does not validate"):
        # A parser that meets hostile bytes may raise anything; whatever it raises, the path is refused.
        signer, *issuers, root = (Certificate.load(der(certificate)) for certificate in path)
        said, anchor = derive_quals_from_cert(root).standard_parameters, CertTrustAnchor(root)
        judged = async_validate_path(
            ValidationContext(trust_roots=[anchor], moment=moment, revocation_mode="soft-fail"),
            ValidationPath(anchor, issuers[::-1], signer),
            PKIXValidationParams(
                initial_permitted_subtrees=getattr(said, "initial_permitted_subtrees", None),
                initial_excluded_subtrees=getattr(said, "initial_excluded_subtrees", None),
            ),
        )
        _without_waiting(judged)


def _without_waiting(judged: Coroutine[Any, None, object]) -> None:
    """Runs what asks nobody to its end, whether or not a signature is being made around it."""
    try:
        judged.send(None)
    except StopIteration:
        return
    judged.close()
    raise ValueError("its path needs what is not at hand")


def require_validity(certificate: x509.Certificate, moment: datetime) -> None:
    """Refuses a certificate that was not valid at a moment.

    Raises:
        TrustError: The moment is outside its period of validity.
    """
    start, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not start <= moment <= end:
        raise TrustError(
            f"the certificate of {common_name(certificate)!r} is valid from {start:%Y-%m-%dT%H:%M:%SZ} "
            f"to {end:%Y-%m-%dT%H:%M:%SZ}: {moment:%Y-%m-%dT%H:%M:%SZ} was expected to lie within"
        )


def extension_of(
    certificate: x509.Certificate | x509.RevokedCertificate, kind: type[_Extension]
) -> _Extension | None:
    """Returns an extension of a certificate, or of the entry that revokes it, where it has it."""
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


_CONSTRUCTED = 0x20
_LONG_TAG = 0x1F
_MAXIMUM_DEPTH = 40


def element_end(content: bytes, start: int, limit: int, depth: int = 0) -> int:
    """Returns where an element ends, after checking the tags and lengths of all elements within.

    Lengths must be definite and as short as can be, and the elements within a constructed element must
    fill it exactly. What follows the element is the caller's concern.

    Args:
        content: The encoded bytes.
        start: Offset of the element.
        limit: Offset that it may not exceed.
        depth: How deep the element is nested.

    Raises:
        ValueError: The encoding is not distinguished.

    Source: ITU-T X.690, sections 8.1.2, 8.1.3 and 10.1.

    >>> element_end(bytes.fromhex("3003020105ff"), 0, 6)
    5
    """
    if depth > _MAXIMUM_DEPTH or start + 2 > limit:
        raise ValueError(f"an element at byte {start} is cut short or nested too deeply")
    tag = content[start]
    if tag & _LONG_TAG == _LONG_TAG:
        raise ValueError(f"a tag at byte {start} has a form that no signature needs")
    body, length = _length(content, start + 1, limit)
    end = body + length
    if end > limit:
        raise ValueError(f"an element at byte {start} is longer than what holds it")
    if tag & _CONSTRUCTED:
        position = body
        while position < end:
            position = element_end(content, position, end, depth + 1)
    return end


def _length(content: bytes, start: int, limit: int) -> tuple[int, int]:
    """Returns where the body of an element starts, and its length."""
    first = content[start]
    if first < 0x80:
        return start + 1, first
    size = first & 0x7F
    digits = content[start + 1 : min(start + 1 + size, limit)]
    length = int.from_bytes(digits, "big")
    # X.690, section 10.1: the definite form, with as few octets as can be.
    if size == 0 or len(digits) != size or digits[0] == 0 or length < 0x80:
        raise ValueError(f"a length at byte {start} is not in its shortest form")
    return start + 1 + size, length
