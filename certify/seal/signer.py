"""Who signs: a private key behind a port with its certificates, the demonstration key, and who dates the signature."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from certify.errors import InputError, Refusing, TrustError
from certify.seal.certificates import DOCUMENT_SIGNING, common_name
from certify.untrusted_input import REVOCATIONS, read_bounded

if TYPE_CHECKING:
    from pyhanko.sign.timestamps import TimeStamper


_BEGIN = b"-----BEGIN X509 CRL-----"


def read_revocations(content: bytes, name: str) -> tuple[x509.CertificateRevocationList, ...]:
    """Returns the revocation lists of a PEM file.

    Raises:
        InputError: The file holds something else.
    """
    blocks = content.split(_BEGIN)[1:]
    if not blocks:
        raise InputError(f"{name} holds no revocation list in PEM form")
    with Refusing((ValueError, TypeError), InputError, f"{name} holds no readable revocation list"):
        return tuple(x509.load_pem_x509_crl(_BEGIN + block) for block in blocks)


def revocations_of(paths: Sequence[Path]) -> list[x509.CertificateRevocationList]:
    """Returns the revocation lists of PEM files that the caller names.

    Raises:
        InputError: A file cannot be read, or holds something else.
    """
    files = {str(path): read_bounded(path, REVOCATIONS, pipes=True) for path in paths}
    return [entry for name, content in files.items() for entry in read_revocations(content, name)]


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
    """Returns whether a revocation list is signed by an issuer."""
    try:
        key = issuer.public_key()
        return entry.issuer == issuer.subject and entry.is_signature_valid(key)  # type: ignore[arg-type]
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False


P256_ORDER: Final = 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551
"""Order of the base point of P-256 (NIST SP 800-186, section 3.2.1.3; the curve is secp256r1 of SEC 2)."""


TRIAL: Final = b"certify: may this key sign reports? This message is a trial and no report."
"""What a key outside this process signs before anything is computed."""


class PrivateKey(Protocol):
    """A private key that signs, wherever it lives."""

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256: RSA PKCS #1 v1.5, or ECDSA in DER form with a low s."""


@dataclass(frozen=True, slots=True)
class LocalKey:
    """A private key in the memory of this process."""

    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256; of the two that ECDSA allows, the one with the low s."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        return with_low_s(self.key.public_key(), self.key.sign(message, ec.ECDSA(hashes.SHA256())))


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signs: a private key, its certificate, and the issuers up to the root.

    Args:
        key: The private key.
        certificate: The certificate of the key.
        chain: The issuers, nearest first, the root last; empty where the certificate issued itself.
        revocations: Revocation lists of the issuers, to travel in the pack.
    """

    key: PrivateKey
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...]
    revocations: tuple[x509.CertificateRevocationList, ...] = ()

    @property
    def demonstration(self) -> bool:
        """Whether this is a throwaway identity that nobody should trust, wherever its key is."""
        return is_demonstration((self.certificate, *self.chain))

    @property
    def root(self) -> x509.Certificate:
        """The root certificate, the one that a verifier must get from an independent source."""
        return self.chain[-1] if self.chain else self.certificate

    @property
    def intermediates(self) -> tuple[x509.Certificate, ...]:
        """The issuers between the signer and the root, nearest first."""
        return self.chain[:-1]


def with_low_s(public_key: CertificatePublicKeyTypes, signature: bytes) -> bytes:
    """Returns a signature in the one form that this software writes; one of RSA has no other.

    Of an ECDSA signature (r, s) everybody can make another, (r, n - s), that verifies as well. The lower of the
    two is kept.

    Raises:
        ValueError: It is no ECDSA signature in DER form.

    Source: SEC 1 version 2.0, section 4.1.3; BIP 146 (low s).
    """
    if not isinstance(public_key, ec.EllipticCurvePublicKey):
        return signature
    r, s = decode_dss_signature(signature)
    return encode_dss_signature(r, min(s, P256_ORDER - s))


def has_low_s(public_key: CertificatePublicKeyTypes, signature: bytes) -> bool:
    """Returns whether a signature is the one that this software would have written for the same nonce."""
    return with_low_s(public_key, signature) == signature


def require_distinguished(public_key: CertificatePublicKeyTypes, signature: bytes) -> None:
    """Refuses an ECDSA signature that is not encoded in the one way that DER allows.

    Raises:
        ValueError: It is not.
    """
    if isinstance(public_key, ec.EllipticCurvePublicKey):
        r, s = decode_dss_signature(signature)
        if encode_dss_signature(r, s) != signature or not (0 < r < P256_ORDER and 0 < s < P256_ORDER):
            raise ValueError("the ECDSA signature is not in distinguished encoding")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a key is: the module (a shared library), the token in it, and the key in that.

    Args:
        module: The library that comes with the token, such as ``libsofthsm2.so``.
        token: Label of the token.
        label: Label of the private key (CKA_LABEL); None where the id alone finds it.
        identifier: Id of the private key (CKA_ID); None where the label alone finds it.
    """

    module: Path
    token: str
    label: str | None = None
    identifier: bytes | None = None

    def __str__(self) -> str:
        """Returns the place in words, for messages."""
        named = [] if self.label is None else [f"labelled {self.label!r}"]
        named += [] if self.identifier is None else [f"with id {self.identifier.hex()}"]
        return f"private key {' and '.join(named)} in token {self.token!r}"


