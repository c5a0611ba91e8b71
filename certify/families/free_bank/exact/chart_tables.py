"""The simple charts of both sides as tables of a report: how often each draws, by what it looks at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from certify.evidence.asked import AskedTable
from certify.exact import format_half_points
from certify.families.free_bank.charts import ALWAYS, NEVER, BankChart, PlayerChart
from certify.families.free_bank.exact.equilibrium import ProvenPair
from certify.families.free_bank.exact.report_tables import chance, named, said, table
from certify.families.free_bank.exact.settlement import PLAIN, BankTerms
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, CLASSES
from certify.messages import verbatim
from certify.model.message import Message

MATTA: Final = CLASSES[CLASS_MATTA]


def chart_tables(terms: BankTerms, charts: ProvenPair) -> Iterator[AskedTable]:
    """Yields the player's chart and the bank's; what never comes is left out.

    Args:
        terms: Deck, rules and pays.
        charts: The simple charts.
    """
    yield _player(terms, charts.player)
    yield _bank(terms, charts.bank)


def _player(terms: BankTerms, chart: PlayerChart) -> AskedTable:
    rows = []
    if chart.swaps:
        rows.append(
            named(said("row.chart-swap"), {CLASSES[card]: chance(often) for card, often in chart.swaps})
        )
    for swapped, total in sorted({(key.swapped, key.open) for key, _ in chart.by_total}):
        figures = {
            CLASSES[key.hidden]: chance(hit)
            for key, hit in chart.by_total
            if (key.swapped, key.open) == (swapped, total)
        }
        rows.append(named(_shown(swapped, total), figures))
    cards = {CLASSES[card]: _card(card) for card, held in enumerate(terms.deck) if held}
    return table("player-chart", cards, rows)


def _bank(terms: BankTerms, chart: BankChart) -> AskedTable:
    lines = sorted(chart.by_total, key=lambda entry: (entry[0].swapped, entry[0].total))
    first = min(end for end in range(1, PLAIN) if any(line.hit_on(end) != ALWAYS for _, line in lines))
    last = max(end for end in range(1, PLAIN) if any(line.hit_on(end) != NEVER for _, line in lines))
    totals = {format_half_points(end): end for end in range(first, last + 1)}
    titles: dict[str, Message] = {name: verbatim(name) for name in totals}
    if terms.deck[CLASS_MATTA]:
        titles[MATTA] = said("column.matta-alone")
    rows = []
    for key, line in lines:
        figures = {name: chance(line.hit_on(end)) for name, end in totals.items()}
        rows.append(
            named(_shown(key.swapped, key.total), figures | {MATTA: chance(line.hit((CLASS_MATTA,)))})
        )
    return table("bank-chart", titles, rows)


def _card(card: int) -> Message:
    return said("face") if card == CLASS_FACE else verbatim(CLASSES[card])


def _shown(swapped: bool, total: int) -> Message:
    """Returns what lies open before a seat."""
    open_cards = said("row.open", total=format_half_points(total)) if total else said("row.open-none")
    return said("row.open-swapped", of=(open_cards,)) if swapped else open_cards
