"""Rounds on a durable ledger: what was acknowledged is never lost, and nothing happens twice."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from certify.errors import InputError, OperationError, TrustError
from certify.rounds.events import BetsExpired, Event, RoundSettled, SessionOpened
from certify.rounds.journal import Draft, HeadKeeper, Journal, follows
from certify.rounds.machine import Machine
from certify.rounds.sql_store import SqlStore
from certify.rounds.state import Phase, Seat, apply
from certify.rounds.store import GENESIS, Vault
from certify.rounds.system import Draws, step
from certify.rounds.table import Command, Reply, SeatAction, command_for, view_of


def finish(ledger: "Ledger", seat: str) -> None:
    """Decides what is open at a seat, giving up nothing where that is offered, and settles.

    Raises:
        LedgerError: It could not be recorded.
    """
    play = ledger.machine.edition.play
    while (current := ledger.seat(seat).round) is not None and current.phase is Phase.DECISION:
        option = min(current.options, key=play.gives_up)
        if not ledger.perform(LedgerRequest(seat, command_for(option))).done:
            return
    ledger.perform(LedgerRequest(seat, Command(SeatAction.SETTLE)))


DESK: Final = "@desk"
"""The seat at which what concerns the whole game is recorded: its unavailability."""

LONGEST_TEXT: Final = 1_000
"""Characters of the longest text of a request, such as a key or a reason."""

_EXPECTED_TEXT: Final = f"expected texts of at most {LONGEST_TEXT:,} characters that can be written down"

KEPT_PLACES: Final = 16_384
"""Seats kept in memory; the state of any other is made again from its records."""

CLOSED_AT_ONCE: Final = 512
"""Seats whose rounds are closed in one commit."""


@dataclass(frozen=True, slots=True)
class LedgerRequest:
    """A command for the seat of one player.

    Args:
        seat: Id of the seat.
        command: What is requested.
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
    """A seat as the ledger holds it in memory: its state and the head of its latest round."""

    state: Seat
    round: str = ""
    head: bytes = GENESIS

    def take(self, round_id: str, digest: bytes) -> None:
        if round_id:
            self.round, self.head = round_id, digest


@dataclass(slots=True)
class _Batch:
    """Changes that are worked out and not yet durable."""

    draft: Draft
    places: dict[str, _Place] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Closing:
    """What a run over open rounds closed, money in minor units.

    Args:
        rounds: Ids of the rounds that became void by their term.
        settled: Ids of the rounds whose known result was settled.
        refunded: Returned to players.
        forfeited: Kept by the house.
        paid: Paid by settlement.
        not_judged: Rounds that could not be judged, for their rules are not loaded, each with the reason.
        not_replayed: Rounds whose records do not replay, each with the reason; they were left as they are.
    """

    rounds: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    refunded: int = 0
    forfeited: int = 0
    paid: int = 0
    not_judged: tuple[str, ...] = ()
    not_replayed: tuple[str, ...] = ()


def _closing(events: Sequence[Event], not_judged: Sequence[str], not_replayed: Sequence[str]) -> Closing:
    """Returns what closed with some events."""
    expired = [(event.round, event.body) for event in events if isinstance(event.body, BetsExpired)]
    settled = [(event.round, event.body) for event in events if isinstance(event.body, RoundSettled)]
    return Closing(
        rounds=tuple(round_id for round_id, _ in expired),
        settled=tuple(round_id for round_id, _ in settled),
        refunded=sum(body.refunded for _, body in expired),
        forfeited=sum(body.forfeited for _, body in expired),
        paid=sum(body.returned for _, body in settled),
        not_judged=tuple(not_judged),
        not_replayed=tuple(not_replayed),
    )


