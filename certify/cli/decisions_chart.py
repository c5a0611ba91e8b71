"""Decisions as a chart in the terminal: a row for hands that belong together, the dealer's or last card across."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.by_key import gathered
from certify.model import NAMED_CARD, Decision, listing_order

STAR: Final = "*"

_LISTED: Final = 40
"""Hands up to which each is a line of its own where the dealer shows no card."""

_WIDEST: Final = 130
"""Columns of a terminal above which a chart holds first letters."""

_LAST: Final = re.compile(rf"(.*)({NAMED_CARD.pattern})(.*)")


@dataclass(frozen=True, slots=True)
class ChartPlace:
    """What is best at one place of a chart.

    Args:
        usual: The decision that most of its hands ask for.
        others: How many hands ask for another one.
        hands: How many hands stand there.
        cost: The most that the usual decision costs a hand that asks for another one.
    """

    usual: str
    others: int
    hands: int
    cost: Fraction


def place_of(decisions: Sequence[Decision]) -> ChartPlace:
    """Returns what is best for the hands of one place; the first met wins a draw."""
    usual, _ = Counter(decision.best for decision in decisions).most_common(1)[0]
    others = [decision for decision in decisions if decision.best != usual]
    return ChartPlace(
        usual,
        len(others),
        len(decisions),
        max(
            (one.values[one.best] - one.values[usual] for one in others if usual in one.values),
            default=Fraction(0),
        ),
    )


def chart_lines(
    decisions: Iterable[Decision], row_of: Callable[[Decision], tuple[int, str]] | None = None
) -> Iterator[str]:
    """Yields the chart of the decisions that can be met, as lines of text.

    Args:
        decisions: The decisions of an analysis, in its order.
        row_of: Place and name of the row in which a decision is; the hand itself where left out.
    """
    met = [decision for decision in decisions if decision.reachable]
    if row_of is None and len(met) > _LISTED and not any(decision.dealer for decision in met):
        yield from _by_last_card(met)
        return
    named = [(*(row_of(one) if row_of else (0, one.hand)), one) for one in met]
    cells = gathered(
        ((row, one.dealer or ""), one) for _, row, one in sorted(named, key=lambda entry: entry[0])
    )
    dealers = list(dict.fromkeys(decision.dealer or "" for decision in met))
    places = {cell: place_of(found) for cell, found in cells.items()}
    yield from _against_cards(places, dealers) if any(dealers) else _of_hands(places)
    if any(place.others for place in places.values()):
        yield f"    {STAR} another decision is better for some hands of that row; --decisions all lists every hand"


def _by_last_card(met: Sequence[Decision]) -> Iterator[str]:
    """Yields the rows of a game whose dealer shows no card, the last card or number of a hand across.

    Rows in which every hand asks for the usual decision are left out where a chart with them would be long. Where the
    rows are nearly as many as the hands, each hand is a row of its own.
    """
    cells = gathered((_parted(decision.hand), decision) for decision in met)
    if 2 * len({row for row, _ in cells}) > len(cells):
        wide = max(len(decision.hand) for decision in met)
        cells = gathered(((f"{decision.hand:{wide}}", ""), decision) for decision in met)
    rows = gathered((row, one.best) for (row, _), found in cells.items() for one in found)
    usual, _ = Counter(decision.best for decision in met).most_common(1)[0]
    turns = [_turn(decision.hand) for decision in met]
    shown = {
        (row, last): place_of(cells[row, last])
        for row, last in sorted(cells, key=lambda cell: (turns.index(_turn(cell[0])), listing_order(cell[0])))
        if len(rows) <= _LISTED or set(rows[row]) != {usual}
    }
    yield from (
        _against_cards(shown, sorted({last for _, last in shown}, key=listing_order))
        if any(last for _, last in shown)
        else _of_hands(shown)
    )
    if left_out := rows.keys() - {row for row, _ in shown}:
        yield f"    rows left out, {len(left_out)} of {len(rows)}: every hand of them asks for {usual}"


def _turn(hand: str) -> str:
    """Returns the turn that a decision is of, empty where a game has one; decisions come in the order of play."""
    return hand.rpartition(": ")[0]


def _parted(hand: str) -> tuple[str, str]:
    """Returns a hand with a gap for its last card or number, and that one.

    >>> _parted("three: player with board K 10 9 suited")
    ('three: player with board K 10 _ suited', '9')
    >>> _parted("player sum 4; open cards A 10/J/Q/K")
    ('player sum 4; open cards A _', '10/J/Q/K')
    """
    found = _LAST.fullmatch(hand)
    return (f"{found[1]}_{found[3]}", found[2]) if found else (hand, "")


def _of_hands(places: Mapping[tuple[str, str], ChartPlace]) -> Iterator[str]:
    """Yields the rows of a game whose dealer shows no card."""
    for (row, _), place in places.items():
        told = ""
        if place.others:
            told = (
                f"  {place.others} of {place.hands} hands otherwise, gaining at most {float(place.cost):.6f}"
            )
        yield f"    {row:12} {place.usual + (f' {STAR}' if place.others else ''):12}{told}".rstrip()


def _against_cards(places: Mapping[tuple[str, str], ChartPlace], dealers: Sequence[str]) -> Iterator[str]:
    """Yields the rows of a game whose dealer shows a card, one column for each."""
    shown = {cell: place.usual + (STAR if place.others else "") for cell, place in places.items()}
    rows = dict.fromkeys(row for row, _ in places)
    first = max(map(len, rows)) + 2
    words = {place.usual for place in places.values()}
    marks = {word[0]: word for word in sorted(words)}
    if first + len(dealers) * (max(map(len, words)) + 3) > _WIDEST and len(marks) == len(words):
        shown = {key: word[0] + (STAR if word.endswith(STAR) else "") for key, word in shown.items()}
        yield f"    {', '.join(f'{mark}: {word}' for mark, word in marks.items())}"
    width = max(len(word) for word in (*shown.values(), *dealers)) + 2
    yield f"    {'':{first}}{''.join(f'{dealer:{width}}' for dealer in dealers)}".rstrip()
    for row in rows:
        cells = "".join(f"{shown.get((row, dealer), ''):{width}}" for dealer in dealers)
        yield f"    {row:{first}}{cells}".rstrip()
