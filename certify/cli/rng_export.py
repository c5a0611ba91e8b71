"""The generator's own output in the formats that ``certify rng test`` reads, piece by piece."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from rng.shuffle import CARDS

if TYPE_CHECKING:
    from rng.transcript import TranscriptRecorder
    from rng.words import WordSource


Kind = Literal["bits", "decks", "draws"]
Form = Literal["raw", "ascii", "binary", "csv", "text", "u8", "u16", "u32"]

# Units drawn at a time; a multiple of 64 bits, because the rest of a word that is not used is passed over.
PIECE: Final[dict[Kind, int]] = {"bits": 1 << 25, "decks": 1 << 16, "draws": 1 << 18}


class DrawnOutput(Protocol):
    """A source that an export is drawn from, recorded in a transcript or not."""

    def read(self, nbytes: int) -> bytes:
        """The next bytes."""

    def decks(self, count: int) -> NDArray[np.uint8]:
        """The next shuffled decks, one a row."""

    def below(self, n: int, count: int) -> NDArray[np.uint64]:
        """The next integers below n."""


@dataclass(frozen=True, slots=True)
class PlainDraws:
    """Draws straight from a stream or a live generator."""

    source: WordSource

    def read(self, nbytes: int) -> bytes:
        """The next bytes."""
        return self.source.read(nbytes)

    def decks(self, count: int) -> NDArray[np.uint8]:
        """The next shuffled decks, one a row."""
        from rng.shuffle import deal_decks

        return deal_decks(self.source, count, CARDS)

    def below(self, n: int, count: int) -> NDArray[np.uint64]:
        """The next integers below n."""
        from rng.uniform import many_below

        return many_below(self.source, n, count)


@dataclass(frozen=True, slots=True)
class RecordedDraws:
    """The same draws, each piece written down in a transcript."""

    source: TranscriptRecorder

    def read(self, nbytes: int) -> bytes:
        """The next bytes."""
        return self.source.read(nbytes)

    def decks(self, count: int) -> NDArray[np.uint8]:
        """The next shuffled decks, one a row."""
        return self.source.deal_decks(count, CARDS)

    def below(self, n: int, count: int) -> NDArray[np.uint64]:
        """The next integers below n."""
        return self.source.many_below(n, count)


@dataclass(frozen=True, slots=True)
class Export:
    """What is asked for.

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


def copy_pieces(pieces: Iterable[bytes], target: IO[bytes]) -> WrittenOutput:
    """Writes pieces one after the other and returns their size and digest."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        target.write(piece)
        digest.update(piece)
        size += len(piece)
    target.flush()
    return WrittenOutput(size, digest.hexdigest())


def write_whole(path: Path, pieces: Iterable[bytes]) -> WrittenOutput:
    """Writes a file under a temporary name beside its place and renames it when it is complete.

    Raises:
        InputError: The place cannot be written to; nothing is left behind.
    """
    place = require_place(path)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with temporary.open("xb") as target:
            written = copy_pieces(pieces, target)
            os.fsync(target.fileno())
        temporary.replace(place)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        temporary.unlink(missing_ok=True)
    return written


def require_place(path: Path) -> Path:
    """Returns where a file will stand, links resolved.

    Raises:
        InputError: There is no such folder, or something other than a file is in the way.
    """
    place = path.resolve()
    if not place.parent.is_dir():
        raise InputError(f"{path}: there is no folder {place.parent}")
    if place.exists() and not place.is_file():
        raise InputError(f"{path}: not a regular file, which alone can be replaced")
    return place
