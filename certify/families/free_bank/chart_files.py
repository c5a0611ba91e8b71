"""Charts as strategy files: written, and read back complete and unambiguous or refused."""

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

from certify.analysis.strategy_file import StrategyFile, written
from certify.by_key import gathered
from certify.errors import InputError, T
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

NONE: Final = "none"
"""In place of open cards where a seat stood on its first card."""

BY_CHART: Final = "chart"
"""What a filed strategy looks at."""

_CHANCE: Final = re.compile(r"[01]|0\.\d{1,12}|\d{1,12}/[1-9]\d{0,11}", re.ASCII)
_RESERVED: Final = re.compile(
    r"(swap-then-)?stand-on:.*|(split-)?best-response|equilibrium|file:.*| against "
)
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
        raise InputError(
            f'{text!r} is not a probability: expected a string from "0" to "1", such as "0.25" or "1/3"'
        )
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
    """Returns a line of the bank's chart, such as ``5½; on 5: 0.5; A 4: 0.25``."""
    parts = [format_half_points(line.least)]
    parts += [f"on {format_half_points(points)}: {chance_text(chance)}" for points, chance in line.totals]
    parts += [f"{cards_text(cards)}: {chance_text(chance)}" for cards, _, chance in line.draws]
    return "; ".join(parts)


def _after(swapped: bool) -> str:
    return "-after-swap" if swapped else ""


def bank_text(chart: BankChart, name: str) -> str:
    """Returns a bank's chart as a strategy file.

    Args:
        chart: The chart.
        name: Name that the file gives it, which is not one of the command line.
    """
    totals = (
        (f"open-total{_after(key.swapped)}", (format_half_points(key.total), line_text(line)))
        for key, line in chart.by_total
    )
    cards = (
        (
            ("shown" if key.shown else "open-cards") + _after(key.swapped),
            (cards_text(key.cards), line_text(line)),
        )
        for key, line in chart.by_cards
    )
    sections = gathered((*totals, *cards))
    return _written(name, BANK, line_text(chart.otherwise), sections)


def player_text(chart: PlayerChart, name: str) -> str:
    """Returns a player's chart as a strategy file.

    Args:
        chart: The chart.
        name: Name that the file gives it, which is not one of the command line.
    """
    swaps = (("swaps", (CLASSES[card], chance_text(chance))) for card, chance in chart.swaps)
    splits = (("splits", (str(hands), chance_text(chance))) for hands, chance in chart.splits)
    totals = (
        (
            f"chart{_after(key.swapped)}.{CLASSES[key.hidden]}",
            (format_half_points(key.open), chance_text(chance)),
        )
        for key, chance in chart.by_total
    )
    cards = (
        (
            f"hands-after-swap.{CLASSES[card]}" if card >= 0 else "hands",
            (cards_text(held), chance_text(chance)),
        )
        for (card, held), chance in chart.by_cards
    )
    sections = gathered((*swaps, *splits, *totals, *cards))
    return _written(name, PLAYER, format_half_points(chart.least), sections)


def _written(name: str, side: str, stands: str, sections: Mapping[str, list[tuple[str, str]]]) -> str:
    # In one order whatever was met first: a chart that is read and written again is the same file.
    return written({"name": name, "for": side, "stands-on": stands}, sorted(sections.items()))


def _points(text: str, low: int, high: int) -> int:
    points = 0 if text == "0" else parse_half_points(text)
    if not low <= points <= high:
        raise InputError(f"{text!r} is outside {format_half_points(low) or 0} to {format_half_points(high)}")
    return points


def _line(text: str, rules: FreeBankRules) -> ChartLine:
    """Returns the line that a text such as ``5½; on 5: 0.5; A 4: 0.25`` states."""
    least, *rest = text.split("; ")
    draws: dict[Cards, Fraction] = {}
    totals: dict[int, Fraction] = {}
    for part in rest:
        what, colon, chance = part.partition(": ")
        if not colon:
            raise InputError(f'{part!r} is no exception: expected such as "A 4: 0.25"')
        if what.startswith("swap "):
            raise InputError(f"the bank may not swap as {part!r} says")
        if what.startswith("on "):
            points = _points(what.removeprefix("on "), 1, SEVEN_AND_A_HALF - 1)
            if points in totals:
                raise InputError(f"{part!r} is stated twice")
            totals[points] = parse_chance(chance)
            continue
        cards = tuple(sorted(parse_cards(what, rules.deck)))
        if not cards or total(cards) >= SEVEN_AND_A_HALF or cards in draws:
            raise InputError(f"{part!r} leaves the bank no decision, or is stated twice")
        draws[cards] = parse_chance(chance)
    exceptions = tuple((cards, -1, chance) for cards, chance in draws.items())
    return ChartLine(_points(least, 1, SEVEN_AND_A_HALF), tuple(totals.items()), exceptions)


def parse_chart(text: str, source: str, side: str, rules: FreeBankRules) -> PlayerChart | BankChart:
    """Returns the chart that a TOML text states.

    Args:
        text: The TOML text.
        source: Name of the text in messages.
        side: ``player`` or ``bank``: whose chart it is.
        rules: Rules of the game that it is for.

    Raises:
        InputError: The text is no TOML, is the other side's, has unknown keys, or says something twice or something
            that the rules do not know. All mistakes are named at once.
    """
    keys = sorted(_HEAD | (_BANK_KEYS if side == BANK else _PLAYER_KEYS))
    reading = StrategyFile.parsed(text, source, keys)
    head = reading.document
    reading.refuse_where(head.get("for") != side, f'for is {head.get("for")!r}: expected "{side}"')
    name = head.get("name")
    if not isinstance(name, str) or not name or _RESERVED.search(name):
        reading.problems.append(f"the name is {name!r}: expected a text that names no built-in strategy")
        name = ""
    chart = (_bank if side == BANK else _player)(reading, name, rules)
    reading.check()
    return chart


