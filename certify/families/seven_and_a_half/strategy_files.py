"""Strategy tables from files, as far as the families of Seven and a Half write them alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.seven_and_a_half.cards import CLASSES
from certify.families.seven_and_a_half.counting import Hand, plus
from certify.families.seven_and_a_half.strategy_names import parse_strategy_name
from certify.outside import MAXIMUM_BYTES, TomlError, bounded_toml, read_regular

SCHEMA: Final = "certify-strategy/1"
"""Schema that a strategy file names."""


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Returns the document that a TOML text holds.

    Raises:
        InputError: The text is no TOML, or goes beyond the bounds of what is read from outside.
    """
    try:
        return bounded_toml(text)
    except TomlError as error:
        raise InputError(f"{source}: not TOML: {error}") from error


def named_table(document: dict[str, Any], problems: list[str]) -> str:
    """Returns the name of a submitted table, which must not be the name of a strategy of our own."""
    name = document.get("name")
    if not isinstance(name, str) or not name:
        problems.append("no name: expected a text")
        return ""
    try:
        parse_strategy_name(name)
    except InputError:
        return name
    problems.append(f"the name {name!r} is that of a built-in strategy: expected another one")
    return name


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


def strategy_text(path: Path) -> str:
    """Returns the text of a strategy file.

    Raises:
        InputError: The file cannot be read, is not regular or too large, or is no UTF-8 text.
    """
    try:
        data = read_regular(path)
        if len(data) > MAXIMUM_BYTES:
            raise InputError(f"larger than {MAXIMUM_BYTES} bytes")
        return data.decode("utf-8")
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the strategy cannot be read: {error}") from error
