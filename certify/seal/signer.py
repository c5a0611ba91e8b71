"""Who signs: a private key behind a port, with the certificates that say whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)

P256_ORDER: Final = 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551
"""Order of the base point of P-256 (NIST SP 800-186, section 3.2.1.3; the curve is secp256r1 of SEC 2)."""


TRIAL: Final = b"certify: may this key sign reports? This message is a trial and no report."
"""What a key outside this process signs before anything is computed."""


class PrivateKey(Protocol):
    """A private key that signs, wherever it lives."""

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256: RSA PKCS #1 v1.5, or ECDSA in DER form with a low s."""
        ...


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
        demonstration: Whether this is a throwaway identity that nobody should trust.
    """

    key: PrivateKey
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...]
    revocations: tuple[x509.CertificateRevocationList, ...] = ()
    demonstration: bool = False

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
    """Tells whether a signature is the one that this software would have written for the same nonce."""
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


def require_signature(public_key: CertificatePublicKeyTypes, signature: bytes, digest: bytes) -> None:
    """Passes where a signature over a SHA-256 digest verifies: RSA PKCS #1 v1.5, or ECDSA in DER form.

    Raises:
        InvalidSignature: It does not.
        ValueError: The key is of another kind.
    """
    require_distinguished(public_key, signature)
    algorithm = Prehashed(hashes.SHA256())
    if isinstance(public_key, rsa.RSAPublicKey):
        public_key.verify(signature, digest, padding.PKCS1v15(), algorithm)
    elif isinstance(public_key, ec.EllipticCurvePublicKey):
        public_key.verify(signature, digest, ec.ECDSA(algorithm))
    else:
        raise ValueError("expected an RSA or ECDSA key")
