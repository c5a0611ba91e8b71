"""The situations that the terms of a game promise something about, each tried at every point it can occur."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from typing import Final

from certify.families.trials import Trial
from certify.rounds.money import Rounding
from certify.rounds.play import Play, funds_for
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
from certify.rounds.probe import (
    Probe,
    ProbePoint,
    TriedSituation,
    at_risk,
    hand,
    money,
    money_text,
    scripted,
    shown_at_risk,
    word,
)
from certify.rounds.state import OPEN, Phase
from certify.rounds.table import SeatAction, command_for


def _take_back(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.UNDO)
    undone = session.view().stakes
    session.do(SeatAction.CLEAR)
    view = session.view()
    yield session.trial(
        f"undone to {money_text(probe.stakes[:-1])}, cleared to none, balance {probe.opening}, held 0",
        f"undone to {money_text(undone)}, cleared to {money_text(view.stakes)}, "
        f"balance {view.balance}, held {view.held}",
    )


def _limits(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for wager in probe.edition.game.wagers:
        session = probe.session()
        above = session.do(SeatAction.PLACE, wager.id, wager.limits.maximum + 1).done
        if wager.id != probe.stakes[0][0]:
            session.do(SeatAction.PLACE, *probe.stakes[0])
        session.do(SeatAction.PLACE, wager.id, wager.limits.minimum - 1)
        below = session.do(SeatAction.DEAL).done
        view = session.view()
        yield session.trial(
            f"above the maximum refused, below the minimum refused, balance {probe.opening}, held 0",
            f"above the maximum {word(above)}, below the minimum {word(below)}, "
            f"balance {view.balance}, held {view.held}",
        )


def _resume(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    play = probe.edition.play
    for line in probe.lines(point.decisions):
        unbroken, session = probe.at(point), probe.at(point)
        before = hand(session.view(), play)
        session.do(SeatAction.DISCONNECT)
        session.wait(timedelta(hours=1))
        away = session.attempt(*map(command_for, unbroken.view().options))
        session.do(SeatAction.RESUME)
        yield session.trial(f"all refused, {before}", f"{away}, {hand(session.view(), play)}")
        for one in (unbroken, session):
            if point.phase is Phase.BETTING:
                one.do(SeatAction.DEAL)
            probe.go_on(one, line[len(point.decisions) :])
        yield session.trial(hand(unbroken.view(), play), hand(session.view(), play))


def _previous_wins(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    if probe.won(point.decisions) == 0:
        return
    session, second = probe.at(point), replace(probe, deck=probe.next_deck)
    session.system.set_deck(probe.next_deck)
    probe.place(session)
    for action in (SeatAction.DEAL, SeatAction.DISCONNECT, SeatAction.RESUME):
        session.do(action)
    balance, policy = probe.balance(point.decisions), probe.edition.policy
    yield session.trial(f"balance {balance - probe.staked()}", f"balance {session.view().balance}")
    if policy.malfunction_voids_all:
        session.do(SeatAction.MALFUNCTION)
        done = not probe.edition.play.position(second.deck, ()).options
        if done and policy.after_settlement is AfterSettlement.BETTER_OF:
            # What a malfunction leaves beyond the stakes: the pay of a hand that is done.
            balance += max(0, second.won(()) - second.staked())
        yield session.trial(f"void, balance {balance}, held 0", money(session.view()))


def _taken_once_under_its_key(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for option in probe.options(point.decisions):
        session = probe.at(point)
        for _ in range(2):
            session.ask(command_for(option), key="once")
        yield session.trial(at_risk(probe, (*point.decisions, option)), shown_at_risk(session.view()))


def _cover(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    least = funds_for(probe.edition.play, probe.stakes)
    # By one coin less the deal is refused; with it, each decision is taken.
    for opening, option in ((least - 1, ""), *((least, one) for one in probe.options(()))):
        dealt = replace(probe, opening=opening)
        session = dealt.session()
        dealt.place(session)
        done = session.do(SeatAction.DEAL).done
        if option:
            session.ask(command_for(option))
            yield session.trial(at_risk(dealt, (option,)), shown_at_risk(session.view()))
        else:
            expected = f"deal refused, betting, balance {opening}, held 0"
            yield session.trial(expected, f"deal {word(done)}, {money(session.view())}")


def _unresolved(probe: Probe, point: ProbePoint) -> bool:
    """Returns whether a bet is unresolved; that of a round whose result is known and remains is not."""
    return point.phase is Phase.DECISION or probe.edition.policy.known_results is KnownResults.VOID


def _stands(probe: Probe, point: ProbePoint) -> bool:
    """Returns whether a known result remains until it is settled."""
    return probe.edition.policy.known_results is not KnownResults.VOID


_VOID_DEMANDS: Final = {
    AfterSettlement.REVERSE: "The round is void, every stake is back once, and no pay of the round remains",
    AfterSettlement.FLAG: "The round is void, every stake is back once; a pay beyond the stakes is flagged",
    AfterSettlement.BETTER_OF: (
        "The round is void; the player has the stakes or what was won so far, whichever is more"
    ),
}


def _void_demand(policy: Policy) -> str:
    return _VOID_DEMANDS[policy.after_settlement]


def _expiry_demand(policy: Policy) -> str:
    where = "returned once" if policy.void_stakes is VoidStakes.RETURN else "forfeited once"
    return f"The bet is void when {policy.void_after_days} days have passed; every stake is {where}"


def _rounding_demand(policy: Policy) -> str:
    how = {Rounding.DOWN: "down", Rounding.UP: "up", Rounding.HALF_EVEN: "to nearest, halves to even"}
    return f"Every wager is paid by its own row, a fraction of a coin rounded {how[policy.rounding]}"


_VOIDS: Final = attrgetter("malfunction_voids_all")
_RESUMES: Final = attrgetter("resume_after_disconnection")
"""Terms that promise a situation."""

SITUATIONS: Final = (
    TriedSituation(
        "bets-accepted",
        "The deal accepts the bets",
        "Every stake is debited once and held",
        ("GLI-19 4.3.3", "GLI-19 4.16.2"),
        OPEN,
        scripted("at-risk"),
    ),
    TriedSituation(
        "bets-taken-back",
        "Undo and clear before the deal",
        "The last chips, then all chips are taken back; nothing was debited",
        ("GLI-19 4.3.3",),
        {Phase.BETTING},
        _take_back,
    ),
    TriedSituation(
        "bets-within-limits",
        "Bets outside the limits",
        "A bet above a maximum or below a minimum is refused",
        ("GLI-19 4.4.1",),
        {Phase.BETTING},
        _limits,
    ),
    TriedSituation(
        "settlement",
        "Settlement of every wager that was placed",
        _rounding_demand,
        ("GLI-19 4.4.2",),
        {Phase.SETTLED},
        scripted("paid; settled"),
    ),
    TriedSituation(
        "settled-once",
        "Decisions, settlement and expiry requested after settlement",
        "All are refused, {days} days later too; no money moves",
        ("GLI-19 4.16.3",),
        {Phase.SETTLED},
        scripted("refused decide-or-settle expire; wait term; refused settle expire; settled"),
    ),
    *(
        TriedSituation(
            f"malfunction-{name}",
            title,
            _void_demand,
            ("GLI-19 A.6.4", "GLI-19 B.2.1(e)"),
            {phase},
            scripted("malfunction; void"),
            _VOIDS,
        )
        for name, title, phase in (
            ("before-deal", "Malfunction with bets placed, before the deal", Phase.BETTING),
            ("awaiting-decision", "Malfunction while a decision is open", Phase.DECISION),
            ("before-settlement", "Malfunction when the hand is done, before settlement", Phase.RESOLVED),
            ("after-settlement", "Malfunction found after settlement, within the round", Phase.SETTLED),
        )
    ),
    TriedSituation(
        "malfunction-while-disconnected",
        "Malfunction while the player is disconnected",
        _void_demand,
        ("GLI-19 A.6.4", "GLI-19 4.16.1"),
        OPEN,
        scripted("disconnect; malfunction; resume; void"),
        _VOIDS,
    ),
    TriedSituation(
        "void-is-final",
        "A second malfunction, decisions, settlement and expiry requested after a malfunction",
        "All are refused, {days} days later too; no stake is returned twice and nothing is paid",
        ("GLI-19 A.6.4",),
        set(Phase),
        scripted(
            "malfunction; refused malfunction decide-or-settle expire; wait term; refused expire settle; void"
        ),
        _VOIDS,
    ),
    TriedSituation(
        "unresolved-before-term",
        "An unresolved bet one second before its term",
        "At {days} days less one second the bet is not void: the round goes on and is settled as usual",
        ("GLI-19 A.5.2(e)",),
        OPEN,
        scripted("wait term-1s; refused expire; go-on; settled", lines="every", applies=_unresolved),
    ),
    TriedSituation(
        "unresolved-at-term",
        "An unresolved bet at its term",
        _expiry_demand,
        ("GLI-19 A.5.2(e)",),
        OPEN,
        scripted("wait term; expire; expired", applies=_unresolved),
    ),
    TriedSituation(
        "settle-after-term",
        "Decisions and settlement requested at the term and a year after acceptance",
        "All are refused from {days} days on, whether or not the expiry was recorded before",
        ("GLI-19 A.5.2(e)",),
        OPEN,
        scripted(
            "wait term; refused decide-or-settle; expire; refused decide-or-settle; expired",
            "wait term+275d; refused decide-or-settle; expire; refused decide-or-settle; expired",
            applies=_unresolved,
        ),
    ),
    TriedSituation(
        "expired-once",
        "Expiry and malfunction requested after expiry",
        "Both are refused; no stake is returned twice",
        ("GLI-19 A.5.2(e)",),
        OPEN,
        scripted(
            "wait term; expire; refused expire malfunction; wait term; refused expire; expired",
            applies=_unresolved,
        ),
    ),
    TriedSituation(
        "clock-set-back",
        "The clock is set back after expiry",
        "The bet stays void",
        ("GLI-19 2.8.1",),
        OPEN,
        scripted("wait term; expire; wait -term; refused decide-or-settle; expired", applies=_unresolved),
    ),
    TriedSituation(
        "result-known-at-term",
        "A round whose result is known and not yet settled, at the term and a year after acceptance",
        "The result remains: expiry is refused, and the round is settled once with its pays",
        ("GLI-19 4.16.3(a)",),
        {Phase.RESOLVED},
        scripted(
            "wait term; refused expire; settle; refused settle expire; settled",
            "wait term+275d; refused expire; settle; refused settle expire; settled",
            applies=_stands,
        ),
    ),
    TriedSituation(
        "resume",
        "Disconnection during a round, then resumption and continuation",
        "The same round continues with the same cards and ends with the same money as without a break",
        ("GLI-19 4.16.3(b)", "GLI-19 4.4.4(c)"),
        {Phase.BETTING, Phase.DECISION, Phase.RESOLVED},
        _resume,
        _RESUMES,
    ),
    TriedSituation(
        "settled-while-disconnected",
        "Disconnection when no decision is left",
        "The result remains: the round is settled, and the player finds it on return",
        ("GLI-19 4.16.3(a)",),
        {Phase.RESOLVED},
        scripted("disconnect; settle; resume; settled"),
        _RESUMES,
    ),
    TriedSituation(
        "one-round-at-a-time",
        "New bets and a new deal requested while a round is open",
        "All are refused while connected, disconnected and resumed; the open round is unchanged",
        ("GLI-19 4.16.3", "GLI-19 4.3.3"),
        OPEN,
        scripted("refused new-round; disconnect; refused new-round; resume; refused new-round; place; hand"),
    ),
    TriedSituation(
        "previous-wins",
        "Interruption and malfunction in the round after a win",
        "The win of the earlier round stays paid",
        ("GLI-19 A.5.2(d)",),
        {Phase.SETTLED},
        _previous_wins,
        attrgetter("previous_wins_paid"),
    ),
    TriedSituation(
        "unavailable-after-generator-failure",
        "Failure of the random number generator before the deal",
        "No cards are dealt until the failure is cleared",
        ("GLI-19 3.3.3",),
        {Phase.BETTING},
        scripted("suspend; refused deal; restore; done deal"),
    ),
    TriedSituation(
        "open-round-while-unavailable",
        "Failure of the random number generator in an open round",
        "The round, whose cards are already fixed, is completed",
        ("GLI-19 4.15.1",),
        OPEN,
        scripted("suspend; go-on; settled", lines="first"),
    ),
)
"""Every situation that is exercised in every game, in the order of the report."""

SHOWN_FACE: Final = (
    TriedSituation(
        "open-faces-shown",
        "Faces and options shown during the round",
        "What is open from the deal on stays in sight; hands and options are those of the rules",
        ("GLI-19 4.14.2", "GLI-19 4.4.4(c)"),
        {Phase.DECISION, Phase.RESOLVED, Phase.SETTLED},
        scripted("table"),
    ),
)
"""Exercised where somebody sees another's face while deciding, or must not."""

