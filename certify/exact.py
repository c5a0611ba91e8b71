"""Odds, printed percentages, decimals and amounts of money as exact numbers: nothing below this line is a float."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Final

from iso4217 import Currency

from certify.errors import InputError

MOST_DIGITS: Final = 100_000
"""Digits of a number of a fraction, at most: long series of games take more than Python reads, and check.py as many."""

# Whole texts are matched, in the digits 0 to 9 alone: neither a line break at the end nor the digits of another
# script are part of a number that is certified.
_ODDS = re.compile(r"(\d{1,9}(?:\.\d{1,6})?) (to|for) (\d{1,9})", re.ASCII)
_PERCENT = re.compile(r"(\d{1,3})(?:\.(\d{1,12}))? ?%", re.ASCII)
_POINTS = re.compile(r"(\d{1,2})?(?: ?(½|1/2))?", re.ASCII)
_FRACTION = re.compile(r"-?\d+(/[1-9]\d*)?", re.ASCII)


def parse_odds(text: str) -> Fraction:
    """Returns the net pay per unit staked that odds such as ``2 to 1`` promise.

    ``to`` excludes the stake from the pay, ``for`` includes it.

    Raises:
        InputError: The text is not of the form ``N to M`` or ``N for M`` with a positive whole M; N may have decimals.

    >>> parse_odds("3 to 2")
    Fraction(3, 2)
    >>> parse_odds("40 for 1"), parse_odds("7.5 to 1")
    (Fraction(39, 1), Fraction(15, 2))
    """
    match = _ODDS.fullmatch(text)
    if match is None or int(match[3]) == 0:
        raise InputError(
            f'pays of the wrong form {text!r}: expected "N to M" or "N for M", such as "2 to 1" or "3.5 for 1"'
        )
    pays = Fraction(match[1]) / int(match[3])
    if match[2] == "for":
        if pays < 1:
            raise InputError(
                f"{text!r} pays less than the stake: a winning row returns at least its stake; a described game states "
                'less by returns = "1/2" where the wager ends, for a row outside the paytable'
            )
        return pays - 1
    return pays


def format_odds(pays: Fraction) -> str:
    """Returns a net pay in the form in which paytables print it.

    >>> format_odds(Fraction(3, 2))
    '3 to 2'
    """
    return f"{pays.numerator} to {pays.denominator}"


def parse_half_points(text: str) -> int:
    """Returns a card or hand value such as ``7½`` or ``7 1/2`` in half points.

    >>> parse_half_points("7 1/2"), parse_half_points("½"), parse_half_points("3")
    (15, 1, 6)
    """
    match = _POINTS.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        raise InputError(f'value {text!r} is not a number of points: expected such as "3", "1/2" or "7 1/2"')
    return 2 * int(match[1] or 0) + (1 if match[2] else 0)


def format_half_points(half_points: int) -> str:
    """Returns half points as a player reads them.

    >>> format_half_points(15), format_half_points(1), format_half_points(6)
    ('7½', '½', '3')
    """
    whole, half = divmod(half_points, 2)
    return f"{whole or ''}{'½' * half}" or "0"


def printed_between(value: Fraction, unit: Fraction, truncated: bool) -> tuple[Fraction, Fraction]:
    """Returns between which values a figure was cut off, or rounded, to a multiple of a unit."""
    low = value if truncated else value - unit / 2
    return low, low + unit


@dataclass(frozen=True, slots=True)
class PrintedPercent:
    """A percentage as printed: its value, and the precision that is part of the claim.

    Args:
        value: The printed figure as a fraction of one.
        places: Decimal places printed.
        truncated: Whether the printer cut further digits off instead of rounding to nearest.
    """

    value: Fraction
    places: int
    truncated: bool = False

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The half-open interval ``[low, high)`` of exact values that print as this figure.

        Rounded to nearest, 99.54 % means [99.535 %, 99.545 %); truncated, [99.54 %, 99.55 %).
        """
        return printed_between(self.value, Fraction(1, 100 * 10**self.places), self.truncated)

    def stands_for(self, exact: Fraction) -> bool:
        """Returns whether an exact value prints as this figure."""
        low, high = self.interval
        return low <= exact < high


def parse_percent(text: str, *, truncated: bool = False) -> PrintedPercent:
    """Returns a printed percentage with its precision.

    >>> parse_percent("99.54 %").interval
    (Fraction(19907, 20000), Fraction(19909, 20000))
    """
    match = _PERCENT.fullmatch(text)
    if match is None:
        point = "a point before the decimals, " if "," in text else ""
        raise InputError(f'percentage of the wrong form {text!r}: expected {point}such as "99.54 %"')
    decimals = match[2] or ""
    value = Fraction(int(match[1] + decimals), 100 * 10 ** len(decimals))
    return PrintedPercent(value, len(decimals), truncated)


