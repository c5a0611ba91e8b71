"""Exact figures of every wager under one strategy, and the decisions behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.evidence.encode import Messaged
from certify.model import (
    Award,
    Bracket,
    Decision,
    Figure,
    InPercent,
    Interval,
    Odds,
    Verdict,
    origins,
    states,
)


class Unit(StrEnum):
    """What a figure is counted in."""

    STAKES = "stakes"
    CHANCE = "chance"
    ROUNDS = "rounds"
    SQUARED = "squared stakes"


class Basis(StrEnum):
    """What a figure rests on."""

    EXACT = "exact"
    PROVEN = "proven"
    """The exact figure is proven to lie from the low end to the high end."""
    PLAYED = "played"
    """Play-through: from the low end to the high end is the interval of 99 % confidence."""


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryFigure:
    """One figure, or the interval in which it is.

    Args:
        low: The figure, or the low end.
        high: The same, or the high end.
        unit: What it is counted in.
        basis: What it rests on.
    """

    low: Fraction
    high: Fraction
    unit: Unit
    basis: Basis


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryColumn(Messaged):
    """A column of figures.

    Args:
        id: Id of the column.
        title: What is in it, in words.
    """

    id: str
    title: str


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryRow(Messaged):
    """A row of figures.

    Args:
        of: What the row is of, in words.
        figures: Figures by column; none where a column does not apply.
        detail: What shows it, such as a deal; empty for nothing.
    """

    of: str
    figures: Mapping[str, SupplementaryFigure]
    detail: str


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryTable(Messaged):
    """One table of figures.

    Args:
        id: Id of the table.
        title: What the table shows, in words.
        remark: What the figures rest on, in words; empty for nothing.
        columns: The columns.
        rows: The rows.
    """

    id: str
    title: str
    remark: str
    columns: tuple[SupplementaryColumn, ...]
    rows: tuple[SupplementaryRow, ...]


@origins()
@dataclass(frozen=True, slots=True)
class EqualBet:
    """A first decision on which two final bets are worth the same.

    Args:
        hand: What the player holds.
        dealer: What the dealer shows.
    """

    hand: str
    dealer: str


@origins()
@dataclass(frozen=True, slots=True)
class EqualBetsEnd:
    """Figures where of equal final bets always the smaller or always the larger one is placed.

    Args:
        return_on_total_wagered: Return per unit of everything staked.
        total_wagered: Expected total stake per unit of initial stake.
        variance: Variance of the net result per unit of initial stake.
        standard_deviation: Its root.
    """

    return_on_total_wagered: InPercent
    total_wagered: Fraction
    variance: Fraction
    standard_deviation: float


@origins()
@dataclass(frozen=True, slots=True)
class EqualBets(Messaged):
    """What best play leaves open about the final bet.

    Args:
        rule: Which of equal bets is placed, in words.
        pairs: The decisions that it is needed for.
        smaller: Figures with the smaller bets.
        larger: Figures with the larger ones.
        interval: Lower and higher return per unit of everything staked.
        sentence: All of it in one sentence.
    """

    rule: str
    pairs: tuple[EqualBet, ...]
    smaller: EqualBetsEnd
    larger: EqualBetsEnd
    interval: tuple[Fraction, Fraction]
    sentence: str


@origins()
@dataclass(frozen=True, slots=True)
class Edge(Messaged):
    """Who has the edge, per unit of the initial stake and of everything staked.

    Args:
        side: ``player``, ``house``, ``bank`` or ``nobody``.
        bank: What the other side is called: ``house``, or ``bank`` where a player banks.
        per_stake: Its size per unit of initial stake; where a second party decides too, the least that is proven.
        sentence: The same in one sentence.
        per_total_wagered: Its size per unit of everything staked, where the player may add to the stake.
        equal_final_bets: What best play leaves open about the final bet.
    """

    side: str
    bank: str
    per_stake: InPercent
    sentence: str
    per_total_wagered: InPercent | None = None
    equal_final_bets: EqualBets | None = None


@origins()
@dataclass(frozen=True, slots=True)
class StatedOutcome:
    """How a wager can end.

    Args:
        outcome: Id of the outcome.
        pays: What it pays; none where the stake is lost.
        net: Net result in units of the initial stake.
        probability: Exact probability.
        contribution: What it adds to the return.
        variance: Variance of the net result within it, where it is a class of rounds; its net result is then the mean.
        least: Lowest net result of such a class.
        most: Highest net result of such a class; left out where there is no end.
        near: The probability and the contribution lie between bounds; left out where they are exact.
        off: How far each of the two may be off at most; left out where they are exact.
    """

    outcome: str
    pays: Odds | None
    net: Fraction
    probability: InPercent
    contribution: Fraction
    variance: Fraction | None = None
    least: Fraction | None = None
    most: Fraction | None = None
    near: bool | None = None
    off: Mapping[str, Fraction] | None = None


@origins()
@dataclass(frozen=True, slots=True)
class NetResult:
    """A net result and how likely it is.

    Args:
        net: Net result in units of the initial stake.
        probability: Exact probability.
    """

    net: Fraction
    probability: Fraction


@origins()
@dataclass(frozen=True, slots=True)
class TopAward:
    """The award that pays most for what is staked on it.

    Args:
        outcome: The most frequent outcome that pays it.
        outcomes: All outcomes that pay it.
        pays: What it pays.
        probability: Exact probability of at least one in a round, or what it is between: at most the expected number,
            where only that is counted, as of wins that fall.
        one_in: Mean number of rounds from one such award to the next.
        expected: The exact number expected in a round, of rounds that may win it several times; of a meter that must
            hit by an amount, of wins at any amount.
    """

    outcome: str
    outcomes: tuple[str, ...]
    pays: Odds
    probability: Fraction | Interval
    one_in: Fraction
    expected: Fraction | None = None

    @property
    def lost(self) -> bool:
        """Whether even this is a lost stake, and so no award: of a strategy that always folds."""
        return self.pays == "-1 to 1"


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedFigure:
    """A printed figure, and what any play makes of it.

    Args:
        printed: The figure as printed.
        metric: What is claimed.
        source: Where it is printed.
        row: Row of the paytable that the figure is about, for the odds of a row.
        impossible: Whether no play comes to the printed figure; stated where bounds were found.
        lowest: The least that any play makes of the figure, where the claim does not hold and it was found.
        highest: The most that any play makes of it.
    """

    printed: str
    metric: str
    source: str
    row: str | None = None
    impossible: bool | None = None
    lowest: Fraction | None = None
    highest: Fraction | None = None


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim(PrintedFigure):
    """A printed figure next to the exact one of this analysis.

    Args:
        holds: Whether the exact figure prints so; none where the metric is not a return.
        status: What that is worth: satisfied, fitted to pays recovered from it, inconclusive or not satisfied; older
            evidence leaves it out where the figure does not hold.
        interval: The values that print so.
        exact: The exact figure.
        distance_to_low: From the lower end of the interval.
        distance_to_high: To its upper end.
    """

    holds: bool | None
    status: Verdict | None = None
    interval: tuple[Fraction, Fraction] | None = None
    exact: Figure | None = None
    distance_to_low: Fraction | None = None
    distance_to_high: Fraction | None = None


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far the net results of one wager lie apart.

    Args:
        variance: Variance of the net result.
        standard_deviation: Its root.
        volatility_index: Standard deviation times the normal quantile, by confidence.
        top_award: The award that pays most.
        awards: What each row wins, where one round wins many times; together they are the return.
        near: Whatever follows from more of the distribution than the return is between bounds: variance, deviation,
            frequencies, net results, what is staked. Left out where all of it is exact.
    """

    variance: Fraction
    standard_deviation: float
    volatility_index: Mapping[str, float]
    top_award: TopAward
    awards: tuple[Award, ...] | None = None
    near: bool | None = None


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigures(Spread):
    """Exact figures of one wager.

    Args:
        return_: 1 and the expected net result per unit of initial stake.
        house_edge: What the bank keeps per unit of initial stake.
        outcomes: How the wager can end.
        net: Net results, lowest first.
        hit_frequency: Probability that the round returns something.
        win_frequency: Probability that the round returns more than was staked.
        claims: Printed figures next to the exact one.
        return_on_total_wagered: Return per unit of everything staked, where the player may add to the stake.
        total_wagered: Expected total stake per unit of initial stake.
        bracket: Interval that contains the value of the game, where a second party decides too.
        net_rest: Probability of net results that are not listed, where there is no end of them.
        off: How far such figures may be off at most, by their names; left out where all of them are exact.
    """

    return_: InPercent
    house_edge: InPercent
    outcomes: tuple[StatedOutcome, ...]
    net: tuple[NetResult, ...]
    hit_frequency: InPercent | Interval
    win_frequency: InPercent | Interval
    claims: tuple[JudgedClaim, ...]
    return_on_total_wagered: InPercent | None = None
    total_wagered: Fraction | None = None
    bracket: Bracket | None = None
    net_rest: Fraction | None = None
    off: Mapping[str, Fraction] | None = None


