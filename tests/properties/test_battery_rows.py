"""Rows of any equipment, written in any form, are read back as they were drawn."""

import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from rng.given.records import RecordForm, lines_of
from rng.given.rows import RecordPiece, RowForm, read_row_text, read_row_words

pieces = st.lists(
    st.builds(
        lambda items, share, replaced: RecordPiece(
            max(1, items * share // 10), tuple(range(items)), {f"face{n}": n for n in range(items)}, replaced
        ),
        st.integers(2, 60),
        st.integers(1, 10),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


def rows_of(form, count, chance):
    """Rows that the pieces can give."""
    return [
        [
            item
            for piece in form.pieces
            for item in (
                chance.choices(piece.shows, k=piece.places)
                if piece.replaced
                else chance.sample(piece.shows, piece.places)
            )
        ]
        for _ in range(count)
    ]


@settings(max_examples=40, deadline=None)
@given(
    pieces=pieces,
    first=st.integers(-3, 9),
    mark=st.sampled_from([",", ";", "\t", "|", " "]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    before=st.integers(0, 2),
    chance=st.randoms(use_true_random=False),
)
def test_rows_are_read_back_however_they_are_written(pieces, first, mark, end, before, chance):
    form = RowForm(tuple(pieces), first=first, order="drawn")
    rows = rows_of(form, 5, chance)
    # Other columns around those that count; a separator must be there to be found.
    marked = mark if before or form.width > 1 else ","
    table = "".join(marked.join([*["7"] * before, *(str(i + first) for i in row), "9"]) + end for row in rows)
    cells = RecordForm(None, tuple(range(before, before + form.width)))
    text = RowForm(form.pieces, cells, first, order="drawn")
    assert read_row_text(io.BytesIO(table.encode()), text, source="given").tolist() == rows
    records = "".join(json.dumps({"n": 1, "draw": {"cells": [i + first for i in row]}}) + end for row in rows)
    listed = RowForm(form.pieces, RecordForm(member="draw.cells"), first, order="drawn")
    assert read_row_text(io.BytesIO(records.encode()), listed, source="given").tolist() == rows
    named = "".join(";".join(f"Face {i}" for i in row) + end for row in rows)
    faces = RowForm(form.pieces, RecordForm(";"), faces=True, order="drawn")
    assert read_row_text(io.BytesIO(named.encode()), faces, source="given").tolist() == rows
    words = b"".join((i + first).to_bytes(4, "little", signed=True) for row in rows for i in row)
    read = read_row_words(io.BytesIO(words), form, "<i4", source="given")
    assert read.ravel().tolist() == [i for row in rows for i in row]


@settings(max_examples=30, deadline=None)
@given(
    lines=st.lists(st.text("ab", max_size=3), max_size=12),
    size=st.integers(1, 9),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_lines_are_numbered_alike_however_they_end_and_wherever_they_are_cut(lines, size, end):
    data = io.BytesIO("".join(line + end for line in lines).encode())
    found = list(lines_of(_Cut(data, size), "given"))
    assert found == [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


class _Cut:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data, size):
        self._data, self._size = data, size

    def read(self, size=-1, /):
        return self._data.read(self._size)
