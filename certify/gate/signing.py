"""Signed approvals: who signed, whether they are trusted, and whether it is just this approval."""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from certify.errors import InputError, TrustError
from certify.gate.change import Approval
from certify.gate.effective_policy import RootFile

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

    from certify.seal.signer import Signer

MENDED = "policy-mended"
"""The one change whose approval needs no signature: before it, nobody could give one."""

_CONTEXT = "certify-approval/1"
"""Signed with every approval, so that its signature stands for nothing else."""


def signed_bytes(approval: Approval) -> bytes:
    """Returns what the signature of an approval covers: every field but signature and place.

    Source: RFC 8785 for the canonical form.
    """
    from certify.seal.canonical import canonical_bytes

    fields = dataclasses.asdict(approval)
    covered = {name: value for name, value in fields.items() if name not in ("line", "signature")}
    # A file of TOML may end the certificates with a line end more.
    return canonical_bytes(covered | {"context": _CONTEXT, "certificates": approval.certificates.strip()})


def sign_approval(approval: Approval, signer: Signer) -> Approval:
    """Returns an approval with a signature and the certificates that say whose it is."""
    from certify.seal.certificates import pem

    chain = pem([signer.certificate, *signer.chain]).decode("ascii").strip()
    unsigned = dataclasses.replace(approval, certificates=chain, signature="")
    signature = base64.b64encode(signer.key.sign(signed_bytes(unsigned))).decode("ascii")
    return dataclasses.replace(unsigned, signature=signature)


def trust_judge(
    roots: Sequence[RootFile], moment: datetime, *, signed_only: bool, needed: bool
) -> Callable[[Approval], str]:
    """Returns a judge that says why an approval is not trusted, with an empty text where it is.

    A signature that is there is always verified, whether or not the policy asks for one. Where signatures are
    demanded and no root is trusted, nobody can give one: then no approval counts, but that of the change that mends it.

    Args:
        roots: Files of trusted roots in PEM.
        moment: The present time, at which certificates must be valid.
        signed_only: Whether an approval without signature is refused.
        needed: Whether any approval is signed; the roots are read only then.

    Raises:
        InputError: A file of roots cannot be read.
    """
    trusted = _roots(roots) if needed else ()

    def distrust(approval: Approval) -> str:
        if signed_only and not approval.signature and approval.change == MENDED:
            return ""
        if signed_only and not roots:
            return "require_signed_approvals needs a root to trust: expected trust in the policy, or --trust"
        if not approval.signature and not approval.certificates:
            return "it is not signed, and the policy requires signatures" if signed_only else ""
        try:
            _verify(approval, trusted, moment)
        except TrustError as error:
            return f"the approval of {approval.change} in {approval.game or 'the policy'} is not trusted: {error}"
        return ""

    return distrust


def _roots(files: Sequence[RootFile]) -> tuple[x509.Certificate, ...]:
    """Returns the trusted roots of some files."""
    from certify.seal.certificates import read_certificates

    found: list[x509.Certificate] = []
    for file in files:
        if file.data is None:
            continue  # Whoever chains to it is not trusted; lint says that it is not there.
        found += read_certificates(file.data, file.name)
    return tuple(found)


def _verify(approval: Approval, trusted: Sequence[x509.Certificate], moment: datetime) -> None:
    """Refuses an approval whose signature does not verify or whose signer nobody trusted vouches for.

    Raises:
        TrustError: It is not to be trusted.
    """
    from certify.seal.certificates import (
        fingerprint,
        order_chain,
        read_certificates,
        require_path,
        require_purpose,
        require_strength,
        require_validity,
    )

    try:
        certificates = read_certificates(approval.certificates.encode(), "the approval")
        signature = base64.b64decode(approval.signature, validate=True)
    except (InputError, binascii.Error) as error:
        raise TrustError(str(error)) from error
    signer = certificates[0]
    chain = order_chain(signer, [*certificates[1:], *trusted])
    require_strength(signer)
    require_purpose(signer)
    require_path((signer, *chain))
    for certificate in (signer, *chain):
        require_validity(certificate, moment)
    _verify_signature(signer, signature, signed_bytes(approval))
    root = chain[-1] if chain else signer
    if fingerprint(root) not in {fingerprint(certificate) for certificate in trusted}:
        raise TrustError("its signer does not chain to a trusted root")


def _verify_signature(certificate: x509.Certificate, signature: bytes, message: bytes) -> None:
    """Refuses a signature that the key of a certificate did not make over a message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

    key = certificate.public_key()
    # Whoever holds no key could otherwise turn one valid signature into another.
    if isinstance(key, ec.EllipticCurvePublicKey) and not _has_one_form(key, signature):
        raise TrustError("its signature has not the one form that it may have")
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        else:
            raise TrustError("its key is neither RSA nor ECDSA")
    except InvalidSignature as error:
        raise TrustError("its signature does not verify: it was changed after it was signed") from error


def _has_one_form(key: ec.EllipticCurvePublicKey, signature: bytes) -> bool:
    """Tells whether an ECDSA signature is in distinguished encoding, of two values of s the lower."""
    from certify.seal.signer import has_low_s

    try:
        return has_low_s(key, signature)
    except ValueError:
        return False
