"""How many draws a round needs before it: as many turns as its stages take, longer rounds being all but impossible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.families.single_draw.rules import FIRST, WagerTerms, terms_of
from certify.families.single_draw.ways import Table, table_of
from certify.model.equipment import Equipment
from certify.model.stages import RoundText

LONGER: Final = Fraction(1, 10**15)
"""Chance with which a round that may go on without end needs more turns than it has before it, at most."""

MOST_TURNS: Final = 1_000


def supplied(text: RoundText) -> tuple[Equipment, ...]:
    """Returns the equipment of a game with at least as many draws of what is put back as a round needs."""
    turns = turns_needed(text)
    counts = Counter(drawn.piece for drawn in text.table.steps[0].draws)
    return tuple(
        replace(piece, supply=max(piece.supply, counts[piece.id] * turns)) if piece.replaced else piece
        for piece in text.equipment
    )


def turns_needed(text: RoundText) -> int:
    """Returns the turns of the longest round, or those that a longer one needs with a chance of 1 in 10^15 at most."""
    turns = max(_stages_in_turn(terms, FIRST) for terms in terms_of(text.table))
    staying = _staying(table_of(text))
    while staying and turns < MOST_TURNS and sum(chance**turns for chance in staying) > float(LONGER):
        turns += 1
    return turns


def _stages_in_turn(terms: WagerTerms, stage: str) -> int:
    """Returns the most stages that a wager goes through, each once."""
    after = {ending.then for ending in terms.stage(stage).endings if ending.then and ending.then != stage}
    return 1 + max((_stages_in_turn(terms, one) for one in after), default=0)


def _staying(table: Table) -> Sequence[float]:
    """Returns for each stage in which a wager may wait for another turn the chance that it does."""
    found = []
    for column, (_, stage) in enumerate(table.stages):
        waiting = {
            number for number, ending in enumerate(stage.endings) if ending.then and ending.then == stage.id
        }
        ways = sum(decided.weight for decided in table.decided if decided.ends[column] in waiting)
        if ways:
            found.append(float(Fraction(ways, table.total)))
    return found
