"""Telling many stories to a system, and the shortest one that shows what it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from certify.errors import InputError, NothingCheckedError
from certify.model.finding import Verdict
from certify.rounds.conformance.client import NoContactError, TargetError
from certify.rounds.conformance.fixed import FixedPlan, plan_of
from certify.rounds.conformance.judge import UnansweredError, answered, tell
from certify.rounds.conformance.promise import Breach, PromiseId
from certify.rounds.conformance.random_stories import random_story
from certify.rounds.conformance.setting import LARGEST, Extra, Rows, Setting, offered_by, rows_of
from certify.rounds.conformance.story import Story
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.table import SeatAction, SystemFactory

RETELLINGS: Final = 12
"""Stories told at most to shorten one that ends without an answer in time: each can cost a whole deadline."""


STEPS_RETOLD: Final = 15_000
"""Steps told at most to shorten a story; one that needs a hundred steps is not shortened to the last of them."""


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
        The story, its breach, and whether it shows again when told again; where not, both are as first seen: what a
        system did once is evidence, whatever its answer depends on.
    """
    breach = shows(story)
    if breach is None:
        return replace(story, steps=story.steps[: seen.step]), seen, False
    return (*_shortest(story, breach, shows, decks), True)


def _shortest(
    story: Story, breach: Breach, shows: Callable[[Story], Breach | None], decks: int
) -> tuple[Story, Breach]:
    if breach.promise is PromiseId.IN_TIME:
        return _reduced(story, breach, shows, RETELLINGS)
    best = _reduced(story, breach, shows)
    for deck in range(decks):
        # What is short already is told on every deck; the whole story on each would cost a thousand times as much.
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
        most: Stories told at most.
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


NEVER_TRIED: Final = "no story of this game comes to it"
"""Why nothing is said of a promise that no answer tried."""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """What the stories showed.

    Args:
        stories: Number of random stories told up to the first breach; shortening it is not counted.
        steps: Number of steps in them.
        breach: The breach that the shortest story shows; None where every promise was kept.
        script: That story as numbered lines, its circumstances first.
        fixed: What the fixed part covers, which is told before any random story.
        fixed_told: Number of its stories told up to the first breach.
        not_tested: What could not be tested, each with the reason.
        repeats: Whether the breach showed again when its story was told again.
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


@dataclass(slots=True)
class StorySearch:
    """Stories told to fresh tables of a system up to the first that shows a breach.

    Args:
        setting: In what they are told.
        factory: Makes the system under test.
        decks: Number of decks that the first deal may take.
        told: Number of random stories told.
        steps: Number of steps in them.
        found: The first story that showed a breach, and the breach.
        tally: How many answers tried each promise.
    """

    setting: Setting
    factory: SystemFactory
    decks: int
    told: int = 0
    steps: int = 0
    found: tuple[Story, Breach] | None = None
    tally: Counter[PromiseId] = field(default_factory=Counter)

    def shows(self, story: Story) -> Breach | None:
        """Tells a story; returns the breach that it shows."""
        setting = self.setting
        return tell(
            story,
            self.factory,
            setting.edition,
            setting.decks,
            setting.start,
            setting.opening,
            setting.offers,
            self.tally,
        )

    def breaks(self, story: Story) -> bool:
        """Tells a story and keeps the breach that it shows; returns whether it shows one."""
        breach = self.shows(story)
        if breach is not None:
            self.found = (story, breach)
        return breach is not None

    def explore(self, count: int, seed: int) -> None:
        """Tells random stories, which are counted, up to the first that shows a breach."""
        for number in range(count):
            story = random_story(self.setting, self.decks, seed, number)
            self.told += 1
            self.steps += len(story.steps)
            if self.breaks(story):
                return

    def shortest(self) -> tuple[Breach | None, tuple[str, ...], bool]:
        """Returns the breach that the shortest story shows, that story in lines, and whether it shows when told again.

        The circumstances come first; there is no breach and no line where every promise was kept.
        """
        if self.found is None:
            return None, (), True
        story, breach, repeats = shortest(*self.found, self.shows, self.decks)
        return breach, (self._begins(story), *story.decks_in(self.setting.decks), *story.script()), repeats

    def _begins(self, story: Story) -> str:
        balance = self.setting.opening if story.opening is None else story.opening
        return f"player with balance {balance}, clock at {(story.start or self.setting.start).isoformat()}"


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
        unsupported: Actions that the operator declares unsupported; they are not asked for, and the report says so.
        fixed: Whether the fixed part is told; where it is left out, the report says so.
        progress: Told the number of stories of the fixed part done and their total.

    Returns:
        The verdict, what was covered, and the shortest story of the first breach found.

    Raises:
        NothingCheckedError: No story or no deck was asked for.
        InputError: Nothing answers where the system should be.
    """
    if count < 1 or not decks:
        raise NothingCheckedError(f"{count} stories on {len(decks)} decks: expected at least one of each")
    opening = 10 * sum(amount for _, amount in default_stakes(edition.game))
    try:
        system = answered(lambda: factory(edition, opening, clock_start))
        offers = answered(lambda: offered_by(system), frozenset)
        largest = int(getattr(system, "largest", LARGEST))
    except UnansweredError as error:
        cause = error.__cause__
        if isinstance(cause, NoContactError) or (
            isinstance(cause, InputError) and not isinstance(cause, TargetError)
        ):
            # Nothing is there, or something that is no system: the call is wrong, and nobody is accused.
            raise cause from None
        offers, largest = frozenset(), LARGEST
    rows = rows_of(edition) if fixed else Rows((), (), ())
    told = (*decks, *(line.deck for line in rows.lines if line.deck not in decks))
    setting = Setting(edition, told, clock_start, opening, offers, frozenset(unsupported), largest)
    plan = plan_of(setting, rows) if fixed else FixedPlan()
    search = StorySearch(setting, factory, len(decks))
    fixed_told = _tell_fixed(plan, search, progress)
    if search.found is None:
        search.explore(count, seed)
    breach, script, repeats = search.shortest()
    missing = _not_tested(setting, plan)
    tally = dict(search.tally)
    return ConformanceReport(
        search.told, search.steps, breach, script, plan, fixed_told, missing, repeats, tally
    )


def _tell_fixed(plan: FixedPlan, search: StorySearch, progress: Callable[[int, int], None] | None) -> int:
    """Tells the fixed part up to the first story that shows a breach; returns how many were told."""
    for number, story in enumerate(plan.stories, start=1):
        if search.breaks(story):
            return number
        if progress is not None:
            progress(number, len(plan.stories))
    return len(plan.stories)


def _not_tested(setting: Setting, plan: FixedPlan) -> tuple[str, ...]:
    """Returns what could not be tested, each with the reason."""
    left_out = () if plan.stories else ("every action in every phase: the fixed part was left out",)
    return (
        *left_out,
        *(f"{extra}: the system offers none" for extra in Extra if extra not in setting.offers),
        *(f"{action}: declared unsupported" for action in SeatAction if action in setting.unsupported),
        *(f"{phase}: nothing supported leads there" for phase in plan.not_reached),
        *(f"pays of {wager} {row}: no deck of the fixed part reaches it" for wager, row in plan.rows_missed),
    )
