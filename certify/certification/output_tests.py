"""The tests of given output: one plan for the command of tests and for a run, both sets of constants kept."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.certification.bit_sequences import SuiteOutcome, cut_of, run_sequences
from certify.certification.cross_checks import wager_tests
from certify.certification.given_output import (
    Given,
    OutputSource,
    SubmittedOutput,
    bits_of,
    piece_read,
    words_of,
)
from certify.certification.randomness import RowSample, planned_tests, run_tests, suite_of
from certify.errors import InputError
from certify.executors import Executor, Threads
from certify.mathematics import analyze
from certify.model import MAIN_OPTIMAL, Equipment, Game
from rng.battery import (
    BitStream,
    NotRun,
    TestResult,
    at_size,
    cards,
    sequences,
    stratified,
    whole_stream,
    word_counts,
)
from rng.battery.rows import NAMES as OF_ROWS, beside, column_pairs
from rng.battery.sequences import IntegerDraws, seeds
from rng.battery.sequences.seeds import SeedAgreement, agreements
from rng.battery.sp800_22.battery import run_both
from rng.battery.stratified import DrawOrigin
from rng.draws import Draw, Integer, OrderedSample, Product, Repetition

USUAL: Final = {
    "bits": ("sp800-22", "whole-stream", "sequences"),
    "decks": ("cards",),
    "draws": ("sequences",),
}
"""Suites that a kind of output is tested by, where nothing else is requested."""

ROWS: Final = "rows"
"""The suite of tests of columns against each other."""

# Some six seconds of one core: a chunk of work, and the step of the bar.
PART_OF_SEEDS: Final = 1 << 22

Tell = Callable[[int, int, str], None]
"""Receives how much of how much is done, and of what."""
Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SuiteRequest:
    """Which tests are requested.

    Args:
        tests: Names of tests by suite; None for all of the suite.
        settings: Parameters of the tests of SP 800-22.
        streams: Number of sequences, if stated.
        length: Bits in a sequence, if stated.
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
    game: Game | None = None
    wagers: tuple[str, ...] | None = None
    executor: Executor | None = field(default=None, compare=False)
    beginning: bool = False
    seeds: str = "few"


def usual(source: OutputSource) -> SuiteRequest:
    """Returns the plan that output is tested by, whoever tests it, where nothing else is requested."""
    if source.given is not None:
        known = suites_of(source.given.pieces, table=source.given.table, time=source.given.time)
        return SuiteRequest(dict.fromkeys(known))
    return SuiteRequest(
        dict.fromkeys(USUAL[source.kind]), beginning=source.kind == "bits" and source.dtype is None
    )


def run_suites(submitted: SubmittedOutput, request: SuiteRequest, step: Step, tell: Tell) -> SuiteOutcome:
    """Runs every test requested on a sample.

    Args:
        submitted: The sample.
        request: The tests.
        step: Receives what is being run.
        tell: Receives how much of how much is done, such as sequences.

    Returns:
        One result for each test requested, run or not.
    """
    outcome = SuiteOutcome(())
    if "sp800-22" in request.tests:
        outcome = _bits_in_sequences(bits_of(submitted), request, step, tell)
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
        results += word_counts.run(bits_of(submitted), wanted, running=running, tell=tell)
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
        step(f"wagers of {request.game.id}")
        groups = None if submitted.origin is None else submitted.origin.groups()
        best = analyze(request.game, MAIN_OPTIMAL)
        played = wager_tests(
            request.game, best, submitted.rows, groups, lambda done, total: tell(done, total, "rounds")
        )
        results += [r for r in played if request.wagers is None or r.test in request.wagers]
    return replace(outcome, decided=tuple(_at_this_size(result, submitted, request) for result in results))


def _bits_in_sequences(bits: BitStream, request: SuiteRequest, step: Step, tell: Tell) -> SuiteOutcome:
    """Runs the tests of SP 800-22 on bits, cut as requested."""
    cut = cut_of(bits, request.streams, request.length)
    many = f"{cut.streams:,} sequences" if cut.streams > 1 else "one sequence"
    many += f" of {cut.held:,}" if cut.apart > 1 else ""
    step(f"sp800-22: {many} of {cut.length:,} bits")
    work = functools.partial(run_both, tests=request.tests["sp800-22"], settings=dict(request.settings))
    return run_sequences(bits, cut, work, request.level, request.executor or Threads(request.workers), tell)


def try_seeds(values: Sequence[int], below: int, part: tuple[int, int]) -> tuple[SeedAgreement, ...]:
    """Returns the longest agreements of the first numbers of a sample with what seeds give, so many from one on."""
    return agreements(np.array(values, dtype=np.uint64), below, *part)


