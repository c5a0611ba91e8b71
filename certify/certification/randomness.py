"""The randomness of what was dealt: a plan fixed beforehand, its tests, and one collective verdict."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.evidence import PlanOfTests, Randomness, RandomTest, TestNotRun, TriedFault
from certify.executors import Executor, Threads
from certify.model import Equipment, Game
from certify.simulation import CHUNK_ROUNDS, StreamDecks
from rng.battery import (
    BatteryDecision,
    BatteryPlan,
    BatteryVerdict,
    BitStream,
    NotRun,
    PlannedTest,
    TestResult,
    balls,
    cards,
    conclude,
    conclude_plan,
    from_bytes,
    sequences,
    sp800_22,
    suspects,
    whole_stream,
)
from rng.battery.cards.decks import DeckShoe
from rng.battery.suite import Sample, Suite, Tell, pooled
from rng.draws import OrderedSample
from rng.errors import SampleError
from rng.given.names import Language, spellings
from rng.given.rows import RecordPiece
from rng.streams import stream

Tested = tuple[TestResult | NotRun, ...]
Step = Callable[[str], None]

WORKERS: Final = 2


@dataclass(frozen=True, slots=True)
class RowSample:
    """What is tested: rows as the simulation drew them, and bit streams of the generator.

    Args:
        rows: Unsigned integers[n, width], one row a round, in the order drawn.
        equipment: What a row is drawn from, piece after piece.
        streams: Bit streams, each one sample of the tests of SP 800-22.
    """

    rows: NDArray[Any]
    equipment: tuple[Equipment, ...]
    streams: tuple[BitStream, ...]

    def of_piece(self, piece: Equipment) -> NDArray[Any]:
        """Returns what is tested of one piece: decks as rows, repeated draws one after the other."""
        start = 0
        for other in self.equipment:
            if other.id == piece.id:
                break
            start += other.supply
        part = self.rows[:, start : start + supply_tested(piece, self.equipment)]
        return part.reshape(-1) if piece.replaced else part


def suite_of(piece: Equipment, equipment: Sequence[Equipment]) -> str:
    """Returns the suite of tests that fits a piece; where several pieces share one, it carries the id of the piece."""
    kind = _kind(piece)
    several = sum(_kind(other) == kind for other in equipment) > 1
    return f"{kind} of {piece.id}" if several else kind


def _kind(piece: Equipment) -> str:
    """Returns the kind of tests: of repeated draws, of whole decks, of samples without replacement."""
    return _tests_of(piece)[0].name


def _tests_of(piece: Equipment) -> tuple[Suite[Any, Any], Any, Callable[[Any], Sample[Any]]]:
    """Returns the suite of a piece, what its tests take the piece for, and what makes a sample of what was drawn."""
    if piece.replaced:
        return sequences.BATTERY, piece.size, lambda drawn: sequences.IntegerDraws(drawn, piece.size)
    if piece.supply == piece.size and cards.FEWEST_CARDS <= piece.size <= cards.MOST_CARDS:
        shoe = tested_shoe(piece)
        return cards.BATTERY, shoe, lambda drawn: cards.DealtDecks(drawn, shoe)
    draw = OrderedSample(piece.size, piece.supply)
    # Items that show one face follow each other, so that cards of one rank do.
    places = np.argsort(np.argsort(piece.shows, kind="stable"), kind="stable")
    return balls.BATTERY, draw, lambda drawn: balls.DrawnBalls(draw, places[drawn].astype(drawn.dtype))


def recorded(piece: Equipment, language: Language = "english") -> RecordPiece:
    """Returns a piece of equipment as the reader of given output takes it, its faces by the names of a language."""
    return RecordPiece(piece.supply, piece.shows, spellings(piece.faces, language), piece.replaced)


def tested_shoe(piece: Equipment) -> DeckShoe:
    """Returns ranks and suits of a shoe as the tests of cards take them; jokers are a rank of their own."""
    parts = [piece.faces[face].partition(" of ") for face in piece.shows]
    named = [rank in piece.ranks and suit in piece.suits for rank, _, suit in parts]
    ranks = (
        piece.ranks.index(rank) if known else len(piece.ranks)
        for (rank, _, _), known in zip(parts, named, strict=True)
    )
    suits = (
        piece.suits.index(suit) if known else len(piece.suits)
        for (_, _, suit), known in zip(parts, named, strict=True)
    )
    return DeckShoe(piece.size, tuple(ranks), tuple(suits))


MOST_ROWS: Final = 100_000
"""Rows that are dealt for the statistical tests at most, where the profile asks for fewer."""


DRAWS_TESTED: Final = 150
"""Repeated draws of one row that are tested at most, all pieces together.

