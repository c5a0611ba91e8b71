"""``certify rng replay``: draw a transcript again and say where the first difference is."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from certify.cli.failures import Exit
from certify.cli.options import Progress, format_option, print_result
from certify.clock import steady_seconds
from certify.errors import InputError, Refusing
from rng.draws import deal_decks
from rng.entropy import SeenInputs, system_entropy
from rng.errors import EntropyError, TranscriptError
from rng.generator import Generator, RoundLimits
from rng.outside import head_of
from rng.replay import ReplayPromise, ReplayReport, replay_file
from rng.shuffle import CARDS
from rng.streams import Stream, stream
from rng.transcript import TranscriptRecorder, record_generator, record_stream
from rng.uniform import many_below
from rng.words import WordSource

Kind = Literal["bits", "decks", "draws"]
Form = Literal["raw", "ascii", "binary", "csv", "text", "u8", "u16", "u32"]

# Units drawn at a time; a multiple of 64 bits, because the rest of a word that is not used is passed over.
PIECE: Final[dict[Kind, int]] = {"bits": 1 << 25, "decks": 1 << 16, "draws": 1 << 18}


@dataclass(frozen=True, slots=True)
class DrawnOutput:
    """A source that an export is drawn from.

    Args:
        read: Gives the next bytes, so many.
        decks: Gives the next shuffled decks, one a row, so many.
        below: Gives the next integers below a range, so many.
    """

    read: Callable[[int], bytes]
    decks: Callable[[int], NDArray[np.uint8]]
    below: Callable[[int, int], NDArray[np.uint64]]


def plain_draws(source: WordSource) -> DrawnOutput:
    """Returns draws straight from a stream or a live generator."""
    return DrawnOutput(source.read, partial(deal_decks, source, cards=CARDS), partial(many_below, source))


def recorded_draws(recorder: TranscriptRecorder) -> DrawnOutput:
    """Returns the same draws, each piece written down in a transcript."""
    return DrawnOutput(recorder.read, partial(recorder.deal_decks, cards=CARDS), recorder.many_below)


@dataclass(frozen=True, slots=True)
class Export:
    """What is requested.

    Args:
        kind: Bits, decks or draws.
        count: How many.
        form: How they are written.
        below: Range of the draws; 0 for the others.
        big_endian: Byte order of binary draws.
    """

    kind: Kind
    count: int
    form: Form
    below: int = 0
    big_endian: bool = False

    def pieces(self, draws: DrawnOutput, progress: Callable[[int], None]) -> Iterator[bytes]:
        """Yields the content of the file piece by piece.

        Args:
            draws: The source.
            progress: Called with the number of units written so far.
        """
        for start in range(0, self.count, PIECE[self.kind]):
            size = min(PIECE[self.kind], self.count - start)
            yield self._piece(draws, size)
            progress(start + size)
        if self.form == "ascii":
            yield b"\n"

    def _piece(self, draws: DrawnOutput, size: int) -> bytes:
        if self.kind == "bits":
            raw = draws.read(-(-size // 8))
            return raw if self.form == "raw" else _digits(raw, size)
        if self.kind == "decks":
            decks = draws.decks(size)
            return decks.tobytes() if self.form == "binary" else _lines(decks)
        numbers = draws.below(self.below, size)
        if self.form == "text":
            return _lines(numbers.reshape(-1, 1))
        order = ">" if self.big_endian else "<"
        return numbers.astype(f"{order}u{int(self.form[1:]) // 8}").tobytes()


def _digits(raw: bytes, size: int) -> bytes:
    """Returns bits as the characters 0 and 1, the most significant bit of each byte first."""
    return (np.unpackbits(np.frombuffer(raw, dtype=np.uint8), count=size) + np.uint8(ord("0"))).tobytes()


def _lines(rows: NDArray[np.unsignedinteger]) -> bytes:
    """Returns one row a line, numbers separated by commas."""
    return "".join(",".join(map(str, row)) + "\n" for row in rows.tolist()).encode("ascii")


@dataclass(frozen=True, slots=True)
class WrittenOutput:
    """What was written: how many bytes, and their SHA-256."""

    size: int
    sha256: str


def written(pieces: Iterable[bytes], write: Callable[[Iterable[bytes]], object]) -> WrittenOutput:
    """Has pieces written one after the other and returns their size and digest."""
    digest, size = hashlib.sha256(), 0

    def counted() -> Iterator[bytes]:
        nonlocal size
        for piece in pieces:
            digest.update(piece)
            size += len(piece)
            yield piece

    write(counted())
    return WrittenOutput(size, digest.hexdigest())


def require_place(path: Path) -> None:
    """Refuses, before anything is drawn, a place that no file can be written to.

    Raises:
        InputError: There is no such folder, or something other than a file is in the way.
    """
    place = path.absolute()
    if not place.parent.is_dir():
        raise InputError(f"{path}: there is no folder {place.parent}")
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise InputError(f"{path}: not a regular file, which alone can be replaced")


SHOWN: Final = 20
"""Failures, reseeds and restarts that are printed one by one; JSON lists them all."""


@click.command(
    short_help="verify a transcript and draw it again", epilog="Example: certify rng replay draws.transcript"
)
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
    invented failure and a restart on a chosen seed. State what was published with --commitment, --opening and --chain.

    Exit codes: 0 every draw is the same, from seeds that were committed to, and the transcript is proven complete; 1 it
    was altered, is not the one that was published, or a draw differs (the first difference is named); 2 unreadable;
    4 every draw is the same, but the commitments or the completeness are not proven; 5 it records no draw.
    """
    # A file that cannot be opened is a wrong call, no finding about the transcript.
    if not head_of(transcript, 1):
        raise InputError(f"{transcript}: empty, expected a transcript")
    secrets = _secrets(seeds)
    promise = _promise(commitments, opening, chain)
    Progress(quiet=output == "json").step(f"replaying {transcript}")
    try:
        found = replay_file(transcript, secrets, promise)
    except TranscriptError as error:
        nothing = dict.fromkeys(("records", "draws", "chain", "first_difference"))
        found_wrong = {"holds": False, "promised": list(promise.kept), "reason": str(error)}
        print_result(output, nothing | found_wrong, [f"DOES NOT VERIFY: {error}"])
        return int(Exit.FINDINGS)
    print_result(output, found.to_json(), _report_lines(found))
    if not found.holds:
        return int(Exit.FINDINGS)
    if not found.draws:
        return int(Exit.NOTHING_CHECKED)
    return int(Exit.INCONCLUSIVE if found.undecided else Exit.SATISFIED)


