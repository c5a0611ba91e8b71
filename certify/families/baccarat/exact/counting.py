"""Every composition of a round of baccarat with the number of orders of the shoe behind it, in whole numbers.

A round looks at six places of the shoe at most. Cards are counted by their points; of the first two cards of a
hand it is counted beside that how many of them pair, because by exchangeability the third cards do not bear on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import perm
from typing import Final

from certify.model.equipment import FRENCH_RANKS, Equipment

PLACES: Final = 6
"""Places of the shoe that a round looks at, used or not."""

POINTS_OF_RANK: Final = {rank: place + 1 if place < 9 else 0 for place, rank in enumerate(FRENCH_RANKS)}

UNPAIRED, PAIRED, PERFECT = range(3)

_LAST_TOTAL_DRAWN: Final = (3, 3, 4, 4, 5, 5, 6, 6, 2, 3)
"""Highest total of two cards on which the banker draws, by the points of the player's third card."""

_LAST_TOTAL_ALONE: Final = 5
"""The same where the player stood; for the player always."""

Pairs = tuple[int, int]
"""How the first two cards of player and banker pair."""


@dataclass(frozen=True, slots=True)
class End:
    """What a wager can look at once a round is over.

    Args:
        player: Total of the player's hand.
        player_cards: Cards in it.
        banker: Total of the banker's hand.
        banker_cards: Cards in it.
        natural: Whether a hand of two cards ended the round.
        player_pair: UNPAIRED, PAIRED or PERFECT: the player's first two cards.
        banker_pair: The same of the banker.
    """

    player: int
    player_cards: int
    banker: int
    banker_cards: int
    natural: bool
    player_pair: int
    banker_pair: int


@dataclass(frozen=True, slots=True)
class Deal:
    """Points of the cards of one round that ends so: the first two of each hand, then what was drawn."""

    player: tuple[int, ...]
    banker: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """All rounds of a shoe.

    Args:
        ways: Orders of six cards behind every end.
        deals: One deal that ends so, for every end.
        total: All orders of six cards.
    """

    ways: Mapping[End, int]
    deals: Mapping[End, Deal]
    total: int


