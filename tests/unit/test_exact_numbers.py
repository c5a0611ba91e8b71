"""Odds, printed figures and their intervals, to the edge."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.errors import InputError
from certify.exact import decimal_text, parse_fraction, parse_half_points, parse_odds, parse_percent

TINY = Fraction(1, 10**30)


def test_a_rounded_figure_stands_for_a_half_open_interval():
    printed = parse_percent("99.54 %")
    low, high = Fraction(99535, 100000), Fraction(99545, 100000)
    assert printed.interval == (low, high)
    assert printed.stands_for(low)
    assert not printed.stands_for(low - TINY)
    assert printed.stands_for(high - TINY)
    assert not printed.stands_for(high)


def test_a_truncated_figure_stands_for_what_begins_with_its_digits():
    printed = parse_percent("99.54 %", truncated=True)
    low, high = Fraction(9954, 10000), Fraction(9955, 10000)
    assert printed.interval == (low, high)
    assert printed.stands_for(low)
    assert not printed.stands_for(low - TINY)
    assert printed.stands_for(high - TINY)
    assert not printed.stands_for(high)


def test_the_places_printed_are_part_of_the_claim():
    assert parse_percent("96 %").interval == (Fraction(955, 1000), Fraction(965, 1000))
    assert parse_percent("96.0 %").interval == (Fraction(9595, 10000), Fraction(9605, 10000))


@given(
    value=st.fractions(min_value=Fraction(0), max_value=Fraction(9), max_denominator=10**9),
    places=st.integers(0, 6),
)
def test_a_value_prints_as_the_one_figure_that_stands_for_it(value, places):
    printed = parse_percent(f"{decimal_text(value * 100, places)} %")
    assert printed.places == places
    assert printed.stands_for(value)


def test_odds_with_and_without_the_stake():
    assert parse_odds("3 to 2") == Fraction(3, 2)
    assert parse_odds("40 for 1") == 39
    assert parse_odds("1 for 1") == 0
    # wizardofodds.com: the spinner of two-up 7.5 to 1, two pair on five dice 3.15 for 1.
    assert (parse_odds("7.5 to 1"), parse_odds("3.15 for 1")) == (Fraction(15, 2), Fraction(43, 20))


@pytest.mark.parametrize(
    "text",
    [
        "2 to 1\n",
        " 2 to 1",
        "2 to 0",
        "1 for 2",
        "٢ to 1",
        "2:1",
        "2  to 1",
        "-2 to 1",
        "7. to 1",
        "7,5 to 1",
        "1 to 2.5",
    ],
)
def test_other_odds_are_refused(text):
    with pytest.raises(InputError):
        parse_odds(text)


@pytest.mark.parametrize("text", ["99.54", "99,54 %", "99.54 %\n", "99. %", "٩٩ %", "1e2 %", "-1 %"])
def test_other_percentages_are_refused(text):
    with pytest.raises(InputError):
        parse_percent(text)


@pytest.mark.parametrize("text", ["", "7.5", "1/3", "7½\n", "٧", "½½"])
def test_other_points_are_refused(text):
    with pytest.raises(InputError):
        parse_half_points(text)


@pytest.mark.parametrize("text", ["1/0", "1.5", "1/2\n", "١/2", "--1"])
def test_other_fractions_are_refused(text):
    with pytest.raises(InputError):
        parse_fraction(text)