class Ledger:
    """Seats of one player and their rounds, kept as events in a store.

    Args:
        store: Where records are kept; this ledger is its only writer, in one thread.
        machine: The operations, with clock and editions.
        vault: Seals the decks of open rounds.
        rows: Gives freshly dealt draws of the equipment for each deal.
        keeper: Keeps each head outside of the ledger before it is acknowledged; none where left out.
    """

    __slots__ = ("_places", "_rows", "journal", "machine")

    def __init__(
        self,
        store: SqlStore,
        machine: Machine,
        vault: Vault,
        rows: Draws,
        keeper: HeadKeeper | None = None,
    ) -> None:
        self.journal = Journal(store, vault, keeper)
        self.machine = machine
        self._rows = rows
        self._places: dict[str, _Place] = {}

    @property
    def head(self) -> bytes:
        """Digest of the latest record; noted elsewhere, it shows a ledger that was cut off."""
        return self.journal.head

    def seat(self, seat_id: str) -> Seat:
        """Returns the state of a seat; a fresh one where nothing happened yet."""
        return available(self._place(seat_id).state, self._place(DESK).state)

    def open(self, seat_id: str, session: SessionOpened, funds: int) -> Seat:
        """Records who sits down with which funds.

        Raises:
            OperationError: The seat was opened before, or the funds are not positive.
            LedgerError: It could not be recorded.
        """
        verify_texts(seat_id, session.player, session.session, session.location, session.jurisdiction)
        if not seat_id or seat_id.startswith("@"):
            raise InputError(f"no seat can be named {seat_id!r}: expected another id")
        batch = self._batch()
        place = self._working(batch, seat_id)
        state, event = self.machine.open(place.state, session)
        self._take(batch, place, state, event, "", "open")
        state, event = self.machine.deposit(state, funds)
        self._take(batch, place, state, event, "", "deposit")
        self._commit(batch)
        return self.seat(seat_id)

    def perform(self, request: LedgerRequest) -> Reply:
        """Does what a request asks and acknowledges it once it is durable.

        Raises:
            LedgerError: It could not be recorded; nothing was done.
        """
        return self.perform_all((request,))[0]

    def perform_all(self, requests: Iterable[LedgerRequest]) -> tuple[Reply, ...]:
        """Does what several requests ask of seats, makes it durable together and then acknowledges it.

        A refused request changes nothing and does not keep the others from being done.

        Raises:
            LedgerError: They could not be recorded; none was done.
        """
        batch = self._batch()
        replies = tuple(self._reply(batch, request) for request in requests)
        self._commit(batch)
        return replies

    def close_due(self) -> Closing:
        """Settles every round whose result is known, and then voids every unresolved bet whose term has passed.

        What needs nothing more of the player is settled first, as after a restart (GLI-19 4.16.3(a)); a second run
        finds nothing left to close. A round whose rules are not loaded, or whose records do not replay, is named and
        left as it is; it does not keep the others from being judged.

        Raises:
            LedgerError: It could not be recorded.
        """
        seats = list(self.journal.store.unresolved())
        events, not_judged, not_replayed = list[Event](), list[str](), list[str]()
        for start in range(0, len(seats), CLOSED_AT_ONCE):
            batch = self._batch()
            desk = self._working(batch, DESK)
            for seat_id in seats[start : start + CLOSED_AT_ONCE]:
                try:
                    place = self._working(batch, seat_id)
                    command = self._closer(place.state)
                except TrustError as error:
                    not_replayed.append(f"round {self._latest(seat_id)}: {error}")
                except OperationError as error:
                    not_judged.append(str(error))
                else:
                    request = LedgerRequest(seat_id, command)
                    with suppress(OperationError):
                        events.append(self._do(batch, place, desk, "", str(command), request))
            self._commit(batch)
        return _closing(events, not_judged, not_replayed)

    def _closer(self, state: Seat) -> Command:
        """Returns what closes a round as soon as it is allowed.

        Raises:
            OperationError: Its rules are not loaded.
        """
        current = state.round
        if current is None or self.machine.is_void(state, current):
            return Command(SeatAction.EXPIRE)
        return Command(SeatAction.SETTLE if current.phase is Phase.RESOLVED else SeatAction.EXPIRE)

    def _latest(self, seat_id: str) -> str:
        """Returns the id of the latest round of a seat, as its records name it."""
        return [record.round for record in self.journal.store.records(seat=seat_id) if record.round][-1]

    def close(self) -> None:
        """Releases the store."""
        self.journal.store.close()

    def _batch(self) -> _Batch:
        return _Batch(self.journal.draft())

    def _commit(self, batch: _Batch) -> None:
        """Makes a batch durable; only then does the ledger in memory know of it."""
        try:
            self.journal.commit(batch.draft)
        except BaseException:
            # Whether the records are on the disk is for the store to say, so memory forgets everything.
            self._places.clear()
            raise
        for seat_id, place in batch.places.items():
            self._places.pop(seat_id, None)
            self._places[seat_id] = place
        # Whoever was away longest goes first; who comes back is made again from the store.
        for seat_id in list(islice(self._places, max(0, len(self._places) - KEPT_PLACES))):
            del self._places[seat_id]

    def _reply(self, batch: _Batch, request: LedgerRequest) -> Reply:
        seat_id, command = request.seat, request.command
        places = batch.places
        place = places.get(seat_id) or self._working(batch, seat_id)
        desk = places.get(DESK) or self._working(batch, DESK)
        text = str(command)
        if not _can_be_kept(request.key, request.reason, request.decided_by, text):
            return _answer(place, desk, _EXPECTED_TEXT)
        at_desk = command.action is SeatAction.SUSPEND or command.action is SeatAction.RESTORE
        key = _desk_key(request) if at_desk else request.key
        done = self._done_under(batch, request)
        if done is not None:
            other = f"key {request.key!r} was used for another command, expected a fresh key"
            return _answer(place, desk, "" if done == text else other)
        try:
            self._do(batch, desk if at_desk else place, desk, key, text, request)
        except OperationError as error:
            return _answer(place, desk, str(error))
        return _answer(place, desk)

    def _done_under(self, batch: _Batch, request: LedgerRequest) -> str | None:
        """Returns the command that was done under a key, at the seat or for it at the desk; None where none was."""
        if not request.key:
            return None
        places = ((request.seat, request.key), (DESK, _desk_key(request)))
        found = (batch.keys.get(one) or self.journal.store.command_under(*one) for one in places)
        return next((done for done in found if done is not None), None)

    def _do(
        self,
        batch: _Batch,
        place: _Place,
        desk: _Place,
        key: str,
        text: str,
        request: LedgerRequest,
    ) -> Event:
        """Does what a request asks at a seat, drafts its record and returns what happened."""
        state = place.state
        offered = available(state, desk.state)
        after, event = step(
            self.machine, offered, request.command, self._rows, request.reason, request.decided_by
        )
        # What the desk says about the game is lent to a seat for the operation and not kept there.
        self._take(batch, place, after if offered is state else available(after, state), event, key, text)
        return event

    def _take(self, batch: _Batch, place: _Place, after: Seat, event: Event, key: str, text: str) -> None:
        """Drafts the record of a step, and leaves a seat in the state after it."""
        previous = follows(event.round, place.round, place.head)
        place.take(event.round, self.journal.add(batch.draft, after.id, event, previous, key, text).digest)
        if key:
            batch.keys[after.id, key] = text
        place.state = after

    def _working(self, batch: _Batch, seat_id: str) -> _Place:
        """Returns a seat as a batch changes it; the ledger knows of it once the batch is durable."""
        if seat_id not in batch.places:
            kept = self._place(seat_id)
            batch.places[seat_id] = _Place(kept.state, kept.round, kept.head)
        return batch.places[seat_id]

    def _place(self, seat_id: str) -> _Place:
        if seat_id not in self._places:
            self._places[seat_id] = self._load(seat_id)
        return self._places[seat_id]

    def _load(self, seat_id: str) -> _Place:
        verify_texts(seat_id)
        place = _Place(Seat(seat_id))
        for record in self.journal.store.records(seat=seat_id):
            event = self.journal.event_of(record)
            place.state = apply(place.state, event)
            place.take(event.round, record.digest)
        return place


def _answer(place: _Place, desk: _Place, refusal: str = "") -> Reply:
    return Reply(not refusal, view_of(available(place.state, desk.state)), refusal)


def available(state: Seat, desk: Seat) -> Seat:
    """Returns a seat with what the desk says about the game."""
    return replace(state, suspended=desk.suspended) if state.suspended != desk.suspended else state


def verify_texts(*texts: str) -> None:
    """Refuses texts that no record can hold.

    Raises:
        InputError: One is too long, or is no text that can be written down.
    """
    if not _can_be_kept(*texts):
        raise InputError(_EXPECTED_TEXT)


def _can_be_kept(*texts: str) -> bool:
    if max(map(len, texts)) > LONGEST_TEXT:
        return False
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def _desk_key(request: LedgerRequest) -> str:
    """Returns the key of a request at the desk, where keys of all seats meet."""
    return json.dumps([request.seat, request.key]) if request.key and request.seat != DESK else request.key
