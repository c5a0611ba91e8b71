"""``certify rng test``: statistical tests of anybody's random output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from certify.cli.options import GAME, Progress, executor_option, format_option, print_json
from certify.cli.rng_input import Kind, Source, Submitted, open_source
from certify.cli.rng_layout import deck_layout
from certify.cli.rng_others import asked_others, run_others
from certify.cli.rng_suites import Outcome, Request, chosen_tests, run_suites, suites_for
from certify.cli.rng_verdict import Fresh, conclude_sample
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.executors.spec import ExecutorSpec

# How the tests of a game's wagers are named.
WAGERS: Final = "combinations-"
DATA: Final = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command(
    epilog="Examples: certify rng test --bits pi.bin; certify rng test --decks deals.csv; "
    "certify rng test --draws numbers.txt --range 40"
)
@click.option(
    "--bits", type=DATA, multiple=True, help="Raw bytes, most significant bit first; - is standard input."
)
@click.option("--decks", type=DATA, multiple=True, help="40 bytes a deck, card ids 0-39, or CSV.")
@click.option(
    "--draws", type=DATA, multiple=True, help="Unsigned integers below --range, text one a line, or --dtype."
)
@click.option("--range", "below", type=click.IntRange(2, 1 << 64), metavar="N", help="Range of the draws.")
@click.option(
    "--first",
    type=click.IntRange(0, 1 << 32),
    default=0,
    metavar="N",
    help="The smallest number of text, 1 for the faces of a die; --range counts from it.",
)
@click.option(
    "--pack", type=click.Choice(["40", "52", "54"]), help="Cards in a pack; 54 are 52 and two jokers (40)."
)
@click.option(
    "--shoe", type=click.IntRange(1, 8), metavar="N", help="Packs shuffled together in each deck (1)."
)
@click.option(
    "--names",
    type=click.Choice(["english", "italian", "spanish"]),
    help="Language of the names of cards, such as KD, Re di cuori, K♦ (english).",
)
@click.option(
    "--separator",
    metavar="MARK",
    help="Between cards or numbers of a line, TAB for a tab; found out if left out.",
)
@click.option("--columns", metavar="A-B,C", help="Columns that hold the cards or numbers, counted from 1.")
@click.option(
    "--json-lines", metavar="MEMBER", help="JSON lines; the member that is the number or list, '' for a list."
)
@click.option(
    "--double-zero", type=click.IntRange(0), metavar="N", help="The number that 00 of a wheel stands for."
)
@click.option(
    "--suite",
    type=click.Choice(["sp800-22", "whole-stream", "sequences", "cards", "all"]),
    help="Tests to run; if left out sp800-22 and whole-stream for bits, cards for decks, sequences for draws.",
)
@click.option("--tests", metavar="A,B", help="Only these tests, such as frequency,runs or sp800-22/serial.")
@click.option("--ascii", "as_ascii", is_flag=True, help="Bits are the characters 0 and 1.")
@click.option("--hex", "as_hex", is_flag=True, help="Bits are hexadecimal digits.")
@click.option("--base64", "as_base64", is_flag=True, help="Bits are base64.")
@click.option("--raw", is_flag=True, help="Bits are raw bytes even where they look like text.")
@click.option("--csv", is_flag=True, help="Decks are CSV; found out from the first line if left out.")
@click.option(
    "--dtype",
    type=click.Choice(["u8", "u16", "u32", "u64"]),
    help="Draws are binary words; for --bits the words of --suite sequences (u32).",
)
@click.option("--big-endian", is_flag=True, help="Byte order of binary words; little-endian if left out.")
@click.option(
    "--set", "settings", multiple=True, metavar="TEST.PARAMETER=N", help="Such as block-frequency.m=128."
)
@click.option("--streams", type=click.IntRange(1), metavar="N", help="Cut the bits into N sequences.")
@click.option("--length", type=click.IntRange(1), metavar="M", help="Bits in each sequence.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Threads for the sequences of SP 800-22; the result does not depend on it.",
)
@executor_option
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Family-wise error of the verdict.",
)
@click.option(
    "--constants",
    type=click.Choice(["reference", "exact"]),
    default="reference",
    show_default=True,
    help="Constants of the p-values shown first; the verdict always rests on the exact ones.",
)
@click.option("--game", type=GAME, help="With --decks: the outcomes of this game's wagers are tested too.")
@click.option(
    "--fresh",
    type=DATA,
    help="An independent sample four times as large, which decides if the first is borderline.",
)
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write battery.pdf, battery.html and battery.json with tables and histograms.",
)
@click.option(
    "--also",
    metavar="A,B",
    help="Other batteries to run on the same bytes, where installed: dieharder, practrand. They take long.",
)
@click.option(
    "--also-limit",
    type=click.FloatRange(1),
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="Each of them is stopped after so long; what it printed by then is read.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A log of dieharder, PractRand or TestU01 to put beside our results; may be repeated.",
)
@format_option
def test(
    bits: tuple[Path, ...],
    decks: tuple[Path, ...],
    draws: tuple[Path, ...],
    game: Path | None,
    fresh: Path | None,
    suite: str | None,
    tests: str | None,
    settings: tuple[str, ...],
    streams: int | None,
    length: int | None,
    workers: int,
    executor: ExecutorSpec | None,
    alpha: float,
    constants: Literal["reference", "exact"],
    report: Path | None,
    also: str | None,
    also_limit: float,
    logs: tuple[Path, ...],
    output: str,
    **form: Any,
) -> int:
    r"""Test random output: bits, decks or numbers, from a file or from standard input.

    The option that names the file may be repeated: the files are read in their order, as one. What gzip,
    bzip2 or xz packed is unpacked as it is read.

    Bits beyond 2^25 are cut into sequences of 1,000,000 unless --streams or --length say otherwise. All
    p-values are decided together by Holm's procedure. A test that the data is too short for is named, and
    leaves the verdict inconclusive.

    \b
    Exit codes: 0 satisfied, 1 not satisfied, 2 wrong call or malformed input,
    4 inconclusive (too short), 5 nothing was run.
    """
    from certify.cli.rng_document import document, print_text
    from certify.cli.rng_report import require_room, write_report
    from certify.executors.spec import ExecutorSpec, open_executor

    source = _source(bits, decks, draws, **form)
    suites = suites_for(source.kind, source.below, suite)
    request = replace(_request(suites, tests, settings, streams, length, workers, alpha), game=game)
    if game is not None and source.kind != "decks":
        raise click.UsageError("--game goes with --decks only")
    if game is not None and source.layout is not None and source.layout.pack.cards != 40:
        raise click.UsageError("--game goes with decks of 40 cards only")
    if fresh is not None and fresh in source.paths:
        raise click.UsageError("--fresh: the same data cannot be tested again")
    if report is not None:
        require_room(report)
    asked = asked_others(source.kind, source.below, also, logs, also_limit)
    progress = Progress(quiet=output == "json")
    submitted = _open(source, progress)
    with open_executor(executor or ExecutorSpec("threads", workers)) as running:
        request = replace(request, executor=running)
        outcome = run_suites(submitted, request, progress.step, _counter(progress, "sequences"))
        opener = (
            None
            if fresh is None
            else _fresh(replace(source, path=fresh, more=()), submitted, request, progress)
        )
        concluded = conclude_sample(outcome, alpha, opener)
    others = run_others(asked, submitted, progress.step)
    made = document(submitted, outcome, concluded, constants, others)
    if report is not None:
        progress.step(f"writing {report}")
        write_report(report, made)
    if output == "json":
        print_json(made)
    else:
        print_text(made)
    return int(concluded.code)


def _source(
    bits: tuple[Path, ...],
    decks: tuple[Path, ...],
    draws: tuple[Path, ...],
    below: int | None,
    as_ascii: bool,
    as_hex: bool,
    as_base64: bool,
    raw: bool,
    first: int,
    double_zero: int | None,
    csv: bool,
    dtype: Any,
    big_endian: bool,
    **records: Any,
) -> Source:
    """Returns where the data is.

    Raises:
        UsageError: Not exactly one kind is given, or an option belongs to another kind.
    """
    given: list[tuple[Kind, tuple[Path, ...]]] = [("bits", bits), ("decks", decks), ("draws", draws)]
    named = [(kind, paths) for kind, paths in given if paths]
    if len(named) != 1:
        raise click.UsageError("expected one of --bits FILE, --decks FILE and --draws FILE")
    kind, paths = named[0]
    if len(set(paths)) < len(paths):
        raise click.UsageError(f"--{kind}: the same file cannot be tested twice")
    if as_ascii + as_hex + as_base64 + raw > 1:
        raise click.UsageError("expected one of --ascii, --hex, --base64 and --raw")
    strays = (
        ("--ascii", as_ascii and kind != "bits", "--bits"),
        ("--hex", as_hex and kind != "bits", "--bits"),
        ("--base64", as_base64 and kind != "bits", "--bits"),
        ("--raw", raw and kind != "bits", "--bits"),
        ("--first", first and (kind == "bits" or dtype is not None), "--draws or --decks of text"),
        (
            "--double-zero",
            double_zero is not None and (kind != "draws" or dtype is not None),
            "--draws of text",
        ),
        *(
            (f"--{name}", records[name] is not None and kind != "decks", "--decks")
            for name in ("pack", "shoe", "names")
        ),
        *(
            (
                f"--{name.replace('_', '-')}",
                records[name] is not None and (kind == "bits" or dtype is not None),
                "--decks or --draws of text",
            )
            for name in ("separator", "columns", "json_lines")
        ),
        ("--csv", csv and kind != "decks", "--decks"),
        ("--range", below is not None and kind != "draws", "--draws"),
        ("--dtype", dtype is not None and kind == "decks", "--draws or --bits"),
        ("--big-endian", big_endian and kind == "decks", "--draws or --bits"),
    )
    for option, stray, owner in strays:
        if stray:
            raise click.UsageError(f"{option} goes with {owner} only")
    if kind == "draws" and below is None:
        raise click.UsageError("--draws needs --range N")
    encoding: Literal["hex", "base64"] | None = "hex" if as_hex else "base64" if as_base64 else None
    cells = any(records[name] is not None for name in ("separator", "columns", "json_lines"))
    layout = deck_layout(first, **records) if kind == "decks" or cells else None
    return Source(
        kind,
        paths[0],
        as_ascii,
        csv,
        dtype,
        big_endian,
        below or 0,
        more=paths[1:],
        encoding=encoding,
        raw=raw,
        first=first,
        double_zero=double_zero,
        layout=layout,
    )


def _request(
    suites: tuple[str, ...],
    tests: str | None,
    settings: tuple[str, ...],
    streams: int | None,
    length: int | None,
    workers: int,
    alpha: float,
) -> Request:
    """Returns the tests asked for, checked before any data is opened.

    Raises:
        UsageError: A test or an option does not fit.
        SampleError: A setting names no parameter or is out of its limits.
    """
    chosen = chosen_tests(suites, tests)
    if "sp800-22" not in chosen and (settings or streams or length):
        raise click.UsageError("--set, --streams and --length go with --suite sp800-22 only")
    parsed: dict[str, int | str] = {}
    for setting in settings:
        name, separator, value = setting.partition("=")
        if not separator or name in parsed:
            raise click.UsageError(f"--set {setting}: TEST.PARAMETER=N expected, each once")
        parsed[name] = value
    if parsed:
        from rng.battery.sp800_22.battery import read_settings

        read_settings(parsed)
    return Request(suites, chosen, parsed, streams, length, workers, alpha)


def _open(source: Source, progress: Progress) -> Submitted:
    return open_source(source, _counter(progress, "bytes"))


def _counter(progress: Progress, unit: str) -> Callable[[int, int], None]:
    return lambda done, total: progress.at(done, total, unit)


def _fresh(source: Source, first: Submitted, request: Request, progress: Progress) -> Fresh:
    """Returns what opens the fresh sample when the first one turns out to be borderline."""

    def run(names: tuple[str, ...], outcome: Outcome) -> tuple[Submitted, Outcome]:
        from rng.battery.plan import ENLARGEMENT

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
            test_name for name in names if (test_name := name.partition("/")[2]).startswith(WAGERS)
        )
        for suite, _, test_name in (name.partition("/") for name in names):
            tests[suite] = (*(tests.get(suite) or ()), *(() if test_name in wagers else (test_name,)))
        cut = outcome.cut
        streams, length = (1, None) if cut is None or cut.streams == 1 else (None, cut.length)
        game = request.game if wagers else None
        again = replace(request, tests=tests, streams=streams, length=length, game=game, wagers=wagers)
        return submitted, run_suites(submitted, again, progress.step, _counter(progress, "sequences"))

    return run
