"""Options that say who signs: a key in a file, an archive, a token or behind a command, and who dates that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from certify.cli.options import handed_over
from certify.cli.signing_key import Signing, require_consistent, signer_named
from certify.issue.identity import Identity

if TYPE_CHECKING:
    from cryptography import x509

__all__ = ["Signing", "identify_signer", "signing_options"]


signing_options = handed_over(Signing, "signing")
"""Adds the options of a signature, handed over together as ``signing``."""


def identify_signer(signing: Signing, moment: datetime) -> Identity:
    """Returns who signs; a demonstration signer whom nobody trusts where no key is named.

    Raises:
        InputError: The options contradict each other, or what they name cannot sign.
    """
    require_consistent(signing)
    signer = signer_named(signing, moment)
    if signing.crl:
        from certify.seal.revocation import revocations_of

        signer = replace(signer, revocations=tuple(revocations_of(signing.crl)))
    roots: Sequence[x509.Certificate] = ()
    timestamper = None
    if signing.tsa is not None:
        from certify.seal.time_stamp import http_time_stamper

        timestamper = http_time_stamper(signing.tsa)
    if signing.tsa_root is not None:
        from certify.seal.certificates import certificates_of

        roots = certificates_of(signing.tsa_root)
    return Identity(signer, timestamper, tuple(roots))
