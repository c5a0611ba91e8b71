"""``certify rng replay``: draw a transcript again and say where the first difference is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from certify.cli.failures import Exit
from certify.cli.options import Progress, format_option, print_json
from certify.clock import steady_seconds
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.cli.rng_export import DrawnOutput, Export
    from rng.generator import Generator, RoundLimits
    from rng.replay import ReplayPromise, ReplayReport
    from rng.transcript import TranscriptRecorder


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
        found = replay_file(transcript, secrets, promise)
    except TranscriptError as error:
        if output == "json":
            nothing = dict.fromkeys(("records", "draws", "chain")) | {
                "holds": False,
                "first_difference": None,
            }
            print_json(nothing | {"promised": list(promise.kept), "reason": str(error)})
        else:
            click.echo(f"DOES NOT VERIFY: {error}")
        return int(Exit.FINDINGS)
    if output == "json":
        print_json(found.to_json())
    else:
        _print(found)
    if not found.holds:
        return int(Exit.FINDINGS)
    if not found.draws:
        return int(Exit.NOTHING_CHECKED)
    return int(Exit.INCONCLUSIVE if found.undecided else Exit.SATISFIED)


def _check_readable(transcript: Path) -> None:
    """Refuses a file that cannot be opened: that is a wrong call, no finding about the transcript."""
    from rng.outside import head_of

    if not head_of(transcript, 1):
        raise InputError(f"{transcript}: empty, expected a transcript")


def _secrets(seeds: tuple[str, ...]) -> list[bytes] | None:
    """Returns the seeds given on the command line, or None to take those that the transcript reveals."""
    try:
        return [bytes.fromhex(seed) for seed in seeds] or None
    except ValueError:
        raise click.BadParameter("expected hexadecimal digits", param_hint="--seed") from None


def _promise(commitments: tuple[str, ...], opening: str | None, chain: str | None) -> ReplayPromise:
    """Returns what was published of the transcript, once it is found to be digests."""
    from rng.replay import ReplayPromise

    given = {"--commitment": commitments, "--opening": (opening,), "--chain": (chain,)}
    for option, digests in given.items():
        if not all(re.fullmatch("[0-9a-fA-F]{64}", digest) for digest in digests if digest is not None):
            raise click.BadParameter("expected 64 hexadecimal digits", param_hint=option)
    first, last = (digest and digest.lower() for digest in (opening, chain))
    return ReplayPromise(tuple(digest.lower() for digest in commitments), last, first)


def _print(found: ReplayReport) -> None:
    """Prints what the replay found."""
    click.echo(f"{found.records} records, {found.draws} draws, chain {found.chain}")
    for event in found.events[:SHOWN]:
        # What the generator said comes from the transcript: quoted, so that a terminal does not obey it.
        held = "" if event.promised else ", not committed to from outside"
        click.echo(
            f"record {event.record}, after {event.draws_before} draws: {event.kind} ({json.dumps(event.detail)}){held}"
        )
    if len(found.events) > SHOWN:
        click.echo(f"and {len(found.events) - SHOWN:,} further failures, reseeds and restarts")
    difference = found.first_difference
    if difference is None:
        click.echo("every draw is the same" if found.draws else "no draw is recorded: nothing was checked")
        if found.held:
            click.echo(f"the first {found.held} rest on seeds that were committed to")
        if found.end_shown:
            click.echo("it is the transcript that was published, and all of it, by its chain")
        for sentence in found.undecided if found.draws else ():
            click.echo(f"NOT SHOWN: {sentence}")
        return
    click.echo(f"FIRST DIFFERENCE in record {difference.record}, {difference.field}:")
    click.echo(f"  recorded {difference.recorded}")
    click.echo(f"  replayed {difference.replayed}")


Array = TypeVar("Array", bound=NDArray[Any])
MOST_RESEEDS: Final = 1_000_000
"""Reseeds by number of rounds in one export; each is tested, remembered and may be written down."""


@dataclass(frozen=True, slots=True)
class Live:
    """How a live generator is asked for.

    Args:
        rounds: Rounds dealt from one seed; a round is one deck, or one number.
        seconds: Age of a seed from which on the next round begins with a new one.
        seen: File in which the entropy inputs taken so far are remembered.
    """

    rounds: int | None = None
    seconds: float | None = None
    seen: Path | None = None

    @property
    def limits(self) -> RoundLimits | None:
        """The limits between rounds, if any."""
        from rng.generator import RoundLimits

        if self.rounds is None and self.seconds is None:
            return None
        return RoundLimits(self.rounds, self.seconds, None if self.seconds is None else steady_seconds)

    def open(self, recorded: bool) -> tuple[Generator | None, TranscriptRecorder | None]:
        """Seeds a generator, plain or recorded.

        Raises:
            InputError: The source is not healthy, or gives what it, or a clone of it, gave before.
        """
        from rng.entropy import SeenInputs, system_entropy
        from rng.errors import EntropyError
        from rng.generator import Generator
        from rng.transcript import record_generator

        try:
            entropy = system_entropy(seen=None if self.seen is None else SeenInputs(self.seen))
            if recorded:
                return None, record_generator(entropy, "export", limits=self.limits)
            return Generator(entropy, "export", limits=self.limits), None
        except EntropyError as error:
            raise InputError(f"--live: {error}") from None


def live_of(
    live: bool,
    rounds: int | None,
    seconds: float | None,
    seen: Path | None,
    *,
    export: Export,
    seed: bytes | None,
    no_reveal: bool,
) -> Live | None:
    """Returns how a live generator is asked for, None where output is drawn from a master seed.

    Raises:
        UsageError: The options do not go together.
    """
    asked = (("--reseed-rounds", rounds), ("--reseed-seconds", seconds), ("--seen", seen))
    if not live:
        stray = next((option for option, value in asked if value is not None), None)
        if stray:
            raise click.UsageError(
                f"{stray} goes with --live only: what is drawn from a seed is never reseeded"
            )
        return None
    if seed is not None:
        raise click.UsageError("--live takes its seeds from the operating system, none from --seed")
    if no_reveal:
        raise click.UsageError(
            "--no-reveal: nothing beside the transcript keeps the entropy inputs of --live"
        )
    if export.kind == "bits" and (rounds is not None or seconds is not None):
        raise click.UsageError(
            "--reseed-rounds and --reseed-seconds go with --decks or --draws: bits have no rounds"
        )
    if rounds is not None and export.count // rounds > MOST_RESEEDS:
        raise click.UsageError(
            f"--reseed-rounds {rounds}: more than {MOST_RESEEDS} reseeds; draw fewer at once"
        )
    return Live(rounds, seconds, seen)


@dataclass(frozen=True, slots=True)
class RoundByRound:
    """Draws of which each begins a round of a live generator.

    Args:
        draws: The draws.
        begin_round: Tells the generator.
    """

    draws: DrawnOutput
    begin_round: Callable[[], None]

    def read(self, nbytes: int) -> bytes:
        """The next bytes, which belong to no round."""
        return self.draws.read(nbytes)

    def decks(self, count: int) -> NDArray[np.uint8]:
        """The next shuffled decks, a round each."""
        return self._each(self.draws.decks, count)

    def below(self, n: int, count: int) -> NDArray[np.uint64]:
        """The next integers below n, a round each."""
        return self._each(lambda one: self.draws.below(n, one), count)

    def _each(self, draw: Callable[[int], Array], count: int) -> Array:
        rounds = []
        for _ in range(count):
            self.begin_round()
            rounds.append(draw(1))
        return np.concatenate(rounds)  # type: ignore[return-value]


def events_of(generator: Generator) -> dict[str, int]:
    """Returns how often a generator was seeded and reseeded, by reason.

    A seed's own words say which mechanism and strength; a reseed's, why.
    """
    found = Counter(
        event.kind if event.kind == "seed" else f"{event.kind}: {event.detail}" for event in generator.events
    )
    return dict(sorted(found.items()))