@lru_cache(maxsize=16)
def counted(shoe: Equipment) -> Counted:
    """Returns how many orders of six cards of a shoe lead to every end of a round."""
    supply = _supply(shoe)
    # Plain tuples until the end: a shoe has thousands of first four cards with dozens of ends each.
    ways: dict[tuple[Passage, int, int], int] = {}
    deals: dict[tuple[Passage, int, int], Points] = {}
    for player, banker in product(combinations_with_replacement(range(10), 2), repeat=2):
        first = _first_four(supply, player, banker)
        if not first:
            continue
        pairs = _pairs(shoe, player, banker)
        base = sum(pairs.values())
        shares = [(own, other, first * share // base) for (own, other), share in pairs.items()]
        for passage, (later, deal) in _ends(supply, player, banker, shoe.size).items():
            for own, other, orders in shares:
                key = passage, own, other
                if key not in ways:
                    ways[key], deals[key] = 0, deal
                ways[key] += orders * later
    ends = {key: _end(*key) for key in ways}
    return Counted(
        {ends[key]: orders for key, orders in ways.items()},
        {ends[key]: Deal(*deal) for key, deal in deals.items()},
        perm(shoe.size, PLACES),
    )


def _end(passage: Passage, own: int, other: int) -> End:
    (player, banker), (player_cards, banker_cards), natural = passage
    return End(player, player_cards, banker, banker_cards, natural, own, other)


def _supply(shoe: Equipment) -> tuple[int, ...]:
    """Returns the number of cards of a shoe by their points."""
    supply = [0] * 10
    for face, copies in zip(shoe.faces, shoe.copies, strict=True):
        supply[points_of(face)] += copies
    return tuple(supply)


def points_of(face: str) -> int:
    """Returns the points of a card by its name."""
    return POINTS_OF_RANK[_rank(face)]


def _rank(face: str) -> str:
    return face[: face.index(" ")]


def _first_four(supply: tuple[int, ...], player: tuple[int, ...], banker: tuple[int, ...]) -> int:
    """Returns the orders of four cards that give both hands these points, each hand in either order."""
    ways = 1
    for points, copies in Counter((*player, *banker)).items():
        ways *= perm(supply[points], copies)
    for first, second in (player, banker):
        ways *= 1 if first == second else 2
    return ways


Points = tuple[tuple[int, ...], tuple[int, ...]]
"""Points of the cards of player and banker."""

Passage = tuple[tuple[int, int], tuple[int, int], bool]
"""Totals, numbers of cards, and whether a natural ended the round."""


def _ends(
    supply: tuple[int, ...], player: tuple[int, ...], banker: tuple[int, ...], size: int
) -> Mapping[Passage, tuple[int, Points]]:
    """Returns for every way in which two hands go on how many orders of the fifth and sixth place lead there."""
    own, other = sum(player) % 10, sum(banker) % 10
    left = list(supply)
    for points in (*player, *banker):
        left[points] -= 1
    both = (size - 4) * (size - 5)
    found: dict[Passage, tuple[int, Points]] = {}
    if own >= 8 or other >= 8:
        return {((own, other), (2, 2), True): (both, (player, banker))}
    if own > _LAST_TOTAL_ALONE:
        if other > _LAST_TOTAL_ALONE:
            return {((own, other), (2, 2), False): (both, (player, banker))}
        for card, ways in _drawn(left):
            end = ((own, (other + card) % 10), (2, 3), False)
            _add(found, end, ways * (size - 5), (player, (*banker, card)))
        return found
    for third, ways in _drawn(left):
        drawn = (*player, third)
        total = (own + third) % 10
        if other > _LAST_TOTAL_DRAWN[third]:
            _add(found, ((total, other), (3, 2), False), ways * (size - 5), (drawn, banker))
            continue
        left[third] -= 1
        for card, further in _drawn(left):
            end = ((total, (other + card) % 10), (3, 3), False)
            _add(found, end, ways * further, (drawn, (*banker, card)))
        left[third] += 1
    return found


def _drawn(left: list[int]) -> Iterator[tuple[int, int]]:
    return ((points, ways) for points, ways in enumerate(left) if ways)


def _add(found: dict[Passage, tuple[int, Points]], end: Passage, ways: int, deal: Points) -> None:
    before = found.get(end)
    found[end] = (ways, deal) if before is None else (before[0] + ways, before[1])


def _pairs(shoe: Equipment, player: tuple[int, ...], banker: tuple[int, ...]) -> Mapping[Pairs, int]:
    """Returns how often hands of these points pair, as weights among all deals of these points."""
    own = player[0] if player[0] == player[1] else None
    other = banker[0] if banker[0] == banker[1] else None
    if own is not None and own == other:
        return _both_of(shoe, own)
    unpaired = {UNPAIRED: 1}
    return {
        (first, second): ways * further
        for first, ways in (unpaired if own is None else _one_of(shoe, own)).items()
        for second, further in (unpaired if other is None else _one_of(shoe, other)).items()
    }


@lru_cache(maxsize=256)
def _one_of(shoe: Equipment, points: int) -> Mapping[int, int]:
    """Returns how many ordered pairs of cards of these points pair, and how."""
    found: Counter[int] = Counter()
    for (rank, copies), (other, others) in product(_faces_of(shoe, points), repeat=2):
        if rank == other:
            found[PERFECT] += copies * (copies - 1)
        else:
            found[relation(rank, other)] += copies * others
    return {relation: ways for relation, ways in found.items() if ways}


@lru_cache(maxsize=256)
def _both_of(shoe: Equipment, points: int) -> Mapping[Pairs, int]:
    """Returns the same for two hands whose four cards all have these points."""
    faces = _faces_of(shoe, points)
    copies = dict(faces)
    found: Counter[Pairs] = Counter()
    for cards in product(copies, repeat=4):
        ways = 1
        for face in set(cards):
            ways *= perm(copies[face], cards.count(face))
        found[relation(*cards[:2]), relation(*cards[2:])] += ways
    return {relations: ways for relations, ways in found.items() if ways}


def _faces_of(shoe: Equipment, points: int) -> tuple[tuple[str, int], ...]:
    """Returns the faces of these points with their number of copies."""
    return tuple(
        (face, copies)
        for face, copies in zip(shoe.faces, shoe.copies, strict=True)
        if points_of(face) == points
    )


def relation(face: str, other: str) -> int:
    """Returns whether two cards pair: UNPAIRED, PAIRED or PERFECT."""
    if face == other:
        return PERFECT
    return PAIRED if _rank(face) == _rank(other) else UNPAIRED
