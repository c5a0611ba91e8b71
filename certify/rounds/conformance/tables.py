"""Stories at a table of several people, told to a system under test and to the reference side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

from certify.families.registry import family_of
from certify.rounds.conformance.extras import Extra, offering
from certify.rounds.conformance.fixed import Setting
from certify.rounds.conformance.judge import UnansweredError, answered
from certify.rounds.conformance.promise import Breach, Promise
from certify.rounds.conformance.shorter import shortest
from certify.rounds.conformance.story import Again, AskTable, Jump, Look, Restart, Step, Story
from certify.rounds.events import Bets
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.state import Phase
from certify.rounds.system import SystemFactory
from certify.rounds.table import TableAction, TableCommand, TableReply, TableView, decides
from certify.rounds.table_system import ReferenceTable, TableSystem

LONGEST: Final = 30
"""Turns of a story at a table: each is a step, or a few that belong together."""

ROWS: Final = 24
"""Rows of draws that stories at tables are dealt from."""

PEOPLE: Final = ("Ada", "Bea", "Cora")

_STEPS = timedelta(seconds=1), timedelta(minutes=2), timedelta(hours=1)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TablesReport:
    """What stories at tables showed.

    Args:
        stories: Number told up to the first breach.
        steps: Number of steps in them.
        breach: The breach that the shortest story shows.
        script: That story as numbered lines, its circumstances first.
    """

    stories: int = 0
    steps: int = 0
    breach: Breach | None = None
    script: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Scene:
    """In what stories at tables are told: who sits down with what, and from which rows they are dealt."""

    edition: Edition
    people: Bets
    rows: tuple[Deck, ...]
    start: datetime
    offers: Collection[Extra]
    unsupported: frozenset[str]


@dataclass(slots=True)
class _Chooser:
    """Chooses by a digest of what it was made of and of how often it chose: the same every time."""

    text: str
    chosen: int = 0

    def below(self, number: int) -> int:
        self.chosen += 1
        digest = hashlib.sha256(f"{self.text}/{self.chosen}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % number

    def of(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]


def plays_tables(edition: Edition) -> bool:
    """Tells whether a game is played by several people, one of whom banks."""
    return family_of(edition.game).company is not None


def conform_tables(setting: Setting, factory: SystemFactory, count: int, seed: int) -> TablesReport:
    """Tells stories at tables to a system that offers them; nothing is told where it or the game does not.

    Args:
        setting: Rules, decks, start, and what the system offers.
        factory: Makes the system under test.
        count: Number of stories told to one player; a quarter as many are told at tables.
        seed: Chooses them; the same seed tells the same ones.
    """
    company = family_of(setting.edition.game).company
    if company is None or Extra.TABLE not in setting.offers:
        return TablesReport()
    stake = setting.edition.game.wagers[0].limits.minimum
    # With the highest stakes of a story somebody has too little, the banker or a seat.
    people = tuple((name, stake * (60, 100, 50)[place]) for place, name in enumerate(PEOPLE))
    rows = tuple(company.rows(setting.decks, ROWS))
    unsupported = frozenset(map(str, setting.unsupported))
    scene = _Scene(setting.edition, people, rows, setting.start, setting.offers, unsupported)
    told = steps = 0

    def shows(story: Story) -> Breach | None:
        return _tell(story, scene, factory)

    for number in range(-(-count // 4)):
        story = _story(scene, _Chooser(f"{seed}/{number}"))
        told, steps = told + 1, steps + len(story.steps)
        if shows(story) is not None:
            story, breach = shortest(story, shows, len(rows))
            return TablesReport(told, steps, breach, _script(story, scene))
    return TablesReport(told, steps)


def _script(story: Story, scene: _Scene) -> tuple[str, ...]:
    seated = ", ".join(f"{name} with {amount}" for name, amount in scene.people)
    deals = sum(
        isinstance(step, AskTable) and step.command.action is TableAction.DEAL for step in story.steps
    )
    rows = [scene.rows[(story.first_deck + deal) % len(scene.rows)] for deal in range(max(1, deals))]
    return (
        f"table of {seated}; {PEOPLE[0]} banks, clock at {scene.start.isoformat()}",
        *(f"row of deal {number}: {' '.join(map(str, row))}" for number, row in enumerate(rows, start=1)),
        *story.script(),
    )


# --- what is told ---------------------------------------------------------------------------------------------


def _story(scene: _Scene, choose: _Chooser) -> Story:
    """Returns steps chosen while the reference is told them, so that most of them lead on."""
    first = choose.below(len(scene.rows))
    play = _Told(scene, ReferenceTable.of(scene.edition, scene.people, PEOPLE[0], scene.start), None, first)
    steps: list[Step] = []
    for _ in range(LONGEST):
        for step in _next(play, scene, choose):
            if isinstance(step, AskTable) and str(step.command.action) in scene.unsupported:
                continue
            steps.append(step)
            _step(play, step)
    return Story(tuple(steps), first)


def _next(play: _Told, scene: _Scene, choose: _Chooser) -> Iterator[Step]:
    """Yields what is done next: mostly what leads on, else what breaks off, comes late, twice or out of turn."""
    view, kind = play.reference.view(), choose.below(20)
    if kind < 12:
        yield AskTable(_leading_on(view, scene, choose))
    elif kind < 15:
        yield AskTable(_out_of_place(view, scene, choose))
    elif kind == 15:
        said: tuple[Step, ...] = (Look(), Restart(), Again(1), Again(2))
        yield choose.of(said)
    elif kind == 16:
        person = choose.of(PEOPLE)
        yield AskTable(TableCommand(choose.of((TableAction.LEAVE, TableAction.RETURN)), person))
    elif kind == 17:
        yield Jump(choose.of(_STEPS))
        yield AskTable(TableCommand(TableAction.AWAY))
    else:
        yield from _around_the_term(play, view, choose)


def _leading_on(view: TableView, scene: _Scene, choose: _Chooser) -> TableCommand:
    if view.turn:
        return decides(view.turn, choose.of(view.options))
    seats = [name for name in PEOPLE if name != view.banker]
    stake = scene.edition.game.wagers[0].limits.minimum
    units = choose.of(((1, 1), (1, 2), (2, 1), (3, 7), (30, 40)))
    return TableCommand(
        TableAction.DEAL,
        stakes=tuple((name, stake * unit) for name, unit in zip(seats, units, strict=True)),
    )


def _out_of_place(view: TableView, scene: _Scene, choose: _Chooser) -> TableCommand:
    """Returns what is to be refused, or breaks the round off."""
    stake = scene.edition.game.wagers[0].limits.minimum
    option = choose.of(view.options or ("stand",))
    return choose.of(
        (
            decides(choose.of(PEOPLE), option),
            decides(view.turn or PEOPLE[0], "peek"),
            TableCommand(TableAction.DEAL, stakes=((PEOPLE[1], stake),)),
            TableCommand(TableAction.DEAL, stakes=tuple((name, stake) for name in PEOPLE)),
            TableCommand(TableAction.DEAL, stakes=tuple((name, 0) for name in PEOPLE if name != view.banker)),
            TableCommand(TableAction.AWAY),
            TableCommand(TableAction.EXPIRE),
            TableCommand(TableAction.MALFUNCTION),
            TableCommand(TableAction.LEAVE, "Zoe"),
        )
    )


def _around_the_term(play: _Told, view: TableView, choose: _Chooser) -> Iterator[Step]:
    """Yields a jump to the term of the open round or a second before it, and what is asked then."""
    void_at = play.reference.state.gathering.void_at
    if void_at is None:
        return
    yield Jump(void_at - play.instant - choose.of((timedelta(0), timedelta(seconds=1))))
    late = decides(view.turn, choose.of(view.options)) if view.turn else TableCommand(TableAction.AWAY)
    yield AskTable(choose.of((late, TableCommand(TableAction.EXPIRE))))
    yield AskTable(TableCommand(TableAction.EXPIRE))


# --- what is compared -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Told:
    """A story being told to the reference, and to a system where there is one."""

    scene: _Scene
    reference: ReferenceTable
    system: TableSystem | None
    next_row: int
    asked: int = 0
    done: list[tuple[TableCommand, str]] = field(default_factory=list)

    @property
    def instant(self) -> datetime:
        """What the clock shows."""
        return self.reference.clock.now()


def _tell(story: Story, scene: _Scene, factory: SystemFactory) -> Breach | None:
    """Tells a story to a fresh table of the system and to the reference; returns the first breach, or None."""
    reference = ReferenceTable.of(scene.edition, scene.people, PEOPLE[0], scene.start)
    try:
        player = answered(lambda: factory(scene.edition, scene.people[0][1], scene.start))
        table = answered(lambda: offering(player).gather(scene.people, PEOPLE[0]))
    except UnansweredError as error:
        return Breach(error.promise, 0, "a fresh table", str(error))
    play = _Told(scene, reference, table, story.first_deck)
    for number, step in enumerate(story.steps, start=1):
        try:
            breach = _step(play, step)
        except UnansweredError as error:
            breach = Breach(error.promise, number, "an answer", str(error))
        if breach is not None:
            return replace(breach, step=number)
    return None


def _step(play: _Told, step: Step) -> Breach | None:
    match step:
        case Jump():
            instant = play.instant + step.by
            play.reference.set_clock(instant)
            if play.system is not None:
                system = play.system
                answered(lambda: system.set_clock(instant))
            return None
        case AskTable():
            play.asked += 1
            return _ask(play, step.command, f"key-{play.asked}")
        case Again() if step.back <= len(play.done):
            return _ask(play, *play.done[-step.back], promise=Promise.DUPLICATES)
        case Restart():
            return _restart(play)
        case Look():
            return _look(play, Promise.VIEW)
        case _:
            return None


def _ask(play: _Told, command: TableCommand, key: str, promise: Promise | None = None) -> Breach | None:
    deals = command.action is TableAction.DEAL
    row = play.scene.rows[play.next_row % len(play.scene.rows)]
    before = play.reference.view()
    if deals:
        play.reference.set_deck(row)
    expected = play.reference.ask(command, key)
    if expected.done and promise is None:
        play.done.append((command, key))
        play.next_row += deals
    if play.system is None:
        return None
    system = play.system
    if deals:
        answered(lambda: system.set_deck(row))
    observed = answered(lambda: system.ask(command, key), TableReply)
    if expected.done == observed.done and _comparable(expected.view) == _comparable(observed.view):
        return None
    broken = promise or _promise(command, before, expected, observed)
    return Breach(broken, 0, _shown(expected), _shown(observed))


def _restart(play: _Told) -> Breach | None:
    if Extra.RESTART not in play.scene.offers or play.system is None:
        return None
    breach = _look(play, Promise.VIEW)
    restart = getattr(play.system, "restart", None)
    if breach is not None or not callable(restart):
        return breach
    answered(restart)
    return _look(play, Promise.RESTART)


def _look(play: _Told, promise: Promise) -> Breach | None:
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
    def told(bets: Bets) -> str:
        return ", ".join(f"{person} {amount}" for person, amount in bets) or "nothing"

    hands = ", ".join(f"{holder} {list(faces)}" for holder, faces in view.hands if faces) or "none open"
    turn = f"{view.turn} may {'/'.join(view.options)}" if view.turn else "nobody decides"
    return (
        f"{view.phase}, {view.banker} banks, {turn}; has {told(view.balances)}; held {told(view.held)}; "
        f"won {told(view.nets)}; hands {hands}; left {', '.join(view.absent) or 'nobody'}"
    )
