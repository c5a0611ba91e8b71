"""Runs another battery on a file of bytes, for no longer than it is given."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rng.battery.external.model import OtherBattery
from rng.battery.external.reading import read_dieharder, read_practrand
from rng.errors import SampleError
from rng.outside import BATTERY_LOG, read_stream

# How long a stopped battery has to end by itself.
GRACE = 5.0


@dataclass(frozen=True, slots=True)
class ExternalProgram:
    """A battery that can be run.

    Args:
        name: As ``--also`` takes it.
        executables: Names it is installed under, first found first.
        arguments: Arguments for a file of so many bytes.
        piped: Whether it reads the bytes from standard input.
        reader: Reads what it prints.
        install: How to get it.
    """

    name: str
    executables: tuple[str, ...]
    arguments: Callable[[Path, int], tuple[str, ...]]
    piped: bool
    reader: Callable[[str], OtherBattery]
    install: str


def _practrand_arguments(_path: Path, size: int) -> tuple[str, ...]:
    # Lengths are powers of two; the greatest one that the bytes fill is asked for.
    power = max(10, size.bit_length() - 1)
    return ("stdin32", "-tlmax", f"{(1 << power) >> 10}KB", "-multithreaded")


PROGRAMS: Mapping[str, ExternalProgram] = {
    "dieharder": ExternalProgram(
        "dieharder",
        ("dieharder",),
        lambda path, _size: ("-a", "-g", "201", "-f", str(path)),
        False,
        read_dieharder,
        "the package dieharder of Debian and its relatives",
    ),
    "practrand": ExternalProgram(
        "practrand",
        ("practrand-RNG_test", "RNG_test"),
        _practrand_arguments,
        True,
        read_practrand,
        "pracrand.sourceforge.net, or the package practrand of Fedora and EPEL",
    ),
}


def find(name: str) -> str | None:
    """Where a battery is installed; None if it is not."""
    return next((place for one in PROGRAMS[name].executables if (place := shutil.which(one))), None)


def run(name: str, executable: str, path: Path, limit: float) -> OtherBattery:
    """Runs a battery on the bytes of a file and reads what it printed.

    Args:
        name: Name of the battery, one of ``PROGRAMS``.
        executable: Where it is installed.
        path: The bytes.
        limit: Seconds after which it is stopped; what it printed by then is read.

    Returns:
        Its results; incomplete if it was stopped or ended with an error, and a note says so.
    """
    program = PROGRAMS[name]
    arguments = program.arguments(path, path.stat().st_size)
    began = time.monotonic()
    with tempfile.TemporaryFile() as output, path.open("rb") as data:
        process = subprocess.Popen(  # noqa: S603 - found by name on the path, arguments are ours
            [executable, *arguments],
            stdin=data if program.piped else subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = _waited(process, limit)
        finally:
            _ended(process)
        output.seek(0)
        log = read_stream(output, BATTERY_LOG, lambda reason: SampleError(f"the log of {name}: {reason}"))
    text = log.decode("utf-8", "replace")
    found = program.reader(text)
    notes = list(found.notes)
    if status is None:
        notes.append(f"stopped after {limit:g} seconds, before its end")
    elif status not in (0, 1) or (status and not found.rows):
        notes.append(f"ended with status {status}")
    # The path of the bytes is this machine's affair; the report names them by their digest.
    shown = tuple("FILE" if argument == str(path) else argument for argument in arguments)
    return replace(
        found,
        complete=found.complete and status is not None and len(notes) == len(found.notes),
        notes=tuple(notes),
        command=(Path(executable).name, *shown, *(("< FILE",) if program.piped else ())),
        seconds=round(time.monotonic() - began, 1),
    )


def _waited(process: subprocess.Popen[bytes], limit: float) -> int | None:
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Ends a battery that still runs, with everything it started."""
    if process.poll() is not None:
        return
    for signal_ in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signal_)
        except ProcessLookupError:
            return
        if _waited(process, GRACE) is not None:
            return
