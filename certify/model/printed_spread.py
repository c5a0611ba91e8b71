"""How far results spread, as sources print it: standard deviation, volatility index, a class of volatility."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.model.figures import VOLATILITY_Z

_QUANTILE_ERROR: Final = Fraction(1, 10**12)
"""What a quantile of the normal distribution is uncertain by, far above the error of its computation."""

_ONCE: Final = (Fraction(1), Fraction(1))

_NUMBER: Final = r"(\d{1,9})(?:\.(\d{1,12}))?"
_SPREAD: Final = re.compile(_NUMBER, re.ASCII)
_AT: Final = r"at (\d{1,2} %|\d{1,2}\.\d{1,6})"
_INDEX: Final = re.compile(rf"{_NUMBER} {_AT}", re.ASCII)
_CLASS: Final = re.compile(
    rf"([\w /+-]{{1,40}}): (?:standard deviation|volatility index {_AT})"
    r"(?: from (\d{1,9}(?:\.\d{1,6})?))?(?: to (\d{1,9}(?:\.\d{1,6})?))?"
)


@dataclass(frozen=True, slots=True)
class PrintedSpread:
    """A standard deviation in stakes, or so many of them; the exact figure it is about is the variance.

    A root has no end of digits, so that squares are compared: the judgement is exact.

    Args:
        value: The printed number.
        places: Decimal places printed.
        truncated: Whether further digits were cut off.
        times: How many standard deviations it is: least and most, where a quantile has no end of digits either.
    """

    value: Fraction
    places: int
    truncated: bool = False
    times: tuple[Fraction, Fraction] = _ONCE

    @property
    def _ends(self) -> tuple[Fraction, Fraction]:
        unit = Fraction(1, 10**self.places)
        low = self.value if self.truncated else max(Fraction(0), self.value - unit / 2)
        return low, low + unit if self.truncated else self.value + unit / 2

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The variances that print so; the upper end is the first that does not."""
        low, high = self._ends
        return (low / self.times[1]) ** 2, (high / self.times[0]) ** 2

    def stands_for(self, exact: Fraction) -> bool:
        """Tells whether an exact variance prints so.

        >>> parse_spread("8.13").stands_for(Fraction(66)), parse_spread("8.12").stands_for(Fraction(66))
        (False, True)
        """
        low, high = self._ends
        return all(low**2 <= times**2 * exact < high**2 for times in self.times)


@dataclass(frozen=True, slots=True)
class PrintedClass:
    """A class of volatility with the limits that the source gives it; the exact figure it is about is the variance.

    Args:
        name: Name of the class, such as ``high``.
        low: The least standard deviation, or index, of the class.
        high: The first above it that is none of it; none where there is no end.
        times: How many standard deviations the limits are.
        places: Decimal places printed, of no matter here.
        truncated: Never: limits are stated whole.
    """

    name: str
    low: Fraction
    high: Fraction | None
    times: tuple[Fraction, Fraction] = _ONCE
    places: int = 0
    truncated: bool = False

    @property
    def value(self) -> Fraction:
        """The lower limit of the class."""
        return self.low

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The variances of the class; of one without an end, a bound that no game reaches."""
        high = Fraction(10**12) if self.high is None else self.high
        return (self.low / self.times[1]) ** 2, (high / self.times[0]) ** 2

    def stands_for(self, exact: Fraction) -> bool:
        """Tells whether a game of this variance is of the class."""
        return all(
            self.low**2 <= times**2 * exact and (self.high is None or times**2 * exact < self.high**2)
            for times in self.times
        )


def parse_spread(text: str, *, truncated: bool = False) -> PrintedSpread:
    """Returns a printed standard deviation, in stakes.

    Raises:
        InputError: It is no number.
    """
    found = _SPREAD.fullmatch(text)
    if found is None:
        raise InputError(f'standard deviation of the wrong form {text!r}: expected such as "8.13"')
    return PrintedSpread(_value(found[1], found[2]), len(found[2] or ""), truncated)


def parse_index(text: str, *, truncated: bool = False) -> PrintedSpread:
    """Returns a printed volatility index with the confidence, or the factor, that it is for.

    Raises:
        InputError: It is of another form.

    >>> parse_index("13.38 at 90 %").stands_for(Fraction(6617, 100))
    True
    >>> parse_index("13.42 at 1.65").stands_for(Fraction(6617, 100))
    True
    """
    found = _INDEX.fullmatch(text)
    if found is None:
        raise InputError(
            f'volatility index of the wrong form {text!r}: expected such as "11.62 at 90 %" or "11.62 at 1.65"'
        )
    return PrintedSpread(_value(found[1], found[2]), len(found[2] or ""), truncated, _times(found[3]))


def parse_class(text: str) -> PrintedClass:
    """Returns a printed class of volatility with its limits.

    Raises:
        InputError: It is of another form: without its limits a class says nothing that can be judged.

    >>> parse_class("medium: standard deviation from 5 to 10").stands_for(Fraction(66))
    True
    >>> parse_class("high: volatility index at 90 % from 14").stands_for(Fraction(66))
    False
    """
    found = _CLASS.fullmatch(text)
    if found is None or not (found[3] or found[4]):
        raise InputError(
            f"volatility class of the wrong form {text!r}: expected its name with the limits that the source gives "
            'it, such as "medium: standard deviation from 5 to 10" or "high: volatility index at 90 % from 15"'
        )
    low = Fraction(found[3]) if found[3] else Fraction(0)
    high = Fraction(found[4]) if found[4] else None
    if high is not None and high <= low:
        raise InputError(f"volatility class {text!r}: its limits leave nothing between them")
    return PrintedClass(found[1], low, high, _times(found[2]) if found[2] else _ONCE)


def _value(whole: str, decimals: str | None) -> Fraction:
    return Fraction(int(whole + (decimals or "")), 10 ** len(decimals or ""))


def _times(text: str) -> tuple[Fraction, Fraction]:
    """Returns how many standard deviations an index is, exactly where the factor itself is printed."""
    if not text.endswith("%"):
        return Fraction(text), Fraction(text)
    for label, quantile in VOLATILITY_Z:
        if label == text:
            return Fraction(quantile) - _QUANTILE_ERROR, Fraction(quantile) + _QUANTILE_ERROR
    known = ", ".join(label for label, _ in VOLATILITY_Z)
    raise InputError(f"a volatility index at {text!r}: expected one of {known}, or the factor itself")
