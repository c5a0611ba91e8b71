"""Every reading of the rules of these games, evaluated by the toolkit for readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from certify.analysis import readings as toolkit
from certify.analysis.readings import EvaluatedReading, Option
from certify.families.open_card.exact.ambiguous_rules import ambiguous_rules, what_ifs
from certify.families.open_card.exact.tree import ReadRules, read_rules
from certify.families.open_card.rules import OpenCardRules, rules_of
from certify.model.game import Game


def evaluated_readings(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of the adopted reading and of every other one, what-ifs last."""
    return toolkit.evaluated_readings(game, tuple(ambiguous_rules(game)), what_ifs(game))


def evaluated_combinations(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of every combination of readings, the adopted one first."""
    return toolkit.evaluated_combinations(game, tuple(ambiguous_rules(game)), _also)


def combined_readings(game: Game, without: frozenset[str] = frozenset()) -> Iterator[tuple[str, Game]]:
    """Yields every combination of readings: its words, none for the adopted one, and the game so read."""
    return toolkit.combined_readings(game, tuple(ambiguous_rules(game)), _also, without)


def other_readings(game: Game) -> tuple[Option, ...]:
    """Returns the readings that are not adopted, one passage read otherwise at a time; what-ifs last."""
    return toolkit.other_readings(game, tuple(ambiguous_rules(game)), what_ifs(game))


def _also(game: Game, adopted: Game, read: Game) -> Game:
    """Returns a game with all that one more reading changes against the adopted one."""
    rules, before, after = rules_of(game), rules_of(adopted), rules_of(read)
    changes = {
        field.name: getattr(after, field.name)
        for field in fields(OpenCardRules)
        if getattr(after, field.name) != getattr(before, field.name)
    }
    changed = replace(rules, **changes)
    if isinstance(after, ReadRules):
        changed = read_rules(changed, after.drawn_seven)
    wagers = game.wagers if read.wagers == adopted.wagers else read.wagers
    return replace(game, rules=changed, wagers=wagers)
