"""Features as branching: exact mean and variance of everything that a spin leads to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Generic

from certify.by_key import gathered, summed
from certify.errors import InputError, T
from certify.families.slot.exact.prizes import PrizeLaw, prize_law
from certify.families.slot.exact.spin import SpinLaw, Starts, spin_law
from certify.families.slot.rules import BonusPrizes, FreeGames, SlotRules, SpinKind, unit_in

Moments = tuple[Fraction, Fraction]
"""Mean and variance, in coins."""

SeriesState = tuple[int, int, int]
"""The state of a series with a limit: games left, games granted, times that games were granted again."""

MOST_STATES: Final = 200_000
"""Ways in which a series with a limit may stand, at most."""


def is_limited(feature: FreeGames) -> bool:
    """Returns whether a series has a limit next to its chances."""
    return bool(feature.most_games) or feature.most_again >= 0


def own_series(rules: SlotRules, stage: SpinKind) -> int | None:
    """Returns the place of the feature whose series a stage plays; none for the base game."""
    return next((n for n, one in enumerate(rules.free_games) if stage.id in dict(one.stages)), None)


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

    nothing: T
    """What comes to nothing, for certain."""

    def __init__(self, rules: SlotRules) -> None:
        self.rules = rules
        self._stages: dict[str, dict[int, T]] = {}
        self._endless: dict[str, T] = {}

    @abstractmethod
    def wins(self, law: SpinLaw, wins: Mapping[int, int]) -> T:
        """Returns the part of a spin's law that wins of given weights are."""

    @abstractmethod
    def prizes(self, law: PrizeLaw, unit: int) -> T:
        """Returns the law of one bonus, of which a prize of one is so many coins."""

    @abstractmethod
    def both(self, one: T, other: T) -> T:
        """Returns the law of a part, and of what it starts, together."""

    @abstractmethod
    def power(self, one: T, times: int) -> T:
        """Returns the law of so many of one kind together."""

    @abstractmethod
    def mixed(self, parts: Sequence[tuple[Fraction, T]]) -> T:
        """Returns the law of what comes to one of several, each with its chance."""

    @abstractmethod
    def either(self, parts: Iterable[T]) -> T:
        """Returns parts that exclude each other as one."""

    @abstractmethod
    def endless(self, feature: FreeGames, stage: SpinKind, parts: Mapping[int, T]) -> T:
        """Returns the law of a game of a series without a limit, with all games that it leads to."""

    def by_starts(self, stage: SpinKind, own: int | None = None) -> dict[Starts, T]:
        """Returns the law of a spin with all that it starts but its own series, by what it starts."""
        law, found = spin_law(self.rules, stage.id), {}
        for starts, wins in law.wins.items():
            part = self.wins(law, wins)
            for place, times in enumerate(starts):
                if times and place != own:
                    part = self.both(part, self.started(stage, place, times))
            found[starts] = part
        return found

    def by_number(self, stage: SpinKind) -> dict[int, T]:
        """Returns the law of a game and what it starts, by the games that it adds to its own series."""
        if stage.id not in self._stages:
            own = own_series(self.rules, stage)
            by_starts = self.by_starts(stage, own).items()
            parts = gathered((0 if own is None else starts[own], part) for starts, part in by_starts)
            self._stages[stage.id] = {number: self.either(some) for number, some in parts.items()}
        return self._stages[stage.id]

    def started(self, stage: SpinKind, place: int, times: int) -> T:
        """Returns the law of what so many starts of a feature lead to."""
        feature = self.rules.features[place]
        if isinstance(feature, BonusPrizes):
            several, held = feature.begun(times)
            unit = unit_in(self.rules, feature, stage)
            return self.power(self.prizes(prize_law(feature, held), unit), several)
        return self.mixed(
            [(chance, self.series(feature, self.rules.stage(name), times)) for name, chance in feature.stages]
        )

    def series(self, feature: FreeGames, stage: SpinKind, games: int) -> T:
        """Returns the law of a series that begins with so many games in a stage."""
        parts = self.by_number(stage)
        if not any(parts):
            return self.power(parts[0], min(games, feature.most_games or games))
        if is_limited(feature):
            return over_series(feature, games, parts, self.nothing, lambda after: self.game(parts, after))
        if stage.id not in self._endless:
            self._endless[stage.id] = self.endless(feature, stage, parts)
        return self.power(self._endless[stage.id], games)

    def game(self, parts: Mapping[int, T], after: Mapping[int, T]) -> T:
        """Returns the law of a game with what follows it, by the games that it grants."""
        return self.either(self.both(part, after[number]) for number, part in parts.items())


