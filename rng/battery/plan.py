"""What will be tested and how it will be decided, written down before any number is drawn."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from rng.battery.result import Parameters
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
