"""What raising is worth hand by hand, and what a strategy comes to: whole numbers over all pairs that were counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import label, pattern_of, patterns, seen
from certify.families.caribbean_stud.exact.counting import KINDS, counted
from certify.families.caribbean_stud.strategy import BY_SUITS, FOLDED, RAISED, StudChart, cells_of
from certify.families.french_deck.deck import RANKS, Deck
from certify.model.strategy import MAIN_OPTIMAL, Strategy

_LARGEST: Final = 2**62
"""What sums of whole numbers of this size stay below."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the worth of raising hangs on.

    Args:
        deck: The cards.
        lowest: Lowest hand with which the dealer qualifies.
        nets: By kind of the player's hand, net result of a raise: unqualified, won, equal, lost; in parts of an ante.
        parts: Parts of one ante.
    """

    deck: Deck
    lowest: str
    nets: tuple[tuple[int, ...], ...]
    parts: int

    @property
    def unit(self) -> int:
        """What one ante against every hand of the dealer is in the unit of `values`."""
        return self.parts * counted(self.deck, self.lowest).dealt


@lru_cache(maxsize=2)
def values(terms: Terms) -> NDArray[np.int64]:
    """Returns the net result of raising each pair against all hands of the dealer together, in parts of an ante.

    Raises:
        InputError: Pays are too large or too fine to be counted in whole numbers of 63 bits.
    """
    found = counted(terms.deck, terms.lowest)
    if max(abs(net) for nets in terms.nets for net in nets) * found.total >= _LARGEST:
        raise InputError(
            f"the pays of {ids.ANTE} are too large, or fractions too fine: expected sums of less than {_LARGEST}"
        )
    worth = np.zeros(len(found.hand), dtype=np.int64)
    nets = np.array(terms.nets, dtype=np.int64)
    _value(nets, found.kinds, found.hand, found.met, found.dealt, worth)
    return worth


@njit(cache=True, nogil=True)
def _value(
    nets: NDArray[np.int64],
    kinds: NDArray[np.int64],
    hand: NDArray[np.int32],
    met: NDArray[np.int32],
    dealt: int,
    worth: NDArray[np.int64],
) -> None:
    for pair in range(len(hand)):
        net, left = nets[kinds[hand[pair]]], np.int64(dealt)
        for end in range(3):
            worth[pair] += met[pair, end] * net[end]
            left -= met[pair, end]
        worth[pair] += left * net[3]


@lru_cache(maxsize=4)
def best(terms: Terms) -> StudChart:
    """Returns the best strategy for the ante: every hand is raised that loses less than one ante."""
    found, deck = counted(terms.deck, terms.lowest), terms.deck
    raised = _best(terms)
    places = np.zeros(len(patterns(deck)) * len(RANKS) * 2, dtype=np.bool_)
    places[found.cell * 2 + raised] = True
    folds, raises = places.reshape(-1, 2).T
    cells = np.where(folds & raises, BY_SUITS, np.where(raises, RAISED, FOLDED)).astype(np.uint8)
    mixed = np.flatnonzero((cells[found.cell] == BY_SUITS) & (raised == 1))
    shown = frozenset(seen_of(deck, terms.lowest, pair) for pair in mixed.tolist())
    return StudChart(MAIN_OPTIMAL, "hand and open card", deck, cells.tobytes(), shown)


def _best(terms: Terms) -> NDArray[np.uint8]:
    return (values(terms) > -terms.unit).view(np.uint8)


def seen_of(deck: Deck, lowest: str, pair: int) -> str:
    """Returns what the player sees of a pair of a hand and an open card."""
    found = counted(deck, lowest)
    own = [deck.cards[face] for face in found.faces[found.hand[pair]].tolist()]
    return label(own, deck.cards[int(found.up[pair])])


def pair_of(deck: Deck, lowest: str, sees: str) -> int:
    """Returns the pair of a hand and an open card that a player sees.

    Raises:
        InputError: The deck has no such hand.
    """
    own, up = seen(sees)
    pattern = pattern_of(own)
    if pattern in patterns(deck):
        cell = patterns(deck).index(pattern) * len(RANKS) + up[0]
        for pair in np.flatnonzero(counted(deck, lowest).cell == cell).tolist():
            if seen_of(deck, lowest, pair) == sees:
                return int(pair)
    raise InputError(f"no hand {sees!r} of this deck")


@lru_cache(maxsize=4)
def raised_by(deck: Deck, lowest: str, strategy: Strategy) -> NDArray[np.uint8]:
    """Returns for every pair of a hand and an open card whether a strategy raises it."""
    raised = np.frombuffer(cells_of(deck, strategy), dtype=np.uint8)[counted(deck, lowest).cell]
    for pair in np.flatnonzero(raised == BY_SUITS).tolist():
        option = strategy.choose(seen_of(deck, lowest, pair), ids.OPTIONS)
        raised[pair] = RAISED if option == ids.RAISE else FOLDED
    return raised


@lru_cache(maxsize=16)
def ways(deck: Deck, lowest: str, strategy: Strategy) -> NDArray[np.int64]:
    """Returns the deals int64[kind of the player's five cards, kind of six cards, end] under a strategy."""
    found, raised = counted(deck, lowest), raised_by(deck, lowest, strategy)
    return _tallied(raised, found.kinds, found.hand, found.six, found.weight, found.met, found.dealt)


@njit(cache=True, nogil=True)
def _tallied(
    raised: NDArray[np.uint8],
    kinds: NDArray[np.int64],
    hand: NDArray[np.int32],
    six: NDArray[np.uint8],
    weight: NDArray[np.uint8],
    met: NDArray[np.int32],
    dealt: int,
) -> NDArray[np.int64]:
    ended = np.zeros((10, 10, 5), np.int64)
    for pair in range(len(hand)):
        cell = ended[kinds[hand[pair]], six[pair]]
        times = np.int64(weight[pair])
        if not raised[pair]:
            cell[4] += times * dealt
            continue
        left = np.int64(dealt)
        for end in range(3):
            cell[end] += times * met[pair, end]
            left -= met[pair, end]
        cell[3] += times * left
    return ended


@dataclass(frozen=True, slots=True)
class Line:
    """Hands against one open rank that are decided alike.

    Args:
        place: Place of their pattern among those of the deck, -1 for all hands of their kind.
        kind: Their kind.
        up: The open rank.
        best: Whether they are best raised.
        chosen: Whether they are raised.
        weight: Deals of six cards.
        value: Net result of raising them all against all hands of the dealer, in the unit of `values`.
    """

    place: int
    kind: int
    up: int
    best: bool
    chosen: bool
    weight: int
    value: int


def lines(terms: Terms, strategy: Strategy) -> list[Line]:
    """Returns hands by kind and open rank, and by pattern too where hands of one kind are decided otherwise."""
    found, worth = counted(terms.deck, terms.lowest), values(terms)
    decided = _best(terms) * np.uint8(2) + raised_by(terms.deck, terms.lowest, strategy)
    kinds = np.zeros(len(patterns(terms.deck)), dtype=np.int64)
    kinds[found.cell[np.searchsorted(found.hand, np.arange(len(found.faces)))] // len(RANKS)] = found.kinds
    weights, sums = _summed(found.cell, decided, found.weight, worth, len(kinds) * len(RANKS))
    by_kind = [np.zeros((KINDS, len(RANKS), 4), dtype=np.int64) for _ in range(2)]
    for whole, parts in zip(by_kind, (weights, sums), strict=True):
        np.add.at(whole, kinds, parts.reshape(len(kinds), len(RANKS), 4))
    alike = (by_kind[0] > 0).sum(axis=2) == 1
    made = [
        Line(
            -1,
            kind,
            up,
            bool(one & 2),
            bool(one & 1),
            int(by_kind[0][kind, up, one]),
            int(by_kind[1][kind, up, one]),
        )
        for kind, up, one in np.argwhere(by_kind[0] * alike[:, :, None]).tolist()
    ]
    for cell, one in np.argwhere(weights).tolist():
        place, up = divmod(cell, len(RANKS))
        kind = int(kinds[place])
        if not alike[kind, up]:
            weight, value = int(weights[cell, one]), int(sums[cell, one])
            made.append(Line(place, kind, up, bool(one & 2), bool(one & 1), weight, value))
    return made


@njit(cache=True, nogil=True)
def _summed(
    cell: NDArray[np.int32],
    decided: NDArray[np.uint8],
    weight: NDArray[np.uint8],
    worth: NDArray[np.int64],
    cells: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns weights and weighted values int64[cell, decision] added up."""
    weights, sums = np.zeros((cells, 4), np.int64), np.zeros((cells, 4), np.int64)
    for pair in range(len(cell)):
        weights[cell[pair], decided[pair]] += weight[pair]
        sums[cell[pair], decided[pair]] += weight[pair] * worth[pair]
    return weights, sums
