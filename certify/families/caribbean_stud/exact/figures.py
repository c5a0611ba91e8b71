"""What the counted hands come to: the settlement of the exact figures, in whole numbers up to one division."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import deck_of
from certify.families.caribbean_stud.exact import counting, raising
from certify.families.caribbean_stud.exact.counting import Counted
from certify.families.caribbean_stud.exact.raising import Terms
from certify.families.caribbean_stud.rules import rules_of
from certify.families.caribbean_stud.strategy import StudChart
from certify.model.figures import Outcome
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.strategy import Strategy

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


def terms_of(game: Game) -> Terms:
    """Returns what the worth of raising hangs on, all net results as whole parts of an ante."""
    paytable = game.wager(ids.ANTE).paytable
    nets = [
        [ante_net(ante_outcome(kind, end, paytable), game) for end in range(counting.FOLDED)]
        for kind in range(counting.KINDS)
    ]
    parts = lcm(*(net.denominator for row in nets for net in row))
    whole = tuple(tuple(int(net * parts) for net in row) for row in nets)
    return Terms(deck_of(game), rules_of(game).lowest, whole, parts)


def best(game: Game) -> StudChart:
    """Returns the best strategy for the ante."""
    return raising.best(terms_of(game))


def chances(game: Game, strategy: Strategy) -> Chances:
    """Returns the probability of every joint outcome of the wagers under a strategy."""
    ways, total = raising.ways(deck_of(game), rules_of(game).lowest, strategy), counts_of(game).total
    joint: dict[tuple[str, ...], int] = {}
    for kind, six, end in np.argwhere(ways).tolist():
        ended = outcomes(game, kind, six, end)
        joint[ended] = joint.get(ended, 0) + int(ways[kind, six, end])
    return {ended: Fraction(way, total) for ended, way in joint.items()}


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
    terms = terms_of(game)
    pair = raising.pair_of(terms.deck, terms.lowest, sees)
    return Fraction(int(raising.values(terms)[pair]), terms.unit)
