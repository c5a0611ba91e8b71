"""What the counted hands come to: the settlement of the exact figures, in whole numbers up to one division."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import deck_of, label, pattern_of, patterns, seen
from certify.families.caribbean_stud.exact import counting
from certify.families.caribbean_stud.exact.counting import Counted
from certify.families.caribbean_stud.rules import rules_of
from certify.families.caribbean_stud.strategy import BY_SUITS, FOLDED, RAISED, StudChart, cells_of
from certify.families.french_deck.deck import RANKS, Card, Deck
from certify.model.figures import Outcome
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.strategy import MAIN_OPTIMAL, Strategy

Chances = Mapping[tuple[str, ...], Fraction]

_FITS: Final = {
    counting.TWO_PAIR: (ids.TWO_PAIR,),
    counting.THREE: (ids.THREE,),
    counting.STRAIGHT: (ids.STRAIGHT,),
    counting.FLUSH: (ids.FLUSH,),
    counting.FULL: (ids.FULL_HOUSE,),
    counting.FOUR: (ids.FOUR,),
    counting.STRAIGHT_FLUSH: (ids.STRAIGHT_FLUSH,),
    counting.ROYAL: (ids.ROYAL, ids.STRAIGHT_FLUSH),
}
"""Rows that a kind of hands may be paid by, the highest first."""

_LARGEST: Final = 2**62
"""What sums of whole numbers of this size stay below."""


def counts_of(game: Game) -> Counted:
    """Returns every hand against every open card of a game, counted."""
    return counting.counted(deck_of(game), rules_of(game).lowest)


def row_of_kind(kind: int, paytable: Paytable) -> str:
    """Returns the row that a paytable pays a kind of hands by, the losing one where it pays none."""
    return next((row for row in _FITS.get(kind, ()) if row in paytable.ids), ids.LOSE)


def ante_outcome(kind: int, end: int, paytable: Paytable) -> str:
    """Returns the outcome of an ante by the player's kind of hand and how it ended."""
    if end == counting.WIN:
        row = row_of_kind(kind, paytable)
        return ids.WIN if row == ids.LOSE else row
    return {
        counting.UNQUALIFIED: ids.UNQUALIFIED,
        counting.TIE: ids.TIE,
        counting.LOSE: ids.LOSE,
        counting.FOLDED: ids.FOLD,
    }[end]


def ante_net(outcome: str, game: Game) -> Fraction:
    """Returns the net result of an outcome of the ante with its raise, in antes."""
    paytable, antes = game.wager(ids.ANTE).paytable, rules_of(game).antes
    if outcome == ids.UNQUALIFIED:
        return paytable.pays(outcome)
    fixed = {ids.FOLD: -1, ids.TIE: 0, ids.LOSE: -1 - antes}
    return Fraction(fixed[outcome]) if outcome in fixed else 1 + antes * paytable.pays(outcome)


def ends(game: Game, wager: str) -> tuple[Outcome, ...]:
    """Returns every outcome of a wager with its net result and stake, without probability."""
    paytable, nothing = game.wager(wager).paytable, Fraction(0)
    if wager != ids.ANTE:
        paid = [Outcome(row, paytable.pays(row), nothing) for row in ids.HANDS if row in paytable.ids]
        return (*paid, Outcome(ids.LOSE, Fraction(-1), nothing))
    staked = Fraction(1 + rules_of(game).antes)
    played = [*(row for row in ids.RAISE_ROWS if row in paytable.ids), ids.UNQUALIFIED, ids.TIE, ids.LOSE]
    found = (Outcome(one, ante_net(one, game), nothing, staked) for one in played)
    return (*found, Outcome(ids.FOLD, Fraction(-1), nothing, Fraction(1), ids.LOSE))


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
    """Returns ways[kind of the player, kind of six cards, end]."""
    ways = np.zeros((10, 10, 5), np.int64)
    for pair in range(len(hand)):
        cell = ways[kinds[hand[pair]], six[pair]]
        times = np.int64(weight[pair])
        if not raised[pair]:
            cell[4] += times * dealt
            continue
        left = np.int64(dealt)
        for end in range(3):
            cell[end] += times * met[pair, end]
            left -= met[pair, end]
        cell[3] += times * left
    return ways


