"""Comparing a system under test with the reference, step by step, and naming the promise that broke."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Final, TypeVar

from certify.rounds.conformance.client import LateError
from certify.rounds.conformance.follow import (
    FollowedRound,
    by_holder,
    comparable,
    complete,
    described,
    faces,
    listed,
    outcome,
    same,
    told,
    without_ids,
)
from certify.rounds.conformance.promise import Before, Breach, PromiseId, promise_of, tried
from certify.rounds.conformance.setting import UNEQUAL_KEYS, Extra, Setting, offering
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Meanwhile,
    Plain,
    SeatsTogether,
    Step,
    Story,
    asked_in,
)
from certify.rounds.conformance.wire import shortened
from certify.rounds.events import amounts
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.state import OPEN
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import (
    DEALS,
    Command,
    PastRound,
    RecalledRound,
    Reply,
    SeatAction,
    SeatChoice,
    System,
    SystemFactory,
    View,
)

T = TypeVar("T")


class UnansweredError(Exception):
    """The system under test did not answer, or not within the interface; the message says how."""

    @property
    def promise(self) -> PromiseId:
        """The promise that it broke."""
        return PromiseId.IN_TIME if isinstance(self.__cause__, LateError) else PromiseId.ANSWERED


@dataclass(slots=True)
class JudgedPlay:
    """A story being sent to the reference and to the system under test.

    Args:
        reference: The reference.
        system: The system under test.
        story: What is sent.
        decks: Decks of the deals.
        offers: What the system offers beyond commands and view.
        instant: What the clock shows.
        furthest: Latest instant that the clock showed.
        next_deck: Index of the deck of the next deal.
        accepted_at: When the bets of the latest round were accepted.
        resumed: Whether the player came back during the round.
        asked: Keys used so far.
        done: Commands done, with their keys.
        refused: Keys under which a command was refused.
        ids: Ids of rounds that the system gave, by those of the reference.
        tally: How many answers tried each promise.
        beside: Makes another player of the same system.
        other: That player.
    """

    reference: FollowedRound
    system: System
    story: Story
    decks: Sequence[Deck]
    offers: Collection[Extra]
    instant: datetime = field(init=False)
    furthest: datetime = field(init=False)
    next_deck: int = field(init=False)
    accepted_at: datetime | None = None
    resumed: bool = False
    asked: int = 0
    done: list[tuple[Command, str]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    ids: dict[str, str] = field(default_factory=dict)
    tally: Counter[PromiseId] = field(default_factory=Counter)
    beside: "Callable[[], JudgedPlay] | None" = None
    other: "JudgedPlay | None" = None

    def __post_init__(self) -> None:
        """The moment before the first step."""
        self.instant = self.furthest = self.reference.latest
        self.next_deck = self.story.first_deck

    @property
    def edition(self) -> Edition:
        """Rules and terms."""
        return self.reference.system.machine.edition

    @property
    def deck(self) -> Deck:
        """The deck of the next deal."""
        return self.decks[self.next_deck % len(self.decks)]

    def before(self) -> Before:
        """Returns how things stand."""
        accepted = self.accepted_at or self.instant
        term = self.edition.term(accepted)
        return Before(self.reference.view(), self.resumed, self.instant - accepted, term)

    def does(self, command: Command) -> bool:
        """Returns whether the reference would do a command now; nothing is changed by asking."""
        self.reference.set_deck(self.deck)
        return self.reference.would_do(command)

    def key(self) -> str:
        """Returns a fresh key."""
        self.asked += 1
        return f"key-{self.asked}"

    def ask(self, command: Command, key: str) -> Reply:
        """Asks one thing of the system under test.

        Raises:
            UnansweredError: It does not answer, or not within the interface.
        """
        self.tally.update((PromiseId.ANSWERED, PromiseId.IN_TIME))
        return _verified(answered(lambda: self.system.perform(command, key), Reply))

    def send_together(self, asked: Sequence[tuple[Command, str]]) -> tuple[Reply, ...]:
        """Asks several things at the same time.

        Raises:
            UnansweredError: It does not answer, or not within the interface.
        """
        system = offering(self.system)
        replies = answered(lambda: tuple(system.perform_together(asked)), tuple)
        if len(replies) != len(asked) or not all(isinstance(reply, Reply) for reply in replies):
            raise UnansweredError(f"{replies!r}"[:500] + ": expected a reply to each command")
        return replies


def tell(
    story: Story,
    factory: SystemFactory,
    edition: Edition,
    decks: Sequence[Deck],
    start: datetime,
    opening: int,
    offers: Collection[Extra] = (),
    tally: Counter[PromiseId] | None = None,
) -> Breach | None:
    """Tells a story to a fresh system and to the reference; returns the first breach, or None.

    Args:
        story: What is done.
        factory: Makes the system with a fresh player.
        edition: Rules and terms.
        decks: Decks of the deals.
        start: When the story begins.
        opening: Opening balance.
        offers: What the system offers beyond commands and view; steps that need more are passed over.
        tally: Counts how many answers try each promise.
    """
    counted: Counter[PromiseId] = Counter() if tally is None else tally
    begins = story.start or start
    brought = opening if story.opening is None else story.opening

    def fresh() -> JudgedPlay:
        system = answered(lambda: factory(edition, brought, begins))
        reference = FollowedRound(ReferenceSystem.of(edition, brought, begins), begins)
        return JudgedPlay(reference, system, story, decks, offers, tally=counted)

    try:
        play = fresh()
    except UnansweredError as error:
        return Breach(error.promise, 0, "a fresh player", str(error))
    play.beside = fresh
    for number, step in enumerate(story.steps, start=1):
        before = play.reference.view()
        try:
            breach = take_step(play, step)
        except UnansweredError as error:
            breach = Breach(error.promise, number, f"an answer; before it {described(before)}", str(error))
        if breach is not None:
            return replace(breach, step=number)
    return None


def on_the_reference(story: Story, setting: Setting) -> JudgedPlay:
    """Returns a story before its first step, with the reference on both sides; what is sent twice is done once."""
    begins = story.start or setting.start
    table = ReferenceSystem.of(
        setting.edition, setting.opening if story.opening is None else story.opening, begins
    )
    return JudgedPlay(FollowedRound(table, begins), table, story, setting.decks, (Extra.TOGETHER,))


def answered(call: Callable[[], T], kind: type | tuple[type, ...] = object) -> T:
    """Returns what a system under test answers.

    Raises:
        UnansweredError: It raised something, whatever that is, or answered something else.
    """
    try:
        found = call()
    except Exception as error:  # whatever an operator's code raises is no answer
        raise UnansweredError(f"{type(error).__name__}: {str(error)[:500]}") from error
    if not isinstance(found, kind):
        raise UnansweredError(f"{found!r}"[:500] + f": expected {kind}")
    return found


def take_step(play: JudgedPlay, step: Step) -> Breach | None:
    """Does a step of a story; returns the breach that the system's answer shows, or None."""
    match step:
        case Jump():
            play.instant += step.by
            _set_clock(play)
            return None
        case Ask():
            return _ask(play, step.command, step.key or play.key())
        case Meanwhile():
            return _meanwhile(play, step)
        case Again():
            return _again(play, step)
        case SeatsTogether():
            return _together(play, step) if Extra.TOGETHER in play.offers else None
        case Plain.RESTART:
            return _restart(play) if Extra.RESTART in play.offers else None
        case Plain.LOOK:
            return _look(play, PromiseId.VIEW if play.asked else PromiseId.OPENED)
        case Plain.RECALL:
            found = _recall(play) if Extra.HISTORY in play.offers else None
            return found or (_recalled(play) if Extra.RECALL in play.offers else None)


