"""Strategies as players print them: an ordered list of what to hold, the first line that fits is held."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.holds import HAND
from certify.analysis.strategy_file import StrategyFile, strategy_text
from certify.errors import InputError, require_known
from certify.families.video_poker import patterns as shapes
from certify.families.video_poker.patterns import CODES, Pattern, pattern_of
from certify.families.video_poker.text import RANKING, ROWS_OF_KIND

SCHEMA: Final = "certify-hold-list/1"
SIZE_LIMIT: Final = 256 * 1024
MOST_LINES: Final = 500
UNLISTED: Final = 1 << 20

SHAPES: Final[Mapping[str, int]] = {
    "nothing": shapes.NOTHING,
    "single": shapes.CARD,
    "pair": shapes.PAIR,
    "two-pair": shapes.TWO_PAIR,
    "three-of-a-kind": shapes.THREE,
    "four-of-a-kind": shapes.FOUR,
    "to-royal-flush": shapes.ROYAL,
    "to-straight-flush": shapes.STRAIGHT_FLUSH,
    "to-flush": shapes.FLUSH,
    "to-straight": shapes.STRAIGHT,
    "dealt": shapes.PAT,
}
"""What a line can name."""

_KEYS: Final = ("hold", "title", "rows", "cards", "wild", "straights", "high", "ten", "ace")


@dataclass(frozen=True, slots=True)
class HoldLine:
    """One line of a list.

    Args:
        title: The line as printed.
        codes: The patterns that it names.
    """

    title: str
    codes: frozenset[int]


@dataclass(frozen=True, slots=True)
class HoldList:
    """An ordered list.

    Args:
        name: Its name.
        lines: Its lines, the first that fits is held; where none fits nothing is held.
    """

    name: str
    lines: tuple[HoldLine, ...]

    def order(self) -> NDArray[np.int32]:
        """Returns the line of every pattern, int32[CODES]; UNLISTED where no line names it."""
        order = np.full(CODES, UNLISTED, dtype=np.int32)
        for place, line in reversed(list(enumerate(self.lines))):
            order[list(line.codes)] = place
        for code, _ in _by_shape()[shapes.NOTHING]:
            order[code] = min(order[code], UNLISTED - 1)
        return order


_CARDS: Final[Mapping[int, tuple[int, ...]]] = {
    shapes.NOTHING: (0,),
    shapes.CARD: (1,),
    shapes.PAIR: (2,),
    shapes.TWO_PAIR: (4,),
    shapes.THREE: (3,),
    shapes.FOUR: (4,),
    shapes.ROYAL: (2, 3, 4),
    shapes.STRAIGHT_FLUSH: (2, 3, 4),
    shapes.FLUSH: (2, 3, 4),
    shapes.STRAIGHT: (2, 3, 4),
}
"""Cards in addition to wild ones that each shape can have."""


def _possible(pattern: Pattern) -> bool:
    """Returns whether a pattern can be held at all, as far as its cards go."""
    if pattern.shape == shapes.PAT:
        return pattern.cards + pattern.wild == HAND
    return pattern.cards in _CARDS.get(pattern.shape, ()) and pattern.cards + pattern.wild < HAND


@cache
def _by_shape() -> Mapping[int, tuple[tuple[int, Pattern], ...]]:
    """Returns every code with its pattern, by shape."""
    patterns = ((code, pattern_of(code)) for code in range(CODES))
    every = [(code, pattern) for code, pattern in patterns if _possible(pattern)]
    return {shape: tuple(one for one in every if one[1].shape == shape) for shape in range(shapes.OTHER + 1)}


def read_hold_list(path: Path) -> HoldList:
    """Returns the list that a file states.

    Raises:
        InputError: The file cannot be read or is too large, or what :func:`parse_hold_list` refuses.
    """
    return parse_hold_list(strategy_text(path, SIZE_LIMIT), str(path))


def parse_hold_list(text: str, source: str) -> HoldList:
    """Returns the list that a TOML text states.

    Args:
        text: The TOML text: ``[[lines]]`` in order, each with what is held.
        source: Name of the text in messages.

    Raises:
        InputError: The text is no TOML, has unknown keys or states what can never be held. All mistakes are named.
    """
    found = StrategyFile.parsed(text, source, (), SCHEMA)
    name, stated = found.name(), found.document.get("lines")
    if not isinstance(stated, list) or not 1 <= len(stated) <= MOST_LINES:
        found.problems.append(f"expected 1 to {MOST_LINES} [[lines]]")
        stated = []
    lines = []
    for place, entry in enumerate(stated, start=1):
        try:
            lines.append(_line(place, entry))
        except InputError as error:
            found.problems.append(str(error))
    found.check()
    return HoldList(name, tuple(lines))


def _line(place: int, entry: Any) -> HoldLine:
    if not isinstance(entry, dict) or not isinstance(entry.get("title"), str):
        raise InputError(f"line {place} has no title: expected a text")
    unknown = sorted(set(entry) - set(_KEYS))
    if unknown:
        raise InputError(f"line {place}: unknown keys {', '.join(unknown)}: expected {', '.join(_KEYS)}")
    require_known(f"line {place} holds {entry.get('hold')!r}", entry.get("hold"), SHAPES)
    rows = entry.get("rows", [])
    if not isinstance(rows, list) or any(row not in RANKING for row in rows):
        raise InputError(f"line {place}: rows are {rows!r}: expected some of {', '.join(RANKING)}")
    wanted: dict[str, list[int]] = {}
    for key in ("cards", "wild", "straights", "high"):
        numbers = entry.get(key, [])
        numbers = numbers if isinstance(numbers, list) else [numbers]
        if any(type(number) is not int or not 0 <= number <= 5 for number in numbers):
            raise InputError(f"line {place}: {key} is {entry[key]!r}: expected whole numbers from 0 to 5")
        wanted[key] = numbers
    ends = {1: entry.get("ten"), 2: entry.get("ace")}
    if any(flag is not None and not isinstance(flag, bool) for flag in ends.values()):
        raise InputError(f"line {place}: ten and ace are stated by true or false")
    codes = frozenset(
        code for code, pattern in _by_shape()[SHAPES[entry["hold"]]] if _named(pattern, rows, wanted, ends)
    )
    if not codes:
        raise InputError(f"line {place}, {entry['title']!r}, names what can never be held")
    return HoldLine(entry["title"], codes)


def _named(
    pattern: Pattern,
    rows: Sequence[str],
    wanted: Mapping[str, list[int]],
    ends: Mapping[int, bool | None],
) -> bool:
    if wanted["wild"] and pattern.wild not in wanted["wild"]:
        return False
    if pattern.shape == shapes.PAT:
        # A pat hand is named by the row that it is paid by; any paid hand where no row is named.
        paid = ROWS_OF_KIND[pattern.kind] if pattern.kind < len(ROWS_OF_KIND) else ()
        return any(row in rows for row in paid) if rows else bool(paid)
    return (
        (not wanted["cards"] or pattern.cards in wanted["cards"])
        and (not wanted["straights"] or pattern.windows in wanted["straights"])
        and (not wanted["high"] or pattern.high in wanted["high"])
        and all(flag is None or bool(pattern.ends & end) is flag for end, flag in ends.items())
    )


def derived_list(
    name: str,
    values: NDArray[np.int64],
    patterns: NDArray[np.int32],
    holds: NDArray[np.uint8],
    weights: NDArray[np.int64],
) -> HoldList:
    """Returns the list that orders the patterns of the best play by what each gains over the others.

    Args:
        name: Name of the list.
        values: Value of every hold.
        patterns: Pattern of every hold.
        holds: The best hold of every class of deals.
        weights: Deals of each class.
    """
    chosen = patterns[np.arange(len(holds)), holds]
    codes = np.unique(chosen)
    place = np.full(CODES, -1, dtype=np.int32)
    place[codes] = np.arange(len(codes))
    gained = np.zeros((len(codes), len(codes)), dtype=np.int64)
    shapes.gains(values, patterns, weights, place, gained)
    worth = [
        float(np.average(values[chosen == code, holds[chosen == code]], weights=weights[chosen == code]))
        for code in codes
    ]
    order = sorted(range(len(codes)), key=lambda one: -worth[one])
    ordered = _improved(order, gained.tolist())
    lines = (HoldLine(title_of(pattern_of(int(codes[one]))), frozenset({int(codes[one])})) for one in ordered)
    return HoldList(name, tuple(lines))


def _improved(order: Sequence[int], gained: list[list[int]]) -> list[int]:
    """Moves each pattern to where it costs least, until no move of one alone helps."""
    ordered = list(order)
    moved = True
    while moved:
        moved = False
        for one in tuple(ordered):
            at = ordered.index(one)
            best, goal = 0, at
            for sign, places in ((1, range(at - 1, -1, -1)), (-1, range(at + 1, len(ordered)))):
                change = 0
                for place in places:
                    change += sign * (gained[ordered[place]][one] - gained[one][ordered[place]])
                    if change < best:
                        best, goal = change, place
            if goal != at:
                ordered.insert(goal, ordered.pop(at))
                moved = True
    return ordered


_ROYAL_ENDS: Final = ("", ", with a ten", ", with an ace", ", with ten and ace")
_NUMBERS: Final = ("No", "One", "Two", "Three", "Four", "Five")
_KIND_TITLES: Final = (
    "a hand that pays nothing",
    "a pair that pays nothing",
    "a paid pair",
    "two pair",
    "three of a kind",
    "a straight",
    "a flush",
    "a full house",
    *(["four of a kind"] * 5),
    "a straight flush",
    "five of a kind",
    "a wild royal flush",
    "four deuces",
    "a royal flush",
)


def title_of(pattern: Pattern) -> str:
    """Returns a pattern in words.

    >>> title_of(Pattern(0, 4, shapes.FLUSH, 0, 2, 0))
    'Four to a flush, 2 high'
    """
    wild = f"{pattern.wild} wild, " if pattern.wild else ""
    title = wild + _shape_title(pattern)
    return title[:1].upper() + title[1:]


def _shape_title(pattern: Pattern) -> str:
    if pattern.shape == shapes.PAT:
        return f"dealt {_KIND_TITLES[pattern.kind]}"
    high = f", {pattern.high} high" if pattern.high else ""
    ways = f", {pattern.windows} ways" if pattern.windows > 1 else ", 1 way"
    cards = _NUMBERS[pattern.cards]
    titles = {
        shapes.NOTHING: "nothing else" if pattern.wild else "nothing",
        shapes.CARD: "one high card" if pattern.high else "one low card",
        shapes.PAIR: "high pair" if pattern.high else "low pair",
        shapes.TWO_PAIR: "two pair",
        shapes.THREE: "three of a kind",
        shapes.FOUR: "four of a kind",
        shapes.ROYAL: f"{cards} to a royal flush{_ROYAL_ENDS[pattern.ends]}",
        shapes.STRAIGHT_FLUSH: f"{cards} to a straight flush{ways}{high}",
        shapes.FLUSH: f"{cards} to a flush{high}",
        shapes.STRAIGHT: f"{cards} to a straight{ways}{high}",
    }
    return titles.get(pattern.shape, f"{cards} cards that go together in no way")
