"""What is exercised besides where the dealer's card lies open and where a decision can place a final bet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from certify.rounds.open_card import OpenCardPlay
from certify.rounds.play import Play, Position, funds_for
from certify.rounds.probe import Point, Probe, Stage, Trial
from certify.rounds.situations import (
    SITUATIONS,
    Situation,
    at_risk,
    cards_shown,
    money,
    says,
    shown_at_risk,
)
from certify.rounds.system import Action, View, command_for


def situations_of(play: Play) -> tuple[Situation, ...]:
    """Returns every situation that is exercised in a game, in the order of the report."""
    shown = OPEN_CARD if isinstance(play, OpenCardPlay) else ()
    return (*SITUATIONS, *shown, *(FINAL_BET if play.final_bets else ()))


def _table(shown: Position | View, suits: Sequence[str]) -> str:
    return (
        f"player {cards_shown(shown.player, suits)}, dealer {cards_shown(shown.dealer, suits)}, "
        f"options {' or '.join(shown.options) or 'none'}"
    )


def _open_card(probe: Probe, point: Point) -> Iterator[Trial]:
    position, suits = probe.edition.play.position(probe.deck, point.decisions), probe.edition.suits
    session = probe.at(point)
    yield session.trial(_table(position, suits), _table(session.view(), suits))


def _accepted(probe: Probe, point: Point) -> Iterator[Trial]:
    session = probe.at(point)
    yield session.trial(at_risk(probe, point.decisions), shown_at_risk(session.view()))


def _decided_once(probe: Probe, point: Point) -> Iterator[Trial]:
    session = probe.at(point)
    again = session.attempt(*map(command_for, probe.edition.play.decisions))
    yield session.trial(
        f"all refused, {at_risk(probe, point.decisions)}", f"{again}, {shown_at_risk(session.view())}"
    )


def _taken_once_under_its_key(probe: Probe, point: Point) -> Iterator[Trial]:
    for option in probe.options(point.decisions):
        session = probe.at(point)
        for _ in range(2):
            session.ask(command_for(option), key="once")
        yield session.trial(at_risk(probe, (*point.decisions, option)), shown_at_risk(session.view()))


def _cover(probe: Probe, point: Point) -> Iterator[Trial]:
    least = funds_for(probe.edition.play, probe.stakes)
    short = replace(probe, opening=least - 1)
    session = short.session()
    short.place(session)
    dealt = "deal done" if session.do(Action.DEAL).done else "deal refused"
    yield session.trial(
        f"deal refused, betting, balance {short.opening}, held 0", f"{dealt}, {money(session.view())}"
    )
    enough = replace(probe, opening=least)
    for option in probe.options(()):
        session = enough.session()
        enough.place(session)
        session.do(Action.DEAL)
        session.ask(command_for(option))
        yield session.trial(at_risk(enough, (option,)), shown_at_risk(session.view()))


def _outside(probe: Probe, point: Point) -> Iterator[Trial]:
    session = probe.at(point)
    largest = max(probe.edition.play.final_bets)
    asked = [command_for(f"{move}-{bet}") for move in ("stand", "hit") for bet in (0, largest + 1)]
    refused = session.attempt(*asked)
    yield session.trial(
        f"all refused, {at_risk(probe, point.decisions)}", f"{refused}, {shown_at_risk(session.view())}"
    )


OPEN_CARD: Final = (
    Situation(
        "open-card-shown",
        "Cards and options shown at every point of the round",
        says(
            "The dealer's first card lies open from the deal on and stays in sight; hands and options are "
            "those of the rules"
        ),
        ("GLI-19 4.14.2", "GLI-19 4.4.4(c)"),
        frozenset({Stage.DECISION, Stage.RESOLVED, Stage.SETTLED}),
        _open_card,
    ),
)
"""Exercised where the dealer's first card lies open."""

FINAL_BET: Final = (
    Situation(
        "bets-final-accepted",
        "A decision that places a final bet, or folds",
        says("The final bet is debited once, with its decision, and held; folding debits nothing"),
        ("GLI-19 4.3.3", "GLI-19 4.16.2"),
        frozenset({Stage.RESOLVED}),
        _accepted,
    ),
    Situation(
        "bets-final-once",
        "Decisions asked for again after the final bet or the fold",
        says("All are refused; no final bet is debited twice"),
        ("GLI-19 4.3.3",),
        frozenset({Stage.RESOLVED}),
        _decided_once,
    ),
    Situation(
        "bets-final-sent-again",
        "The same decision sent twice under one key, as by a client that lost its connection",
        says("It is taken once, and its final bet debited once"),
        ("GLI-19 4.16.3(b)", "GLI-19 4.3.3"),
        frozenset({Stage.DECISION}),
        _taken_once_under_its_key,
    ),
    Situation(
        "bets-final-within-rules",
        "A final bet of nothing, or of more than the rules allow",
        says("It is refused and changes nothing"),
        ("GLI-19 4.4.1",),
        frozenset({Stage.DECISION}),
        _outside,
    ),
    Situation(
        "bets-final-covered",
        "A deal by a player who could not place the largest final bet",
        says("It is refused by one coin less; with that coin every decision of the round can be taken"),
        ("GLI-19 4.3.3",),
        frozenset({Stage.BETTING}),
        _cover,
    ),
)
"""Exercised where a decision can place a final bet."""
