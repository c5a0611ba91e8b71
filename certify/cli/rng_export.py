"""The generator's own output in the formats that ``certify rng test`` reads, piece by piece."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

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
