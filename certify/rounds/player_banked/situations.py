"""What can happen to a round of several people, what is then expected, and how it is tried at a point.

What is expected is worked out beside the table: who holds how much follows from stakes and hands, results and who
takes the bank from a second text of the family. No source prints terms for any of it, and every situation says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from certify.errors import OperationError
from certify.families.driver import steps
from certify.families.port import Choice
from certify.families.trials import Trial
from certify.rounds.player_banked.operations import people_at
from certify.rounds.player_banked.people import VOID_AT_TERM, VOID_BY_MALFUNCTION, People
from certify.rounds.player_banked.points import MONEY, PEOPLE, SeveralPoint
from certify.rounds.state import Phase
from certify.rounds.tried import TriedSituations

SECOND: Final = timedelta(seconds=1)


SITUATIONS: Final = TriedSituations[SeveralPoint]()
"""Every situation of several people, in the order of the report."""


def _held(point: SeveralPoint) -> dict[str, int]:
    """Returns what everybody must have put up: the bank the worst round, a seat each stake with what it may cost."""
    table = point.table
    seats = {
        seat: table.player_banked.put_up(
            table.people.seated, stake, [option for person, option in point.decisions if person == seat]
        )
        for seat, stake in table.stakes.items()
    }
    return seats | {PEOPLE[0]: point.table.worst}


def _nets(point: SeveralPoint) -> tuple[dict[str, int], str]:
    """Returns what everybody must have won at the end, and who must bank next, by a second text of the family."""
    table, remaining = point.table, [option for _, option in point.decisions]

    def decide(choice: Choice) -> str:
        return choice.ids[0] if len(choice.ids) == 1 else remaining.pop(0)

    # Played once more without a table.
    *_, last = steps(table.people.seated, point.row, decide)
    won, takes = table.player_banked.expected(table.people.seated, last.state, tuple(table.stakes.values()))
    nets = dict(zip(table.stakes, won, strict=True))
    return nets | {PEOPLE[0]: -sum(won)}, PEOPLE[0] if takes is None else list(table.stakes)[takes]


def _money(people: People) -> str:
    held = people.held or {}
    return ", ".join(
        f"{person} {has - MONEY:+d} held {held.get(person, 0)}" for person, has in people.balances.items()
    )


def _told(balances: Mapping[str, int], held: Mapping[str, int]) -> str:
    return ", ".join(f"{person} {balances.get(person, 0):+d} held {held.get(person, 0)}" for person in PEOPLE)


def _refusals(*asked: Callable[[], object]) -> str:
    """Returns that all were refused, or how many were done."""
    done = 0
    for ask in asked:
        try:
            ask()
            done += 1
        except OperationError:
            pass
    return f"{done} done" if done else "all refused"


@SITUATIONS.tried(
    "bets-of-several-covered",
    "Several people: a deal for which the bank or a seat has one coin too little, then just enough",
    "The first is refused; the bank answers for the worst round of these stakes, a seat for what a hand may cost",
    "GLI-19 4.3.3",
    at=set(Phase),
)
def _covered(point: SeveralPoint) -> Iterator[Trial]:
    if point.decisions:
        return
    table, least = point.table, _held(point)
    for person, amount in least.items():
        short = _refusals(partial(table.dealt, point.row, {person: amount - 1}))
        enough = people_at(table.dealt(point.row, {person: amount})).balances[person] if amount else 0
        yield point.tried("all refused, then dealt with 0 left", f"{short}, then dealt with {enough} left")


@SITUATIONS.tried(
    "bets-of-several-held",
    "Several people: what is held of each at every point of a round",
    "The bank's worst round, each seat's stake with its cover, as much for each hand split off; no money is lost",
    "GLI-19 4.3.3",
    "GLI-19 4.16.2",
    at={Phase.DECISION},
)
def _held_until_the_end(point: SeveralPoint) -> Iterator[Trial]:
    held = _held(point)
    yield point.tried(_told({person: -amount for person, amount in held.items()}, held), _money(point.people))


@SITUATIONS.tried(
    "one-round-at-a-time-of-several",
    "Several people: decisions out of turn, decisions not offered, and a new deal in an open round",
    "All are refused",
    "GLI-19 4.16.3",
    "GLI-19 4.3.3",
    at={Phase.DECISION},
)
def _in_turn(point: SeveralPoint) -> Iterator[Trial]:
    person, choice = point.waits_for()
    seat, machine = point.seat, point.table.at(point.table.start)
    others = [
        partial(machine.decide, seat, option, other)
        for other in PEOPLE
        if other != person
        for option in choice.ids
    ]
    unknown = [partial(machine.decide, seat, option, person) for option in ("peek", "")]
    again = partial(machine.deal, seat, point.table.stakes, point.row)
    yield point.tried("all refused", _refusals(*others, *unknown, again))


@SITUATIONS.tried(
    "settlement-of-several",
    "Several people: settlement of every seat against the bank, and who banks next",
    "Every seat gets what its hands won of its own stake, the bank the rest; the bank passes as the rules say",
    "GLI-19 4.4.2",
    at={Phase.SETTLED},
)
def _settled(point: SeveralPoint) -> Iterator[Trial]:
    nets, banks = _nets(point)
    expected = f"{_told(nets, {})}; {banks} banks"
    yield point.tried(expected, f"{_money(point.people)}; {point.people.banker} banks")


@SITUATIONS.tried(
    "settled-once-of-several",
    "Several people: decisions, malfunction and expiry asked for after settlement",
    "All are refused",
    "GLI-19 4.16.3",
    at={Phase.SETTLED},
)
def _settled_once(point: SeveralPoint) -> Iterator[Trial]:
    seat, late = point.seat, point.table.at(point.table.term)
    asked: list[Callable[[], object]] = [
        partial(late.malfunction, seat, "tried", "exercise"),
        partial(late.expire, seat),
        partial(late.away, seat),
    ]
    asked += [partial(late.decide, seat, "peek", person) for person in PEOPLE]
    yield point.tried("all refused", _refusals(*asked))


@SITUATIONS.tried(
    "settlement-history-of-several",
    "Several people: the history of each person",
    "One entry a round with stake, result and the person's own decisions",
    "GLI-19 4.14.2",
    at={Phase.SETTLED},
)
def _history(point: SeveralPoint) -> Iterator[Trial]:
    """Compares what each person finds in the own history."""
    nets, _ = _nets(point)
    staked = dict(point.table.stakes) | {PEOPLE[0]: point.table.worst}
    for person in PEOPLE:
        took = ", ".join(option for who, option in point.decisions if who == person)
        expected = (
            f"1 round, staked {staked[person]}, net {nets[person]}, settled, decided {took or 'nothing'}"
        )
        entries = point.people.history_of(person)
        observed = "; ".join(
            f"{len(entries)} round, staked {one.staked}, net {one.net}, {one.ended}, "
            f"decided {', '.join(one.decisions) or 'nothing'}"
            for one in entries
        )
        yield point.tried(expected, observed)


@SITUATIONS.tried(
    "malfunction-of-several",
    "Several people: malfunction at every point of a round",
    "Everybody has back what was held, the bank stays, nothing follows",
    "GLI-19 A.6.4",
    "GLI-19 B.2.1(e)",
    at={Phase.DECISION},
)
def _malfunction(point: SeveralPoint) -> Iterator[Trial]:
    machine = point.table.at(point.table.start)
    after, _ = machine.malfunction(point.seat, "tried", "exercise")
    void = people_at(after)
    ended = ", ".join(sorted({one.ended for one in void.history}))
    again = _refusals(
        partial(machine.malfunction, after, "tried", "exercise"),
        partial(machine.decide, after, "peek", PEOPLE[1]),
    )
    expected = f"{_told({}, {})}; {VOID_BY_MALFUNCTION} for {len(PEOPLE)}; {PEOPLE[0]} banks; all refused"
    observed = f"{_money(void)}; {ended} for {len(void.history)}; {void.banker} banks; {again}"
    yield point.tried(expected, observed)


@SITUATIONS.tried(
    "unresolved-of-several",
    "Several people: an unresolved round one second before its term and at it",
    "Not void before; at its term every decision is refused and everybody has back what was held",
    "GLI-19 A.5.2(e)",
    at={Phase.DECISION},
)
def _unresolved(point: SeveralPoint) -> Iterator[Trial]:
    person, choice = point.waits_for()
    seat, until = point.seat, point.table.term
    before, late = point.table.at(until - SECOND), point.table.at(until)
    early = _refusals(partial(before.expire, seat))
    refused = _refusals(partial(late.decide, seat, choice.ids[0], person))
    void = people_at(late.expire(seat)[0])
    expected = f"before: all refused; at it: all refused, then {VOID_AT_TERM}, {_told({}, {})}"
    observed = f"before: {early}; at it: {refused}, then {void.history[-1].ended}, {_money(void)}"
    yield point.tried(expected, observed)


def _shown(point: SeveralPoint) -> object:
    current, people = point.seat.round, point.people
    state = (
        people.play.standing(current.deck, current.decisions).state
        if current and point.phase is Phase.DECISION
        else None
    )
    return state, people.balances, people.banker


@SITUATIONS.tried(
    "resume-of-several-away",
    "Several people: a seat or the banker stays away",
    "Nothing is taken for them before the time to decide is over; then what commits least, and the others play on",
    "GLI-19 4.16.3(b)",
    at={Phase.DECISION},
)
def _away(point: SeveralPoint) -> Iterator[Trial]:
    person, choice = point.waits_for()
    until = point.table.start + point.people.terms.decide_within
    early = _refusals(partial(point.table.at(until - SECOND).away, point.seat))
    went, _ = point.table.at(until).away(point.seat)
    decided = point.after(person, choice.ids[0])
    same = "the same table" if _shown(replace(point, seat=went)) == _shown(decided) else "another table"
    least = f"after it: {choice.ids[0]}"
    yield point.tried(f"before: all refused; {least}, the same table", f"before: {early}; {least}, {same}")


@SITUATIONS.tried(
    "resume-of-several",
    "Several people: interruption at every point of a round",
    "The round goes on from its draws and decisions to the same table, money and history",
    "GLI-19 4.16.3(b)",
    at=set(Phase),
)
def _resumed(point: SeveralPoint) -> Iterator[Trial]:
    """Plays the round again from its row and its decisions, as after an interruption."""
    again, machine = point.table.dealt(point.row), point.table.at(point.table.start)
    for person, option in point.decisions:
        again, _ = machine.decide(again, option, person)
    same = "the same table, money and history" if again == point.seat else "another table, money or history"
    yield point.tried("the same table, money and history", same)
