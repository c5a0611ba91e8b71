"""``certify rng generate``: our own output, for an outside laboratory."""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from certify.cli.options import (
    FiniteRange,
    Progress,
    drawn_seed,
    format_option,
    given_seed_option,
    print_json,
)
from certify.cli.rng_replay import (
    DrawnOutput,
    Export,
    Live,
    Seeded,
    WrittenOutput,
    events_of,
    live_of,
    plain_draws,
    recorded_draws,
    require_place,
    round_by_round,
    written,
)
from certify.errors import InputError, Refusing
from certify.untrusted_input import Document, write_whole
from rng.errors import EntropyError
from rng.generator import Generator
from rng.streams import Stream
from rng.transcript import CONSUMPTION_RULE, TranscriptRecorder

STANDARD_OUTPUT = Path("-")
# The largest range that the tests of sequences take.
LARGEST_RANGE = 1 << 48


@click.command(
    short_help="export output of our own generator",
    epilog="Example: certify rng generate --decks 1000000 --out decks.bin --transcript decks.transcript",
)
@click.option(
    "--bits", type=click.IntRange(1), metavar="N", help="N raw bits, a multiple of 8 unless --ascii."
)
@click.option("--decks", type=click.IntRange(1), metavar="N", help="N shuffled decks of 40 cards.")
@click.option("--draws", type=click.IntRange(1), metavar="N", help="N integers below --range.")
@click.option(
    "--range", "below", type=click.IntRange(2, LARGEST_RANGE), metavar="M", help="Range of the draws."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File; - for standard output.")
@click.option("--ascii", "as_ascii", is_flag=True, help="Bits as the characters 0 and 1.")
@click.option("--csv", is_flag=True, help="Decks as CSV, one deck a line.")
@click.option(
    "--dtype", type=click.Choice(["u8", "u16", "u32"]), help="Draws as binary words; text if left out."
)
@click.option("--big-endian", is_flag=True, help="Byte order of binary words; little-endian if left out.")
@click.option(
    "--transcript",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every draw down, with a commitment to the seed before and the seed after.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Draw as in live play: seeded by the operating system under health tests, reseeded, no seed to repeat it.",
)
@click.option(
    "--reseed-rounds",
    type=click.IntRange(1),
    metavar="N",
    help="With --live: a fresh seed after N rounds; a round is a deck, or a number.",
)
@click.option(
    "--reseed-seconds",
    type=FiniteRange(0, min_open=True),
    metavar="S",
    help="With --live: a fresh seed for the next round once a seed is S seconds old.",
)
@click.option(
    "--seen",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --live: remember digests of all entropy inputs in FILE, and stop if one comes again.",
)
@click.option("--no-reveal", is_flag=True, help="Keep the seed out of the transcript, to reveal it later.")
@given_seed_option
@format_option
def generate(
    out: Path,
    transcript: Path | None,
    no_reveal: bool,
    live: bool,
    reseed_rounds: int | None,
    reseed_seconds: float | None,
    seen: Path | None,
    seed: bytes | None,
    output: str,
    **asked: Any,
) -> None:
    """Export our own generator's output in the formats that `certify rng test` reads.

    Drawn from the stream (seed, purpose "export", index 0) by the byte-consumption rule in docs/; with --live from
    a generator as in play, whose transcript reveals every entropy input at its end.
    """
    export = _export(**asked)
    requested_live = live_of(
        live, reseed_rounds, reseed_seconds, seen, export=export, seed=seed, no_reveal=no_reveal
    )
    _check_places(out, transcript, no_reveal, output)
    progress = Progress(quiet=output == "json")
    master = drawn_seed(seed) if requested_live is None else b""
    progress.step(f"drawing {export.count:,} {export.kind}{'' if requested_live is None else ' live'}")
    document = _draw(requested_live, export, master, out, transcript, no_reveal, progress)
    if output == "json":
        print_json(document)
    else:
        _print(document, to_error=out == STANDARD_OUTPUT)


def _export(
    bits: int | None,
    decks: int | None,
    draws: int | None,
    below: int | None,
    as_ascii: bool,
    csv: bool,
    dtype: Any,
    big_endian: bool,
) -> Export:
    """Returns what is requested.

    Raises:
        UsageError: Not exactly one kind is requested, or an option belongs to another kind.
    """
    if [bits, decks, draws].count(None) != 2:
        raise click.UsageError("expected one of --bits N, --decks N and --draws N")
    strays = (
        ("--ascii", as_ascii and bits is None, "--bits"),
        ("--csv", csv and decks is None, "--decks"),
        ("--dtype", dtype is not None and draws is None, "--draws"),
        ("--range", below is not None and draws is None, "--draws"),
        ("--big-endian", big_endian and dtype is None, "--dtype"),
    )
    for option, stray, owner in strays:
        if stray:
            raise click.UsageError(f"{option} goes with {owner} only")
    if bits is not None:
        if bits % 8 and not as_ascii:
            raise click.UsageError(f"--bits {bits}: a multiple of 8 expected, or --ascii")
        return Export("bits", bits, "ascii" if as_ascii else "raw")
    if decks is not None:
        return Export("decks", decks, "csv" if csv else "binary")
    if below is None or draws is None:
        raise click.UsageError("--draws needs --range M")
    if dtype is not None and below > 1 << int(dtype[1:]):
        raise click.UsageError(f"--range {below}: numbers of {dtype} reach {1 << int(dtype[1:])} values only")
    return Export("draws", draws, dtype or "text", below, big_endian)


def _check_places(out: Path, transcript: Path | None, no_reveal: bool, output: str) -> None:
    """Refuses, before anything is drawn, places that cannot be written to."""
    if no_reveal and transcript is None:
        raise click.UsageError("--no-reveal goes with --transcript only")
    if out == STANDARD_OUTPUT:
        if output == "json":
            raise click.UsageError("--out - and --format json would both write to standard output")
    else:
        require_place(out)
    if transcript is not None and transcript.resolve() == out.resolve():
        raise InputError(f"{transcript}: output and transcript are the same file")
    if transcript is not None:
        require_place(transcript)


def _draw(
    live: Live | None,
    export: Export,
    seed: bytes,
    out: Path,
    transcript: Path | None,
    no_reveal: bool,
    progress: Progress,
) -> Document:
    """Draws, writes the file and its transcript, and returns what was done.

    Raises:
        InputError: The entropy source failed, or gave an input for the second time; nothing is written.
    """
    source, recorder = (live or Seeded(seed)).open(transcript is not None)
    draws = plain_draws(source) if recorder is None else recorded_draws(recorder)
    if live is not None and live.limits is not None and isinstance(source, Generator):
        draws = round_by_round(draws, source.begin_round)
    with Refusing(EntropyError, InputError, "--live"):
        written = _write(out, export, draws, lambda done: progress.at(done, export.count, export.kind))
    origin = _origin(live, source, seed)
    record = None if recorder is None or transcript is None else _close(recorder, transcript, no_reveal)
    source.close()
    return {
        "output": _described(export, out, written),
        **origin,
        "consumption_rule": CONSUMPTION_RULE,
        "transcript": record,
    }


def _origin(live: Live | None, source: Stream | Generator, seed: bytes) -> Document:
    """Returns what was drawn from: the stream of a seed, or a live generator with what happened to it."""
    if live is None or not isinstance(source, Generator):
        return {"seed": seed.hex(), "purpose": "export", "index": 0}
    return {
        "seed": None,
        "purpose": "export",
        "live": {
            "reseed_rounds": live.rounds,
            "reseed_seconds": live.seconds,
            "seen": None if live.seen is None else str(live.seen),
            "events": events_of(source),
        },
    }


def _described(export: Export, out: Path, written: WrittenOutput) -> Document:
    described: Document = {"kind": export.kind, "count": export.count, "format": export.form}
    if export.kind == "draws":
        described |= {"range": export.below, "byte_order": "big" if export.big_endian else "little"}
    return {**described, "file": str(out), "bytes": written.size, "sha256": written.sha256}


def _write(out: Path, export: Export, draws: DrawnOutput, tell: Callable[[int], None]) -> WrittenOutput:
    pieces = export.pieces(draws, tell)
    if out == STANDARD_OUTPUT:
        told = written(pieces, sys.stdout.buffer.writelines)
        sys.stdout.buffer.flush()
        return told
    return written(pieces, lambda counted: write_whole(out, counted))


def _close(recorder: TranscriptRecorder, transcript: Path, no_reveal: bool) -> Document:
    """Ends the transcript, reveals the seed unless an option forbids it, and writes it."""
    before_reveal = recorder.close()
    if not no_reveal:
        recorder.reveal()
    content = recorder.text().encode("ascii")
    write_whole(transcript, [content])
    seeded = next(at for at, one in enumerate(recorder.records) if one.get("commitments"))
    first = recorder.records[seeded]["commitments"]
    return {
        "file": str(transcript),
        "sha256": hashlib.sha256(content).hexdigest(),
        "draws": recorder.draws,
        "chain_before_reveal": before_reveal,
        "chain": json.loads(recorder.lines[-1])["chain"],
        "commitment": first[0],
        "commitments": first,
        "opening": json.loads(recorder.lines[seeded])["chain"],
        "seed_revealed": not no_reveal,
    }


def _print(document: Document, to_error: bool) -> None:
    """Prints what was written, on standard error where standard output holds the data."""
    written, record = document["output"], document["transcript"]
    lines = [
        f"{written['count']:,} {written['kind']} ({written['format']}), {written['bytes']:,} bytes: {written['file']}",
        f"sha256 {written['sha256']}",
        _drawn_from(document),
    ]
    if record is not None:
        lines += [
            f"transcript {record['file']}: {record['draws']} draws, chain {record['chain']}",
            (
                f"commitment {' '.join(record['commitments'])}, "
                f"seed {'revealed at its end' if record['seed_revealed'] else 'not revealed in it'}"
            ),
        ]
    for line in lines:
        click.echo(line, err=to_error)


def _drawn_from(document: Document) -> str:
    """Returns in words what was drawn from."""
    rule = f"byte-consumption rule {document['consumption_rule']}"
    if document["seed"] is not None:
        return f"seed {document['seed']}, purpose {document['purpose']}, index {document['index']}, {rule}"
    events = ", ".join(f"{event} × {count}" for event, count in document["live"]["events"].items())
    return f"a live generator, purpose {document['purpose']}, {rule}; {events}"
