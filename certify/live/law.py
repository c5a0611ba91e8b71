"""The exact law of what a wager pays: what is possible at a stake, and how likely a total of many rounds is."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.by_key import summed
from certify.families import Certified, ConfigurationKind, ReferenceRound
from certify.mathematics import (
    analysed_strategies,
    analyze,
    certified_variants,
    has_decisions,
    offered,
    played_apart,
)
from certify.model import MAIN_OPTIMAL, Analysis, Game, Limits, Wager, WagerFigures
from certify.rounds import Rounding, rounded

Floats = NDArray[np.float64]

_CELLS: Final = 1 << 20
"""Most places of a lattice on which the law of a total is laid out; of longer ones Chernoff's bound is taken."""

_TRUSTED: Final = 1e-9
"""Tails below this are bounded by Chernoff: a Fourier transform in floats holds no smaller ones."""


@dataclass(frozen=True)
class StakeLaw:
    """What a wager pays at one stake, in the smallest coin.

    Args:
        wins: Everything that may come back, the least first, each once.
        chances: Its exact probability.
    """

    wins: tuple[int, ...]
    chances: tuple[Fraction, ...]

    @cached_property
    def p(self) -> Floats:
        """The probabilities as floats."""
        return np.array([float(chance) for chance in self.chances])

    @cached_property
    def mean(self) -> Fraction:
        """Expected amount that comes back."""
        return sum((win * chance for win, chance in zip(self.wins, self.chances, strict=True)), Fraction(0))

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of what comes back."""
        squares = sum((w * w * c for w, c in zip(self.wins, self.chances, strict=True)), Fraction(0))
        return math.sqrt(squares - self.mean**2)

    @cached_property
    def _steps(self) -> tuple[int, NDArray[np.int64]]:
        least = self.wins[0]
        step = math.gcd(*(win - least for win in self.wins)) or 1
        return step, np.array([(win - least) // step for win in self.wins], dtype=np.int64)

    def total_of(self, rounds: int) -> tuple[int, Floats] | None:
        """Returns the law of what so many rounds pay together, from an amount on in steps; none where it is too long.

        It is the power of the characteristic function on a lattice that is 80 standard deviations long: what lies
        outside comes back at the wrong place, with a probability that Chernoff's bound holds below any use.
        """
        step, places = self._steps
        wanted = 80 * self.deviation * math.sqrt(rounds) / step + 2 * int(places[-1]) + 64
        size = 1 << math.ceil(math.log2(wanted))
        if size > _CELLS:
            return None
        start = round(float(self.mean * rounds - rounds * self.wins[0]) / step) - size // 2
        held = np.zeros(size)
        np.add.at(held, places % size, self.p)
        whole = np.fft.irfft(np.fft.rfft(held) ** rounds, size)
        return rounds * self.wins[0] + start * step, np.roll(whole, -(start % size))

    def p_value(self, total: int, rounds: int) -> float:
        """Returns how likely so many rounds pay a total as far out, to either side: twice the smaller tail."""
        laid, bound = self.total_of(rounds), self._chernoff(total, rounds)
        if laid is None or bound < _TRUSTED:
            return min(1.0, 2 * bound)
        first, chances = laid
        place = (total - first) / self._steps[0]
        upper = float(chances[max(0, math.ceil(place)) :].sum()) if place < len(chances) else 0.0
        lower = float(chances[: max(0, math.floor(place) + 1)].sum())
        return min(1.0, 2 * bound, 2 * max(min(upper, lower), _TRUSTED / 10))

    def limits(self, rounds: int, outside: float) -> tuple[int, int] | None:
        """Returns between which totals so many rounds come to lie, each side missed with half a probability."""
        laid = self.total_of(rounds)
        if laid is None:
            return None
        first, chances = laid
        places = np.searchsorted(np.cumsum(chances), (outside / 2, 1 - outside / 2))
        low, high = (first + int(place) * self._steps[0] for place in places)
        return low, high

    def _chernoff(self, total: int, rounds: int) -> float:
        """Returns a bound of the smaller tail at a total: the least of E exp(t(X - x)) over t, to the power."""
        wins = np.array([float(win) for win in self.wins])
        mean = total / rounds
        if mean >= wins[-1] or mean <= wins[0]:
            end = self.p[-1] if mean >= wins[-1] else self.p[0]
            return 0.0 if not wins[0] <= mean <= wins[-1] else float(end) ** rounds
        # The logarithm of the ratio is a line over what is paid: at the total it is the exponent.
        ratio = float(np.interp(mean, wins, tilted(self.p, wins, mean)))
        return math.exp(min(0.0, -rounds * ratio))


def tilted(p: Floats, wins: Floats, mean: float) -> Floats:
    """Returns the logarithm of the ratio of the exponential tilt that has a mean."""
    high = 700 / float(np.diff(wins).min())
    low = -high
    for _ in range(100):
        t = (low + high) / 2
        weights = p * np.exp(t * (wins - wins[0]) - max(0.0, t * float(wins[-1] - wins[0])))
        low, high = (t, high) if weights @ wins / weights.sum() < mean else (low, t)
    exponents = t * wins
    top = float(exponents.max())
    return np.asarray(exponents - top - math.log(float(p @ np.exp(exponents - top))))


@dataclass(frozen=True)
class WagerLaw:
    """What a wager can come to, in stakes, under the play that the log is of.

    Args:
        game: The game, in its edition and variant and at its bet level, that it is of.
        wager: Id of the wager.
        pays: Everything that may come back for a stake of one, the least first.
        chances: The probability of each; none where they hang on how players decided, or are not known exactly.
        outcomes: By their ids, what comes back in each; none of classes, which come to different amounts.
        outcome_chances: Their probabilities; empty as the chances are none.
        possible: Everything that may come back, however players decide.
        whole: Whether nothing else can come back.
        unjudged: Why frequencies and returns are not judged; empty where they are.
        metered: Whether a meter pays on top, and nothing says how much.
        level: The bet level or purchase that it is of; none of the rounds as submitted.
    """

    game: Game
    wager: str
    pays: tuple[Fraction, ...]
    chances: tuple[Fraction, ...] | None
    outcomes: dict[str, frozenset[Fraction] | None]
    outcome_chances: dict[str, Fraction]
    possible: tuple[Fraction, ...]
    whole: bool
    unjudged: str = ""
    metered: bool = False
    level: "StakedLevel | None" = None

    @property
    def limits(self) -> Limits:
        """Which stakes are allowed."""
        return self.game.wager(self.wager).limits

    def paid(self, stake: int, rounding: Rounding) -> tuple[int, ...]:
        """Returns what each pay comes to at a stake, in the smallest coin."""
        return self._rounded(self.pays, stake, rounding)

    def payable(self, stake: int, rounding: Rounding) -> tuple[int, ...]:
        """Returns everything that may come back at a stake, however players decide."""
        return self._rounded(self.possible, stake, rounding)

    def _rounded(self, pays: tuple[Fraction, ...], stake: int, rounding: Rounding) -> tuple[int, ...]:
        key = pays is self.pays, stake, rounding
        known = self._paid.get(key)
        if known is None:
            known = self._paid[key] = tuple(rounded(stake * pay, rounding) for pay in pays)
        return known

    def at(self, stake: int, rounding: Rounding) -> StakeLaw | None:
        """Returns the law at a stake, what rounding makes equal joined; none where chances are not known."""
        if self.chances is None:
            return None
        known = self._at.get((stake, rounding))
        if known is None:
            joined = summed(zip(self.paid(stake, rounding), self.chances, strict=True))
            known = StakeLaw(tuple(sorted(joined)), tuple(joined[win] for win in sorted(joined)))
            self._at[stake, rounding] = known
        return known

    @cached_property
    def _paid(self) -> dict[tuple[bool, int, Rounding], tuple[int, ...]]:
        return {}

    @cached_property
    def _at(self) -> dict[tuple[int, Rounding], StakeLaw]:
        return {}


_OTHERWISE: Final = frozenset({ConfigurationKind.BET_LEVEL, ConfigurationKind.PURCHASE})
"""Configurations that are staked by themselves and pay otherwise than the round as submitted."""


@dataclass(frozen=True, slots=True)
class StakedLevel:
    """A bet level or a purchase of a game, as it is staked.

    Args:
        id: What it is called.
        game: The game at that level, with the limits of what a round of it costs.
        analysis: Its exact figures, for each unit that a round of it costs.
        reference: Plays its rounds; none where no row of draws says when a meter is won.
    """

    id: str
    game: Game
    analysis: Analysis
    reference: ReferenceRound[Any] | None


@lru_cache(maxsize=16)
def levels_of(game: Game) -> tuple[StakedLevel, ...]:
    """Returns the bet levels and purchases of a game; those of its variants apart."""
    staked = game.port.alternatives.staked
    kinds = {one.id: one for one in offered(game) if one.kind in _OTHERWISE and "/" not in one.id}
    found = []
    for named, (own, analysis) in played_apart(game).items() if kinds else ():
        if named in kinds:
            limits = [replace(one, limits=one.limits.priced(kinds[named].price)) for one in own.wagers]
            as_staked = None if staked is None else staked(game, kinds[named])
            played, reference = as_staked or (replace(own, wagers=tuple(limits)), None)
            found.append(StakedLevel(named, played, analysis, reference))
    return tuple(found)


def laws_of(
    game: Game, strategy: str, *, net: bool = False, apart: bool = False, levels: bool = False
) -> dict[str, WagerLaw]:
    """Returns the law of every wager of a game and of its variants, by the variant, the bet level and the wager.

    Args:
        game: The submission.
        strategy: How rounds were played, by its name; empty where that is not known.
        net: Whether the first stake alone is in what comes back, not what was added to it.
        apart: Whether what meters paid is taken out of the wins.
        levels: Whether each row says at which bet level it was, or what it bought.

    Raises:
        InputError: The game knows no such strategy.
    """
    configurations = offered(game)
    metered = {one.wager for one in configurations if one.kind is ConfigurationKind.SEED and not apart}
    other = {one.wager for one in configurations if one.kind in _OTHERWISE and not levels}
    found = {}
    for variant in (Certified("", "", game, ""), *certified_variants(game)):
        for law in _laws(variant.game, strategy, net=net):
            found[law_key(None, variant.id, law.wager)] = law
        for level in levels_of(variant.game) if levels else ():
            for figures in level.analysis.wagers:
                law = replace(_law(level.game, [figures], "", net=net), level=level)
                found[law_key(None, variant.id, level.id, law.wager)] = law
    return {key: _narrowed(law, metered, other) for key, law in found.items()}


def law_key(edition: Game | None, *parts: str) -> str:
    """Returns what the law of a wager is called: after its variant, its bet level, and its edition of several."""
    return "/".join(filter(None, ("" if edition is None else f"v{edition.version}", *parts)))


def _narrowed(law: WagerLaw, metered: Collection[str], other: Collection[str]) -> WagerLaw:
    """Returns what is known of a wager where a row does not say what a meter paid, or at which bet level it was."""
    if law.wager not in {*metered, *other}:
        return law
    unjudged = "its bet levels and purchases pay differently, and no column names them (columns.level)"
    if law.wager in metered:
        unjudged = "its meter pays into the win, and no column holds the amount (columns.jackpot)"
    outcomes: dict[str, frozenset[Fraction] | None] = dict.fromkeys(law.outcomes)
    known = replace(law, chances=None, outcome_chances={}, outcomes=outcomes, whole=False)
    return replace(known, unjudged=unjudged, metered=True)


@lru_cache(maxsize=64)
def _laws(game: Game, strategy: str, *, net: bool) -> tuple[WagerLaw, ...]:
    decided = has_decisions(game)
    stated = () if decided and not strategy else (strategy or MAIN_OPTIMAL,)
    analyses = [
        analyze(game, name)
        for name in dict.fromkeys((*stated, *(analysed_strategies(game) if decided else ())))
    ]
    found = []
    for wager in game.wagers:
        figures = [one.wager(wager.id) for one in analyses]
        law = _law(game, figures, "how players decided is not stated (log.strategy)", net=net)
        if decided:
            law = _of_any_play(law, figures, wager, game.port.rules.reachable_rows(game, wager.id))
        if stated:
            # Who states how rounds were played may still err: what other play pays is no impossible pay.
            own = _law(game, figures[:1], "", net=net)
            law = replace(own, outcomes=law.outcomes, possible=law.possible, whole=law.whole)
        found.append(law)
    return tuple(found)


def _of_any_play(
    law: WagerLaw, figures: Sequence[WagerFigures], wager: Wager, reached: Iterable[str]
) -> WagerLaw:
    """Returns a law under play that no analysis is of: what its paytable can give beyond what was analysed.

    Where a player adds to the stake, or a round wins many times, what comes back is not listed by the paytable.
    """
    listed = all(one.total_wagered is None and not one.varies for one in figures)
    given = {Fraction(0), *law.pays, *(1 + row.pays for row in wager.paytable.rows)}
    pays = tuple(sorted(given)) if listed else law.pays
    return replace(
        law,
        pays=pays,
        possible=pays,
        outcomes=dict.fromkeys(reached) | law.outcomes,
        whole=law.whole and listed,
    )


def _law(game: Game, figures: Sequence[WagerFigures], unjudged: str, *, net: bool) -> WagerLaw:
    """Returns the law of a wager, of the figures under every strategy that may have been played."""
    outcomes: dict[str, frozenset[Fraction] | None] = {}
    pays = summed(paid for one in figures for paid in _pays(one, net=net))
    chances = summed((end.id, end.probability) for one in figures for end in one.outcomes)
    whole = True
    for one in figures:
        for end in one.outcomes:
            known = outcomes.get(end.id, frozenset())
            outcomes[end.id] = (
                None if end.varies or known is None else known | {1 + end.pays if net else end.returned}
            )
        whole = whole and one.all_listed
        if one.near or not one.all_listed:
            unjudged = unjudged or "single results are not all listed with exact probabilities"
    ordered = tuple(sorted(pays))
    return WagerLaw(
        game,
        figures[0].wager,
        ordered,
        None if unjudged else tuple(pays[pay] for pay in ordered),
        outcomes,
        {} if unjudged else chances,
        ordered,
        whole,
        unjudged,
    )


def _pays(figures: WagerFigures, *, net: bool) -> Iterable[tuple[Fraction, Fraction]]:
    """Yields what may come back for a stake of one."""
    if figures.varies:
        return ((1 + win, chance) for win, chance in figures.listed if chance)
    return (
        (1 + end.pays if net else end.returned, end.probability)
        for end in figures.outcomes
        if end.probability
    )