def require_signature(public_key: CertificatePublicKeyTypes, signature: bytes, digest: bytes) -> None:
    """Passes where a signature over a SHA-256 digest verifies: RSA PKCS #1 v1.5, or ECDSA in DER form.

    Raises:
        InvalidSignature: It does not.
        ValueError: The key is of another kind.
    """
    require_distinguished(public_key, signature)
    require_verified(public_key, signature, digest, hashes.SHA256())


def require_verified(
    public_key: CertificatePublicKeyTypes, signature: bytes, digest: bytes, kind: hashes.HashAlgorithm
) -> None:
    """Passes where a signature over a digest of some kind verifies, in whichever form it was written.

    Raises:
        InvalidSignature: It does not.
        ValueError: The key is of another kind.
    """
    algorithm = Prehashed(kind)
    if isinstance(public_key, rsa.RSAPublicKey):
        public_key.verify(signature, digest, padding.PKCS1v15(), algorithm)
    elif isinstance(public_key, ec.EllipticCurvePublicKey):
        public_key.verify(signature, digest, ec.ECDSA(algorithm))
    else:
        raise ValueError("expected an RSA or ECDSA key")


def require_signed(
    certificate: x509.Certificate, signature: bytes, message: bytes, refusal: str, what: str
) -> None:
    """Passes where the key of a certificate signed a message with SHA-256.

    Args:
        certificate: The certificate.
        signature: The signature.
        message: What it is of.
        refusal: What is wrong where the key did not make it.
        what: What it is called.

    Raises:
        TrustError: It did not, or the key or the signature is of another kind.
    """
    with (
        Refusing(InvalidSignature, TrustError, refusal, words=None),
        Refusing(ValueError, TrustError, f"{what} cannot be verified"),
    ):
        require_signature(certificate.public_key(), signature, hashlib.sha256(message).digest())


def verified(public_key: CertificatePublicKeyTypes, signature: bytes, message: bytes, refusal: str) -> bytes:
    """Returns the signature of a key outside this process, verified and in the one form that this software writes.

    Args:
        public_key: The public key that must verify it.
        signature: What the key answered.
        message: What it was to sign.
        refusal: What is wrong where it does not verify.

    Raises:
        InputError: It does not verify.
    """
    with Refusing((InvalidSignature, ValueError), InputError, refusal, words=None):
        require_signature(public_key, signature, hashlib.sha256(message).digest())
    return with_low_s(public_key, signature)


ROOT_NAME = "Demonstration root, not trusted"
SIGNER_NAME = "Demonstration, not trusted"

_Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
_RSA_BITS = 3072
_PURPOSES = x509.ExtendedKeyUsage([DOCUMENT_SIGNING, ExtendedKeyUsageOID.EMAIL_PROTECTION])
_VALID_FOR = timedelta(days=365)
_START_BEFORE = timedelta(minutes=5)


def demonstration_signer(now: datetime) -> Signer:
    """Returns a new signer under a new root, both of which exist in this process only.

    The private keys are drawn by OpenSSL and never written anywhere. The names in both certificates
    say plainly that they are not trusted.

    Args:
        now: The present time; the certificates are valid for a year from it.
    """
    root_key = rsa.generate_private_key(public_exponent=65537, key_size=_RSA_BITS)
    key = rsa.generate_private_key(public_exponent=65537, key_size=_RSA_BITS)
    root = issue_root(root_key, ROOT_NAME, now - _START_BEFORE, now + _VALID_FOR)
    certificate = issue_signer(key, SIGNER_NAME, root_key, root, now - _START_BEFORE, now + _VALID_FOR)
    return Signer(LocalKey(key), certificate, (root,))


