"""Counting and listing whole-number paytables against looping over all of them."""

from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.analysis import whole_pays
from certify.analysis.whole_pays import (
    LostRow,
    Order,
    Search,
    attained,
    count_fits,
    fitting,
    nearest,
    weighted_sum,
)
from certify.errors import InputError

ORDERED = {
    Order.ANY: lambda pays: True,
    Order.NON_INCREASING: lambda pays: list(pays) == sorted(pays, reverse=True),
    Order.DECREASING: lambda pays: list(pays) == sorted(set(pays), reverse=True),
}


def by_looping(search):
    return [pays for pays in product(*(row.pays for row in search.rows)) if ORDERED[search.order](pays)]


@st.composite
def searches(draw):
    rows = tuple(
        LostRow(
            f"row-{number}",
            Fraction(draw(st.integers(0, 12)), draw(st.sampled_from([1, 1, 7, 60]))),
            tuple(sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=6)))),
        )
        for number in range(draw(st.integers(1, 4)))
    )
    low = Fraction(draw(st.integers(-5, 400)), 7)
    width = Fraction(draw(st.integers(1, 60)), 7)
    ends = (draw(st.booleans()), draw(st.booleans()))
    return Search(rows, low, low + width, draw(st.sampled_from(list(Order))), *ends)


def fits(search, total):
    above = total >= search.low if search.low_fits else total > search.low
    return above and (total <= search.high if search.high_fits else total < search.high)


@given(searches())
def test_counts_lists_and_sums_miss_no_paytable(search):
    everything = by_looping(search)
    expected = [pays for pays in everything if fits(search, weighted_sum(search, pays))]
    assert search.tried() == len(everything)
    assert count_fits(search) == len(expected)
    assert sorted(fitting(search)) == sorted(expected)
    assert attained(search, limit=10_000) == tuple(sorted({weighted_sum(search, pays) for pays in expected}))


@given(searches())
def test_counting_one_by_one_equals_counting_by_tables(search):
    tabulated = count_fits(search)
    limit = whole_pays.SMALL_SUM
    try:
        whole_pays.SMALL_SUM = -1
        assert count_fits(search) == tabulated
    finally:
        whole_pays.SMALL_SUM = limit


@given(searches())
def test_nearest_is_the_nearest_of_all(search):
    def distance(pays):
        total = weighted_sum(search, pays)
        return max(search.low - total, total - search.high, Fraction(0))

    everything = by_looping(search)
    found = nearest(search)
    if not everything:
        assert found is None
    else:
        assert found in everything
        assert distance(found) == min(map(distance, everything))


def test_billions_are_counted_and_a_few_listed():
    rows = tuple(
        LostRow(str(weight), Fraction(weight, 2470), tuple(range(1, 501))) for weight in (1, 5, 10, 114, 90)
    )
    search = Search(rows, Fraction(2159, 2470), Fraction(2160, 2470))
    assert search.tried() == 265_661_562_600
    assert count_fits(search) == 172_247
    assert all(weighted_sum(search, pays) == Fraction(2159, 2470) for pays in islice(fitting(search), 50))


def test_rows_are_checked():
    with pytest.raises(InputError, match="lowest first"):
        LostRow("win", Fraction(1), (3, 2))
    with pytest.raises(InputError, match="negative"):
        LostRow("win", Fraction(-1), (1,))


def test_a_search_for_pays_up_to_5000_is_counted_by_arithmetic_not_one_by_one(
    monkeypatch,
):
    monkeypatch.setattr(whole_pays, "MOST_COMBINATIONS", 0)
    weights = [Fraction(n, 2470) for n in (1, 3, 7, 80, 60)]
    rows = tuple(LostRow(f"row-{n}", weight, tuple(range(1, 5001))) for n, weight in enumerate(weights))
    staked = sum(weights)
    low, high = (Fraction(percent, 100_000) - staked for percent in (96_315, 96_325))
    assert count_fits(Search(rows, low, high)) == 1_626_843


def test_a_search_that_would_look_at_too_many_combinations_is_refused(
    monkeypatch,
):
    monkeypatch.setattr(whole_pays, "MOST_COMBINATIONS", 1000)
    monkeypatch.setattr(whole_pays, "SMALL_SUM", -1)
    rows = tuple(LostRow(f"row-{n}", Fraction(n + 1, 1000), tuple(range(1, 200))) for n in range(4))
    with pytest.raises(InputError, match="more than 1,000 combinations of pays of 4 rows"):
        count_fits(Search(rows, Fraction(1, 2), Fraction(6, 10)))
