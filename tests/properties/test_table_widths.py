"""The widths of columns: every text fits the share that its column gets, or no shares are given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.report.layout import Column, PageCell, PageTable, digest, judged, mono, number
from certify.report.widths import PAGE, shares, width_of

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
