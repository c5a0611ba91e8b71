"""The one chain of records of a ledger: events as JSON and back, sealed, marked, stored; its head kept outside."""

import os
import re
import shlex
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Annotated, Any, Final

from msgspec import DecodeError, Meta, Raw, Struct
from msgspec.json import Decoder, Encoder

from certify.children import run_program
from certify.errors import InputError, Refusing, TrustError
from certify.rounds.events import BODIES, Body, CardsDealt, Event, kind_of
from certify.rounds.money import Posting
from certify.rounds.sql_store import SqlStore
from certify.rounds.store import GENESIS, LedgerError, StoredRecord, Vault, chained, walk_chain
from certify.untrusted_input import HEADS, read_bounded

_STATUS: Final = {
    "cards-dealt": "open",
    "round-settled": "settled",
    "bets-expired": "expired",
    "malfunction-declared": "void",
}
"""What a round is by the most telling event in it, which comes last; a settled round can turn out void."""

STATUSES: Final = ("betting", *_STATUS.values())


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """One round as a list shows it.

    Args:
        round: Its id.
        seat: Id of the seat.
        status: ``betting``, ``open``, ``settled``, ``expired`` or ``void``.
        began: Time of its first event, UTC.
        latest: Time of its latest event, UTC.
        staked: Stakes accepted at the deal, minor units.
        records: Number of its records.
    """

    round: str
    seat: str
    status: str
    began: str
    latest: str
    staked: int
    records: int


def summaries(store: SqlStore, *, seat: str | None = None, status: str = "") -> Iterator[RoundSummary]:
    """Yields the rounds of a ledger in the order in which they began at each seat; a seat plays one at a time.

    Args:
        store: The ledger's store.
        seat: Only the rounds of this seat.
        status: Only rounds of this status.

    Raises:
        TrustError: A record is altered.
    """
    # Of each seat its latest round is kept, and of that no more than is listed.
    own: dict[str, RoundSummary] = {}
    for record in store.records(seat=seat):
        if record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} is altered: its contents do not have its digest")
        if not record.round:
            continue
        begun = own.get(record.seat)
        if begun is None or begun.round != record.round:
            if begun is not None and status in ("", begun.status):
                yield begun
            at = _event(record).at.isoformat()
            begun = RoundSummary(record.round, record.seat, STATUSES[0], at, at, 0, 0)
        own[record.seat] = _after(begun, record)
    for begun in own.values():
        if status in ("", begun.status):
            yield begun


def _after(begun: RoundSummary, record: StoredRecord) -> RoundSummary:
    """Returns a round with one more of its records."""
    event = _event(record)
    stakes = event.body.stakes if isinstance(event.body, CardsDealt) else ()
    return replace(
        begun,
        status=max(begun.status, _STATUS.get(record.kind, STATUSES[0]), key=STATUSES.index),
        latest=event.at.isoformat(),
        staked=begun.staked + sum(amount for _, amount in stakes),
        records=begun.records + 1,
    )


def latest(found: Iterator[RoundSummary], most: int) -> tuple[tuple[RoundSummary, ...], int]:
    """Returns the last of some rounds, and how many there are in all."""
    kept: deque[RoundSummary] = deque(maxlen=most)
    total = 0
    for total, summary in enumerate(found, 1):  # noqa: B007 - their number is what is left of it
        kept.append(summary)
    return tuple(kept), total


def _event(record: StoredRecord) -> Event:
    with Refusing(
        TrustError,
        TrustError,
        f"a record of round {record.round} holds no event: it was not written by this software",
        words=None,
    ):
        return decode(record.event)


SECONDS: Final = 60
"""Seconds that a command may take to keep a head."""

_LINE: Final = re.compile(r"([1-9][0-9]{0,15}) ([0-9a-f]{64})")


_TORN: Final = re.compile(r"[0-9]{0,16}( [0-9a-f]{0,63})?")
"""A line that was not written to its end, or an empty one: it says nothing."""


class HeadNotKeptError(LedgerError):
    """Records are durable in the ledger, and their head could not be kept outside of it."""


