"""Other people's batteries on the same bytes, and their logs: a line of evidence beside ours."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from certify.cli.rng_input import SubmittedOutput
from certify.cli.rng_suites import bits_of
from certify.errors import MissingPartError, NothingCheckedError

if TYPE_CHECKING:
    from certify.evidence.sample import OtherMissing, OtherSays
    from rng.battery.external import OtherBattery

# Bytes written at once for a battery that reads a file.
PIECE: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class Asked:
    """Which other batteries were asked for.

    Args:
        installed: Name and place of those that are installed.
        missing: Names of those that are not.
        logs: Log files to be read.
        limit: Seconds that each battery may run.
    """

    installed: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    logs: tuple[Path, ...]
    limit: float


@dataclass(frozen=True, slots=True)
class Others:
    """What other batteries say.

    Args:
        ran: Those that were run here, on the bytes with the digest.
        logs: Those whose logs were handed in, with the digest of the log.
        missing: Name of each that is not installed, and how to get it.
        sha256: Digest of the bytes that they were given; empty if none was run.
    """

    ran: tuple[OtherBattery, ...]
    logs: tuple[tuple[str, str, OtherBattery], ...]
    missing: tuple[tuple[str, str], ...]
    sha256: str = ""


def asked_others(
    has_bits: bool, below: int, also: str | None, logs: Sequence[Path], limit: float
) -> Asked | None:
    """Returns what was asked for, before any work; None if nothing was.

    Args:
        has_bits: Whether the sample is bits, or numbers below one range.
        below: That range, 0 for bits.
        also: Names of batteries.
        logs: Logs to be read.
        limit: Seconds that each may run.

    Raises:
        UsageError: A name is not known, or the sample has no bytes to give.
        NothingCheckedError: ``--also`` names nothing.
        MissingPartError: None of those named is installed.
    """
    from rng.battery.external import PROGRAMS, find

    if also is None:
        return Asked((), (), tuple(logs), limit) if logs else None
    names = tuple(dict.fromkeys(name.strip().lower() for name in also.split(",") if name.strip()))
    if not names:
        raise NothingCheckedError("--also names no battery")
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        raise click.UsageError(f"--also: unknown battery {unknown[0]!r}, known are {', '.join(PROGRAMS)}")
    if not has_bits or (below and below & (below - 1)):
        raise click.UsageError("--also takes --bits, or --draws with a range that is a power of two")
    found = {name: find(name) for name in names}
    installed = tuple((name, place) for name, place in found.items() if place is not None)
    if not installed:
        how = "; ".join(f"{name}: {PROGRAMS[name].install}" for name in names)
        raise MissingPartError(f"--also: none of these is installed ({how})")
    return Asked(installed, tuple(name for name, place in found.items() if place is None), tuple(logs), limit)


def run_others(asked: Asked | None, submitted: SubmittedOutput, step: Callable[[str], None]) -> Others | None:
    """Runs the batteries asked for on the sample's bits and reads the logs handed in.

    Raises:
        SampleError: A log cannot be read, or is of no battery that is known.
    """
    from rng.battery.external import PROGRAMS, read_log, run

    if asked is None:
        return None
    # Logs first: a wrong one is refused before hours are spent.
    logs = tuple((str(path), _digest(path), read_log(path)) for path in asked.logs)
    missing = tuple((name, PROGRAMS[name].install) for name in asked.missing)
    if not asked.installed:
        return Others((), logs, missing)
    with tempfile.TemporaryDirectory() as folder:
        path = _bytes_of(submitted, Path(folder) / "bits")
        ran = []
        for name, place in asked.installed:
            step(f"{name}: at most {asked.limit:g} seconds")
            ran.append(run(name, place, path, asked.limit))
        return Others(tuple(ran), logs, missing, _digest(path))


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bytes_of(submitted: SubmittedOutput, place: Path) -> Path:
    """Returns a file of the sample's bits, eight to a byte: the file itself where it is one already."""
    from rng.given.reader import is_mapped

    source = submitted.source
    if source.kind == "bits" and is_mapped(source):
        return source.path
    bits = bits_of(submitted)
    with place.open("xb") as target:
        # A last byte that is not full would hold bits of nobody: whole bytes only.
        for start in range(0, bits.length // 8, PIECE):
            target.write(bits.packed[start : min(start + PIECE, bits.length // 8)].tobytes())
    return place


def told_of_others(others: Others) -> tuple[OtherSays | OtherMissing, ...]:
    """Returns each battery as the document has it; none of them takes part in our verdict."""
    from certify.evidence.sample import OtherMissing

    return (
        *(_says("run", others.sha256, one) for one in others.ran),
        *(_says("log", sha256, one, name) for name, sha256, one in others.logs),
        *(
            OtherMissing("not installed", name, "inconclusive", (f"get it: {how}",))
            for name, how in others.missing
        ),
    )


def _says(whence: str, sha256: str, one: OtherBattery, log: str | None = None) -> OtherSays:
    from certify.evidence.sample import OtherSays

    return OtherSays(
        from_=whence,
        sha256=sha256,
        program=one.program,
        version=one.version,
        command=one.command,
        seconds=one.seconds,
        complete=one.complete,
        verdict=one.word,
        counted=len(one.counted) + one.passed_unnamed,
        set_aside=len(one.rows) - len(one.counted),
        failed=tuple(row.test for row in one.counted if row.judged == "failed"),
        weak=tuple(row.test for row in one.counted if row.judged == "weak"),
        notes=one.notes,
        results=one.rows,
        log=log,
    )


def print_others(others: Sequence[OtherSays | OtherMissing]) -> None:
    """Prints one line a battery, its failures and what must be known of them."""
    from certify.evidence.sample import OtherMissing

    for one in others:
        if isinstance(one, OtherMissing):
            click.echo(f"beside ours: {one.program} is not installed ({'; '.join(one.notes)})")
            continue
        name = " ".join(filter(None, (one.program, one.version)))
        where = " ".join(one.command) if one.log is None else f"log {one.log}"
        click.echo(
            f"beside ours: {name} ({where}): {one.verdict}; {one.counted} results counted, "
            f"{len(one.failed)} failed, {len(one.weak)} weak, {one.set_aside} set aside"
        )
        for test in one.failed:
            click.echo(f"  failed: {test}")
        for note in one.notes:
            click.echo(f"  {note}")
