"""The battery tested by itself: good generators must pass uniformly, planted faults must be found."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Final, Literal

import numpy as np
from scipy import special

from rng.battery import cards, goodness, sequences, sp800_22, whole_stream
from rng.battery.bits import from_bytes
from rng.battery.planted import equipment, good
from rng.battery.planted.catalogue import FAULTS
from rng.battery.planted.fault import PlantedFault
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.result import NotRun, TestResult
from rng.battery.suite import Running
from rng.battery.verdict import Word, conclude, holm
from rng.errors import SampleError
from rng.shuffle import CARDS

WORD_SIZES = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class CountedBias:
    """The bias of a Fisher-Yates shuffle by ``word % n``, counted word by word.

    Args:
        bits: Bits of the word.
        worst: Largest relative deviation of any draw from equal likelihood.
        noncentrality: Expected growth of the chi-square statistic of all recovered draws, for each deck.
        decks: Decks at which the test of recovered draws would find it with 95 % power at p < 2e-6.
    """

    bits: int
    worst: Fraction
    noncentrality: Fraction
    decks: int


def relative_deviations(bits: int, n: int) -> tuple[tuple[int, Fraction], tuple[int, Fraction]]:
    """Counts the words for each value of ``word % n``.

    Of 2^bits words, 2^bits mod n values are reached once more often than the others.

    Returns:
        (how many values, by how much too likely, relatively) for the frequent and for the rare values.

    Raises:
        SampleError: If there are more values than words.

    Example:
        >>> relative_deviations(8, 40)
        ((16, Fraction(3, 32)), (24, Fraction(-1, 16)))
    """
    words = 1 << bits
    if not 1 <= n <= words:
        raise SampleError(f"{bits} bits cannot reach {n} values")
    frequent = words % n
    return (
        (frequent, Fraction((words // n + 1) * n, words) - 1),
        (n - frequent, Fraction(words // n * n, words) - 1),
    )


def noncentrality(bits: int, n: int) -> Fraction:
    """Growth of the chi-square statistic of one draw of ``word % n``, for each number drawn.

    Example:
        >>> noncentrality(8, 32)
        Fraction(0, 1)
    """
    squares = (count * deviation**2 for count, deviation in relative_deviations(bits, n))
    return sum(squares, Fraction(0)) / n


def counted_bias(bits: int, cards: int = CARDS) -> CountedBias:
    """Counts the bias of a shuffle by ``word % n`` over all its draws, n from 2 to the number of cards.

    Example:
        >>> counted_bias(32).worst
        Fraction(1, 134217728)
    """
    ranges = range(2, cards + 1)
    worst = max(abs(deviation) for n in ranges for count, deviation in relative_deviations(bits, n) if count)
    total = sum((noncentrality(bits, n) for n in ranges), Fraction(0))
    freedom = cards * (cards - 1) // 2
    needed = Fraction(goodness.detectable_noncentrality(freedom)) / total
    return CountedBias(bits, worst, total, -(-needed.numerator // needed.denominator))


Budget = Literal["quick", "full"]
Results = Sequence[TestResult | NotRun]
Progress = Callable[[str], None]

# A fault is caught if its test alone would fail it at 1 % in a plan of a hundred tests, and however few p-values
# the test gives, far below what one would look at twice.
CAUGHT_BELOW = 1e-6
CAUGHT_ADJUSTED_BELOW = 1e-4
ALPHA = 0.01


@dataclass(frozen=True, slots=True)
class FaultFinding:
    """Whether a planted fault was caught by the test that must catch it.

    Args:
        fault: Name of the fault.
        defect: What is wrong with it.
        caught_by: Suite and test that must catch it.
        sample: Decks, numbers or rows tested.
        p_values: Smallest p-value of the test on each independent sample.
        caught: Whether every one of them is below ``CAUGHT_BELOW``, and times their number below
            ``CAUGHT_ADJUSTED_BELOW``.
    """

    fault: str
    defect: str
    caught_by: str
    sample: int
    p_values: tuple[float, ...]
    caught: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the p-values of one test are distributed on good generators.

    Args:
        suite: Family of the test.
        test: Name of the test.
        on: What it was run on.
        p_values: One for each independent stream, the labels of the test in turn.
        discrete: Whether they may only be too large (discrete or bounded), not too small.
        distance: Kolmogorov-Smirnov distance from uniform; one-sided towards small p-values where discrete.
        p_value: Probability of such a distance.
        holds: Whether it holds within the family of all calibrations (Holm at 1 %).
    """

    suite: str
    test: str
    on: str
    p_values: tuple[float, ...]
    discrete: bool
    distance: float
    p_value: float
    holds: bool = True


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """How often the collective verdict failed a good generator.

    Args:
        on: What was tested.
        streams: Independent streams.
        alarms: Streams that were not satisfied at a family-wise error of 1 %.
        p_value: Probability of so many or more alarms at that error.
    """

    on: str
    streams: int
    alarms: int
    p_value: float