def _set_clock(play: JudgedPlay) -> None:
    play.reference.set_clock(play.instant)
    play.furthest = max(play.furthest, play.instant)
    # An operator's code may return anything; what it raises is no answer.
    answered(partial(play.system.set_clock, play.instant))


def _give_deck(play: JudgedPlay, *commands: Command) -> None:
    if any(command.action in DEALS for command in commands):
        play.reference.set_deck(play.deck)
        answered(lambda: play.system.set_deck(play.deck))


def _ask(play: JudgedPlay, command: Command, key: str) -> Breach | None:
    _give_deck(play, command)
    before = play.before()
    observed = play.ask(command, key)
    expected = play.reference.answer(command, key, observed)
    promise = promise_of(command, before, expected, observed)
    play.tally.update(tried(command, before, expected))
    keys = {used for _, used in play.done}
    if key in keys:
        promise = PromiseId.DUPLICATES
        play.tally[promise] += 1
    elif expected.done:
        nothing = comparable(observed.view) == comparable(before.view)
        unequal = any(key in pair and keys & {*pair} for pair in UNEQUAL_KEYS)
        play.tally[PromiseId.FREE_KEYS] += key in play.refused
        play.tally[PromiseId.OTHER_KEYS] += unequal
        if key in play.refused and not observed.done:
            promise = PromiseId.FREE_KEYS
        elif nothing and unequal:
            promise = PromiseId.OTHER_KEYS
        play.done.append((command, key))
        _remember(play, command)
    else:
        play.refused.add(key)
    alike = same(expected, observed)
    if alike and command.action in DEALS and expected.done:
        if observed.view.round in play.ids.values():
            return Breach(
                PromiseId.HISTORY, 0, "a round with an id of its own", f"id {observed.view.round!r} again"
            )
        play.ids[expected.view.round] = observed.view.round
    return None if alike else Breach(promise, 0, told(expected), told(observed))