def decimal_text(value: Fraction, places: int) -> str:
    """Returns a fraction as a decimal rounded half up (away from zero) to a number of places.

    >>> decimal_text(Fraction(-2, 3), 4)
    '-0.6667'
    """
    scaled = abs(value) * 10**places
    digits = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign = "-" if value < 0 and digits else ""
    whole, rest = divmod(digits, 10**places)
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def percent_text(value: Fraction, places: int = 6) -> str:
    """Returns a fraction of one as a percentage without its sign.

    >>> percent_text(Fraction(1, 60), 4)
    '1.6667'
    """
    return decimal_text(value * 100, places)


def interval_text(low: Fraction, high: Fraction) -> str:
    """Returns the percentages that a printed one means, with as many places as its ends have, three at least.

    >>> interval_text(*parse_percent("98.7649 %").interval)
    '[98.76485 %, 98.76495 %)'
    """
    places = next((n for n in range(3, 12) if not (low * 10 ** (n + 2) % 1 or high * 10 ** (n + 2) % 1)), 12)
    return f"[{percent_text(low, places)} %, {percent_text(high, places)} %)"


def rounded_down(value: Fraction, places: int) -> Fraction:
    """Returns the greatest decimal of so many places that is not above a number.

    >>> rounded_down(Fraction(-2, 3), 2)
    Fraction(-67, 100)
    """
    return Fraction(floor(value * 10**places), 10**places)


def rounded_up(value: Fraction, places: int) -> Fraction:
    """Returns the least decimal of so many places that is not below a number.

    >>> rounded_up(Fraction(-2, 3), 2)
    Fraction(-33, 50)
    """
    return Fraction(ceil(value * 10**places), 10**places)


def outward_texts(low: Fraction, high: Fraction, places: int) -> tuple[str, str]:
    """Returns the ends of an interval as decimals that hold it: the low end rounded down, the high end rounded up.

    Places are added until rounding widens the interval by at most a tenth of its width. An interval of one point is
    that point, rounded to nearest; one so narrow that twelve places do not show its width is printed with the fewest.

    Args:
        low: Low end.
        high: High end.
        places: Fewest decimal places.

    Raises:
        ValueError: The low end is above the high end.

    >>> outward_texts(Fraction("78.8642036"), Fraction("78.8642067"), 5)
    ('78.8642036', '78.8642067')
    >>> outward_texts(Fraction(1, 3), Fraction(2, 3), 2)
    ('0.33', '0.67')
    >>> outward_texts(Fraction(-2, 3), Fraction(-2, 3), 4)
    ('-0.6667', '-0.6667')
    >>> outward_texts(Fraction(2, 3), Fraction(2, 3) + Fraction(1, 10**20), 4)
    ('0.6666', '0.6667')
    """
    if low > high:
        raise ValueError(f"the interval is empty: {low} is above {high}")
    if low == high:
        return decimal_text(low, places), decimal_text(high, places)
    shown = next((more for more in range(places, _MOST_PLACES + 1) if _held(low, high, more)), places)
    return decimal_text(rounded_down(low, shown), shown), decimal_text(rounded_up(high, shown), shown)


_MOST_PLACES: Final = 12
"""Places that an interval is printed with, at most."""


def _held(low: Fraction, high: Fraction, places: int) -> bool:
    """Returns whether rounding outwards widens an interval by a tenth of its width or less."""
    return 10 * (rounded_up(high, places) - rounded_down(low, places)) <= 11 * (high - low)


def exact_text(value: Fraction, *, off: Fraction = Fraction(0)) -> str:
    """Returns an exact figure as a fraction, and one that is known between bounds alone as decimals that hold it.

    Args:
        value: The figure.
        off: How far it may be off at most.

    >>> exact_text(Fraction(1, 3)), exact_text(Fraction(1, 3), off=Fraction(1, 10**6))
    ('1/3', '0.3333323 to 0.3333344')
    """
    return " to ".join(between(value, off)) if off else fraction_text(value)


def percent_between(value: Fraction, off: Fraction) -> str:
    """Returns the ends of a figure in percent, with its sign, rounded outwards.

    >>> percent_between(Fraction(1, 3), Fraction(1, 10**6))
    '33.33323 to 33.33344 %'
    """
    return " to ".join(between(100 * value, 100 * off)) + " %"


def between(value: Fraction, off: Fraction) -> tuple[str, str]:
    """Returns the ends of a figure, rounded outwards; a chance that is small is not below nought.

    Args:
        value: The figure.
        off: How far it may be off at most.

    >>> between(Fraction(1, 3), Fraction(1, 10**15)), between(Fraction(0), Fraction(1, 1000))
    (('0.333333333333', '0.333333333334'), ('0.0000', '0.0010'))
    """
    low = max(value - off, Fraction(0)) if value >= 0 else value - off
    # Of what is narrower than twelve places show, all of them are shown.
    return outward_texts(low, value + off, 4 if 2 * off > Fraction(1, 10**11) else _MOST_PLACES)


def fraction_text(value: Fraction | int) -> str:
    """Returns a fraction in lowest terms as ``N/D``, or ``N`` where it is whole.

    >>> fraction_text(Fraction(4, 6)), fraction_text(Fraction(-1)), len(fraction_text(Fraction(1, 10**9000)))
    ('2/3', '-1', 9003)
    """
    # Decimal numbers of any length are written whole.
    return "/".join(str(Decimal(one)) for one in value.as_integer_ratio()).removesuffix("/1")


