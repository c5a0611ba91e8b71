"""A plan fixed beforehand, and the fresh sample that decides where the first was borderline."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace

from rng.battery.result import NotRun, Parameters, TestResult
from rng.battery.verdict import BatteryVerdict, Word, conclude
from rng.errors import SampleError

# The two-threshold rule: a family-wise adjusted p-value below the hard threshold fails at once, one below
# alpha alone leads to a single fresh, independent sample this many times as large, which decides.
HARD_THRESHOLD = 1e-6
ENLARGEMENT = 4


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test of the plan.

    Args:
        suite: Family of the test.
        test: Name within the family.
        sample_size: Units (bits, numbers, decks) it will be given.
        parameters: Parameters it will be run with.
    """

    suite: str
    test: str
    sample_size: int
    parameters: Parameters = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BatteryPlan:
    """A pre-registered test plan: nothing may be added, dropped or repeated once it is fixed.

    Args:
        tests: What will be run.
        alpha: Family-wise error of the pass/fail word (GLI-19 3.2.2: collectively, 99 %).
        second_alpha: Second family-wise threshold (58 Pa. Code 810a.5(c): 95 %).
        hard: Family-wise adjusted p-value below which the first sample fails outright.
        enlargement: How many times larger the fresh sample is that decides a borderline first sample.

    Raises:
        SampleError: If the plan is empty, names a test twice, or its thresholds are not in order.

    Source: GLI-19 v3.0 3.2.2; 58 Pa. Code 810a.5(c); ISO/IEC 17025:2017 7.8.6.1 (decision rule fixed and
    stated).
    """

    tests: tuple[PlannedTest, ...]
    alpha: float = 0.01
    second_alpha: float = 0.05
    hard: float = HARD_THRESHOLD
    enlargement: int = ENLARGEMENT

    def __post_init__(self) -> None:
        if not self.tests:
            raise SampleError("a test plan must name at least one test")
        names = [(test.suite, test.test) for test in self.tests]
        if len(set(names)) < len(names):
            raise SampleError("a test plan names the same test twice")
        if not 0 < self.hard < self.alpha < self.second_alpha < 1 or self.enlargement < 2:
            raise SampleError("expected 0 < hard < alpha < second alpha < 1 and an enlargement of at least 2")

    def digest(self) -> str:
        """SHA-256 of the plan in canonical JSON, for the evidence: what was fixed before the first draw."""
        canonical = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def rule(self) -> str:
        """The decision rule in words, as a report must state it."""
        return (
            f"Holm's procedure over all p-values, weighted by test, keeps the probability of any false rejection below "
            f"{100 * self.alpha:g}%. If no p-value is rejected, the output is satisfied. If an adjusted "
            f"p-value is below {self.hard:g}, it is not satisfied. Otherwise one fresh, independent "
            f"sample, {self.enlargement} times as large, is drawn, the rejected tests alone are run on "
            f"it, and Holm's procedure at {100 * self.alpha:g}% decides. No test is repeated otherwise."
        )


Results = Iterable[TestResult | NotRun]


def plan_of(results: Results, alpha: float, second_alpha: float) -> BatteryPlan:
    """Returns the plan under which just these tests are run, each on the sample that it was run on."""
    tests = tuple(
        PlannedTest(one.suite, one.test, one.sample_size if isinstance(one, TestResult) else 0)
        for one in results
    )
    return BatteryPlan(tests, alpha=alpha, second_alpha=second_alpha)


def borderline(verdict: BatteryVerdict, hard: float = HARD_THRESHOLD) -> tuple[str, ...]:
    """Returns the tests, ``suite/test``, that a fresh sample might decide; none where one is rejected beyond doubt."""
    rejected = [one for one in verdict.decisions if one.rejected]
    if any(one.adjusted <= hard for one in rejected):
        return ()
    return tuple(sorted({f"{one.suite}/{one.test}" for one in rejected}))


def suspects(plan: BatteryPlan, first: Results) -> tuple[str, ...]:
    """Tests that need the fresh sample: rejected at alpha on the first, none beyond the hard threshold.

    Returns:
        ``suite/test`` of each suspect test in order; empty if the first sample already decides.
    """
    verdict = conclude(_planned(plan, first), alpha=plan.alpha, second_alpha=plan.second_alpha)
    return borderline(verdict, plan.hard)


