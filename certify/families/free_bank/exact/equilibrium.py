"""An equilibrium of one seat against the bank: strategies of both sides as charts, and the bracket that they prove."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from certify.errors import InputError
from certify.families.free_bank.charts import BankChart, ChartLine, Lying, OpenTotal, PlayerChart
from certify.families.free_bank.exact.bank_hands import BankHands, cards_of
from certify.families.free_bank.exact.best_bank import bank_best_response
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.linear_program import UNREACHED, BankSide, Floats, Mask, Programme
from certify.families.free_bank.exact.player_hands import OwnHands, View
from certify.families.free_bank.exact.settlement import PLAIN, BankTerms
from certify.families.free_bank.rules import total
from certify.families.free_bank.strategy import Conduct, OpenSeat
from certify.model import Bracket

NAME: Final = "equilibrium"

GRAIN: Final = 10**8
"""Chances are rounded to this fraction; the bracket is that of the rounded strategies."""

STANDARD_WIDTH: Final = Fraction(1, 10**5)
FULL_WIDTH: Final = Fraction(1, 10**6)

MOST_TURNS: Final = 60
"""The programme is solved this often at most; each turn takes in what the bank did better."""

EVERYDAY: Final = 10
"""Total from which hands stand where nothing is stated, 5 in half points; such hands never come or never matter."""


@dataclass(frozen=True)
class ProvenPair:
    """Strategies of both sides and what they prove.

    Args:
        player: The player's chart.
        bank: The bank's chart.
        bracket: The proven bracket of the value.
    """

    player: PlayerChart
    bank: BankChart
    bracket: Bracket


def bracket(terms: BankTerms, player: Conduct, bank: Conduct) -> Bracket:
    """Returns the bracket that a pair of strategies proves, as net results in stakes; nothing is solved.

    Whatever the bank does, the player's strategy keeps at least what it gets against the bank's best answer; whatever
    the player does, the bank's strategy gives at most what the player's best answer takes. Both best answers are found
    exactly, so the bracket holds whoever proposed the strategies, and however.

    Raises:
        InputError: One of them has no answer to something that it sees.
    """
    return Bracket(bank_best_response(terms, player).value, player_best_response(terms, bank).value)


_OFFERED: dict[BankTerms, tuple[PlayerChart, BankChart]] = {}


def offer(terms: BankTerms, player: PlayerChart, bank: BankChart) -> None:
    """Takes strategies of both sides in place of a search; what they prove is found by exact best answers.

    Args:
        terms: Deck, rules and pays.
        player: The player's chart.
        bank: The bank's.
    """
    _OFFERED[terms] = (replace(player, name=NAME, looks_at=NAME), replace(bank, name=NAME, looks_at=NAME))
    equilibrium.cache_clear()


@lru_cache(maxsize=16)
def equilibrium(terms: BankTerms, width: Fraction = STANDARD_WIDTH) -> ProvenPair:
    """Returns strategies of both sides whose bracket is no wider than requested.

    Args:
        terms: Deck, rules and pays; the player does not split.
        width: Widest bracket in stakes.

    Raises:
        InputError: Strategies that were offered prove less than is requested.
        RuntimeError: The programme did not come that near.
    """
    if terms in _OFFERED:
        player, bank = _OFFERED[terms]
        proven = bracket(terms, player, bank)
        if proven.width > width:
            raise InputError(
                f"the strategies offered leave a bracket {float(proven.width):.2e} wide: "
                f"expected at most {float(width):.2e}"
            )
        return ProvenPair(player, bank, proven)
    programme = Programme(terms)
    found = programme.grow(float(width) / 4, MOST_TURNS)
    hits = (None if np.isnan(hit) else rounded(hit) for hit in found.hits.tolist())
    player = player_chart(programme.own, hits, map(rounded, found.swaps.tolist()))
    lines = {
        view: line_of(programme.bank.hands, reached, chances)
        for view, (reached, chances) in behaviours(programme.bank, found.mixtures).items()
    }
    bank = bank_chart(lines, dict(zip(programme.views, programme.weight, strict=True)))
    proven = bracket(terms, player, bank)
    if proven.width > width:
        raise RuntimeError(
            f"the bracket is {float(proven.width):.2e} wide, expected at most {float(width):.2e}"
        )
    return ProvenPair(player, bank, proven)


def rounded(chance: float) -> Fraction:
    """Returns a chance as a fraction of whole grains."""
    return Fraction(round(min(max(chance, 0.0), 1.0) * GRAIN), GRAIN)


def player_chart(
    own: OwnHands,
    hits: Iterable[Fraction | None],
    swaps: Iterable[Fraction | None],
    name: str = NAME,
    looks_at: str = NAME,
) -> PlayerChart:
    """Returns a player's strategy as a chart: single hands where it differs from its general line.

    Args:
        own: The player's hands.
        hits: Chance of drawing on each; none where its own choices never lead there.
        swaps: Chance of swapping each; none where that is not stated.
        name: Name of the chart.
        looks_at: What it looks at.
    """
    lines, given = [], []
    for node, hit, swap in zip(own.nodes, hits, swaps, strict=True):
        if node.swap and swap is not None:
            given.append((node.cards[0], swap))
        if hit is not None and node.follows and hit != (total(node.cards) < EVERYDAY):
            lines.append(((node.given_up, node.cards), hit))
    return PlayerChart(name, looks_at, EVERYDAY, by_cards=tuple(sorted(lines)), swaps=tuple(given))


def bank_chart(
    lines: Mapping[View, ChartLine],
    weights: Mapping[View, float],
    name: str = NAME,
    looks_at: str = NAME,
) -> BankChart:
    """Returns a bank's strategy as a chart: a line for each open total, and one for single open cards.

    Args:
        lines: The line against each hand that stood; what it never meets falls to the general lines.
        weights: What each counts for in the general line of its open total.
        name: Name of the chart.
        looks_at: What it looks at.
    """
    by_total = general_lines(lines, weights)
    special = (
        (Lying(view.hands[0].cards, view.swapped), line)
        for view, line in lines.items()
        if line != by_total.get(open_total(view))
    )
    return BankChart(name, looks_at, ChartLine(EVERYDAY), tuple(by_total.items()), tuple(special))


def open_total(view: OpenSeat) -> OpenTotal:
    """Returns what a general line looks at."""
    return OpenTotal(view.swapped, total(view.hands[0].cards))


def general_lines(
    lines: Mapping[View, ChartLine], weights: Mapping[View, float]
) -> dict[OpenTotal, ChartLine]:
    """Returns for each open total the plain line that serves most rounds."""
    counted: dict[OpenTotal, Counter[ChartLine]] = defaultdict(Counter)
    for view, line in lines.items():
        if not line.draws and not line.totals:
            counted[open_total(view)][line] += weights[view]  # type: ignore[assignment]
    order = sorted(counted, key=lambda key: (key.swapped, key.total))
    return {key: max(counted[key].items(), key=lambda pair: (pair[1], -pair[0].least))[0] for key in order}


def behaviours(
    side: BankSide, mixtures: Mapping[View, list[tuple[float, Mask]]]
) -> Mapping[View, tuple[Floats, Floats]]:
    """Returns how often each mixture of plans comes to each hand, and its chance of drawing there."""
    views = list(mixtures)
    owner = np.array([row for row, view in enumerate(views) for _ in mixtures[view]])
    shares = np.array([share for view in views for share, _ in mixtures[view]])
    masks = np.array([mask for view in views for _, mask in mixtures[view]])
    shares = shares / np.bincount(owner, shares)[owner]
    comes, _ = side.flows(masks)
    weighed = comes * shares[:, None]
    reached, drawn = np.zeros((len(views), masks.shape[1])), np.zeros((len(views), masks.shape[1]))
    np.add.at(reached, owner, weighed)
    np.add.at(drawn, owner, weighed * masks)
    chances = np.divide(drawn, reached, out=np.zeros_like(drawn), where=reached > UNREACHED)
    return {view: (reached[row], chances[row]) for row, view in enumerate(views)}


def line_of(hands: BankHands, reached: Floats, chances: Floats) -> ChartLine:
    """Returns a short line that plays so on all hands that are come to."""
    places = np.flatnonzero(hands.choosing & (reached > UNREACHED))
    ends, drawn = np.array(hands.ends)[places], np.rint(chances[places] * GRAIN).astype(np.int64)
    # On each total what most hands do; the plain rule is the one that says most of that.
    usual = {int(end): Counter(drawn[ends == end].tolist()).most_common(1)[0][0] for end in np.unique(ends)}
    least = min(
        range(1, PLAIN + 1), key=lambda stand: sum((end < stand) * GRAIN != at for end, at in usual.items())
    )
    totals = tuple(
        (end, Fraction(grains, GRAIN)) for end, grains in usual.items() if (end < least) * GRAIN != grains
    )
    draws = tuple(
        (cards_of(hands.nodes[place]), -1, Fraction(int(grains), GRAIN))
        for place, end, grains in zip(places, ends, drawn, strict=True)
        if usual[int(end)] != grains
    )
    return ChartLine(least, totals, draws)
