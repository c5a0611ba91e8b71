"""Runs the suites that fit a sample, on one sequence or on many, and keeps both sets of constants."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from certify.cli.rng_equipment import run_on_rows, wagers_played
from certify.cli.rng_input import SubmittedOutput
from certify.errors import InputError, NothingCheckedError
from certify.executors import Executor
from certify.executors.threads import Threads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rng.battery.bits import BitStream
    from rng.battery.result import NotRun, TestResult
    from rng.battery.sequences.seeds import SeedAgreement
    from rng.battery.sp800_22 import StreamsResult

    Both = tuple[tuple[TestResult | NotRun, ...], tuple[TestResult | NotRun, ...]]


SUITES: Final = ("sp800-22", "whole-stream", "sequences", "cards")
DEFAULT_SUITES: Final = {
    "bits": ("sp800-22", "whole-stream", "sequences"),
    "decks": ("cards",),
    "draws": ("sequences",),
}
# Longer data is cut into sequences, as the reference program's users do: one sequence is held in memory.
LONGEST_WHOLE: Final = 1 << 25
USUAL_LENGTH: Final = 1_000_000
# Of long data so many sequences are tested unless more are asked for: as many as the standard's own example has. What
# has to be looked for in every bit of a long file is looked for in the whole stream, which is fifty times as quick.
USUAL_STREAMS: Final = 100

# Some six seconds of one core: a chunk of work, and the step of the bar.
PART_OF_SEEDS: Final = 1 << 22

Tell = Callable[[int, int, str], None]
"""Told how much of how much is done, and of what."""
Step = Callable[[str], None]


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
class SuiteRequest:
    """Which tests are asked for.

    Args:
        tests: Names of tests by suite; None for all of the suite.
        settings: Parameters of the tests of SP 800-22.
        streams: Number of sequences, if said.
        length: Bits in a sequence, if said.
        workers: Threads for the tests of SP 800-22.
        level: Significance level of a test on one of many sequences.
        game: A submission whose wagers are tested on the decks.
        wagers: Names of the tests of its wagers; None for all.
        executor: Where sequences are tested, instead of threads of this process; no result depends on it.
        beginning: Whether the tests of sequences look at the beginning of bits, in words of two widths, and not at
            all of them in words of one.
        seeds: Which seeds of generators of runtimes are tried, as ``rng.battery.sequences.seeds.RANGES`` names them.
    """

    tests: Mapping[str, tuple[str, ...] | None]
    settings: Mapping[str, int | str] = field(default_factory=dict)
    streams: int | None = None
    length: int | None = None
    workers: int = 1
    level: float = 0.01
    game: Path | None = None
    wagers: tuple[str, ...] | None = None
    executor: Executor | None = field(default=None, compare=False)
    beginning: bool = False
    seeds: str = "few"


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


def suites_for(kind: str, below: int, suite: str | None) -> tuple[str, ...]:
    """Returns the suites to run on a kind of sample.

    Raises:
        UsageError: The suite does not fit the sample.

    >>> suites_for("draws", 40, "all"), suites_for("draws", 256, "all"), suites_for("bits", 0, None)
    (('sequences',), ('sp800-22', 'whole-stream', 'sequences'), ('sp800-22', 'whole-stream', 'sequences'))
    """
    binary = kind == "bits" or (kind == "draws" and below & (below - 1) == 0)
    fits = {
        "sp800-22": binary,
        "whole-stream": binary,
        "sequences": kind != "decks",
        "cards": kind == "decks",
    }
    if suite == "all":
        return tuple(name for name in SUITES if fits[name])
    if suite is None:
        return DEFAULT_SUITES[kind]
    if not fits[suite]:
        why = f"--{kind}" + (f" --range {below}" if kind == "draws" else "")
        raise click.UsageError(f"--suite {suite} does not fit {why}")
    return (suite,)


def names_of(suite: str) -> tuple[str, ...]:
    """Returns the names of the tests of a suite."""
    from rng.battery import cards, sequences, sp800_22, whole_stream

    known = {
        "sp800-22": tuple(sp800_22.TESTS),
        "whole-stream": whole_stream.NAMES,
        "sequences": sequences.NAMES,
        "cards": cards.NAMES,
    }
    return known[suite]


def chosen_tests(
    known: Mapping[str, tuple[str, ...]], wanted: str | None, beside: str | None = None
) -> dict[str, tuple[str, ...] | None]:
    """Returns the tests asked for by suite; a suite of which none is asked for is left out.

    Args:
        known: Names of the tests of each suite to run.
        wanted: Names separated by commas, ``suite/test`` where suites share a name; all if left out.
        beside: A suite of which a test that shares its name with one of another suite is meant by ``suite/test`` only.

    Raises:
        UsageError: A name is not known.
        NothingCheckedError: No test is named.
    """
    if wanted is None:
        return dict.fromkeys(known)
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    if not names:
        raise NothingCheckedError("--tests names no test: an empty plan is never a pass")
    chosen: dict[str, tuple[str, ...] | None] = {}
    for name in names:
        suite, _, test = name.rpartition("/")
        found = [s for s in known if test in known[s] and suite in ("", s)]
        if not found:
            every = "; ".join(f"{s}: {', '.join(tests)}" for s, tests in known.items())
            raise click.UsageError(f"--tests: unknown test {name!r}, known are {every}")
        if not suite and len(found) > 1:
            found = [s for s in found if s != beside]
        for s in found:
            chosen[s] = tuple(dict.fromkeys((*(chosen.get(s) or ()), test)))
    return chosen


def cut_of(bits: BitStream, streams: int | None, length: int | None) -> Cut:
    """Returns how bits are cut: as asked for, else whole; of long data a hundred sequences of 1,000,000, spread evenly.

    Raises:
        InputError: There are fewer bits than asked for, or more in a sequence than can be held.
    """
    from rng.battery.sp800_22.battery import LONGEST

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


def run_suites(submitted: SubmittedOutput, request: SuiteRequest, step: Step, tell: Tell) -> SuiteOutcome:
    """Runs every test asked for on a sample.

    Args:
        submitted: The sample.
        request: The tests.
        step: Told what is being run.
        tell: Told how much of how much is done, such as sequences.

    Returns:
        One result for each test asked for, run or not.
    """
    from rng.battery import cards, sequences, whole_stream, word_sequences

    outcome = SuiteOutcome(())
    if "sp800-22" in request.tests:
        outcome = _run_sp800_22(bits_of(submitted), request, step, tell)
    results: list[TestResult | NotRun] = list(outcome.decided)
    running = (request.executor or Threads(request.workers)).map
    if "whole-stream" in request.tests:
        bits = bits_of(submitted)
        step(f"whole stream: {bits.length:,} bits")
        results += whole_stream.run(bits, request.tests["whole-stream"], running=running, tell=tell)
    pieces, given = submitted.pieces, submitted.source.given
    if pieces is not None and given is not None and submitted.rows is not None:
        results += run_on_rows(
            submitted.rows, pieces, request.tests, step, tell, request.executor, given, submitted.origin
        )
    elif "sequences" in request.tests and request.beginning:
        step("sequences of the first words")
        wanted = request.tests["sequences"]
        results += word_sequences.run(bits_of(submitted), wanted, running=running, tell=tell)
    elif "sequences" in request.tests:
        words, below = words_of(submitted)
        wanted = request.tests["sequences"]
        step(f"sequences: {len(words):,} numbers")
        results += sequences.run(words, below, wanted, running=running, tell=tell)
        if request.seeds != "few":
            results = _more_seeds(results, words, below, request, tell)
    if "cards" in request.tests and submitted.rows is not None and pieces is None:
        wanted = request.tests["cards"]
        if wanted is None or wanted:
            layout = submitted.source.layout
            shoe = layout.pack.shoe if layout else None
            step(f"cards: {len(submitted.rows):,} decks")
            results += cards.run(submitted.rows, wanted, shoe=shoe, running=running, tell=tell)
    if request.game is not None and submitted.rows is not None:
        step(f"wagers of {request.game}")
        rounds = functools.partial(_rounds, tell)
        played = wagers_played(request.game, pieces, submitted.rows, submitted.origin, rounds)
        results += [r for r in played if request.wagers is None or r.test in request.wagers]
    return replace(outcome, decided=tuple(_at_this_size(result, submitted, request) for result in results))


def _rounds(tell: Tell, done: int, total: int) -> None:
    tell(done, total, "rounds")


@dataclass(frozen=True, slots=True)
class TrySeeds:
    """Compares what a range of seeds gives with the first numbers: a pure function, sent to wherever it runs.

    Args:
        values: The first numbers of the sample.
        below: Their range.
    """

    values: tuple[int, ...]
    below: int

    def __call__(self, part: tuple[int, int]) -> tuple[SeedAgreement, ...]:
        """Returns the longest agreements over so many seeds from the first on."""
        import numpy as np

        from rng.battery.sequences.seeds import agreements

        return agreements(np.array(self.values, dtype=np.uint64), self.below, *part)


def _more_seeds(
    results: list[TestResult | NotRun], words: NDArray[Any], below: int, request: SuiteRequest, tell: Tell
) -> list[TestResult | NotRun]:
    """Tries the seeds that were asked for, where the test of seeds was run, and puts what they show in its place."""
    from rng.battery.result import TestResult
    from rng.battery.sequences import IntegerDraws, seeds

    places = [i for i, one in enumerate(results) if one.test == seeds.NAME and isinstance(one, TestResult)]
    if not places:
        raise InputError(
            f"--seeds {request.seeds}: expected at least {seeds.FOLLOWED} numbers of a range up to 2^32, "
            f"and {seeds.NAME} among the tests"
        )
    tried = seeds.RANGES[request.seeds]
    parts = tried.parts(PART_OF_SEEDS)
    work = TrySeeds(tuple(words[: seeds.FOLLOWED].tolist()), below)
    executor = Threads(request.workers) if request.executor is None else request.executor
    found: list[tuple[SeedAgreement, ...]] = []
    for number, part in enumerate(executor.map(work, parts), 1):
        found.append(part)
        tell(number * PART_OF_SEEDS, len(parts) * PART_OF_SEEDS, "seeds")
    again = seeds.result(IntegerDraws(words, below), tried, seeds.longest(found))
    return [again if i in places else one for i, one in enumerate(results)]


def _at_this_size(
    result: TestResult | NotRun, submitted: SubmittedOutput, request: SuiteRequest
) -> TestResult | NotRun:
    """Returns a test that needs more outcomes as one that does not apply, from 10,000 outcomes on.

    A test asked for by name stays undecided.
    """
    from rng.battery.result import at_size

    if submitted.source.kind == "bits" or request.tests.get(result.suite) is not None:
        return result
    return at_size(result, submitted.count)


@dataclass(frozen=True, slots=True)
class TestSequence:
    """Runs the tests of SP 800-22 on one sequence: a pure function, that can be sent to wherever it runs.

    Args:
        tests: The tests, all of them if left out.
        settings: Their parameters.
    """

    __test__ = False
    tests: tuple[str, ...] | None
    settings: tuple[tuple[str, int | str], ...]

    def __call__(self, segment: BitStream) -> Both:
        """Returns the results with both sets of constants."""
        from rng.battery.sp800_22.battery import run_both

        return run_both(segment, tests=self.tests, settings=dict(self.settings))


def _run_sp800_22(bits: BitStream, request: SuiteRequest, step: Step, tell: Tell) -> SuiteOutcome:
    """Runs the tests of SP 800-22 with both sets of constants on the same counts."""
    cut = cut_of(bits, request.streams, request.length)
    many = f"{cut.streams:,} sequences" if cut.streams > 1 else "one sequence"
    many += f" of {cut.held:,}" if cut.apart > 1 else ""
    step(f"sp800-22: {many} of {cut.length:,} bits")
    tests, settings = request.tests["sp800-22"], request.settings

    running = request.executor or Threads(request.workers)
    work = TestSequence(tests, tuple(sorted(settings.items())))
    pairs = []
    for done, pair in enumerate(running.map(work, cut.segments(bits)), 1):
        pairs.append(pair)
        tell(done, cut.streams, "sequences")
    if cut.streams == 1:
        reference, exact = pairs[0]
        return SuiteOutcome(exact, {result.test: result for result in reference}, cut=cut)
    over = _over([p[0] for p in pairs], [p[1] for p in pairs], cut.length, request.level)
    decided = tuple(
        _collected(column, over.get(column[0].test), cut)
        for column in zip(*(exact for _, exact in pairs), strict=True)
    )
    return SuiteOutcome(decided, over=over, cut=cut)


def _over(
    reference: Sequence[tuple[TestResult | NotRun, ...]],
    exact: Sequence[tuple[TestResult | NotRun, ...]],
    length: int,
    level: float,
) -> dict[str, Over]:
    """Judges each test over all sequences, by its p-values with exact constants."""
    from rng.battery.sp800_22.streams import judge

    columns: dict[str, list[StreamsResult]] = {}
    for result in judge(exact, length, "exact", level).results:
        columns.setdefault(result.test, []).append(result)
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
    from rng.battery.result import TestResult

    return tuple(p for result in column if isinstance(result, TestResult) for p in result.p_values)


def _collected(column: Sequence[TestResult | NotRun], over: Over | None, cut: Cut) -> TestResult | NotRun:
    """Returns one result for a test over many sequences: what the verdict takes into its family."""
    from rng.battery.over_sequences import family_of_column
    from rng.battery.result import NotRun, TestResult

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
        null=f"{first.null}; over the sequences the smallest p-value (Bonferroni), the proportion that "
        "passes (binomial) and the uniformity (chi-square; SP 800-22 4.2)",
        discrete=True,
        detectable=f"in one sequence: {first.detectable}" if first.detectable else "",
    )


def bits_of(submitted: SubmittedOutput) -> BitStream:
    """Returns the bits of a sample, those of each draw from the most significant one on.

    Raises:
        UsageError: The sample has no bits: decks, or draws whose range is no power of two.
    """
    from rng.battery.bits import read_raw

    if submitted.bits is not None:
        return submitted.bits
    below = submitted.source.below
    if submitted.rows is None or submitted.source.kind == "decks" or below & (below - 1):
        raise click.UsageError(
            "--suite sp800-22 takes --bits, or --draws with a range that is a power of two"
        )
    width = below.bit_length() - 1
    packed = read_raw(_DrawBits(submitted.rows, width), source=submitted.source.name)
    return packed.segment(0, submitted.count * width)


class _DrawBits(io.RawIOBase):
    """The bits of draws as a stream of bytes, made piece by piece."""

    PIECE: Final = 1 << 17  # Draws at a time; a multiple of eight, so that each piece fills its bytes.

    def __init__(self, draws: NDArray[Any], width: int) -> None:
        super().__init__()
        self._draws, self._width, self._next = draws, width, 0

    def read(self, size: int = -1, /) -> bytes:
        """Returns the bits of the next piece of draws, whatever size is asked for."""
        import numpy as np

        piece = np.asarray(self._draws[self._next : self._next + self.PIECE]).astype(np.uint64)
        self._next += self.PIECE
        places = np.arange(self._width - 1, -1, -1, dtype=np.uint64)
        bits = (piece[:, None] >> places & np.uint64(1)).astype(np.uint8)
        return np.packbits(bits).tobytes()


def words_of(submitted: SubmittedOutput) -> tuple[NDArray[np.unsignedinteger], int]:
    """Returns the numbers of a sample and their range; bits are cut into words of ``--dtype`` (u32).

    Raises:
        UsageError: The sample has no numbers.
    """
    if submitted.source.kind == "draws" and submitted.rows is not None:
        return submitted.rows, submitted.source.below
    if submitted.bits is None:
        raise click.UsageError("--suite sequences takes --draws, or --bits")
    width = int((submitted.source.dtype or "u32")[1:])
    words = submitted.bits.length // width
    order = ">" if submitted.source.big_endian else "<"
    whole = submitted.bits.packed[: words * width // 8]
    return whole.view(f"{order}u{width // 8}"), 1 << width
