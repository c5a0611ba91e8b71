"""Rounds played on a durable ledger and recalled from it, as a player or a regulator would ask for them."""

from __future__ import annotations

import hashlib
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from certify.children import source_digest
from certify.clauses.jurisdiction import Regime
from certify.clock import SteppedClock
from certify.model.game import Game
from certify.rounds.events import SessionOpened
from certify.rounds.exercise import default_stakes
from certify.rounds.ledger import Ledger, LedgerRequest, finish
from certify.rounds.machine import Machine
from certify.rounds.play import Play, edition_of, funds_for
from certify.rounds.recall import RoundRecord, recall
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import Vault
from certify.rounds.table import Command, SeatAction, command_for
from certify.simulation import StreamDecks

ROUNDS: Final = 12
SEAT: Final = "seat"
_BETWEEN: Final = timedelta(seconds=7)


def _after_deal(play: Play) -> tuple[tuple[Command, ...], ...]:
    """Returns what follows the deal, in turn: a plain round, decisions, an interruption, a malfunction.

    Every decision that the rules offer is taken, what gives up last; where a decision adds a stake, an interruption
    and a malfunction follow the one that adds most. What is left open is decided by what commits to least.
    """
    settle, interrupted = (
        Command(SeatAction.SETTLE),
        (Command(SeatAction.DISCONNECT), Command(SeatAction.RESUME)),
    )
    decided = tuple((command_for(one),) for one in sorted(play.decisions, key=play.gives_up))
    after: tuple[tuple[Command, ...], ...] = ((*interrupted,), (Command(SeatAction.MALFUNCTION),))
    if play.adds_stakes:
        most = max(play.options.values(), key=lambda option: sum(units for _, units in option.adds))
        last = command_for(most.id)
        after = ((*interrupted, last, settle), (last, Command(SeatAction.MALFUNCTION)), after[-1])
    return (*(decided or ((),)), *after)


def sealing_key(seed: bytes) -> bytes:
    """Returns the key of the decks of a ledger that lives for a moment: it follows from the seed, to be repeatable."""
    return hashlib.sha256(b"certify recall vault" + seed).digest()


def recalled_rounds(game: Game, regime: Regime, seed: bytes, started: datetime) -> tuple[RoundRecord, ...]:
    """Plays rounds on a ledger of its own and returns what recall gives of them.

    Args:
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, from which the decks are dealt.
        started: Time of the first round.

    Raises:
        TrustError: A record was altered, or a replay does not reproduce what was recorded.
    """
    # Stream 0 of this purpose deals the decks on which the terms are exercised.
    decks = [tuple(deck) for deck in StreamDecks.of(game, seed, "round-exercise").deal(1, ROUNDS).tolist()]
    rows = iter(decks)
    edition = edition_of(game, regime.policy(game.terms), source_digest())
    clock = SteppedClock(started)
    vault = Vault(sealing_key(seed))
    with tempfile.TemporaryDirectory(prefix="certify-ledger-") as folder:
        store = SqliteStore(Path(folder, "rounds.db"))
        machine = Machine({edition.sha256: edition}, edition.sha256, clock)
        ledger = Ledger(store, machine, vault, lambda _: next(rows))
        try:
            _play(ledger, clock, game, ",".join(regime.names))
            ledger.journal.verify()
            ids = dict.fromkeys(event.round for event in ledger.journal.events(SEAT) if event.round)
            return tuple(recall(ledger, round_id) for round_id in ids)
        finally:
            ledger.close()


def _play(ledger: Ledger, clock: SteppedClock, game: Game, jurisdiction: str) -> None:
    """Plays the rounds at one seat."""
    stakes, play = default_stakes(game), ledger.machine.edition.play
    scripts = _after_deal(play)
    funds = ROUNDS * funds_for(play, stakes)
    ledger.open(SEAT, SessionOpened("player-1", "session-1", "test bench", jurisdiction), funds)
    for number in range(ROUNDS):
        asked = [Command(SeatAction.PLACE, *stake) for stake in stakes]
        asked += [Command(SeatAction.DEAL), *scripts[number % len(scripts)]]
        ledger.perform_all(
            LedgerRequest(SEAT, command, reason="planted for the test", decided_by="certify")
            for command in asked
        )
        # A decision that the draws did not ask for was refused; what is open is decided and settled.
        finish(ledger, SEAT)
        clock.advance(_BETWEEN)