def _meanwhile(play: JudgedPlay, step: Meanwhile) -> Breach | None:
    if play.other is None:
        if play.beside is None:
            raise ValueError("another player has no other player: expected steps of two")
        play.other = play.beside()
    play.other.instant = play.instant
    _set_clock(play.other)
    play.tally[PromiseId.APART] += 1
    breach = take_step(play.other, step.step)
    return replace(breach, promise=PromiseId.APART) if breach is not None else None


def _again(play: JudgedPlay, step: Again) -> Breach | None:
    """Sends what was done, or another command, under the old key of what was done."""
    if step.back > len(play.done) or play.done[-step.back][0] == step.command:
        return None
    command, key = play.done[-step.back]
    promise = PromiseId.DUPLICATES
    if step.command is not None:
        command, promise = step.command, PromiseId.KEYS
        _give_deck(play, command)
    play.tally[promise] += 1
    observed = play.ask(command, key)
    expected = play.reference.answer(command, key, observed)
    return None if same(expected, observed) else Breach(promise, 0, told(expected), told(observed))


def _together(play: JudgedPlay, step: SeatsTogether) -> Breach | None:
    one, other = asked_in(step)
    key = play.key()
    asked = ((one, key), (other, key if step.one_key else play.key()))
    _give_deck(play, one, other)
    if play.reference.two_rounds(asked):
        return None
    play.tally[PromiseId.TOGETHER] += 1
    replies = play.send_together(asked)
    view = _seen(play)
    orders = play.reference.together(asked, replies, view)
    if orders:
        done = outcome(reply.done for reply in replies)
        return Breach(PromiseId.TOGETHER, 0, ", or ".join(orders), f"{done}; {described(view)}")
    # Under one key something is done once, however often it is answered.
    for pair in dict.fromkeys(pair for pair, reply in zip(asked, replies, strict=True) if reply.done):
        play.done.append(pair)
        _remember(play, pair[0])
    return None


def _restart(play: JudgedPlay) -> Breach | None:
    breach = _look(play, PromiseId.VIEW)
    if breach is not None:
        return breach
    answered(lambda: offering(play.system).restart())
    return _look(play, PromiseId.RESTART)


def _seen(play: JudgedPlay) -> View:
    return answered(lambda: play.system.view(), View)


def _look(play: JudgedPlay, promise: PromiseId) -> Breach | None:
    observed = _seen(play)
    _verify_plain(observed)
    play.tally[promise] += 1
    expected = play.reference.shown(observed)
    return (
        None
        if comparable(expected) == comparable(observed)
        else Breach(promise, 0, described(expected), described(observed))
    )


def _recall(play: JudgedPlay) -> Breach | None:
    theirs = _rounds(offering(play.system).history, PastRound)
    ours = complete(play.reference.system.history())
    expected = tuple(replace(one, round=play.ids.get(one.round, "")) for one in ours)
    observed = complete(theirs)
    play.tally[PromiseId.HISTORY] += len(expected)
    named = [(one.round, other.round) for one, other in zip(expected, observed, strict=False) if one.round]
    if len(observed) == len(expected) and any(one != other for one, other in named):
        ids = ", ".join(one for one, _ in named), ", ".join(other for _, other in named)
        return Breach(PromiseId.HISTORY, 0, f"rounds under the ids shown: {ids[0]}", f"rounds {ids[1]}")
    own = [one.round for one in theirs]
    if list(map(without_ids, observed)) != list(map(without_ids, expected)) or len(set(own)) != len(own):
        return Breach(PromiseId.HISTORY, 0, listed(expected), listed(observed))
    return None


_STATED: Final = (
    *("mark", "player", "session", "location", "game", "version", "paytable", "software", "currency"),
    *("denomination", "final_display", "intermediate_phases", "total_wagered", "total_won"),
    *("non_wager_purchases", "rake", "jackpot_contribution", "jackpot_won", "promotional_amounts"),
    "advice_given",
)
"""What a recalled round must say, each system in its own way (GLI-19 2.8.2, 4.14.2; 68 IAC 25-9-2)."""