Sums = tuple[Fraction, Fraction, Fraction]
"""Chance, and mean and second moment on it, in coins."""


class Branching(OverFeatures[Sums]):
    """Mean and variance of spins and of all that they start."""

    nothing = (Fraction(1), Fraction(0), Fraction(0))

    def wins(self, law: SpinLaw, wins: Mapping[int, int]) -> Sums:
        """Returns the sums over wins of given weights."""
        return law.sums(wins)

    def prizes(self, law: PrizeLaw, unit: int) -> Sums:
        """Returns the sums of one bonus."""
        return Fraction(1), unit * law.moment(1), unit**2 * law.moment(2)

    def both(self, one: Sums, other: Sums) -> Sums:
        """Returns the sums of two that are independent, together."""
        (p, a, b), (q, c, d) = one, other
        return p * q, a * q + p * c, b * q + 2 * a * c + p * d

    def power(self, one: Sums, times: int) -> Sums:
        """Returns the sums of so many of one kind together."""
        mean, variance = _moments(one)
        return Fraction(1), times * mean, times * variance + (times * mean) ** 2

    def mixed(self, parts: Sequence[tuple[Fraction, Sums]]) -> Sums:
        """Returns the sums of what comes to one of several."""
        return self.either((chance * p, chance * a, chance * b) for chance, (p, a, b) in parts)

    def either(self, parts: Iterable[Sums]) -> Sums:
        """Returns the sums of parts that exclude each other."""
        p, a, b = (sum(some, Fraction(0)) for some in zip(*parts, strict=True))
        return p, a, b

    def endless(self, feature: FreeGames, stage: SpinKind, parts: Mapping[int, Sums]) -> Sums:
        """Solves V = W + the sum of N further games of the same kind.

        E V = E W / (1 - E N), and Var V follows from E V² = E W² + 2 E(W N) E V + E N² (E V)² + E N Var V.

        Raises:
            InputError: The series is expected never to end.
        """
        _, mean, second = self.either(parts.values())
        more = sum((number * p for number, (p, _, _) in parts.items()), Fraction(0))
        if more >= 1:
            raise InputError(
                f"a spin of {stage.id!r} adds {float(more):.4f} games to its own series: it would never end"
            )
        value = mean / (1 - more)
        cross = sum((number * a for number, (_, a, _) in parts.items()), Fraction(0))
        squares = sum((number * number * p for number, (p, _, _) in parts.items()), Fraction(0))
        # The variance is that of the win with its games, and of the games' own.
        whole = second + 2 * cross * value + squares * value * value - value * value
        return Fraction(1), value, whole / (1 - more) + value * value

    def spin(self, stage: SpinKind) -> Moments:
        """Returns mean and variance of a spin with all that it starts."""
        return _moments(self.either(self.by_starts(stage).values()))

    def feature(self, stage: SpinKind, place: int, starts: int) -> Moments:
        """Returns mean and variance of what so many starts of a feature lead to from a stage."""
        return _moments(self.started(stage, place, starts))


def _moments(one: Sums) -> Moments:
    return one[1], one[2] - one[1] ** 2


@lru_cache(maxsize=64)
def branching(rules: SlotRules) -> Branching:
    """Returns what counts mean and variance of spins with all that they start."""
    return Branching(rules)


def expected_games(rules: SlotRules, feature: FreeGames, stage_id: str, games: int) -> Fraction:
    """Returns how many games a series comes to on average that begins with so many."""
    own = rules.free_games.index(feature)
    moments = spin_law(rules, stage_id).moments()
    parts = summed((starts[own], chance) for starts, (chance, _, _) in moments.items())
    if not is_limited(feature):
        return games / (1 - sum((number * chance for number, chance in parts.items()), Fraction(0)))

    def game(after: Mapping[int, Fraction]) -> Fraction:
        return 1 + sum((chance * after[number] for number, chance in parts.items()), Fraction(0))

    return over_series(feature, games, parts, Fraction(0), game)


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
                f"the series {feature.id!r} may be in more than {MOST_STATES:,} ways: too many to count"
            )
    # Later games first: each state leads to fewer games left, or to more games granted.
    return first, sorted(met, key=lambda one: (-one[2], -one[1], one[0]))


def after_game(feature: FreeGames, state: SeriesState, number: int) -> SeriesState:
    """Returns the state of a series after a game that grants so many more, as far as limits look at it."""
    left, granted, times = state
    most, again = feature.most_games, feature.most_again
    more = number if again < 0 or times < again else 0
    if most:
        more = min(more, most - granted)
    return left - 1 + more, granted + more if most else 0, times + int(more > 0) if again >= 0 else 0
