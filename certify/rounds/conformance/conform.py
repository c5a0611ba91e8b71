"""Telling many stories to a system, and the shortest one that shows what it breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from certify.errors import MissingPartError, NothingCheckedError
from certify.model.finding import Verdict
from certify.rounds.conformance.judge import Breach, tell
from certify.rounds.conformance.story import Story, stories
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.system import SystemFactory

DEFAULT_STORIES: Final = 400


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """What the stories showed.

    Args:
        stories: Number of stories told up to the first breach; shortening it is not counted.
        steps: Number of steps in them.
        breach: The breach that the shortest story shows; None where every promise was kept.
        script: That story as numbered lines, its circumstances first.
    """

    stories: int
    steps: int
    breach: Breach | None
    script: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """Satisfied where no story showed a breach."""
        return Verdict.SATISFIED if self.breach is None else Verdict.NOT_SATISFIED

    def to_evidence(self) -> dict[str, object]:
        """Returns the report as plain values."""
        return {
            "stories": self.stories,
            "steps": self.steps,
            "verdict": str(self.verdict),
            "promise": str(self.breach.promise) if self.breach else "",
            "expected": self.breach.expected if self.breach else "",
            "observed": self.breach.observed if self.breach else "",
            "script": list(self.script),
        }


class _BreachError(Exception):
    """Tells Hypothesis that a story showed a breach."""


@dataclass(slots=True)
class _Search:
    """What the search has seen."""

    told: int = 0
    steps: int = 0
    found: Story | None = None

    def count(self, story: Story) -> None:
        if self.found is None:
            self.told += 1
            self.steps += len(story.steps)


def conform(
    factory: SystemFactory,
    edition: Edition,
    decks: Sequence[Deck],
    clock_start: datetime,
    *,
    count: int = DEFAULT_STORIES,
    seed: int = 0,
) -> ConformanceReport:
    """Tells random stories to a system and compares every answer with the reference.

    Args:
        factory: Makes the system under test with a fresh player.
        edition: Rules and terms that the system claims to keep.
        decks: Decks to deal from.
        clock_start: Time at which every story begins, aware.
        count: Number of stories.
        seed: Chooses the stories; the same seed tells the same ones.

    Returns:
        The verdict, and the shortest story of the first breach found.

    Raises:
        NothingCheckedError: No story or no deck was asked for.
        MissingPartError: Hypothesis is not installed.
    """
    if count < 1 or not decks:
        raise NothingCheckedError(f"{count} stories on {len(decks)} decks: expected at least one of each")
    opening = 10 * sum(amount for _, amount in default_stakes(edition.game))
    search = _Search()

    def shows(story: Story) -> Breach | None:
        return tell(story, factory, edition, decks, clock_start, opening)

    _explore(search, shows, edition, len(decks), count, seed)
    if search.found is None:
        return ConformanceReport(search.told, search.steps, None, ())
    story, breach = shortest(search.found, shows, len(decks))
    deals = " ".join(str(card) for card in decks[story.first_deck])
    circumstances = (
        f"player with balance {opening}, clock at {clock_start.isoformat()}",
        f"deck of the first deal: {deals}",
    )
    return ConformanceReport(search.told, search.steps, breach, (*circumstances, *story.script()))


def shortest(story: Story, shows: Callable[[Story], Breach | None], decks: int = 1) -> tuple[Story, Breach]:
    """Leaves out steps as long as the same promise still breaks, on the deck that makes the story shortest.

    Args:
        story: A story that shows a breach.
        shows: Tells a story and returns its breach.
        decks: Number of decks that the first deal may take.

    Raises:
        NothingCheckedError: The story shows no breach when told again: the system does not repeat itself.
    """
    breach = shows(story)
    if breach is None:
        raise NothingCheckedError(
            "the breach does not show when told again: the system does not repeat itself"
        )
    best = _reduced(story, breach, shows)
    for deck in range(decks):
        told = Story(story.steps, deck)
        found = shows(told)
        if found is not None and found.promise is breach.promise:
            best = min(best, _reduced(told, found, shows), key=lambda pair: len(pair[0].steps))
    return best


def _reduced(story: Story, breach: Breach, shows: Callable[[Story], Breach | None]) -> tuple[Story, Breach]:
    """Leaves out runs of steps, long ones first, until no single step can be left out any more."""
    promise = breach.promise
    story = Story(story.steps[: breach.step], story.first_deck)
    size = max(1, len(story.steps) // 2)
    while size:
        start = len(story.steps) - size
        shorter = False
        while start >= 0:
            candidate = story.without(start, size)
            found = shows(candidate)
            if found is not None and found.promise is promise:
                story, breach = Story(candidate.steps[: found.step], story.first_deck), found
                shorter = True
            start = min(start, len(story.steps) - size + 1) - 1
        size = size if shorter and size == 1 else size // 2
    return story, breach


def _explore(
    search: _Search,
    shows: Callable[[Story], Breach | None],
    edition: Edition,
    decks: int,
    count: int,
    seed: int,
) -> None:
    """Lets Hypothesis tell stories up to the first that shows a breach.

    Shrinking is left to :func:`shortest`, which keeps to one promise and also tries the other decks.
    """
    try:
        import hypothesis
    except ImportError as error:
        raise MissingPartError("conformance needs the package hypothesis: pip install hypothesis") from error

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=[hypothesis.Phase.generate],
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(stories(edition, decks))
    def explore(story: Story) -> None:
        search.count(story)
        if shows(story) is not None:
            search.found = story
            raise _BreachError

    try:
        explore()
    except _BreachError:
        return
    except hypothesis.errors.Flaky:
        # The story is told once more afterwards, which says that the system does not repeat itself.
        return