def _more_seeds(
    results: list[TestResult | NotRun], words: NDArray[Any], below: int, request: SuiteRequest, tell: Tell
) -> list[TestResult | NotRun]:
    """Tries the seeds that were requested, where the test of seeds was run, and puts what they show in its place."""
    places = [i for i, one in enumerate(results) if one.test == seeds.NAME and isinstance(one, TestResult)]
    if not places:
        raise InputError(
            f"--seeds {request.seeds}: expected at least {seeds.FOLLOWED} numbers of a range up to 2^32, "
            f"and {seeds.NAME} among the tests"
        )
    tried = seeds.RANGES[request.seeds]
    parts = tried.parts(PART_OF_SEEDS)
    work = functools.partial(try_seeds, words[: seeds.FOLLOWED].tolist(), below)
    executor = Threads(request.workers) if request.executor is None else request.executor
    found: list[tuple[SeedAgreement, ...]] = []
    for number, part in enumerate(executor.map(work, parts), 1):
        found.append(part)
        tell(number * PART_OF_SEEDS, len(parts) * PART_OF_SEEDS, "seeds")
    again = seeds.result(IntegerDraws(words, below), tried, seeds.longest(found))
    return [
        again.run_as(one.suite, one.test, len(words)) if i in places else one for i, one in enumerate(results)
    ]


def _at_this_size(
    result: TestResult | NotRun, submitted: SubmittedOutput, request: SuiteRequest
) -> TestResult | NotRun:
    """Returns a test that needs more outcomes as one that does not apply, from 10,000 outcomes on.

    A test requested by name stays undecided.
    """
    if submitted.source.kind == "bits" or request.tests.get(result.suite) is not None:
        return result
    return at_size(result, submitted.count)


def suites_of(
    pieces: tuple[Equipment, ...], *, table: bool = False, time: bool = False
) -> dict[str, tuple[str, ...]]:
    """Returns the names of the tests of each suite that fits the equipment, and what is known of each row."""
    # Enough rows for everything: which tests there are does not depend on the number.
    known = {suite_of(p, pieces): tuple(t.test for t in planned_tests(p, pieces, 1 << 40)) for p in pieces}
    of_tables = (stratified.TABLE, stratified.COPIES) if table else ()
    of_time = (stratified.HOUR, stratified.WEEKDAY, stratified.PAUSE) if time else ()
    origin = {stratified.SUITE: (*of_tables, *of_time)} if table or time else {}
    return {**known, ROWS: OF_ROWS, **origin}


def run_on_rows(
    rows: NDArray[Any],
    pieces: tuple[Equipment, ...],
    tests: Mapping[str, tuple[str, ...] | None],
    step: Callable[[str], None],
    tell: Tell,
    executor: Executor | None,
    given: Given,
    origin: DrawOrigin | None,
) -> tuple[TestResult | NotRun, ...]:
    """Runs the tests of each piece, of the columns next to each other, and of what each table and time shows.

    Args:
        rows: Items, one row a row.
        pieces: What they are drawn from.
        tests: Names of tests by suite; None for all of a suite.
        step: Receives the name of each suite.
        tell: Receives how many of its tests are done.
        executor: Where work may run.
        given: How they were stated.
        origin: Table and time of each row, where given.
    """
    known = suites_of(pieces, table=given.table, time=given.time)
    names = [
        f"{suite}/{test}"
        for suite, some in tests.items()
        for test in (known[suite] if some is None else some)
    ]
    general = (f"{ROWS}/", f"{stratified.SUITE}/")
    of_pieces = [name for name in names if not name.startswith(general)]
    results = (
        run_tests(RowSample(rows, pieces, ()), of_pieces, step=step, tell=tell, executor=executor)
        if of_pieces
        else ()
    )
    if len(of_pieces) == len(names):
        return results
    step("rows: neighbouring columns")
    # One piece is read like text by the tests of sequences already.
    draw = draw_of(pieces)
    if len(pieces) > 1:
        asked = {name.removeprefix(f"{ROWS}/") for name in names if name.startswith(f"{ROWS}/")}
        found = beside(draw, rows, map if executor is None else executor.map, asked)
    else:
        found = column_pairs(draw, rows)
    if origin is not None:
        step("rows: by table and time")
        found = (*found, *stratified.run(rows, [piece_read(piece, given) for piece in pieces], origin))
    return (*results, *(result for result in found if f"{result.suite}/{result.test}" in names))


def draw_of(pieces: tuple[Equipment, ...]) -> Draw:
    """Returns the draw that gives one row."""
    return Product(
        tuple(
            Repetition(Integer(piece.size), piece.supply)
            if piece.replaced
            else OrderedSample(piece.size, piece.supply)
            for piece in pieces
        )
    )