def conclude_plan(plan: BatteryPlan, first: Results, second: Results | None = None) -> BatteryVerdict:
    """Concludes by the plan: the first sample alone, or the fresh sample where the first was borderline.

    Args:
        plan: The pre-registered plan.
        first: Results of the first sample: every planned test, run or not.
        second: Results of the suspect tests on one fresh, independent, larger sample.

    Returns:
        The verdict; inconclusive if the first sample was borderline and no fresh sample was given, or if
        it was too short for a planned test and nothing is rejected. What the first sample rejects at the
        second threshold alone stays rejected there: the rule repeats no such test.

    Raises:
        SampleError: If the results are not those of the plan, a fresh sample is offered where the rule asks
            for none, or the fresh sample is too small or of other tests.
    """
    first = _planned(plan, first)
    verdict = replace(
        conclude(first, alpha=plan.alpha, second_alpha=plan.second_alpha),
        rule=plan.rule(),
        plan_digest=plan.digest(),
    )
    names = suspects(plan, first)
    if not names:
        if second is not None:
            raise SampleError("the first sample already decides: the plan allows no further sample")
        return verdict
    if second is None:
        wanted = f"borderline in {', '.join(names)}: a fresh sample {plan.enlargement} times as large decides"
        return replace(
            verdict,
            word="inconclusive",
            second_word="not satisfied" if _others_rejected(verdict, names) else "inconclusive",
            reasons=(*verdict.reasons, wanted),
        )
    fresh = conclude(
        _checked_fresh(plan, names, first, tuple(second)), alpha=plan.alpha, second_alpha=plan.second_alpha
    )
    before = tuple(f"first sample, borderline: {reason}" for reason in verdict.reasons)
    too_short = any(n.undecided for n in verdict.not_run) or any(d.undecided for d in verdict.decisions)
    word, second_word = _short_of(fresh.word, too_short), _short_of(fresh.second_word, too_short)
    return replace(
        fresh,
        word=word,
        second_word="not satisfied" if _others_rejected(verdict, names) else second_word,
        not_run=tuple(sorted((*verdict.not_run, *fresh.not_run), key=lambda n: (n.suite, n.test))),
        reasons=(*before, *(f"fresh sample: {reason}" for reason in fresh.reasons)),
        rule=plan.rule(),
        plan_digest=plan.digest(),
        stages=2,
    )


def _short_of(word: Word, too_short: bool) -> Word:
    """What the fresh sample says, where the first one was too short for some test: no more than a rejection."""
    return "inconclusive" if too_short and word == "satisfied" else word


def _others_rejected(verdict: BatteryVerdict, names: Sequence[str]) -> bool:
    """Whether the first sample rejects, at the second threshold, a test that no fresh sample looks at again."""
    return any(d.rejected_second and f"{d.suite}/{d.test}" not in names for d in verdict.decisions)


def _planned(plan: BatteryPlan, results: Results) -> tuple[TestResult | NotRun, ...]:
    everything = tuple(results)
    planned = {(test.suite, test.test): test.sample_size for test in plan.tests}
    given = {(result.suite, result.test) for result in everything}
    if set(planned) != given:
        odd = sorted(f"{suite}/{test}" for suite, test in set(planned) ^ given)
        raise SampleError(f"results and plan differ in: {', '.join(odd)}")
    for result in everything:
        wanted = planned[result.suite, result.test]
        if isinstance(result, TestResult) and result.sample_size != wanted:
            raise SampleError(
                f"{result.suite}/{result.test}: planned on {wanted} units, run on {result.sample_size}"
            )
    return everything


def _checked_fresh(
    plan: BatteryPlan,
    names: Sequence[str],
    first: Sequence[TestResult | NotRun],
    second: Sequence[TestResult | NotRun],
) -> Sequence[TestResult | NotRun]:
    sizes = {f"{r.suite}/{r.test}": r.sample_size for r in first if isinstance(r, TestResult)}
    if {f"{r.suite}/{r.test}" for r in second} != set(names):
        raise SampleError(f"expected the fresh results of exactly: {', '.join(names)}")
    for result in second:
        name = f"{result.suite}/{result.test}"
        if isinstance(result, TestResult) and result.sample_size < plan.enlargement * sizes[name]:
            raise SampleError(f"{name}: the fresh sample must be at least {plan.enlargement} × {sizes[name]}")
    return second
