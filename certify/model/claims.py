"""What a source may claim of a wager next to its return, how that is printed, and which exact figure it is about."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from certify.errors import InputError
from certify.exact import PrintedPercent, parse_odds, parse_percent, places_of, printed_between
from certify.model.bounded import Figure, ends_of
from certify.model.figures import VOLATILITY_Z, WagerFigures
from certify.model.game import Claim, Limits

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
    """A standard deviation in stakes, or so many of them, or a class of them; the exact figure is the variance.

    A root has no end of digits, so that squares are compared: the judgement is exact.

    Args:
        value: The printed number; of a class its lower limit.
        low: The least that prints so, or is of the class.
        high: The first above it that does not; none where a class has no end.
        places: Decimal places printed.
        truncated: Whether further digits were cut off.
        times: How many standard deviations it is: least and most, where a quantile has no end of digits either.
    """

    value: Fraction
    low: Fraction
    high: Fraction | None
    places: int = 0
    truncated: bool = False
    times: tuple[Fraction, Fraction] = _ONCE

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The variances that print so; of a class without an end, a bound that no game reaches."""
        high = Fraction(10**12) if self.high is None else self.high
        return (self.low / self.times[1]) ** 2, (high / self.times[0]) ** 2

    def stands_for(self, exact: Fraction) -> bool:
        """Returns whether an exact variance prints so.

        >>> parse_spread("8.13").stands_for(Fraction(66)), parse_spread("8.12").stands_for(Fraction(66))
        (False, True)
        """
        return all(
            self.low**2 <= times**2 * exact and (self.high is None or times**2 * exact < self.high**2)
            for times in self.times
        )


def _spread(found: re.Match[str], truncated: bool, times: tuple[Fraction, Fraction] = _ONCE) -> PrintedSpread:
    value, places = _value(found)
    low, high = printed_between(value, Fraction(1, 10**places), truncated)
    return PrintedSpread(value, max(Fraction(0), low), high, places, truncated, times)


def parse_spread(text: str, *, truncated: bool = False) -> PrintedSpread:
    """Returns a printed standard deviation, in stakes.

    Raises:
        InputError: It is no number.
    """
    found = _SPREAD.fullmatch(text)
    if found is None:
        raise InputError(f'standard deviation of the wrong form {text!r}: expected such as "8.13"')
    return _spread(found, truncated)


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
    return _spread(found, truncated, _times(found[3]))


def parse_class(text: str) -> PrintedSpread:
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
    return PrintedSpread(low, low, high, times=_times(found[2]) if found[2] else _ONCE)


def _value(found: re.Match[str]) -> tuple[Fraction, int]:
    """Returns the number of whole digits and decimals that a pattern found first, and how many decimals it has."""
    decimals = found[2] or ""
    return Fraction(int(found[1].replace(",", "") + decimals), 10 ** len(decimals)), len(decimals)


def _times(text: str) -> tuple[Fraction, Fraction]:
    """Returns how many standard deviations an index is, exactly where the factor itself is printed."""
    if not text.endswith("%"):
        return Fraction(text), Fraction(text)
    for label, quantile in VOLATILITY_Z:
        if label == text:
            return Fraction(quantile) - _QUANTILE_ERROR, Fraction(quantile) + _QUANTILE_ERROR
    known = ", ".join(label for label, _ in VOLATILITY_Z)
    raise InputError(f"a volatility index at {text!r}: expected one of {known}, or the factor itself")


RETURN: Final = "return-to-player"
HOUSE_EDGE: Final = "house-edge"
ON_TOTAL: Final = "return-on-total-wagered"
HIT_FREQUENCY: Final = "hit-frequency"
ODDS_OF_ROW: Final = "odds-of-row"
MAXIMUM_AWARD: Final = "maximum-award"

ODDS_OF_MAXIMUM: Final = "odds-of-maximum-award"
DEVIATION: Final = "standard-deviation"
INDEX: Final = "volatility-index"
CLASS: Final = "volatility-class"

BY_VARIANCE: Final = frozenset({DEVIATION, INDEX, CLASS})
"""Figures whose exact form is the variance: roots and quantiles have no end of digits."""

