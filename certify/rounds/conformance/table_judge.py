"""A table under test beside the reference, step by step, and the promise that a difference breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import permutations
from typing import Final

from certify.rounds.conformance.blame import by_holder
from certify.rounds.conformance.extras import TableExtra, offering, offering_at
from certify.rounds.conformance.follow import outcome
from certify.rounds.conformance.judge import UnansweredError, answered
from certify.rounds.conformance.promise import Breach, Promise
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Recall,
    Restart,
    Step,
    Story,
    Together,
    asked_at_table,
)
from certify.rounds.events import Bets, Hands
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.state import Phase
from certify.rounds.system import SystemFactory
from certify.rounds.table import TableAction, TableCommand, TableReply, TableRound, TableState, TableView
from certify.rounds.table_system import ReferenceTable, TableSystem

PEOPLE: Final = ("Ada", "Bea", "Cora")


@dataclass(frozen=True, slots=True)
class Scene:
    """In what stories at tables are told: who sits down with what, and from which rows they are dealt."""

    edition: Edition
    people: Bets
    rows: tuple[Deck, ...]
    start: datetime
    unsupported: frozenset[str]
    offers: frozenset[TableExtra] = frozenset()

    def reference(self) -> ReferenceTable:
        """Returns the reference before its first round."""
        return ReferenceTable.of(self.edition, self.people, PEOPLE[0], self.start)

    def table(self, factory: SystemFactory) -> TableSystem:
        """Returns a fresh table of a system.

        Raises:
            UnansweredError: The system gives none.
        """
        player = answered(lambda: factory(self.edition, self.people[0][1], self.start))
        return answered(lambda: offering(player).gather(self.people, PEOPLE[0]))


@dataclass(slots=True)
class Told:
    """A story being told to the reference, and to a system where there is one."""

    scene: Scene
    reference: ReferenceTable
    system: TableSystem | None
    next_row: int
    asked: int = 0
    done: list[tuple[TableCommand, str]] = field(default_factory=list)

    @property
    def instant(self) -> datetime:
        """What the clock shows."""
        return self.reference.clock.now()

    def key(self) -> str:
        """Returns a fresh key."""
        self.asked += 1
        return f"key-{self.asked}"

    def row(self) -> Deck:
        """Returns the row of draws of the next deal."""
        return self.scene.rows[self.next_row % len(self.scene.rows)]

    def remember(self, command: TableCommand, key: str) -> None:
        """Remembers what was done, and that a deal took its row."""
        self.done.append((command, key))
        self.next_row += command.action is TableAction.DEAL


def tell_at_table(story: Story, scene: Scene, factory: SystemFactory) -> Breach | None:
    """Tells a story to a fresh table of the system and to the reference; returns the first breach, or None."""
    try:
        table = scene.table(factory)
    except UnansweredError as error:
        return Breach(error.promise, 0, "a fresh table", str(error))
    play = Told(scene, scene.reference(), table, story.first_deck)
    for number, step in enumerate(story.steps, start=1):
        try:
            breach = step_at_table(play, step)
        except UnansweredError as error:
            breach = Breach(error.promise, number, "an answer", str(error))
        if breach is not None:
            return replace(breach, step=number)
    return None


def step_at_table(play: Told, step: Step) -> Breach | None:
    """Does a step of a story; returns the breach that the system's answer shows, or None."""
    match step:
        case Jump():
            instant = play.instant + step.by
            play.reference.set_clock(instant)
            if play.system is not None:
                system = play.system
                answered(lambda: system.set_clock(instant))
            return None
        case Ask(command=TableCommand() as command):
            return _ask(play, command, play.key())
        case Together():
            return _together(play, *asked_at_table(step), one_key=step.one_key)
        case Again() if step.back <= len(play.done):
            return _ask(play, *play.done[-step.back], promise=Promise.DUPLICATES)
        case Restart():
            return _restart(play) if TableExtra.RESTART in play.scene.offers else None
        case Recall():
            return _recall(play) if TableExtra.HISTORY in play.scene.offers else None
        case Look():
            return _look(play, Promise.VIEW)
        case _:
            return None


