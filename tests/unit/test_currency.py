"""Amounts of currencies with no, two and three decimal places: ISO 4217."""

import re
from pathlib import Path

import pytest

from certify.currency import minor_units, units
from certify.errors import InputError, SubmissionError
from certify.report.formats import NARROW, money
from certify.submission import parse_game, read_game

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