@origins()
@dataclass(frozen=True, slots=True)
class StatedConfiguration:
    """A wagering configuration by itself; where a game has meters, each pays its seed but where they are as stated.

    Args:
        id: What it is called: the wager, or the id of the submission, after its variant where it is of one.
        kind: What it is: a wager as submitted, a variant, a bet level, a purchase, meters or a gamble.
        wager: The wager that is staked.
        price: What a round of it costs, in stakes of the wager.
        return_: What comes back of all that it costs, the least that a player may choose.
        house_edge: What the bank keeps of that.
        claims: Printed figures of it next to the exact one.
        highest_return: The highest return that a player may choose, where it is another.
        hit_frequency: How often anything comes back; left out where that was not counted.
        win_frequency: How often more comes back than it costs; likewise.
        variance: Variance of what a round of it returns, in units of its price; left out of a wager as submitted, whose
            analysis states it, and where meters are not counted.
        exposure: The most that a round of it can cost, or a bound of it, in minor units at the highest stake; left out
            where there is no end of it, and where wagers of a round are counted together alone.
        endless: Whether there is no end of what a round of it may win; left out where there is one.
    """

    id: str
    kind: str
    wager: str
    price: Fraction
    return_: InPercent
    house_edge: InPercent
    claims: tuple[JudgedClaim, ...]
    highest_return: InPercent | None = None
    hit_frequency: InPercent | Interval | None = None
    win_frequency: InPercent | Interval | None = None
    variance: Fraction | None = None
    exposure: int | None = None
    endless: bool | None = None


