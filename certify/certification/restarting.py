"""Crash and restart of the ledger: what lies on the disk after each command is opened by another ledger."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from certify.certification.recalled_rounds import sealing_key
from certify.clauses.jurisdiction import Regime
from certify.clock import SteppedClock
from certify.evidence.life import Situation
from certify.executors.environment import source_digest
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.rounds.events import SessionOpened
from certify.rounds.exercise import default_stakes, under_adopted_terms
from certify.rounds.finishing import finish
from certify.rounds.ledger import Ledger, Request
from certify.rounds.play import calmest, edition_of, funds_for
from certify.rounds.situations import money
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.system import Action, Command, command_for, view_of
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine

SITUATION: Final = "restart-of-the-ledger"
SEAT: Final = "seat"
FILE: Final = "rounds.db"
AWAY: Final = timedelta(minutes=5)

Deck = tuple[int, ...]


def restarted(game: Game, regime: Regime, seed: bytes, started: datetime, decks: Sequence[Deck]) -> Situation:
    """Returns what a ledger knows after it was cut off behind every acknowledged command of a round.

    The files are taken as they lie on the disk while the first ledger still holds them open, as after a loss of power;
    a ledger of its own opens them, shows the round, and brings it to its end.

    Args:
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, from which the key of the decks follows.
        started: Time of the first round.
        decks: Decks of the rounds, one each.
    """
    trials: list[tuple[str, str]] = []
    for deck in decks:
        with tempfile.TemporaryDirectory(prefix="certify-restart-") as folder:
            trials += _tried(game, regime, seed, started, deck, Path(folder))
    return concluded(
        SITUATION,
        "The ledger is cut off behind a command and started again from its files",
        "What was acknowledged is there, and the round goes on to the same money",
        trials,
        adopted=under_adopted_terms(SITUATION, game.terms),
    )


def concluded(
    situation: str, title: str, expected: str, trials: Sequence[tuple[str, str]], *, adopted: bool
) -> Situation:
    """Returns what restarts came to, each told as what was expected and what was seen."""
    failures = [(expected, seen) for expected, seen in trials if expected != seen]
    shown = failures[0] if failures else trials[0]
    observed = (
        f"{len(failures)} of {len(trials)} restarts differ; the first: expected {shown[0]}; observed {shown[1]}"
        if failures
        else f"as expected in all {len(trials)} restarts, such as: {shown[1]}"
    )
    return Situation(
        id=situation,
        situation=title,
        expected=expected,
        observed=observed,
        verdict=Verdict.NOT_SATISFIED if failures else Verdict.SATISFIED,
        trials=len(trials),
        failures=len(failures),
        evidence=(),
        clauses=("GLI-19 4.16.1", "GLI-19 4.16.2", "GLI-19 4.16.3(b)"),
        adopted_terms=adopted,
    )


def _tried(
    game: Game, regime: Regime, seed: bytes, started: datetime, deck: Deck, folder: Path
) -> list[tuple[str, str]]:
    """Returns, for a restart behind each command, what was acknowledged and what the restarted ledger shows."""
    ledger = opened(game, regime, seed, started, deck, folder / FILE)
    stakes, play = default_stakes(game), ledger.machine.edition.play
    ledger.open(SEAT, SessionOpened("player-1", "session-1", "test bench", "test"), funds_for(play, stakes))
    commands = [Command(Action.PLACE, *stake) for stake in stakes] + [Command(Action.DEAL)]
    calm = calmest(play)
    commands += [command_for(calm)] if calm else []
    commands.append(Command(Action.SETTLE))
    shown: list[tuple[Command, str, Path, list[Command]]] = []
    for number, command in enumerate(commands):
        # What the draws did not ask for is refused and changes nothing: there is nothing new to lose behind it.
        if not ledger.perform(Request(SEAT, command)).done:
            continue
        copy = as_it_lies(folder, number)
        shown.append((command, money(view_of(ledger.seat(SEAT))), copy, commands[number + 1 :]))
    finish(ledger, SEAT)
    end = money(view_of(ledger.seat(SEAT)))
    ledger.close()
    found = []
    for command, before, copy, rest in shown:
        again = opened(game, regime, seed, started + AWAY, deck, copy / FILE)
        found.append(
            (f"after {command}: {before} and in the end {end}", f"after {command}: {_went_on(again, rest)}")
        )
    return found


def _went_on(again: Ledger, rest: Sequence[Command]) -> str:
    """Returns what a restarted ledger shows, and how it brings the round to its end by the commands that are left."""
    try:
        again.verify()
        found = money(view_of(again.seat(SEAT)))
        again.perform_all(Request(SEAT, command) for command in rest)
        finish(again, SEAT)
        return f"{found} and in the end {money(view_of(again.seat(SEAT)))}"
    finally:
        again.close()


def as_it_lies(folder: Path, number: int) -> Path:
    """Copies the files of a ledger as they lie on the disk while it holds them open; returns where the copies lie."""
    copy = folder / f"after-{number}"
    copy.mkdir()
    for part in folder.glob(f"{FILE}*"):
        shutil.copyfile(part, copy / part.name)
    return copy


def opened(game: Game, regime: Regime, seed: bytes, instant: datetime, deck: Deck, path: Path) -> Ledger:
    """Opens a ledger of a game, whose decks are sealed under a key that follows from the seed."""
    edition = edition_of(game, regime.policy(game.terms), source_digest())
    machine = Machine({edition.sha256: edition}, edition.sha256, SteppedClock(instant))
    return Ledger(SqliteStore(path), machine, Vault(sealing_key(seed)), lambda _: deck)
