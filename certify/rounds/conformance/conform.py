"""Telling many stories to a system, and the shortest one that shows what it breaks."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from certify.errors import InputError, NothingCheckedError, T
from certify.model import Verdict
from certify.rounds.conformance.apart import apart_of, configured
from certify.rounds.conformance.client import NoContactError, TargetError
from certify.rounds.conformance.compared_fields import scattered
from certify.rounds.conformance.fixed import FixedPlan, every_command, plan_of
from certify.rounds.conformance.judge import (
    JudgedPlay,
    UnansweredError,
    answered,
    on_the_reference,
    take_step,
    tell,
)
from certify.rounds.conformance.promise import Breach, PromiseId
from certify.rounds.conformance.setting import LARGEST, Extra, Rows, Setting, chips, offered_by, rows_of
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Plain,
    SeatsTogether,
    Step,
    Story,
    actions_of,
    asked_in,
    places,
    steps_of,
)
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.state import OPEN
from certify.rounds.table import Command, SeatAction, System, SystemFactory, command_for

LONGEST: Final = 12
"""Turns of a story: each is a step, or a few that belong together."""


@dataclass(slots=True)
class Chooser:
    """Chooses by a digest of what it was made of and of how often it chose: the same every time."""

    text: str
    chosen: int = 0

    def below(self, number: int) -> int:
        """Returns a whole number from 0 to below another."""
        self.chosen += 1
        digest = hashlib.sha256(f"{self.text}/{self.chosen}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % number

    def of(self, things: Sequence[T]) -> T:
        """Returns one of some things."""
        return things[self.below(len(things))]


def random_story(setting: Setting, decks: int, seed: int, number: int) -> Story:
    """Returns steps chosen while the reference takes them, so that most of them lead on.

    Args:
        setting: Its setting.
        decks: Number of decks that the first deal may take.
        seed: Chooses all stories.
        number: Which of them; in those of odd number commands may arrive at the same time.
    """
    choose = Chooser(f"{seed}/{number}")
    play = on_the_reference(scattered(Story((), choose.below(decks)), setting, number), setting)
    turns = _Turns(setting, play, choose, at_once=bool(number % 2))
    steps: list[Step] = []
    for _ in range(LONGEST):
        for step in turns.next():
            if not set(actions_of(step)) & set(setting.unsupported):
                steps.append(step)
                take_step(play, step)
    return play.story.told((*steps, Plain.LOOK, Plain.RECALL))


_ELSEWHERE: Final = ("look", "history", "restart", "again", "again", "again-2")
_BREAKS_OFF: Final = (
    "disconnect",
    "resume",
    "disconnect resume",
    "malfunction",
    "malfunction malfunction",
    "suspend deal restore",
)
_LEADS_ON: Final = ("bets deal", "bet deal", "chips deal", "rebet deal", "rebet-and-deal", "double-and-deal")


@dataclass(frozen=True, slots=True)
class _Turns:
    """What is done next at a table, by its state."""

    setting: Setting
    play: JudgedPlay
    choose: Chooser
    at_once: bool

    def next(self) -> Iterator[Step]:
        """Yields what is done: mostly what leads on, else what breaks off, comes late, twice or out of place."""
        kind = self.choose.below(22 if self.at_once else 20)
        if kind < 12:
            yield from map(Ask, self.leading_on())
        elif kind < 15:
            yield Ask(self.choose.of(tuple(every_command(self.setting))))
        elif kind == 15:
            yield from steps_of(self.choose.of(_ELSEWHERE), {"again-2": (Again(2),)})
        elif kind == 16:
            yield from steps_of(self.choose.of(_BREAKS_OFF))
        elif kind == 17:
            yield from steps_of(self.choose.of(("+1s", "+120s", "+1h")))
        elif kind < 20:
            yield from self.around_the_term()
        else:
            yield self.two_at_once()

    def leading_on(self) -> tuple[Command, ...]:
        """Returns what the round waits for: a decision, settlement, or bets and a deal."""
        view, game = self.play.system.view(), self.setting.edition.game
        if view.options:
            return (command_for(self.choose.of(view.options)),)
        if view.phase in OPEN:
            return (Command(SeatAction.SETTLE),)
        main, bets = game.wagers[0], places(self.setting.edition)
        group = self.choose.of(chips(main.limits))
        placed = tuple(Ask(Command(SeatAction.PLACE, main.id, one)) for one in group)
        known = {"bets": bets, "bet": bets[:1], "chips": placed}
        return tuple(chain.from_iterable(map(asked_in, steps_of(self.choose.of(_LEADS_ON), known))))

    def two_at_once(self) -> Step:
        """Returns two commands at a time: the same twice, under one key or two, or two that exclude each other."""
        one = self.leading_on()[-1]
        others = [one, one, self.leading_on()[-1], *map(Command, (SeatAction.MALFUNCTION, SeatAction.EXPIRE))]
        other = self.choose.of(others)
        return SeatsTogether((one, other), one_key=one == other and self.choose.below(2) == 1)

    def around_the_term(self) -> Iterator[Step]:
        """Yields a jump to the term of the open round or a second before it, and what is sent then."""
        current = self.play.reference.system.seat.round
        if current is None or current.accepted_at is None or current.phase not in OPEN:
            return
        void_at = self.setting.edition.policy.deadline(current.accepted_at)
        yield Jump(void_at - self.play.instant - self.choose.of((timedelta(0), timedelta(seconds=1))))
        late, expire = self.leading_on()[0], Command(SeatAction.EXPIRE)
        asked: tuple[Step, ...] = (Ask(late), Ask(expire), SeatsTogether((late, expire)))
        yield self.choose.of(asked if self.at_once else asked[:2])
        yield Ask(expire)


RETELLINGS: Final = 12
"""Stories sent at most to shorten one that ends without an answer in time: each can cost a whole deadline."""


STEPS_RETOLD: Final = 15_000
"""Steps sent at most to shorten a story; one that needs a hundred steps is not shortened to the last of them."""


def shortest(
    story: Story, seen: Breach, shows: Callable[[Story], Breach | None], decks: int = 1
) -> tuple[Story, Breach, bool]:
    """Leaves out steps as long as the same promise still breaks, on the deck that makes the story shortest.

    Args:
        story: A story that shows a breach.
        seen: The breach that it showed.
        shows: Tells a story and returns its breach.
        decks: Number of decks that the first deal may take.

    Returns:
        The story, its breach, and whether it shows again when sent again; where not, both are as first seen: what a
        system did once is evidence, whatever its answer depends on.
    """
    breach = shows(story)
    return (
        (replace(story, steps=story.steps[: seen.step]), seen, False)
        if breach is None
        else (*_shortest(story, breach, shows, decks), True)
    )


def _shortest(
    story: Story, breach: Breach, shows: Callable[[Story], Breach | None], decks: int
) -> tuple[Story, Breach]:
    if breach.promise is PromiseId.IN_TIME:
        return _reduced(story, breach, shows, RETELLINGS)
    best = _reduced(story, breach, shows)
    for deck in range(decks):
        # What is short already is sent on every deck; the whole story on each would cost a thousand times as much.
        told = replace(best[0], first_deck=deck)
        found = shows(told)
        if found is not None and found.promise is breach.promise:
            best = min(best, _reduced(told, found, shows), key=lambda pair: len(pair[0].steps))
    return best


def _reduced(
    story: Story, breach: Breach, shows: Callable[[Story], Breach | None], most: int = 10**6
) -> tuple[Story, Breach]:
    """Leaves out runs of steps, long ones first, until no single step can be left out any more.

    Args:
        story: A story that shows the breach.
        breach: The breach.
        shows: Tells a story and returns its breach.
        most: Stories sent at most.
    """
    promise, told = breach.promise, 0
    story = replace(story, steps=story.steps[: breach.step])
    size = max(1, len(story.steps) // 2)
    while size:
        start = len(story.steps) - size
        shorter = False
        while start >= 0:
            candidate = story.without(start, size)
            if not most or told > STEPS_RETOLD:
                return story, breach
            most, told = most - 1, told + len(candidate.steps)
            found = shows(candidate)
            if found is not None and found.promise is promise:
                story, breach = replace(candidate, steps=candidate.steps[: found.step]), found
                shorter = True
            start = min(start, len(story.steps) - size + 1) - 1
        size = size if shorter and size == 1 else size // 2
    return story, breach


DEFAULT_STORIES: Final = 400

_NEEDS: Final[Mapping[PromiseId, tuple[str, ...]]] = {
    PromiseId.HISTORY: (Extra.HISTORY,),
    PromiseId.RECALLED: (Extra.RECALL,),
    PromiseId.RESTART: (Extra.RESTART,),
    PromiseId.TOGETHER: (Extra.TOGETHER,),
    PromiseId.RETURNED: (SeatAction.MALFUNCTION,),
    PromiseId.RETURNED_ONCE: (SeatAction.MALFUNCTION,),
    PromiseId.VOID_PAYS_NOTHING: (SeatAction.MALFUNCTION,),
    PromiseId.TERM: (SeatAction.EXPIRE,),
    PromiseId.RESUMED: (SeatAction.DISCONNECT, SeatAction.RESUME),
    PromiseId.UNAVAILABLE: (SeatAction.SUSPEND,),
    PromiseId.PAID: ("pays of",),
}
"""What a promise needs to be tried, as the list of what was not tested calls it."""


NEVER_TRIED: Final = "no story of this game reaches it"
"""Why nothing is stated of a promise that no answer tried."""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """What the stories showed.

    Args:
        stories: Number of random stories sent up to the first breach; shortening it is not counted.
        steps: Number of steps in them.
        breach: The breach that the shortest story shows; None where every promise was kept.
        script: That story as numbered lines, its circumstances first.
        fixed: What the fixed part covers, which is sent before any random story.
        fixed_told: Number of its stories sent up to the first breach.
        not_tested: What could not be tested, each with the reason.
        repeats: Whether the breach showed again when its story was sent again.
        tally: How many answers tried each promise; none of a promise that no story came to.
    """

    stories: int
    steps: int
    breach: Breach | None
    script: tuple[str, ...]
    fixed: FixedPlan = field(default_factory=FixedPlan)
    fixed_told: int = 0
    not_tested: tuple[str, ...] = ()
    repeats: bool = True
    tally: Mapping[PromiseId, int] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """Satisfied where no story showed a breach; it says nothing about what could not be tested."""
        return Verdict.SATISFIED if self.breach is None else Verdict.NOT_SATISFIED

    def of_promise(self, promise: PromiseId) -> tuple[Verdict, str]:
        """Returns whether a promise was kept, and why it was not tried where it was not.

        Stories end at the first breach, so that after one nothing is known of the other promises.
        """
        missing = [
            text
            for needed in _NEEDS.get(promise, ())
            for text in self.not_tested
            if text.startswith((f"{needed}:", f"{needed} "))
        ]
        if self.breach is not None and self.breach.promise is promise:
            return Verdict.NOT_SATISFIED, ""
        if missing:
            return Verdict.NOT_APPLICABLE, "; ".join(missing)
        if self.breach is not None:
            return (
                Verdict.INCONCLUSIVE,
                f"the stories ended where another promise was broken: {self.breach.promise}",
            )
        if not self.tally.get(promise):
            return Verdict.NOT_APPLICABLE, NEVER_TRIED
        return Verdict.SATISFIED, ""

    def to_evidence(self) -> dict[str, object]:
        """Returns the report as plain values."""
        return {
            "stories": self.stories,
            "steps": self.steps,
            "verdict": str(self.verdict),
            "not_tested": list(self.not_tested),
            "promise": str(self.breach.promise) if self.breach else "",
            "expected": self.breach.expected if self.breach else "",
            "observed": self.breach.observed if self.breach else "",
            "script": list(self.script),
            "repeats": self.repeats,
            "tried": {str(promise): self.tally.get(promise, 0) for promise in PromiseId},
            "fixed": {**self.fixed.to_evidence(), "told": self.fixed_told},
        }


def conform(
    factory: SystemFactory,
    edition: Edition,
    decks: Sequence[Deck],
    clock_start: datetime,
    *,
    count: int = DEFAULT_STORIES,
    seed: int = 0,
    unsupported: Collection[SeatAction] = (),
    fixed: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> ConformanceReport:
    """Tells stories to a system and compares every answer with the reference: first a fixed part, then random ones.

    Args:
        factory: Makes the system under test with a fresh player.
        edition: Rules and terms that the system claims to keep.
        decks: Decks to deal from.
        clock_start: Time at which every story begins, aware.
        count: Number of random stories.
        seed: Chooses them; the same seed tells the same ones. The fixed part is the same for every seed.
        unsupported: Actions that the operator declares unsupported; they are not requested, and the report says so.
        fixed: Whether the fixed part is sent; where it is left out, the report says so.
        progress: Receives the number of stories of the fixed part done and their total.

    Returns:
        The verdict, what was covered, and the shortest story of the first breach found.

    Raises:
        NothingCheckedError: No story or no deck was requested.
        InputError: Nothing answers where the system should be.
    """
    if count < 1 or not decks:
        raise NothingCheckedError(f"{count} stories on {len(decks)} decks: expected at least one of each")
    opening = 10 * sum(amount for _, amount in default_stakes(edition.game))

    def fresh() -> System:
        return factory(edition, opening, clock_start)

    offers, largest = _offered(fresh)
    rows = rows_of(edition.play) if fixed else Rows()
    told = (*decks, *(line.deck for line in rows.lines if line.deck not in decks))
    setting = Setting(edition, told, clock_start, opening, offers, frozenset(unsupported), largest)
    plan = plan_of(setting, rows) if fixed else FixedPlan()
    apart, untried = apart_of(setting if fixed else replace(setting, offers=frozenset()), fresh)
    plan.stories += [story for one in apart.values() for story in one.stories]
    plan.matters += tuple((one.named, len(one.stories)) for one in apart.values())
    tally: Counter[PromiseId] = Counter()

    def of(story: Story) -> Setting:
        return apart[story.configuration].setting if story.configuration else setting

    def shows(story: Story) -> Breach | None:
        def makes(own: Edition, balance: int, instant: datetime) -> System:
            # The system is given the edition as submitted, and sets its table to a configuration of it.
            return configured(factory(edition, balance, instant), story.configuration)

        own = of(story)
        return tell(story, makes, own.edition, own.decks, clock_start, own.opening, offers, tally)

    fixed_told, random, breach = 0, list[Story](), None
    script, repeats = tuple[str, ...](), True
    for fixed_told, story in enumerate(plan.stories, start=1):
        breach = shows(story)
        if breach is not None:
            break
        if progress is not None:
            progress(fixed_told, len(plan.stories))
    while breach is None and len(random) < count:
        story = random_story(setting, len(decks), seed, len(random))
        random.append(story)
        breach = shows(story)
    steps = sum(len(one.steps) for one in random)
    if breach is not None:
        own = of(story)
        story, breach, repeats = shortest(story, breach, shows, min(len(decks), len(own.decks)))
        staked = [f"rounds staked as {apart[story.configuration].named}"] if story.configuration else []
        script = (_begins(story, own), *staked, *story.decks_in(own.decks), *story.script())
    unwon = ((one.named, wager, row) for one in apart.values() for wager, row in one.rows.missed)
    lost = (f"{named}, pays of {wager} {row}: no story tries it" for named, wager, row in unwon)
    missing = (*_not_tested(setting, plan), *untried, *lost)
    return ConformanceReport(
        len(random), steps, breach, script, plan, fixed_told, missing, repeats, dict(tally)
    )


def _offered(fresh: Callable[[], System]) -> tuple[frozenset[Extra], int]:
    """Returns what a system offers, and the largest amount that it can receive and show.

    Raises:
        InputError: Nothing answers where the system should be, or something that is no system.
    """
    try:
        system = answered(fresh)
        return answered(lambda: offered_by(system), frozenset), int(getattr(system, "largest", LARGEST))
    except UnansweredError as error:
        cause = error.__cause__
        if isinstance(cause, NoContactError) or (
            isinstance(cause, InputError) and not isinstance(cause, TargetError)
        ):
            # The call is wrong, and nobody is accused.
            raise cause from None
        return frozenset(), LARGEST


def _begins(story: Story, setting: Setting) -> str:
    """Returns the circumstances in which a story begins, as a line."""
    balance = setting.opening if story.opening is None else story.opening
    return f"player with balance {balance}, clock at {(story.start or setting.start).isoformat()}"


def _not_tested(setting: Setting, plan: FixedPlan) -> tuple[str, ...]:
    """Returns what could not be tested, each with the reason."""
    left_out = () if plan.stories else ("every action in every phase: the fixed part was left out",)
    return (
        *left_out,
        *(
            f"{extra}: the system offers none"
            for extra in Extra
            if extra not in setting.offers and extra is not Extra.CONFIGURE
        ),
        *(f"{action}: declared unsupported" for action in SeatAction if action in setting.unsupported),
        *(f"{phase}: nothing supported leads there" for phase in plan.not_reached),
        *(f"pays of {wager} {row}: no deck of the fixed part reaches it" for wager, row in plan.rows.missed),
    )
