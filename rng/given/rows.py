"""Rows of several draws a line, each place with its own range: balls, reels, dice, cards; by number or by name."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery import CHUNK_BYTES, ByteSource, SampleStore
from rng.errors import DoubledItemError, SampleError
from rng.given.names import Glued, label_stream, plain_name
from rng.given.numbers import double_zero_unstated, require_few
from rng.given.records import (
    Cells,
    RecordForm,
    is_number,
    lines_of,
    out_of_range,
    records_of,
    whole_number,
)

Order = Literal["drawn", "any"]

BATCH = 4096
# A row form that chance alone would give less often must be confirmed.
LEAST_LIKELY = 1e-9


@dataclass(frozen=True, slots=True)
class RecordPiece:
    """What so many neighbouring places of a row are drawn from.

    Args:
        places: Places of the row that it fills.
        shows: Face of each item, by its number; equal faces are distinguished at random.
        names: Face by its name, as `plain_name` leaves it.
        replaced: Whether an item may come again in the same row.
    """

    places: int
    shows: Sequence[int]
    names: Mapping[str, int] = field(default_factory=dict)
    replaced: bool = True

    @property
    def numbered(self) -> bool:
        """Whether some face is a number, which could be taken for that of an item."""
        return any(is_number(name) for name in self.names)


@dataclass(frozen=True, slots=True)
class RowForm:
    """How a line, or so many binary words, becomes a row.

    Args:
        pieces: What the places are drawn from, in their order.
        cells: How a line becomes cells.
        first: The smallest number of an item, which becomes 0.
        faces: Numbers in text are what the items show, such as the 6 of a die.
        double_zero: The item that ``00`` of text means, where it is no face.
        order: Whether balls of a row are in the order drawn; required where all rows ascend.
        cut: Lines may hold more draws than a row has: what follows, such as the rest of a shoe, is passed over.
        glued: Names that may stand in one cell without anything between them.
        fixed: A row has the draws of its pieces, though one piece alone may leave their number to the lines.
    """

    pieces: tuple[RecordPiece, ...]
    cells: RecordForm = field(default_factory=RecordForm)
    first: int = 0
    faces: bool = False
    double_zero: int | None = None
    order: Order | None = None
    cut: bool = False
    glued: Glued | None = None
    fixed: bool = False

    @property
    def width(self) -> int:
        """Places of a row."""
        return sum(piece.places for piece in self.pieces)

    @property
    def dtype(self) -> str:
        """The smallest words that hold every item."""
        most = max(len(piece.shows) for piece in self.pieces)
        return "u1" if most <= 256 else "<u2" if most <= 65_536 else "<u4"

    @property
    def flat(self) -> bool:
        """Whether numbers follow each other without end: one piece, of which anything may come again."""
        return not self.fixed and len(self.pieces) == 1 and self.pieces[0].replaced


def read_row_text(
    stream: ByteSource,
    form: RowForm,
    *,
    source: str,
    progress: Callable[[int], None] | None = None,
    marks: Callable[[tuple[str, ...], str], None] | None = None,
) -> NDArray[Any]:
    """Reads text of one row a line; a heading is allowed in the first line.

    Draws from one piece that may come again may stand in any number a line, as long as it is always the same.

    Args:
        stream: The text.
        form: How a line becomes a row.
        source: Name of the data, for messages.
        progress: Receives the bytes read.
        marks: Receives of each row what is in the columns of ``Form.marks``, and which line it is.

    Returns:
        Items, one row a row, numbered from 0.

    Raises:
        SampleError: A line is no row that the pieces can give; which line, and what was expected.
    """
    labels = _Labels()
    items = _TextRows(form, labels)
    records = records_of(
        lines_of(stream, source, progress),
        form.cells,
        source,
        width=2 if form.flat else form.width,
        is_heading=items.is_heading,
        glued=form.glued,
        marks=marks,
    )
    return _collected(batches(items.row(*record) for record in records), form, labels, source)


def read_row_words(stream: ByteSource, form: RowForm, dtype: str, *, source: str) -> NDArray[Any]:
    """Reads binary words, so many a row: items numbered from ``form.first`` on.

    Raises:
        SampleError: The words are no whole rows, or not of these pieces.
    """
    width, size = (1 if form.flat else form.width), np.dtype(dtype).itemsize
    limits = np.array(
        [len(piece.shows) for piece in form.pieces for _ in range(1 if form.flat else piece.places)]
    )

    def words_read() -> Iterator[NDArray[np.int64]]:
        rest, row = b"", 0
        while piece := stream.read(CHUNK_BYTES):
            rest += piece
            whole = len(rest) - len(rest) % (width * size)
            words = np.frombuffer(rest[:whole], dtype=dtype).reshape(-1, width)
            rest = rest[whole:]
            # Words of more than 63 bits become negative, and are no items either.
            items = words.astype(np.int64) - form.first
            wrong = np.argwhere((items < 0) | (items >= limits))
            if wrong.size:
                at, place = wrong[0].tolist()
                raise out_of_range(
                    f"{source}: row {row + at + 1}, place {place + 1}",
                    str(int(words[at, place])),
                    form.first,
                    form.first + int(limits[place]) - 1,
                )
            row += len(words)
            yield items
        if rest:
            raise SampleError(f"{source}: {len(rest)} bytes left over, expected rows of {width * size} bytes")

    rows = words_read()
    try:
        return _collected(rows, form, _Labels(), source)
    except DoubledItemError:
        # Rows that begin at a wrong byte show doubled items too: bytes left over at the end say that they do.
        for _ in rows:
            pass
        raise


def batches(rows: Iterable[list[int]]) -> Iterator[NDArray[np.int64]]:
    """Yields rows so many at a time, which is how they are verified and kept."""
    held: list[list[int]] = []
    for row in rows:
        held.append(row)
        if len(held) == BATCH:
            yield np.array(held, dtype=np.int64)
            held.clear()
    if held:
        yield np.array(held, dtype=np.int64)


def _collected(
    batches: Iterator[NDArray[np.int64]], form: RowForm, labels: "_Labels", source: str
) -> NDArray[Any]:
    """Puts batches of items together and checks what no place can tell alone."""
    store, done, width, ascending = SampleStore(), 0, form.width, [True] * len(form.pieces)
    for batch in batches:
        width = batch.shape[1]
        made, place = [], 0
        for number, piece in enumerate(form.pieces):
            places = width if form.flat else piece.places
            part = batch[:, place : place + places]
            if not piece.replaced:
                _refuse_repeated(part, number, piece, source, done)
                ascending[number] &= bool((np.diff(part, axis=1) > 0).all())
                if form.order == "any":
                    part = np.take_along_axis(part, np.argsort(labels.keys(part.shape), axis=1), axis=1)
            made.append(part)
            place += places
        store.add(np.concatenate(made, axis=1).astype(form.dtype).tobytes())
        done += len(batch)
        require_few(done, source)
    if not store.size:
        raise SampleError(f"{source}: no rows to test, expected at least one")
    if form.order is None:
        _require_order(form, ascending, done, source)
    return store.finish().view(form.dtype).reshape(-1, width)


def _refuse_repeated(
    part: NDArray[np.int64], number: int, piece: RecordPiece, source: str, done: int
) -> None:
    ordered = np.sort(part, axis=1)
    wrong = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if wrong.size:
        row = int(wrong[0])
        values, counts = np.unique(part[row], return_counts=True)
        item, place = int(values[counts > 1][0]), done + row + 1
        raise DoubledItemError(
            f"{source}: row {place}: an item comes twice ({item}, counted from 0): "
            f"each of {len(piece.shows)} at most once is expected, nothing is put back",
            place,
            number,
            item,
        )


def _require_order(form: RowForm, ascending: list[bool], rows: int, source: str) -> None:
    """Refuses balls that stand in ascending order in every row, which draws never do, and asks why.

    Raises:
        SampleError: They do, in so many rows that it is no chance.
    """
    for piece, always in zip(form.pieces, ascending, strict=True):
        several = not piece.replaced and 1 < piece.places < len(piece.shows)
        if several and always and rows * math.log(math.factorial(piece.places)) > -math.log(LEAST_LIKELY):
            raise SampleError(
                f"{source}: in every row the {piece.places} balls ascend: put in order after they were drawn? "
                "Say --order any; if they came like that, --order drawn"
            )


def require_order_of_balls(head: bytes, form: RecordForm, below: int, source: str) -> None:
    """Refuses numbers of one range whose lines never hold the same one twice, as balls do, and asks what they are.

    Tested as independent numbers, balls drawn without putting any back would fail for the wrong reason.

    Args:
        head: The beginning of the text.
        form: How a line becomes cells.
        below: Range of the numbers.
        source: Name of the data, for messages.

    Raises:
        SampleError: They never do, in so many lines that it is no chance.
    """
    cells, rows = Cells(form), []
    try:
        for line in head.decode("utf-8-sig", "replace").split("\n")[:-1]:
            row = [cell.strip() for cell in (cells.of(line, source) or ())] if line.strip() else []
            if all(is_number(cell, signed=True) for cell in row):
                rows.append(row)
    except SampleError:
        return  # whoever reads it says what is wrong, and where
    width = len(rows[0]) if rows else 0
    if not 1 < width <= below or not all(len(set(row)) == len(row) == width for row in rows):
        return
    logarithm = len(rows) * sum(math.log1p(-drawn / below) for drawn in range(width))
    if logarithm < math.log(LEAST_LIKELY):
        independent = ",".join([str(below)] * width) if width < 8 else f"{below},{below},…"
        raise SampleError(
            f"{source}: no line holds one of its {width} numbers twice: balls drawn without putting any back? Say "
            f"--balls {width}/{below} instead of --range; if they are drawn one by one from all, --range {independent}"
        )


class _Labels:
    """Numbers from 0 to 1 that decide what the data leaves open; the same for the same data."""

    PIECE = 1 << 13

    def __init__(self) -> None:
        self._stream = label_stream()
        self._waiting: list[float] = []

    def keys(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Returns so many numbers."""
        drawn = np.frombuffer(self._stream.read(8 * math.prod(shape)), dtype="<u8").reshape(shape)
        return np.asarray((drawn >> np.uint64(11)) * 2.0**-53, dtype=np.float64)

    def below(self, n: int) -> int:
        """Returns a whole number below n; its bias is below n in 2^53."""
        if not self._waiting:
            self._waiting = self.keys((self.PIECE,)).tolist()
        return int(self._waiting.pop() * n)