def first_key(name: str, organization: str, now: datetime, period: timedelta) -> tuple[str, str, str, str]:
    """Returns a new private key, the request for its certificate, a test certificate and its root, each in PEM.

    The root is a demonstration root, so that a report signed with the test certificate says of itself that nobody
    vouches for it; the root's key exists in this process only.

    Args:
        name: Common name in the request.
        organization: Organization in the request, if any.
        now: The present time.
        period: How long the test certificate is valid.

    Raises:
        InputError: A name is no name that a certificate can hold.
    """
    key, root_key = (rsa.generate_private_key(public_exponent=65537, key_size=_RSA_BITS) for _ in range(2))
    start, end = now - _START_BEFORE, now + period
    with Refusing(ValueError, InputError, "--name, --organization: expected names of at most 64 characters"):
        request = x509.CertificateSigningRequestBuilder(_distinguished(name, organization))
    root = issue_root(root_key, ROOT_NAME, start, end)
    test = issue_signer(key, SIGNER_NAME, root_key, root, start, end)
    form = serialization.Encoding.PEM
    private = key.private_bytes(form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    signed = request.add_extension(_PURPOSES, critical=False).sign(key, hashes.SHA256())
    made = (private, signed.public_bytes(form), test.public_bytes(form), root.public_bytes(form))
    return private.decode(), *(one.decode() for one in made[1:])  # type: ignore[return-value]


def is_demonstration(path: Sequence[x509.Certificate]) -> bool:
    """Returns whether a signer's path names a throwaway identity, which nobody vouches for.

    Args:
        path: The signer's certificate and its issuers up to the root.
    """
    named = {_distinguished(ROOT_NAME), _distinguished(SIGNER_NAME)}
    return any(certificate.subject in named or certificate.issuer in named for certificate in path)


def issue_root(key: _Key, name: str, start: datetime, end: datetime) -> x509.Certificate:
    """Returns a certificate that a key issues to itself as a certification authority."""
    return (
        _builder(key, name, name, start, end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def issue_signer(
    key: _Key, name: str, root_key: _Key, root: x509.Certificate, start: datetime, end: datetime
) -> x509.Certificate:
    """Returns a certificate for signing documents, issued by a root.

    The profile is one that pyHanko, pdfsig and OpenSSL all accept: with documentSigning alone, pdfsig
    reports an unknown issue, so that emailProtection is next to it.
    """
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key())
    return (
        _builder(key, name, "", start, end)
        .issuer_name(root.subject)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(_PURPOSES, critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(authority, critical=False)
        .sign(root_key, hashes.SHA256())
    )


def _builder(key: _Key, name: str, issuer: str, start: datetime, end: datetime) -> x509.CertificateBuilder:
    """Returns the fields common to both certificates; an empty issuer is left to the caller."""
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(_distinguished(name))
        .public_key(key.public_key())
        # RFC 5280, section 4.1.2.2: a positive integer of at most 20 octets; as unpredictable as the key.
        .serial_number((int.from_bytes(hashlib.sha256(public).digest()[:16], "big") >> 2) + 1)
        .not_valid_before(start)
        .not_valid_after(end)
    )
    return builder.issuer_name(_distinguished(issuer)) if issuer else builder


def _distinguished(name: str, organization: str = "certify") -> x509.Name:
    """Returns the distinguished name of an identity, by default of a demonstration."""
    of = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)] if organization else []
    return x509.Name([*of, x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    """Returns the key usage of an authority, or of a signer of documents."""
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=not signs_certificates,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signs, and who dates the signature, if anyone.

    Args:
        signer: Who signs.
        timestamper: Asks the time-stamp authority; None where none was named, and nothing uses a network.
        stamp_roots: Roots of that authority.
    """

    signer: Signer
    timestamper: "TimeStamper | None"
    stamp_roots: tuple[x509.Certificate, ...]

    @property
    def demonstration(self) -> bool:
        """Whether nobody vouches for the signature."""
        return self.signer.demonstration
