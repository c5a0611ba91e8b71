"""What a game of one draw is: one turn of a described game, drawn again until every wager is settled."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from certify.families.declared_rules import own_rules
from certify.families.described.compiled_game import Program
from certify.families.described.rules import UNSTATED, DescribedRules, Ending
from certify.families.described.submitted import text_of
from certify.model import Game, RoundText

FAMILY_ID: Final = "single-draw"
"""Id of the family, as submissions name it."""

FIRST: Final = ""
"""The stage in which every wager begins."""

TURN: Final = "draw"
"""Id of the one turn."""

rules_of: Final = own_rules(DescribedRules, FAMILY_ID)
"""Returns the rules as submitted, whichever wagers are bet on; a game of another family is refused."""


def text(game: Game) -> RoundText:
    """Returns the implementation that plays a game."""
    return text_of(game, rules_of(game))


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
    """

    wager: str
    stages: tuple[Stage, ...]

    def stage(self, stage_id: str) -> Stage:
        """Returns a stage by its id."""
        return next(stage for stage in self.stages if stage.id == stage_id)


@lru_cache(maxsize=64)
def terms_of(program: Program) -> tuple[WagerTerms, ...]:
    """Returns how each wager that is bet on is settled, in the order of the submission."""
    found: dict[int, dict[str, list[Ending]]] = {wager: {FIRST: []} for wager in program.offered}
    for ending in program.steps[0].endings:
        if ending.wager in found and ending.number != UNSTATED:
            found[ending.wager].setdefault(ending.after, []).append(ending)
    return tuple(
        WagerTerms(
            program.wagers[wager], tuple(Stage(name, tuple(endings)) for name, endings in stages.items())
        )
        for wager, stages in found.items()
    )
