"""The one chain of records of a ledger: events as JSON and back, sealed, marked, stored, and opened again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, Final

from msgspec import DecodeError, Meta, Raw, Struct
from msgspec.json import Decoder, Encoder

from certify.errors import TrustError
from certify.rounds.chain_heads import HeadKeeper
from certify.rounds.events import BODIES, Body, CardsDealt, Event, kind_of
from certify.rounds.money import Posting
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import GENESIS, StoredRecord, chained, walk_chain
from certify.rounds.vault import Vault


class _Written(Struct, forbid_unknown_fields=True):
    """An event as it is written, its fields in their order."""

    sequence: int
    round: str
    at: Annotated[datetime, Meta(tz=True)]
    kind: str
    body: Any
    postings: tuple[Posting, ...]
    clock_behind: bool


class _Read(_Written):
    """The same as it is read: its kind says what its body is."""

    body: Raw


_write: Final = Encoder().encode
_read: Final = Decoder(_Read).decode
_BODIES: Final[dict[str, Decoder[Body]]] = {kind_of(body): Decoder(body) for body in BODIES}


def encode(event: Event) -> str:
    """Returns an event as JSON without the deck, which is stored apart and encrypted.

    >>> from datetime import UTC
    >>> from certify.rounds.events import RoundResumed
    >>> encode(Event(1, "", datetime(2026, 1, 1, tzinfo=UTC), RoundResumed()))[:70]
    '{"sequence":1,"round":"","at":"2026-01-01T00:00:00Z","kind":"round-res'
    """
    body = event.body
    if isinstance(body, CardsDealt):
        body = replace(body, deck=())
    return _write(
        _Written(event.sequence, event.round, event.at, event.kind, body, event.postings, event.clock_behind)
    ).decode()


def decode(text: str, deck: tuple[int, ...] = ()) -> Event:
    """Returns the event that :func:`encode` wrote.

    Args:
        text: The JSON.
        deck: The deck of the deal, where it is known.

    Raises:
        TrustError: The text is no event, or not as it would be written: what holds it was not written by this
            software, or was altered.
    """
    try:
        raw = _read(text)
        body = _BODIES[raw.kind].decode(raw.body)
        event = Event(raw.sequence, raw.round, raw.at, body, raw.postings, raw.clock_behind)
        if encode(event) != text:
            raise ValueError("another form")
    except (DecodeError, KeyError, ValueError, RecursionError) as error:
        raise TrustError(f"not an event: {text[:120]!r} ({type(error).__name__})") from error
    return replace(event, body=replace(body, deck=deck)) if isinstance(body, CardsDealt) and deck else event


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
