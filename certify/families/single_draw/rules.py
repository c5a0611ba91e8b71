"""What a game of one draw is, as parameters: what a turn draws, and when each wager is settled and how."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.errors import InputError
from certify.families.own_rules import own_rules
from certify.families.single_draw.conditions import Condition, Test, tests_of
from certify.model.game import Game

FAMILY_ID: Final = "single-draw"
"""Id of the family, as submissions name it."""

FIRST: Final = ""
"""The stage in which every wager begins."""

LOSE: Final = "lose"
"""The row of a draw that no condition names: the stake is lost."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What happens to a wager when a condition holds.

    Args:
        when: The condition.
        row: The row in which the wager ends; empty where it goes on.
        then: The stage in which the wager waits for another turn; empty where it ends.
    """

    when: Condition
    row: str = ""
    then: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a wager waits for; conditions exclude each other, and where none holds the stake is lost.

    Args:
        id: Id of the stage.
        endings: What may happen, in submitted order.
    """

    id: str
    endings: tuple[Ending, ...]


@dataclass(frozen=True, slots=True)
class WagerTerms:
    """How one wager is settled.

    Args:
        wager: Id of the wager.
        stages: Its stages, the first one first; none leads back to an earlier one.
        returns: What comes back of the stake in rows that the paytable does not name, in units of the stake.
    """

    wager: str
    stages: tuple[Stage, ...]
    returns: tuple[tuple[str, Fraction], ...] = ()

    def stage(self, stage_id: str) -> Stage:
        """Returns a stage by its id."""
        return next(stage for stage in self.stages if stage.id == stage_id)

    @property
    def rows(self) -> tuple[str, ...]:
        """Every row that a condition names, in submitted order."""
        named = (ending.row for stage in self.stages for ending in stage.endings if ending.row)
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True)
class SingleDrawRules:
    """Rules of a game of one draw.

    Args:
        draws: (Place of the piece in the equipment, number of draws) of one turn, in the order drawn.
        wagers: How each wager is settled, in the order of the wagers.
    """

    draws: tuple[tuple[int, int], ...] = ()
    wagers: tuple[WagerTerms, ...] = field(default_factory=tuple)

    @property
    def tests(self) -> tuple[Test, ...]:
        """Every different test of every condition."""
        conditions = (e.when for terms in self.wagers for stage in terms.stages for e in stage.endings)
        return tuple(dict.fromkeys(test for condition in conditions for test in tests_of(condition)))

    def terms(self, wager: str) -> WagerTerms:
        """Returns how a wager is settled.

        Raises:
            InputError: The game has no such wager.
        """
        for terms in self.wagers:
            if terms.wager == wager:
                return terms
        known = ", ".join(terms.wager for terms in self.wagers)
        raise InputError(f"no wager {wager!r} is settled here: expected one of {known}")


def rules_of(game: Game) -> SingleDrawRules:
    """Returns the rules of a game of this family, for the wagers that it offers.

    A game from which a wager was taken away is the same game without it.

    Raises:
        InputError: The game is of another family.
    """
    return _betting(all_rules_of(game), tuple(wager.id for wager in game.wagers))


all_rules_of: Final = own_rules(SingleDrawRules, FAMILY_ID)
"""Returns the rules as submitted, whichever wagers are bet on; a game of another family is refused."""


@lru_cache(maxsize=64)
def _betting(rules: SingleDrawRules, wagers: tuple[str, ...]) -> SingleDrawRules:
    kept = tuple(terms for terms in rules.wagers if terms.wager in wagers)
    return rules if kept == rules.wagers else replace(rules, wagers=kept)