@dataclass(frozen=True, slots=True)
class HeadLog:
    """A log to which each head is appended: a line with the number of the record and its digest.

    Args:
        path: The file, best on a medium or under an attribute that lets nobody alter what was appended.
    """

    path: Path

    def keep(self, number: int, digest: bytes) -> None:
        """Appends a head and returns once it is on the disk.

        Raises:
            HeadNotKeptError: The disk refuses.
        """
        # A line of its own even where the one before was torn by a loss of power.
        line = b"\n" + line_of(number, digest).encode()
        with (
            Refusing(
                OSError, HeadNotKeptError, f"record {number} is in the ledger, its head not in {self.path}"
            ),
            os.fdopen(
                os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o644),
                "wb",
                buffering=0,
            ) as log,
        ):
            if log.write(line) != len(line):
                raise OSError("the line was written in part")
            os.fsync(log)

    def read(self) -> Mapping[int, bytes]:
        """Returns the digest of each record that was noted, by number; none where there is no log yet.

        Raises:
            InputError: The file holds something else than heads, or more of them than are read.
            TrustError: A record has two heads: an older copy of the ledger was written on.
        """
        return _heads(read_bounded(self.path, HEADS), self.path) if self.path.exists() else {}


@dataclass(frozen=True, slots=True)
class HeadCommand:
    """A command that is given each head on its standard input, such as one that sends it to another machine.

    Args:
        command: Program and arguments, as a shell would split them; no shell runs it.
    """

    command: str

    def keep(self, number: int, digest: bytes) -> None:
        """Runs the command.

        Raises:
            HeadNotKeptError: It is not there, takes too long or ends with another code than 0.
        """
        with Refusing(
            (OSError, ValueError, IndexError, TimeoutExpired),
            HeadNotKeptError,
            f"record {number} is in the ledger, its head not kept by {self.command!r}",
        ):
            # The operator names the program that keeps heads; it is not made of anything that comes from outside.
            done = run_program(
                shlex.split(self.command),
                given=line_of(number, digest).encode(),
                timeout=SECONDS,
                capture=False,
            )
        if done.returncode:
            raise HeadNotKeptError(
                f"record {number} is in the ledger, its head not kept: {self.command!r} ended with {done.returncode}"
            )


HeadKeeper = HeadLog | HeadCommand
"""Keeps heads where whoever can write the ledger cannot alter them."""


def line_of(number: int, digest: bytes) -> str:
    r"""Returns a head as a line of a log.

    >>> line_of(7, bytes(32))[:12]
    '7 0000000000'
    """
    return f"{number} {digest.hex()}\n"


def _heads(raw: bytes, path: Path) -> dict[int, bytes]:
    heads: dict[int, bytes] = {}
    for place, line in enumerate(raw.decode("latin-1").splitlines(), start=1):
        if _TORN.fullmatch(line):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise InputError(f"{path}:{place}: {line[:80]!r}, expected a record's number and 64 hex digits")
        number, digest = int(found[1]), bytes.fromhex(found[2])
        # Lines of several writers come in any order; that all are of one ledger its records say.
        if heads.setdefault(number, digest) != digest:
            raise TrustError(
                f"{path}:{place}: record {number} noted with another digest before: an older copy of the ledger was "
                "written on, or the log is of two ledgers"
            )
    return heads


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

    __slots__ = ("_head", "_keeper", "_known", "_number", "store", "vault")

    def __init__(self, store: SqlStore, vault: Vault, keeper: HeadKeeper | None = None) -> None:
        self.store = store
        self.vault = vault
        self._keeper = keeper
        self._known = False
        self._latest()

    @property
    def head(self) -> bytes:
        """Digest of the latest record; noted elsewhere, it shows a ledger that was cut off."""
        return self._latest()[1]

    def _latest(self) -> tuple[int, bytes]:
        """Returns number and digest of the latest record, read again after one that could not be stored.

        Raises:
            TrustError: It was written under another key: nobody could verify what follows it.
        """
        if not self._known:
            self._number, self._head, mark = self.store.head()
            if self._number:
                self.vault.verify_mark(self._number, self._head, mark)
            self._known = True
        return self._number, self._head

    def draft(self) -> Draft:
        """Returns an empty draft that follows what is stored."""
        return Draft(*self._latest())

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
                say, so the caller must forget what it holds in memory.
        """
        self._known = False
        self.store.append(draft.records)
        if self._keeper is not None and draft.records:
            self._keeper.keep(draft.number, draft.head)
        self._number, self._head, self._known = draft.number, draft.head, True

    def event_of(self, record: StoredRecord) -> Event:
        """Returns the event of a record that was written under this key, its deck opened.

        Raises:
            TrustError: The record was altered or written under another key, or its deck does not open.
        """
        if record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} is altered: its contents do not have its digest")
        self.vault.verify_mark(record.number, record.digest, record.mark)
        return decode(record.event, self.vault.open(record.round, record.sealed) if record.sealed else ())

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
