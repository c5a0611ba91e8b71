"""Exact figures of a wager: outcomes, net results and what follows from them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import Final

from certify.by_key import summed
from certify.model.bounded import Bounded, Figure, Interval, ends_of, figure_between
from certify.model.form import InPercent, origins, states
from certify.model.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way a wager can end: one net result, or a class of rounds whose net result varies.

    A series of free games is such a class, and so is a band of wins that a reel game is distinguished by. Of a class,
    mean, variance and limits are exact; single results stand in the distribution of the wager, as far as it is listed.

    Args:
        id: Id of the outcome.
        pays: Net result in units of the initial stake; of a class, its exact mean.
        probability: Exact probability.
        staked: Everything staked when the wager ends so, in units of the initial stake: more than one where the
            player has added to it.
        of_row: Row of the paytable that it falls in, where outcomes of one row differ; empty for its own id.
        besides: Further rows that are paid in it.
        variance: Variance of the net result within a class; nothing for an outcome of one net result.
        least: Lowest net result of a class; of no more than the stake lost where left out.
        most: Highest net result of a class; without an end where left out.
        off: How far its probability may be off at most, and that of any such outcomes of the wager together; sum and
            mean of the wager's outcomes are exact all the same.

    Raises:
        ValueError: The mean of a class does not lie within its limits, or its variance is below nothing.

    >>> Outcome("free-games", Fraction(24), Fraction(1, 150), variance=Fraction(900), least=Fraction(1)).highest
    >>> Outcome("three-bars", Fraction(9), Fraction(1, 500)).highest
    Fraction(9, 1)
    """

    id: str
    pays: Fraction
    probability: Fraction
    staked: Fraction = Fraction(1)
    of_row: str = ""
    besides: tuple[str, ...] = ()
    variance: Fraction = Fraction(0)
    least: Fraction | None = None
    most: Fraction | None = None
    off: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        """Leaves the row empty where it is the outcome itself, so that equal outcomes are equal."""
        if self.of_row == self.id:
            object.__setattr__(self, "of_row", "")
        if self.variance == 0:
            # One net result has no limits next to itself.
            object.__setattr__(self, "least", None)
            object.__setattr__(self, "most", None)
        if self.variance < 0:
            raise ValueError(f"the variance within {self.id} is {self.variance}, expected 0 or more")
        if not self.lowest <= self.pays or (self.highest is not None and self.pays > self.highest):
            raise ValueError(
                f"{self.id} pays {self.pays} on average, outside of {self.lowest} to {self.highest}"
            )

    @property
    def near(self) -> bool:
        """Whether its probability is known between two bounds alone."""
        return self.off > 0

    @property
    def varies(self) -> bool:
        """Whether it is a class of rounds whose net results differ."""
        return self.variance > 0

    @property
    def lowest(self) -> Fraction:
        """The least that a round of it can come to, net."""
        if not self.varies:
            return self.pays
        return -self.staked if self.least is None else self.least

    @property
    def highest(self) -> Fraction | None:
        """The most that a round of it can come to, net; None where there is no end."""
        return self.most if self.varies else self.pays

    @property
    def row(self) -> str:
        """The row of the paytable that the outcome falls in."""
        return self.of_row or self.id

    @property
    def returned(self) -> Fraction:
        """What comes back, stake included, in units of the initial stake: nothing where all is lost; a class's mean."""
        return self.staked + self.pays


@origins()
@states("one_in")
@dataclass(frozen=True, slots=True)
class Award:
    """What a row of the paytable wins: in one round as it was played, or in a round on average.

    Args:
        row: Row of the paytable, or of a feature, that wins.
        times: How often; of figures, the exact expected number of times in a round.
        contribution: What comes back by it, in units of the initial stake, all its times together; of figures, the
            exact expected amount, which is what it adds to the return. Below nothing only for what a limit on the win
            takes away.
        part: Part of the game in which it wins, such as ``base`` or ``free-games``; empty where there are no parts.
    """

    row: str
    times: Fraction
    contribution: InPercent
    part: str = ""

    @property
    def one_in(self) -> Fraction | None:
        """Mean number of rounds from one to the next; none where it never wins."""
        return 1 / self.times if self.times else None


