"""One decision from many tests: family-wise error controlled, nothing retried, each test with its weight.

How the error of a verdict is divided: twice as much for a test that finds what all others miss.

The table of ``docs/methods/power.md`` says which these are, over all planted faults; a test holds the two together.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError

# Far out in its tail the chi-square of the uniformity counts too many rejections over fewer sequences: at 1.8e-5,
# where Holm's procedure reads it, 2.2 times as many over 55 and 1.3 times over 200. Below this number it is shown and
# decides nothing.
UNIFORMITY_DECIDES: Final = 500


def family_of_column(
    label: str, size: int, smallest: float, proportion: float, uniformity: float | None
) -> dict[str, float]:
    """Returns what one p-value of a test becomes over many sequences, by label.

    The smallest over the sequences, corrected for their number (Bonferroni), the proportion of sequences that pass
    (exact binomial), and, over enough sequences, the uniformity (NIST SP 800-22 Rev. 1a, 4.2).

    >>> family_of_column("template 1", 100, 0.002, 0.7, 0.4)
    {'template 1 smallest of 100': 0.2, 'template 1 proportion': 0.7}
    """
    found = {f"smallest of {size}": min(1.0, size * smallest), "proportion": min(1.0, proportion)}
    if uniformity is not None and size >= UNIFORMITY_DECIDES:
        found["uniformity"] = uniformity
    return {f"{label} {name}".strip(): p_value for name, p_value in found.items()}


ALONE: Final = frozenset(
    {
        *(f"balls {test}" for test in ("common-with-last", "compositions", "due-balls", "known-generators")),
        *(
            f"cards {test}"
            for test in (
                "after-hands",
                "alike-apart",
                "dealt-triples",
                "descents",
                "disguised-copies",
                "dispersion",
                "fisher-yates-draws",
                "fullest-cell",
                "hand-compositions",
                "known-generators",
                "lagged-places",
                "matches-next-deck",
                "position-pairs",
                "rising-sequences",
                "scaling",
                "signs-between-rounds",
                "since-last-deck",
                "unshuffled-deck",
            )
        ),
        *(
            f"rows {test}"
            for test in ("column-matches", "column-triples", "columns-alike", "known-lags", "lagged-sums")
        ),
        *(
            f"sequences {test}"
            for test in (
                "adjacency",
                "after-streaks",
                "congruential",
                "dispersion",
                "due-numbers",
                "duplicates",
                "fullest-cell",
                "known-lags",
                "lagged-sums",
                "linear-complexity",
                "linear-halves",
                "power-of-two-lags",
                "seeds",
                "serial-dimensions",
                "subsequences",
            )
        ),
        *(
            f"whole-stream {test}"
            for test in (
                "autocorrelation",
                "long-linear-complexity",
                "longest-repeat",
                "longest-run-of-all",
                "periodogram",
                "word-lanes",
                "word-parity",
                "word-relations",
                "word-repetitions",
            )
        ),
    }
)


def weight_of(suite: str, test: str) -> Fraction:
    """How much of the error a test has, compared with others.

    Args:
        suite: Family of the test.
        test: Its name.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979), 65-70, section 4; Genovese, Roeder and Wasserman,
    Biometrika 93 (2006), 509-524 (weights fixed before the data).

    Example:
        >>> weight_of("sequences", "congruential"), weight_of("sequences", "poker")
        (Fraction(2, 1), Fraction(1, 1))
    """
    return Fraction(2 if f"{suite} {test}" in ALONE else 1)


Word = Literal["satisfied", "not satisfied", "inconclusive"]

# Reasons of one kind that are listed one by one, the gravest; of the others, how many there are.
MOST_NAMED = 5
# Tests whose finding names the generator or how it is used: a reader acts on that first, however small the others are,
# if nothing else explains it. What repeats itself upsets their counts too, but hardly so far.
NAMED_BELOW: Final = 1e-9
NAMING: Final = frozenset(
    {"congruential", "copies", "known-generators", "known-lags", "linear-halves", "seeds"}
)


@dataclass(frozen=True, slots=True)
class BatteryDecision:
    """One p-value of the family and what Holm's procedure makes of it.

    Args:
        suite: Family of the test.
        test: Name of the test.
        label: What the p-value means within the test.
        p_value: As computed.
        adjusted: Holm's adjusted p-value: the smallest family-wise error at which it would be rejected.
        threshold: What Holm's procedure compares the p-value with at the first threshold.
        rejected: Whether it is rejected at the first threshold.
        rejected_second: Whether it is rejected at the second threshold.
        undecided: Whether the test publishes zero, as where a condition of its own fails, and what decides in its
            place does not reject: that is no evidence against, and none for.
    """

    suite: str
    test: str
    label: str
    p_value: float
    adjusted: float
    threshold: float
    rejected: bool
    rejected_second: bool
    undecided: bool = False

    @property
    def word(self) -> Word:
        """The word for a test whose nearest p-value this is."""
        return _word(self.rejected, True, self.undecided)


@dataclass(frozen=True, slots=True)
class BatteryVerdict:
    """The collective verdict on a sample.

    Args:
        word: At the first threshold.
        second_word: At the second, stricter threshold.
        alpha: First family-wise threshold.
        second_alpha: Second family-wise threshold.
        family_size: Number of p-values decided together.
        reasons: Why the word is what it is, one sentence each.
        decisions: Every p-value, by suite, test and the order the test gives.
        not_run: Tests that could not be run.
        rule: The decision rule in words.
        plan_digest: Digest of the pre-registered plan; empty if there was none.
        stages: Number of independent samples the verdict rests on (one or two).
    """

    word: Word
    second_word: Word
    alpha: float
    second_alpha: float
    family_size: int
    reasons: tuple[str, ...]
    decisions: tuple[BatteryDecision, ...]
    not_run: tuple[NotRun, ...]
    rule: str
    plan_digest: str = ""
    stages: int = 1

    @property
    def worst(self) -> dict[tuple[str, str], BatteryDecision]:
        """The decision on the smallest adjusted p-value of each test, by suite and test."""
        found: dict[tuple[str, str], BatteryDecision] = {}
        for one in sorted(self.decisions, key=lambda d: (d.adjusted, d.p_value)):
            found.setdefault((one.suite, one.test), one)
        return found

    def word_of(self, suite: str, test: str) -> Word:
        """The word for one test: rejected if any of its p-values was, within the whole family.

        Raises:
            SampleError: If the verdict does not cover the test.
        """
        found = [d for d in self.decisions if (d.suite, d.test) == (suite, test)]
        if not found:
            if any((n.suite, n.test) == (suite, test) for n in self.not_run):
                return "inconclusive"
            raise SampleError(f"the verdict does not cover {suite} {test}")
        return _word(any(d.rejected for d in found), True, any(d.undecided for d in found))


def holm(
    p_values: Sequence[float], weights: Sequence[Fraction] | None = None
) -> tuple[list[float], list[Fraction]]:
    """Holm's adjusted p-values, in the order given, and the share of the error that each is compared with.

    Args:
        p_values: As computed.
        weights: How the error is divided among them, in any unit; equally if left out.

    Returns:
        Adjusted p-values, and for each its weight divided by the weight of all that are not yet rejected
        when its turn comes: an error of alpha leaves it alpha times that.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979), 65-70; section 4 for the weights.

    Example:
        >>> holm([0.01, 0.04, 0.03])[0]
        [0.03, 0.06, 0.06]
        >>> holm([0.01, 0.001, 0.9], [Fraction(1), Fraction(1, 2), Fraction(1, 2)])[0]
        [0.015, 0.004, 0.9]
    """
    weight = weights or [Fraction(1)] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda i: (p_values[i] / float(weight[i]), i))
    adjusted, shares = [0.0] * len(p_values), [Fraction(1)] * len(p_values)
    # In whole parts of one unit: hundreds of fractions with other denominators each are slow to take away.
    unit = math.lcm(*(one.denominator for one in weight))
    parts = [one.numerator * (unit // one.denominator) for one in weight]
    highest, left = 0.0, sum(parts)
    for index in order:
        shares[index] = Fraction(parts[index], left)
        highest = max(highest, min(1.0, p_values[index] * (left / parts[index])))
        adjusted[index] = highest
        left -= parts[index]
    return adjusted, shares


def _flatten(results: Iterable[TestResult]) -> list[tuple[TestResult, str, float, float]]:
    rows: list[tuple[TestResult, str, float, float]] = []
    for result in sorted(results, key=lambda r: (r.suite, r.test)):
        single = len(result.decided) == 1
        labels = result.labels or (("",) if single else tuple(str(i + 1) for i in range(len(result.decided))))
        published = result.p_values if len(result.p_values) == len(result.decided) else result.decided
        for label, p_value, told in zip(labels, result.decided, published, strict=True):
            if not 0.0 <= p_value <= 1.0 + 1e-9:
                raise SampleError(f"{result.suite} {result.test} {label}: {p_value} is no p-value")
            rows.append((result, label, min(p_value, 1.0), told))
    return rows


def decide_each(
    results: Iterable[TestResult], alpha: float, second_alpha: float
) -> tuple[BatteryDecision, ...]:
    """Holm's procedure over every p-value of every result, taken as one family.

    Every test has its weight, divided among its p-values: a test that looks in a thousand places does not take the
    error away from one that looks in a single place, and one that finds what all others miss has twice as much.
    """
    rows = _flatten(results)
    weights = [weight_of(result.suite, result.test) / len(result.decided) for result, *_ in rows]
    adjusted, shares = holm([p_value for _, _, p_value, _ in rows], weights)
    return tuple(
        BatteryDecision(
            suite=result.suite,
            test=result.test,
            label=label,
            p_value=p_value,
            adjusted=adjusted[i],
            threshold=alpha * float(shares[i]),
            # So written that what is no number rejects.
            rejected=not adjusted[i] > alpha,
            rejected_second=not adjusted[i] > second_alpha,
            undecided=told == 0 < p_value and adjusted[i] > alpha,
        )
        for i, (result, label, p_value, told) in enumerate(rows)
    )


def _word(rejected: bool, decided: bool, too_short: bool) -> Word:
    if rejected:
        return "not satisfied"
    return "satisfied" if decided and not too_short else "inconclusive"


def _reasons(
    decisions: Sequence[BatteryDecision], not_run: Sequence[NotRun], alpha: float
) -> tuple[str, ...]:
    rejected = sorted(
        (d for d in decisions if d.rejected),
        key=lambda d: (d.test not in NAMING or d.p_value > NAMED_BELOW, d.adjusted, d.suite, d.test),
    )
    failures = [
        f"{d.suite} {' '.join(filter(None, (d.test, d.label)))}: p = {d.p_value:.3g}, "
        f"adjusted {d.adjusted:.3g}"
        for d in rejected[:MOST_NAMED]
    ]
    if len(rejected) > MOST_NAMED:
        tests = len({(d.suite, d.test) for d in rejected})
        failures.append(
            f"in all {len(rejected)} of {len(decisions)} p-values, in {tests} {'test' if tests == 1 else 'tests'}"
        )
    short = [f"{n.suite} {n.test} was not run: {n.reason}" for n in not_run[:MOST_NAMED]]
    if len(not_run) > MOST_NAMED:
        short.append(f"in all {len(not_run)} tests were not run")
    short += dict.fromkeys(
        f"{d.suite} {d.test}: a condition of the test fails, so that it decides nothing"
        for d in decisions
        if d.undecided
    )
    passed = f"none of {len(decisions)} p-values is rejected at a family-wise error of {alpha:g}"
    return (*(failures or ([passed] if decisions else [])), *short)


def conclude(
    results: Iterable[TestResult | NotRun], *, alpha: float = 0.01, second_alpha: float = 0.05
) -> BatteryVerdict:
    """Concludes on one sample from all its tests, with the family-wise error controlled by Holm's procedure.

    A rejection decides whatever else was not run. Without one, a test that the sample was too short for
    (``NotRun`` with a minimum sample), or that could not be computed, leaves the verdict inconclusive; a
    test that does not apply is only listed.

    Args:
        results: Everything that was run on the sample, and what was not.
        alpha: Family-wise error of the word.
        second_alpha: Family-wise error of the second word.

    Raises:
        SampleError: If there are no results at all, a test is reported twice, or a p-value is not one.

    Source: GLI-19 v3.0 3.2.2 ("collectively, at a 99% confidence level"); 58 Pa. Code 810a.5(c) (95 %).
    """
    everything = tuple(results)
    if not everything:
        raise SampleError("no test was run: an empty plan is never a pass")
    if not 0 < alpha < 1 or not 0 < second_alpha < 1:
        raise SampleError(f"thresholds {alpha} and {second_alpha}: expected numbers between 0 and 1")
    names = [(result.suite, result.test) for result in everything]
    if len(set(names)) < len(names):
        raise SampleError("the same test is reported twice: a test may be run once on a sample")
    run = [result for result in everything if isinstance(result, TestResult)]
    not_run = tuple(sorted((r for r in everything if isinstance(r, NotRun)), key=lambda n: (n.suite, n.test)))
    decisions = decide_each(run, alpha, second_alpha)
    too_short = any(n.undecided for n in not_run) or any(d.undecided for d in decisions)
    return BatteryVerdict(
        word=_word(any(d.rejected for d in decisions), bool(decisions), too_short),
        second_word=_word(any(d.rejected_second for d in decisions), bool(decisions), too_short),
        alpha=alpha,
        second_alpha=second_alpha,
        family_size=len(decisions),
        reasons=_reasons(decisions, not_run, alpha),
        decisions=decisions,
        not_run=not_run,
        rule=f"Holm's procedure weighted by test, family-wise error {alpha:g}",
    )
