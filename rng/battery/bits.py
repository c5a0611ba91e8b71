"""Streams of bits under test: packed in memory, mapped from a file, or read as text, in their order."""

from __future__ import annotations

import mmap
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rng.errors import SampleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]

# What is read at once from a file or a pipe: large enough to be quick, small beside any machine's memory.
CHUNK_BYTES = 1 << 22
# Text packed beyond this size goes to a temporary file that is mapped, never held whole in memory.
SPOOL_BYTES = 1 << 28

# What text of zeros and ones may hold beside them: blanks, tabs and line ends, as NIST's own data files do.
_BLANKS = np.frombuffer(b" \t\r\n", dtype=np.uint8)


class ByteSource(Protocol):
    """Anything bytes can be read from: an open file, a pipe, standard input."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ...


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
        length: Number of bits; what lies in the last byte beyond it is ignored.
        source: Where the bits came from, for messages and reports.
    """

    packed: Bytes
    length: int
    source: str = "memory"

    def __post_init__(self) -> None:
        if self.length < 1:
            raise SampleError(f"{self.source}: no bits to test, expected at least one")
        if self.length > 8 * self.packed.size:
            message = f"{self.source}: {self.length} bits asked of {8 * self.packed.size}"
            raise SampleError(message)

    def segment(self, start: int, length: int) -> BitStream:
        """Return ``length`` bits from bit ``start``, without a copy where they begin a byte."""
        if start < 0 or length < 1 or start + length > self.length:
            message = f"{self.source}: bits {start} to {start + length} asked of {self.length}"
            raise SampleError(message)
        first, shift = divmod(start, 8)
        window = self.packed[first : (start + length + 7) // 8]
        if shift:
            window = np.packbits(np.unpackbits(window)[shift : shift + length])
        return BitStream(window, length, self.source)

    def segments(self, count: int, length: int) -> Iterator[BitStream]:
        """Yield the first ``count`` consecutive sequences of ``length`` bits."""
        if count < 1 or length < 1 or count * length > self.length:
            message = f"{self.source}: {count} sequences of {length} bits asked of {self.length} bits"
            raise SampleError(message)
        return (self.segment(i * length, length) for i in range(count))

    def unpacked(self) -> Bytes:
        """Return one byte, 0 or 1, for every bit."""
        return np.unpackbits(self.packed, count=self.length)

    def octets(self) -> Bytes:
        """Return the packed bytes that hold the stream, the bits beyond its length cleared."""
        size = (self.length + 7) // 8
        octets = np.array(self.packed[:size])
        octets[-1] &= (0xFF << (-self.length % 8)) & 0xFF
        return octets

    def words(self) -> Words:
        """Return 64-bit words, first bit most significant, followed by two words of zeros."""
        padded = np.zeros(8 * ((self.length + 63) // 64 + 2), dtype=np.uint8)
        octets = self.octets()
        padded[: octets.size] = octets
        return padded.view(">u8").astype(np.uint64)


def from_bytes(data: bytes | bytearray | memoryview, *, source: str = "memory") -> BitStream:
    r"""Take raw bytes as bits, most significant bit of every byte first.

    Example:
        >>> from_bytes(b"\xc9").unpacked().tolist()
        [1, 1, 0, 0, 1, 0, 0, 1]
    """
    packed = np.frombuffer(data, dtype=np.uint8)
    return BitStream(packed, 8 * packed.size, source)


def from_bits(bits: Sequence[int] | Bytes, *, source: str = "memory") -> BitStream:
    """Take one number, 0 or 1, for every bit.

    Raises:
        SampleError: If any is neither, naming the first.
    """
    values = np.asarray(bits)
    wrong = np.flatnonzero((values != 0) & (values != 1))
    if values.ndim != 1 or wrong.size:
        where = f"bit {int(wrong[0])}" if wrong.size else f"an array of {values.ndim} dimensions"
        raise SampleError(f"{source}: {where} where a sequence of 0 and 1 was expected")
    return BitStream(np.packbits(values.astype(np.uint8)), values.size, source)


def mapped(path: Path) -> Bytes:
    """Returns the bytes of a file, mapped and never loaded.

    Raises:
        SampleError: It cannot be read, or is empty.
    """
    try:
        return np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise SampleError(f"{path}: not a readable file of at least one byte ({error})") from error


def open_raw(path: Path, *, limit: int | None = None) -> BitStream:
    """Map a file of raw bytes, whatever its size, without loading it.

    Args:
        path: The file.
        limit: Bits to take from its beginning; all when left out.

    Raises:
        SampleError: If the file cannot be read, is empty or holds fewer bits than ``limit``.
    """
    packed = mapped(path)
    length = 8 * packed.size
    return BitStream(packed, length if limit is None else limit, str(path))


def read_ascii(
    stream: ByteSource,
    *,
    limit: int | None = None,
    source: str = "standard input",
    progress: Callable[[int], None] | None = None,
) -> BitStream:
    """Read characters 0 and 1 from an open stream, piece by piece.

    Args:
        stream: Open for reading bytes.
        limit: Stop after this many bits.
        source: Name of the stream in messages.
        progress: Called with the number of bytes read so far after every piece.
    """
    packer = _Packer(source, limit)
    for piece in _pieces(stream):
        packer.add(piece)
        if progress is not None:
            progress(packer.offset)
        if packer.full:
            break
    return packer.finish()


def read_raw(
    stream: ByteSource,
    *,
    limit: int | None = None,
    source: str = "standard input",
    progress: Callable[[int], None] | None = None,
) -> BitStream:
    """Read raw bytes from an open stream, piece by piece; arguments as for :func:`read_ascii`."""
    store = SampleStore()
    wanted = None if limit is None else (limit + 7) // 8
    while wanted is None or store.size < wanted:
        piece = stream.read(CHUNK_BYTES if wanted is None else min(CHUNK_BYTES, wanted - store.size))
        if not piece:
            break
        store.add(piece)
        if progress is not None:
            progress(store.size)
    return BitStream(store.finish(), 8 * store.size if limit is None else limit, source)


def release(octets: Bytes) -> None:
    """Lets the system take back the pages of a mapped file that were read; what is in memory stays."""
    base: object = octets
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap):
        base.madvise(mmap.MADV_DONTNEED)


def _pieces(stream: ByteSource) -> Iterator[bytes]:
    while piece := stream.read(CHUNK_BYTES):
        yield piece


class _Packer:
    """Turns pieces of text into packed bits, remembering how far it has read."""

    __slots__ = ("_carry", "_limit", "_source", "_store", "length", "offset")

    def __init__(self, source: str, limit: int | None) -> None:
        self._source, self._limit = source, limit
        self._store = SampleStore()
        self._carry: Bytes = np.zeros(0, dtype=np.uint8)
        self.length = 0
        self.offset = 0

    @property
    def full(self) -> bool:
        return self._limit is not None and self.length >= self._limit

    def add(self, piece: bytes) -> None:
        characters = np.frombuffer(piece, dtype=np.uint8)
        digits = (characters == ord("0")) | (characters == ord("1"))
        if not digits.all():
            self._refuse_strangers(characters, digits)
        bits = characters[digits] - np.uint8(ord("0"))
        if self._limit is not None:
            bits = bits[: self._limit - self.length]
        self.length += bits.size
        self.offset += characters.size
        pending = np.concatenate((self._carry, bits))
        whole = pending.size - pending.size % 8
        self._store.add(np.packbits(pending[:whole]).tobytes())
        self._carry = pending[whole:]

    def _refuse_strangers(self, characters: Bytes, digits: NDArray[np.bool_]) -> None:
        strangers = np.flatnonzero(~digits & ~np.isin(characters, _BLANKS))
        if strangers.size:
            at = int(strangers[0])
            found = ascii(chr(characters[at]))
            message = f"{self._source}: byte {self.offset + at} is {found}, expected 0, 1 or white space"
            raise SampleError(message)

    def finish(self) -> BitStream:
        self._store.add(np.packbits(self._carry).tobytes())
        return BitStream(
            self._store.finish(), self.length if self._limit is None else self._limit, self._source
        )
