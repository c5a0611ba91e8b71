"""Tables of several people on a durable ledger: what was acknowledged is never lost, and nothing happens twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from certify.errors import InputError, OperationError, TrustError
from certify.model.equipment import Equipment, Row
from certify.rounds.events import Event, PeopleSeated, Sitting
from certify.rounds.journal import Journal, follows
from certify.rounds.ledger import TABLES, Closing, any_row
from certify.rounds.play import Edition
from certify.rounds.store import GENESIS, Record
from certify.rounds.table import TableAction, TableCommand, TableReply, TableState, TableView, view_of
from certify.rounds.tables import Happened, Tables, again
from certify.rounds.voiding import Machine


class NotLoadedError(TrustError):
    """The rules under which a table plays are not loaded."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A command for a table.

    Args:
        table: Name of the table.
        command: What is asked.
        key: Under this key the command is done once, however often it is sent; empty for no key.
        reason: Why, where a person decides (malfunction).
        decided_by: Who decides.
    """

    table: str
    command: TableCommand
    key: str = ""
    reason: str = "not stated"
    decided_by: str = "system"


@dataclass(frozen=True, slots=True)
class _Place:
    """A table as the ledger holds it in memory: its state, the head of its latest round, its keys."""

    state: TableState
    round: str = ""
    head: bytes = GENESIS
    keys: Mapping[str, str] = field(default_factory=dict)


class TableLedger:
    """Tables and their rounds, kept as events in the journal that seats of one player are kept in.

    Args:
        journal: The chain of records; this ledger and that of single seats write it in one thread.
        machine: The editions and the clock.
        rows: Gives the draws of a round of the equipment of a table.
    """

    __slots__ = ("_journal", "_machine", "_places", "_rows")

    def __init__(
        self, journal: Journal, machine: Machine, rows: Callable[[Sequence[Equipment]], Row]
    ) -> None:
        self._journal = journal
        self._machine = machine
        self._rows = rows
        self._places: dict[str, _Place] = {}

    def seat(self, table: str, people: Mapping[str, int], banker: str, sitting: Sitting) -> TableView:
        """Records who sits down with what, and who banks first; every round is played under the rules of now.

        Raises:
            OperationError: People sat down there before.
            InputError: These people make no table of the game.
            LedgerError: It could not be recorded.
        """
        name = id_of(table)
        if self._events(name):
            raise OperationError(f"cannot sit down at {table}: people did before")
        tables = Tables(self._machine.edition, self._machine.clock)
        self._record(table, tables.seat(name, people, banker, sitting))
        return self.view(table)

    def view(self, table: str) -> TableView:
        """Returns what a table shows to everybody.

        Raises:
            InputError: Nobody sat down there.
        """
        return view_of(self._place(table).state)

    def perform(self, request: TableRequest) -> TableReply:
        """Does what a request asks and acknowledges it once it is durable; a refusal changes nothing.

        Raises:
            LedgerError: It could not be recorded; nothing was done.
        """
        place, text = self._place(request.table), str(request.command)
        done = place.keys.get(request.key) if request.key else None
        if done is not None:
            refusal = "" if done == text else f"key {request.key!r} was used for another command"
            return TableReply(done == text, view_of(place.state), refusal)
        try:
            happened = self._step(place.state, request)
        except OperationError as error:
            return TableReply(False, view_of(place.state), str(error))
        self._record(request.table, happened, request.key, text)
        return TableReply(True, self.view(request.table))

    def close_due(self) -> Closing:
        """Voids every open round whose term has passed; a second run finds none. What is decided settles at once.

        A table whose rules are not loaded, or whose records do not replay, is named and left as it is; it does not keep
        the others from being judged.

        Raises:
            LedgerError: It could not be recorded.
        """
        closing = Closing()
        for name in self._journal.store.unresolved():
            if name.startswith(TABLES):
                try:
                    closing += self._expired(name.removeprefix(TABLES))
                except NotLoadedError as error:
                    closing += Closing(not_judged=(f"round {self._latest(name)}: {error}",))
                except TrustError as error:
                    closing += Closing(not_replayed=(f"round {self._latest(name)}: {error}",))
        return closing

    def _expired(self, table: str) -> Closing:
        held = sum(self._place(table).state.gathering.held.values())
        reply = self.perform(TableRequest(table, TableCommand(TableAction.EXPIRE)))
        return Closing(rounds=(reply.view.round,), refunded=held) if reply.done else Closing()

    def _latest(self, name: str) -> str:
        """Returns the id of the latest round of a table, as its records name it."""
        return [record.round for record in self._journal.store.records(seat=name) if record.round][-1]

    def events(self, table: str) -> tuple[Event, ...]:
        """Returns the events of a table, their decks opened.

        Raises:
            TrustError: A record was altered or written under another key, or a deck does not open with it.
        """
        return self._events(id_of(table))

    def round_records(self, round_id: str) -> tuple[Record, ...]:
        """Returns the records of a round in order."""
        return tuple(self._journal.store.records(round_id=round_id))

    def edition_of(self, table: str) -> Edition:
        """Returns the edition under which people sat down at a table.

        Raises:
            InputError: Nobody sat down there.
            NotLoadedError: Its rules are not loaded.
        """
        body = next(
            (event.body for event in self.events(table) if isinstance(event.body, PeopleSeated)), None
        )
        if body is None:
            raise InputError(f"nobody sat down at table {table!r} of this ledger")
        digest = body.rules.submission_sha256
        if digest not in self._machine.editions:
            raise NotLoadedError(f"table {table} plays under rules {digest[:12]}…, which are not loaded")
        return self._machine.editions[digest]

    def _step(self, state: TableState, request: TableRequest) -> Happened:
        edition = self._machine.editions[state.rules.submission_sha256]
        tables, command = Tables(edition, self._machine.clock), request.command
        row: Row = ()
        if command.action is TableAction.DEAL:
            # The deal is verified before a row is drawn: no shuffle is thrown away by a refusal.
            equipment = state.gathering.equipment
            tables.perform(state, command, any_row(equipment))
            row = self._rows(equipment)
        return tables.perform(state, command, row, request.reason, request.decided_by)

    def _record(self, table: str, happened: Happened, key: str = "", text: str = "sit down") -> None:
        """Makes the events of one step durable together; only then does memory know of them."""
        name, (state, events) = id_of(table), happened
        place = self._places.get(name, _Place(state))
        draft, latest, head = self._journal.draft(), place.round, place.head
        for number, event in enumerate(events):
            # One step is one command: its key stands with its first record.
            under = (key, text) if number == 0 else ("", text)
            record = self._journal.add(draft, name, event, follows(event.round, latest, head), *under)
            if event.round:
                latest, head = event.round, record.digest
        try:
            self._journal.commit(draft)
        except BaseException:
            # Whether the records are on the disk is for the store to say, so memory forgets everything.
            self._places.clear()
            raise
        keys = {**place.keys, key: text} if key else place.keys
        self._places[name] = _Place(state, latest, head, keys)

    def _place(self, table: str) -> _Place:
        name = id_of(table)
        if name not in self._places:
            self._places[name] = self._load(table, name)
        return self._places[name]

    def _load(self, table: str, name: str) -> _Place:
        edition = self.edition_of(table)
        latest, head, keys = "", GENESIS, {}
        for record in self._journal.store.records(seat=name):
            if record.round:
                latest, head = record.round, record.digest
            if record.request:
                keys[record.request] = record.command
        return _Place(again(edition, name, self._events(name)), latest, head, keys)

    def _events(self, name: str) -> tuple[Event, ...]:
        return tuple(self._journal.events(name))


def id_of(table: str) -> str:
    """Returns the id under which a ledger keeps a table.

    Raises:
        InputError: A table cannot be named so.
    """
    if not table or not table.isprintable() or table.startswith("@"):
        raise InputError(f"no table can be named {table!r}: expected another name")
    return TABLES + table