def _entries(
    reading: StrategyFile,
    where: str,
    entries: Mapping[str, str],
    key_of: Callable[[str], T],
    value_of: Callable[[str], object],
    into: dict[T, Any],
) -> None:
    """Takes in the entries of one table, every key and value read or complained of."""
    for key, value in entries.items():
        at = f"{where} {key}"
        known = len(reading.problems)
        found, stated = reading.attempt(at, None, key_of, key), reading.attempt(at, None, value_of, value)
        if len(reading.problems) == known:
            reading.gather(at, into, found, stated)


def _tables(reading: StrategyFile, name: str) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Returns the tables of a table of texts."""
    found = reading.table(name, "table of tables of texts")
    if all(
        isinstance(table, dict) and all(isinstance(value, str) for value in table.values())
        for table in found.values()
    ):
        return found.items()
    reading.problems.append(f"[{name}] is no table of tables of texts")
    return ()


def _bank(reading: StrategyFile, name: str, rules: FreeBankRules) -> BankChart:
    by_total: dict[OpenTotal, ChartLine] = {}
    by_cards: dict[Lying, ChartLine] = {}
    line = partial(_line, rules=rules)
    otherwise = reading.attempt("stands-on", ChartLine(1), line, str(reading.document.get("stands-on", "")))

    def lying(text: str) -> Lying:
        return Lying(parse_cards(text, rules.deck), swapped, kind == "shown")

    for swapped, after in ((False, ""), (True, "-after-swap")):
        reading.refuse_where(
            swapped and not rules.swap and any(key.endswith(after) for key in reading.document),
            "the rules know no swap: expected no table that ends in -after-swap",
        )
        for kind in ("open-total", "open-cards", "shown"):
            section = f"{kind}{after}"
            texts = reading.texts(section)
            if kind == "open-total":
                _entries(reading, f"[{section}]", texts, partial(_open_total, swapped), line, by_total)
            else:
                _entries(reading, f"[{section}]", texts, lying, line, by_cards)
    return BankChart(name, BY_CHART, otherwise, tuple(by_total.items()), tuple(by_cards.items()))


def _player(reading: StrategyFile, name: str, rules: FreeBankRules) -> PlayerChart:
    by_total: dict[OwnTotal, Fraction] = {}
    by_cards: dict[tuple[int, Cards], Fraction] = {}
    swaps: dict[int, Fraction] = {}
    splits: dict[int, Fraction] = {}
    stands = str(reading.document.get("stands-on", ""))
    least = reading.attempt("stands-on", 1, _points, stands, 1, SEVEN_AND_A_HALF)
    reading.refuse_where(
        not rules.swap and {"swaps", "chart-after-swap", "hands-after-swap"} & set(reading.document),
        "the rules know no swap: expected no table of swaps",
    )
    reading.refuse_where(
        rules.hands == 1 and "splits" in reading.document,
        "the rules know no splitting: expected no table of splits",
    )
    swapped, of_hand = partial(_swapped, rules=rules), partial(_own_hand, rules)
    _entries(reading, "[swaps]", reading.texts("swaps"), swapped, parse_chance, swaps)
    _entries(reading, "[splits]", reading.texts("splits"), partial(_hands, rules), parse_chance, splits)
    for section in ("chart", "chart-after-swap"):
        for hidden, entries in _tables(reading, section):
            where = f"[{section}.{hidden}]"
            key = partial(_own_total, section != "chart", reading.attempt(where, 0, _one, hidden, rules))
            _entries(reading, where, entries, key, parse_chance, by_total)
    _entries(reading, "[hands]", reading.texts("hands"), partial(of_hand, -1), parse_chance, by_cards)
    for given, entries in _tables(reading, "hands-after-swap"):
        where = f"[hands-after-swap.{given}]"
        key_of = partial(of_hand, reading.attempt(where, 0, swapped, given))
        _entries(reading, where, entries, key_of, parse_chance, by_cards)
    return PlayerChart(
        name,
        BY_CHART,
        least,
        tuple(by_total.items()),
        tuple(by_cards.items()),
        tuple(swaps.items()),
        tuple(splits.items()),
    )


def _open_total(swapped: bool, text: str) -> OpenTotal:
    return OpenTotal(swapped, _points(text, 0, SEVEN_AND_A_HALF))


def _own_total(swapped: bool, hidden: int, text: str) -> OwnTotal:
    return OwnTotal(swapped, hidden, _points(text, 0, SEVEN_AND_A_HALF))


def _own_hand(rules: FreeBankRules, given_up: int, text: str) -> tuple[int, Cards]:
    cards = parse_cards(text, rules.deck)
    if not cards or total(cards) >= SEVEN_AND_A_HALF:
        raise InputError("leaves the player no decision")
    return given_up, cards


def _hands(rules: FreeBankRules, text: str) -> int:
    if text not in [str(hands) for hands in range(1, min(rules.hands, MOST_HANDS))]:
        raise InputError("expected how many hands the seat has before it")
    return int(text)


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