def _give_row(play: Told, *commands: TableCommand) -> None:
    if any(command.action is TableAction.DEAL for command in commands):
        row, system = play.row(), play.system
        play.reference.set_deck(row)
        if system is not None:
            answered(lambda: system.set_deck(row))


def _ask(play: Told, command: TableCommand, key: str, promise: Promise | None = None) -> Breach | None:
    before = play.reference.view()
    _give_row(play, command)
    expected = play.reference.ask(command, key)
    if expected.done and promise is None:
        play.remember(command, key)
    system = play.system
    if system is None:
        return None
    observed = answered(lambda: system.ask(command, key), TableReply)
    if not isinstance(observed.view, TableView):
        raise UnansweredError(f"{observed!r}"[:500] + ": expected a view in the reply")
    if expected.done == observed.done and _comparable(expected.view) == _comparable(observed.view):
        return None
    broken = promise or _promise(command, before, expected, observed)
    return Breach(broken, 0, _shown(expected), _shown(observed))


def _together(play: Told, one: TableCommand, other: TableCommand, *, one_key: bool) -> Breach | None:
    key = play.key()
    asked = ((one, key), (other, key if one_key else play.key()))
    _give_row(play, one, other)
    if _two_rounds(play.reference, asked):
        return None
    system = play.system
    if system is None:
        replies = play.reference.ask_together(asked)
    elif TableExtra.TOGETHER not in play.scene.offers:
        return None
    else:
        replies = answered(lambda: tuple(offering_at(system).ask_together(asked)), tuple)
        if len(replies) != len(asked) or not all(isinstance(reply, TableReply) for reply in replies):
            raise UnansweredError(f"{replies!r}"[:500] + ": expected a reply to each command")
        view = answered(system.view, TableView)
        orders = _orders(play.reference, asked, [reply.done for reply in replies], view)
        if orders:
            told = outcome(reply.done for reply in replies)
            return Breach(Promise.TOGETHER, 0, ", or ".join(orders), f"{told}; {_described(view)}")
    # Under one key something is done once, however often it is answered.
    done = dict.fromkeys(pair for pair, reply in zip(asked, replies, strict=True) if reply.done)
    for pair in done:
        play.remember(*pair)
    return None


def _orders(
    reference: ReferenceTable,
    asked: Sequence[tuple[TableCommand, str]],
    told: Sequence[bool],
    view: TableView,
) -> tuple[str, ...]:
    """Returns nothing where some order explains the answers, and stays on it; else what every order gives."""
    orders: list[str] = []
    saved = reference.state, len(reference.events), dict(reference.keys)
    for order in permutations(range(len(asked))):
        done = [False] * len(asked)
        for index in order:
            done[index] = reference.ask(*asked[index]).done
        if done == list(told) and _comparable(reference.view()) == _comparable(view):
            return ()
        orders.append(f"{outcome(iter(done))}; {_described(reference.view())}")
        _go_back(reference, saved)
    return tuple(dict.fromkeys(orders))


def _two_rounds(reference: ReferenceTable, asked: Sequence[tuple[TableCommand, str]]) -> bool:
    """Tells whether two deals would be done one after the other: then one row of draws would not serve both."""
    if any(command.action is not TableAction.DEAL for command, _ in asked) or asked[0][1] == asked[1][1]:
        return False
    saved = reference.state, len(reference.events), dict(reference.keys)
    done = [reference.ask(command, key).done for command, key in asked]
    _go_back(reference, saved)
    return all(done)


def _go_back(reference: ReferenceTable, saved: tuple[TableState, int, dict[str, TableCommand]]) -> None:
    reference.state, events, keys = saved
    del reference.events[events:]
    reference.keys = dict(keys)


def _restart(play: Told) -> Breach | None:
    system = play.system
    breach = _look(play, Promise.VIEW)
    if breach is not None or system is None:
        return breach
    answered(offering_at(system).restart)
    return _look(play, Promise.RESTART)


