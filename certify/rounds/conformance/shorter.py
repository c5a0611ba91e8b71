"""The shortest story that shows a breach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from certify.rounds.conformance.promise import Breach, PromiseId
from certify.rounds.conformance.story import Story

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
