"""Decisions as a chart in the terminal: one row for hands that belong together, the dealer's card across."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.model import Decision

STAR: Final = "*"


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
    costs = [
        decision.values[decision.best] - decision.values[usual]
        for decision in others
        if usual in decision.values
    ]
    return ChartPlace(usual, len(others), len(decisions), max(costs, default=Fraction(0)))


def chart_lines(
    decisions: Iterable[Decision], row_of: Callable[[Decision], tuple[int, str]]
) -> Iterator[str]:
    """Yields the chart of the decisions that can be met, as lines of text.

    Args:
        decisions: The decisions of an analysis, in its order.
        row_of: Place and name of the row in which a decision is.
    """
    met = [decision for decision in decisions if decision.reachable]
    if not met:
        return
    rows: dict[str, dict[str, list[Decision]]] = {}
    for decision in sorted(met, key=lambda decision: row_of(decision)[0]):
        rows.setdefault(row_of(decision)[1], {}).setdefault(decision.dealer or "", []).append(decision)
    dealers = list(dict.fromkeys(decision.dealer or "" for decision in met))
    places = {
        row: {dealer: place_of(found) for dealer, found in cells.items()} for row, cells in rows.items()
    }
    yield from _against_cards(places, dealers) if any(dealers) else _of_hands(places)
    if any(place.others for cells in places.values() for place in cells.values()):
        yield f"    {STAR} another decision is better for some hands of that row; --decisions all lists every hand"


def _of_hands(places: dict[str, dict[str, ChartPlace]]) -> Iterator[str]:
    """Yields the rows of a game whose dealer shows no card."""
    for row, cells in places.items():
        for place in cells.values():
            told = ""
            if place.others:
                told = f"  {place.others} of {place.hands} hands otherwise, gaining at most {float(place.cost):.6f}"
            yield f"    {row:12} {place.usual + (f' {STAR}' if place.others else ''):12}{told}".rstrip()


def _against_cards(places: dict[str, dict[str, ChartPlace]], dealers: Sequence[str]) -> Iterator[str]:
    """Yields the rows of a game whose dealer shows a card, one column for each."""
    shown = {
        (row, dealer): place.usual + (STAR if place.others else "")
        for row, cells in places.items()
        for dealer, place in cells.items()
    }
    width = max(len(word) for word in (*shown.values(), *dealers)) + 2
    first = max(map(len, places)) + 2
    yield f"    {'':{first}}{''.join(f'{dealer:{width}}' for dealer in dealers)}".rstrip()
    for row in places:
        words = (shown.get((row, dealer), "") for dealer in dealers)
        yield f"    {row:{first}}{''.join(f'{word:{width}}' for word in words)}".rstrip()
