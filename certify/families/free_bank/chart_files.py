"""Charts as strategy files: written, and read back complete and unambiguous or refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeVar

from certify.analysis.strategy_file import StrategyFile, written
from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.free_bank.charts import (
    BankChart,
    ChartLine,
    Lying,
    OpenTotal,
    OwnTotal,
    PlayerChart,
)
from certify.families.free_bank.rules import MOST_HANDS, SWAPPED, FreeBankRules, total
from certify.families.free_bank.strategy import BANK, PLAYER, Cards
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF

T = TypeVar("T")

NONE: Final = "none"
"""In place of open cards where a seat stood on its first card."""

BY_CHART: Final = "chart"
"""What a filed strategy looks at."""

_CHANCE: Final = re.compile(r"[01]|0\.\d{1,12}|\d{1,12}/[1-9]\d{0,11}", re.ASCII)
_RESERVED: Final = re.compile(
    r"(swap-then-)?stand-on:.*|(split-)?best-response|equilibrium|file:.*| against "
)
_NO_CARDS: Final[Cards] = ()
_PLAYER_KEYS: Final = {
    "stands-on",
    "swaps",
    "splits",
    "chart",
    "chart-after-swap",
    "hands",
    "hands-after-swap",
}
_BANK_KEYS: Final = {
    "stands-on",
    "open-total",
    "open-total-after-swap",
    "open-cards",
    "open-cards-after-swap",
    "shown",
    "shown-after-swap",
}
_HEAD: Final = {"schema", "name", "for"}


def chance_text(chance: Fraction) -> str:
    """Returns a chance as a decimal where it has one of at most twelve places, else as a fraction.

    >>> chance_text(Fraction(1, 4)), chance_text(Fraction(1, 3)), chance_text(Fraction(1))
    ('0.25', '1/3', '1')
    """
    for places in range(13):
        scaled = chance * 10**places
        if scaled.denominator == 1:
            return f"0.{scaled.numerator:0{places}d}" if places else str(scaled.numerator)
    return f"{chance.numerator}/{chance.denominator}"


def parse_chance(text: str) -> Fraction:
    """Returns a chance.

    Raises:
        InputError: The text is no number from 0 to 1.
    """
    if not _CHANCE.fullmatch(text) or Fraction(text) > 1:
        raise InputError(f'{text!r} is no chance: expected a text from "0" to "1", such as "0.25" or "1/3"')
    return Fraction(text)


def cards_text(cards: Cards) -> str:
    """Returns cards in the order dealt, such as ``3 A face``."""
    return " ".join(CLASSES[card] for card in cards) or NONE


def parse_cards(text: str, deck: Cards) -> Cards:
    """Returns cards in the order given.

    Raises:
        InputError: A name is that of no card, or the deck does not hold so many.
    """
    if text == NONE:
        return ()
    names = text.split(" ")
    strangers = [name for name in names if name not in CLASSES]
    if strangers:
        raise InputError(f"no card {', '.join(strangers)} in {text!r}: expected {', '.join(CLASSES)}")
    cards = tuple(CLASSES.index(name) for name in names)
    if any(cards.count(card) > deck[card] for card in cards):
        raise InputError(f"the deck does not hold {text!r}")
    return cards


def line_text(line: ChartLine) -> str:
    """Returns a line of the bank's chart, such as ``5½; on 5: 0.5; A 4: 0.25; swap 3: 1``."""
    parts = [format_half_points(line.least)]
    parts += [f"on {format_half_points(points)}: {chance_text(chance)}" for points, chance in line.totals]
    for cards, given_up, chance in line.draws:
        after = f" after {CLASSES[given_up]}" if given_up >= 0 else ""
        parts.append(f"{cards_text(cards)}{after}: {chance_text(chance)}")
    parts += [f"swap {CLASSES[card]}: {chance_text(chance)}" for card, chance in line.swaps]
    return "; ".join(parts)


def bank_text(chart: BankChart, name: str) -> str:
    """Returns a bank's chart as a strategy file.

    Args:
        chart: The chart.
        name: Name that the file gives it, which is not one of the command line.
    """
    sections: dict[str, list[tuple[str, str]]] = {}
    for key, line in chart.by_total:
        section = "open-total" + ("-after-swap" if key.swapped else "")
        sections.setdefault(section, []).append((format_half_points(key.total), line_text(line)))
    for lying, line in chart.by_cards:
        section = ("shown" if lying.shown else "open-cards") + ("-after-swap" if lying.swapped else "")
        sections.setdefault(section, []).append((cards_text(lying.cards), line_text(line)))
    return _written(name, BANK, line_text(chart.otherwise), sections)


