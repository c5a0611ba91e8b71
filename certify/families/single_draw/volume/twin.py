"""The kernel's twin in plain Python: rows of items played from the conditions themselves, nothing compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.single_draw.conditions import All, Condition, Not, Reading, Some
from certify.families.single_draw.rules import LOSE, SingleDrawRules
from certify.families.single_draw.volume.program import outcomes_of
from certify.model.equipment import Equipment

Turn = list[list[int]]
"""Faces of one turn, for each piece in the order drawn."""


def play(rows: NDArray[Any], rules: SingleDrawRules, equipment: tuple[Equipment, ...]) -> NDArray[np.uint8]:
    """Returns the code of every wager's row for every round, uint8[rounds, wagers].

    Raises:
        InputError: A round asks for more draws than its row holds.
    """
    return np.array([play_one(row, rules, equipment) for row in rows.tolist()], dtype=np.uint8)


def play_one(row: Sequence[int], rules: SingleDrawRules, equipment: tuple[Equipment, ...]) -> list[int]:
    """Returns the code of every wager's row for one round."""
    ended: dict[str, int] = {}
    stages = {terms.wager: terms.stages[0] for terms in rules.wagers}
    number = 0
    while len(ended) < len(rules.wagers):
        turn = _turn(row, number, rules, equipment)
        number += 1
        for terms, (wager, outcomes) in zip(rules.wagers, outcomes_of(rules), strict=True):
            if wager in ended:
                continue
            met = [ending for ending in stages[wager].endings if _met(ending.when, turn)]
            if met and met[0].then:
                stages[wager] = terms.stage(met[0].then)
            else:
                ended[wager] = outcomes.index(met[0].row if met else LOSE)
    return [ended[terms.wager] for terms in rules.wagers]


def _turn(row: Sequence[int], number: int, rules: SingleDrawRules, equipment: tuple[Equipment, ...]) -> Turn:
    turn = []
    for place, count in rules.draws:
        piece = equipment[place]
        column = sum(other.supply for other in equipment[:place])
        drawn = row[column : column + piece.supply][number * count : (number + 1) * count]
        if len(drawn) < count:
            raise InputError(f"a round asks {piece.id} for more than the {piece.supply} draws of its row")
        turn.append([piece.shows[item] for item in drawn])
    return turn


def _met(condition: Condition, turn: Turn) -> bool:
    if isinstance(condition, Not):
        return not _met(condition.part, turn)
    if isinstance(condition, All | Some):
        met = {_met(part, turn) for part in condition.parts}
        return False not in met if isinstance(condition, All) else True in met
    measure = condition.measure
    drawn = turn[measure.piece]
    looked_at = [drawn[measure.place - 1]] if measure.place else drawn
    values = [measure.numbers[face] for face in looked_at]
    if measure.reading is Reading.DIFFERENT:
        number = len(set(values))
    elif measure.reading is Reading.ALIKE:
        number = max(values.count(value) for value in values)
    else:
        number = sum(values)
    return condition.low <= number <= condition.high
