"""What a signature needs to be judged years later: the chains and revocation lists of the day, kept beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from certify.seal.certificates import der
from certify.seal.signer import Signer

if TYPE_CHECKING:
    from pyhanko_certvalidator import ValidationContext


def validation_context(
    signer: Signer, stamp_roots: Sequence[x509.Certificate], moment: datetime
) -> ValidationContext | None:
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
