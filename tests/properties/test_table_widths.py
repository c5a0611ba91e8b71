"""The widths of columns: every text fits the share that its column gets, or no shares are given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.report.layout import Cell, Column, Table, digest, judged, mono, number
from certify.report.widths import PAGE, shares

WORDS = st.text("abcdefghij 0123½", min_size=1, max_size=30).filter(str.strip)
CELLS = st.one_of(
    WORDS.map(Cell), WORDS.map(number), WORDS.map(mono), st.just(judged("shown on the reference"))
)
WIDTHS = st.sampled_from([0, 0, 10, 20, 30])


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = tuple(Column(draw(WORDS), width=draw(WIDTHS)) for _ in range(draw(st.integers(1, 7))))
    row = st.tuples(*[CELLS for _ in columns])
    return Table("What is shown", columns, tuple(draw(st.lists(row, max_size=4))), dense=draw(st.booleans()))


@given(tables())
def test_shares_are_those_of_the_whole_width_and_no_column_goes_without(table: Table) -> None:
    found = shares(table)
    if found:
        assert len(found) == len(table.columns)
        assert sum(found) == pytest.approx(100)
        assert min(found) > 0


@given(tables(), st.integers(0, 6))
def test_a_column_with_a_longer_word_is_never_narrower(table: Table, place: int) -> None:
    place %= len(table.columns)
    before = shares(table)
    row = [Cell("a")] * len(table.columns)
    row[place] = Cell("m" * 20)
    longer = Table(table.caption, table.columns, (*table.rows, tuple(row)), dense=table.dense)
    after = shares(longer)
    if before and after:
        # A word of twenty wide letters: so many points at least, whatever the other columns want.
        assert after[place] / 100 * PAGE > 20 * 0.8 * 7.4


def test_a_share_that_was_given_is_kept_where_texts_fit_it() -> None:
    columns = (Column("a", width=20), Column("b", width=30), Column("c", width=50))
    table = Table("What is shown", columns, ((Cell("x"), Cell("y"), Cell("z")),))
    assert [round(share) for share in shares(table)] == [20, 30, 50]


def test_columns_give_up_what_another_cannot_do_without() -> None:
    columns = (Column("a", width=90), Column("b", width=10))
    first, second = shares(Table("What is shown", columns, ((Cell("x"), judged("shown on the reference")),)))
    assert first < 80
    assert second > 20


def test_no_shares_where_the_unbroken_texts_do_not_fit_beside_each_other() -> None:
    columns = tuple(Column(str(n)) for n in range(3))
    table = Table("What is shown", columns, ((digest("0" * 64),) * 3,))
    assert shares(table) == ()
