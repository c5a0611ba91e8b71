"""Stories at a table of several people, told to a system under test and to the reference side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from certify.families.registry import family_of
from certify.rounds.conformance.extras import Extra, TableExtra, offered_at
from certify.rounds.conformance.judge import UnansweredError, answered
from certify.rounds.conformance.promise import Breach
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.shorter import shortest
from certify.rounds.conformance.story import Story, asked_at_table
from certify.rounds.conformance.table_judge import PEOPLE, Scene, tell_at_table
from certify.rounds.conformance.table_story import Chooser, story_at_table
from certify.rounds.play import Edition
from certify.rounds.system import SystemFactory
from certify.rounds.table import TableAction

ROWS: Final = 24
"""Rows of draws that stories at tables are dealt from."""


@dataclass(frozen=True, slots=True)
class TablesReport:
    """What stories at tables showed.

    Args:
        stories: Number told up to the first breach.
        steps: Number of steps in them.
        breach: The breach that the shortest story shows.
        script: That story as numbered lines, its circumstances first.
        not_tested: What could not be tested at tables, each with the reason.
        repeats: Whether the breach showed again when its story was told again.
    """

    stories: int = 0
    steps: int = 0
    breach: Breach | None = None
    script: tuple[str, ...] = ()
    not_tested: tuple[str, ...] = ()
    repeats: bool = True


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
    scene = _offering(Scene(setting.edition, people, rows, setting.start, unsupported), factory)
    missing = tuple(f"{one}: the system offers none" for one in TableExtra if one not in scene.offers)
    told = steps = 0

    def shows(story: Story) -> Breach | None:
        return tell_at_table(story, scene, factory)

    for number in range(-(-count // 4)):
        # What a plain story shows is not told as something rarer.
        story = story_at_table(scene, Chooser(f"{seed}/{number}"), at_once=bool(number % 2))
        told, steps = told + 1, steps + len(story.steps)
        seen = shows(story)
        if seen is not None:
            story, breach, repeats = shortest(story, seen, shows, len(rows))
            return TablesReport(told, steps, breach, _script(story, scene), missing, repeats)
    return TablesReport(told, steps, not_tested=missing)


def _offering(scene: Scene, factory: SystemFactory) -> Scene:
    """Returns the scene with what tables of a system offer: nothing where it gives none, as the stories will show."""
    try:
        table = scene.table(factory)
        return replace(scene, offers=answered(lambda: offered_at(table), frozenset))
    except UnansweredError:
        return scene


def _script(story: Story, scene: Scene) -> tuple[str, ...]:
    seated = ", ".join(f"{name} with {amount}" for name, amount in scene.people)
    deals = sum(
        any(command.action is TableAction.DEAL for command in asked_at_table(step)) for step in story.steps
    )
    rows = [scene.rows[(story.first_deck + deal) % len(scene.rows)] for deal in range(max(1, deals))]
    return (
        f"table of {seated}; {PEOPLE[0]} banks, clock at {scene.start.isoformat()}",
        *(f"row of deal {number}: {' '.join(map(str, row))}" for number, row in enumerate(rows, start=1)),
        *story.script(),
    )
