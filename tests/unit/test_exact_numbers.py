"""Numbers as they are printed: odds, percentages, their intervals, amounts of currencies, and outcomes told apart."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.certification.audit import _ended_alike
from certify.currency import minor_units, units
from certify.errors import InputError, SubmissionError
from certify.exact import decimal_text, parse_fraction, parse_half_points, parse_odds, parse_percent
from certify.report.formats import NARROW, money
from certify.submission import parse_game, read_game

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


ROULETTE = Path("fixtures/games/roulette-single-zero/game.toml")


def with_limits(minimum, maximum, currency):
    """Returns roulette with every limit in another currency."""
    table = f'limits = {{ minimum = "{minimum}", maximum = "{maximum}", currency = "{currency}"'
    text = re.sub(
        r"limits = \{ minimum = \"[^\"]*\", maximum = \"[^\"]*\", currency = \"[A-Z]+\"",
        table,
        ROULETTE.read_text(),
    )
    assert table in text
    return text.encode()


@pytest.mark.parametrize(
    ("minimum", "maximum", "currency", "expected"),
    [("100", "50000", "JPY", (100, 50_000)), ("0.250", "500.000", "KWD", (250, 500_000))],
)
def test_limits_have_the_decimal_places_of_their_currency(minimum, maximum, currency, expected):
    game = parse_game(with_limits(minimum, maximum, currency), "game.toml")
    limits = game.wagers[0].limits
    assert (limits.minimum, limits.maximum) == expected
    assert (
        money(limits.maximum, currency).replace(NARROW, ",")
        == f"{currency} {units(limits.maximum, currency, ',')}"
    )


@pytest.mark.parametrize(
    ("minimum", "maximum", "currency", "message"),
    [
        ("1.00", "500.00", "JPY", 'amount "1.00": expected such as "500"'),
        ("1.00", "500.00", "KWD", 'amount "1.00": expected such as "500.000"'),
        ("1.00", "500.00", "XYZ", 'currency "XYZ": expected three letters of ISO 4217'),
        ("1.00", "500.00", "XAU", 'currency "XAU": expected three letters of ISO 4217'),
        ("0.00", "500.00", "EUR", "expected 0.01 ≤ minimum ≤ maximum < 1000000000.00"),
        ("1.00", "1000000000.00", "EUR", "expected 0.01 ≤ minimum ≤ maximum < 1000000000.00"),
    ],
)
def test_an_amount_of_other_places_and_a_currency_that_does_not_exist_are_mistakes(
    minimum, maximum, currency, message
):
    with pytest.raises(SubmissionError) as caught:
        parse_game(with_limits(minimum, maximum, currency), "game.toml")
    assert any(message in str(problem) for problem in caught.value.problems)
    assert all(problem.line for problem in caught.value.problems if message in str(problem))


@pytest.mark.parametrize("amount", ["1e3", "١.٠٠", " 1.00", "-1.00", "1.0", 1])
def test_nothing_but_digits_is_an_amount(amount):
    with pytest.raises(InputError, match=r'expected such as "500\.00"'):
        minor_units(amount, "EUR")


def test_the_fixture_itself_is_read():
    assert read_game(ROULETTE).wagers[0].limits.currency == "EUR"


def test_at_other_pays_an_outcome_is_the_same_where_its_row_is_or_where_both_are_named_after_their_net_result() -> (
    None
):
    def row_of(outcome: str) -> str:
        return outcome.partition(":")[0]

    assert _ended_alike(row_of, "win:8:1", "win")
    assert _ended_alike(row_of, "win:6:2", "lose:-2:2")
    assert not _ended_alike(row_of, "push", "win")
    assert not _ended_alike(row_of, "lose", "win:8:1")
