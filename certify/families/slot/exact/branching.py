"""Features as branching: exact mean and variance of everything that a spin leads to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Generic, TypeVar

from certify.errors import InputError
from certify.families.slot.exact.prizes import prize_law, prize_moments
from certify.families.slot.exact.spin import SpinLaw, Starts, spin_law
from certify.families.slot.rows import award_unit
from certify.families.slot.rules import BonusPrizes, FreeGames, SlotRules, SpinKind

T = TypeVar("T")

Moments = tuple[Fraction, Fraction]
"""Mean and variance, in coins."""

SeriesState = tuple[int, int, int]
"""How a series with a limit stands: games left, games granted, times that games were granted again."""

MOST_STATES: Final = 200_000
"""Ways in which a series with a limit may stand, at most."""

NOTHING: Moments = (Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class Branching:
    """What spins of each stage are worth, everything that they start included.

    Args:
        rules: Rules of the slot.
        spins: By stage, mean and variance of a spin with what it starts, games that it adds to its own series among it.
    """

    rules: SlotRules
    spins: Mapping[str, Moments]

    def feature(self, stage: SpinKind, place: int, starts: int) -> Moments:
        """Returns mean and variance of what so many starts of a feature lead to from a stage."""
        feature = self.rules.features[place]
        if not starts:
            return NOTHING
        if isinstance(feature, BonusPrizes):
            times, held = feature.begun(starts)
            mean, variance = prize_moments(feature, held)
            unit = award_unit(self.rules, feature.per) * (stage.multiplier if feature.multiplied else 1)
            return times * unit * mean, times * unit**2 * variance
        if stage.id in [name for name, _ in feature.stages]:
            mean, variance = self.spins[stage.id]
            return starts * mean, starts * variance
        return _mixed([(chance, self.series(feature, name, starts)) for name, chance in feature.stages])

    def series(self, feature: FreeGames, stage: str, games: int) -> Moments:
        """Returns mean and variance of a series that begins with so many games in a stage."""
        if is_limited(feature):
            return limited_series(self, feature, stage, games)
        mean, variance = self.spins[stage]
        return games * mean, games * variance

    def beside(self, stage: SpinKind, starts: Starts, without: int | None = None) -> Moments:
        """Returns mean and variance of everything that these starts lead to, one feature set aside."""
        parts = [self.feature(stage, n, times) for n, times in enumerate(starts) if n != without]
        return sum((mean for mean, _ in parts), Fraction(0)), sum((extra for _, extra in parts), Fraction(0))


def _mixed(parts: Sequence[tuple[Fraction, Moments]]) -> Moments:
    """Returns mean and variance of a mixture."""
    mean = sum((chance * one for chance, (one, _) in parts), Fraction(0))
    second = sum((chance * (extra + one * one) for chance, (one, extra) in parts), Fraction(0))
    return mean, second - mean * mean


def is_limited(feature: FreeGames) -> bool:
    """Tells whether a series has a limit beside its chances."""
    return bool(feature.most_games) or feature.most_again >= 0


def own_series(rules: SlotRules, stage: SpinKind) -> int | None:
    """Returns the place of the feature whose series a stage plays; none for the base game."""
    for place, one in enumerate(rules.free_games):
        if stage.id in [name for name, _ in one.stages]:
            return place
    return None


@lru_cache(maxsize=64)
def branching(rules: SlotRules) -> Branching:
    """Returns what spins of each stage are worth.

    Stages are solved after the features that they start; a stage that adds games to its own series is one linear
    equation for the mean and one for the variance.

    Raises:
        InputError: Features start each other in a circle, or a series is expected never to end.
    """
    solved: dict[str, Moments] = {}
    waiting = list(_reached(rules))
    while waiting:
        ready = [one for one in waiting if _needs(rules, one) <= set(solved)]
        if not ready:
            raise InputError("features start each other in a circle: such series are not counted here")
        for stage in ready:
            solved[stage.id] = _solve(Branching(rules, solved), stage, spin_law(rules, stage.id))
            waiting.remove(stage)
    return Branching(rules, solved)


def _reached(rules: SlotRules) -> list[SpinKind]:
    """Returns the stages that a round can come to, and those that can be bought."""
    names = dict.fromkeys([rules.stages[0].id])
    for one in rules.free_games:
        names |= dict.fromkeys(name for name, _ in one.stages)
    return [rules.stage(name) for name in names]


def _needs(rules: SlotRules, stage: SpinKind) -> set[str]:
    own = own_series(rules, stage)
    needs: set[str] = set()
    for starts in spin_law(rules, stage.id).wins:
        for place, times in enumerate(starts[: len(rules.free_games)]):
            if times and place != own:
                needs |= {name for name, _ in rules.free_games[place].stages}
    return needs


def _solve(known: Branching, stage: SpinKind, law: SpinLaw) -> Moments:
    """Returns mean and variance of a spin of a stage with everything that it starts.

    With V = W + the sum of N further games alike: E V = E W / (1 - E N), and Var V follows from
    E V² = E W'² + 2 E(W' N) E V + E N² (E V)² + E N Var V, where W' is the win with other features.
    """
    own = own_series(known.rules, stage)
    limited = own is not None and is_limited(known.rules.free_games[own])
    mean = more = second = cross = squares = Fraction(0)
    for starts, (chance, one, two) in law.moments().items():
        extra, variance = known.beside(stage, starts, own)
        games = starts[own] if own is not None and not limited else 0
        mean += one + chance * extra
        second += two + 2 * one * extra + chance * (variance + extra * extra)
        cross += games * (one + chance * extra)
        squares += games * games * chance
        more += games * chance
    if more >= 1:
        raise InputError(
            f"a spin of {stage.id!r} adds {float(more):.4f} games to its own series: it would never end"
        )
    value = mean / (1 - more)
    # The variance is that of the win with its games, and of the games' own.
    whole = second + 2 * cross * value + squares * value * value - value * value
    return value, whole / (1 - more)


def limited_series(known: Branching, feature: FreeGames, stage_id: str, games: int) -> Moments:
    """Returns mean and variance of a series whose further games have a limit."""
    stage = known.rules.stage(stage_id)
    own = known.rules.free_games.index(feature)
    parts: dict[int, list[Fraction]] = {}
    for starts, (chance, one, two) in spin_law(known.rules, stage_id).moments().items():
        extra, variance = known.beside(stage, starts, own)
        sums = parts.setdefault(starts[own], [Fraction(0)] * 3)
        sums[0] += chance
        sums[1] += one + chance * extra
        sums[2] += two + 2 * one * extra + chance * (variance + extra * extra)
    first, second = _played(
        feature, games, {number: (p, one, two) for number, (p, one, two) in parts.items()}
    )
    return first, second - first * first


def expected_games(rules: SlotRules, feature: FreeGames, stage_id: str, games: int) -> Fraction:
    """Returns how many games a series comes to on average that begins with so many."""
    own = rules.free_games.index(feature)
    parts: dict[int, Fraction] = {}
    for starts, (chance, _, _) in spin_law(rules, stage_id).moments().items():
        parts[starts[own]] = parts.get(starts[own], Fraction(0)) + chance
    if not is_limited(feature):
        return games / (1 - sum((number * chance for number, chance in parts.items()), Fraction(0)))
    return _played(
        feature, games, {number: (chance, chance, Fraction(0)) for number, chance in parts.items()}
    )[0]


def _played(
    feature: FreeGames, games: int, parts: Mapping[int, tuple[Fraction, Fraction, Fraction]]
) -> tuple[Fraction, Fraction]:
    """Returns mean and second moment over a series with a limit, state by state.

    Args:
        feature: The series.
        games: Games at the start.
        parts: For each number of games that a game grants: its chance, and mean and second moment of the game on it.
    """

    def game(after: Mapping[int, tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
        first = second = Fraction(0)
        for number, (chance, one, two) in parts.items():
            rest, rest_two = after[number]
            first += one + chance * rest
            second += two + 2 * one * rest + chance * rest_two
        return first, second

    return over_series(feature, games, parts, NOTHING, game)


def over_series(
    feature: FreeGames, games: int, numbers: Iterable[int], ended: T, game: Callable[[Mapping[int, T]], T]
) -> T:
    """Returns what a series with a limit comes to, each way in which it may stand once.

    Args:
        feature: The series.
        games: Games at the start.
        numbers: Numbers of games that a game may grant.
        ended: What it comes to once no game is left.
        game: What a game comes to, from what follows it by the games that it grants.
    """
    several = tuple(numbers)
    first, states = series_states(feature, games, several)
    settled: dict[SeriesState, T] = {}
    for state in states:
        left = state[0] > 0
        after = {number: settled[after_game(feature, state, number)] for number in several if left}
        settled[state] = game(after) if left else ended
    return settled[first]


class OverFeatures(ABC, Generic[T]):
    """What spins and all that they start come to, put together from laws of one kind.

    Args:
        rules: Rules of the slot.
    """

    def __init__(self, rules: SlotRules) -> None:
        self.rules = rules

    @abstractmethod
    def prizes(self, law: Mapping[Fraction, Fraction], unit: int) -> T:
        """Returns the law of one bonus, of which a prize of one is so many coins."""

    @abstractmethod
    def power(self, one: T, times: int) -> T:
        """Returns the law of so many of one kind together."""

    @abstractmethod
    def mixed(self, parts: Sequence[tuple[Fraction, T]]) -> T:
        """Returns the law of what comes to one of several, each with its chance."""

    @abstractmethod
    def series(self, feature: FreeGames, stage: SpinKind, games: int) -> T:
        """Returns the law of a series that begins with so many games in a stage."""

    def started(self, stage: SpinKind, place: int, times: int) -> T:
        """Returns the law of what so many starts of a feature lead to."""
        feature = self.rules.features[place]
        if isinstance(feature, BonusPrizes):
            several, held = feature.begun(times)
            unit = award_unit(self.rules, feature.per) * (stage.multiplier if feature.multiplied else 1)
            return self.power(self.prizes(prize_law(feature, held), unit), several)
        return self.mixed(
            [(chance, self.series(feature, self.rules.stage(name), times)) for name, chance in feature.stages]
        )


def series_states(
    feature: FreeGames, games: int, numbers: Iterable[int]
) -> tuple[SeriesState, list[SeriesState]]:
    """Returns how a series with a limit begins, and every way in which it may stand, those it leads to before it.

    Args:
        feature: The series.
        games: Games at the start.
        numbers: Numbers of games that a game may grant.

    Raises:
        InputError: There are too many ways.
    """
    numbers, most = tuple(numbers), feature.most_games
    begun = min(games, most) if most else games
    first = (begun, begun if most else 0, 0)
    order, met = [first], {first}
    for state in order:
        for number in numbers if state[0] else ():
            then = after_game(feature, state, number)
            if then not in met:
                met.add(then)
                order.append(then)
        if len(order) > MOST_STATES:
            raise InputError(
                f"the series {feature.id!r} may stand in more than {MOST_STATES:,} ways: too many to count"
            )
    # Later games first: each state leads to fewer games left, or to more games granted.
    return first, sorted(met, key=lambda one: (-one[2], -one[1], one[0]))


def after_game(feature: FreeGames, state: SeriesState, number: int) -> SeriesState:
    """Returns where a series stands after a game that grants so many more, as far as limits look at it."""
    left, granted, times = state
    most, again = feature.most_games, feature.most_again
    more = number if again < 0 or times < again else 0
    if most:
        more = min(more, most - granted)
    return left - 1 + more, granted + more if most else 0, times + int(more > 0) if again >= 0 else 0
