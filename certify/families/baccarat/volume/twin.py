"""The kernel's twin in plain Python: the same ends from the same cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from certify.families.baccarat.volume.settlement import DRAWS, NO_THIRD, code_of
from certify.model.equipment import Equipment
from rng.lazy import LazyDeck
from rng.uniform import Words


def play(rows: NDArray[Any], shoe: Equipment) -> list[int]:
    """Returns the code of the end of every round."""
    return [play_one(row, shoe) for row in rows.tolist()]


def play_rounds(words: Words, rounds: int, shoe: Equipment) -> list[int]:
    """Returns the codes of rounds that are dealt card by card."""
    return [play_one(LazyDeck(words, shoe.size), shoe) for _ in range(rounds)]


def play_one(deck: Sequence[int], shoe: Equipment) -> int:
    """Returns the code of the end of one round; cards are looked at one after the other, as they are used."""
    names = [shoe.name_of(deck[place]) for place in range(4)]
    player, banker = _sum(names[0::2]), _sum(names[1::2])
    own, other = _pair(names[0::2]), _pair(names[1::2])
    if max(player, banker) >= 8:
        return code_of(player, banker, 0, 0, own, other)
    place, third = 4, NO_THIRD
    if player <= 5:
        third = _worth(shoe.name_of(deck[place]))
        player, place = (player + third) % 10, place + 1
    draws = DRAWS[banker][third]
    if draws:
        banker = (banker + _worth(shoe.name_of(deck[place]))) % 10
    return code_of(player, banker, int(third != NO_THIRD), draws, own, other)


def _worth(name: str) -> int:
    rank = name.split(" ")[0]
    return {"A": 1, "10": 0, "J": 0, "Q": 0, "K": 0}[rank] if not "2" <= rank <= "9" else int(rank)


def _sum(names: Sequence[str]) -> int:
    return sum(map(_worth, names)) % 10


def _pair(names: Sequence[str]) -> int:
    first, second = names
    return 2 if first == second else int(first.split(" ")[0] == second.split(" ")[0])