@dataclass(frozen=True, slots=True)
class SelftestReport:
    """Everything the self-test of the battery found.

    Args:
        budget: ``quick`` or ``full``.
        generators: Good generators used.
        faults: The planted faults, in the order of the catalogue.
        calibrations: Uniformity of every test's p-values on the good generators.
        false_alarms: Verdicts on the good generators.
        counted: What sampling cannot show, proven by counting.
    """

    budget: Budget
    generators: tuple[str, ...]
    faults: tuple[FaultFinding, ...]
    calibrations: tuple[Calibration, ...]
    false_alarms: tuple[FalseAlarms, ...]
    counted: tuple[CountedBias, ...]

    @property
    def missed(self) -> tuple[FaultFinding, ...]:
        """Planted faults that were not caught."""
        return tuple(finding for finding in self.faults if not finding.caught)

    @property
    def word(self) -> Word:
        """Satisfied if all faults are caught, all calibrations hold and false alarms are rare."""
        if not self.faults or not self.calibrations or not self.false_alarms:
            return "inconclusive"
        quiet = all(alarm.p_value >= ALPHA / len(self.false_alarms) for alarm in self.false_alarms)
        sound = not self.missed and all(calibration.holds for calibration in self.calibrations) and quiet
        return "satisfied" if sound else "not satisfied"


