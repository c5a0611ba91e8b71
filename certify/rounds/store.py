"""A stored event, the chain of digests that binds all of them, and what the key of a ledger seals and marks."""

import hmac
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from struct import pack, unpack
from types import MappingProxyType
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from certify.errors import CertifyError, InputError, Refusing, TrustError

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
        """Returns a deck encrypted and bound to its round: nonce, ciphertext and tag.

        Items take two bytes each; where one does not, all take four, and a byte more says so.
        """
        wide = max(deck, default=0) > 65_535
        plain, bound = pack(f">{len(deck)}{'IB' if wide else 'H'}", *deck, *[0] * wide), round_id.encode()
        nonce = _keyed(self._nonces, bound + b"\0" + plain)[:_NONCE_BYTES]
        return nonce + self._decks.encrypt(nonce, plain, bound)

    def open(self, round_id: str, sealed: bytes) -> tuple[int, ...]:
        """Returns the deck that was sealed for a round.

        Raises:
            TrustError: The key is another, or the bytes were altered or belong to another round.
        """
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        with Refusing(
            (InvalidTag, ValueError, struct.error),
            TrustError,
            f"the sealed deck of round {round_id} does not open: another key, or altered bytes",
            words=None,
        ):
            plain = self._decks.decrypt(nonce, ciphertext, round_id.encode())
            size, wide = divmod(len(plain), _ITEM_BYTES)
            return unpack(f">{size // 2}I", plain[:-1]) if wide else unpack(f">{size}H", plain)

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


def _keyed(empty: hmac.HMAC, message: bytes) -> bytes:
    """Returns the HMAC-SHA-256 of a message under a key that was set up once; a record costs a copy of that."""
    found = empty.copy()
    found.update(message)
    return found.digest()


GENESIS: Final = bytes(32)
"""What the first record of a chain points to."""


class LedgerError(CertifyError):
    """The ledger cannot store or read: nothing was acknowledged and nothing repaired in silence."""


class NotALedgerError(LedgerError, InputError):
    """The file holds something else than a ledger of this form; nothing was written into it."""


class DamagedLedgerError(LedgerError, TrustError):
    """The file is not the ledger that was written: what it holds cannot be relied on."""


class StoredRecord(Struct, frozen=True):
    """One stored event and its place in the chains; every round makes several, so that it is a struct.

    Args:
        number: Number of the record in the ledger, from 1.
        seat: Id of the seat.
        round: Id of the round; empty for what belongs to none.
        kind: Kind of the event.
        event: The event as canonical JSON.
        sealed: Encrypted deck of a deal; empty otherwise.
        request: Key under which the command was sent, so that it is done once; may be empty.
        command: The command that was sent.
        previous: Digest of the preceding record of the ledger.
        round_previous: Digest of the preceding record of the same round.
        digest: Digest of all of the above.
        mark: Keyed mark of the digest, which only the holder of the ledger's key can make.
    """

    number: int
    seat: str
    round: str
    kind: str
    event: str
    sealed: bytes
    request: str
    command: str
    previous: bytes
    round_previous: bytes
    digest: bytes
    mark: bytes

    def expected_digest(self) -> bytes:
        """Returns the digest that the contents of the record have."""
        texts = (self.seat, self.round, self.kind, self.event, self.request, self.command)
        return chained(self.previous, self.round_previous, self.number, texts, self.sealed)


def chained(
    previous: bytes,
    round_previous: bytes,
    number: int,
    texts: tuple[str, str, str, str, str, str],
    sealed: bytes,
) -> bytes:
    """Returns the SHA-256 of a record: the lengths of its parts precede them, so that none can run over.

    The lengths are decimal and count characters: ``number seat round kind event request command sealed``, then a line
    feed, the texts as UTF-8 and the sealed deck; what the record points to comes before all of it.
    """
    seat, round_id, kind, event, request, command = texts
    text = (
        f"{number} {len(seat)} {len(round_id)} {len(kind)} {len(event)} {len(request)} {len(command)} {len(sealed)}\n"
        f"{seat}{round_id}{kind}{event}{request}{command}"
    )
    return sha256(b"".join((previous, round_previous, text.encode(), sealed))).digest()


@dataclass(frozen=True, slots=True)
class Chain:
    """What a walk along a whole ledger showed: every record is in its place and has its digest.

    Args:
        records: Number of records.
        rounds: Number of rounds among them.
        head: Digest of the latest record.
        noted: Number of the latest record whose head was noted; None where no head was noted.
        keyed: Whether every mark was compared under a key.
    """

    records: int
    rounds: int
    head: bytes
    noted: int | None
    keyed: bool


def seat_of(round_id: str) -> str:
    """Returns the seat or table at which a round was played, which its id begins with.

    >>> seat_of("seat-1-000007")
    'seat-1'
    """
    return round_id.rpartition("-")[0]


def walk_chain(
    records: Iterable[StoredRecord],
    *,
    head: bytes | None = None,
    marks: Vault | None = None,
    heads: Mapping[int, bytes] = MappingProxyType({}),
) -> Chain:
    """Checks that records are complete, in order and unaltered, overall and for each round.

    Args:
        records: All records of a ledger.
        head: Digest that the latest record had when it was noted elsewhere; without it, records cut off
            at the end cannot be missed.
        marks: Compares the keyed marks; without it, a ledger whose digests were all made anew looks whole.
        heads: Digests of records that were noted elsewhere while they were the latest, by number.

    Raises:
        TrustError: A record is altered, missing or out of order, or a noted head is not among them.
    """
    previous, number = GENESIS, 0
    # A seat plays one round at a time, so that the latest of each is all there is to remember.
    open_rounds: dict[str, tuple[str, bytes]] = {}
    rounds = 0
    noted = 0 if head == GENESIS else None
    found = head in (None, GENESIS)
    for number, record in enumerate(records, 1):
        latest, apart = open_rounds.get(record.seat, ("", GENESIS))
        _verify_place(record, number, previous, apart if record.round == latest else GENESIS)
        if number in heads:
            if heads[number] != record.digest:
                raise TrustError(f"record {number} is not the one whose digest was noted: it was rewritten")
            noted = number
        if marks is not None:
            marks.verify_mark(number, record.digest, record.mark)
        previous = record.digest
        if record.round:
            rounds += record.round != latest
            open_rounds[record.seat] = (record.round, record.digest)
        if record.digest == head:
            found, noted = True, number
    last = max(heads, default=0)
    if last > number:
        raise TrustError(
            f"the ledger ends after {number} records, expected record {last}, whose head was noted"
        )
    if not found:
        raise TrustError(f"the ledger ends after {number} records, expected the noted head among them")
    return Chain(number, rounds, previous, noted, marks is not None)


def verify_round(records: Iterable[StoredRecord]) -> None:
    """Checks the chain of one round, which can be handed out without the rest of the ledger.

    Raises:
        TrustError: A record is altered, missing or out of order.
    """
    previous = GENESIS
    for record in records:
        if record.round_previous != previous or record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} of round {record.round} is altered or out of order")
        previous = record.digest


def _verify_place(record: StoredRecord, number: int, previous: bytes, round_previous: bytes) -> None:
    if record.number != number:
        raise TrustError(f"record {number} is missing from the ledger: found {record.number} in its place")
    if record.previous != previous:
        raise TrustError(f"record {number} does not follow the record before it: the chain is broken")
    if record.round and record.round_previous != round_previous:
        raise TrustError(f"record {number} does not follow the record before it in round {record.round}")
    if record.digest != record.expected_digest():
        raise TrustError(f"record {number} is altered: its contents do not have its digest")
