"""Amounts of a currency in its minor units, read and written with as many decimal places as it has."""

import re
from decimal import Decimal
from typing import Final

from iso4217 import Currency

from certify.errors import InputError

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
