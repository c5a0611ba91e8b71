"""``certify rng test``: statistical tests of anybody's random output."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from certify.certification.given_output import OutputSource, SubmittedOutput, open_source
from certify.cli.failures import Exit
from certify.cli.options import (
    GAME,
    FiniteRange,
    Progress,
    executor_option,
    format_option,
    handed_over,
    option,
    placed,
    print_result,
)
from certify.cli.rng_document import (
    Fresh,
    conclude_sample,
    document,
    doubled,
    require_room,
    text_lines,
    write_report,
)
from certify.cli.rng_equipment import game_of
from certify.cli.rng_source import DATA, SampleOptions, same_file, source_of
from certify.cli.signing import Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.errors import InputError, NothingCheckedError
from certify.evidence import TestedSample, plain
from certify.executors import ExecutorSpec, open_executor
from certify.model import Game
from certify.seal import Identity
from rng.battery import ENLARGEMENT
from rng.errors import DoubledItemError
from rng.given.source import STANDARD_INPUT

if TYPE_CHECKING:
    from certify.certification.bit_sequences import SuiteOutcome
    from certify.certification.output_tests import SuiteRequest

SUITES: Final = ("sp800-22", "whole-stream", "sequences", "cards")
# How the tests of a game's wagers are named, and the suite of those of their order.
WAGERS: Final = "combinations-"
OF_ROUNDS: Final = "wagers"


@dataclass(frozen=True, slots=True)
class BatteryOptions:
    """Which tests are requested, and what else decides."""

    suite: str | None = option(
        "Tests to run; if left out sp800-22, whole-stream and sequences of the first words for bits, "
        "cards for decks, sequences for draws.",
        type=click.Choice(["sp800-22", "whole-stream", "sequences", "cards", "all"]),
    )
    tests: str | None = option("Only these tests, such as frequency,runs or sp800-22/serial.", metavar="A,B")
    settings: tuple[str, ...] = option(
        "Such as block-frequency.m=128.", name="--set", default=(), metavar="TEST.PARAMETER=N"
    )
    streams: int | None = option("Cut the bits into N sequences.", type=click.IntRange(1), metavar="N")
    length: int | None = option("Bits in each sequence.", type=click.IntRange(1), metavar="M")
    workers: int = option(
        "Threads for the sequences of SP 800-22; the result does not depend on it.",
        default=1,
        type=click.IntRange(1, 256),
        shown=True,
    )
    executor: ExecutorSpec | None = placed(executor_option)
    seeds: str = option(
        "Seeds of generators of runtimes that are tried against --draws: 65,536, every second from 2000 to 2038, or "
        "all of 32 bits (half an hour and two hours of one core).",
        default="few",
        type=click.Choice(["few", "clock", "all"]),
        shown=True,
    )
    alpha: float = option(
        "Family-wise error of the verdict.",
        default=0.01,
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        shown=True,
    )
    constants: Literal["reference", "exact"] = option(
        "Constants of the p-values shown first; the verdict always rests on the exact ones.",
        default="reference",
        type=click.Choice(["reference", "exact"]),
        shown=True,
    )
    game: Path | None = option(
        "With --decks of 40 cards or --equipment: what this game's wagers come to is tested too, from round to round "
        "and over time.",
        type=GAME,
    )
    fresh: Path | None = option(
        "An independent sample four times as large, which decides if the first is borderline.", type=DATA
    )


@click.command(
    short_help="test bits, decks or numbers",
    epilog="Examples: certify rng test --bits pi.bin; certify rng test --decks deals.csv; "
    "certify rng test --draws numbers.txt --range 40",
)
@handed_over(SampleOptions, "sample")
@handed_over(BatteryOptions, "asked")
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write battery.pdf, battery.html and battery.json with tables and histograms; with a key the PDF is signed, "
    "the numbers attached to it.",
)
@signing_options
@format_option
def test(
    sample: SampleOptions,
    asked: BatteryOptions,
    report: Path | None,
    signing: Signing,
    output: str,
) -> int:
    """Test random output: bits, decks or numbers, from a file or from standard input.

    The option that names the file may be repeated: the files are read in their order, as one. Files packed by gzip,
    bzip2 or xz are unpacked while they are read.

    Of more than 2^25 bits, SP 800-22 takes a hundred sequences of 1,000,000, spread evenly, unless --streams or
    --length say otherwise; the whole stream is tested as one in addition. All p-values are decided together by
    Holm's procedure. A test that the data is too short for is named, and
    leaves the verdict inconclusive.

    Exit codes: 0 satisfied, 1 not satisfied, 2 wrong call or malformed input,
    4 inconclusive (too short), 5 nothing was run.
    """
    source = source_of(sample)
    if report is not None:
        require_room(report)
    signs, progress = _signs(signing, report), Progress(quiet=output == "json")
    made, code = judge_sample(source, asked, progress, pictured=report is not None)
    if report is not None:
        progress.step(f"writing {report}")
        write_report(report, made, signs)
    chosen = f"--tests: {len(made.tests)} decided; every other test of this sample was left out"
    lines = [*([] if asked.tests is None else [chosen]), *text_lines(made)]
    print_result(output, plain(made), lines)
    return int(code)


def judge_sample(
    source: OutputSource, asked: BatteryOptions, progress: Progress, *, pictured: bool = False
) -> tuple[TestedSample, Exit]:
    """Returns the tests of a sample, and the exit code that follows.

    Args:
        source: Where the sample is, and how it is read.
        asked: Which tests are requested.
        progress: What reports the stages.
        pictured: Whether figures are drawn of it.

    Raises:
        UsageError: A test or an option does not fit the sample.
        SampleError: The sample is malformed.
    """
    from certify.certification.output_tests import run_suites, usual

    if source.given is not None and asked.suite not in (None, "all"):
        raise click.UsageError(f"--suite {asked.suite}: rows of equipment have the suites that fit it")
    suites = suites_for(source.kind, source.below, asked.suite) if source.given is None else ()
    if asked.seeds != "few" and (source.kind != "draws" or source.given is not None):
        raise click.UsageError(f"--seeds {asked.seeds} goes with --draws of --range only")
    beginning = asked.suite is None and usual(source).beginning
    request = _request(suites, source, asked, "sequences" if beginning else None)
    game = None if asked.game is None else _game(asked.game, source)
    request = replace(request, beginning=beginning, game=game)
    if asked.fresh is not None and asked.fresh != STANDARD_INPUT and same_file((asked.fresh, *source.paths)):
        raise click.UsageError("--fresh: the same data cannot be tested again")
    try:
        submitted = _open(source, progress)
    except DoubledItemError as error:
        return doubled(source, error, asked.alpha, asked.constants), Exit.FINDINGS
    with open_executor(asked.executor or ExecutorSpec("threads", asked.workers)) as running:
        request = replace(request, executor=running)
        outcome = run_suites(submitted, request, progress.step, progress.at)
        opener = (
            None
            if asked.fresh is None
            else _fresh(replace(source, path=asked.fresh, more=()), submitted, request, progress)
        )
        concluded = conclude_sample(outcome, asked.alpha, opener)
    return document(submitted, outcome, concluded, asked.constants, pictured=pictured), concluded.code


def _signs(signing: Signing, report: Path | None) -> tuple[Identity, datetime] | None:
    """Returns who signs the report, requested before any work, and when; None where nobody does."""
    if not signing.names_any:
        return None
    if report is None:
        raise click.UsageError("a signature is of a report: expected --report too")
    moment = SystemClock().now().replace(microsecond=0)
    return identify_signer(signing, moment), moment


def _game(path: Path, source: OutputSource) -> Game:
    """Returns the game, before any work; one whose wagers cannot be played on the sample is refused."""
    if source.kind == "bits" or (source.kind == "draws" and source.given is None):
        raise click.UsageError("--game goes with --decks, or --draws of --equipment, only")
    if source.given is None and source.layout is not None and source.layout.pack.cards != 40:
        raise click.UsageError("--game goes with decks of 40 cards only; of others, say --equipment too")
    return game_of(path, None if source.given is None else source.given.pieces)


def _request(
    suites: tuple[str, ...],
    source: OutputSource,
    asked: BatteryOptions,
    beside: str | None,
) -> "SuiteRequest":
    """Returns the tests requested, checked before any data is opened.

    Raises:
        UsageError: A test or an option does not fit.
        SampleError: A setting names no parameter or is out of its limits.
    """
    from certify.certification.output_tests import SuiteRequest, suites_of

    known = {suite: names_of(suite) for suite in suites}
    if source.given is not None:
        given = source.given
        known = suites_of(given.pieces, table=given.table, time=given.time)
    chosen = chosen_tests(known, asked.tests, beside)
    if "sp800-22" not in chosen and (asked.settings or asked.streams or asked.length):
        raise click.UsageError("--set, --streams and --length go with --suite sp800-22 only")
    parsed: dict[str, int | str] = {}
    for setting in asked.settings:
        name, separator, value = setting.partition("=")
        if not separator or name in parsed:
            raise click.UsageError(f"--set {setting}: TEST.PARAMETER=N expected, each once")
        parsed[name] = value
    if parsed:
        from rng.battery.sp800_22.battery import read_settings

        read_settings(parsed)
    return SuiteRequest(
        chosen,
        parsed,
        asked.streams,
        asked.length,
        asked.workers,
        asked.alpha,
        seeds=asked.seeds,
    )


def _open(source: OutputSource, progress: Progress) -> SubmittedOutput:
    return open_source(source, lambda done, total: progress.at(done, total, "bytes"))


def _fresh(
    source: OutputSource, first: SubmittedOutput, request: "SuiteRequest", progress: Progress
) -> Fresh:
    """Returns what opens the fresh sample when the first one turns out to be borderline."""

    def run(names: tuple[str, ...], outcome: "SuiteOutcome") -> "tuple[SubmittedOutput, SuiteOutcome]":
        from certify.certification.output_tests import run_suites

        submitted = _open(source, progress)
        if submitted.sha256 == first.sha256:
            raise InputError("--fresh: the same data cannot be tested again")
        if submitted.count < ENLARGEMENT * first.count:
            raise InputError(
                f"--fresh {source.name}: {submitted.count} {source.kind}, "
                f"expected at least {ENLARGEMENT} × {first.count}"
            )
        tests: dict[str, tuple[str, ...] | None] = {}
        wagers = tuple(
            test
            for suite, _, test in (name.partition("/") for name in names)
            if suite == OF_ROUNDS or test.startswith(WAGERS)
        )
        for suite, _, test_name in (name.partition("/") for name in names):
            tests[suite] = (*(tests.get(suite) or ()), *(() if test_name in wagers else (test_name,)))
        cut = outcome.cut
        streams, length = (1, None) if cut is None or cut.streams == 1 else (None, cut.length)
        if cut is not None and cut.apart > 1:
            length = None  # The fresh sample, longer still, is spread over in the same way.
        game = request.game if wagers else None
        again = replace(request, tests=tests, streams=streams, length=length, game=game, wagers=wagers)
        return submitted, run_suites(submitted, again, progress.step, progress.at)

    return run


def suites_for(kind: str, below: int, suite: str | None) -> tuple[str, ...]:
    """Returns the suites to run on a kind of sample.

    Raises:
        UsageError: The suite does not fit the sample.

    >>> suites_for("draws", 40, "all"), suites_for("draws", 256, "all"), suites_for("bits", 0, None)
    (('sequences',), ('sp800-22', 'whole-stream', 'sequences'), ('sp800-22', 'whole-stream', 'sequences'))
    """
    from certify.certification.output_tests import USUAL

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
        return USUAL[kind]
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
    """Returns the tests requested by suite; a suite of which none is requested is left out.

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
