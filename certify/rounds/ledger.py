"""Rounds on a durable ledger: what was acknowledged is never lost, and nothing happens twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final

from certify.errors import InputError, OperationError
from certify.model.equipment import Equipment, completed
from certify.rounds.events import Event, SessionOpened
from certify.rounds.journal import Draft, Journal, follows
from certify.rounds.operations import Step
from certify.rounds.probe import Deck
from certify.rounds.state import Phase, Seat, apply
from certify.rounds.store import GENESIS, Record, Store
from certify.rounds.system import DEALS, Action, Command, Reply, View, step, view_of
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine

DESK: Final = "@desk"
"""The seat at which what concerns the whole game is recorded: its unavailability."""

TABLES: Final = "@table/"
"""What the id of a table of several people begins with; no seat of one player is named so."""


@dataclass(frozen=True, slots=True)
class Request:
    """A command for a seat.

    Args:
        seat: Id of the seat.
        command: What is asked.
        key: Under this key the command is done once, however often it is sent; empty for no key.
        reason: Why, where a person decides (malfunction, suspension).
        decided_by: Who decides.
    """

    seat: str
    command: Command
    key: str = ""
    reason: str = "not stated"
    decided_by: str = "system"


@dataclass(slots=True)
class _Place:
    """A seat as the ledger holds it in memory: its state, the head of its latest round, its keys."""

    seat: Seat
    round: str = ""
    head: bytes = GENESIS
    keys: dict[str, str] = field(default_factory=dict)

    def copy(self) -> _Place:
        """Returns a place to work on; keys are added to the shared ones only once they are durable."""
        return _Place(self.seat, self.round, self.head, self.keys)

    def take(self, seat: Seat, event: Event, digest: bytes) -> None:
        self.seat = seat
        if event.round:
            self.round, self.head = event.round, digest


@dataclass(slots=True)
class _Batch:
    """Changes that are worked out and not yet durable."""

    draft: Draft
    places: dict[str, _Place] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Closing:
    """What a run over unresolved rounds closed, money in minor units.

    Args:
        rounds: Ids of the rounds.
        refunded: Returned to players.
        forfeited: Kept by the house.
        paid: Paid by settlement.
        not_judged: Rounds that could not be judged, for their rules are not loaded, each with the reason.
        not_replayed: Tables whose records do not replay, each with the reason; their rounds were left as they are.
    """

    rounds: tuple[str, ...] = ()
    refunded: int = 0
    forfeited: int = 0
    paid: int = 0
    not_judged: tuple[str, ...] = ()
    not_replayed: tuple[str, ...] = ()

    def __add__(self, other: Closing) -> Closing:
        """Returns what two runs closed together."""
        return Closing(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


class Ledger:
    """Seats and their rounds, kept as events in a store.

    Args:
        store: Where records are kept; this ledger is its only writer, in one thread.
        machine: The operations, with clock and editions.
        vault: Seals the decks of open rounds.
        decks: Gives a freshly shuffled deck for each deal.
    """

    __slots__ = ("_decks", "_journal", "_machine", "_places")

    def __init__(self, store: Store, machine: Machine, vault: Vault, decks: Callable[[], Deck]) -> None:
        self._journal = Journal(store, vault)
        self._machine = machine
        self._decks = decks
        self._places: dict[str, _Place] = {}

    @property
    def journal(self) -> Journal:
        """The chain of records, which tables of several people share."""
        return self._journal

    @property
    def head(self) -> bytes:
        """Digest of the latest record; noted elsewhere, it shows a ledger that was cut off."""
        return self._journal.head

    @property
    def machine(self) -> Machine:
        """The operations that the ledger records."""
        return self._machine

    def seat(self, seat_id: str) -> Seat:
        """Returns the state of a seat; a fresh one where nothing happened yet."""
        return self._available(self._place(seat_id).seat, self._place(DESK).seat)

    def open(self, seat_id: str, session: SessionOpened, funds: int) -> Seat:
        """Records who sits down with which funds.

        Raises:
            OperationError: The seat was opened before, or the funds are not positive.
            LedgerError: It could not be recorded.
        """
        if not seat_id or seat_id.startswith("@"):
            raise InputError(f"no seat can be named {seat_id!r}: expected another id")
        batch = self._batch()
        self._do(batch, seat_id, "", "open", lambda seat: self._machine.open(seat, session))
        self._do(batch, seat_id, "", "deposit", lambda seat: self._machine.deposit(seat, funds))
        self._commit(batch)
        return self.seat(seat_id)

    def perform(self, request: Request) -> Reply:
        """Does what a request asks and acknowledges it once it is durable.

        Raises:
            LedgerError: It could not be recorded; nothing was done.
        """
        return self.perform_all((request,))[0]

    def perform_all(self, requests: Iterable[Request]) -> tuple[Reply, ...]:
        """Does what several requests ask, makes it durable together and then acknowledges it.

        A refused request changes nothing and does not keep the others from being done.

        Raises:
            LedgerError: They could not be recorded; none was done.
        """
        batch = self._batch()
        replies = tuple(self._reply(batch, request) for request in requests)
        self._commit(batch)
        return replies

    def expire_due(self) -> Closing:
        """Voids every unresolved bet whose term has passed; a second run finds nothing left to void.

        A round whose rules are not loaded is named and left as it is; it does not keep the others from being judged.

        Raises:
            LedgerError: It could not be recorded.
        """
        return self._close_all(Action.EXPIRE)

    def settle_due(self) -> Closing:
        """Settles every round without open decisions, as after a restart (GLI-19 4.16.3(a)).

        Raises:
            LedgerError: It could not be recorded.
        """
        return self._close_all(Action.SETTLE)

    def events(self, seat_id: str) -> Iterator[Event]:
        """Yields the events of a seat, their decks opened.

        Raises:
            TrustError: A record was altered or written under another key, or a deck does not open with it.
        """
        yield from self._journal.events(seat_id)

    def round_records(self, round_id: str) -> tuple[Record, ...]:
        """Returns the records of a round in order."""
        return tuple(self._journal.store.records(round_id=round_id))

    def event_of(self, record: Record) -> Event:
        """Returns the event of a record that was written under this key, its deck opened.

        Raises:
            TrustError: The record was altered or written under another key, or its deck does not open.
        """
        return self._journal.event_of(record)

    def verify(self, head: bytes | None = None) -> int:
        """Checks every record of the ledger, its keyed mark included, and returns their number.

        Raises:
            TrustError: A record is altered, missing or out of order, or the noted head is not among them.
        """
        return self._journal.verify(head)

    def close(self) -> None:
        """Releases the store."""
        self._journal.store.close()

    def _close_all(self, action: Action) -> Closing:
        batch = self._batch()
        closing = Closing()
        for seat_id in self._journal.store.unresolved():
            if seat_id.startswith(TABLES):
                continue
            before = self._working(batch, seat_id).seat
            if before.round is None:
                continue
            try:
                self._machine.edition_of(before.round)
            except OperationError as error:
                closing += Closing(not_judged=(str(error),))
                continue
            reply = self._reply(batch, Request(seat_id, Command(action)))
            if reply.done:
                closing += _closed(before.round.id, before.held, reply)
        self._commit(batch)
        return closing

    def _batch(self) -> _Batch:
        return _Batch(self._journal.draft())

    def _commit(self, batch: _Batch) -> None:
        """Makes a batch durable; only then does the ledger in memory know of it."""
        try:
            self._journal.commit(batch.draft)
        except BaseException:
            # Whether the records are on the disk is for the store to say, so memory forgets everything.
            self._places.clear()
            raise
        self._places.update(batch.places)
        for (seat_id, key), text in batch.keys.items():
            self._places[seat_id].keys[key] = text

    def _reply(self, batch: _Batch, request: Request) -> Reply:
        text = str(request.command)
        target = DESK if request.command.action in (Action.SUSPEND, Action.RESTORE) else request.seat
        key = _desk_key(request) if target == DESK else request.key
        done = self._done_under(batch, request)
        if done is not None and done != text:
            refusal = f"key {request.key!r} was used for another command, expected a fresh key"
            return Reply(False, self._view(batch, request.seat), refusal)
        try:
            if done is None:
                self._do(batch, target, key, text, lambda seat: self._step(seat, request))
        except OperationError as error:
            return Reply(False, self._view(batch, request.seat), str(error))
        return Reply(True, self._view(batch, request.seat))

    def _done_under(self, batch: _Batch, request: Request) -> str | None:
        """Returns the command that was done under a key, at the seat or for it at the desk; None where none was."""
        if not request.key:
            return None
        for place, key in ((request.seat, request.key), (DESK, _desk_key(request))):
            done = batch.keys.get((place, key)) or self._working(batch, place).keys.get(key)
            if done is not None:
                return done
        return None

    def _step(self, seat: Seat, request: Request) -> Step:
        machine, command = self._machine, request.command
        match command.action:
            case Action.MALFUNCTION:
                return machine.malfunction(seat, request.reason, request.decided_by)
            case Action.SUSPEND:
                return machine.suspend(seat, request.reason, request.decided_by)
            case Action.RESTORE:
                return machine.restore(seat, request.reason, request.decided_by)
            case action if action in DEALS:
                # The deal is verified before a deck is drawn: no shuffle is thrown away by a refusal.
                _verify_deal(machine, seat, action)
                return step(machine, seat, command, self._decks())
            case _:
                return step(machine, seat, command, ())

    def _do(
        self, batch: _Batch, seat_id: str, key: str, text: str, operation: Callable[[Seat], Step]
    ) -> None:
        place = self._working(batch, seat_id)
        desk = self._working(batch, DESK)
        offered = place.seat if seat_id == DESK else self._available(place.seat, desk.seat)
        after, event = operation(offered)
        previous = follows(event.round, place.round, place.head)
        record = self._journal.add(batch.draft, place.seat.id, event, previous, key, text)
        # What the desk says about the game is lent to a seat for the operation and not kept there.
        place.take(after if offered is place.seat else apply(place.seat, event), event, record.digest)
        if key:
            batch.keys[seat_id, key] = text

    def _working(self, batch: _Batch, seat_id: str) -> _Place:
        if seat_id not in batch.places:
            batch.places[seat_id] = self._place(seat_id).copy()
        return batch.places[seat_id]

    def _place(self, seat_id: str) -> _Place:
        if seat_id not in self._places:
            self._places[seat_id] = self._load(seat_id)
        return self._places[seat_id]

    def _load(self, seat_id: str) -> _Place:
        if seat_id.startswith(TABLES):
            raise InputError(f"{seat_id} is a table of several people: expected a seat of one player")
        place = _Place(Seat(seat_id))
        for record in self._journal.store.records(seat=seat_id):
            event = self.event_of(record)
            place.take(apply(place.seat, event), event, record.digest)
            if record.request:
                place.keys[record.request] = record.command
        return place

    def _view(self, batch: _Batch, seat_id: str) -> View:
        return view_of(self._available(self._working(batch, seat_id).seat, self._working(batch, DESK).seat))

    @staticmethod
    def _available(seat: Seat, desk: Seat) -> Seat:
        return replace(seat, suspended=desk.suspended) if seat.suspended != desk.suspended else seat


def _desk_key(request: Request) -> str:
    """Returns the key of a request at the desk, where keys of all seats meet."""
    return json.dumps([request.seat, request.key]) if request.key and request.seat != DESK else request.key


def _verify_deal(machine: Machine, seat: Seat, action: Action) -> None:
    row = any_row(machine.edition.game.equipment)
    match action:
        case Action.DEAL:
            machine.verify_deal(seat, row)
        case Action.REBET_AND_DEAL:
            machine.verify_rebet_and_deal(seat, row)
        case _:
            machine.verify_double_and_deal(seat, row)


def any_row(equipment: Sequence[Equipment]) -> Deck:
    """Returns a row of draws that the equipment can give, for a deal that is verified before one is drawn."""
    return tuple(item for piece in equipment for item in completed((piece,), ()))


def _closed(round_id: str, held: int, reply: Reply) -> Closing:
    view = reply.view
    expired = view.phase == Phase.EXPIRED
    return Closing(
        rounds=(round_id,),
        refunded=view.refunded,
        forfeited=held - view.refunded if expired else 0,
        paid=sum(amount for _, amount in view.returned),
    )


def balances(events: Iterable[Event]) -> Mapping[str, int]:
    """Returns what each account holds after some events, minor units; they sum to zero."""
    totals: dict[str, int] = {}
    for event in events:
        for posting in event.postings:
            totals[posting.account] = totals.get(posting.account, 0) + posting.amount
    return totals
