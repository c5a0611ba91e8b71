"""Streams of bits under test: packed in memory, mapped from a file, or read as text, in their order."""

import mmap
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from rng.array_types import Bytes
from rng.errors import SampleError

# What is read at once from a file or a pipe: large enough to be quick, small next to any machine's memory.
CHUNK_BYTES = 1 << 22
# Text packed beyond this size goes to a temporary file that is mapped, never held whole in memory.
SPOOL_BYTES = 1 << 28

# What text of zeros and ones may hold next to them: blanks, tabs and line ends, as NIST's own data files do.
_BLANKS = np.frombuffer(b" \t\r\n", dtype=np.uint8)


class ByteSource(Protocol):
    """Anything bytes can be read from: an open file, a pipe, standard input."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes, none at the end."""


class SampleStore:
    """Collects what has been read, in memory while it is small and in a temporary file when it is not."""

    __slots__ = ("_spool", "size")

    def __init__(self) -> None:
        # Closed by the collector once the map that it backs is gone.
        self._spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Adds what was read."""
        self._spool.write(piece)
        self.size += len(piece)

    def finish(self) -> Bytes:
        """Returns all of it, mapped where it is large."""
        self._spool.seek(0)
        if self.size <= SPOOL_BYTES:
            return np.frombuffer(self._spool.read(), dtype=np.uint8)
        mapped = mmap.mmap(self._spool.fileno(), self.size, access=mmap.ACCESS_READ)
        return np.frombuffer(mapped, dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class BitStream:
    """A sequence of bits packed eight to a byte, the first bit in the most significant place.

    Args:
        packed: The bytes; a memory-mapped array serves as well as one in memory.
        length: Number of bits; what is in the last byte beyond it is ignored.
        source: Where the bits came from, for messages and reports.
    """

    packed: Bytes
    length: int
    source: str = "memory"

    def __post_init__(self) -> None:
        if self.length < 1:
            raise SampleError(f"{self.source}: no bits to test, expected at least one")
        if self.length > 8 * self.packed.size:
            message = f"{self.source}: {self.length} bits requested of {8 * self.packed.size}"
            raise SampleError(message)

    def segment(self, start: int, length: int) -> "BitStream":
        """Return ``length`` bits from bit ``start``, without a copy where they begin a byte."""
        if start < 0 or length < 1 or start + length > self.length:
            message = f"{self.source}: bits {start} to {start + length} requested of {self.length}"
            raise SampleError(message)
        first, shift = divmod(start, 8)
        window = self.packed[first : (start + length + 7) // 8]
        if shift:
            window = np.packbits(np.unpackbits(window)[shift : shift + length])
        return BitStream(window, length, self.source)

    def unpacked(self) -> Bytes:
        """Return one byte, 0 or 1, for every bit."""
        return np.unpackbits(self.packed, count=self.length)

    def octets(self) -> Bytes:
        """Return the packed bytes that hold the stream, the bits beyond its length cleared."""
        size = (self.length + 7) // 8
        octets = np.array(self.packed[:size])
        octets[-1] &= (0xFF << (-self.length % 8)) & 0xFF
        return octets


def from_bytes(data: bytes | bytearray | memoryview, *, source: str = "memory") -> BitStream:
    r"""Take raw bytes as bits, most significant bit of every byte first.

    Example:
        >>> from_bytes(b"\xc9").unpacked().tolist()
        [1, 1, 0, 0, 1, 0, 0, 1]
    """
    packed = np.frombuffer(data, dtype=np.uint8)
    return BitStream(packed, 8 * packed.size, source)


def mapped(path: Path) -> Bytes:
    """Returns the bytes of a file, mapped and never loaded.

    Raises:
        SampleError: It cannot be read, or is empty.
    """
    try:
        return np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise SampleError(f"{path}: not a readable file of at least one byte ({error})") from error


def open_raw(path: Path) -> BitStream:
    """Map a file of raw bytes, whatever its size, without loading it.

    Args:
        path: The file.

    Raises:
        SampleError: If it cannot be mapped: missing, empty, no regular file.
    """
    packed = mapped(path)
    return BitStream(packed, 8 * packed.size, str(path))


def read_ascii(
    stream: ByteSource,
    *,
    source: str = "standard input",
    progress: Callable[[int], None] | None = None,
) -> BitStream:
    """Read characters 0 and 1 from an open stream, piece by piece.

    Args:
        stream: Where the characters come from; blanks, tabs and line ends between them are passed over.
        source: Name of the data, for messages.
        progress: Called with the number of characters read so far.

    Raises:
        SampleError: At the first other character, with its offset, or if nothing is left to test.
    """
    store, carry, offset = SampleStore(), np.zeros(0, dtype=np.uint8), 0
    while piece := stream.read(CHUNK_BYTES):
        characters = np.frombuffer(piece, dtype=np.uint8)
        digits = (characters == ord("0")) | (characters == ord("1"))
        strangers = np.flatnonzero(~digits & ~np.isin(characters, _BLANKS))
        if strangers.size:
            at = int(strangers[0])
            found = ascii(chr(characters[at]))
            raise SampleError(f"{source}: byte {offset + at} is {found}, expected 0, 1 or white space")
        pending = np.concatenate((carry, characters[digits] - np.uint8(ord("0"))))
        whole = pending.size - pending.size % 8
        store.add(np.packbits(pending[:whole]).tobytes())
        carry, offset = pending[whole:], offset + len(piece)
        if progress is not None:
            progress(offset)
    length = 8 * store.size + carry.size
    store.add(np.packbits(carry).tobytes())
    return BitStream(store.finish(), length, source)


def stored(stream: ByteSource, progress: Callable[[int], None] | None = None) -> Bytes:
    """Returns the bytes of an open stream, read piece by piece."""
    store = SampleStore()
    while piece := stream.read(CHUNK_BYTES):
        store.add(piece)
        if progress is not None:
            progress(store.size)
    return store.finish()


def read_raw(
    stream: ByteSource,
    *,
    source: str = "standard input",
    progress: Callable[[int], None] | None = None,
) -> BitStream:
    """Read raw bytes from an open stream, piece by piece; arguments as for :func:`read_ascii`."""
    packed = stored(stream, progress)
    return BitStream(packed, 8 * packed.size, source)


def release(octets: Bytes) -> None:
    """Lets the system take back the pages of a mapped file that were read; what is in memory stays."""
    base: object = octets
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap):
        base.madvise(mmap.MADV_DONTNEED)