def chances(game: Game, strategy: Strategy) -> Chances:
    """Returns the probability of every joint outcome of the wagers under a strategy."""
    found = counts_of(game)
    raised = raised_by(game, strategy)
    ways = _tallied(raised, found.kinds, found.hand, found.six, found.weight, found.met, found.dealt)
    joint: dict[tuple[str, ...], int] = {}
    for kind, six, end in np.argwhere(ways).tolist():
        ended = outcomes(game, kind, six, end)
        joint[ended] = joint.get(ended, 0) + int(ways[kind, six, end])
    return {ended: Fraction(way, found.total) for ended, way in joint.items()}


def outcomes(game: Game, kind: int, six: int, end: int) -> tuple[str, ...]:
    """Returns how every wager ends by the player's kind of hand, that of six cards, and how the ante ended."""
    ended = []
    for wager in game.wagers:
        if wager.id == ids.ANTE:
            ended.append(ante_outcome(kind, end, wager.paytable))
        elif end == counting.FOLDED and rules_of(game).fold_loses_all:
            ended.append(ids.LOSE)
        else:
            ended.append(row_of_kind(kind if wager.id == ids.PROGRESSIVE else six, wager.paytable))
    return tuple(ended)


def raised_outcomes(game: Game) -> dict[tuple[str, ...], tuple[tuple[int, ...], int, int]]:
    """Returns every way in which the wagers end where a hand is raised.

    Each comes with a hand and an open card that may end so, and how the hand ends against the dealer's.
    """
    found = counts_of(game)
    kinds = found.kinds[found.hand]
    lost = found.dealt - found.met.sum(axis=1, dtype=np.int64)
    ended: dict[tuple[str, ...], tuple[tuple[int, ...], int, int]] = {}
    for end in range(counting.FOLDED):
        may = np.flatnonzero(lost if end == counting.LOSE else found.met[:, end])
        _, first = np.unique(kinds[may] * counting.KINDS + found.six[may], return_index=True)
        for pair in may[first].tolist():
            named = outcomes(game, int(kinds[pair]), int(found.six[pair]), end)
            hand = tuple(found.faces[found.hand[pair]].tolist())
            ended.setdefault(named, (hand, int(found.up[pair]), end))
    return ended


def value_of(game: Game, sees: str) -> Fraction:
    """Returns what raising a hand against an open card is worth, in antes.

    Raises:
        InputError: The deck has no such hand.
    """
    deck = deck_of(game)
    own, up = seen(sees)
    cells = np.flatnonzero(counts_of(game).cell == _cell(deck, own, up))
    pair = next((one for one in cells.tolist() if shown(game, one) == sees), None)
    if pair is None:
        raise InputError(f"no hand {sees!r} of this deck")
    return Fraction(int(values(game)[pair]), unit(game))


def _cell(deck: Deck, own: Sequence[Card], up: Card) -> int:
    place = {pattern: place for place, pattern in enumerate(patterns(deck))}.get(pattern_of(own), -1)
    return place * len(RANKS) + up[0]


def shown(game: Game, pair: int) -> str:
    """Returns what the player sees of a pair of a hand and an open card."""
    found, deck = counts_of(game), deck_of(game)
    own = [deck.cards[face] for face in found.faces[found.hand[pair]].tolist()]
    return label(own, deck.cards[int(found.up[pair])])


def raised_by(game: Game, strategy: Strategy) -> NDArray[np.uint8]:
    """Returns for every pair of a hand and an open card whether a strategy raises it."""
    found = counts_of(game)
    if strategy is best(game):
        return _above(values(game), -unit(game))
    cells = np.frombuffer(cells_of(deck_of(game), strategy), dtype=np.uint8)
    raised = cells[found.cell]
    for pair in np.flatnonzero(raised == BY_SUITS).tolist():
        raised[pair] = RAISED if strategy.choose(shown(game, pair), ids.OPTIONS) == ids.RAISE else FOLDED
    return raised


