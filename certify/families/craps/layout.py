"""What the first roll does to the bets on the line, laid out over its total."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from certify.families.craps.rulebook import first_roll, plain
from certify.families.craps.rules import DONT, PASS, rules_of
from certify.model.game import Game
from certify.model.layout import Coverage, Covered, ReadAs, Spot

_TOTALS = range(2, 13)


def coverage(game: Game) -> tuple[Coverage, ...]:
    """Returns the bets over the total of the first roll; on a point they wait for other rolls."""
    (piece,), rules = game.equipment, rules_of(game)
    rolls = [a + b for a, b in product(range(1, 7), repeat=2)]
    chances = tuple(Fraction(rolls.count(total), len(rolls)) for total in _TOTALS)
    bets = []
    for wager in game.wagers:
        spots = []
        for column, total in enumerate(_TOTALS):
            ended = first_roll(total, rules)
            row = dict(zip((PASS, DONT), ended, strict=True))[wager.id] if ended else ""
            net = plain(wager.id, row, wager.paytable).net if row else None
            if net != -1:
                spots.append(Spot(column, Fraction(1), net))
        bets.append(Covered(wager.id, chances, tuple(spots)))
    return (Coverage(piece.id, 2, ReadAs.TOTAL, tuple(map(str, _TOTALS)), tuple(bets)),)
