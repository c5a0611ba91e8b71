"""What several seats ask: what a bank can lose in one round, and what each gets against a bank that looks at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from certify.evidence.asked import AskedFigure, AskedRow, AskedTable, Basis, Unit
from certify.families.free_bank import rulebook
from certify.families.free_bank.chart_files import cards_text
from certify.families.free_bank.cover import worst_round
from certify.families.free_bank.exact.deck_lasts import most_cards
from certify.families.free_bank.exact.names import LOOKS_AT_ALL, STAND_ON, SWAP_THEN_STAND_ON, conduct
from certify.families.free_bank.exact.report_tables import chance, row, stakes, table
from certify.families.free_bank.rules import BET, MOST_SEATS, rules_of
from certify.families.free_bank.strategy import COVER, Pair
from certify.families.seven_and_a_half.cards import DECK_SIZE, SEVEN_AND_A_HALF
from certify.model.game import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from certify.families.free_bank.volume.several import SeveralSeats

COVERED_SEATS: Final = (1, 2, 3, 5, 8, 11)
"""Numbers of seats for which the costliest round is printed."""

ROUNDS: Final = 25_000
"""Rounds played for each number of seats; every number plays the same rows."""

SEED: Final = bytes(range(32))
"""Master seed of these rounds: published, so that whoever verifies plays the same."""

PURPOSE: Final = "further-campaign-decks"

CONFIDENCE: Final = 0.99
NORMAL: Final = 2.5758293035489004
"""Quantile of the normal distribution that leaves half a percent above it."""

GRAIN: Final = 10**6
"""Ends of intervals are rounded to this part of a stake."""

TOTAL: Final = "5"
"""The total on which all seats stand, and on which the bank stands or believes that they stand."""

FIVE: Final = 10
"""The same in half points."""


def several_seats(game: Game) -> tuple[AskedTable, ...]:
    """Returns what is asked of one to eleven seats."""
    return table("cover", ("costs",), _cover(game)), table(
        "seats", ("first-seat", "last-seat", "bank", "ran-out"), _played(game)
    )


def _cover(game: Game) -> Iterator[AskedRow]:
    """Yields what the bank can lose in one round with one unit of each seat, and a deal that loses it."""
    paytable = game.wager(BET).paytable
    for seats in COVERED_SEATS:
        worst = worst_round(replace(rules_of(game), seats=seats), paytable, [1] * seats)
        cards, decisions = worst.deal
        asked = [one for one in decisions if one != COVER or rulebook.cover(rules_of(game))]
        detail = f"{cards_text(cards)}: {', '.join(asked)}"
        yield row("seats", {"costs": stakes(Fraction(worst.amount))}, detail, seats=seats)


def _played(game: Game) -> Iterator[AskedRow]:
    """Yields what play-through shows of every number of seats, against a bank on its own total and one that looks."""
    from certify.families.free_bank.volume.several import DECKS
    from rng.draws import Permutation, Product, draw_many
    from rng.streams import stream

    deck = Permutation(game.equipment[0].size)
    rows = draw_many(stream(SEED, PURPOSE, 0), Product((deck,) * DECKS), ROUNDS)
    player = f"{SWAP_THEN_STAND_ON if rules_of(game).swap else STAND_ON}{TOTAL}"
    for kind in (STAND_ON, LOOKS_AT_ALL):
        pair = conduct(game, player, f"{kind}{TOTAL}")
        for seats in range(1, MOST_SEATS + 1):
            found, nets = _several(game, pair, seats, rows)
            rules = replace(rules_of(game), seats=seats)
            lasts = most_cards(rules, FIVE, FIVE if kind == STAND_ON else SEVEN_AND_A_HALF) <= DECK_SIZE
            figures = {
                "first-seat": interval(*found.mean(0, nets)),
                "last-seat": interval(*found.mean(seats - 1, nets)),
                "bank": interval(*found.bank()),
                "ran-out": chance(Fraction(0)) if lasts else _share(found.ran_out),
            }
            yield row(f"{kind.removesuffix(':')}-bank", figures, seats=seats)


def _several(
    game: Game, pair: Pair, seats: int, rows: NDArray[np.uint8]
) -> tuple[SeveralSeats, NDArray[np.float64]]:
    from certify.families.free_bank.volume.several import nets_of, play

    rules = replace(rules_of(game), seats=seats)
    pays = {one.id: one.pays for one in game.wager(BET).paytable.rows}
    nets = nets_of(pays, rules)
    return play(rows, pair, rules, nets), nets


def interval(mean: float, error: float) -> AskedFigure:
    """Returns the interval of 99 % confidence of a mean in stakes, from its standard error."""
    return _outwards(mean - NORMAL * error, mean + NORMAL * error, Unit.STAKES)


def _share(rounds: int) -> AskedFigure:
    """Returns how often something came, with the exact interval of Clopper and Pearson."""
    from scipy.stats import binomtest

    found = binomtest(rounds, ROUNDS).proportion_ci(CONFIDENCE, "exact")
    return _outwards(float(found.low), float(found.high), Unit.CHANCE)


def _outwards(low: float, high: float, unit: Unit) -> AskedFigure:
    """Returns an interval whose ends are whole grains, rounded outwards."""
    ends = Fraction(floor(low * GRAIN), GRAIN), Fraction(ceil(high * GRAIN), GRAIN)
    return AskedFigure(*ends, unit, Basis.PLAYED)
