"""The shortest story that shows a breach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from certify.errors import NothingCheckedError
from certify.rounds.conformance.promise import Breach, Promise
from certify.rounds.conformance.story import Story

RETELLINGS: Final = 12
"""Stories told at most to shorten one that ends without an answer in time: each can cost a whole deadline."""


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
    if breach.promise is Promise.IN_TIME:
        return _reduced(story, breach, shows, RETELLINGS)
    best = _reduced(story, breach, shows)
    for deck in range(decks):
        told = Story(story.steps, deck)
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
    promise = breach.promise
    story = Story(story.steps[: breach.step], story.first_deck)
    size = max(1, len(story.steps) // 2)
    while size:
        start = len(story.steps) - size
        shorter = False
        while start >= 0:
            if not most:
                return story, breach
            most -= 1
            candidate = story.without(start, size)
            found = shows(candidate)
            if found is not None and found.promise is promise:
                story, breach = Story(candidate.steps[: found.step], story.first_deck), found
                shorter = True
            start = min(start, len(story.steps) - size + 1) - 1
        size = size if shorter and size == 1 else size // 2
    return story, breach
