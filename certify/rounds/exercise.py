"""Exercising the terms of a game on a system that plays it, at every point its rounds can reach."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from certify.errors import NothingCheckedError
from certify.evidence import life
from certify.families.trials import Trial, TrialTally
from certify.model.finding import Verdict
from certify.model.game import Game, Terms
from certify.rounds.events import Bets
from certify.rounds.play import Edition, Play, edition_of, funds_for, opening_for
from certify.rounds.policy import KNOWN_RESULT_CLAUSES, Policy
from certify.rounds.probe import (
    Compared,
    Deck,
    Probe,
    ProbePoint,
    Session,
    TriedSituation,
    TriedSituations,
    alone,
    tallies_of,
)
from certify.rounds.situations import SITUATIONS, at_risk, money, shown_at_risk, table
from certify.rounds.state import Phase
from certify.rounds.system import reference_system
from certify.rounds.table import SeatAction, SystemFactory, command_for

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
@alone
def _shown(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    play = probe.edition.play
    expected = table(play.position(probe.deck, point.decisions), play)
    return (expected, table(session.view(), play))


@ADDED_STAKE.tried(
    "bets-added-accepted",
    "A decision that adds a stake, or gives up",
    "What is added is debited once, with its decision, and held; giving up debits nothing",
    "GLI-19 4.3.3",
    "GLI-19 4.16.2",
    at={Phase.RESOLVED},
)
@alone
def _accepted(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    return (at_risk(probe, point.decisions), shown_at_risk(session.view()))


@ADDED_STAKE.tried(
    "bets-added-once",
    "Decisions asked for again when nothing is left to decide",
    "All are refused; nothing that was added is debited twice",
    "GLI-19 4.3.3",
    at={Phase.RESOLVED},
)
@alone
def _decided_once(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    again = session.attempt(*map(command_for, probe.edition.play.decisions))
    return (f"all refused, {at_risk(probe, point.decisions)}", f"{again}, {shown_at_risk(session.view())}")


@ADDED_STAKE.tried(
    "bets-added-sent-again",
    "The same decision sent twice under one key, as by a client that lost its connection",
    "It is taken once, and what it adds is debited once",
    "GLI-19 4.16.3(b)",
    "GLI-19 4.3.3",
    at={Phase.DECISION},
)
def _taken_once_under_its_key(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for option in probe.options(point.decisions):
        session = probe.at(point)
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
@alone
def _outside(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    refused = session.attempt(*map(command_for, _unknown(probe.edition.play)))
    return (f"all refused, {at_risk(probe, point.decisions)}", f"{refused}, {shown_at_risk(session.view())}")


@ADDED_STAKE.tried(
    "bets-added-covered",
    "A deal by a player who could not add the most that decisions may add",
    "It is refused by one coin less; with that coin every decision of the round can be taken",
    "GLI-19 4.3.3",
    at={Phase.BETTING},
)
def _cover(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
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


def exercise(
    game: Game,
    decks: Sequence[Deck],
    clock_start: datetime,
    *,
    policy: Policy | None = None,
    system: SystemFactory = reference_system,
    stakes: Bets = (),
    progress: Callable[[int, int], None] | None = None,
) -> life.Exercise:
    """Exercises a system at every point that rounds on some decks can reach.

    Args:
        game: The submission, whose terms say what is expected.
        decks: Decks of 40 card ids in dealing order; more decks reach more points. Where a family names decks
            that reach rare ends of a round, those are exercised too.
        clock_start: Time at which every round is dealt, aware.
        policy: Terms as parameters; those of the submission, the rest by default, where left out.
        system: Makes the systems under test; the state machine of this package where left out.
        stakes: Stakes in minor units; different ones on every wager within its limits where left out.
        progress: Told the number of decks done and their total.

    Returns:
        A verdict for each situation, each value really observed from the system.

    Raises:
        NothingCheckedError: No deck was given.
    """
    if not decks:
        raise NothingCheckedError("no deck to exercise rounds on: expected at least one")
    edition = edition_of(game, policy)
    bets = stakes or default_stakes(game)
    situations = situations_of(edition.play)
    tallies = {situation.id: TrialTally() for situation in situations}
    dealt, points = list[str](), 0
    decks = (*decks, *edition.play.witnesses(decks))
    for index, deck in enumerate(decks):
        following = decks[(index + 1) % len(decks)]
        opening = opening_for(edition.play, bets)
        probe = Probe(system, edition, tuple(deck), tuple(following), clock_start, bets, opening, dealt)
        points += tallies_of(situations, probe, game.terms, tallies)
        if progress is not None:
            progress(index + 1, len(decks))
    return life.Exercise(
        situations=tuple(_concluded(each, edition, tallies[each.id]) for each in situations),
        decks=len(decks),
        points=points,
        rounds=len(dealt),
        stakes=dict(bets),
        policy=dict(policy_values(edition.policy)),
    )


def default_stakes(game: Game) -> Bets:
    """Returns stakes within the limits, different on every wager where these allow it.

    Different stakes show which wager was paid or forgotten.
    """
    return tuple(
        (wager.id, min(wager.limits.maximum, wager.limits.minimum * (2 * index + 3)))
        for index, wager in enumerate(game.wagers)
    )


def policy_values(policy: Policy) -> tuple[tuple[str, str], ...]:
    """Returns the terms as names and values for the report."""
    return (
        ("malfunction_voids_all", "yes" if policy.malfunction_voids_all else "no"),
        ("void_after_days", str(policy.void_after_days)),
        ("day_count", f"{policy.day_count} ({policy.zone})"),
        ("void_stakes", str(policy.void_stakes)),
        ("after_settlement", str(policy.after_settlement)),
        ("rounding", str(policy.rounding)),
        ("known_results", f"{policy.known_results} ({KNOWN_RESULT_CLAUSES[policy.known_results]})"),
    )


def _concluded(situation: TriedSituation, edition: Edition, tally: TrialTally) -> life.Situation:
    adopted = under_adopted_terms(situation.id, edition.game.terms)
    found = situation.concluded(tally, edition.policy, adopted=adopted)
    why = _does_not_apply(situation, edition, tally)
    return replace(found, observed=why, verdict=Verdict.NOT_APPLICABLE) if why else found


def _does_not_apply(situation: TriedSituation, edition: Edition, tally: TrialTally) -> str:
    if not situation.promised(edition.game.terms):
        return "not promised by the terms of the submission"
    if not tally.trials and Phase.DECISION in situation.phases and not edition.play.options:
        return "no round of this game waits for a decision"
    return ""


def under_adopted_terms(situation_id: str, terms: Terms) -> bool:
    """Tells whether a situation is judged by a term that the source does not print."""
    printed = terms.printed
    return any(
        situation_id.startswith(beginnings) and not printed.get(term)
        for _, term, beginnings in life.SITUATIONS
        if term
    )