def player_text(chart: PlayerChart, name: str) -> str:
    """Returns a player's chart as a strategy file.

    Args:
        chart: The chart.
        name: Name that the file gives it, which is not one of the command line.
    """
    sections: dict[str, list[tuple[str, str]]] = {}
    for card, chance in chart.swaps:
        sections.setdefault("swaps", []).append((CLASSES[card], chance_text(chance)))
    for hands, chance in chart.splits:
        sections.setdefault("splits", []).append((str(hands), chance_text(chance)))
    for key, chance in chart.by_total:
        section = f"chart{'-after-swap' if key.swapped else ''}.{CLASSES[key.hidden]}"
        sections.setdefault(section, []).append((format_half_points(key.open), chance_text(chance)))
    for (given_up, cards), chance in chart.by_cards:
        section = f"hands-after-swap.{CLASSES[given_up]}" if given_up >= 0 else "hands"
        sections.setdefault(section, []).append((cards_text(cards), chance_text(chance)))
    return _written(name, PLAYER, format_half_points(chart.least), sections)


def _written(name: str, side: str, stands: str, sections: Mapping[str, list[tuple[str, str]]]) -> str:
    # In one order whatever was met first: a chart that is read and written again is the same file.
    return written({"name": name, "for": side, "stands-on": stands}, sorted(sections.items()))


@dataclass
class _Reading(StrategyFile):
    """A chart being read.

    Args:
        rules: Rules of the game that it is for.
    """

    rules: FreeBankRules = field(default_factory=FreeBankRules)

    def tables(self, name: str) -> Iterable[tuple[str, Mapping[str, str]]]:
        """Returns the tables of a table of texts."""
        found = self.table(name, "table of tables of texts")
        if all(
            isinstance(table, dict) and all(isinstance(value, str) for value in table.values())
            for table in found.values()
        ):
            return found.items()
        self.problems.append(f"[{name}] is no table of tables of texts")
        return ()


def _points(text: str, low: int, high: int) -> int:
    points = 0 if text == "0" else parse_half_points(text)
    if not low <= points <= high:
        raise InputError(
            f"{text!r} lies outside {format_half_points(low) or 0} to {format_half_points(high)}"
        )
    return points


def _line(text: str, rules: FreeBankRules) -> ChartLine:
    """Returns the line that a text such as ``5½; on 5: 0.5; A 4: 0.25`` states."""
    least, *rest = text.split("; ")
    draws: dict[tuple[Cards, int], Fraction] = {}
    totals: dict[int, Fraction] = {}
    swaps: dict[int, Fraction] = {}
    for part in rest:
        what, colon, chance = part.partition(": ")
        if not colon:
            raise InputError(f'{part!r} is no exception: expected such as "A 4: 0.25"')
        if what.startswith("swap "):
            if not rules.bank_swaps:
                raise InputError(f"the bank may not swap as {part!r} says")
            swaps[_swapped(what.removeprefix("swap "), rules)] = parse_chance(chance)
            continue
        if what.startswith("on "):
            points = _points(what.removeprefix("on "), 1, SEVEN_AND_A_HALF - 1)
            if points in totals:
                raise InputError(f"{part!r} is said twice")
            totals[points] = parse_chance(chance)
            continue
        held, _, given = what.partition(" after ")
        cards = tuple(sorted(parse_cards(held, rules.deck)))
        given_up = _swapped(given, rules) if given else -1
        if not cards or total(cards) >= SEVEN_AND_A_HALF or (cards, given_up) in draws:
            raise InputError(f"{part!r} leaves the bank no decision, or is said twice")
        draws[cards, given_up] = parse_chance(chance)
    exceptions = tuple((cards, given_up, chance) for (cards, given_up), chance in draws.items())
    stands = _points(least, 1, SEVEN_AND_A_HALF)
    return ChartLine(stands, tuple(totals.items()), exceptions, tuple(swaps.items()))


def parse_chart(text: str, source: str, side: str, rules: FreeBankRules) -> PlayerChart | BankChart:
    """Returns the chart that a TOML text states.

    Args:
        text: The TOML text.
        source: Name of the text in messages.
        side: ``player`` or ``bank``: whose chart is asked for.
        rules: Rules of the game that it is for.

    Raises:
        InputError: The text is no TOML, is the other side's, has unknown keys, or says something twice or something
            that the rules do not know. All mistakes are named at once.
    """
    keys = sorted(_HEAD | (_BANK_KEYS if side == BANK else _PLAYER_KEYS))
    reading = _Reading.parsed(text, source, keys)
    reading.rules = rules
    head = reading.document
    if head.get("for") != side:
        reading.problems.append(f'for is {head.get("for")!r}: expected "{side}"')
    name = head.get("name")
    if not isinstance(name, str) or not name or _RESERVED.search(name):
        reading.problems.append(f"the name is {name!r}: expected a text that names no built-in strategy")
        name = ""
    chart = _bank(reading, name) if side == BANK else _player(reading, name)
    reading.check()
    return chart