def _above(worth: NDArray[np.int64], least: int) -> NDArray[np.uint8]:
    return (worth > least).view(np.uint8)


def _common(game: Game) -> int:
    """Returns the number by which all net results of a raise are whole."""
    ended = [ids.UNQUALIFIED, *(row for row in ids.RAISE_ROWS if row in game.wager(ids.ANTE).paytable.ids)]
    return lcm(*(ante_net(one, game).denominator for one in ended))


def unit(game: Game) -> int:
    """Returns what one ante against every hand of the dealer is in the unit of `values`."""
    return _common(game) * counts_of(game).dealt


@lru_cache(maxsize=2)
def values(game: Game) -> NDArray[np.int64]:
    """Returns the net result of raising each pair against all hands of the dealer together, in whole parts of an ante.

    Raises:
        InputError: Pays are too large or too fine to be counted in whole numbers of 63 bits.
    """
    found, paytable, common = counts_of(game), game.wager(ids.ANTE).paytable, _common(game)
    nets = [
        [int(common * ante_net(ante_outcome(kind, end, paytable), game)) for end in range(counting.FOLDED)]
        for kind in range(counting.KINDS)
    ]
    if max(abs(net) for row in nets for net in row) * found.total >= _LARGEST:
        raise InputError(
            f"{game.path}: the pays of {ids.ANTE} are too large, or fractions too fine, to be counted"
        )
    worth = np.zeros(len(found.hand), dtype=np.int64)
    _value(np.array(nets, dtype=np.int64), found.kinds, found.hand, found.met, found.dealt, worth)
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
def best(game: Game) -> StudChart:
    """Returns the best strategy for the ante: every hand is raised that loses less than one ante."""
    found, deck = counts_of(game), deck_of(game)
    raised = _above(values(game), -unit(game))
    alike = _summed(found.cell * 2 + raised, found.weight, values(game), len(patterns(deck)) * len(RANKS) * 2)
    folds, raises = alike[0].reshape(-1, 2).T > 0
    cells = np.where(folds & raises, BY_SUITS, np.where(raises, RAISED, FOLDED)).astype(np.uint8)
    mixed = np.flatnonzero((cells[found.cell] == BY_SUITS) & (raised == 1))
    return StudChart(
        MAIN_OPTIMAL,
        "hand and open card",
        deck,
        cells.tobytes(),
        frozenset(shown(game, pair) for pair in mixed.tolist()),
    )


@dataclass(frozen=True, slots=True)
class Line:
    """Hands of one pattern against one open rank that are decided alike.

    Args:
        cell: Cell of the chart.
        best: Whether they are best raised.
        chosen: Whether they are raised.
        weight: Deals of six cards.
        value: Net result of raising them all against all hands of the dealer, in the unit of `values`.
    """

    cell: int
    best: bool
    chosen: bool
    weight: int
    value: int


def lines(game: Game, strategy: Strategy) -> list[Line]:
    """Returns hands by pattern, open rank, best play and what a strategy does."""
    found, worth = counts_of(game), values(game)
    index = found.cell * 4 + _above(worth, -unit(game)) * 2 + raised_by(game, strategy)
    weights, sums = _summed(index, found.weight, worth, int(index.max()) + 1)
    return [
        Line(one >> 2, bool(one & 2), bool(one & 1), int(weights[one]), int(sums[one]))
        for one in np.flatnonzero(weights).tolist()
    ]


@njit(cache=True, nogil=True)
def _summed(
    index: NDArray[np.int32], weight: NDArray[np.uint8], worth: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns weights and weighted values added up by an index."""
    weights, sums = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for pair in range(len(index)):
        weights[index[pair]] += weight[pair]
        sums[index[pair]] += weight[pair] * worth[pair]
    return weights, sums