@dataclass(frozen=True, slots=True)
class Distribution:
    """The net results of a wager one by one, to a depth where there is no end of them.

    Args:
        listed: Net results per unit staked with their exact probabilities, lowest first, each once.
        rest: Probability of all that is not listed, at most what a reader may leave out; nothing where all is listed.

    Raises:
        ValueError: Results are not in rising order, or do not make one together with the rest.
    """

    listed: tuple[tuple[Fraction, Fraction], ...]
    rest: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        """Refuses what is no distribution."""
        if any(one >= other for (one, _), (other, _) in pairwise(self.listed)):
            raise ValueError("net results are listed twice or not in rising order")
        total = sum((chance for _, chance in self.listed), self.rest)
        if total != 1 or self.rest < 0:
            raise ValueError(
                f"listed net results and the rest {self.rest} sum to {total}, expected exactly 1"
            )

    @property
    def complete(self) -> bool:
        """Whether every net result is listed."""
        return self.rest == 0


@origins()
@states("width")
@dataclass(frozen=True, slots=True)
class Bracket:
    """An interval that contains the value of a game of two parties, proven by both of their best answers.

    Args:
        lower: Return, or net result, that the player's strategy guarantees, whatever the other does.
        upper: The same that the other's strategy does not let the player exceed.
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        """Refuses a bracket that no pair of strategies can have."""
        if self.lower > self.upper:
            raise ValueError(f"the bracket is empty: {self.lower} is above {self.upper}")

    @property
    def width(self) -> Fraction:
        """How far the ends lie apart."""
        return self.upper - self.lower


@dataclass(frozen=True, slots=True)
class AdvertisedAward:
    """The highest single award that the paytable or a feature states, and how often it is won.

    Args:
        rows: Rows of the paytable, or features, that pay it; the most frequent first.
        amount: What is paid, in units of the initial stake.
        times: The exact expected number of times in a round, features included; of a meter that must hit by an amount,
            of wins at any amount.
        chance: How often a round wins it at least once; none where only that number is counted.
        least: A chance of that which is proven, however much greater it is: what is left where none is counted.

    Source: GLI-19 v3.0, 4.7.3.
    """

    rows: tuple[str, ...]
    amount: Fraction
    times: Fraction
    chance: Figure | None = None
    least: Fraction = Fraction(0)

    @property
    def chances(self) -> tuple[Fraction, Fraction]:
        """Between which chances a round wins it; the expected number of times is at least that it comes at all."""
        return (self.least, min(self.times, Fraction(1))) if self.chance is None else ends_of(self.chance)


@dataclass(frozen=True, slots=True)
class RoundOdds:
    """What is exact of rounds whose outcomes are classes, next to those: what a source may print odds of.

    Args:
        hits: Chance that anything comes back.
        kept: Chance that no money is lost: at least the stake comes back.
        wins: Chance that more comes back than was staked.
        named: Odds by name, such as those that a feature begins, or that a round wins at least so much.
        highest: The highest net result of a round; none where there is no end of it.
        highest_chance: The chance of it.
        top: The highest single award that is advertised, which may be one of several in such a round.
    """

    hits: Figure
    kept: Figure
    wins: Figure
    named: tuple[tuple[str, Fraction], ...] = ()
    highest: Fraction | None = None
    highest_chance: Fraction = Fraction(0)
    top: AdvertisedAward | None = None


@dataclass(frozen=True, slots=True)
class WagerFigures(Bounded):
    """The exact distribution of one wager under one strategy.

    Args:
        wager: Id of the wager.
        outcomes: All outcomes, losing ones included; probabilities sum to exactly one.
        total_wagered: Expected total stake per unit of initial stake where the player may add to it, else None.
        bracket: What two strategies that are as good as each other secure, where a second party decides too: the least
            return that the player's guarantees, and the highest that the other's lets come. Both are exact.
        awards: Rows that win, where one round wins many times: together they are the return. Empty where every outcome
            is its own one award.
        distribution: Single net results, where outcomes are classes of rounds; the outcomes themselves where left out.
        odds: What is exact of such rounds next to their classes.
    """

    wager: str
    outcomes: tuple[Outcome, ...]
    total_wagered: Fraction | None = None
    bracket: Bracket | None = None
    awards: tuple[Award, ...] = ()
    distribution: Distribution | None = None
    odds: RoundOdds | None = None

    def __post_init__(self) -> None:
        """Refuses a distribution whose probabilities, or awards that together with them, do not add up exactly."""
        total = sum((outcome.probability for outcome in self.outcomes), Fraction(0))
        if total != 1:
            raise ValueError(f"probabilities of {self.wager} sum to {total}, expected exactly 1")
        won = sum((award.contribution for award in self.awards), Fraction(0))
        if self.awards and won != self.return_to_player:
            raise ValueError(
                f"awards of {self.wager} come to {won} together, expected its return of {self.return_to_player}"
            )
        self._verify_distribution()
        if self.bracket is not None and not self.bracket.lower <= self.return_to_player <= self.bracket.upper:
            raise ValueError(
                f"the return of {self.wager} is outside of what its strategies secure: {self.bracket}"
            )

    def _verify_distribution(self) -> None:
        """Refuses single results that are not those of the outcomes: one by one what the classes say together."""
        if self.distribution is None or not self.distribution.complete:
            return
        mean = sum((net * chance for net, chance in self.distribution.listed), Fraction(0))
        second = sum((net**2 * chance for net, chance in self.distribution.listed), Fraction(0))
        if (mean, second - mean**2) != (self.expectation, self.variance):
            raise ValueError(
                f"net results of {self.wager} have mean {mean} and variance {second - mean**2}, expected those of "
                f"its outcomes, {self.expectation} and {self.variance}"
            )

    @property
    def varies(self) -> bool:
        """Whether an outcome is a class of rounds whose net results differ."""
        return any(outcome.varies for outcome in self.outcomes)

    @property
    def near(self) -> bool:
        """Whether its distribution, and all that follows from more of it than the mean, is known between bounds."""
        return self.off > 0

    @property
    def top(self) -> AdvertisedAward | None:
        """The highest single award that is advertised, where one round wins many times."""
        return None if self.odds is None else self.odds.top

    @property
    def net(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Net results per unit staked with their probabilities, lowest first: as far as listed where they have no end.

        Raises:
            ValueError: Outcomes are classes of rounds, and single results are not listed.
        """
        if self.varies and self.distribution is None:
            raise ValueError(f"single net results of {self.wager} are not listed")
        return self.listed

    @property
    def all_listed(self) -> bool:
        """Whether every single net result is known with its probability."""
        return not self.varies if self.distribution is None else self.distribution.complete

    @property
    def listed(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Single net results with their probabilities as far as they are known, lowest first; none of classes alone."""
        if self.distribution is not None:
            return self.distribution.listed
        if self.varies:
            return ()
        merged = summed((outcome.pays, outcome.probability) for outcome in self.outcomes)
        return tuple(sorted(merged.items()))

    @property
    def expectation(self) -> Fraction:
        """Expected net result per unit staked."""
        return sum((outcome.pays * outcome.probability for outcome in self.outcomes), Fraction(0))

    @property
    def return_to_player(self) -> Fraction:
        """Theoretical return to player, one plus the expected net result."""
        return 1 + self.expectation

    @property
    def proven(self) -> Bracket:
        """What is proven of the return where everybody who decides plays best: the bracket, or the one exact return."""
        return self.bracket or Bracket(self.return_to_player, self.return_to_player)

    @property
    def return_on_total_wagered(self) -> Fraction | None:
        """Return per unit of everything staked, None where the player cannot add to the initial stake."""
        return None if self.total_wagered is None else 1 + self.expectation / self.total_wagered

    @property
    def house_edge(self) -> Fraction:
        """House edge, the expected loss per unit staked."""
        return -self.expectation

    @property
    def hit_frequency(self) -> Figure:
        """Probability that anything comes back, be it a stake that is pushed, or a part of what was staked."""
        if self.odds is not None:
            return self.odds.hits
        return self._chance(lambda net, staked: net > -staked)

    def odds_of(self, name: str) -> Fraction:
        """Returns the chance of what a source names: a feature, a row of the paytable, or its expected times a round.

        Args:
            name: A name of the odds of rounds, else a row of outcomes, else a row that a round can win many times, as
                ``PART/ROW`` in one part of the game alone.

        >>> even = Outcome("win", Fraction(1), Fraction(18, 37)), Outcome("lose", Fraction(-1), Fraction(19, 37))
        >>> WagerFigures("even", even).odds_of("win")
        Fraction(18, 37)
        """
        named = dict(self.odds.named) if self.odds is not None else {}
        if name in named:
            return named[name]
        rows = [one.probability for one in self.outcomes if name in (one.row, *one.besides)]
        part, _, row = name.rpartition("/")
        times = [one.times for one in self.awards if one.row == row and part in ("", one.part)]
        return sum(rows or times, Fraction(0))

    @property
    def endless(self) -> bool:
        """Whether there is no end of what a round may win, as where each free game may grant further ones.

        >>> even = Outcome("win", Fraction(1), Fraction(18, 37)), Outcome("lose", Fraction(-1), Fraction(19, 37))
        >>> WagerFigures("even", even).endless
        False
        """
        return self.odds is not None and self.odds.highest is None

    @property
    def highest_results(self) -> list[tuple[Fraction, Fraction]]:
        """Results, each (net, staked), among which is the highest: of classes of rounds the highest one alone.

        Raises:
            ValueError: There is no end of what a round may win.
        """
        if self.endless:
            raise ValueError(f"there is no end of what a round of {self.wager} may win")
        if self.odds is not None and self.odds.highest is not None:
            return [(self.odds.highest, Fraction(1))]
        return [(one.pays, one.staked) for one in self.outcomes if one.probability]

    @property
    def odds_of_highest(self) -> Fraction:
        """Chance of the highest net result for each unit staked.

        >>> even = Outcome("win", Fraction(1), Fraction(18, 37)), Outcome("lose", Fraction(-1), Fraction(19, 37))
        >>> WagerFigures("even", even).odds_of_highest
        Fraction(18, 37)
        """
        if self.odds is not None:
            return self.odds.highest_chance
        highest = max(net / staked for net, staked in self.highest_results)
        ends = (one for one in self.outcomes if one.probability and one.pays / one.staked == highest)
        return sum((one.probability for one in ends), Fraction(0))

    @property
    def win_frequency(self) -> Figure:
        """Probability of a net win."""
        return self._chance(lambda net, _: net > 0) if self.odds is None else self.odds.wins

    @property
    def loss_frequency(self) -> Figure:
        """Probability that a round loses money: less comes back than was staked."""
        kept = self._chance(lambda net, _: net >= 0) if self.odds is None else self.odds.kept
        if isinstance(kept, Interval):
            return Interval(1 - kept.upper, 1 - kept.lower, kept.method)
        return 1 - kept

    def _chance(self, reaches: Callable[[Fraction, Fraction], bool]) -> Figure:
        """Returns how often a round reaches so much: between two ends where a class holds rounds of either kind.

        Args:
            reaches: Tells it of a net result and what was staked; what reaches it does so with any higher result.
        """
        ends = [(one.lowest, one.highest, one.staked, one.probability) for one in self.outcomes]
        always = sum((much for low, _, by, much in ends if reaches(low, by)), Fraction(0))
        never = (much for _, high, by, much in ends if high is not None and not reaches(high, by))
        listed = () if self.distribution is None else self.distribution.listed
        more = sum((much for net, much in listed if reaches(net, Fraction(1))), Fraction(0))
        less = sum((much for net, much in listed if not reaches(net, Fraction(1))), Fraction(0))
        return figure_between(
            max(always, more), 1 - max(sum(never, Fraction(0)), less), "limits of each class of rounds"
        )

    @property
    def variance(self) -> Fraction:
        """Variance of the net result per unit staked, that within classes of rounds included."""
        second = sum(((one.pays**2 + one.variance) * one.probability for one in self.outcomes), Fraction(0))
        return second - self.expectation**2

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the net result per unit staked."""
        return math.sqrt(self.variance)

    def volatility_index(self, z: float) -> float:
        """Returns z times the standard deviation, the volatility index at the confidence of z."""
        return z * self.standard_deviation


def optimal_play(by_strategy: Mapping[str, WagerFigures]) -> str:
    """Returns the strategy whose figures of a wager are those of the optimal method of play, the first of equals.

    It is the one under which the wager returns most. Where a second party decides too, the largest return is that of a
    good player against a bad opponent: there it is the pair whose bracket is proven, the narrowest of several.

    Args:
        by_strategy: Figures of one wager by strategy.

    Source: GLI-19 v3.0 4.7.1(b).
    """
    widths = {name: one.bracket.width for name, one in by_strategy.items() if one.bracket is not None}
    if widths:
        return min(widths, key=widths.__getitem__)
    return max(by_strategy, key=lambda name: by_strategy[name].return_to_player)


@origins()
@states("reachable", "costs", "cost_of_deviation")
@dataclass(frozen=True, slots=True)
class Decision:
    """The best decision for one hand, with the exact value of each decision.

    Args:
        hand: Hand as a player names it, such as ``4`` or ``A+3``.
        composition: Cards of the hand counted by class (see certify.families.seven_and_a_half.cards.CLASSES).
        dealer: Dealer's shown card where the game shows one.
        best: ``hit``, ``stand`` or ``draw`` (forced).
        values: Expected net result of the deciding stake for each decision that is allowed.
        chosen: What the analysed strategy does, in the same words.
        probability: How often a round comes to this hand under the analysed strategy; 0 where it never does.
        first: Rank of the first card where the decision looks at it, else none.
    """

    hand: str
    composition: tuple[int, ...]
    dealer: str | None
    best: str
    values: Mapping[str, Fraction]
    chosen: str = ""
    probability: Fraction = Fraction(0)
    # The evidence states that none is looked at: what is None by default it would leave out.
    first: str | None = field(default_factory=lambda: None)

    @property
    def reachable(self) -> bool:
        """Whether the analysed strategy ever comes to this hand."""
        return self.probability > 0

    @property
    def costs(self) -> Mapping[str, Fraction]:
        """What each decision costs against the best one."""
        return costs(self.values)

    @property
    def cost_of_deviation(self) -> Fraction:
        """What the worse decision costs against the better one, 0 where the rules leave no choice."""
        return max(self.values.values()) - min(self.values.values())


@dataclass(frozen=True, slots=True)
class Joint:
    """The joint distribution of all wagers of one round under one strategy.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        wagers: Ids of the wagers, in the order in which outcomes are listed.
        probabilities: Exact probability of each joint outcome; they sum to exactly one.
    """

    strategy: str
    strategy_class: str
    wagers: tuple[str, ...]
    probabilities: Mapping[tuple[str, ...], Fraction]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Exact figures of all wagers under one strategy."""

    game: str
    strategy: Strategy
    wagers: tuple[WagerFigures, ...]
    decisions: tuple[Decision, ...]

    def wager(self, wager_id: str) -> WagerFigures:
        """Returns the figures of a wager.

        Raises:
            KeyError: The wager was not analysed.
        """
        for figures in self.wagers:
            if figures.wager == wager_id:
                return figures
        raise KeyError(wager_id)


def joint_of_one_wager(analysis: Analysis) -> Joint:
    """Returns the joint distribution of a game with one wager: that of its outcomes.

    Args:
        analysis: Exact figures of the one wager.
    """
    (figures,) = analysis.wagers
    chances: dict[tuple[str, ...], Fraction] = {
        (outcome.id,): outcome.probability for outcome in figures.outcomes
    }
    return Joint(analysis.strategy.name, analysis.strategy.strategy_class, (figures.wager,), chances)


def costs(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Returns what each decision costs against the best one, in units of the deciding stake.

    >>> costs({"stand": Fraction(-1, 4), "hit": Fraction(-1, 5)})
    {'stand': Fraction(1, 20), 'hit': Fraction(0, 1)}
    """
    best = max(values.values())
    return {choice: best - value for choice, value in values.items()}


VOLATILITY_Z: Final = tuple(
    (f"{level} %", NormalDist().inv_cdf((100 + level) / 200)) for level in (90, 95, 99)
)
"""Confidence levels of the volatility index with their exact quantiles of the normal distribution, both sides together.

58 Pa. Code 461b.1 practice rounds that of 95 % to 1.96, PAR sheets that of 90 % to 1.65.
"""
