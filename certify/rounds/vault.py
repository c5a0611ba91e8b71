"""What the key of a ledger does: decks at rest are encrypted, records carry a mark that only it can make."""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass, field
from struct import pack, unpack
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from certify.errors import InputError, TrustError

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12  # SP 800-38D 8.2: 96 bits
_ITEM_BYTES: Final = 2
"""Bytes of an item: a shoe of several decks has more than 256."""


@dataclass(frozen=True, slots=True)
class Vault:
    """Seals decks with AES-256-GCM (GLI-19 4.4.4(a): values stored before use are encrypted), and marks records.

    The nonce is a keyed digest of the round and its deck. It can repeat only where both are the same, so
    that a crash between sealing and storing can never put two decks under one nonce.

    Args:
        key: 32 secret bytes from the operator's key store.
    """

    key: bytes = field(repr=False)
    _nonces: hmac.HMAC = field(init=False, repr=False, compare=False)
    _marks: hmac.HMAC = field(init=False, repr=False, compare=False)
    _decks: AESGCM = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuses a key of another length, and derives what each purpose needs of it once."""
        if len(self.key) != KEY_BYTES:
            raise InputError(f"a vault key of {len(self.key)} bytes: expected {KEY_BYTES}")
        for name, purpose in (("_nonces", b"nonce"), ("_marks", b"chain")):
            object.__setattr__(self, name, hmac.new(self._part(purpose), digestmod="sha256"))
        object.__setattr__(self, "_decks", AESGCM(self._part(b"deck")))

    def seal(self, round_id: str, deck: tuple[int, ...]) -> bytes:
        """Returns a deck encrypted and bound to its round: nonce, ciphertext and tag."""
        plain, bound = pack(f">{len(deck)}H", *deck), round_id.encode()
        nonce = _keyed(self._nonces, bound + b"\0" + plain)[:_NONCE_BYTES]
        return nonce + self._decks.encrypt(nonce, plain, bound)

    def open(self, round_id: str, sealed: bytes) -> tuple[int, ...]:
        """Returns the deck that was sealed for a round.

        Raises:
            TrustError: The key is another, or the bytes were altered or belong to another round.
        """
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            plain = self._decks.decrypt(nonce, ciphertext, round_id.encode())
            return unpack(f">{len(plain) // _ITEM_BYTES}H", plain)
        except (InvalidTag, ValueError, struct.error) as error:
            raise TrustError(
                f"the sealed deck of round {round_id} does not open: another key, or altered bytes"
            ) from error

    def mark(self, digest: bytes) -> bytes:
        """Returns the keyed mark of a record's digest: who has not the key can make digests fit, but no marks.

        >>> Vault(bytes(32)).mark(bytes(32)) == Vault(bytes(31) + b"1").mark(bytes(32))
        False
        """
        return _keyed(self._marks, digest)

    def verify_mark(self, number: int, digest: bytes, mark: bytes) -> None:
        """Checks that a record was written by somebody who holds the key.

        Raises:
            TrustError: It was not, or the key is another.
        """
        if not hmac.compare_digest(self.mark(digest), mark):
            raise TrustError(
                f"record {number} was not written under this key: expected its keyed mark; it was rewritten, "
                "or the key is another"
            )

    def _part(self, purpose: bytes) -> bytes:
        # One key for each purpose, so that the digest tells nothing about the cipher's key.
        return hmac.digest(self.key, b"certify rounds vault/" + purpose, "sha256")


def _keyed(key: hmac.HMAC, message: bytes) -> bytes:
    """Returns the HMAC of a message under a key that was set up once."""
    made = key.copy()
    made.update(message)
    return made.digest()
