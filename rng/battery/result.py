"""What one statistical test reports: the same small record for every family of tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

Parameters = Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class TestResult:
    """One statistical test on one sample, with everything a reader needs to defend its p-values.

    Args:
        p_values: One or several p-values, in the order the source of the test gives them.
        labels: What each p-value means (a template, a state, a lag); empty or as long as ``p_values``.
        parameters: Parameters the test was run with.
        sample_size: Number of units tested (bits, numbers or decks; the suite says which); 0 for the whole sample,
            which whoever runs the test fills in.
        statistic: Value of the test statistic, where the test has a single one.
        degrees_of_freedom: Of the reference distribution, where it has any.
        null: Reference distribution in words, with its source.
        discrete: Whether the p-values take few enough values that uniformity needs the discrete null.
        detectable: Smallest effect found with 95 % power at this sample, in words with its unit, if known.
        deciding: P-values that a verdict rests on, where the published ones are wrong far out in their tails;
            empty where they are the same.
        suite: Family of the test: ``sp800-22``, ``sequences`` or ``cards``; filled in by whoever runs it.
        test: Name of the test within its suite, in kebab case; filled in likewise.
    """

    __test__: ClassVar[bool] = False  # Named "Test…", yet not for pytest to collect.

    p_values: tuple[float, ...]
    labels: tuple[str, ...] = ()
    parameters: Parameters = field(default_factory=dict)
    sample_size: int = 0
    statistic: float | None = None
    degrees_of_freedom: int | None = None
    null: str = ""
    discrete: bool = False
    detectable: str = ""
    deciding: tuple[float, ...] = ()
    suite: str = ""
    test: str = ""

    @classmethod
    def of(
        cls,
        found: Mapping[str, float],
        *,
        null: str,
        parameters: Parameters | None = None,
        statistic: float | None = None,
        detectable: str = "",
    ) -> "TestResult":
        """The result of a test whose p-values are bounds, or those of counts: what each means, and the p-value."""
        return cls(
            tuple(found.values()),
            tuple(found),
            parameters or {},
            statistic=statistic,
            null=null,
            discrete=True,
            detectable=detectable,
        )

    def run_as(self, suite: str, test: str, size: int) -> "TestResult":
        """The same as a test of a suite, on a sample of a size, which is its own unless it looked at less."""
        return replace(self, suite=suite, test=test, sample_size=self.sample_size or size)

    @property
    def decided(self) -> tuple[float, ...]:
        """The p-values that a verdict rests on: those published, unless others are given."""
        return self.deciding or self.p_values

    def with_bounds(self, found: Mapping[str, float]) -> "TestResult":
        """The same with further p-values, each a bound that is published and decides.

        Args:
            found: What each means, and the p-value.
        """
        return replace(
            self,
            p_values=(*self.p_values, *found.values()),
            deciding=(*self.decided, *found.values()),
            labels=(*self.labels, *found),
            discrete=True,
        )


@dataclass(frozen=True, slots=True)
class NotRun:
    """A test that could not be run on this sample, and why: never silently absent.

    Args:
        suite: Family of the test.
        test: Name of the test within its suite.
        reason: Why it was not run, in words.
        minimum_sample: Units it needs, where the sample was too short.
        failed: Whether it should have run and could not be computed.
    """

    suite: str
    test: str
    reason: str
    minimum_sample: int | None = None
    failed: bool = False

    @property
    def undecided(self) -> bool:
        """Whether it applies, so that its absence leaves the verdict open."""
        return self.failed or self.minimum_sample is not None


# GLI-19 3.4.2 asks for this many outcomes of mechanical devices, or a statement that there were fewer.
OUTCOMES_EXPECTED = 10_000


def at_size(result: TestResult | NotRun, outcomes: int) -> TestResult | NotRun:
    """Returns a test that needs more outcomes as one that does not apply, from 10,000 outcomes on.

    So many are what laboratories collect from equipment: the tests that apply there decide, and those that
    need more say how many. On fewer outcomes everything stays undecided.

    Args:
        result: A test, run or not.
        outcomes: Rows, decks or numbers that were given.

    Source: GLI-19 v3.0, 3.4.2 (10,000 outcomes of a mechanical device).
    """
    if not isinstance(result, NotRun) or result.failed or result.minimum_sample is None:
        return result
    if outcomes < OUTCOMES_EXPECTED:
        if result.minimum_sample <= OUTCOMES_EXPECTED:
            return result
        enough = f"{result.reason}; from {OUTCOMES_EXPECTED:,} outcomes on the others decide without it"
        return replace(result, reason=enough)
    return replace(result, reason=f"does not apply at this size: {result.reason}", minimum_sample=None)