def _bank(reading: _Reading, name: str) -> BankChart:
    by_total: dict[OpenTotal, ChartLine] = {}
    by_cards: dict[Lying, ChartLine] = {}
    rules = reading.rules
    stands = str(reading.document.get("stands-on", ""))
    otherwise = reading.attempt("stands-on", ChartLine(1), _line, stands, rules)
    for swapped in (False, True):
        after = "-after-swap" if swapped else ""
        if swapped and not rules.swap and any(key.endswith(after) for key in reading.document):
            reading.problems.append("the rules know no swap: expected no table that ends in -after-swap")
        for key, value in reading.texts(f"open-total{after}").items():
            where = f"[open-total{after}] {key}"
            points = reading.attempt(where, 0, _points, key, 0, SEVEN_AND_A_HALF)
            line = reading.attempt(where, otherwise, _line, value, rules)
            reading.gather(where, by_total, OpenTotal(swapped, points), line)
        for kind in ("open-cards", "shown"):
            for key, value in reading.texts(f"{kind}{after}").items():
                where = f"[{kind}{after}] {key}"
                cards = reading.attempt(where, _NO_CARDS, parse_cards, key, rules.deck)
                line = reading.attempt(where, otherwise, _line, value, rules)
                reading.gather(where, by_cards, Lying(cards, swapped, kind == "shown"), line)
    return BankChart(name, BY_CHART, otherwise, tuple(by_total.items()), tuple(by_cards.items()))


def _player(reading: _Reading, name: str) -> PlayerChart:
    rules = reading.rules
    by_total: dict[OwnTotal, Fraction] = {}
    by_cards: dict[tuple[int, Cards], Fraction] = {}
    swaps: dict[int, Fraction] = {}
    splits: dict[int, Fraction] = {}
    stands = str(reading.document.get("stands-on", ""))
    least = reading.attempt("stands-on", 1, _points, stands, 1, SEVEN_AND_A_HALF)
    if not rules.swap and {"swaps", "chart-after-swap", "hands-after-swap"} & set(reading.document):
        reading.problems.append("the rules know no swap: expected no table of swaps")
    if rules.hands == 1 and "splits" in reading.document:
        reading.problems.append("the rules know no splitting: expected no table of splits")
    for key, value in reading.texts("swaps").items():
        card = reading.attempt(f"[swaps] {key}", 0, _swapped, key, rules)
        reading.gather(f"[swaps] {key}", swaps, card, _chance(reading, f"[swaps] {key}", value))
    for key, value in reading.texts("splits").items():
        if key not in [str(hands) for hands in range(1, min(rules.hands, MOST_HANDS))]:
            reading.problems.append(f"[splits] {key}: expected how many hands the seat has before it")
            continue
        reading.gather(f"[splits] {key}", splits, int(key), _chance(reading, f"[splits] {key}", value))
    for swapped in (False, True):
        section = "chart-after-swap" if swapped else "chart"
        for hidden, entries in reading.tables(section):
            for key, value in entries.items():
                where = f"[{section}.{hidden}] {key}"
                card = reading.attempt(where, 0, _one, hidden, rules)
                points = reading.attempt(where, 0, _points, key, 0, SEVEN_AND_A_HALF)
                chance = _chance(reading, where, value)
                reading.gather(where, by_total, OwnTotal(swapped, card, points), chance)
    for key, value in reading.texts("hands").items():
        _own_hand(reading, "[hands]", key, -1, by_cards, value)
    for given, entries in reading.tables("hands-after-swap"):
        where = f"[hands-after-swap.{given}]"
        card = reading.attempt(where, 0, _swapped, given, rules)
        for key, value in entries.items():
            _own_hand(reading, where, key, card, by_cards, value)
    return PlayerChart(
        name,
        BY_CHART,
        least,
        tuple(by_total.items()),
        tuple(by_cards.items()),
        tuple(swaps.items()),
        tuple(splits.items()),
    )


def _own_hand(
    reading: _Reading,
    section: str,
    key: str,
    given_up: int,
    into: dict[tuple[int, Cards], Fraction],
    value: str,
) -> None:
    where = f"{section} {key}"
    cards = reading.attempt(where, _NO_CARDS, parse_cards, key, reading.rules.deck)
    if not cards or total(cards) >= SEVEN_AND_A_HALF:
        reading.problems.append(f"{where}: leaves the player no decision")
    reading.gather(where, into, (given_up, cards), _chance(reading, where, value))


def _chance(reading: _Reading, where: str, value: str) -> Fraction:
    return reading.attempt(where, Fraction(0), parse_chance, value)


def _one(text: str, rules: FreeBankRules) -> int:
    cards = parse_cards(text, rules.deck)
    if len(cards) != 1:
        raise InputError(f"{text!r} is not one card")
    return cards[0]


def _swapped(text: str, rules: FreeBankRules) -> int:
    card = _one(text, rules)
    if card not in SWAPPED:
        raise InputError(f"{text!r} may not be swapped")
    return card
