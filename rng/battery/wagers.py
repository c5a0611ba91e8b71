"""What rounds come to, against their law: from one round to the next, over time, and by table and hour."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np

from rng.array_types import Counts, Floats
from rng.battery import dispersion
from rng.battery.cell_sums import two_sided, worst
from rng.battery.dispersion import STRETCHES, trend_p
from rng.battery.goodness import describe_fullest
from rng.battery.projections import after
from rng.battery.result import NotRun, TestResult

SUITE: Final = "wagers"
BETWEEN, OVER_TIME, BY_ORIGIN = "between-rounds", "over-time", "by-origin"
LAGS: Final = (1, 2, 3)
# The sample is halved so many times, and each part is looked at by itself: what runs hot or cold for a while.
HALVINGS: Final = 8
LEAST_ROUNDS: Final = 2 * STRETCHES
# Outcomes in all up to which each wager is held against every other one; of more, each against itself alone.
MOST_BESIDE: Final = 24

# What is known of each round, such as its table: a number for each round, and what the numbers mean.
Groups = Mapping[str, tuple[Counts, Sequence[str]]]


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """What each round came to in one respect, with its exact law.

    Args:
        name: What is looked at, such as a wager.
        outcomes: What it may come to.
        law: Exact probability of each.
        seen: What each round came to, as a number in that order.
    """

    name: str
    outcomes: tuple[str, ...]
    law: tuple[Fraction, ...]
    seen: Counts

    @property
    def chances(self) -> Floats:
        """The law in numbers of a machine."""
        return np.array([float(chance) for chance in self.law])

    @property
    def uncertain(self) -> tuple[int, ...]:
        """Numbers of those that neither always come nor never."""
        return tuple(number for number, chance in enumerate(self.law) if 0 < chance < 1)


def extremes(counts: Counts, trials: Counts, chance: float) -> tuple[float, int]:
    """Two-sided p-value of the unlikeliest of many counts, corrected for their number, and its place.

    Example:
        >>> extremes(np.array([5, 50]), np.array([100, 100]), 0.05)[1]
        1
    """
    place, p_value = worst(two_sided(counts, trials, np.array(chance)), range(counts.size))
    return p_value, place


def between_rounds(projections: Sequence[Projection]) -> TestResult | NotRun:
    """Outcomes after outcomes: each one after every outcome of one, two and three rounds before.

    Source: Doob, Stochastic Processes (1953), III.5; binomial, exact.
    """
    size = projections[0].seen.size
    if size < LEAST_ROUNDS:
        return _few(BETWEEN, size)
    beside = sum(len(one.uncertain) for one in projections) <= MOST_BESIDE
    pairs = product(projections, repeat=2) if beside else zip(projections, projections, strict=True)
    found: dict[str, float] = {}
    for (before, now), lag in product(pairs, LAGS):
        p_value, context, at = after(before.seen, before.chances, now.seen, now.chances, lag)
        label = f"{now.name} {now.outcomes[at]}, {lag} after {before.name} {before.outcomes[context]}"
        found[label] = p_value
    return _result(
        BETWEEN,
        found,
        size,
        null="of each condition so many first cases as its probability plans; binomial, exact; corrected for cells",
        detectable="an outcome left out after another one, once it is due some thirty times",
    )


def over_time(projections: Sequence[Projection]) -> TestResult | NotRun:
    """Outcomes over time: each one's trend, its count in each half, quarter and so on, and how evenly it comes.

    A game that makes up for what it paid comes near its return sooner than chance does.

    Source: GLI-19 v3.0, 3.2.2; Cochran, Biometrics 10 (1954), 417-451 (trend); binomial, exact (parts); Fisher,
    Statistical Methods for Research Workers (1925), section 16 (evenness).
    """
    size = projections[0].seen.size
    if size < LEAST_ROUNDS:
        return _few(OVER_TIME, size)
    edges = np.arange(STRETCHES + 1) * size // STRETCHES
    sizes = np.diff(edges).astype(np.float64)
    parts = [np.arange((1 << k) + 1) * size // (1 << k) for k in range(1, HALVINGS + 1)]
    lengths = np.concatenate([np.diff(part) for part in parts])
    found: dict[str, float] = {}
    for one in projections:
        for number in one.uncertain:
            chance, what = float(one.law[number]), f"{one.name} {one.outcomes[number]}"
            came = np.concatenate(([0], np.cumsum(one.seen == number)))
            found[f"trend of {what}"] = trend_p(np.diff(came[edges]), sizes, chance)
            counts = np.concatenate([np.diff(came[part]) for part in parts])
            p_value, _ = extremes(counts[lengths > 0], lengths[lengths > 0], chance)
            found[f"parts of the sample, {what}"] = p_value
            found[f"blocks of every size, {what}"] = dispersion.classes_p(
                (one.seen == number).astype(np.int64), (1 - chance, chance)
            )
    commonest = max(float(one.law[number]) for one in projections for number in one.uncertain)
    return _result(
        OVER_TIME,
        found,
        size,
        null="linear score, evenness by Chernoff's bound on exact moments; counts in parts binomial, exact, corrected",
        detectable=describe_fullest(
            size // 2, commonest, lengths.size, "rounds with one outcome in half the sample"
        ),
    )


def by_origin(projections: Sequence[Projection], groups: Groups) -> TestResult | NotRun:
    """Outcomes by table, hour and day: each counted where and when it was dealt, against the one law of all.

    Source: 25 CFR 547.14(b)(1); binomial, exact.
    """
    size = projections[0].seen.size
    found: dict[str, float] = {}
    for kind, (numbers, names) in groups.items():
        trials = np.bincount(numbers, minlength=len(names))
        met = np.flatnonzero(trials)
        for one in projections:
            for number in one.uncertain:
                counts = np.bincount(numbers[one.seen == number], minlength=len(names))
                p_value, place = extremes(counts[met], trials[met], float(one.law[number]))
                found[f"{one.name} {one.outcomes[number]} by {kind}, most unlike {names[met[place]]}"] = (
                    p_value
                )
    if not found:
        return NotRun(SUITE, BY_ORIGIN, "neither table nor time is known of the rounds")
    return _result(
        BY_ORIGIN,
        found,
        size,
        null="binomial with the exact probability of the outcome, corrected for all tables or hours",
        detectable="an outcome that comes more or less often at one table than its law has it",
    )


def run(projections: Sequence[Projection], groups: Groups | None = None) -> Iterator[TestResult | NotRun]:
    """Yields the tests of what rounds came to.

    Args:
        projections: What they came to, all of the same rounds in the order drawn; those that are certain are left out.
        groups: What is known of where and when each round was dealt.
    """
    uncertain = [one for one in projections if one.uncertain]
    if uncertain:
        yield between_rounds(uncertain)
        yield over_time(uncertain)
        if groups:
            yield by_origin(uncertain, groups)


def _few(test: str, size: int) -> NotRun:
    return NotRun(SUITE, test, f"{size} rounds, at least {LEAST_ROUNDS} are needed", LEAST_ROUNDS)


def _result(test: str, found: dict[str, float], size: int, *, null: str, detectable: str) -> TestResult:
    return TestResult.of(
        found,
        null=null,
        detectable=detectable,
    ).run_as(SUITE, test, size)