def exactly(value: Fraction, longest: int = 60) -> str:
    """Returns `` = N/D``, or nothing where the fraction is too long for a line: the evidence holds it whole.

    >>> exactly(Fraction(1, 3)), exactly(Fraction(1, 3**200))
    (' = 1/3', '')
    """
    text = fraction_text(value)
    return f" = {text}" if len(text) <= longest else ""


def parse_fraction(text: str) -> Fraction:
    """Returns the fraction that :func:`fraction_text` printed.

    >>> parse_fraction("2/3")
    Fraction(2, 3)
    """
    if not _FRACTION.fullmatch(text):
        raise InputError(f"{text!r} is not a fraction: expected N/D")
    return of_digits(text)


def of_digits(text: str) -> Fraction:
    """Returns the fraction of a text in its form.

    Raises:
        ValueError: A number has more than ``MOST_DIGITS`` digits.
    """
    numbers = text.split("/")
    if max(map(len, numbers)) > MOST_DIGITS:
        raise ValueError(f"a number of a fraction has more than {MOST_DIGITS:,} digits")
    return Fraction(*(int(Decimal(one)) for one in numbers))


def means_and_covariances(
    weights: Sequence[int], columns: Sequence[Sequence[Fraction]]
) -> tuple[list[Fraction], dict[tuple[int, int], Fraction]]:
    """Returns the mean of each of several numbers that vary together, and the covariance of each two, also with itself.

    Args:
        weights: How often each case comes.
        columns: For each number what it is in each case.

    >>> means, covariances = means_and_covariances([1, 3], [[Fraction(1), Fraction(-1)], [Fraction(0), Fraction(2)]])
    >>> [str(mean) for mean in means], str(covariances[0, 1])
    (['-1/2', '3/2'], '-3/4')
    """
    total, units, bases, rows = sum(weights), [], [], []
    for column in columns:
        unit, often = lcm(*(value.denominator for value in set(column))), dict.fromkeys(column, 0)
        for weight, value in zip(weights, column, strict=True):
            often[value] += weight
        # Counted from its most frequent value, most of a column is zero and enters no product.
        base = max(often, key=lambda value: often[value], default=Fraction(0))
        whole = {value: int((value - base) * unit) for value in often}
        units.append(unit)
        bases.append(base)
        rows.append([whole[value] for value in column])
    sums = [0] * len(columns)
    products = {(one, other): 0 for one in range(len(columns)) for other in range(one, len(columns))}
    for weight, *values in zip(weights, *rows, strict=True):
        moved = [(place, value) for place, value in enumerate(values) if value]
        for at, (one, value) in enumerate(moved):
            share = weight * value
            sums[one] += share
            for other, beside in moved[at:]:
                products[one, other] += share * beside
    return [
        base + Fraction(part, unit * total) for base, part, unit in zip(bases, sums, units, strict=True)
    ], {
        (one, other): Fraction(
            product * total - sums[one] * sums[other], total * total * units[one] * units[other]
        )
        for (one, other), product in products.items()
    }


_AMOUNT: Final = re.compile(r"(\d{1,12})(?:\.(\d{1,4}))?", re.ASCII)


def places_of(currency: str) -> int:
    """Returns the decimal places of a currency: 2 for the euro, none for the yen, 3 for the Kuwaiti dinar.

    >>> places_of("EUR"), places_of("JPY"), places_of("KWD")
    (2, 0, 3)

    Raises:
        InputError: No such currency is on the list, or it has no minor unit, such as gold.

    Source: ISO 4217, list one, as the package ``iso4217`` carries it.
    """
    try:
        places = Currency(currency).exponent
    except ValueError:
        places = None
    if places is None:
        raise InputError(f'currency "{currency}": expected three letters of ISO 4217, such as "EUR"')
    return places


def minor_units(amount: object, currency: str) -> int:
    """Returns an amount written with all decimal places of its currency, in minor units.

    >>> minor_units("500.00", "EUR"), minor_units("500", "JPY"), minor_units("0.250", "KWD")
    (50000, 500, 250)

    Raises:
        InputError: No such currency is on the list, or the amount is written otherwise.
    """
    places = places_of(currency)
    match = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    if match is None or len(match[2] or "") != places:
        point = "a point before the decimals, " if "," in str(amount) else ""
        raise InputError(f'amount "{amount}": expected {point}such as "{units(500 * 10**places, currency)}"')
    return int(match[1] + (match[2] or ""))


def units(minor: int, currency: str, mark: str = "") -> str:
    """Returns an amount of minor units, written with all decimal places of its currency.

    >>> units(-1250, "EUR"), units(4_100_000, "EUR", ","), units(1250, "JPY")
    ('-12.50', '41,000.00', '1250')
    """
    places = places_of(currency)
    return f"{Decimal(minor).scaleb(-places):{mark}.{places}f}"


def many(count: int, what: str) -> str:
    """Returns a number of things in words.

    >>> many(1, "row"), many(2_000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"
