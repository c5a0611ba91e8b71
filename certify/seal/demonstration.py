"""A throwaway identity for packs made without a key: it proves integrity, and says that it proves no more."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from certify.seal.certificates import DOCUMENT_SIGNING
from certify.seal.signer import LocalKey, Signer

ROOT_NAME = "Demonstration root, not trusted"
SIGNER_NAME = "Demonstration, not trusted"

_Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
_RSA_BITS = 3072
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
    return Signer(LocalKey(key), certificate, (root,), demonstration=True)


def is_demonstration(path: Sequence[x509.Certificate]) -> bool:
    """Tells whether a signer's path names a throwaway identity, which nobody vouches for.

    Args:
        path: The signer's certificate and its issuers up to the root.
    """
    named = {_distinguished(ROOT_NAME), _distinguished(SIGNER_NAME)}
    return any(certificate.subject in named or certificate.issuer in named for certificate in path)


def issue_root(key: _Key, name: str, start: datetime, end: datetime) -> x509.Certificate:
    """Returns a certificate that a key issues to itself as a certification authority."""
    builder = _builder(key, name, name, start, end)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_key_usage(signs_certificates=True), critical=True)
    builder = builder.add_extension(
        x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
    )
    return builder.sign(key, hashes.SHA256())


def issue_signer(
    key: _Key, name: str, root_key: _Key, root: x509.Certificate, start: datetime, end: datetime
) -> x509.Certificate:
    """Returns a certificate for signing documents, issued by a root.

    The profile is one that pyHanko, pdfsig and OpenSSL all accept: with documentSigning alone, pdfsig
    reports an unknown issue, so that emailProtection stands beside it.
    """
    builder = _builder(key, name, "", start, end).issuer_name(root.subject)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_key_usage(signs_certificates=False), critical=True)
    purposes = x509.ExtendedKeyUsage([DOCUMENT_SIGNING, ExtendedKeyUsageOID.EMAIL_PROTECTION])
    builder = builder.add_extension(purposes, critical=False)
    builder = builder.add_extension(
        x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
    )
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key())
    builder = builder.add_extension(authority, critical=False)
    return builder.sign(root_key, hashes.SHA256())


def _builder(key: _Key, name: str, issuer: str, start: datetime, end: datetime) -> x509.CertificateBuilder:
    """Returns the fields common to both certificates; an empty issuer is left to the caller."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(_distinguished(name))
        .public_key(key.public_key())
        .serial_number(_serial(key))
        .not_valid_before(start)
        .not_valid_after(end)
    )
    return builder.issuer_name(_distinguished(issuer)) if issuer else builder


def _distinguished(name: str) -> x509.Name:
    """Returns the distinguished name of a demonstration identity."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "certify"),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
    )


def _serial(key: _Key) -> int:
    """Returns a serial number as unpredictable as the key: 126 bits of the digest of its public half."""
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    # RFC 5280, section 4.1.2.2: a positive integer of at most 20 octets.
    return (int.from_bytes(hashlib.sha256(public).digest()[:16], "big") >> 2) + 1


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