def _recalled(play: JudgedPlay) -> Breach | None:
    """Compares complete rounds as recall shows them: what identifies them is there, all else as it was played."""
    found = _rounds(offering(play.system).recalled, RecalledRound)
    expected = play.reference.system.recalled()
    observed = [one for one in found if one.phase not in OPEN]
    play.tally[PromiseId.RECALLED] += len(expected)
    if len(observed) != len(expected):
        return Breach(
            PromiseId.RECALLED, 0, f"{len(expected)} rounds recalled", f"{len(observed)} rounds recalled"
        )
    for number, (ours, theirs) in enumerate(zip(expected, observed, strict=True), start=1):
        for name, wanted, seen in _recall_facts(ours, theirs, play.furthest):
            if wanted != seen:
                about = f"round {number}, {name.replace('_', ' ')}"
                return Breach(PromiseId.RECALLED, 0, f"{about}: {wanted}", f"{about}: {seen}")
    return None


def _rounds(ask: Callable[[], Sequence[T]], kind: type[T]) -> tuple[T, ...]:
    found = answered(lambda: tuple(ask()), tuple)
    if not all(isinstance(one, kind) for one in found):
        raise UnansweredError(f"{found!r}"[:500] + ": expected rounds")
    for one in found:
        _verify_plain(one)
    return found


def _recall_facts(
    ours: RecalledRound, theirs: RecalledRound, latest: datetime
) -> Iterator[tuple[str, str, str]]:
    """Yields what is compared of a recalled round: its name, what is wanted, and what was found."""
    said = {name: getattr(theirs, name) for name in _STATED}
    missing = [name for name, value in said.items() if value is None or not str(value).strip()]
    yield "fields", "all stated", f"not stated: {', '.join(missing)}" if missing else "all stated"
    yield "started", _moment(ours.started), _moment(theirs.started)
    for name in ("phase", "funds_before", "funds_after", "refunded", "total_wagered", "total_won"):
        yield name, str(getattr(ours, name)), str(getattr(theirs, name))
    for name in ("stakes", "returned"):
        yield name, amounts(getattr(ours, name)), amounts(getattr(theirs, name))
    yield "hands", faces(by_holder(ours.hands)), faces(by_holder(theirs.hands))
    yield "choices", _choices(ours), _choices(theirs)
    # A system may settle or void by itself, so that only the order of times is known.
    last = max(_moment(ours.started), *(_moment(choice.at) for choice in ours.choices), "")
    ended = _moment(theirs.ended)
    wanted = f"a time from {last} to {_moment(latest.isoformat())}"
    yield "ended", wanted, wanted if last <= ended <= _moment(latest.isoformat()) else ended


def _choices(one: RecalledRound) -> str:
    said = (
        f"{choice.decision} of {', '.join(choice.offered)} at {_moment(choice.at)}" for choice in one.choices
    )
    return "; ".join(said) or "none"


def _moment(text: str) -> str:
    """Returns a time in UTC, written so that times are in the order of their texts; what is none stays as it is."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return shortened(text)
    return (
        f"{shortened(text)}, without a zone"
        if instant.tzinfo is None
        else instant.astimezone(UTC).isoformat(timespec="seconds")
    )


def _verified(reply: Reply) -> Reply:
    if not isinstance(reply.view, View) or type(reply.done) is not bool:
        raise UnansweredError(f"{reply!r}"[:500] + ": expected done, and a view in the reply")
    _verify_plain(reply.view)
    return reply


def _verify_plain(shown: object) -> None:
    """Refuses what only looks like an answer: a number of another kind, or one that says it equals everything.

    Raises:
        UnansweredError: An amount or a face is no whole number, a name no text, a flag neither true nor false.
    """
    for name in _names(type(shown)):  # type: ignore[arg-type]
        value = getattr(shown, name)
        if not _is_plain(value):
            raise UnansweredError(f"{name} {value!r}"[:500] + ": expected plain values")


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def _is_plain(value: object) -> bool:
    kind = type(value)
    # Kinds of an operator's own may say that they equal these.
    if kind is int or kind is str or kind is bool:
        return True
    if isinstance(value, tuple):
        return kind is tuple and all(map(_is_plain, value))
    return kind is SeatChoice and all(_is_plain(getattr(value, name)) for name in _names(SeatChoice))


def _remember(play: JudgedPlay, command: Command) -> None:
    if command.action in DEALS:
        play.accepted_at = play.reference.latest = play.instant
        play.resumed = False
        play.next_deck += not play.story.one_deck
    if command.action is SeatAction.RESUME:
        play.resumed = True