ODDS: Final = frozenset({ODDS_OF_ROW, ODDS_OF_MAXIMUM})
"""Figures that are printed as odds."""

METRICS: Final = (
    *(RETURN, HOUSE_EDGE, ON_TOTAL, HIT_FREQUENCY, ODDS_OF_ROW, MAXIMUM_AWARD, ODDS_OF_MAXIMUM),
    *(DEVIATION, INDEX, CLASS),
)
"""Everything that may be claimed of a wager."""

ALSO_CALLED: Final = {
    "rtp": RETURN,
    "return": RETURN,
    "payback": RETURN,
    "edge": HOUSE_EDGE,
    "hit-rate": HIT_FREQUENCY,
    "max-win": MAXIMUM_AWARD,
    "volatility": CLASS,
}
"""What figures are called elsewhere."""

BY_PAYS: Final = BY_VARIANCE | {RETURN, HOUSE_EDGE, ON_TOTAL, MAXIMUM_AWARD, ODDS_OF_MAXIMUM}
"""Figures that depend on what rows pay: where pays were recovered, these confirm nothing."""

_COUNT: Final = r"\d{1,3}(?:,\d{3}){1,4}|\d{1,15}"
_ONE_IN: Final = re.compile(rf"1 in ({_COUNT})(?:\.(\d{{1,6}}))?", re.ASCII)
_AGAINST: Final = re.compile(rf"({_COUNT})(?:\.(\d{{1,6}}))? to 1", re.ASCII)
_PAYS: Final = re.compile(rf"({_COUNT}(?:\.\d{{1,6}})?) (to|for) (\d{{1,9}})", re.ASCII)
_TIMES: Final = re.compile(rf"({_COUNT})(?:\.(\d{{1,6}}))? ?x", re.ASCII)
_MONEY: Final = re.compile(rf"({_COUNT})(?:\.(\d{{2,4}}))? ([A-Z]{{3}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PrintedOdds:
    """How likely something is, printed as ``1 in 4,165`` or as odds against it, ``4,164 to 1``.

    Args:
        value: The printed number.
        places: Decimal places printed.
        truncated: Whether further digits were cut off instead of rounded to nearest.
        against: What one in so many is above the printed number: 1 for odds against, else 0.
    """

    value: Fraction
    places: int
    truncated: bool = False
    against: int = 0

    @property
    def _one_in(self) -> tuple[Fraction, Fraction]:
        """Lowest number of rounds for one that prints so, and the first above it that does not."""
        low, high = printed_between(self.value, Fraction(1, 10**self.places), self.truncated)
        return low + self.against, high + self.against

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The probabilities that print so; the lower end is not one of them, the upper end is."""
        low, high = self._one_in
        return 1 / high, (1 / low if low > 1 else Fraction(1))

    def stands_for(self, exact: Fraction) -> bool:
        """Returns whether an exact probability prints as these odds."""
        low, high = self._one_in
        return exact > 0 and low <= 1 / exact < high


@dataclass(frozen=True, slots=True)
class PrintedAward:
    """The most that a wager pays, printed as odds, or as money at the highest stake.

    Args:
        value: Net pay for each unit staked, or the amount in whole units of the currency.
        places: Decimal places printed.
        currency: Currency of an amount; empty for odds.
        truncated: Whether further digits were cut off.
    """

    value: Fraction
    places: int = 0
    currency: str = ""
    truncated: bool = False

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The awards that print so: of odds the one, of an amount those that round to it."""
        if not self.currency:
            return self.value, self.value
        return printed_between(self.value, Fraction(1, 10**self.places), self.truncated)

    def stands_for(self, exact: Fraction) -> bool:
        """Returns whether an exact award prints as this one."""
        low, high = self.interval
        return exact == low if low == high else low <= exact < high


Printed: TypeAlias = PrintedPercent | PrintedOdds | PrintedAward | PrintedSpread
"""A figure as it is printed, with the precision that is part of it."""


def parse_claim(metric: str, text: str, *, truncated: bool = False) -> Printed:
    """Returns a printed figure of a metric with its precision.

    Raises:
        InputError: It is printed in a form that is not one of the metric.

    >>> parse_claim("odds-of-row", "1 in 4,165").stands_for(Fraction(1, 4165))
    True
    >>> parse_claim("house-edge", "-0.76 %").value
    Fraction(-19, 2500)
    >>> parse_claim("maximum-award", "40,000.00 EUR").interval[0]
    Fraction(7999999, 200)
    """
    return _PARSED.get(metric, parse_percent)(text, truncated=truncated)


def _edge(text: str, *, truncated: bool) -> PrintedPercent:
    found = parse_percent(text.removeprefix("-"), truncated=truncated)
    if not text.startswith("-"):
        return found
    if truncated:
        raise InputError(f"{text!r} is below zero and cut off: expected it rounded to nearest")
    return PrintedPercent(-found.value, found.places)


def _odds(text: str, truncated: bool) -> PrintedPercent | PrintedOdds:
    for form, against in ((_ONE_IN, 0), (_AGAINST, 1)):
        match = form.fullmatch(text)
        if match is not None:
            value, places = _value(match)
            if value < 1 - against:
                break
            return PrintedOdds(value, places, truncated, against)
    if text.endswith("%"):
        return parse_percent(text, truncated=truncated)
    raise InputError(
        f'odds of the wrong form {text!r}: expected such as "1 in 4,165", "4,164 to 1" or "0.024 %"'
    )


def _award(text: str, truncated: bool) -> PrintedAward:
    if (match := _PAYS.fullmatch(text)) is not None:
        return PrintedAward(parse_odds(f"{match[1].replace(',', '')} {match[2]} {match[3]}"))
    if (match := _MONEY.fullmatch(text)) is not None:
        return PrintedAward(*_value(match), match[3], truncated)
    if (match := _TIMES.fullmatch(text)) is not None:
        return PrintedAward(_value(match)[0] - 1)
    raise InputError(
        f'award of the wrong form {text!r}: expected such as "800 to 1", "5,000 x" or "40,000.00 EUR"'
    )


_PARSED: Final[Mapping[str, Callable[..., Printed]]] = {
    **dict.fromkeys(ODDS, _odds),
    MAXIMUM_AWARD: _award,
    DEVIATION: parse_spread,
    INDEX: parse_index,
    CLASS: lambda text, truncated: parse_class(text),
    HOUSE_EDGE: _edge,
}
"""How the figures of a metric are read that are not printed in percent alone."""


def prints_as(claim: Claim, exact: Figure) -> bool:
    """Returns whether a figure prints as a claim does: of an interval, whether all of it does."""
    return all(claim.printed.stands_for(end) for end in ends_of(exact))


def claimed_figure(claim: Claim, figures: WagerFigures, limits: Limits) -> Figure:
    """Returns the exact figure that a claim is about.

    Args:
        claim: What is printed.
        figures: Exact figures of its wager.
        limits: What may be staked on it; an award in money is that of the highest stake.
    """
    if claim.metric == ODDS_OF_ROW:
        return figures.odds_of(claim.row)
    if claim.metric == MAXIMUM_AWARD:
        return award_of(claim, figures.highest_results, limits)
    figure: Figure | None = getattr(figures, _FIGURES.get(claim.metric, "return_to_player"))
    return figures.return_to_player if figure is None else figure


_FIGURES: Final = {
    HOUSE_EDGE: "house_edge",
    ON_TOTAL: "return_on_total_wagered",
    HIT_FREQUENCY: "hit_frequency",
    ODDS_OF_MAXIMUM: "odds_of_highest",
    **dict.fromkeys(BY_VARIANCE, "variance"),
}
"""Exact figures of a wager by what is claimed; a return where none is named."""


def award_of(claim: Claim, results: list[tuple[Fraction, Fraction]], limits: Limits) -> Fraction:
    """Returns the highest award among results, each (net, staked), in the form in which it is claimed.

    As odds it is what a result pays for each unit staked; in money its net win at the highest initial stake.
    """
    if isinstance(claim.printed, PrintedAward) and claim.printed.currency:
        return max(net for net, _ in results) * Fraction(limits.maximum, 10 ** places_of(limits.currency))
    return max(net / staked for net, staked in results)
