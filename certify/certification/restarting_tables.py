"""Crash and restart of a table of several people: what lies on the disk after each step is opened by another ledger."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from certify.certification.recalled_tables import PEOPLE, TABLE, UNITS
from certify.certification.restarting import AWAY, FILE, Deck, as_it_lies, concluded, opened
from certify.clauses.jurisdiction import Regime
from certify.evidence.life import Situation
from certify.families.registry import family_of
from certify.model.game import Game
from certify.rounds.events import Sitting
from certify.rounds.ledger import Ledger, Request, id_of
from certify.rounds.table import TableAction, TableCommand, TableView, decides

SITUATION: Final = "restart-of-the-ledger-of-several"


def restarted_tables(
    game: Game, regime: Regime, seed: bytes, started: datetime, decks: Sequence[Deck]
) -> tuple[Situation, ...]:
    """Returns what a ledger knows of a table after it was cut off behind every step of a round; nothing where none is.

    Args:
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, from which the key of the decks follows.
        started: Time of the first round.
        decks: Decks of rounds of one player, of which rows of a table are made.
    """
    company = family_of(game).company
    if company is None:
        return ()
    trials: list[tuple[str, str]] = []
    for row in company.rows(decks, len(decks)):
        with tempfile.TemporaryDirectory(prefix="certify-restart-") as folder:
            trials += _tried(game, regime, seed, started, row, Path(folder))
    title = "Several people: the ledger is cut off behind a step and started again from its files"
    expected = "What was acknowledged is there for each person, and the round goes on to the same money"
    return (concluded(SITUATION, title, expected, trials, adopted=True),)


def _tried(
    game: Game, regime: Regime, seed: bytes, started: datetime, row: Deck, folder: Path
) -> list[tuple[str, str]]:
    """Returns, for a restart behind each step, what was acknowledged and what the restarted ledger shows."""
    ledger = opened(game, regime, seed, started, row, folder / FILE)
    highest = game.wagers[0].limits.maximum
    people = dict.fromkeys(PEOPLE, UNITS * highest)
    ledger.gather(TABLE, people, PEOPLE[0], Sitting("session-1", "test bench", "test"))
    stakes = tuple((person, place * highest) for place, person in enumerate(PEOPLE) if place)
    shown: list[tuple[str, str, Path]] = []
    command = TableCommand(TableAction.DEAL, stakes=stakes)
    while (reply := ledger.perform(Request(id_of(TABLE), command))).done:
        view = reply.view
        shown.append((str(command), _money(view), as_it_lies(folder, len(shown))))
        if not view.turn:
            break
        command = decides(view.turn, view.options[0])
    end = _money(ledger.table(TABLE))
    ledger.close()
    found = []
    for told, before, copy in shown:
        again = opened(game, regime, seed, started + AWAY, row, copy / FILE)
        seen = f"after {told}: {_went_on(again)}"
        found.append((f"after {told}: {before} and in the end {end}", seen))
    return found


def _went_on(again: Ledger) -> str:
    """Returns what a restarted ledger shows of the table, and how its round ends."""
    try:
        again.verify()
        view = again.table(TABLE)
        found = _money(view)
        while view.turn:
            view = again.perform(Request(id_of(TABLE), decides(view.turn, view.options[0]))).view
        return f"{found} and in the end {_money(view)}"
    finally:
        again.close()


def _money(view: TableView) -> str:
    held = dict(view.held)
    return ", ".join(f"{person} {has} held {held.get(person, 0)}" for person, has in view.balances)
