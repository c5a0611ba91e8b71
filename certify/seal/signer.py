"""Who signs: a private key behind a port, with the certificates that say whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed


class PrivateKey(Protocol):
    """A private key that signs, wherever it lives."""

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256: RSA PKCS #1 v1.5, or ECDSA in DER form."""
        ...


@dataclass(frozen=True, slots=True)
class LocalKey:
    """A private key in the memory of this process."""

    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

    def sign(self, message: bytes) -> bytes:
        """Returns the signature of a message with SHA-256."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        return self.key.sign(message, ec.ECDSA(hashes.SHA256()))


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


def require_signature(public_key: CertificatePublicKeyTypes, signature: bytes, digest: bytes) -> None:
    """Passes where a signature over a SHA-256 digest verifies: RSA PKCS #1 v1.5, or ECDSA in DER form.

    Raises:
        InvalidSignature: It does not.
        ValueError: The key is of another kind.
    """
    algorithm = Prehashed(hashes.SHA256())
    if isinstance(public_key, rsa.RSAPublicKey):
        public_key.verify(signature, digest, padding.PKCS1v15(), algorithm)
    elif isinstance(public_key, ec.EllipticCurvePublicKey):
        public_key.verify(signature, digest, ec.ECDSA(algorithm))
    else:
        raise ValueError("expected an RSA or ECDSA key")
