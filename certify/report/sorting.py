"""What a cell of a table is worth when a reader sorts by its column: the number that its text stands for."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Final

from certify.messages import catalogue, marks, spoken
from certify.report.layout import PageTable

_SPACES: Final = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d)")
_NUMBER: Final = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_PLACE: Final = re.compile(r"^1 |\{\w+\}")
_POWER: Final = re.compile(r"\s?×\s?10\s?\^?([-⁻]?[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_RAISED: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@cache
def _form(language: str) -> re.Pattern[str]:
    """Returns the expression that a number matches as a language writes it, with its words for odds and shares."""
    sentences = catalogue(language).sentences
    odds, share, ratio, limits = (
        re.escape(_PLACE.sub("", sentences[f"number.{name}"]).strip())
        for name in ("one-in", "of", "odds-to", "range")
    )
    return re.compile(
        rf"(?:[A-Z]{{3}} )?(?:[^\w-]\s?)?(?:\d+ {odds} )?(?P<first>{_NUMBER})(?: {share} {_NUMBER})?"
        rf"(?:(?P<sign>/| (?:{ratio}|{limits}) )(?P<second>{_NUMBER}))?"
        r"(?:[\s\u00a0\u2009\u202f](?P<unit>%|[^\d\s]\S*))?"
    )


def sort_value(text: str) -> float | None:
    """Returns the number that a cell stands for, in the language in use; none where it is no number.

    Odds are sorted by their ratio, ``1 in N`` by N, a range by its lower end, a bound by what it is a bound of.

    >>> [sort_value(text) for text in ("25 to 1", "400 to 1", "5 to 1", "3 to 2", "1 in 60", "−0.5", "1/4")]
    [25.0, 400.0, 5.0, 1.5, 60.0, -0.5, 0.25]
    >>> [sort_value(text) for text in ("99.54 %", "1,234 rounds", "< 0.001", "98.1 to 99.2", "2.5 × 10⁻³", "never")]
    [99.54, 1234.0, 0.001, 98.1, 0.0025, None]
    >>> [sort_value(text) for text in ("EUR 20.00", "USD 1,000.00", "12 of 12", "EUR −3.00")]
    [20.0, 1000.0, 12.0, -3.0]
    """
    point, group = marks(spoken().language)
    plain = _SPACES.sub("", text.strip().replace("−", "-").replace("\u202f%", " %"))
    plain = re.sub(rf"(?<=\d){re.escape(group)}(?=\d{{3}}(?!\d))", "", plain).replace(point, ".")
    plain = _POWER.sub(lambda found: f"e{found[1].translate(_RAISED)}", plain)
    found = _form(spoken().language).fullmatch(plain)
    if not found:
        return None
    first, second = found["first"], found["second"]
    if second and (found["sign"] == "/" or (first + second).lstrip("-").isdigit()):
        return float(Fraction(first) / Fraction(second)) if Fraction(second) else None
    return float(first)


def sort_values(table: PageTable) -> tuple[tuple[str, ...], ...]:
    """Returns what each cell of a table is sorted by, empty where it is its text."""
    return tuple(
        tuple("" if value is None else repr(value) for value in (sort_value(cell.text) for cell in row))
        for row in table.rows
    )


def last_judged(table: PageTable) -> int:
    """Returns the column of the verdict that stays in sight on a narrow screen, -1 where there is none."""
    judged = [place for row in table.rows[:1] for place, cell in enumerate(row) if cell.verdict and place]
    return judged[-1] if judged else -1
