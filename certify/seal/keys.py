"""Signing keys: where they come from, and whether they may sign a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from certify.errors import InputError, TrustError
from certify.seal.certificates import (
    common_name,
    order_chain,
    read_certificates,
    require_issuer,
    require_purpose,
    require_strength,
)
from certify.seal.demonstration import demonstration_signer
from certify.seal.signer import LocalKey, PrivateKey, Signer

__all__ = [
    "LocalKey",
    "Passphrase",
    "PrivateKey",
    "Signer",
    "demonstration_signer",
    "load_signer",
    "signer_of",
]

#: Where a passphrase comes from; asked only when the key is encrypted, never read from a command line.
Passphrase = Callable[[], bytes]


def load_signer(
    key: Path, cert: Path, chain: Sequence[Path] = (), passphrase: Passphrase | None = None
) -> Signer:
    """Returns the signer whose key and certificates are in PEM files.

    Args:
        key: Private key, PEM (PKCS #8 or traditional), encrypted or not.
        cert: Certificate of the key; issuers may follow it in the same file.
        chain: Files with the issuers up to the root, in any order.
        passphrase: Called for the passphrase when the key is encrypted.

    Raises:
        InputError: A file is unreadable, the key does not belong to the certificate, the certificate
            may not sign documents, or the chain does not reach a root.
    """
    private_key = _private_key(key, passphrase)
    certificates = read_certificates(_read(cert), str(cert))
    issuers = [issuer for path in chain for issuer in read_certificates(_read(path), str(path))]
    return signer_of(private_key, certificates[0], (*certificates[1:], *issuers), where=str(cert))


def signer_of(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey,
    certificate: x509.Certificate,
    issuers: Sequence[x509.Certificate],
    where: str = "the certificate",
) -> Signer:
    """Returns a signer after checking that its key, purpose and chain fit together.

    Raises:
        InputError: They do not.
    """
    if key.public_key() != certificate.public_key():
        raise InputError(
            f"{where}: the certificate of {common_name(certificate)!r} does not belong to the private key"
        )
    try:
        require_strength(certificate)
        require_purpose(certificate)
        ordered = order_chain(certificate, issuers)
        for issuer in ordered:
            require_issuer(issuer)
    except TrustError as error:
        raise InputError(f"{where}: {error}") from error
    return Signer(LocalKey(key), certificate, ordered)


def _private_key(path: Path, passphrase: Passphrase | None) -> rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey:
    """Returns the private key of a PEM file."""
    content = _read(path)
    try:
        key: object = serialization.load_pem_private_key(content, None)
    except TypeError as error:
        if passphrase is None:
            raise InputError(f"{path}: the private key is encrypted and no passphrase was given") from error
        key = _encrypted_key(path, content, passphrase())
    except ValueError as error:
        raise InputError(f"{path} holds no readable PEM private key: {error}") from error
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise InputError(
            f"{path}: expected an RSA or ECDSA P-256 key, which pdfsig and openssl can both check"
        )
    return key


def _encrypted_key(path: Path, content: bytes, passphrase: bytes) -> object:
    """Returns an encrypted private key."""
    try:
        return serialization.load_pem_private_key(content, passphrase)
    except ValueError as error:
        raise InputError(f"{path}: the passphrase does not open the private key") from error


def _read(path: Path) -> bytes:
    """Returns the bytes of a key or certificate file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
