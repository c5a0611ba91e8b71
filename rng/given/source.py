"""Where given output is, how it is written, and what was read of it; nothing is read here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.battery.bits import BitStream
    from rng.battery.stratified import DrawOrigin
    from rng.given.decks import RecordLayout
    from rng.given.records import RecordForm
    from rng.given.rows import RowForm

Kind = Literal["bits", "decks", "draws"]
WordFormat = Literal["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]
Tell = Callable[[int, int], None]

STANDARD_INPUT: Final = Path("-")


@dataclass(frozen=True, slots=True)
class GivenOutput:
    """Where the data is, and how it is written.

    Args:
        kind: Bits, decks or draws.
        path: The file; ``-`` is standard input.
        as_ascii: Bits are the characters 0 and 1.
        csv: Decks are CSV; found out from the first line if not stated.
        dtype: Draws are binary words; text if left out.
        big_endian: Byte order of binary words.
        below: Range of the draws.
        more: Further files, read one after the other behind the first.
        encoding: Bits are text of hexadecimal digits or base64.
        raw: Bits are raw bytes even where they look like text.
        first: The smallest number or card id of text, which becomes 0.
        double_zero: What ``00`` of text means.
        layout: What a deck is made of and how its records are written; 40 cards by number if left out.
        rows: How rows are read, where what they are drawn from is stated piece by piece.
        table: Whether the first column of ``RecordForm.marks`` names the table of each row.
        time: Whether the last one says when each row was drawn.
    """

    kind: Kind
    path: Path
    as_ascii: bool = False
    csv: bool = False
    dtype: WordFormat | None = None
    big_endian: bool = False
    below: int = 0
    more: tuple[Path, ...] = ()
    encoding: Literal["hex", "base64"] | None = None
    raw: bool = False
    first: int = 0
    double_zero: int | None = None
    layout: "RecordLayout | None" = None
    rows: "RowForm | None" = None
    table: bool = False
    time: bool = False

    @property
    def name(self) -> str:
        """Name for messages."""
        names = ("standard input" if path == STANDARD_INPUT else str(path) for path in self.paths)
        return ", ".join(names)

    @property
    def records(self) -> "RecordForm | None":
        """How a line becomes cells, where that is stated."""
        return self.layout.form if self.layout else None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files in their order."""
        return (self.path, *self.more)


@dataclass(frozen=True, slots=True, eq=False)
class ReadOutput:
    """What was read, well-formed.

    Args:
        count: Bits, decks, draws or rows.
        sha256: Digest of the bytes that were read.
        bits: The bits, if it is bits.
        rows: The decks, one a row, the draws or the rows.
        origin: Table and time of each row, where given.
    """

    count: int
    sha256: str
    bits: "BitStream | None" = None
    rows: "NDArray[Any] | None" = None
    origin: "DrawOrigin | None" = None
