"""The published game as an object, decks, a ledger in a folder and one seat, for the tests of rounds."""

import hashlib
import itertools
import os
import sqlite3
from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.families.registry import family
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules
from certify.families.seven_and_a_half.cards import RANKS, SUITS
from certify.model import Game, Limits, Paytable, PaytableRow, Terms, Wager, shoe
from certify.rounds import (
    Command,
    Ledger,
    LedgerRequest,
    Machine,
    Seat,
    SeatAction,
    SessionOpened,
    Vault,
    command_for,
    edition_of,
    ledger_at,
)

TERMS = Terms(
    malfunction_voids_all=True,
    unresolved_void_after_days=90,
    resume_after_disconnection=True,
    previous_wins_paid=True,
    history_available=True,
)


def paytable(**rows):
    return Paytable(
        tuple(PaytableRow(row.replace("_", "-"), row, Fraction(pays)) for row, pays in rows.items())
    )


def wager(wager_id, maximum, table):
    return Wager(wager_id, wager_id, table, Limits(100, maximum, "EUR"))


def game(terms=TERMS, main=2, sha256="ab" * 32, version="1.0.0"):
    wagers = (
        wager("main", 50000, paytable(king_of_denari_seven_and_a_half=main, win=1)),
        wager("partita-perfetta", 10000, paytable(pair_of_sevens=25, pair_of_faces=15, pair_ace_to_six=10)),
        wager(
            "mano-di-poker",
            10000,
            paytable(royal_flush=100, straight_flush=30, three_of_a_kind=25, flush=5, straight=4),
        ),
    )
    return Game(
        id="playtech-7-e-mezzo",
        title="7 e Mezzo",
        version=version,
        port=family("sette-e-mezzo"),
        supplier="Playtech",
        # The rules of the fixture: its text is proved once for the rounds of both.
        rules=SetteEMezzoRules(
            king_wins_against_dealer_seven_and_a_half=True, pair_condition=PairCondition.UNCONDITIONAL
        ),
        rule_values=(),
        values=(),
        wagers=wagers,
        claims=(),
        terms=terms,
        readings=(),
        sources=(),
        sha256=sha256,
        path="game.toml",
        equipment=(shoe("deck", RANKS, SUITS),),
    )


def deck(seed):
    """Returns a deck in an order that depends on nothing but the seed."""
    return tuple(sorted(range(40), key=lambda card: hashlib.sha256(f"{seed}/{card}".encode()).digest()))


def decks(count):
    return tuple(deck(seed) for seed in range(count))


def deck_from(*first):
    """Returns a deck that begins with some cards, the others in order of their ids."""
    return (*first, *(card for card in range(40) if card not in first))


def balances(events):
    """Returns what each account holds after some events, minor units; they sum to zero."""
    totals = Counter()
    for event in events:
        for posting in event.postings:
            totals[posting.account] += posting.amount
    return dict(totals)


START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def machine_of(played, policy=None, clock=None):
    edition = edition_of(played, policy)
    return Machine({edition.sha256: edition}, edition.sha256, clock or SteppedClock(START))


class Table:
    """Runs operations on one seat and keeps their events."""

    def __init__(self, machine, balance=100_000):
        self.machine, self.clock = machine, machine.clock
        self.events = []
        self.seat = Seat("s")
        self.do("deposit", balance)

    def operate(self, operation, *args):
        if operation == "deal":
            deck, how = (*args, "deal")[:2]
            args = (self.machine.stakes_to_accept(self.seat, how), deck, how)
        return getattr(self.machine, operation)(self.seat, *args)

    def do(self, operation, *args):
        self.seat, event = self.operate(operation, *args)
        self.events.append(event)
        return event

    def refuses(self, operation, *args, match):
        with pytest.raises(OperationError, match=match):
            self.operate(operation, *args)

    @property
    def money(self):
        return self.seat.balance, self.seat.held


KEY = bytes(range(32))
WINS = deck_from(24, 0, 4, 8)
SESSION = SessionOpened("p-7f3a", "session-1", "IT", "EU")


class Room:
    """A ledger in a folder that can be opened again, with a clock and decks of its own."""

    def __init__(self, folder, policy=None, given=(WINS,), edition=None):
        self.path = folder / "ledger.db" if isinstance(folder, Path) and folder.is_dir() else folder
        self.clock = SteppedClock(START)
        edition = edition or edition_of(game(), policy, software="5f" * 32)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.given = itertools.cycle(given)
        self.drawn = 0
        self.ledger = self.open()
        self.ledger.open("a", SESSION, 100_000)

    def open(self, key=KEY):
        return Ledger(ledger_at(self.path), self.machine, Vault(key), self.deck)

    def reopen(self):
        self.ledger.close()
        self.ledger = self.open()

    def deck(self, equipment):
        self.drawn += 1
        return next(self.given)

    def do(self, action, wager="", amount=0, key="", seat="a"):
        # What is no action is a decision.
        known = action in list(SeatAction)
        command = Command(SeatAction(action), wager, amount) if known else command_for(action)
        return self.ledger.perform(LedgerRequest(seat, command, key))

    def play(self, *actions, bets=(("main", 1000), ("mano-di-poker", 100))):
        replies = [self.do("place", *bet) for bet in bets]
        replies += [self.do(action) for action in ("deal", *actions)]
        assert all(reply.done for reply in replies), replies
        return replies[-1].view

    def alter(self, statement, *values):
        """Does to the file what somebody does who goes around the ledger."""
        self.ledger.close()
        with sqlite3.connect(self.path) as connection:
            for trigger in ("record_is_never_changed", "record_is_never_deleted"):
                connection.execute(f"DROP TRIGGER {trigger}")
            connection.execute(statement, values)
        connection.close()
        self.ledger = self.open()


def forked(work):
    """Does work in a process of its own, which ends with the number it returns; returns its id."""
    if (pid := os.fork()) == 0:
        status = 99
        try:
            status = work() or 0
        finally:
            os._exit(status)
    return pid


def ended(children):
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
