"""The situations that the terms of a game promise something about, each tried at every point it can occur."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from typing import Final

from certify.families.trials import Trial
from certify.rounds.events import Bets
from certify.rounds.money import Rounding
from certify.rounds.play import Play, RoundPosition
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
from certify.rounds.probe import Compared, Probe, ProbePoint, Session, Trials, TriedSituations, alone
from certify.rounds.state import OPEN, Phase
from certify.rounds.table import SeatAction, View, command_for

SECOND: Final = timedelta(seconds=1)
NEW_ROUND: Final = (SeatAction.REBET, SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.DOUBLE_AND_DEAL)

SITUATIONS: Final = TriedSituations()
"""Every situation that is exercised in every game, in the order of the report."""


def money(view: View) -> str:
    """Returns phase and money of a view in the form in which trials are compared."""
    return f"{view.phase}, balance {view.balance}, held {view.held}"


def table(view: View | RoundPosition, play: Play) -> str:
    """Returns hands and options of a view, faces in the words of the submission."""
    hands = ", ".join(f"{holder} {faces_shown(faces, play, holder)}" for holder, faces in view.hands)
    return f"{hands or 'nothing dealt'}, options {' or '.join(view.options) or 'none'}"


def hand(view: View, play: Play) -> str:
    """Returns everything that a resumed player must find again."""
    return (
        f"{view.round} {view.phase}, {table(view, play)}, stakes {amounts(view.stakes)}, "
        f"balance {view.balance}, held {view.held}"
    )


def amounts(bets: Bets) -> str:
    """Returns amounts by wager as a reader finds them in the report."""
    return " + ".join(f"{wager} {amount}" for wager, amount in bets) or "none"


def at_risk(probe: Probe, decisions: Sequence[str]) -> str:
    """Returns what the rules demand of the money of an open round after some decisions."""
    staked = probe.staked(decisions)
    return f"balance {probe.opening - staked}, held {staked}, stakes {amounts(probe.wagered(decisions))}"


def shown_at_risk(view: View) -> str:
    """Returns what a view shows of the money of an open round, in the same form."""
    return f"balance {view.balance}, held {view.held}, stakes {amounts(view.stakes)}"


def faces_shown(faces: Sequence[int], play: Play, holder: str = "") -> str:
    """Returns faces by their names; what is no face of the game, as a faulty system may show, by its number."""
    return " + ".join(play.names(faces, holder)) or "none"


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


def _unresolved(trials: Trials) -> Trials:
    """Returns trials about unresolved bets: a round whose result is known and stands is none."""

    def tried(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
        if point.phase is Phase.DECISION or probe.edition.policy.known_results is KnownResults.VOID:
            yield from trials(probe, point)

    return tried


@SITUATIONS.tried(
    "bets-accepted",
    "The deal accepts the bets",
    "Every stake is debited once and held",
    "GLI-19 4.3.3",
    "GLI-19 4.16.2",
    at=OPEN,
)
@alone
def _accepted(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    view = session.view()
    return (at_risk(probe, point.decisions), shown_at_risk(view))


@SITUATIONS.tried(
    "bets-taken-back",
    "Undo and clear before the deal",
    "The last chips, then all chips are taken back; nothing was debited",
    "GLI-19 4.3.3",
    at={Phase.BETTING},
)
@alone
def _take_back(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.do(SeatAction.UNDO)
    undone = session.view().stakes
    session.do(SeatAction.CLEAR)
    view = session.view()
    expected = f"undone to {amounts(probe.stakes[:-1])}, cleared to none, balance {probe.opening}, held 0"
    return (
        expected,
        f"undone to {amounts(undone)}, cleared to {amounts(view.stakes)}, balance {view.balance}, held {view.held}",
    )


def _word(done: bool) -> str:
    return "done" if done else "refused"


@SITUATIONS.tried(
    "bets-within-limits",
    "Bets outside the limits",
    "A bet above a maximum or below a minimum is refused",
    "GLI-19 4.4.1",
    at={Phase.BETTING},
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
            f"above the maximum {_word(above)}, below the minimum {_word(below)}, "
            f"balance {view.balance}, held {view.held}",
        )


@SITUATIONS.tried(
    "settlement",
    "Settlement of every wager that was placed",
    _rounding_demand,
    "GLI-19 4.4.2",
    at={Phase.SETTLED},
)
@alone
def _settlement(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    view = session.view()
    balance = probe.balance(point.decisions)
    expected = f"returned {amounts(probe.returns(point.decisions))}, settled, balance {balance}, held 0"
    return (expected, f"returned {amounts(view.returned)}, {money(view)}")


@SITUATIONS.tried(
    "settled-once",
    "Decisions, settlement and expiry asked for after settlement",
    "All are refused, {days} days later too; no money moves",
    "GLI-19 4.16.3",
    at={Phase.SETTLED},
)
@alone
def _settle_once(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    balance = probe.balance(point.decisions)
    again = session.attempt(*probe.decide_or_settle, SeatAction.EXPIRE)
    session.wait(probe.term)
    later = session.attempt(SeatAction.SETTLE, SeatAction.EXPIRE)
    expected = f"all refused, all refused, settled, balance {balance}, held 0"
    return (expected, f"{again}, {later}, {money(session.view())}")


def _after_malfunction(probe: Probe, point: ProbePoint) -> int:
    """Returns the balance that the policy demands after a malfunction at a point."""
    policy = probe.edition.policy.after_settlement
    decided = point.phase in (Phase.RESOLVED, Phase.SETTLED)
    if policy is AfterSettlement.REVERSE or not decided:
        return probe.opening
    if policy is AfterSettlement.FLAG and point.phase is Phase.RESOLVED:
        return probe.opening
    return probe.opening + max(0, probe.won(point.decisions) - probe.staked(point.decisions))


@alone
def _malfunction(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.do(SeatAction.MALFUNCTION)
    return (f"void, balance {_after_malfunction(probe, point)}, held 0", money(session.view()))


for _name, _title, _phase in (
    ("malfunction-before-deal", "Malfunction with bets placed, before the deal", Phase.BETTING),
    ("malfunction-awaiting-decision", "Malfunction while a decision is open", Phase.DECISION),
    ("malfunction-before-settlement", "Malfunction when the hand is done, before settlement", Phase.RESOLVED),
    ("malfunction-after-settlement", "Malfunction found after settlement, within the round", Phase.SETTLED),
):
    SITUATIONS.tried(
        _name,
        _title,
        _void_demand,
        "GLI-19 A.6.4",
        "GLI-19 B.2.1(e)",
        at={_phase},
        promised=_VOIDS,
    )(_malfunction)


@SITUATIONS.tried(
    "malfunction-while-disconnected",
    "Malfunction while the player is disconnected",
    _void_demand,
    "GLI-19 A.6.4",
    "GLI-19 4.16.1",
    at=OPEN,
    promised=_VOIDS,
)
@alone
def _malfunction_while_disconnected(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.do(SeatAction.DISCONNECT)
    session.do(SeatAction.MALFUNCTION)
    session.do(SeatAction.RESUME)
    return (f"void, balance {_after_malfunction(probe, point)}, held 0", money(session.view()))


@SITUATIONS.tried(
    "void-is-final",
    "A second malfunction, decisions, settlement and expiry asked for after a malfunction",
    "All are refused, {days} days later too; no stake is returned twice and nothing is paid",
    "GLI-19 A.6.4",
    at=set(Phase),
    promised=_VOIDS,
)
@alone
def _void_is_final(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.do(SeatAction.MALFUNCTION)
    done = session.attempt(SeatAction.MALFUNCTION, *probe.decide_or_settle, SeatAction.EXPIRE)
    session.wait(probe.term)
    late = session.attempt(SeatAction.EXPIRE, SeatAction.SETTLE)
    expected = f"all refused, all refused, void, balance {_after_malfunction(probe, point)}, held 0"
    return (expected, f"{done}, {late}, {money(session.view())}")


@SITUATIONS.tried(
    "unresolved-before-term",
    "An unresolved bet one second before its term",
    "At {days} days less one second the bet is not void: the round goes on and is settled as usual",
    "GLI-19 A.5.2(e)",
    at=OPEN,
)
@_unresolved
def _before_term(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for line in probe.lines(point.decisions):
        session = probe.at(point)
        session.wait(probe.term - SECOND)
        expired = session.attempt(SeatAction.EXPIRE)
        probe.go_on(session, line[len(point.decisions) :])
        yield session.trial(
            f"all refused, settled, balance {probe.balance(line)}, held 0",
            f"{expired}, {money(session.view())}",
        )


def _after_expiry(probe: Probe, point: ProbePoint) -> str:
    returned = probe.edition.policy.void_stakes is VoidStakes.RETURN
    balance = probe.opening if returned else probe.opening - probe.staked(point.decisions)
    return f"expired, balance {balance}, held 0"


@SITUATIONS.tried(
    "unresolved-at-term", "An unresolved bet at its term", _expiry_demand, "GLI-19 A.5.2(e)", at=OPEN
)
@_unresolved
@alone
def _at_term(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.wait(probe.term)
    session.do(SeatAction.EXPIRE)
    return (_after_expiry(probe, point), money(session.view()))


@SITUATIONS.tried(
    "settle-after-term",
    "Decisions and settlement asked for at the term and a year after acceptance",
    "All are refused from {days} days on, whether or not the expiry was recorded before",
    "GLI-19 A.5.2(e)",
    at=OPEN,
)
@_unresolved
def _settle_after_term(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for late in (timedelta(), timedelta(days=275)):
        session = probe.at(point)
        session.wait(probe.term + late)
        before = session.attempt(*probe.decide_or_settle)
        session.do(SeatAction.EXPIRE)
        after = session.attempt(*probe.decide_or_settle)
        expected = f"all refused, all refused, {_after_expiry(probe, point)}"
        yield session.trial(expected, f"{before}, {after}, {money(session.view())}")


@SITUATIONS.tried(
    "expired-once",
    "Expiry and malfunction asked for after expiry",
    "Both are refused; no stake is returned twice",
    "GLI-19 A.5.2(e)",
    at=OPEN,
)
@_unresolved
@alone
def _expire_once(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.wait(probe.term)
    session.do(SeatAction.EXPIRE)
    again = session.attempt(SeatAction.EXPIRE, SeatAction.MALFUNCTION)
    session.wait(probe.term)
    later = session.attempt(SeatAction.EXPIRE)
    return (
        f"all refused, all refused, {_after_expiry(probe, point)}",
        f"{again}, {later}, {money(session.view())}",
    )


@SITUATIONS.tried(
    "clock-set-back", "The clock is set back after expiry", "The bet stays void", "GLI-19 2.8.1", at=OPEN
)
@_unresolved
@alone
def _clock_set_back(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.wait(probe.term)
    session.do(SeatAction.EXPIRE)
    session.wait(-probe.term)
    done = session.attempt(*probe.decide_or_settle)
    return (f"all refused, {_after_expiry(probe, point)}", f"{done}, {money(session.view())}")


@SITUATIONS.tried(
    "result-known-at-term",
    "A round whose result is known and not yet settled, at the term and a year after acceptance",
    "The result stands: expiry is refused, and the round is settled once with its pays",
    "GLI-19 4.16.3(a)",
    at={Phase.RESOLVED},
)
def _known_at_term(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    if probe.edition.policy.known_results is KnownResults.VOID:
        return
    for late in (timedelta(), timedelta(days=275)):
        session = probe.at(point)
        session.wait(probe.term + late)
        expired = session.attempt(SeatAction.EXPIRE)
        session.do(SeatAction.SETTLE)
        again = session.attempt(SeatAction.SETTLE, SeatAction.EXPIRE)
        balance = probe.balance(point.decisions)
        yield session.trial(
            f"all refused, all refused, settled, balance {balance}, held 0",
            f"{expired}, {again}, {money(session.view())}",
        )


@SITUATIONS.tried(
    "resume",
    "Disconnection at every point, then resumption and every continuation",
    "The same round goes on with the same cards and ends with the same money as unbroken",
    "GLI-19 4.16.3(b)",
    "GLI-19 4.4.4(c)",
    at={Phase.BETTING, Phase.DECISION, Phase.RESOLVED},
    promised=_RESUMES,
)
def _resume(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for line in probe.lines(point.decisions):
        unbroken = probe.at(point)
        session = probe.at(point)
        before = hand(session.view(), probe.edition.play)
        session.do(SeatAction.DISCONNECT)
        session.wait(timedelta(hours=1))
        away = session.attempt(*map(command_for, unbroken.view().options))
        session.do(SeatAction.RESUME)
        yield session.trial(f"all refused, {before}", f"{away}, {hand(session.view(), probe.edition.play)}")
        rest = line[len(point.decisions) :]
        if point.phase is Phase.BETTING:
            unbroken.do(SeatAction.DEAL)
            session.do(SeatAction.DEAL)
        probe.go_on(unbroken, rest)
        probe.go_on(session, rest)
        yield session.trial(
            hand(unbroken.view(), probe.edition.play), hand(session.view(), probe.edition.play)
        )


@SITUATIONS.tried(
    "settled-while-disconnected",
    "Disconnection when no decision is left",
    "The result stands: the round is settled, and the player finds it on return",
    "GLI-19 4.16.3(a)",
    at={Phase.RESOLVED},
    promised=_RESUMES,
)
@alone
def _settle_while_away(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.do(SeatAction.DISCONNECT)
    session.do(SeatAction.SETTLE)
    session.do(SeatAction.RESUME)
    return (f"settled, balance {probe.balance(point.decisions)}, held 0", money(session.view()))


@SITUATIONS.tried(
    "one-round-at-a-time",
    "New bets and a new deal asked for while a round is open",
    "All are refused while connected, disconnected and resumed; the open round is unchanged",
    "GLI-19 4.16.3",
    "GLI-19 4.3.3",
    at=OPEN,
)
@alone
def _no_new_round(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    before = hand(session.view(), probe.edition.play)
    main = probe.stakes[0]
    refused = [session.attempt(*NEW_ROUND)]
    session.do(SeatAction.DISCONNECT)
    refused.append(session.attempt(*NEW_ROUND))
    session.do(SeatAction.RESUME)
    refused.append(session.attempt(*NEW_ROUND))
    placed = session.do(SeatAction.PLACE, *main).done
    return (
        f"all refused, all refused, all refused, place refused, {before}",
        f"{', '.join(refused)}, place {'done' if placed else 'refused'}, {hand(session.view(), probe.edition.play)}",
    )


def _second_round(probe: Probe, point: ProbePoint) -> Session:
    session = probe.at(point)
    session.system.set_deck(probe.next_deck)
    probe.place(session)
    session.do(SeatAction.DEAL)
    return session


def _won_so_far(probe: Probe) -> int:
    """Returns what a malfunction after the second deal leaves beyond the stakes: the pay of a hand that is done."""
    second = replace(probe, deck=probe.next_deck)
    done = not probe.edition.play.position(second.deck, ()).options
    better = probe.edition.policy.after_settlement is AfterSettlement.BETTER_OF
    return max(0, second.won(()) - second.staked()) if done and better else 0


@SITUATIONS.tried(
    "previous-wins",
    "Interruption and malfunction in the round after a win",
    "The win of the earlier round stays paid",
    "GLI-19 A.5.2(d)",
    at={Phase.SETTLED},
    promised=lambda terms: terms.previous_wins_paid,
)
def _previous_wins(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    if probe.won(point.decisions) == 0:
        return
    balance = probe.balance(point.decisions)
    session = _second_round(probe, point)
    session.do(SeatAction.DISCONNECT)
    session.do(SeatAction.RESUME)
    yield session.trial(f"balance {balance - probe.staked()}", f"balance {session.view().balance}")
    if probe.edition.policy.malfunction_voids_all:
        session.do(SeatAction.MALFUNCTION)
        balance += _won_so_far(probe)
        yield session.trial(f"void, balance {balance}, held 0", money(session.view()))


@SITUATIONS.tried(
    "unavailable-after-generator-failure",
    "Failure of the random number generator before the deal",
    "No cards are dealt until the failure is cleared",
    "GLI-19 3.3.3",
    at={Phase.BETTING},
)
@alone
def _unavailable(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    session.do(SeatAction.SUSPEND)
    suspended = session.attempt(SeatAction.DEAL)
    session.do(SeatAction.RESTORE)
    cleared = session.attempt(SeatAction.DEAL)
    return ("all refused, deal done", f"{suspended}, {cleared}")


@SITUATIONS.tried(
    "open-round-while-unavailable",
    "Failure of the random number generator in an open round",
    "The round, whose cards are already fixed, is completed",
    "GLI-19 4.15.1",
    at=OPEN,
)
@alone
def _finish_unavailable(probe: Probe, point: ProbePoint, session: Session) -> Compared:
    line = next(probe.lines(point.decisions))
    session.do(SeatAction.SUSPEND)
    probe.go_on(session, line[len(point.decisions) :])
    return (f"settled, balance {probe.balance(line)}, held 0", money(session.view()))