A row of a game with features holds thousands, for series that next to no round comes to.
"""


def supply_tested(piece: Equipment, equipment: Sequence[Equipment]) -> int:
    """Returns how many draws of a piece are tested in each row: all, or as many of each piece as fit together.

    >>> from certify.model.equipment import Kind, strip
    >>> reel, free = strip("reel", Kind.REEL, "AB"), strip("free", Kind.REEL, "AB", 1_500)
    >>> supply_tested(reel, (reel, free)), supply_tested(free, (reel, free))
    (1, 149)
    """
    repeated = sorted(other.supply for other in equipment if other.replaced)
    if not piece.replaced or sum(repeated) <= DRAWS_TESTED:
        return piece.supply
    left = DRAWS_TESTED
    for place, supply in enumerate(repeated):
        share = max(1, left // (len(repeated) - place))
        if supply > share:
            return min(piece.supply, share)
        left -= supply
    return piece.supply


def rows_tested(equipment: Sequence[Equipment], asked: int) -> int:
    """Returns how many rows are dealt for the tests: as many as requested, or as every test that applies needs.

    A test that the profile's sample would be too short for would leave the verdict open whatever is dealt.

    Args:
        equipment: What a round is drawn from.
        asked: Rows that the profile requires.
    """
    needed = [rows for piece in equipment for rows in _rows_needed(piece, equipment) if rows <= MOST_ROWS]
    return max(asked, *needed, 1)


def _rows_needed(piece: Equipment, equipment: Sequence[Equipment]) -> Iterator[int]:
    """Yields the rows that each test of a piece needs."""
    suite, of, _ = _tests_of(piece)
    in_row = supply_tested(piece, equipment) if piece.replaced else 1
    minima = (test.minimum(of) for test in suite.tests)
    yield from (-(-needed // in_row) for needed in minima if isinstance(needed, int))


def draw_plan(equipment: tuple[Equipment, ...], rows: int, streams: int, stream_bits: int) -> BatteryPlan:
    """Returns the plan, fixed before any number is drawn."""
    return BatteryPlan(
        (
            *(test for piece in equipment for test in planned_tests(piece, equipment, rows)),
            *(PlannedTest("sp800-22", name, streams * stream_bits) for name in sp800_22.TESTS),
            *whole_stream.planned(streams * stream_bits),
        )
    )


def planned_tests(piece: Equipment, equipment: Sequence[Equipment], rows: int) -> tuple[PlannedTest, ...]:
    """Returns the tests of a piece that apply to it, whatever the sample."""
    suite, of, _ = _tests_of(piece)
    size, parameters = rows, {}
    if piece.replaced:
        size, parameters = rows * supply_tested(piece, equipment), {"below": piece.size}
    planned = suite.planned(of, size, None, parameters) if piece.size > 1 else ()
    return tuple(replace(test, suite=suite_of(piece, equipment)) for test in planned)


def first_sample(game: Game, seed: bytes, rows: int, streams: int, stream_bits: int) -> RowSample:
    """Returns the sample of the plan: whole rows from the streams of the campaign, and the generator's bits."""
    return RowSample(
        dealt(StreamDecks.of(game, seed, "simulation-decks"), rows),
        game.equipment,
        tuple(from_bytes(stream_bytes(seed, index, stream_bits)) for index in range(streams)),
    )


def fresh_sample(
    game: Game, seed: bytes, rows: int, streams: int, stream_bits: int, enlargement: int
) -> RowSample:
    """Returns an independent, larger sample, which alone decides where the first was borderline."""
    return RowSample(
        dealt(StreamDecks.of(game, seed, "randomness-decks"), rows * enlargement),
        game.equipment,
        tuple(
            from_bytes(stream_bytes(seed, streams + index, stream_bits))
            for index in range(streams * enlargement)
        ),
    )


def dealt(source: StreamDecks, count: int) -> NDArray[Any]:
    """Returns the first decks of a source in the order in which a campaign plays them."""
    parts = [
        source.deal(index, min(CHUNK_ROUNDS, count - start))
        for index, start in enumerate(range(0, count, CHUNK_ROUNDS))
    ]
    return np.concatenate(parts)


