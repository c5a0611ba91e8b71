"""``certify rng generate``: our own output, for an outside laboratory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from certify.cli.exits import Exit
from certify.cli.options import Progress, drawn_seed, format_option, given_seed_option, print_json
from certify.cli.rng_files import Written, copy_pieces, require_place, write_whole
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.cli.rng_export import Export
    from rng.transcript import Recorder

STANDARD_OUTPUT = Path("-")
# The largest range that the tests of sequences take.
LARGEST_RANGE = 1 << 48


@click.command(
    epilog="Example: certify rng generate --decks 1000000 --out decks.bin --transcript decks.transcript"
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
@click.option("--no-reveal", is_flag=True, help="Keep the seed out of the transcript, to reveal it later.")
@given_seed_option
@format_option
def generate(
    out: Path, transcript: Path | None, no_reveal: bool, seed: bytes | None, output: str, **asked: Any
) -> int:
    """Export our own generator's output in the formats that `certify rng test` reads.

    Drawn from the stream (seed, purpose "export", index 0) by the byte-consumption rule in docs/.
    """
    export = _export(**asked)
    _check_places(out, transcript, no_reveal, output)
    seed = drawn_seed(seed)
    progress = Progress(quiet=output == "json")
    progress.step(f"drawing {export.count:,} {export.kind}")
    document = _draw(export, seed, out, transcript, no_reveal, progress)
    if output == "json":
        print_json(document)
    else:
        _print(document, to_error=out == STANDARD_OUTPUT)
    return int(Exit.SATISFIED)


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
    """Returns what is asked for.

    Raises:
        UsageError: Not exactly one kind is asked for, or an option belongs to another kind.
    """
    from certify.cli.rng_export import Export

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
    export: Export, seed: bytes, out: Path, transcript: Path | None, no_reveal: bool, progress: Progress
) -> dict[str, Any]:
    """Draws, writes the file and its transcript, and returns what was done."""
    from certify.cli.rng_export import PlainDraws, RecordedDraws
    from rng.streams import stream
    from rng.transcript import CONSUMPTION_RULE, record_stream

    def tell(done: int) -> None:
        progress.at(done, export.count, export.kind)

    if transcript is None:
        source = stream(seed, "export", 0)
        written = _write(out, export, PlainDraws(source), tell)
        source.close()
        record = None
    else:
        recorder = record_stream(seed, "export", 0)
        written = _write(out, export, RecordedDraws(recorder), tell)
        record = _close(recorder, transcript, no_reveal)
    described: dict[str, Any] = {"kind": export.kind, "count": export.count, "format": export.form}
    if export.kind == "draws":
        described |= {"range": export.below, "byte_order": "big" if export.big_endian else "little"}
    return {
        "output": {**described, "file": str(out), "bytes": written.size, "sha256": written.sha256},
        "seed": seed.hex(),
        "purpose": "export",
        "index": 0,
        "consumption_rule": CONSUMPTION_RULE,
        "transcript": record,
    }


def _write(out: Path, export: Export, draws: Any, tell: Callable[[int], None]) -> Written:
    pieces = export.pieces(draws, tell)
    if out == STANDARD_OUTPUT:
        return copy_pieces(pieces, sys.stdout.buffer)
    return write_whole(out, pieces)


def _close(recorder: Recorder, transcript: Path, no_reveal: bool) -> dict[str, Any]:
    """Ends the transcript, reveals the seed unless told not to, and writes it."""
    before_reveal = recorder.close()
    if not no_reveal:
        recorder.reveal()
    written = write_whole(transcript, [recorder.text().encode("ascii")])
    return {
        "file": str(transcript),
        "sha256": written.sha256,
        "draws": recorder.draws,
        "chain_before_reveal": before_reveal,
        "chain": json.loads(recorder.lines[-1])["chain"],
        "commitment": recorder.records[0]["commitments"][0],
        "seed_revealed": not no_reveal,
    }


def _print(document: dict[str, Any], to_error: bool) -> None:
    """Prints what was written, on standard error where standard output holds the data."""
    written, record = document["output"], document["transcript"]
    lines = [
        f"{written['count']:,} {written['kind']} ({written['format']}), {written['bytes']:,} bytes: {written['file']}",
        f"sha256 {written['sha256']}",
        (
            f"seed {document['seed']}, purpose {document['purpose']}, index {document['index']}, "
            f"byte-consumption rule {document['consumption_rule']}"
        ),
    ]
    if record is not None:
        lines += [
            f"transcript {record['file']}: {record['draws']} draws, chain {record['chain']}",
            (
                f"commitment {record['commitment']}, "
                f"seed {'revealed at its end' if record['seed_revealed'] else 'not revealed in it'}"
            ),
        ]
    for line in lines:
        click.echo(line, err=to_error)
