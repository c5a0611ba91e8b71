"""What happens to a wager when a condition holds, and what is lost where none does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from certify.families.described.conditions import Asked, Condition, Not, Some
from certify.families.described.rules import LOSE

UNSTATED: Final = -1
"""Number of a settlement that no submission states: what no condition names is lost."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What happens to a wager when a condition holds: it ends in a row, or goes on in a stage."""

    number: int
    wager: int
    after: str
    when: Condition | Asked
    row: str
    then: str


def lost_at_once(endings: Sequence[Ending]) -> list[Ending]:
    """Returns for each stage of each wager of a game of one turn that it is lost where no condition of it holds."""
    stages: dict[tuple[int, str], list[Condition]] = {}
    for ending in endings:
        if not isinstance(ending.when, tuple):
            stages.setdefault((ending.wager, ending.after), []).append(ending.when)
    return [
        Ending(UNSTATED, wager, after, Not(Some(tuple(held))), LOSE, "")
        for (wager, after), held in stages.items()
    ]


def drawn_of(dealt: Iterable[tuple[str, str, int, bool]]) -> Mapping[str, int]:
    """Returns how many draws each place shows of what one turn deals: place, piece, count, and whether covered.

    >>> dict(drawn_of([("cup", "dice", 3, False), ("cup", "dice", 2, False)]))
    {'cup': 5}
    """
    drawn = Counter[str]()
    for place, _, count, _ in dealt:
        drawn[place] += count
    return drawn
