"""The tests of SP 800-22 on given bits: one sequence or many, both sets of constants kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from certify.by_key import gathered
from certify.errors import InputError
from certify.executors import Executor
from rng.battery import BitStream, NotRun, TestResult, family_of_column
from rng.battery.sp800_22.battery import LONGEST
from rng.battery.sp800_22.streams import StreamsResult, judge

OVER: Final = (
    "over the sequences the smallest p-value (Bonferroni), the proportion that passes (binomial) and the uniformity "
    "(chi-square; SP 800-22 4.2)"
)
"""What is added to the null of a test that was run on many sequences."""

IN_ONE: Final = "in one sequence: "
"""What precedes the effect that it would show."""

Tested = tuple[TestResult | NotRun, ...]

# Longer data is cut into sequences, as the reference program's users do: one sequence is held in memory.
LONGEST_WHOLE: Final = 1 << 25
USUAL_LENGTH: Final = 1_000_000
# Of long data so many sequences are tested unless more are requested: as many as the standard's own example has. What
# has to be looked for in every bit of a long file is looked for in the whole stream, which is fifty times as quick.
USUAL_STREAMS: Final = 100


@dataclass(frozen=True, slots=True)
class Cut:
    """How bits are cut into sequences: so many of so many bits; what is left out is left untested.

    Args:
        streams: Sequences tested.
        length: Bits in each.
        apart: Where the sequences begin is so many sequences apart, on the average; one if they are consecutive.
    """

    streams: int
    length: int
    apart: Fraction = Fraction(1)

    @property
    def held(self) -> int:
        """Sequences of this length that the data holds where they are spread, or that are tested where they are not.

        >>> Cut(100, 1_000_000, Fraction(536, 100)).held
        536
        """
        return int(self.streams * self.apart)

    def segments(self, bits: BitStream) -> Iterator[BitStream]:
        """Yields the sequences, evenly spread over the data if they are not all of it."""
        return (bits.segment(int(i * self.apart) * self.length, self.length) for i in range(self.streams))


@dataclass(frozen=True, slots=True)
class Over:
    """One test of SP 800-22 over the sequences: its p-values in their order, and how they are judged."""

    reference: tuple[float, ...]
    exact: tuple[float, ...]
    not_run: int
    columns: tuple[StreamsResult, ...]


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """Everything that was run on one sample.

    Args:
        decided: Results with exact constants: what the verdict rests on.
        reference: Results of SP 800-22 with the reference program's constants, by name.
        over: The tests of SP 800-22 over many sequences, by name; empty for one sequence.
        cut: How the bits were cut, if SP 800-22 was run.
    """

    decided: tuple[TestResult | NotRun, ...]
    reference: Mapping[str, TestResult | NotRun] = field(default_factory=dict)
    over: Mapping[str, Over] = field(default_factory=dict)
    cut: Cut | None = None


def cut_of(bits: BitStream, streams: int | None, length: int | None) -> Cut:
    """Returns how bits are cut: as requested, else whole; of long data a hundred sequences of 1,000,000, spread evenly.

    Raises:
        InputError: There are fewer bits than requested, or more in a sequence than can be held.
    """
    if length is None and streams is None and bits.length > LONGEST_WHOLE:
        held = bits.length // USUAL_LENGTH
        spread = min(held, USUAL_STREAMS)
        return Cut(spread, USUAL_LENGTH, Fraction(held, spread))
    if length is None:
        length = bits.length if streams is None else bits.length // streams
    if streams is None:
        streams = bits.length // length
    if streams < 1 or length < 1 or streams * length > bits.length:
        raise InputError(
            f"{bits.source}: {bits.length} bits, expected at least {max(streams, 1)} × {max(length, 1)}"
        )
    if length > LONGEST:
        raise InputError(
            f"{bits.source}: sequences of {length} bits, expected at most {LONGEST}: see --streams"
        )
    return Cut(streams, length)


def run_sequences(
    bits: BitStream,
    cut: Cut,
    work: Callable[[BitStream], tuple[Tested, Tested]],
    level: float,
    running: Executor,
    tell: Callable[[int, int, str], None],
) -> SuiteOutcome:
    """Runs the tests of SP 800-22 with both sets of constants on the same counts.

    Args:
        bits: The bits.
        cut: How they are cut into sequences.
        work: Runs the tests on one sequence with both sets of constants, wherever it is sent.
        level: Significance level of a test on one of many sequences.
        running: Where sequences are tested.
        tell: Receives how many of them are done.
    """
    pairs = []
    for done, pair in enumerate(running.map(work, cut.segments(bits)), 1):
        pairs.append(pair)
        tell(done, cut.streams, "sequences")
    if cut.streams == 1:
        reference, exact = pairs[0]
        return SuiteOutcome(exact, {result.test: result for result in reference}, cut=cut)
    over = _over([p[0] for p in pairs], [p[1] for p in pairs], cut.length, level)
    decided = tuple(
        _collected(column, over.get(column[0].test), cut)
        for column in zip(*(exact for _, exact in pairs), strict=True)
    )
    return SuiteOutcome(decided, over=over, cut=cut)


def _over(
    reference: Sequence[Tested],
    exact: Sequence[Tested],
    length: int,
    level: float,
) -> dict[str, Over]:
    """Judges each test over all sequences, by its p-values with exact constants."""
    columns = gathered((result.test, result) for result in judge(exact, length, "exact", level))
    both = zip(zip(*reference, strict=True), zip(*exact, strict=True), strict=True)
    over = {}
    for first, second in both:
        name = first[0].test
        if name in columns:
            ran = _p_values(first), _p_values(second)
            missing = sum(not hasattr(result, "p_values") for result in second)
            over[name] = Over(*ran, missing, tuple(columns[name]))
    return over


def _p_values(column: Sequence[TestResult | NotRun]) -> tuple[float, ...]:
    """Returns the p-values of all sequences one after the other."""
    return tuple(p for result in column if isinstance(result, TestResult) for p in result.p_values)


def _collected(column: Sequence[TestResult | NotRun], over: Over | None, cut: Cut) -> TestResult | NotRun:
    """Returns one result for a test over many sequences: what the verdict takes into its family."""
    first = next((result for result in column if isinstance(result, TestResult)), None)
    if first is None or over is None:
        refused = column[0]
        if not isinstance(refused, NotRun):
            raise TypeError("a column without results holds refusals only")
        return refused
    family = [
        entry
        for judged in over.columns
        for entry in family_of_column(
            judged.label, len(judged.p_values), judged.smallest, judged.proportion_p, judged.uniformity
        ).items()
    ]
    return replace(
        first,
        p_values=tuple(p_value for _, p_value in family),
        deciding=(),
        labels=tuple(label for label, _ in family),
        sample_size=cut.streams * cut.length,
        statistic=None,
        degrees_of_freedom=None,
        null=f"{first.null}; {OVER}",
        discrete=True,
        detectable=f"{IN_ONE}{first.detectable}" if first.detectable else "",
    )