class _TextRows:
    """Turns the cells of records into rows of items."""

    def __init__(self, form: RowForm, labels: _Labels) -> None:
        self._form = form
        self._width = 0 if form.flat else form.width
        self._copies = [_Copies(piece, labels) for piece in form.pieces]
        self._copies_at = [copies for copies in self._copies for _ in range(copies.piece.places)]

    def row(self, where: str, found: list[str]) -> list[int]:
        """Returns the items of a record.

        Raises:
            SampleError: It has not so many cells, or one is no item that the piece can give.
        """
        cells = found[: self._width] if self._form.cut else found
        if not self._width:
            self._width = len(cells)
            self._copies_at = self._copies * len(cells)
        if len(cells) != self._width:
            least = "at least " if self._form.cut else ""
            raise SampleError(f"{where}: {len(cells)} cells, expected {least}{self._width} (see --columns)")
        for copies in self._copies:
            copies.next_row()
        return [self._item(copies, cell, where) for copies, cell in zip(self._copies_at, cells, strict=True)]

    def is_heading(self, cells: list[str]) -> bool:
        """Says whether no cell of the places that count names an item."""
        return not any(self._is_item(cell) for cell in (cells[: self._width] if self._form.cut else cells))

    def _is_item(self, cell: str) -> bool:
        name = plain_name(cell)
        return is_number(cell, signed=True) or any(name in piece.names for piece in self._form.pieces)

    def _item(self, copies: "_Copies", cell: str, where: str) -> int:
        piece, form = copies.piece, self._form
        if form.faces or not is_number(cell, signed=True):
            face = piece.names.get(plain_name(cell))
            if face is None and is_number(cell) and cell.strip("0"):
                face = piece.names.get(str(whole_number(cell)))
            if face is None:
                raise SampleError(f"{where}: {cell[:40]!a} is no face, expected such as {_some(piece)}")
            if not form.faces and copies.numbered:
                raise SampleError(
                    f"{where}: {cell[:40]!a} is a face, and other faces are numbers: say --faces, so that those are "
                    "not read as numbers of items"
                )
            return copies.item_of(face, where)
        if cell == "00":
            if form.double_zero is None:
                hint = " or --faces, which reads what the equipment shows" if "00" in piece.names else ""
                raise SampleError(f"{double_zero_unstated(f'{where}:')}{hint}")
            cell = str(form.double_zero)
        item = whole_number(cell) - form.first
        if not 0 <= item < len(piece.shows):
            known = " (or --faces, which reads what the equipment shows)" if cell in piece.names else ""
            wrong = out_of_range(where, cell, form.first, form.first + len(piece.shows) - 1)
            raise SampleError(f"{wrong}{known}")
        return item