@origins()
@dataclass(frozen=True, slots=True)
class StatedAnalysis:
    """Exact figures of a game under one strategy.

    Args:
        game: Id of the game.
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        wagers: Figures by wager.
        decisions: Every decision that can come up.
    """

    game: str
    strategy: str
    strategy_class: str
    wagers: Mapping[str, StatedFigures]
    decisions: tuple[Decision, ...]


@origins()
@dataclass(frozen=True, slots=True)
class StrategyClass:
    """What a simpler strategy costs.

    Args:
        strategy: Name of the strategy.
        strategy_class: What it looks at.
        main_return: Return of the first wager under it.
        cost: What it costs against the best.
    """

    strategy: str
    strategy_class: str
    main_return: InPercent
    cost: InPercent


@origins()
@states("delta")
@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a return moves when one thing is otherwise and the player adapts.

    Args:
        wager: Wager whose return changes.
        subject: Row or rule that is otherwise.
        change: What is otherwise, in words.
        before: Return as submitted.
        after: Return with the change.
        same_strategy: Return with the change when the player goes on as before; none for rules.
    """

    wager: str
    subject: str
    change: str
    before: Fraction
    after: Fraction
    same_strategy: Fraction | None

    @property
    def delta(self) -> InPercent:
        """The change of the return."""
        return self.after - self.before
