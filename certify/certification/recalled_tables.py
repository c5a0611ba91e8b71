"""Rounds of several people played on a durable ledger and recalled from it, person by person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from certify.clock import SteppedClock
from certify.families.registry import family_of
from certify.model.equipment import Row
from certify.model.game import Game
from certify.rounds.events import Sitting
from certify.rounds.ledger import Ledger, LedgerRequest, id_of
from certify.rounds.recall import RoundRecord, recall_people
from certify.rounds.table import Command, SeatAction, View, command_for

TABLE: Final = "table"
PEOPLE: Final = ("first banker", "seat 1", "seat 2")
UNITS: Final = 1_000
"""What each brings, in units of the highest stake."""

_AWAY: Final = timedelta(hours=1)
"""How long somebody stays away: long enough for the least to be decided for them."""

_BETWEEN: Final = timedelta(seconds=7)

Asks = Callable[[View], Command]
"""What is asked, by what the table shows."""


def rows_of_tables(game: Game, decks: Sequence[Row]) -> Sequence[Row]:
    """Returns rows of draws of a table, made of decks of rounds of one player; none where nobody sits together."""
    player_banked = family_of(game).player_banked
    return player_banked.rows(decks, len(_rounds(timedelta()))) if player_banked is not None else ()


def recalled_tables(
    ledger: Ledger, clock: SteppedClock, game: Game, jurisdiction: str
) -> tuple[RoundRecord, ...]:
    """Plays rounds at a table of a ledger and returns what recall gives of them to each person; nothing where none is.

    Args:
        ledger: The ledger.
        clock: Its clock.
        game: The submission.
        jurisdiction: Whose rules the policy follows.

    Raises:
        TrustError: A record was altered, or a replay does not reproduce what was recorded.
    """
    if family_of(game).player_banked is None:
        return ()
    rounds = _rounds(timedelta(days=ledger.machine.edition.policy.void_after_days))
    limits = game.wagers[0].limits
    people = dict.fromkeys(PEOPLE, UNITS * limits.maximum)
    ledger.gather(TABLE, people, PEOPLE[0], Sitting("session-1", "test bench", jurisdiction))
    for befalls in rounds:
        banker = ledger.table(TABLE).people.banker
        stakes = tuple((one, limits.minimum * place) for place, one in enumerate(PEOPLE, 1) if one != banker)
        view = _asked(ledger, Command(SeatAction.DEAL, stakes=stakes))
        for one in befalls:
            if isinstance(one, timedelta):
                clock.advance(one)
            else:
                view = _asked(ledger, one(view))
        while view.people.turn:
            view = _asked(ledger, command_for(view.options[0], view.people.turn))
        clock.advance(_BETWEEN)
    return recall_people(ledger, id_of(TABLE))


def _rounds(term: timedelta) -> tuple[tuple[timedelta | Asks, ...], ...]:
    """Returns what befalls each round: nothing, a bold decision, somebody away, a malfunction, the end of the term.

    What is still open then is decided by what commits to least.
    """
    return (
        (),
        (_boldly,),
        (_leaves, _AWAY, lambda view: Command(SeatAction.AWAY), _returns),
        (_boldly, lambda view: Command(SeatAction.MALFUNCTION)),
        (term, lambda view: Command(SeatAction.EXPIRE)),
    )


def _boldly(view: View) -> Command:
    """Returns the last option of whoever is to decide."""
    return command_for("".join(view.options[-1:]), view.people.turn)


def _leaves(view: View) -> Command:
    return Command(SeatAction.LEAVE, person=view.people.turn)


def _returns(view: View) -> Command:
    return Command(SeatAction.RETURN, person="".join(view.people.absent[-1:]))


def _asked(ledger: Ledger, command: Command) -> View:
    """Asks for something, which is refused where the draws leave nothing of it to do; returns what the table shows."""
    request = LedgerRequest(id_of(TABLE), command, reason="planted for the test", decided_by="certify")
    return ledger.perform(request).view
