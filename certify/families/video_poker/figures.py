"""Exact figures of video poker under a hold for every deal."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from pathlib import Path
from typing import Final

import numpy as np

from certify.analysis.hands.deals import hand_of, number
from certify.analysis.hands.holds import (
    HAND,
    HOLD_COUNT,
    Enumeration,
    best_holds,
    enumerated as enumerate_deals,
    kinds_reached,
    pays_of_kinds,
    values_of,
)
from certify.analysis.hands.strength import CountedDeck
from certify.array_types import Bytes as Holds, Places, Whole
from certify.errors import InputError
from certify.families.video_poker.hold_list import HoldList, derived_list, read_hold_list, title_of
from certify.families.video_poker.patterns import CODES, holds_by_list, pattern_of, patterns_of
from certify.families.video_poker.text import (
    BET,
    LOSE,
    ROWS_OF_KIND,
    HoldTable,
    VideoPokerRules,
    deck_of,
    kind_of,
    rules_of,
)
from certify.model import FILE, MAIN_OPTIMAL, Analysis, Decision, Game, Outcome, WagerFigures

HOLD_LIST: Final = "hold-list"
AS_DEALT: Final = "as-dealt"

HOLD: Final = "hold"
OTHERWISE: Final = "anything else"

ALL_FIVE: Final = HOLD_COUNT - 1


def enumerated(game: Game) -> Enumeration:
    """Returns all deals of the deck of a game."""
    return _enumerated(deck_of(game), rules_of(game))


@lru_cache(maxsize=4)
def _enumerated(deck: CountedDeck, rules: VideoPokerRules) -> Enumeration:
    return enumerate_deals(deck, lambda strength, wild: kind_of(strength, wild, rules), len(ROWS_OF_KIND))


def row_of_kind(game: Game, kind: int) -> str:
    """Returns the row of the paytable by which a kind of hand is paid; the losing one where it is not paid."""
    named = game.wager(BET).paytable.ids
    return next((row for row in ROWS_OF_KIND[kind] if row in named), LOSE)


def returns_of(game: Game) -> tuple[Fraction, ...]:
    """Returns what each kind of hand returns, stake included."""
    paytable = game.wager(BET).paytable
    rows = (row_of_kind(game, kind) for kind in range(len(ROWS_OF_KIND)))
    return tuple(Fraction(0) if row == LOSE else 1 + paytable.pays(row) for row in rows)


def return_of_best(game: Game) -> Fraction:
    """Returns the return of the best play."""
    counted = enumerated(game)
    pays = pays_of_kinds(counted, returns_of(game))
    return _expected(game, counted, best_holds(counted, pays))


def _expected(game: Game, counted: Enumeration, holds: Holds) -> Fraction:
    reached = kinds_reached(counted, holds)
    returned = zip(reached, returns_of(game), strict=True)
    return sum((ways * value for ways, value in returned), Fraction(0)) / counted.total


def table_of(game: Game, name: str) -> HoldTable:
    """Returns a named strategy.

    ``main-optimal`` holds what is best; ``hold-list`` follows the ordered list that is derived from it; ``as-dealt``
    holds all five cards; ``file:PATH.toml`` follows a printed list.

    Raises:
        InputError: No such strategy.
    """
    deck = deck_of(game)
    if name == MAIN_OPTIMAL:
        return HoldTable(name, "hand-dependent", deck, _best(game).tobytes())
    if name == AS_DEALT:
        classes = len(enumerated(game).deals.numbers)
        return HoldTable(name, "fixed", deck, bytes([ALL_FIVE]) * classes)
    if name == HOLD_LIST:
        found = derived(game)
        words = f"ordered list of {len(found.lines)} holds"
        return HoldTable(name, words, deck, _listed(game, found).tobytes())
    if name.startswith(FILE):
        found = read_hold_list(Path(name.removeprefix(FILE)))
        words = f"printed list of {len(found.lines)} holds"
        return HoldTable(found.name, words, deck, _listed(game, found).tobytes())
    raise InputError(
        f"no strategy {name!r}: expected {MAIN_OPTIMAL}, {HOLD_LIST}, {AS_DEALT} or {FILE}PATH.toml"
    )


def derived(game: Game) -> HoldList:
    """Returns the ordered list that is derived from the best play."""
    return _ordered(game, _best(game))


def _ordered(game: Game, holds: Holds) -> HoldList:
    counted = enumerated(game)
    return derived_list(HOLD_LIST, _values(game), _patterns(game), holds, counted.deals.weights)


@lru_cache(maxsize=8)
def _best(game: Game) -> Holds:
    counted = enumerated(game)
    return best_holds(counted, pays_of_kinds(counted, returns_of(game)))


def _listed(game: Game, found: HoldList) -> Holds:
    return holds_by_list(enumerated(game), _values(game), _patterns(game), found.order())


@lru_cache(maxsize=2)
def _values(game: Game) -> Whole:
    counted = enumerated(game)
    return values_of(counted, pays_of_kinds(counted, returns_of(game)))


@lru_cache(maxsize=2)
def _patterns(game: Game) -> Places:
    return patterns_of(enumerated(game), rules_of(game).lowest_pair)


def analyze_table(game: Game, table: HoldTable) -> Analysis:
    """Returns the exact figures of the bet under a hold for every deal.

    Raises:
        InputError: The strategy is written for another deck.
    """
    counted, deck = enumerated(game), deck_of(game)
    if table.deck != deck or len(table.holds) != len(counted.deals.numbers):
        raise InputError(f"strategy {table.name!r} is written for another deck than that of {game.id}")
    return _analysis(game, table)


@lru_cache(maxsize=32)
def _analysis(game: Game, table: HoldTable) -> Analysis:
    counted = enumerated(game)
    holds = np.frombuffer(table.holds, dtype=np.uint8)
    paytable = game.wager(BET).paytable
    ways = dict.fromkeys((*paytable.ids, LOSE), 0)
    for kind, reached in enumerate(kinds_reached(counted, holds)):
        ways[row_of_kind(game, kind)] += reached
    outcomes = tuple(
        Outcome(row, Fraction(-1) if row == LOSE else paytable.pays(row), Fraction(reached, counted.total))
        for row, reached in ways.items()
    )
    figures = WagerFigures(BET, outcomes)
    return Analysis(game.id, table, (figures,), tuple(_decisions(game, counted, holds)))


def _decisions(game: Game, counted: Enumeration, holds: Holds) -> Iterator[Decision]:
    """Yields what is held, in the order of the list, with what it and the best other hold come to on average."""
    values, patterns, weights = _values(game), _patterns(game), counted.deals.weights
    codes = np.flatnonzero(np.bincount(patterns.ravel(), minlength=CODES)).tolist()
    titles = [title_of(pattern_of(code)) for code in codes]
    known = list(dict.fromkeys(titles))
    title_of_code = np.zeros(CODES, dtype=np.int16)
    title_of_code[codes] = [known.index(title) for title in titles]
    titled = title_of_code[patterns]
    rows = np.arange(len(holds))
    held = titled[rows, holds]
    others = np.where(titled != held[:, None], values, np.iinfo(np.int64).min).max(axis=1)
    chosen = values[rows, holds]
    order = dict.fromkeys(line.title for line in _ordered(game, holds).lines)
    unit = _unit(game) * counted.denominator
    for title in order:
        here = held == known.index(title)
        share = int(weights[here].sum())
        if not share:
            continue
        hold, other = (
            Fraction(_weighted(found[here], weights[here]), share * unit) - 1 for found in (chosen, others)
        )
        yield Decision(
            hand=title,
            composition=(),
            dealer=None,
            best=HOLD if hold >= other else OTHERWISE,
            values={HOLD: hold, OTHERWISE: other},
            chosen=HOLD,
            probability=Fraction(share, len(counted.kinds)),
        )


def _weighted(values: Whole, weights: Whole) -> int:
    """Returns a weighted sum in whole numbers of any size."""
    return sum(value * weight for value, weight in zip(values.tolist(), weights.tolist(), strict=True))


def covariance(game: Game, table: HoldTable) -> Fraction:
    """Returns the covariance of two hands that complete the same held cards, each from a deck of its own.

    Given the deal they are independent, so that it is the variance of what a deal is worth as it is held.

    Source: wizardofodds.com, Video Poker, Appendix 3.
    """
    counted, holds = enumerated(game), np.frombuffer(table.holds, dtype=np.uint8)
    values, weights = _values(game)[np.arange(len(holds)), holds].astype(object), counted.deals.weights
    deals, unit = len(counted.kinds), _unit(game) * counted.denominator
    mean = Fraction(int(values @ weights), deals)
    return (Fraction(int(values**2 @ weights), deals) - mean**2) / unit**2


def _unit(game: Game) -> int:
    """Returns the denominator over which pays are whole numbers."""
    return lcm(*(value.denominator for value in returns_of(game)))


def values_of_hand(game: Game, hand: Sequence[int]) -> tuple[Fraction, ...]:
    """Returns the expected net result of every hold of a hand, by its bits."""
    counted = enumerated(game)
    unit = _unit(game) * counted.denominator
    values = _values(game)[int(counted.deals.place[number(hand)])].tolist()
    return tuple(Fraction(value, unit) - 1 for value in values)


def hand_that(
    deck: CountedDeck, rules: VideoPokerRules, fits: Callable[[int], bool]
) -> tuple[int, ...] | None:
    """Returns five faces of which the kind fits, none where no hand of the deck does."""
    kinds = [kind for kind in range(len(ROWS_OF_KIND)) if fits(kind)]
    found = np.flatnonzero(np.isin(_enumerated(deck, rules).kinds, kinds))
    return hand_of(int(found[0]), HAND, deck.size) if found.size else None
