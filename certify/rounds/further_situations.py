"""What is exercised besides where somebody sees another's face while deciding, and where a decision adds a stake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from certify.families.trials import Trial
from certify.rounds.play import Play, funds_for
from certify.rounds.probe import ProbePoint
from certify.rounds.situations import SITUATIONS, at_risk, money, shown_at_risk, table
from certify.rounds.state import Phase
from certify.rounds.table import SeatAction, command_for
from certify.rounds.tried import TriedSituation, TriedSituations

SHOWN_FACE: Final = TriedSituations()
"""Exercised where somebody sees another's face while deciding, or must not."""

ADDED_STAKE: Final = TriedSituations()
"""Exercised where a decision can add a stake."""


def situations_of(play: Play) -> tuple[TriedSituation, ...]:
    """Returns every situation that is exercised in a game, in the order of the report."""
    # Where several decide, each has cards that the others must not see, and options that only the rules give.
    shown = SHOWN_FACE if play.shows_others or len(play.survey.seats) > 1 else ()
    return (*SITUATIONS, *shown, *(ADDED_STAKE if play.adds_stakes else ()))


@SHOWN_FACE.tried(
    "open-faces-shown",
    "Faces and options shown at every point of the round",
    "What lies open from the deal on stays in sight; hands and options are those of the rules",
    "GLI-19 4.14.2",
    "GLI-19 4.4.4(c)",
    at={Phase.DECISION, Phase.RESOLVED, Phase.SETTLED},
)
def _shown(point: ProbePoint) -> Iterator[Trial]:
    probe = point.probe
    play = probe.edition.play
    session = point.session()
    expected = table(play.position(probe.deck, point.decisions), play)
    yield session.trial(expected, table(session.view(), play))


@ADDED_STAKE.tried(
    "bets-added-accepted",
    "A decision that adds a stake, or gives up",
    "What is added is debited once, with its decision, and held; giving up debits nothing",
    "GLI-19 4.3.3",
    "GLI-19 4.16.2",
    at={Phase.RESOLVED},
)
def _accepted(point: ProbePoint) -> Iterator[Trial]:
    probe = point.probe
    session = point.session()
    yield session.trial(at_risk(probe, point.decisions), shown_at_risk(session.view()))


@ADDED_STAKE.tried(
    "bets-added-once",
    "Decisions asked for again when nothing is left to decide",
    "All are refused; nothing that was added is debited twice",
    "GLI-19 4.3.3",
    at={Phase.RESOLVED},
)
def _decided_once(point: ProbePoint) -> Iterator[Trial]:
    probe = point.probe
    session = point.session()
    again = session.attempt(*map(command_for, probe.edition.play.decisions))
    yield session.trial(
        f"all refused, {at_risk(probe, point.decisions)}", f"{again}, {shown_at_risk(session.view())}"
    )


@ADDED_STAKE.tried(
    "bets-added-sent-again",
    "The same decision sent twice under one key, as by a client that lost its connection",
    "It is taken once, and what it adds is debited once",
    "GLI-19 4.16.3(b)",
    "GLI-19 4.3.3",
    at={Phase.DECISION},
)
def _taken_once_under_its_key(point: ProbePoint) -> Iterator[Trial]:
    probe = point.probe
    for option in probe.options(point.decisions):
        session = point.session()
        for _ in range(2):
            session.ask(command_for(option), key="once")
        yield session.trial(at_risk(probe, (*point.decisions, option)), shown_at_risk(session.view()))


@ADDED_STAKE.tried(
    "bets-added-within-rules",
    "A decision that would add nothing, or more than the rules allow",
    "It is refused and changes nothing",
    "GLI-19 4.4.1",
    at={Phase.DECISION},
)
def _outside(point: ProbePoint) -> Iterator[Trial]:
    probe = point.probe
    session = point.session()
    refused = session.attempt(*map(command_for, _unknown(probe.edition.play)))
    yield session.trial(
        f"all refused, {at_risk(probe, point.decisions)}", f"{refused}, {shown_at_risk(session.view())}"
    )


@ADDED_STAKE.tried(
    "bets-added-covered",
    "A deal by a player who could not add the most that decisions may add",
    "It is refused by one coin less; with that coin every decision of the round can be taken",
    "GLI-19 4.3.3",
    at={Phase.BETTING},
)
def _cover(point: ProbePoint) -> Iterator[Trial]:
    probe = point.probe
    least = funds_for(probe.edition.play, probe.stakes)
    short = replace(probe, opening=least - 1)
    session = short.session()
    short.place(session)
    dealt = "deal done" if session.do(SeatAction.DEAL).done else "deal refused"
    yield session.trial(
        f"deal refused, betting, balance {short.opening}, held 0", f"{dealt}, {money(session.view())}"
    )
    enough = replace(probe, opening=least)
    for option in probe.options(()):
        session = enough.session()
        enough.place(session)
        session.do(SeatAction.DEAL)
        session.ask(command_for(option))
        yield session.trial(at_risk(enough, (option,)), shown_at_risk(session.view()))


def _unknown(play: Play) -> tuple[str, ...]:
    """Returns decisions that no round offers: those that add a stake, with nothing and with more than is known."""
    adding = [option.id for option in play.options.values() if option.adds]
    made_up = [name for one in adding for name in (re.sub(r"\d+", "0", one), _next(one), f"{one}0")]
    return tuple(name for name in dict.fromkeys(made_up) if name not in play.options)


def _next(option: str) -> str:
    """Returns the name of an option with its number one higher."""
    return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), option)
