"""What holds of the seal and of what is printed, whatever comes: one form, intervals, widths, rows read back."""

import io
import json
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings, strategies as st
from seal_support import NOW, sound_pack

from certify.errors import TrustError
from certify.exact import decimal_text, outward_texts
from certify.messages.catalogue import MessageCatalogue
from certify.model import Message
from certify.report.layout import Column, PageCell, PageTable, digest, judged, mono, number
from certify.report.widths import PAGE, shares, width_of
from certify.seal import (
    canonical_bytes,
    element_end,
    layout,
    parse_canonical,
    parse_json,
    read_attachments,
    read_certificates,
    read_container,
    verify_envelope,
)
from certify.seal.layout import parse_sums, require_sums, sums_bytes
from certify.seal.verify import verify
from rng.given.records import RecordForm, lines_of
from rng.given.rows import RecordPiece, RowForm, read_row_text, read_row_words

WORDS = st.text("abcdefghij 0123½", min_size=1, max_size=30).filter(str.strip)
CELLS = st.one_of(
    WORDS.map(PageCell), WORDS.map(number), WORDS.map(mono), st.just(judged("shown on the reference"))
)
WIDTHS = st.sampled_from([0, 0, 10, 20, 30])


@st.composite
def tables(draw):
    columns = tuple(Column(draw(WORDS), width=draw(WIDTHS)) for _ in range(draw(st.integers(1, 7))))
    row = st.tuples(*[CELLS for _ in columns])
    return PageTable(
        "What is shown", columns, tuple(draw(st.lists(row, max_size=4))), dense=draw(st.booleans())
    )


@given(tables())
def test_shares_are_those_of_the_whole_width_and_no_column_goes_without(table):
    found = shares(table)
    if found:
        assert len(found) == len(table.columns)
        assert sum(found) == pytest.approx(100)
        assert min(found) > 0


@given(tables())
def test_no_column_is_narrower_than_a_word_in_it(table):
    for place, share in enumerate(shares(table)):
        for row in table.rows:
            cell = row[place]
            if cell.kind in ("text", "number"):
                words = cell.text.split() if cell.kind == "text" else [cell.text]
                widest = max(width_of(word, "IBMPlexSans-Regular.ttf", 7.4) for word in words)
                assert widest < share / 100 * PAGE


def test_a_share_that_was_given_is_kept_where_texts_fit_it():
    columns = (Column("a", width=20), Column("b", width=30), Column("c", width=50))
    table = PageTable("What is shown", columns, ((PageCell("x"), PageCell("y"), PageCell("z")),))
    assert [round(share) for share in shares(table)] == [20, 30, 50]


def test_columns_give_up_what_another_cannot_do_without():
    columns = (Column("a", width=90), Column("b", width=10))
    first, second = shares(
        PageTable("What is shown", columns, ((PageCell("x"), judged("shown on the reference")),))
    )
    assert first < 80
    assert second > 20


def test_no_shares_where_the_unbroken_texts_do_not_fit_beside_each_other():
    columns = tuple(Column(str(n)) for n in range(3))
    table = PageTable("What is shown", columns, ((digest("0" * 64),) * 3,))
    assert shares(table) == ()


ENDS = st.tuples(
    st.fractions(-2, 2, max_denominator=10**9), st.fractions(0, 1, max_denominator=10**12)
).filter(lambda pair: pair[1] > 0)


@given(ENDS, st.integers(0, 8))
def test_the_printed_interval_holds_the_exact_one_and_is_hardly_wider(ends, places):
    low, high = ends[0], ends[0] + ends[1]
    down, up = map(Fraction, outward_texts(low, high, places))
    assert down <= low <= high <= up
    assert 10 * (up - down) <= 11 * (high - low)


def test_planted_rounding_to_nearest_holds_neither_end():
    low, high = Fraction("0.7886419876"), Fraction("0.7886421395")  # sept et demi
    nearest = [Fraction(decimal_text(100 * end, 5)) for end in (low, high)]
    assert nearest[0] > 100 * low
    assert nearest[1] < 100 * high
    down, up = map(Fraction, outward_texts(100 * low, 100 * high, 5))
    assert down <= 100 * low <= 100 * high <= up


def test_messages_write_the_ends_of_an_interval_outwards():
    said = MessageCatalogue(
        "en", {"x": "{low:percent2down} to {high:percent2up}, {low:percent2} to {high:percent2}"}
    )
    message = Message("x", {"low": Fraction("0.12346"), "high": Fraction("0.12354")})
    assert said.text([message]) == "12.34 to 12.36, 12.35 to 12.35"


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


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
names = st.from_regex(r"[a-z][a-z0-9]{0,5}(/[a-z][a-z0-9]{0,5}){0,2}", fullmatch=True)


@given(json_values)
def test_the_canonical_form_is_read_back_as_it_was(value):
    content = canonical_bytes(value)
    assert parse_canonical(content, "sample") == value
    assert canonical_bytes(parse_json(content, "sample")) == content


@given(st.dictionaries(names, st.binary(max_size=8), min_size=1, max_size=6))
def test_a_list_of_digests_fits_its_files_only(files):
    listed = sums_bytes(files)
    require_sums(listed, files)
    assert sorted(parse_sums(listed)) == sorted(files)
    for name, content in files.items():
        for wrong in ({**files, name: content + b"!"}, {n: c for n, c in files.items() if n != name}):
            with pytest.raises(TrustError, match=name):
                require_sums(listed, wrong)


@given(st.binary(max_size=64))
@example(b"\x30\x80\x00\x00")
@example(b"\x30" * 64)
def test_an_encoding_is_distinguished_or_refused(content):
    try:
        end = element_end(content, 0, len(content))
    except ValueError:
        return
    assert 2 <= end <= len(content)


@given(st.binary(max_size=200), st.integers(0, 2**31), st.sampled_from(["replace", "insert", "only"]))
def test_verification_meets_any_bytes_with_an_answer(noise, place, manner):
    report = sound_pack()[layout.REPORT]
    offset = place % len(report)
    after = report[offset + (len(noise) if manner == "replace" else 0) :]
    content = noise if manner == "only" else report[:offset] + noise + after
    with TemporaryDirectory() as directory:
        path = Path(directory, "report.pdf")
        path.write_bytes(content)
        assert verify(path, None, NOW).holds == (content == report)


@given(st.binary(max_size=200))
def test_readers_of_foreign_bytes_refuse_in_one_way(noise):
    certificate = read_certificates(sound_pack()[layout.SIGNER_CERTIFICATE], "signer.pem")[0]
    for reader in (read_container, read_attachments, lambda content: verify_envelope(content, certificate)):
        with pytest.raises(TrustError):
            reader(noise)
