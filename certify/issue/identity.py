"""Who signs a pack, and who dates the signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509
    from pyhanko.sign.timestamps import TimeStamper

    from certify.seal.signer import Signer


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signs, and who dates the signature, if anyone.

    Args:
        signer: Who signs.
        timestamper: Asks the time-stamp authority; None where none was named, and nothing uses a network.
        stamp_roots: Roots of that authority.
    """

    signer: Signer
    timestamper: TimeStamper | None
    stamp_roots: tuple[x509.Certificate, ...]

    @property
    def demonstration(self) -> bool:
        """Whether nobody vouches for the signature."""
        return self.signer.demonstration
