"""Output of a generator as it was given: what its rows are drawn from, where it is, and its bits or numbers."""

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.evidence import GivenSample
from certify.model import FRENCH_RANKS, FRENCH_SUITS, Equipment, described, shoe
from rng.battery.bits import BitStream, read_raw
from rng.given.source import GivenOutput, ReadOutput, Tell

if TYPE_CHECKING:
    from rng.given.decks import RecordLayout
    from rng.given.names import Language, Pack
    from rng.given.rows import Order, RecordPiece, RowForm


@dataclass(frozen=True, slots=True)
class Given:
    """What each row is drawn from, and how the cells of text name it.

    Args:
        pieces: The equipment, in the order of the places.
        faces: Numbers in text are what the equipment shows.
        order: Whether balls stand as they were drawn.
        language: Whose letters name cards.
        numbered: Numbers in text are those of the faces, such as of cards in their pack.
        cut: Lines may hold more than what is tested of a row.
        table: Whether a column names the table of each row.
        time: Whether a column says when each row was drawn.
    """

    pieces: tuple[Equipment, ...]
    faces: bool = False
    order: "Order | None" = None
    language: "Language" = "english"
    numbered: bool = False
    cut: bool = False
    table: bool = False
    time: bool = False


@dataclass(frozen=True, slots=True)
class OutputSource(GivenOutput):
    """Where the data is, and how it is written.

    Args:
        given: What rows are drawn from, where that is stated piece by piece.
    """

    given: Given | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SubmittedOutput(ReadOutput):
    """Data to be tested, well-formed.

    Args:
        source: Where it came from.
    """

    source: OutputSource

    @property
    def pieces(self) -> tuple[Equipment, ...] | None:
        """What rows are drawn from, with as many draws a row as they have; None for decks and plain numbers."""
        given = self.source.given
        if given is None or self.rows is None:
            return None
        (piece, *others) = given.pieces
        fixed = bool(others) or not piece.replaced
        return given.pieces if fixed else (replace(piece, supply=self.rows.shape[1]),)

    @property
    def summary(self) -> GivenSample:
        """What was tested, as the document names it."""
        given, layout, kind = self.source.given, self.source.layout, self.source.kind
        tables = 0 if given is None or self.origin is None else len(self.origin.tables)
        pack = layout.pack if given is None and kind == "decks" and layout is not None else None
        return GivenSample(
            kind,
            self.count,
            self.source.name,
            self.sha256,
            equipment=None if given is None else tuple(f"{one.id}: {described(one)}" for one in given.pieces),
            tables=tables or None,
            range_=self.source.below if given is None and kind == "draws" else None,
            pack=None if pack is None else pack.size,
            shoe=None if pack is None else pack.packs,
        )


def open_source(source: OutputSource, tell: Tell) -> SubmittedOutput:
    """Opens what is to be tested and verifies all of it; arguments and errors as for :func:`rng.given.reader.read`."""
    from rng.given.reader import read

    found = read(source, tell)
    return SubmittedOutput(found.count, found.sha256, found.bits, found.rows, found.origin, source=source)


def shoe_of_packs(pack: "Pack") -> Equipment:
    """Returns the shoe of so many packs; its faces are numbered 4 × rank + suit, jokers last and in the same way."""
    ranks = FRENCH_RANKS if pack.size > 40 else (*FRENCH_RANKS[:7], *FRENCH_RANKS[10:])
    whole = shoe("shoe", ranks, FRENCH_SUITS, decks=pack.packs)
    if pack.size != 54:
        return whole
    shows = (*range(52), 52, 52) * pack.packs
    return replace(whole, faces=(*whole.faces, "joker"), shows=shows, supply=len(shows))


def row_form(given: Given, layout: "RecordLayout | None", first: int, double_zero: int | None) -> "RowForm":
    """Returns how a line becomes a row."""
    from rng.given.names import Glued
    from rng.given.records import RecordForm
    from rng.given.rows import RowForm

    return RowForm(
        tuple(piece_read(piece, given, first) for piece in given.pieces),
        layout.form if layout else RecordForm(),
        first,
        given.faces,
        double_zero,
        given.order,
        given.cut,
        Glued(given.language, latin=given.pieces[0].size % 40 == 0) if given.pieces[0].suits else None,
    )


def piece_read(piece: Equipment, given: Given, first: int = 0) -> "RecordPiece":
    """Returns a piece as the reader takes it."""
    from certify.certification.randomness import recorded

    made = recorded(piece, given.language)
    if not given.numbered:
        return made
    return replace(
        made, names={**made.names, **{str(face + first): face for face in range(len(piece.faces))}}
    )


def bits_of(submitted: SubmittedOutput) -> BitStream:
    """Returns the bits of a sample, those of each draw from the most significant one on.

    Raises:
        InputError: The sample has no bits: decks, or draws whose range is no power of two.
    """
    if submitted.bits is not None:
        return submitted.bits
    below = submitted.source.below
    if submitted.rows is None or submitted.source.kind == "decks" or below & (below - 1):
        raise InputError("--suite sp800-22 takes --bits, or --draws with a range that is a power of two")
    width = below.bit_length() - 1
    packed = read_raw(_DrawBits(submitted.rows, width), source=submitted.source.name)
    return packed.segment(0, submitted.count * width)


class _DrawBits(io.RawIOBase):
    """The bits of draws as a stream of bytes, made piece by piece."""

    PIECE: Final = 1 << 17  # Draws at a time; a multiple of eight, so that each piece fills its bytes.

    def __init__(self, draws: NDArray[Any], width: int) -> None:
        super().__init__()
        self._draws, self._width, self._next = draws, width, 0

    def read(self, size: int = -1, /) -> bytes:
        """Returns the bits of the next piece of draws, whatever size is requested."""
        piece = np.asarray(self._draws[self._next : self._next + self.PIECE]).astype(np.uint64)
        self._next += self.PIECE
        places = np.arange(self._width - 1, -1, -1, dtype=np.uint64)
        bits = (piece[:, None] >> places & np.uint64(1)).astype(np.uint8)
        return np.packbits(bits).tobytes()


def words_of(submitted: SubmittedOutput) -> tuple[NDArray[np.unsignedinteger[Any]], int]:
    """Returns the numbers of a sample and their range; bits are cut into words of ``--dtype`` (u32).

    Raises:
        InputError: The sample has no numbers.
    """
    if submitted.source.kind == "draws" and submitted.rows is not None:
        return submitted.rows, submitted.source.below
    if submitted.bits is None:
        raise InputError("--suite sequences takes --draws, or --bits")
    width = int((submitted.source.dtype or "u32")[1:])
    words = submitted.bits.length // width
    order = ">" if submitted.source.big_endian else "<"
    whole = submitted.bits.packed[: words * width // 8]
    return whole.view(f"{order}u{width // 8}"), 1 << width