class _Copies:
    """Tells items that show the same face apart at random, the same way for the same data.

    If every face comes as often as its items are many, independently, then so labelled every item comes as often as
    every other; and if nothing is put back, every order of the items is as likely as every other: what is tested
    stays exact.
    """

    def __init__(self, piece: RecordPiece, labels: _Labels) -> None:
        self.piece, self._labels = piece, labels
        self.numbered = piece.numbered
        self._items: dict[int, list[int]] = {}
        for item, face in enumerate(piece.shows):
            self._items.setdefault(face, []).append(item)
        self._left: dict[int, list[int]] = {}

    def next_row(self) -> None:
        """Puts everything back."""
        if self._left:
            self._left = {}

    def item_of(self, face: int, where: str) -> int:
        """Returns an item that shows a face and, where nothing is put back, was not drawn yet.

        Raises:
            SampleError: None is left.
        """
        items = self._items[face]
        if len(items) == 1:
            return items[0]
        if self.piece.replaced:
            return items[self._labels.below(len(items))]
        left = self._left.setdefault(face, list(items))
        if not left:
            raise SampleError(f"{where}: a face comes more often than the {len(items)} items that show it")
        return left.pop(self._labels.below(len(left)))


def _some(piece: RecordPiece) -> str:
    return ", ".join(list(piece.names)[:3]) or f"numbers below {len(piece.shows)}"
