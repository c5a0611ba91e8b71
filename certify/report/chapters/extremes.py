"""The costliest round, and a deal for every way in which a round can end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from certify.evidence.analysis import StatedOutcome
from certify.evidence.document import Evidence
from certify.messages import statements, tell, translated
from certify.model.witness import Exposure, Witness
from certify.report.formats import money
from certify.report.layout import PageTable, listed
from certify.report.words import decision_title, wager_titles

_FIRST_CARDS = 5
_MOST_CARDS = 12
"""Cards of a deck that the costliest round is told with; what is decided of it is decided on fewer."""
_SHORT_ROUND = 20
_FEW = 5


@dataclass(frozen=True, slots=True)
class ExposureView:
    """The most the house can lose in one round over all wagers together.

    Args:
        amount: The most, first wager included.
        several: Whether there are several wagers.
        wins: What is staked and won on each.
        deck: How the deck begins that it comes with.
        decisions: What is decided then.
        without: What the round would cost without the first wager, where that one loses in it; empty otherwise.
        endless: Whether there is no end of what a round may win, so that the amount is that of rounds played here.
    """

    amount: str
    several: bool
    wins: PageTable | None
    deck: str
    decisions: str
    without: str
    endless: bool


@dataclass(frozen=True, slots=True)
class Witnesses:
    """A deal for every award, or for every outcome where losing ones are shown too."""

    title: str
    table: PageTable


def exposure(evidence: Evidence) -> ExposureView:
    """Returns the costliest round."""
    node = evidence.exposure
    titles, currency = wager_titles(evidence), node.currency
    stakes = dict(_amounts(node.stakes, currency))
    # A wager that is not bet on in that round neither costs nor wins.
    wins = [one for one in _amounts(node.wins, currency) if stakes.get(one[0]) != money(0, currency)]
    return ExposureView(
        money(node.amount, currency),
        len(node.wins) > 1,
        listed(
            tell("extremes.stakes-and-wins-of-the"),
            "wager #stake #win",
            ((titles.get(wager, wager), stakes.get(wager), amount) for wager, amount in wins),
        ),
        _come(node.deck_names),
        _decisions(node),
        _without_first(node, currency),
        any(one.least is not None and one.most is None for one in _outcomes(evidence)),
    )


def _outcomes(evidence: Evidence) -> Iterator[StatedOutcome]:
    """Yields all outcomes; of a class of rounds that has a least result and no most there is no end."""
    for analysis in evidence.analysis.values():
        for wager in analysis.wagers.values():
            yield from wager.outcomes


def _without_first(node: Exposure, currency: str) -> str:
    """Returns what the costliest round costs without the first wager, where that one loses in it."""
    wins = [won for _, won in node.wins]
    return money(node.amount - wins[0], currency) if len(wins) > 1 and wins[0] < 0 else ""


def _amounts(pairs: Iterable[tuple[str, int]], currency: str) -> list[tuple[str, str]]:
    return [(wager, money(amount, currency)) for wager, amount in pairs]


def _decisions(node: Exposure | Witness) -> str:
    return statements(decision_title(entry) for entry in node.decisions) or tell("extremes.none-to-make")


def witnesses(evidence: Evidence) -> Witnesses | None:
    """Tabulates for every row the first cards of a deck that ends in it."""
    titles, found = wager_titles(evidence), evidence.witnesses
    several = len(titles) > 1
    paid = {(wager.id, row.id) for wager in evidence.wagers for row in wager.paytable}
    title, caption, kind = (
        ("awards-can-be-won", "a-deal-that-wins-each", "award:24:outcome")
        if all((witness.wager, witness.row) in paid for witness in found)
        else ("every-outcome-can-be-reached", "a-deal-that-ends-in", "outcome:24:outcome")
    )
    table = listed(
        tell(f"extremes.{caption}"),
        f"{'wager:15' if several else ''} {kind} the-deck-begins!note "
        f"{'decisions:13!note' if several else 'decisions:20!note'}",
        (
            (
                *((titles.get(one.wager, one.wager),) if several else ()),
                one.row,
                _come(one.deck_names, _FIRST_CARDS),
                _decisions(one),
            )
            for one in found
        ),
        tell("extremes.each-deal-was-replayed-by"),
        dense=True,
    )
    return Witnesses(tell(f"extremes.{title}"), table) if table else None


def _come(named: tuple[str, ...], first: int = _MOST_CARDS) -> str:
    """Returns what comes by the names that the game gives it: short rounds whole, the first so many of others.

    More than a few numbers that follow each other are told by their ends: ``1–10, 21``; a throw of 1, 2, 3 is not.
    """
    names = [translated(name) for name in (named if len(named) <= _SHORT_ROUND else named[:first])]
    if not all(name.isdecimal() for name in names):
        return ", ".join(names)
    runs: list[list[int]] = []
    for number_drawn in map(int, names):
        if runs and number_drawn == runs[-1][-1] + 1:
            runs[-1].append(number_drawn)
        else:
            runs.append([number_drawn])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > _FEW else ", ".join(map(str, run)) for run in runs)
