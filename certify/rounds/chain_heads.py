"""The head of a ledger, kept outside of it: what shows that its end was not cut off."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final

from certify.children import run_program
from certify.errors import InputError, TrustError
from certify.rounds.store import LedgerError
from certify.untrusted_input import HEADS, read_bounded

SECONDS: Final = 60
"""Seconds that a command may take to keep a head."""

_LINE: Final = re.compile(r"([1-9][0-9]{0,15}) ([0-9a-f]{64})")


_TORN: Final = re.compile(r"[0-9]{0,16}( [0-9a-f]{0,63})?")
"""A line that was not written to its end, or an empty one: it says nothing."""


class HeadNotKeptError(LedgerError):
    """Records are durable in the ledger, and their head could not be kept outside of it."""


@dataclass(frozen=True, slots=True)
class HeadLog:
    """A log to which each head is appended: a line with the number of the record and its digest.

    Args:
        path: The file, best on a medium or under an attribute that lets nobody alter what was appended.
    """

    path: Path

    def keep(self, number: int, digest: bytes) -> None:
        """Appends a head and returns once it is on the disk.

        Raises:
            HeadNotKeptError: The disk refuses.
        """
        # A line of its own even where the one before was torn by a loss of power.
        line = b"\n" + line_of(number, digest).encode()
        try:
            log = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o644)
            try:
                if os.write(log, line) != len(line):
                    raise OSError("the line was written in part")
                os.fsync(log)
            finally:
                os.close(log)
        except OSError as error:
            raise HeadNotKeptError(
                f"record {number} is in the ledger, its head not in {self.path}: {error}"
            ) from error

    def read(self) -> Mapping[int, bytes]:
        """Returns the digest of each record that was noted, by number; none where there is no log yet.

        Raises:
            InputError: The file holds something else than heads, or more of them than are read.
            TrustError: A head precedes one of an earlier line: an older copy of the ledger was written on.
        """
        if not self.path.exists():
            return {}
        return _heads(read_bounded(self.path, HEADS), self.path)


@dataclass(frozen=True, slots=True)
class HeadCommand:
    """A command that is given each head on its standard input, such as one that sends it to another machine.

    Args:
        command: Program and arguments, as a shell would split them; no shell runs it.
    """

    command: str

    def keep(self, number: int, digest: bytes) -> None:
        """Runs the command.

        Raises:
            HeadNotKeptError: It is not there, takes too long or ends with another code than 0.
        """
        try:
            # The operator names the program that keeps heads; it is not made of anything that comes from outside.
            done = run_program(
                shlex.split(self.command),
                given=line_of(number, digest).encode(),
                timeout=SECONDS,
                capture=False,
            )
        except (OSError, ValueError, IndexError, TimeoutExpired) as error:
            raise HeadNotKeptError(
                f"record {number} is in the ledger, its head not kept by {self.command!r}: {error}"
            ) from error
        if done.returncode:
            raise HeadNotKeptError(
                f"record {number} is in the ledger, its head not kept: {self.command!r} ended with {done.returncode}"
            )


HeadKeeper = HeadLog | HeadCommand
"""Keeps heads where whoever can write the ledger cannot alter them."""


def line_of(number: int, digest: bytes) -> str:
    r"""Returns a head as a line of a log.

    >>> line_of(7, bytes(32))[:12]
    '7 0000000000'
    """
    return f"{number} {digest.hex()}\n"


def _heads(raw: bytes, path: Path) -> dict[int, bytes]:
    heads: dict[int, bytes] = {}
    latest = 0
    for place, line in enumerate(raw.decode("latin-1").splitlines(), start=1):
        if _TORN.fullmatch(line):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise InputError(f"{path}:{place}: {line[:80]!r}, expected a record's number and 64 hex digits")
        number, digest = int(found[1]), bytes.fromhex(found[2])
        if number < latest or heads.get(number, digest) != digest:
            raise TrustError(
                f"{path}:{place}: record {number} noted after record {latest}: an older copy of the ledger was "
                "written on, or the log is of two ledgers"
            )
        heads[number], latest = digest, number
    return heads