@dataclass(frozen=True, slots=True)
class Material:
    """Good output and every test that fits it: a pure function, that can be sent to wherever it runs.

    Args:
        kind: ``decks``, ``numbers`` or ``bits``.
        count: How many of them.
        below: Range of the numbers.
        one_in: One stream of so many of each generator.
    """

    kind: Literal["decks", "numbers", "bits"]
    count: int
    below: int = 0
    one_in: int = 1

    @property
    def on(self) -> str:
        """What it is, with its amount."""
        return f"{self.count} {self.kind}{f' below {self.below}' if self.below else ''}"

    def __call__(self, item: tuple[str, int]) -> Results:
        """Returns the results on the output of a generator for a seed."""
        source, seed = good.SOURCES[item[0]], item[1]
        if self.kind == "decks":
            return cards.run(fisher_yates(source, seed, self.count))
        if self.kind == "numbers":
            return sequences.run(good.uniform_numbers(source, seed, self.below, self.count), self.below)
        bits = from_bytes(source(seed, self.count // 32).tobytes())
        return (*sp800_22.run(bits, constants="exact"), *whole_stream.run(bits))


# Of each budget: streams of each generator, samples of each fault, and what is tested.
AMOUNTS: Final[dict[str, tuple[int, int, tuple[Material, ...]]]] = {
    "quick": (
        12,
        1,
        (
            Material("decks", 2_500),
            Material("numbers", 20_000, 40),
            Material("numbers", 17_000, 1 << 32, one_in=2),
            Material("bits", 1_000_000, one_in=3),
        ),
    ),
    "full": (
        100,
        3,
        (
            Material("decks", 20_000),
            Material("numbers", 60_000, 40),
            Material("numbers", 60_000, 1 << 32),
            Material("bits", 1_000_000, one_in=2),
        ),
    ),
}


def find_fault(fault: PlantedFault, samples: int = 1) -> FaultFinding:
    """Runs the test that must catch a planted fault on independent samples of it."""
    smallest: list[float] = []
    adjusted: list[float] = []
    for seed in range(1, samples + 1):
        (result,) = fault.results(seed)
        # A test that could not be run has caught nothing.
        decided = result.decided if isinstance(result, TestResult) else (1.0,)
        smallest.append(min(decided))
        adjusted.append(min(decided) * len(decided))
    caught = max(smallest) < CAUGHT_BELOW and max(adjusted) < CAUGHT_ADJUSTED_BELOW
    return FaultFinding(fault.name, fault.defect, fault.found_by, fault.sample, tuple(smallest), caught)


def find_by_name(name: str, samples: int = 1) -> FaultFinding:
    """Plants a fault by its name and looks for it: a pure function, that can be sent to wherever it runs.

    Args:
        name: Name of the fault.
        samples: Independent samples of it.
    """
    planted = (fault for fault in (*FAULTS, *equipment.FAULTS) if fault.name == name)
    return find_fault(next(planted), samples)


def distance_from_uniform(p_values: Sequence[float], *, discrete: bool) -> tuple[float, float]:
    """Kolmogorov-Smirnov distance of p-values from uniformity, and its p-value.

    Discrete p-values can be no smaller than uniform ones, so only an excess of small values counts against
    them: the one-sided distance, whose exact tail for continuous values is an upper bound.

    Source: Birnbaum and Tingey, Ann. Math. Stat. 22 (1951), equation (3) (one-sided tail).

    Example:
        >>> distance_from_uniform([0.1, 0.3, 0.5, 0.7, 0.9], discrete=False)[0]
        0.1
    """
    ordered = np.sort(np.asarray(p_values, dtype=np.float64))
    n = len(ordered)
    above = float((np.arange(1, n + 1) / n - ordered).max())
    if discrete:
        above = max(above, 0.0)
        return round(above, 12), float(special.smirnov(n, above))
    distance = max(above, float((ordered - np.arange(n) / n).max()))
    return round(distance, 12), goodness.kolmogorov_tail(distance, n)


def calibrate(runs: Sequence[Results], on: str) -> list[Calibration]:
    """Uniformity of every test over independent streams of good generators.

    One p-value is taken from each stream, the labels of the test in turn, so that those compared are
    independent.

    Args:
        runs: Results of the same tests on each stream.
        on: What the streams were.
    """
    collected: dict[tuple[str, str], list[TestResult]] = {}
    for result in (result for results in runs for result in results if isinstance(result, TestResult)):
        collected.setdefault((result.suite, result.test), []).append(result)
    calibrations = []
    for (suite, test), results in sorted(collected.items()):
        # What decides may be a bound, and is compared as discrete p-values are: it may be too large, not too small.
        kinds = [(test, [r.p_values for r in results], any(r.discrete for r in results))]
        if any(result.deciding for result in results):
            kinds.append((f"{test}, deciding", [r.decided for r in results], True))
        for name, columns, discrete in kinds:
            p_values = tuple(column[stream % len(column)] for stream, column in enumerate(columns))
            distance, p_value = distance_from_uniform(p_values, discrete=discrete)
            calibrations.append(Calibration(suite, name, on, p_values, discrete, distance, p_value))
    return calibrations


def false_alarms(runs: Sequence[Results], on: str) -> FalseAlarms:
    """How many streams of good generators the collective verdict fails."""
    alarms = sum(conclude(results, alpha=ALPHA).word == "not satisfied" for results in runs)
    tail = float(special.bdtrc(alarms - 1, len(runs), ALPHA)) if alarms else 1.0
    return FalseAlarms(on, len(runs), alarms, tail)


def _held(calibrations: Iterable[Calibration]) -> tuple[Calibration, ...]:
    everything = list(calibrations)
    adjusted, _ = holm([calibration.p_value for calibration in everything])
    return tuple(
        replace(calibration, holds=p > ALPHA) for calibration, p in zip(everything, adjusted, strict=True)
    )


def selftest(
    budget: Budget = "quick", *, progress: Progress | None = None, mapped: Running = map
) -> SelftestReport:
    """Tests the battery by good generators and planted faults, always with the same seeds.

    Args:
        budget: ``quick`` (well under a minute) or ``full`` (some minutes).
        progress: Called with the name of each step.
        mapped: Runs the parts in order, wherever it runs them.

    Raises:
        SampleError: If the budget is not one of the two.
    """
    tell = progress or (lambda _name: None)
    if budget not in AMOUNTS:
        raise SampleError(f"a self-test is quick or full, not {budget!r}")
    most, samples, materials = AMOUNTS[budget]
    calibrations: list[Calibration] = []
    alarms: list[FalseAlarms] = []
    for material in materials:
        tell(f"good generators: {material.on}")
        seeds = range(1, most // material.one_in + 1)
        streams = [(name, seed) for name in good.SOURCES for seed in seeds]
        runs: list[Results] = list(mapped(material, streams))
        calibrations += calibrate(runs, material.on)
        alarms.append(false_alarms(runs, material.on))
    planted: tuple[PlantedFault, ...] = (*FAULTS, *equipment.FAULTS)
    tell(f"{len(planted)} planted faults")
    findings = mapped(partial(find_by_name, samples=samples), [fault.name for fault in planted])
    return SelftestReport(
        budget,
        tuple(good.SOURCES),
        tuple(findings),
        _held(calibrations),
        tuple(alarms),
        tuple(map(counted_bias, WORD_SIZES)),
    )
