"""``certify rng replay``: draw a transcript again and say where the first difference is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from certify.cli.exits import Exit
from certify.cli.options import Progress, format_option, print_json
from certify.errors import InputError

if TYPE_CHECKING:
    from rng.replay_report import ReplayPromise


SHOWN: Final = 20
"""Failures, reseeds and restarts that are printed one by one; JSON lists them all."""


@click.command(epilog="Example: certify rng replay draws.transcript")
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--seed",
    "seeds",
    multiple=True,
    metavar="HEX",
    help="Seed of a transcript that does not reveal it; for a live generator each entropy input in order.",
)
@click.option(
    "--commitment",
    "commitments",
    multiple=True,
    metavar="HEX",
    help="Commitment published before play; for a live generator those of its seed, then of each reseed and restart.",
)
@click.option(
    "--opening",
    metavar="HEX",
    help="Chain digest, published before play, of the record that commits to the first seed: header included.",
)
@click.option("--chain", metavar="HEX", help="Chain digest published at the end of play.")
@format_option
def replay(
    transcript: Path,
    seeds: tuple[str, ...],
    commitments: tuple[str, ...],
    opening: str | None,
    chain: str | None,
    output: str,
) -> int:
    """Verify the chain and the commitments of TRANSCRIPT, and draw all of it again from its seed.

    Whoever holds the seed can write another transcript that replays as well: a shortened one, or one with an
    invented failure and a restart on a chosen seed. --commitment, --opening and --chain say what was published.

    Exit codes: 0 every draw is the same, rests on what is given here, and the end is shown, 1 the transcript
    was altered, is not the one that was published, or a draw differs (the first difference is named), 2 unreadable,
    4 every draw is the same and one of the two others is not shown, 5 it records no draw.
    """
    from rng.errors import TranscriptError
    from rng.replay import replay_file

    _check_readable(transcript)
    secrets = _secrets(seeds)
    promise = _promise(commitments, opening, chain)
    Progress(quiet=output == "json").step(f"replaying {transcript}")
    try:
        document: dict[str, Any] = replay_file(transcript, secrets, promise).to_json()
    except TranscriptError as error:
        document = {"records": None, "draws": None, "chain": None, "holds": False, "first_difference": None}
        document |= {"promised": list(promise.kept), "reason": str(error)}
    if output == "json":
        print_json(document)
    else:
        _print(document)
    if not document["holds"]:
        return int(Exit.FINDINGS)
    if not document["draws"]:
        return int(Exit.NOTHING_CHECKED)
    return int(Exit.INCONCLUSIVE if document["undecided"] else Exit.SATISFIED)


def _check_readable(transcript: Path) -> None:
    """Refuses a file that cannot be opened: that is a wrong call, no finding about the transcript."""
    try:
        with transcript.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as error:
        raise InputError(f"{transcript}: cannot be read ({error.strerror})") from None
    if empty:
        raise InputError(f"{transcript}: empty, expected a transcript")


def _secrets(seeds: tuple[str, ...]) -> list[bytes] | None:
    """Returns the seeds given on the command line, or None to take those that the transcript reveals."""
    try:
        return [bytes.fromhex(seed) for seed in seeds] or None
    except ValueError:
        raise click.BadParameter("expected hexadecimal digits", param_hint="--seed") from None


def _promise(commitments: tuple[str, ...], opening: str | None, chain: str | None) -> ReplayPromise:
    """Returns what was published of the transcript, once it is found to be digests."""
    from rng.replay_report import ReplayPromise

    given = {"--commitment": commitments, "--opening": (opening,), "--chain": (chain,)}
    for option, digests in given.items():
        if not all(re.fullmatch("[0-9a-fA-F]{64}", digest) for digest in digests if digest is not None):
            raise click.BadParameter("expected 64 hexadecimal digits", param_hint=option)
    first, last = (digest and digest.lower() for digest in (opening, chain))
    return ReplayPromise(tuple(digest.lower() for digest in commitments), last, first)


def _print(document: dict[str, Any]) -> None:
    """Prints what the replay found."""
    if "reason" in document:
        click.echo(f"DOES NOT VERIFY: {document['reason']}")
        return
    click.echo(f"{document['records']} records, {document['draws']} draws, chain {document['chain']}")
    for event in document["events"][:SHOWN]:
        # What the generator said comes from the transcript: quoted, so that a terminal does not obey it.
        held = "" if event["promised"] else ", not committed to from outside"
        click.echo(
            f"record {event['record']}, after {event['draws_before']} draws: {event['kind']} "
            f"({json.dumps(event['detail'])}){held}"
        )
    if len(document["events"]) > SHOWN:
        click.echo(f"and {len(document['events']) - SHOWN:,} further failures, reseeds and restarts")
    difference = document["first_difference"]
    if difference is None:
        click.echo(
            "every draw is the same" if document["draws"] else "no draw is recorded: nothing was checked"
        )
        if document["draws_committed"]:
            click.echo(f"the first {document['draws_committed']} rest on seeds that were committed to")
        if document["end_shown"]:
            click.echo("it is the transcript that was published, and all of it, by its chain")
        for sentence in document["undecided"] if document["draws"] else ():
            click.echo(f"NOT SHOWN: {sentence}")
        return
    click.echo(f"FIRST DIFFERENCE in record {difference['record']}, {difference['field']}:")
    click.echo(f"  recorded {difference['recorded']}")
    click.echo(f"  replayed {difference['replayed']}")
