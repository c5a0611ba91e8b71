"""Strategy tables from files, as far as the families of Seven and a Half write them alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.seven_and_a_half.cards import CLASSES
from certify.families.seven_and_a_half.counting import Hand, plus
from certify.families.seven_and_a_half.strategy_names import parse_strategy_name

KEYS: Final = ("schema", "name", "totals", "hands")
"""Keys of a file that decides on totals and on hands."""


def is_built_in(name: str) -> bool:
    """Tells whether a name is that of a strategy of our own."""
    try:
        parse_strategy_name(name)
    except InputError:
        return False
    return True


def decided_totals(where: str, section: Mapping[str, Any], problems: list[str]) -> dict[int, str]:
    """Returns the decision on each total of a section, and notes what cannot be read or is decided twice.

    Args:
        where: The section as it stands in the file.
        section: Lists of totals by decision.
        problems: Grows by what is wrong.
    """
    decided: dict[int, str] = {}
    for decision, entries in section.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            try:
                total = parse_half_points(str(entry))
            except InputError as error:
                problems.append(f"{where} {decision}: {error}")
                continue
            if total in decided:
                problems.append(f"{where} the total {format_half_points(total)} is decided twice")
            decided[total] = decision
    return decided


def parse_hand(text: str) -> Hand:
    """Returns the hand that a text such as ``A+3+face`` names, in any order of cards.

    Raises:
        InputError: The text names something that is no class of cards.

    >>> parse_hand("face+A")
    (1, 0, 0, 0, 0, 0, 0, 1, 0)
    """
    hand = (0,) * len(CLASSES)
    for name in text.split("+"):
        if name.strip() not in CLASSES:
            raise InputError(
                f"no card {name.strip()!r} in {text!r}: expected {', '.join(CLASSES)} joined by +"
            )
        hand = plus(hand, CLASSES.index(name.strip()))
    return hand
