"""The joint distribution of the line bets in closed form.

A total t of two dice has w(t) = 6 - |t - 7| of 36 ways. Once t is the point, rolls that show neither t nor seven change
nothing, so that it is made with w(t) / (w(t) + 6), whatever the number of rolls: the geometric series summed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from certify.families.craps.rules import (
    DONT,
    LAID,
    LOSE,
    LOST,
    PAIRS,
    PASS,
    PUSH,
    TAKEN,
    WIN,
    CrapsRules,
    laid,
    options,
    rules_of,
    sees,
)
from certify.model.figures import Outcome
from certify.model.game import Game
from certify.model.strategy import Strategy

NOTHING = Fraction(0)


def ways(total: int) -> int:
    """Returns the number of the 36 throws of two dice that show a total."""
    return 6 - abs(total - 7)


class LineDistribution:
    """Probabilities and results of the bets with and against the line."""

    def chances(self, game: Game, strategy: Strategy) -> Mapping[tuple[str, ...], Fraction]:
        """Returns the probability of every joint outcome under a strategy."""
        found: dict[tuple[str, ...], Fraction] = {}
        against = len(game.wagers) > 1
        for outcomes, chance in _ends(rules_of(game), strategy, against):
            kept = outcomes if against else outcomes[:1]
            found[kept] = found.get(kept, NOTHING) + chance
        return found

    def ends(self, game: Game, wager: str) -> tuple[Outcome, ...]:
        """Returns every outcome of a bet in the order printed, without probability."""
        rules, paytable = rules_of(game), game.wager(wager).paytable
        first, ends = (TAKEN, _taken) if wager == PASS else (LAID, _laid)
        made = [Outcome(WIN, paytable.pays(WIN), NOTHING)]
        lost = [Outcome(LOSE, Fraction(-1), NOTHING)]
        if wager == DONT:
            lost.insert(0, Outcome(PUSH, NOTHING, NOTHING))
        for pair, most in rules.odds if rules.offers_odds else ():
            stake = ends(pair, most)
            won = paytable.pays(WIN) + stake * paytable.pays(f"{first}-{pair}")
            made.append(Outcome(f"{first}-{pair}", won, NOTHING, 1 + stake))
            lost.append(Outcome(f"{LOST}-{pair}", -1 - stake, NOTHING, 1 + stake))
        return (*made, *lost)


def _taken(pair: str, most: int) -> Fraction:
    return Fraction(most)


def _laid(pair: str, most: int) -> Fraction:
    return laid(int(pair.partition("-")[0]), most)


def _ends(rules: CrapsRules, strategy: Strategy, against: bool) -> Iterator[tuple[tuple[str, str], Fraction]]:
    """Yields how both bets end together, with the probability of each way."""
    barred = PUSH
    yield (WIN, LOSE), Fraction(ways(7) + ways(11), 36)
    for total in (2, 3, 12):
        yield (LOSE, barred if total == rules.barred else WIN), Fraction(ways(total), 36)
    for point, pair in PAIRS.items():
        odds = _full(rules, strategy, PASS, point)
        lay = against and _full(rules, strategy, DONT, point)
        set_, made = Fraction(ways(point), 36), Fraction(ways(point), ways(point) + ways(7))
        lost = f"{LOST}-{pair}"
        yield (f"{TAKEN}-{pair}" if odds else WIN, lost if lay else LOSE), set_ * made
        yield (lost if odds else LOSE, f"{LAID}-{pair}" if lay else WIN), set_ * (1 - made)


def _full(rules: CrapsRules, strategy: Strategy, wager: str, point: int) -> bool:
    """Returns whether a strategy takes or lays full odds on a point."""
    if not rules.most(point):
        return False
    none, full = options(wager, point)
    return strategy.choose(sees(wager, point), (none, full)) == full