def _recall(play: Told) -> Breach | None:
    """Compares the history of every person at the table."""
    if play.system is None:
        return None
    table = offering_at(play.system)
    for person in PEOPLE:
        told = answered(lambda: tuple(table.history(person)), tuple)  # noqa: B023 (asked at once)
        if not all(isinstance(one, TableRound) for one in told):
            raise UnansweredError(f"{told!r}"[:500] + ": expected rounds")
        expected, observed = _complete(play.reference.history(person)), _complete(told)
        ids = [one.round for one in told]
        if _without_ids(observed) != _without_ids(expected) or len(set(ids)) != len(ids):
            return Breach(Promise.HISTORY, 0, _listed(person, expected), _listed(person, observed))
    return None


def _complete(rounds: Sequence[TableRound]) -> tuple[TableRound, ...]:
    """Returns the rounds that are complete; whether an open one is listed is left to the system."""
    return tuple(one for one in rounds if one.phase != Phase.DECISION)


def _without_ids(rounds: Sequence[TableRound]) -> list[TableRound]:
    """Returns rounds without what every system forms in its own way: ids, the order of people and seats."""
    return [
        replace(one, round="", hands=by_holder(one.hands), stakes=tuple(sorted(one.stakes))) for one in rounds
    ]


def _listed(person: str, rounds: Sequence[TableRound]) -> str:
    told = "; ".join(
        f"{one.phase}, {one.banker} banks, stakes {_amounts(one.stakes)}, hands {_laid_open(one.hands)}, "
        f"returned {one.returned}, net {one.net}"
        for one in rounds
    )
    return f"rounds of {person}: {told or 'none complete'}"


def _look(play: Told, promise: Promise) -> Breach | None:
    if play.system is None:
        return None
    expected, observed = play.reference.view(), answered(play.system.view, TableView)
    if _comparable(expected) == _comparable(observed):
        return None
    return Breach(promise, 0, _described(expected), _described(observed))


def _comparable(view: TableView) -> object:
    """Returns a view without what every system forms in its own way: ids, the order of people, empty hands."""
    return (
        view.phase, view.banker, view.turn, view.options, set(view.absent),
        *(dict(part) for part in (view.balances, view.stakes, view.nets)),
        {person: amount for person, amount in view.held if amount},
        {holder: faces for holder, faces in view.hands if faces},
    )  # fmt: skip


def _promise(command: TableCommand, before: TableView, expected: TableReply, observed: TableReply) -> Promise:
    """Returns the promise that a difference breaks."""
    if expected.done != observed.done:
        if command.action is TableAction.EXPIRE or (before.turn and expected.view.phase == Phase.EXPIRED):
            return Promise.TERM
        return Promise.DONE if expected.done else Promise.REFUSED
    views = expected.view, observed.view
    hands = [{holder: faces for holder, faces in view.hands if faces} for view in views]
    if hands[0] != hands[1]:
        return Promise.CARDS
    if expected.view.phase in (Phase.VOID, Phase.EXPIRED):
        return Promise.RETURNED
    if expected.view.phase == Phase.SETTLED:
        return Promise.PAID
    return Promise.ACCEPTED if before.held != expected.view.held else Promise.DECISIONS


def _shown(reply: TableReply) -> str:
    return f"{'done' if reply.done else f'refused ({reply.refusal})'}; {_described(reply.view)}"


def _described(view: TableView) -> str:
    turn = f"{view.turn} may {'/'.join(view.options)}" if view.turn else "nobody decides"
    return (
        f"{view.phase}, {view.banker} banks, {turn}; has {_amounts(view.balances)}; held {_amounts(view.held)}; "
        f"won {_amounts(view.nets)}; hands {_laid_open(view.hands)}; left {', '.join(view.absent) or 'nobody'}"
    )


def _amounts(bets: Bets) -> str:
    return ", ".join(f"{person} {amount}" for person, amount in bets) or "nothing"


def _laid_open(hands: Hands) -> str:
    return (
        ", ".join(f"{holder} {' '.join(map(str, faces))}" for holder, faces in hands if faces) or "none open"
    )
