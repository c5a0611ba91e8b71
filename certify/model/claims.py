"""What a source may claim of a wager beside its return, how that is printed, and which exact figure it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.exact import PrintedPercent, parse_odds, parse_percent
from certify.model.figures import WagerFigures
from certify.model.game import Claim, Limits
from certify.model.printed_spread import PrintedClass, PrintedSpread, parse_class, parse_index, parse_spread

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

BY_PAYS: Final = BY_VARIANCE | {RETURN, HOUSE_EDGE, ON_TOTAL, MAXIMUM_AWARD, ODDS_OF_MAXIMUM}
"""Figures that depend on what rows pay: where pays were recovered, these confirm nothing."""

_COUNT: Final = r"\d{1,3}(?:,\d{3}){1,4}|\d{1,15}"
_ONE_IN: Final = re.compile(rf"1 in ({_COUNT})(?:\.(\d{{1,6}}))?", re.ASCII)
_AGAINST: Final = re.compile(rf"({_COUNT})(?:\.(\d{{1,6}}))? to 1", re.ASCII)
_PAYS: Final = re.compile(rf"({_COUNT}(?:\.\d{{1,6}})?) (to|for) (\d{{1,9}})", re.ASCII)
_TIMES: Final = re.compile(rf"({_COUNT})(?:\.(\d{{1,6}}))? ?x", re.ASCII)
_MONEY: Final = re.compile(rf"({_COUNT})(?:\.(\d{{2}}))? ([A-Z]{{3}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PrintedOdds:
    """How likely something is, printed as ``1 in 4,165`` or as odds against it, ``4,164 to 1``.

    Args:
        value: The printed number.
        places: Decimal places printed.
        truncated: Whether further digits were cut off instead of rounded to nearest.
        against: What one in so many lies above the printed number: 1 for odds against, else 0.
    """

    value: Fraction
    places: int
    truncated: bool = False
    against: int = 0

    @property
    def _one_in(self) -> tuple[Fraction, Fraction]:
        """Lowest number of rounds for one that prints so, and the first above it that does not."""
        unit = Fraction(1, 10**self.places)
        low = self.value if self.truncated else self.value - unit / 2
        return low + self.against, low + unit + self.against

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The probabilities that print so; the lower end is not one of them, the upper end is."""
        low, high = self._one_in
        return 1 / high, (1 / low if low > 1 else Fraction(1))

    def stands_for(self, exact: Fraction) -> bool:
        """Tells whether an exact probability prints as these odds."""
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
        unit = Fraction(1, 10**self.places)
        low = self.value if self.truncated else self.value - unit / 2
        return low, low + unit

    def stands_for(self, exact: Fraction) -> bool:
        """Tells whether an exact award prints as this one."""
        low, high = self.interval
        return exact == low if low == high else low <= exact < high


def parse_claim(
    metric: str, text: str, *, truncated: bool = False
) -> PrintedPercent | PrintedOdds | PrintedAward | PrintedSpread | PrintedClass:
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
    if metric in ODDS:
        return _odds(text, truncated)
    if metric == MAXIMUM_AWARD:
        return _award(text, truncated)
    if metric == DEVIATION:
        return parse_spread(text, truncated=truncated)
    if metric == INDEX:
        return parse_index(text, truncated=truncated)
    if metric == CLASS:
        return parse_class(text)
    if metric == HOUSE_EDGE and text.startswith("-"):
        found = parse_percent(text[1:], truncated=False)
        if truncated:
            raise InputError(f"{text!r} is below zero and cut off: expected it rounded to nearest")
        return PrintedPercent(-found.value, found.places)
    return parse_percent(text, truncated=truncated)


def _odds(text: str, truncated: bool) -> PrintedPercent | PrintedOdds:
    for form, against in ((_ONE_IN, 0), (_AGAINST, 1)):
        match = form.fullmatch(text)
        if match is not None:
            decimals = match[2] or ""
            value = Fraction(int(match[1].replace(",", "") + decimals), 10 ** len(decimals))
            if value < 1 - against:
                break
            return PrintedOdds(value, len(decimals), truncated, against)
    if text.endswith("%"):
        return parse_percent(text, truncated=truncated)
    raise InputError(
        f'odds of the wrong form {text!r}: expected such as "1 in 4,165", "4,164 to 1" or "0.024 %"'
    )


def _award(text: str, truncated: bool) -> PrintedAward:
    if (match := _PAYS.fullmatch(text)) is not None:
        return PrintedAward(parse_odds(f"{match[1].replace(',', '')} {match[2]} {match[3]}"))
    if (match := _MONEY.fullmatch(text)) is not None:
        decimals = match[2] or ""
        whole = Fraction(int(match[1].replace(",", "") + decimals), 10 ** len(decimals))
        return PrintedAward(whole, len(decimals), match[3], truncated)
    if (match := _TIMES.fullmatch(text)) is not None:
        decimals = match[2] or ""
        return PrintedAward(Fraction(int(match[1].replace(",", "") + decimals), 10 ** len(decimals)) - 1)
    raise InputError(
        f'award of the wrong form {text!r}: expected such as "800 to 1", "5,000 x" or "40,000.00 EUR"'
    )


def claimed_figure(claim: Claim, figures: WagerFigures, limits: Limits) -> Fraction:
    """Returns the exact figure that a claim is about.

    Args:
        claim: What is printed.
        figures: Exact figures of its wager.
        limits: What may be staked on it; an award in money is that of the highest stake.
    """
    if claim.metric == HOUSE_EDGE:
        return figures.house_edge
    if claim.metric == ON_TOTAL:
        on_total = figures.return_on_total_wagered
        return figures.return_to_player if on_total is None else on_total
    if claim.metric == HIT_FREQUENCY:
        return figures.hit_frequency
    if claim.metric == ODDS_OF_ROW:
        return figures.odds_of(claim.row)
    if claim.metric == MAXIMUM_AWARD:
        return award_of(claim, figures.highest_results, limits)
    if claim.metric == ODDS_OF_MAXIMUM:
        return figures.odds_of_highest
    if claim.metric in BY_VARIANCE:
        return figures.variance
    return figures.return_to_player


def award_of(claim: Claim, results: list[tuple[Fraction, Fraction]], limits: Limits) -> Fraction:
    """Returns the highest award among results, each (net, staked), in the form in which it is claimed.

    As odds it is what a result pays for each unit staked; in money its net win at the highest initial stake.
    """
    if isinstance(claim.printed, PrintedAward) and claim.printed.currency:
        return max(net for net, _ in results) * limits.maximum / 100
    return max(net / staked for net, staked in results)
