"""Stories at a table of several people, told to a system under test and to the reference side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from certify.families.registry import family_of
from certify.rounds.conformance.extras import AT_TABLE, Extra, offered_by
from certify.rounds.conformance.judge import UnansweredError, answered, fresh_seat, tell
from certify.rounds.conformance.promise import Breach
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.shorter import shortest
from certify.rounds.conformance.story import Story
from certify.rounds.conformance.table_story import PEOPLE, Chooser, story_at_table
from certify.rounds.events import Bets
from certify.rounds.play import Edition
from certify.rounds.table import SystemFactory

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
    at_table = replace(setting, decks=rows, offers=_offers(setting, people, factory))
    missing = tuple(
        f"{what}: the system offers none" for extra, what in AT_TABLE.items() if extra not in at_table.offers
    )
    told = steps = 0

    def shows(story: Story) -> Breach | None:
        return tell(story, factory, setting.edition, rows, setting.start, people, at_table.offers)

    for number in range(-(-count // 4)):
        # What a plain story shows is not told as something rarer.
        story = story_at_table(at_table, people, Chooser(f"{seed}/{number}"), at_once=bool(number % 2))
        told, steps = told + 1, steps + len(story.steps)
        seen = shows(story)
        if seen is not None:
            story, breach, repeats = shortest(story, seen, shows, len(rows))
            seated = ", ".join(f"{name} with {amount}" for name, amount in people)
            told_at = f"table of {seated}; {PEOPLE[0]} banks, clock at {setting.start.isoformat()}"
            script = (told_at, *story.decks_in(rows), *story.script())
            return TablesReport(told, steps, breach, script, missing, repeats)
    return TablesReport(told, steps, not_tested=missing)


def _offers(setting: Setting, people: Bets, factory: SystemFactory) -> frozenset[Extra]:
    """Returns what tables of a system offer: nothing where it gives none, as the stories will show."""
    try:
        table = fresh_seat(factory, setting.edition, people, setting.start)
        return answered(lambda: offered_by(table), frozenset) & AT_TABLE.keys()
    except UnansweredError:
        return frozenset()
