"""The situations that the terms of a game promise something about, each tried at every point it can occur."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from certify.families.trials import Trial
from certify.model.game import Terms
from certify.rounds.events import Bets
from certify.rounds.money import Rounding
from certify.rounds.play import Play, RoundPosition
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
from certify.rounds.probe import Probe, ProbePoint, ProbeStage, Session
from certify.rounds.table import SeatAction, View, command_for

SECOND: Final = timedelta(seconds=1)
NEW_ROUND: Final = (SeatAction.REBET, SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.DOUBLE_AND_DEAL)
OPEN: Final = frozenset({ProbeStage.DECISION, ProbeStage.RESOLVED})


Trials = Callable[[Probe, ProbePoint], Iterator[Trial]]
"""Tries a situation at one point, and yields what was expected and observed."""


@dataclass(frozen=True, slots=True)
class TriedSituation:
    """Something that can happen to a round, and what the terms demand then.

    Args:
        id: Id of the situation in the evidence.
        title: What happens.
        demand: What the terms demand, as a sentence; ``{days}`` stands for the days of the term.
        clauses: Clauses that it exercises.
        stages: Where in a round it is tried.
        trials: Tries it at one point.
        promised: Tells whether the terms promise it; where not, it does not apply.
    """

    id: str
    title: str
    demand: Callable[[Policy], str]
    clauses: tuple[str, ...]
    stages: frozenset[ProbeStage]
    trials: Trials
    promised: Callable[[Terms], bool] = lambda terms: True


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


def _after_malfunction(probe: Probe, point: ProbePoint) -> int:
    """Returns the balance that the policy demands after a malfunction at a point."""
    policy = probe.edition.policy.after_settlement
    decided = point.stage in (ProbeStage.RESOLVED, ProbeStage.SETTLED)
    if policy is AfterSettlement.REVERSE or not decided:
        return probe.opening
    if policy is AfterSettlement.FLAG and point.stage is ProbeStage.RESOLVED:
        return probe.opening
    return probe.opening + max(0, probe.won(point.decisions) - probe.staked(point.decisions))


def _malfunction(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.MALFUNCTION)
    yield session.trial(f"void, balance {_after_malfunction(probe, point)}, held 0", money(session.view()))


def _malfunction_while_disconnected(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.DISCONNECT)
    session.do(SeatAction.MALFUNCTION)
    session.do(SeatAction.RESUME)
    yield session.trial(f"void, balance {_after_malfunction(probe, point)}, held 0", money(session.view()))


def _void_is_final(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.MALFUNCTION)
    done = session.attempt(SeatAction.MALFUNCTION, *probe.decide_or_settle, SeatAction.EXPIRE)
    session.wait(probe.term)
    late = session.attempt(SeatAction.EXPIRE, SeatAction.SETTLE)
    expected = f"all refused, all refused, void, balance {_after_malfunction(probe, point)}, held 0"
    yield session.trial(expected, f"{done}, {late}, {money(session.view())}")


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


def _unresolved(trials: Trials) -> Trials:
    """Returns trials about unresolved bets: a round whose result is known and stands is none."""

    def tried(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
        if point.stage is ProbeStage.DECISION or probe.edition.policy.known_results is KnownResults.VOID:
            yield from trials(probe, point)

    return tried


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


def _after_expiry(probe: Probe, point: ProbePoint) -> str:
    returned = probe.edition.policy.void_stakes is VoidStakes.RETURN
    balance = probe.opening if returned else probe.opening - probe.staked(point.decisions)
    return f"expired, balance {balance}, held 0"


def _at_term(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.wait(probe.term)
    session.do(SeatAction.EXPIRE)
    yield session.trial(_after_expiry(probe, point), money(session.view()))


def _settle_after_term(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    for late in (timedelta(), timedelta(days=275)):
        session = probe.at(point)
        session.wait(probe.term + late)
        before = session.attempt(*probe.decide_or_settle)
        session.do(SeatAction.EXPIRE)
        after = session.attempt(*probe.decide_or_settle)
        expected = f"all refused, all refused, {_after_expiry(probe, point)}"
        yield session.trial(expected, f"{before}, {after}, {money(session.view())}")


def _expire_once(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.wait(probe.term)
    session.do(SeatAction.EXPIRE)
    again = session.attempt(SeatAction.EXPIRE, SeatAction.MALFUNCTION)
    session.wait(probe.term)
    later = session.attempt(SeatAction.EXPIRE)
    yield session.trial(
        f"all refused, all refused, {_after_expiry(probe, point)}",
        f"{again}, {later}, {money(session.view())}",
    )


def _clock_set_back(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.wait(probe.term)
    session.do(SeatAction.EXPIRE)
    session.wait(-probe.term)
    done = session.attempt(*probe.decide_or_settle)
    yield session.trial(f"all refused, {_after_expiry(probe, point)}", f"{done}, {money(session.view())}")


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
        if point.stage is ProbeStage.BETTING:
            unbroken.do(SeatAction.DEAL)
            session.do(SeatAction.DEAL)
        probe.go_on(unbroken, rest)
        probe.go_on(session, rest)
        yield session.trial(
            hand(unbroken.view(), probe.edition.play), hand(session.view(), probe.edition.play)
        )


def _settle_while_away(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.DISCONNECT)
    session.do(SeatAction.SETTLE)
    session.do(SeatAction.RESUME)
    yield session.trial(f"settled, balance {probe.balance(point.decisions)}, held 0", money(session.view()))


def _no_new_round(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    before = hand(session.view(), probe.edition.play)
    main = probe.stakes[0]
    refused = [session.attempt(*NEW_ROUND)]
    session.do(SeatAction.DISCONNECT)
    refused.append(session.attempt(*NEW_ROUND))
    session.do(SeatAction.RESUME)
    refused.append(session.attempt(*NEW_ROUND))
    placed = session.do(SeatAction.PLACE, *main).done
    yield session.trial(
        f"all refused, all refused, all refused, place refused, {before}",
        f"{', '.join(refused)}, place {'done' if placed else 'refused'}, {hand(session.view(), probe.edition.play)}",
    )


def _accepted(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    view = session.view()
    yield session.trial(at_risk(probe, point.decisions), shown_at_risk(view))


def _settlement(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    view = session.view()
    balance = probe.balance(point.decisions)
    expected = f"returned {amounts(probe.returns(point.decisions))}, settled, balance {balance}, held 0"
    yield session.trial(expected, f"returned {amounts(view.returned)}, {money(view)}")


def _settle_once(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    balance = probe.balance(point.decisions)
    again = session.attempt(*probe.decide_or_settle, SeatAction.EXPIRE)
    session.wait(probe.term)
    later = session.attempt(SeatAction.SETTLE, SeatAction.EXPIRE)
    expected = f"all refused, all refused, settled, balance {balance}, held 0"
    yield session.trial(expected, f"{again}, {later}, {money(session.view())}")


def _second_round(probe: Probe, point: ProbePoint) -> Session:
    session = probe.at(point)
    session.system.set_deck(probe.next_deck)
    probe.place(session)
    session.do(SeatAction.DEAL)
    return session


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


def _won_so_far(probe: Probe) -> int:
    """Returns what a malfunction after the second deal leaves beyond the stakes: the pay of a hand that is done."""
    second = replace(probe, deck=probe.next_deck)
    done = not probe.edition.play.position(second.deck, ()).options
    better = probe.edition.policy.after_settlement is AfterSettlement.BETTER_OF
    return max(0, second.won(()) - second.staked()) if done and better else 0


def _unavailable(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.SUSPEND)
    suspended = session.attempt(SeatAction.DEAL)
    session.do(SeatAction.RESTORE)
    cleared = session.attempt(SeatAction.DEAL)
    yield session.trial("all refused, deal done", f"{suspended}, {cleared}")


def _finish_unavailable(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    line = next(probe.lines(point.decisions))
    session = probe.at(point)
    session.do(SeatAction.SUSPEND)
    probe.go_on(session, line[len(point.decisions) :])
    yield session.trial(f"settled, balance {probe.balance(line)}, held 0", money(session.view()))


def _take_back(probe: Probe, point: ProbePoint) -> Iterator[Trial]:
    session = probe.at(point)
    session.do(SeatAction.UNDO)
    undone = session.view().stakes
    session.do(SeatAction.CLEAR)
    view = session.view()
    expected = f"undone to {amounts(probe.stakes[:-1])}, cleared to none, balance {probe.opening}, held 0"
    yield session.trial(
        expected,
        f"undone to {amounts(undone)}, cleared to {amounts(view.stakes)}, balance {view.balance}, held {view.held}",
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


def _word(done: bool) -> str:
    return "done" if done else "refused"


def _void_demand(policy: Policy) -> str:
    match policy.after_settlement:
        case AfterSettlement.REVERSE:
            return "The round is void, every stake is back once, and no pay of the round remains"
        case AfterSettlement.FLAG:
            return "The round is void, every stake is back once; a pay beyond the stakes is flagged"
        case AfterSettlement.BETTER_OF:
            return "The round is void; the player has the stakes or what was won so far, whichever is more"


def _expiry_demand(policy: Policy) -> str:
    where = "returned once" if policy.void_stakes is VoidStakes.RETURN else "forfeited once"
    return f"The bet is void when {policy.void_after_days} days have passed; every stake is {where}"


def _rounding_demand(policy: Policy) -> str:
    how = {Rounding.DOWN: "down", Rounding.UP: "up", Rounding.HALF_EVEN: "to nearest, halves to even"}
    return f"Every wager is paid by its own row, a fraction of a coin rounded {how[policy.rounding]}"


def says(text: str) -> Callable[[Policy], str]:
    """Returns a demand that depends on nothing but the days of the term."""
    return lambda policy: text.format(days=policy.void_after_days)


def _voids(terms: Terms) -> bool:
    return terms.malfunction_voids_all


def _resumes(terms: Terms) -> bool:
    return terms.resume_after_disconnection


_MALFUNCTIONS: Final = {
    "malfunction-before-deal": ("Malfunction with bets placed, before the deal", ProbeStage.BETTING),
    "malfunction-awaiting-decision": ("Malfunction while a decision is open", ProbeStage.DECISION),
    "malfunction-before-settlement": (
        "Malfunction when the hand is done, before settlement",
        ProbeStage.RESOLVED,
    ),
    "malfunction-after-settlement": (
        "Malfunction found after settlement, within the round",
        ProbeStage.SETTLED,
    ),
}

SITUATIONS: Final[tuple[TriedSituation, ...]] = (
    TriedSituation(
        "bets-accepted",
        "The deal accepts the bets",
        says("Every stake is debited once and held"),
        ("GLI-19 4.3.3", "GLI-19 4.16.2"),
        OPEN,
        _accepted,
    ),
    TriedSituation(
        "bets-taken-back",
        "Undo and clear before the deal",
        says("The last chips, then all chips are taken back; nothing was debited"),
        ("GLI-19 4.3.3",),
        frozenset({ProbeStage.BETTING}),
        _take_back,
    ),
    TriedSituation(
        "bets-within-limits",
        "Bets outside the limits",
        says("A bet above a maximum or below a minimum is refused"),
        ("GLI-19 4.4.1",),
        frozenset({ProbeStage.BETTING}),
        _limits,
    ),
    TriedSituation(
        "settlement",
        "Settlement of every wager that was placed",
        _rounding_demand,
        ("GLI-19 4.4.2",),
        frozenset({ProbeStage.SETTLED}),
        _settlement,
    ),
    TriedSituation(
        "settled-once",
        "Decisions, settlement and expiry asked for after settlement",
        says("All are refused, {days} days later too; no money moves"),
        ("GLI-19 4.16.3",),
        frozenset({ProbeStage.SETTLED}),
        _settle_once,
    ),
    *(
        TriedSituation(
            name,
            title,
            _void_demand,
            ("GLI-19 A.6.4", "GLI-19 B.2.1(e)"),
            frozenset({stage}),
            _malfunction,
            _voids,
        )
        for name, (title, stage) in _MALFUNCTIONS.items()
    ),
    TriedSituation(
        "malfunction-while-disconnected",
        "Malfunction while the player is disconnected",
        _void_demand,
        ("GLI-19 A.6.4", "GLI-19 4.16.1"),
        OPEN,
        _malfunction_while_disconnected,
        _voids,
    ),
    TriedSituation(
        "void-is-final",
        "A second malfunction, decisions, settlement and expiry asked for after a malfunction",
        says("All are refused, {days} days later too; no stake is returned twice and nothing is paid"),
        ("GLI-19 A.6.4",),
        frozenset(ProbeStage),
        _void_is_final,
        _voids,
    ),
    TriedSituation(
        "unresolved-before-term",
        "An unresolved bet one second before its term",
        says("At {days} days less one second the bet is not void: the round goes on and is settled as usual"),
        ("GLI-19 A.5.2(e)",),
        OPEN,
        _unresolved(_before_term),
    ),
    TriedSituation(
        "unresolved-at-term",
        "An unresolved bet at its term",
        _expiry_demand,
        ("GLI-19 A.5.2(e)",),
        OPEN,
        _unresolved(_at_term),
    ),
    TriedSituation(
        "settle-after-term",
        "Decisions and settlement asked for at the term and a year after acceptance",
        says("All are refused from {days} days on, whether or not the expiry was recorded before"),
        ("GLI-19 A.5.2(e)",),
        OPEN,
        _unresolved(_settle_after_term),
    ),
    TriedSituation(
        "expired-once",
        "Expiry and malfunction asked for after expiry",
        says("Both are refused; no stake is returned twice"),
        ("GLI-19 A.5.2(e)",),
        OPEN,
        _unresolved(_expire_once),
    ),
    TriedSituation(
        "clock-set-back",
        "The clock is set back after expiry",
        says("The bet stays void"),
        ("GLI-19 2.8.1",),
        OPEN,
        _unresolved(_clock_set_back),
    ),
    TriedSituation(
        "result-known-at-term",
        "A round whose result is known and not yet settled, at the term and a year after acceptance",
        says("The result stands: expiry is refused, and the round is settled once with its pays"),
        ("GLI-19 4.16.3(a)",),
        frozenset({ProbeStage.RESOLVED}),
        _known_at_term,
    ),
    TriedSituation(
        "resume",
        "Disconnection at every point, then resumption and every continuation",
        says("The same round goes on with the same cards and ends with the same money as unbroken"),
        ("GLI-19 4.16.3(b)", "GLI-19 4.4.4(c)"),
        frozenset({ProbeStage.BETTING, ProbeStage.DECISION, ProbeStage.RESOLVED}),
        _resume,
        _resumes,
    ),
    TriedSituation(
        "settled-while-disconnected",
        "Disconnection when no decision is left",
        says("The result stands: the round is settled, and the player finds it on return"),
        ("GLI-19 4.16.3(a)",),
        frozenset({ProbeStage.RESOLVED}),
        _settle_while_away,
        _resumes,
    ),
    TriedSituation(
        "one-round-at-a-time",
        "New bets and a new deal asked for while a round is open",
        says("All are refused while connected, disconnected and resumed; the open round is unchanged"),
        ("GLI-19 4.16.3", "GLI-19 4.3.3"),
        OPEN,
        _no_new_round,
    ),
    TriedSituation(
        "previous-wins",
        "Interruption and malfunction in the round after a win",
        says("The win of the earlier round stays paid"),
        ("GLI-19 A.5.2(d)",),
        frozenset({ProbeStage.SETTLED}),
        _previous_wins,
        lambda terms: terms.previous_wins_paid,
    ),
    TriedSituation(
        "unavailable-after-generator-failure",
        "Failure of the random number generator before the deal",
        says("No cards are dealt until the failure is cleared"),
        ("GLI-19 3.3.3",),
        frozenset({ProbeStage.BETTING}),
        _unavailable,
    ),
    TriedSituation(
        "open-round-while-unavailable",
        "Failure of the random number generator in an open round",
        says("The round, whose cards are already fixed, is completed"),
        ("GLI-19 4.15.1",),
        OPEN,
        _finish_unavailable,
    ),
)
"""Every situation that is exercised in every game, in the order of the report."""