def _secrets(seeds: tuple[str, ...]) -> list[bytes] | None:
    """Returns the seeds given on the command line, or None to take those that the transcript reveals."""
    try:
        return [bytes.fromhex(seed) for seed in seeds] or None
    except ValueError:
        raise click.BadParameter("expected hexadecimal digits", param_hint="--seed") from None


def _promise(commitments: tuple[str, ...], opening: str | None, chain: str | None) -> ReplayPromise:
    """Returns what was published of the transcript, once it is found to be digests."""
    given = {"--commitment": commitments, "--opening": (opening,), "--chain": (chain,)}
    for option, digests in given.items():
        if not all(re.fullmatch("[0-9a-fA-F]{64}", digest) for digest in digests if digest is not None):
            raise click.BadParameter("expected 64 hexadecimal digits", param_hint=option)
    first, last = (digest and digest.lower() for digest in (opening, chain))
    return ReplayPromise(tuple(digest.lower() for digest in commitments), last, first)


def _report_lines(found: ReplayReport) -> Iterator[str]:
    """Yields what the replay found."""
    yield f"{found.records} records, {found.draws} draws, chain {found.chain}"
    for event in found.events[:SHOWN]:
        # What the generator stated comes from the transcript: quoted, so that a terminal does not obey it.
        held = "" if event.promised else ", not committed to from outside"
        what = f"{event.kind} ({json.dumps(event.detail)}){held}"
        yield f"record {event.record}, after {event.draws_before} draws: {what}"
    if len(found.events) > SHOWN:
        yield f"and {len(found.events) - SHOWN:,} further failures, reseeds and restarts"
    difference = found.first_difference
    if difference is None:
        yield "every draw is the same" if found.draws else "no draw is recorded: nothing was checked"
        if found.held:
            yield f"drawn from seeds that were committed to: the first {found.held}"
        if found.end_shown:
            yield "the transcript is complete and the one that was published, by its chain"
        for sentence in found.undecided if found.draws else ():
            yield f"NOT PROVEN: {sentence}"
        return
    yield f"FIRST DIFFERENCE in record {difference.record}, {difference.field}:"
    yield f"  recorded {difference.recorded}"
    yield f"  replayed {difference.replayed}"


Array = TypeVar("Array", bound=NDArray[Any])
MOST_RESEEDS: Final = 1_000_000
"""Reseeds by number of rounds in one export; each is tested, remembered and may be written down."""


@dataclass(frozen=True, slots=True)
class Seeded:
    """The stream of an export under a master seed."""

    seed: bytes

    def open(self, recorded: bool) -> tuple[Stream | Generator, TranscriptRecorder | None]:
        """Returns the stream, and what writes its draws down where they are recorded."""
        recorder = record_stream(self.seed, "export", 0) if recorded else None
        return recorder.source if recorder else stream(self.seed, "export", 0), recorder


@dataclass(frozen=True, slots=True)
class Live:
    """The options of a live generator.

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
        if self.rounds is None and self.seconds is None:
            return None
        return RoundLimits(self.rounds, self.seconds, None if self.seconds is None else steady_seconds)

    def open(self, recorded: bool) -> tuple[Stream | Generator, TranscriptRecorder | None]:
        """Seeds a generator; returns it, and what writes its draws down where they are recorded.

        Raises:
            InputError: The source is not healthy, or gives what it, or a clone of it, gave before.
        """
        with Refusing(EntropyError, InputError, "--live"):
            entropy = system_entropy(seen=None if self.seen is None else SeenInputs(self.seen))
            if not recorded:
                return Generator(entropy, "export", limits=self.limits), None
            recorder = record_generator(entropy, "export", limits=self.limits)
        return recorder.source, recorder


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
    """Returns the options of a live generator, None where output is drawn from a master seed.

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
            "--no-reveal: nothing except the transcript keeps the entropy inputs of --live"
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


def round_by_round(draws: DrawnOutput, begin_round: Callable[[], None]) -> DrawnOutput:
    """Returns draws of which each deck and each integer begins a round of a live generator; bytes belong to none."""

    def each(draw: Callable[[int], Array], count: int) -> Array:
        rounds = []
        for _ in range(count):
            begin_round()
            rounds.append(draw(1))
        return np.concatenate(rounds)  # type: ignore[return-value]

    return DrawnOutput(
        draws.read, partial(each, draws.decks), lambda n, count: each(partial(draws.below, n), count)
    )


def events_of(generator: Generator) -> dict[str, int]:
    """Returns how often a generator was seeded and reseeded, by reason.

    A seed's own words say which mechanism and strength; a reseed's, why.
    """
    found = Counter(
        event.kind if event.kind == "seed" else f"{event.kind}: {event.detail}" for event in generator.events
    )
    return dict(sorted(found.items()))
