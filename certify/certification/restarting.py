"""Crash and restart of the ledger: what lies on the disk after each command is opened by another ledger."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from certify.certification.recalled_rounds import sealing_key
from certify.certification.recalled_tables import PEOPLE, TABLE, UNITS
from certify.children import source_digest
from certify.clauses.jurisdiction import Regime
from certify.clock import SteppedClock
from certify.evidence.life import Situation
from certify.families.registry import family_of
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.rounds.events import SessionOpened, Sitting
from certify.rounds.exercise import default_stakes, under_adopted_terms
from certify.rounds.finishing import finish
from certify.rounds.ledger import Ledger, LedgerRequest, id_of
from certify.rounds.play import calmest, edition_of, funds_for
from certify.rounds.situations import money
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.table import Command, SeatAction, command_for, view_of
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine

SITUATION: Final = "restart-of-the-ledger"
SITUATION_OF_SEVERAL: Final = "restart-of-the-ledger-of-several"
SEAT: Final = "seat"
FILE: Final = "rounds.db"
AWAY: Final = timedelta(minutes=5)

Deck = tuple[int, ...]


class _Round(Protocol):
    """A round that is cut off behind each of its commands."""

    def play(self, ledger: Ledger) -> Iterator[str]:
        """Plays it to its end, and yields each command as soon as it is acknowledged."""
        ...

    def go_on(self, ledger: Ledger, done: int) -> None:
        """Brings it to its end on a ledger that was cut off behind some commands."""
        ...

    def money(self, ledger: Ledger) -> str:
        """Returns where the money stands."""
        ...


@dataclass(slots=True)
class _OfOne:
    """A round of one player: all bets, the deal, what commits to least, settlement."""

    left: list[Sequence[Command]] = field(default_factory=list)

    def play(self, ledger: Ledger) -> Iterator[str]:
        edition = ledger.machine.edition
        stakes, calm = default_stakes(edition.game), calmest(edition.play)
        funds = funds_for(edition.play, stakes)
        ledger.open(SEAT, SessionOpened("player-1", "session-1", "test bench", "test"), funds)
        commands = [Command(SeatAction.PLACE, *stake) for stake in stakes] + [Command(SeatAction.DEAL)]
        commands += [command_for(calm)] if calm else []
        commands.append(Command(SeatAction.SETTLE))
        for number, command in enumerate(commands, start=1):
            # What the draws did not ask for is refused and changes nothing: there is nothing new to lose behind it.
            if ledger.perform(LedgerRequest(SEAT, command)).done:
                self.left.append(commands[number:])
                yield str(command)
        finish(ledger, SEAT)

    def go_on(self, ledger: Ledger, done: int) -> None:
        ledger.perform_all(LedgerRequest(SEAT, command) for command in self.left[done - 1])
        finish(ledger, SEAT)

    def money(self, ledger: Ledger) -> str:
        return money(view_of(ledger.seat(SEAT)))


@dataclass(slots=True)
class _OfSeveral:
    """A round of several people, each of whom decides what commits to least."""

    def play(self, ledger: Ledger) -> Iterator[str]:
        highest = ledger.machine.edition.game.wagers[0].limits.maximum
        people = dict.fromkeys(PEOPLE, UNITS * highest)
        ledger.gather(TABLE, people, PEOPLE[0], Sitting("session-1", "test bench", "test"))
        stakes = tuple((person, place * highest) for place, person in enumerate(PEOPLE) if place)
        command = Command(SeatAction.DEAL, stakes=stakes)
        while (reply := ledger.perform(LedgerRequest(id_of(TABLE), command))).done:
            yield str(command)
            if not reply.view.people.turn:
                return
            command = command_for(reply.view.options[0], reply.view.people.turn)

    def go_on(self, ledger: Ledger, done: int) -> None:
        while (view := ledger.table(TABLE)).people.turn:
            ledger.perform(LedgerRequest(id_of(TABLE), command_for(view.options[0], view.people.turn)))

    def money(self, ledger: Ledger) -> str:
        people = ledger.table(TABLE).people
        held = dict(people.held)
        return ", ".join(f"{person} {has} held {held.get(person, 0)}" for person, has in people.balances)


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
    return _concluded(
        SITUATION,
        "The ledger is cut off behind a command and started again from its files",
        "What was acknowledged is there, and the round goes on to the same money",
        [trial for deck in decks for trial in _tried(_OfOne(), game, regime, seed, started, deck)],
        adopted=under_adopted_terms(SITUATION, game.terms),
    )


def restarted_tables(
    game: Game, regime: Regime, seed: bytes, started: datetime, decks: Sequence[Deck]
) -> tuple[Situation, ...]:
    """Returns the same of a round of several people; nothing where no family seats them together.

    Args:
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, from which the key of the decks follows.
        started: Time of the first round.
        decks: Decks of rounds of one player, of which rows of a table are made.
    """
    player_banked = family_of(game).player_banked
    if player_banked is None:
        return ()
    rows = player_banked.rows(decks, len(decks))
    return (
        _concluded(
            SITUATION_OF_SEVERAL,
            "Several people: the ledger is cut off behind a step and started again from its files",
            "What was acknowledged is there for each person, and the round goes on to the same money",
            [trial for row in rows for trial in _tried(_OfSeveral(), game, regime, seed, started, row)],
            adopted=True,
        ),
    )


def _concluded(
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
    played: _Round, game: Game, regime: Regime, seed: bytes, started: datetime, row: Deck
) -> list[tuple[str, str]]:
    """Returns, for a restart behind each command, what was acknowledged and what the restarted ledger shows."""
    with tempfile.TemporaryDirectory(prefix="certify-restart-") as name:
        folder = Path(name)
        ledger = _opened(game, regime, seed, started, row, folder / FILE)
        shown: list[tuple[str, str, Path]] = []
        for command in played.play(ledger):
            shown.append((command, played.money(ledger), _as_it_lies(folder, len(shown))))
        end = played.money(ledger)
        ledger.close()
        found = []
        for done, (command, before, copy) in enumerate(shown, start=1):
            again = _opened(game, regime, seed, started + AWAY, row, copy / FILE)
            try:
                again.verify()
                seen = played.money(again)
                played.go_on(again, done)
                seen = f"after {command}: {seen} and in the end {played.money(again)}"
            finally:
                again.close()
            found.append((f"after {command}: {before} and in the end {end}", seen))
        return found


def _as_it_lies(folder: Path, number: int) -> Path:
    """Copies the files of a ledger as they lie on the disk while it holds them open; returns where the copies lie."""
    copy = folder / f"after-{number}"
    copy.mkdir()
    for part in folder.glob(f"{FILE}*"):
        shutil.copyfile(part, copy / part.name)
    return copy


def _opened(game: Game, regime: Regime, seed: bytes, instant: datetime, deck: Deck, path: Path) -> Ledger:
    """Opens a ledger of a game, whose decks are sealed under a key that follows from the seed."""
    edition = edition_of(game, regime.policy(game.terms), source_digest())
    machine = Machine({edition.sha256: edition}, edition.sha256, SteppedClock(instant))
    return Ledger(SqliteStore(path), machine, Vault(sealing_key(seed)), lambda _: deck)