def stream_bytes(seed: bytes, index: int, bits: int) -> bytes:
    """Returns the first bits of a raw stream as bytes."""
    source = stream(seed, "randomness-bits", index)
    data = source.read(bits // 8)
    source.close()
    return data


def run_tests(
    sample: RowSample,
    names: Sequence[str] | None = None,
    *,
    step: Step = lambda _: None,
    tell: Tell | None = None,
    executor: Executor | None = None,
) -> Tested:
    """Runs the tests on a sample: all of them, or those named ``suite/test``.

    Args:
        sample: What was drawn.
        names: The tests, all of them if left out.
        step: Receives the name of each suite.
        tell: Receives how many of its tests are done.
        executor: Where they run, instead of threads of this process.
    """
    running = executor or Threads(WORKERS)
    results: list[TestResult | NotRun] = []
    for piece in sample.equipment:
        suite = suite_of(piece, sample.equipment)
        chosen = _chosen(suite, names)
        # What shows one thing only, as the last of several boxes that are opened, is drawn and never varies.
        if piece.size > 1 and (chosen is None or chosen):
            step(f"{suite}: {len(sample.rows):,} rows")
            found = _on_piece(sample, piece, chosen, running, tell)
            results += [replace(result, suite=suite) for result in found]
    bit_names = _chosen("sp800-22", names)
    if sample.streams and (bit_names is None or bit_names):
        step(f"{len(sample.streams)} streams of SP 800-22")
        results += _over_streams(sample.streams, bit_names, running)
    whole_names = _chosen(whole_stream.SUITE, names)
    if sample.streams and (whole_names is None or whole_names):
        joined = from_bytes(b"".join(bits.octets().tobytes() for bits in sample.streams))
        step(f"whole stream of {joined.length:,} bits")
        results += whole_stream.run(joined, whole_names, running=running.map, tell=tell)
    return tuple(results)


def _on_piece(
    sample: RowSample, piece: Equipment, names: list[str] | None, executor: Executor, tell: Tell | None
) -> Tested:
    """Runs tests of one piece: those named, or all that are planned; a test that does not apply is in no plan."""
    planned = names or [test.test for test in planned_tests(piece, (piece,), len(sample.rows))]
    suite, _, sample_of = _tests_of(piece)
    return suite.run(sample_of(sample.of_piece(piece)), planned, running=executor.map, tell=tell)


def _chosen(suite: str, names: Sequence[str] | None) -> list[str] | None:
    """Returns the tests of one suite among the names, or None for all."""
    if names is None:
        return None
    return [name.removeprefix(f"{suite}/") for name in names if name.startswith(f"{suite}/")]


def on_stream(names: Sequence[str] | None, bits: BitStream) -> Tested:
    """Returns the result of each test of SP 800-22 on a bit stream, of all where no names are given.

    Exact constants decide.
    """
    wanted = names if names is None or len(names) > 1 else [*names, "frequency", "runs"][:2]
    run = sp800_22.run(bits, tests=wanted, constants="exact")
    return run if names is None else tuple(result for result in run if result.test in names)


def _over_streams(streams: Sequence[BitStream], names: list[str] | None, executor: Executor) -> Tested:
    """Runs the tests of SP 800-22 on every stream and puts all p-values of a test into one result."""
    found = executor.map(partial(on_stream, names), streams)
    together = pooled([(f"stream {place}", results) for place, results in enumerate(found, 1)])
    size = len(streams) * max(bits.length for bits in streams)
    return tuple(replace(one, sample_size=size) if isinstance(one, TestResult) else one for one in together)


def decide(
    plan: BatteryPlan, first: Tested, draw_fresh: Callable[[], RowSample], *, executor: Executor | None = None
) -> tuple[BatteryVerdict, Tested]:
    """Returns the verdict by the plan and its results; a fresh sample is drawn only if the plan asks."""
    names = suspects(plan, first)
    if not names:
        return conclude_plan(plan, first), first
    second = run_tests(draw_fresh(), names, executor=executor)
    return conclude_plan(plan, first, second), (*first, *second)


def randomness_again(
    stated: Randomness, game: Game, rows: int, streams: int, stream_bits: int, planted: Sequence[TriedFault]
) -> Randomness:
    """Returns what follows where the tests have the p-values that evidence says they have.

    Args:
        stated: What the evidence says was found.
        game: The game.
        rows: Rows of the first sample.
        streams: Bit streams of the first sample.
        stream_bits: Bits of each.
        planted: What follows of the planted faults.

    Raises:
        SampleError: Nothing follows: they are not the tests of the plan, or no p-values.
    """
    plan = draw_plan(game.equipment, rows, streams, stream_bits)
    more = plan.enlargement
    larger = draw_plan(game.equipment, rows * more, streams * more, stream_bits)
    # Where a test was not run, whether it should have been is what its verdict says.
    left_open = stated.verdict == "inconclusive"
    found: tuple[dict[tuple[str, str], TestResult | NotRun], ...] = ({}, {})
    for test in stated.tests:
        key, number = (test.suite, test.test), len(test.p_values)
        if not number or {len(test.labels), len(test.deciding or ())} - {0, number}:
            raise SampleError(
                f"{test.suite} {test.test}: not one label and one p-value that decides for each"
            )
        again = TestResult(
            suite=test.suite,
            test=test.test,
            p_values=test.p_values,
            labels=test.labels,
            statistic=test.statistic,
            degrees_of_freedom=test.degrees_of_freedom,
            null=test.null,
            detectable=test.detectable,
            deciding=test.deciding or (),
        )
        # What the first sample reported was reported again by a fresh one.
        found[key in found[0]][key] = again
    for left in stated.not_run:
        key = left.suite, left.test
        found[key in found[0]][key] = NotRun(left.suite, left.test, left.reason, failed=left_open)
    first, second = (
        tuple(
            replace(one, sample_size=test.sample_size) if isinstance(one, TestResult) else one
            for test in planned.tests
            if (one := results.pop((test.suite, test.test), None)) is not None
        )
        for planned, results in zip((plan, larger), found, strict=True)
    )
    strays = [f"{suite} {test}" for results in found for suite, test in results]
    if strays:
        raise SampleError(f"not tests of the plan, or reported twice: {', '.join(strays)}")
    names = suspects(plan, first)
    verdict = conclude_plan(plan, first, second if names or second else None)
    tested = (*first, *second)
    return summarise(rows, streams * stream_bits, verdict, tested, planted)


def summarise(
    rows: int, bits: int, verdict: BatteryVerdict, tested: Tested, planted: Sequence[TriedFault]
) -> Randomness:
    """Returns the verdict and its tests in the form of the report.

    Args:
        rows: Rows that were tested first.
        bits: Bits that were tested first.
        verdict: The collective verdict.
        tested: Every test of every sample.
        planted: What was found of planted faults.
    """
    worst = verdict.worst
    if verdict.stages > 1:
        # A fresh sample looks at what the first one objected to; of all else the first one has decided.
        first = {(result.suite, result.test): result for result in reversed(tested)}
        worst = conclude(tuple(first.values()), alpha=verdict.alpha).worst | worst
    run = [one for one in tested if isinstance(one, TestResult)]
    return Randomness(
        plan=PlanOfTests(verdict.plan_digest, verdict.rule, verdict.stages),
        decks=rows,
        bits=bits,
        alpha=verdict.alpha,
        family_size=verdict.family_size,
        tests=tuple(_row(one, worst[one.suite, one.test], verdict.alpha) for one in run),
        not_run=tuple(TestNotRun(item.suite, item.test, item.reason) for item in verdict.not_run),
        verdict=verdict.word,
        sentence="; ".join(verdict.reasons) + ".",
        smallest_adjusted_p=min((one.adjusted for one in verdict.decisions), default=1.0),
        planted=tuple(planted),
    )


def _row(result: TestResult, worst: BatteryDecision, alpha: float) -> RandomTest:
    """Returns one test as the report prints it."""
    return RandomTest(
        suite=result.suite,
        test=result.test,
        sample_size=result.sample_size,
        statistic=result.statistic,
        degrees_of_freedom=result.degrees_of_freedom,
        p_values=result.p_values,
        labels=result.labels,
        smallest_p=min(result.decided),
        deciding=result.deciding or None,
        adjusted_p=worst.adjusted,
        detectable=result.detectable,
        null=result.null,
        verdict=worst.word,
        threshold=alpha,
    )
