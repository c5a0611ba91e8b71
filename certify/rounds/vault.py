"""What the key of a ledger does: decks at rest are encrypted, records carry a mark that only it can make."""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass, field
from hashlib import sha256
from struct import pack, unpack
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from certify.errors import InputError, TrustError

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12  # SP 800-38D 8.2: 96 bits
_ITEM_BYTES: Final = 2
"""Bytes of an item: a shoe of several decks has more than 256."""


class Keyed:
    """HMAC-SHA-256 under a key that is set up once; a record costs two copies of a hash.

    Args:
        key: At most as long as a block of the hash.

    Source: FIPS 198-1, section 4.

    >>> Keyed(b"key")(b"message") == hmac.digest(b"key", b"message", "sha256")
    True
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        block = key.ljust(sha256().block_size, b"\0")
        self._inner = sha256(bytes(byte ^ 0x36 for byte in block))
        self._outer = sha256(bytes(byte ^ 0x5C for byte in block))

    def __call__(self, message: bytes) -> bytes:
        """Returns the mark of a message."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


@dataclass(frozen=True, slots=True)
class Vault:
    """Seals decks with AES-256-GCM (GLI-19 4.4.4(a): values stored before use are encrypted), and marks records.

    The nonce is a keyed digest of the round and its deck. It can repeat only where both are the same, so
    that a crash between sealing and storing can never put two decks under one nonce.

    Args:
        key: 32 secret bytes from the operator's key store.
    """

    key: bytes = field(repr=False)
    _nonces: Keyed = field(init=False, repr=False, compare=False)
    _marks: Keyed = field(init=False, repr=False, compare=False)
    _decks: AESGCM = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuses a key of another length, and derives what each purpose needs of it once."""
        if len(self.key) != KEY_BYTES:
            raise InputError(f"a vault key of {len(self.key)} bytes: expected {KEY_BYTES}")
        for name, purpose in (("_nonces", b"nonce"), ("_marks", b"chain")):
            object.__setattr__(self, name, Keyed(self._part(purpose)))
        object.__setattr__(self, "_decks", AESGCM(self._part(b"deck")))

    def seal(self, round_id: str, deck: tuple[int, ...]) -> bytes:
        """Returns a deck encrypted and bound to its round: nonce, ciphertext and tag."""
        plain, bound = pack(f">{len(deck)}H", *deck), round_id.encode()
        nonce = self._nonces(bound + b"\0" + plain)[:_NONCE_BYTES]
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
        return self._marks(digest)

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
