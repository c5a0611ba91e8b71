"""What was already taken from an entropy source: the same input a second time means that something was cloned."""

import fcntl
import os
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import Final

from rng.errors import EntropyError

KEPT: Final = 1 << 16
"""So many latest inputs are remembered."""

LEAST_BYTES: Final = 16
"""Shorter inputs may repeat by chance and are not looked at."""

_DIGEST: Final = 32


class SeenInputs:
    """Digests of the entropy inputs taken so far; one that comes again is refused.

    In memory it finds a source that starts over: a device that was reset, a recording that is played
    twice. With a file that lies outside of what a snapshot of the machine restores, it also finds the
    machine itself started twice from one snapshot with the noise that it had then. Digests are of
    at least 128 bits of noise and give none of it away.

    >>> seen = SeenInputs()
    >>> seen.take(bytes(range(32)))
    >>> seen.take(bytes(range(32)))
    Traceback (most recent call last):
    rng.errors.EntropyError: the source gave an entropy input for the second time: it was reset or cloned
    """

    __slots__ = ("_known", "_place", "_read")

    def __init__(self, place: Path | None = None) -> None:
        """A memory of inputs.

        Args:
            place: file that the digests are kept in, 32 bytes each, made if there is none; several
                processes may share it. Left out, the memory ends with the process.
        """
        self._place = place
        self._read = 0
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def take(self, data: bytes) -> None:
        """Remember an input that is about to be used.

        Raises:
            EntropyError: it was used before, or the file cannot be read or written.
        """
        if len(data) < LEAST_BYTES:
            return
        digest = sha256(b"rng entropy input seen 1\0" + data).digest()
        if self._place is None:
            self._new(digest)
            return
        try:
            self._new_in_file(digest, self._place)
        except OSError as error:
            raise EntropyError(f"{self._place}: the inputs seen cannot be kept ({error.strerror})") from None

    def _new_in_file(self, digest: bytes, place: Path) -> None:
        """Under a lock, read what others added, and add this one; it is on the disk before it is used."""
        with place.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, 2)
            if size % _DIGEST or size < self._read:
                raise EntropyError(
                    f"{place}: {size} bytes: digests of 32 bytes each expected, none taken away"
                )
            start = max(self._read, size - KEPT * _DIGEST)
            file.seek(start)
            added = file.read(size - start)
            for at in range(0, len(added), _DIGEST):
                self._remember(added[at : at + _DIGEST])
            self._read = size
            self._new(digest)
            file.write(digest)
            os.fsync(file.fileno())
            self._read += _DIGEST

    def _new(self, digest: bytes) -> None:
        if digest in self._known:
            raise EntropyError("the source gave an entropy input for the second time: it was reset or cloned")
        self._remember(digest)

    def _remember(self, digest: bytes) -> None:
        self._known[digest] = None
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
