"""What tests of randomness found of a sample that was handed in without a game, as its JSON states it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from certify.evidence.randomness import JudgedTest
from certify.model import Sha256, origins
from rng.battery.residuals import Residuals


@dataclass(frozen=True, slots=True)
class GivenSample:
    """What was tested.

    Args:
        kind: Bits, draws or decks.
        count: How many.
        source: Where they came from.
        sha256: SHA-256 of what was read.
        equipment: What rows are drawn from, piece by piece.
        tables: How many tables the rows name.
        range_: Numbers are below it.
        pack: Cards of a pack.
        shoe: Packs of a shoe.
        streams: Sequences into which bits were cut.
        length: Bits of a sequence.
        streams_spread_over: Sequences that the sample holds, where fewer were tested.
    """

    kind: str
    count: int
    source: str
    sha256: Sha256
    equipment: tuple[str, ...] | None = None
    tables: int | None = None
    range_: int | None = None
    pack: int | None = None
    shoe: int | None = None
    streams: int | None = None
    length: int | None = None
    streams_spread_over: int | None = None


@origins(counted=("uniformity_p", "passed", "of"))
@dataclass(frozen=True, slots=True)
class ReferenceReading:
    """What the arithmetic of the reference program makes of p-values over many sequences.

    Args:
        uniformity_p: P-value of their spread; none of fewer than 55 sequences.
        passed: Sequences that pass.
        of: Sequences that it counts.
        bounds: Least and most of them that may pass.
        flagged: Whether it marks the test.
    """

    uniformity_p: float | None
    passed: int
    of: int
    bounds: tuple[float, float]
    flagged: bool


@origins(counted=("passed", "of", "proportion_p", "smallest_deciding", "tenths", "expected", "uniformity_p"))
@dataclass(frozen=True, slots=True)
class OverSequences:
    """How one p-value of a test fared over many sequences.

    Args:
        label: Which of its p-values.
        passed: Sequences with a p-value of at least the level.
        of: Sequences that it applied to.
        bounds: Least and greatest share of them that may pass.
        proportion_p: Probability of a number of passing ones at least as unlikely.
        smallest_deciding: The smallest p-value that a verdict rests on.
        tenths: P-values in each tenth of the unit interval.
        expected: What was expected in each tenth.
        uniformity_p: P-value of the comparison of both; none of fewer than 55 sequences.
        true_law: Whether what is expected follows the true law of the p-values.
        reference_program: What the reference program makes of the same p-values.
    """

    label: str
    passed: int
    of: int
    bounds: tuple[float, float]
    proportion_p: float
    smallest_deciding: float
    tenths: tuple[int, ...]
    expected: tuple[float, ...]
    uniformity_p: float | None
    true_law: bool
    reference_program: ReferenceReading


@origins(counted=("p_values_exact", "p_values_reference", "p_values_deciding", "sequences_not_run"))
@dataclass(frozen=True, slots=True)
class TestOfSample(JudgedTest):
    """One test as it was run on a sample that was handed in; its p-values are those with the constants requested.

    Args:
        parameters: Parameters that it was run with.
        discrete: Whether they may be large too often: bounds, and p-values of counts.
        p_values_exact: P-values with exact constants, where they differ.
        p_values_reference: P-values with the reference program's constants, where they differ.
        p_values_deciding: P-values that a verdict rests on, where they are others.
        sequences_not_run: Sequences that it did not apply to.
        over_sequences: How each p-value fared over the sequences.
    """

    __test__: ClassVar[bool] = False  # Named "Test…", yet not for pytest to collect.

    parameters: Mapping[str, int | float | str]
    discrete: bool
    p_values_exact: tuple[float, ...] | None = None
    p_values_reference: tuple[float, ...] | None = None
    p_values_deciding: tuple[float, ...] | None = None
    sequences_not_run: int | None = None
    over_sequences: tuple[OverSequences, ...] | None = None

    @property
    def uniform(self) -> tuple[float, ...]:
        """P-values as published, with exact constants: those that sound randomness spreads evenly."""
        return self.p_values if self.p_values_exact is None else self.p_values_exact

    @property
    def deciding(self) -> tuple[float, ...]:
        """P-values that a verdict rests on."""
        return self.uniform if self.p_values_deciding is None else self.p_values_deciding


@origins(counted=("reason", "minimum_sample"))
@dataclass(frozen=True, slots=True)
class TestLeftOut:
    """A test that was not run, and why.

    Args:
        suite: Its suite.
        test: Its name.
        parameters: Empty: callers of the interface read them of every test.
        p_values: Empty, likewise.
        verdict: Inconclusive where it applies, else not applicable.
        reason: Why it was not run.
        minimum_sample: Units that it needs, where the sample was too short.
    """

    __test__: ClassVar[bool] = False  # Named "Test…", yet not for pytest to collect.

    suite: str
    test: str
    parameters: Mapping[str, int | float | str]
    p_values: tuple[float, ...]
    verdict: str
    reason: str
    minimum_sample: int | None


@dataclass(frozen=True, slots=True)
class PieceResiduals(Residuals):
    """Counts of what one piece showed, by place or over time, next to what is expected.

    Args:
        piece: Name of the piece.
        rows_tabled: Rows that were counted.
    """

    piece: str
    rows_tabled: int


@dataclass(frozen=True, slots=True)
class FreshSample:
    """The independent sample that decides where the first was borderline.

    Args:
        input: What was tested.
        tests: The tests that were borderline.
    """

    input: GivenSample
    tests: tuple[TestOfSample | TestLeftOut, ...]


@dataclass(frozen=True, slots=True)
class TestedSample:
    """Tests of randomness of one sample, with one verdict.

    Args:
        input: What was tested.
        alpha: Family-wise error of the verdict.
        verdict: The verdict.
        second_alpha: Another family-wise error.
        second_verdict: The verdict at that.
        family_size: P-values that were decided together.
        rule: The rule that was fixed beforehand.
        reasons: Why the verdict is what it is.
        borderline: Tests that a fresh, larger sample may decide.
        constants: Whose constants the p-values printed are made with.
        tests: The tests.
        plan_sha256: SHA-256 of the plan, where one was fixed for two stages.
        stages: Stages that were needed.
        residuals: Counts next to what is expected, where a report draws them.
        fresh: The sample that decides.
    """

    __test__: ClassVar[bool] = False  # Named "Test…", yet not for pytest to collect.

    input: GivenSample
    alpha: float
    verdict: str
    second_alpha: float
    second_verdict: str
    family_size: int
    rule: str
    reasons: tuple[str, ...]
    borderline: tuple[str, ...]
    constants: str
    tests: tuple[TestOfSample | TestLeftOut, ...]
    plan_sha256: Sha256 | None = None
    stages: int | None = None
    residuals: tuple[PieceResiduals, ...] | None = None
    fresh: FreshSample | None = None

    @property
    def run(self) -> tuple[TestOfSample, ...]:
        """The tests that have p-values."""
        return tuple(test for test in self.tests if isinstance(test, TestOfSample))

    @property
    def left_out(self) -> tuple[TestLeftOut, ...]:
        """The tests that were not run."""
        return tuple(test for test in self.tests if isinstance(test, TestLeftOut))