ADDED_STAKE: Final = (
    TriedSituation(
        "bets-added-accepted",
        "A decision that adds a stake, or gives up",
        "What is added is debited once, with its decision, and held; giving up debits nothing",
        ("GLI-19 4.3.3", "GLI-19 4.16.2"),
        {Phase.RESOLVED},
        scripted("at-risk"),
    ),
    TriedSituation(
        "bets-added-once",
        "Decisions requested again when nothing is left to decide",
        "All are refused; nothing that was added is debited twice",
        ("GLI-19 4.3.3",),
        {Phase.RESOLVED},
        scripted("refused known; at-risk"),
    ),
    TriedSituation(
        "bets-added-sent-again",
        "The same decision sent twice under one key, as by a client that lost its connection",
        "It is taken once, and what it adds is debited once",
        ("GLI-19 4.16.3(b)", "GLI-19 4.3.3"),
        {Phase.DECISION},
        _taken_once_under_its_key,
    ),
    TriedSituation(
        "bets-added-within-rules",
        "A decision that would add nothing, or more than the rules allow",
        "It is refused and changes nothing",
        ("GLI-19 4.4.1",),
        {Phase.DECISION},
        scripted("refused unknown; at-risk"),
    ),
    TriedSituation(
        "bets-added-covered",
        "A deal by a player who could not add the most that decisions may add",
        "It is refused by one coin less; with that coin every decision of the round can be taken",
        ("GLI-19 4.3.3",),
        {Phase.BETTING},
        _cover,
    ),
)
"""Exercised where a decision can add a stake."""


def situations_of(play: Play) -> tuple[TriedSituation, ...]:
    """Returns every situation that is exercised in a game, in the order of the report."""
    # Where several decide, each has cards that the others must not see, and options that only the rules give.
    shown = SHOWN_FACE if play.shows_others or len(play.survey.seats) > 1 else ()
    return (*SITUATIONS, *shown, *(ADDED_STAKE if play.adds_stakes else ()))
