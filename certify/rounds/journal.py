"""The one chain of records of a ledger: made, sealed, marked, stored, and opened again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from certify.errors import TrustError
from certify.rounds.codec import decode, encode
from certify.rounds.events import CardsDealt, Event
from certify.rounds.heads import HeadKeeper
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import GENESIS, StoredRecord, chained, walk_chain
from certify.rounds.vault import Vault


@dataclass(slots=True)
class Draft:
    """Records that are worked out and not yet durable, and the chain as it will stand with them."""

    number: int
    head: bytes
    records: list[StoredRecord] = field(default_factory=list)


class Journal:
    """Records in a store, of which this is the only writer, in one thread.

    Args:
        store: Where records are kept.
        vault: Seals the decks of open rounds and marks records.
        keeper: Keeps each head outside of the ledger before it is acknowledged; none where left out.
    """

    __slots__ = ("_head", "_keeper", "_number", "store", "vault")

    def __init__(self, store: SqliteStore, vault: Vault, keeper: HeadKeeper | None = None) -> None:
        self.store = store
        self.vault = vault
        self._keeper = keeper
        self._number, self._head = store.head()

    @property
    def head(self) -> bytes:
        """Digest of the latest record; noted elsewhere, it shows a ledger that was cut off."""
        return self._head

    def draft(self) -> Draft:
        """Returns an empty draft that follows what is stored."""
        return Draft(self._number, self._head)

    def add(
        self, draft: Draft, seat: str, event: Event, round_previous: bytes, key: str, command: str
    ) -> StoredRecord:
        """Adds an event to a draft and returns its record.

        Args:
            draft: What it follows.
            seat: Where it happened.
            event: What happened.
            round_previous: Digest of the preceding record of the same round; the genesis for its first.
            key: Key under which the command was sent; may be empty.
            command: The command that was sent.
        """
        sealed = self.vault.seal(event.round, event.body.deck) if isinstance(event.body, CardsDealt) else b""
        number, kind, encoded = draft.number + 1, event.kind, encode(event)
        texts = (seat, event.round, kind, encoded, key, command)
        digest = chained(draft.head, round_previous, number, texts, sealed)
        chain = (draft.head, round_previous, digest, self.vault.mark(digest))
        record = StoredRecord(number, seat, event.round, kind, encoded, sealed, key, command, *chain)
        draft.records.append(record)
        draft.number, draft.head = number, digest
        return record

    def commit(self, draft: Draft) -> None:
        """Makes a draft durable, all of it or nothing.

        Raises:
            LedgerError: It could not be stored, or its head not be kept. Whether it is on the disk is for the store to
                say, so whoever asked must forget what it holds in memory.
        """
        try:
            self.store.append(draft.records)
            if self._keeper is not None and draft.records:
                self._keeper.keep(draft.number, draft.head)
        except BaseException:
            self._number, self._head = self.store.head()
            raise
        self._number, self._head = draft.number, draft.head

    def event_of(self, record: StoredRecord) -> Event:
        """Returns the event of a record that was written under this key, its deck opened.

        Raises:
            TrustError: The record was altered or written under another key, or its deck does not open.
        """
        if record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} is altered: its contents do not have its digest")
        self.vault.verify_mark(record.number, record.digest, record.mark)
        deck = self.vault.open(record.round, record.sealed) if record.sealed else ()
        return decode(record.event, deck)

    def events(self, seat: str) -> Iterator[Event]:
        """Yields the events of a seat, their decks opened.

        Raises:
            TrustError: A record was altered or written under another key, or a deck does not open with it.
        """
        for record in self.store.records(seat=seat):
            yield self.event_of(record)

    def verify(self, head: bytes | None = None) -> int:
        """Checks every record, its keyed mark included, and returns their number.

        Raises:
            TrustError: A record is altered, missing or out of order, or the noted head is not among them.
        """
        return walk_chain(self.store.records(), head=head, marks=self.vault).records


def follows(round_id: str, latest: str, head: bytes) -> bytes:
    """Returns the digest that a record of a round points to, given the round that came last and its head."""
    return head if round_id and round_id == latest else GENESIS
