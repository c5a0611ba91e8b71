"""What the counted hands come to: the settlement of the exact figures, in whole numbers up to one division."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.errors import InputError
from certify.families.french_deck.deck import RANKS
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import cards_of, deck_of
from certify.families.three_card_poker.exact import counting
from certify.families.three_card_poker.exact.counting import Classes, classes_of
from certify.families.three_card_poker.rules import rules_of
from certify.families.three_card_poker.strategy import PlayedHands
from certify.model.figures import Decision, Outcome
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.strategy import MAIN_OPTIMAL, Strategy

Chances = Mapping[tuple[str, ...], Fraction]

_FITS: Final = {
    counting.PAIR: (ids.PAIR,),
    counting.FLUSH: (ids.FLUSH,),
    counting.STRAIGHT: (ids.STRAIGHT,),
    counting.THREE: (ids.THREE,),
    counting.STRAIGHT_FLUSH: (ids.STRAIGHT_FLUSH,),
    counting.MINI_ROYAL: (ids.MINI_ROYAL, ids.STRAIGHT_FLUSH),
}
"""Rows that a hand of three cards may be paid by, the highest first."""

_SIX: Final = (
    ids.LOSE,
    ids.THREE,
    ids.STRAIGHT,
    ids.FLUSH,
    ids.FULL_HOUSE,
    ids.FOUR,
    ids.STRAIGHT_FLUSH,
    ids.ROYAL,
)
_NAMES: Final = ("high", "pair", "flush", "straight", "three of a kind", "straight flush", "straight flush")


def counted(game: Game) -> Classes:
    """Returns every pair of hands of a game, counted."""
    return classes_of(deck_of(game), rules_of(game).lowest)


def row_of_kind(kind: int, paytable: Paytable, among: tuple[str, ...]) -> str:
    """Returns the row of a hand of three cards, of those that may be paid."""
    fits = (row for row in _FITS.get(kind, ()) if row in among and row in paytable.ids)
    return next(fits, ids.LOSE)


def ante_outcome(kind: int, end: int, paytable: Paytable) -> str:
    """Returns the outcome of an ante on which a hand of a kind was played."""
    bonus = row_of_kind(kind, paytable, ids.BONUSES)
    return ids.ENDS[end] if bonus == ids.LOSE else f"{bonus}-{ids.ENDS[end]}"


def ante_net(outcome: str, paytable: Paytable) -> Fraction:
    """Returns the net result of an outcome of the ante."""
    if outcome == ids.FOLD:
        return Fraction(-1)
    bonus, _, end = outcome.rpartition("-")
    base = {
        ids.UNQUALIFIED: paytable.pays(ids.UNQUALIFIED),
        ids.WIN: 2 * paytable.pays(ids.WIN),
        ids.TIE: Fraction(0),
        ids.LOSE: Fraction(-2),
    }[end]
    return base + paytable.pays(bonus) if bonus else base


def ends(game: Game, wager: str) -> tuple[Outcome, ...]:
    """Returns every outcome of a wager with its net result and stake, without probability."""
    paytable, nothing = game.wager(wager).paytable, Fraction(0)
    if wager != ids.ANTE:
        ranking = ids.HANDS if wager == ids.PAIR_PLUS else ids.SIX_HANDS
        paid = [Outcome(row, paytable.pays(row), nothing) for row in ranking if row in paytable.ids]
        return (*paid, Outcome(ids.LOSE, Fraction(-1), nothing))
    bonuses = [row for row in ids.BONUSES if row in paytable.ids]
    played = [*(f"{bonus}-{end}" for bonus in bonuses for end in ids.ENDS), *ids.ENDS]
    found = (Outcome(one, ante_net(one, paytable), nothing, Fraction(2), ids.row_of(one)) for one in played)
    return (*found, Outcome(ids.FOLD, Fraction(-1), nothing, Fraction(1), ids.LOSE))


def chances(game: Game, strategy: Strategy) -> Chances:
    """Returns the probability of every joint outcome of the wagers under a strategy."""
    found = counted(game)
    # Hands of one kind that end alike have the same outcomes: they are added up before they are named.
    cells: dict[tuple[int, int | None, int], int] = {}
    for place, label in enumerate(found.labels):
        played = strategy.choose(label, ids.OPTIONS) == ids.PLAY
        for end, six, dealt in _met(found, place):
            cell = (found.kinds[place], end if played else None, six)
            cells[cell] = cells.get(cell, 0) + found.weights[place] * dealt
    ways: dict[tuple[str, ...], int] = {}
    for (kind, ended, six), way in cells.items():
        outcomes = _outcomes(game, kind, ended, six)
        ways[outcomes] = ways.get(outcomes, 0) + way
    return {outcomes: Fraction(way, found.total) for outcomes, way in ways.items()}


def _met(found: Classes, place: int) -> Iterator[tuple[int, int, int]]:
    """Yields (end, kind of six cards, hands of the dealer) of a class."""
    for end, kinds in enumerate(found.counts[place].tolist()):
        yield from ((end, six, dealt) for six, dealt in enumerate(kinds) if dealt)


def played_outcomes(game: Game) -> dict[tuple[str, ...], tuple[str, int, int]]:
    """Returns every way in which the wagers end where a hand is played.

    Each comes with the first hand that ends so, how it ends against the dealer, and the kind of the six cards.
    """
    found = counted(game)
    cells: dict[tuple[int, int, int], str] = {}
    for place, label in enumerate(found.labels):
        for end, six, _ in _met(found, place):
            cells.setdefault((found.kinds[place], end, six), label)
    outcomes: dict[tuple[str, ...], tuple[str, int, int]] = {}
    for (kind, end, six), label in cells.items():
        outcomes.setdefault(_outcomes(game, kind, end, six), (label, end, six))
    return outcomes


def _outcomes(game: Game, kind: int, end: int | None, six: int) -> tuple[str, ...]:
    """Returns how every wager ends; no end of a played hand is a fold."""
    outcomes = []
    for wager in game.wagers:
        if wager.id == ids.ANTE:
            outcomes.append(ids.FOLD if end is None else ante_outcome(kind, end, wager.paytable))
        elif end is None and rules_of(game).fold_loses_all:
            outcomes.append(ids.LOSE)
        elif wager.id == ids.PAIR_PLUS:
            outcomes.append(row_of_kind(kind, wager.paytable, ids.HANDS))
        else:
            outcomes.append(_SIX[six])
    return tuple(outcomes)


@dataclass(frozen=True, slots=True)
class HandValue:
    """What playing a class of hands is worth.

    Args:
        label: The class.
        weight: Hands of the class.
        kind: Kind of the hand.
        play: Expected net result of playing, in units of the ante.
    """

    label: str
    weight: int
    kind: int
    play: Fraction


@lru_cache(maxsize=16)
def values(game: Game) -> tuple[HandValue, ...]:
    """Returns what playing every class of hands is worth."""
    found, paytable = counted(game), game.wager(ids.ANTE).paytable
    nets = {
        (kind, end): ante_net(ante_outcome(kind, end, paytable), paytable)
        for kind in set(found.kinds)
        for end in range(counting.ENDS)
    }
    by_end = found.counts.sum(axis=2).tolist()
    return tuple(
        HandValue(
            label,
            weight,
            kind,
            sum((dealt * nets[kind, end] for end, dealt in enumerate(met)), Fraction(0)) / found.dealt,
        )
        for label, weight, kind, met in zip(found.labels, found.weights, found.kinds, by_end, strict=True)
    )


@lru_cache(maxsize=16)
def best(game: Game) -> PlayedHands:
    """Returns the best strategy for the ante: every hand is played that loses less than one unit."""
    played = frozenset(value.label for value in values(game) if value.play > -1)
    return PlayedHands(MAIN_OPTIMAL, "hand-dependent", played)


def value_of(game: Game, label: str) -> HandValue:
    """Returns what playing a hand is worth.

    Raises:
        InputError: The deck has no such hand.
    """
    found = next((value for value in values(game) if value.label == label), None)
    if found is None:
        raise InputError(f"no hand {label!r} of this deck")
    return found


def decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions in as few lines as tell hands apart that are decided otherwise, the highest first."""
    optimal = best(game)
    hands = sorted(values(game), key=lambda value: (-value.kind, [-rank for rank in _ranks(value)]))
    total = sum(value.weight for value in hands)
    return tuple(_lines(hands, 0, optimal, strategy, total))


def _ranks(value: HandValue) -> tuple[int, ...]:
    return tuple(rank for rank, _ in cards_of(value.label))


def _lines(
    hands: list[HandValue], depth: int, optimal: PlayedHands, strategy: Strategy, total: int
) -> Iterator[Decision]:
    """Yields one line for hands that are decided alike, else those of each next rank."""
    groups: dict[tuple[str, ...], list[HandValue]] = {}
    for value in hands:
        groups.setdefault(_title(value, depth), []).append(value)
    for title, members in groups.items():
        alike = {
            (value.label in optimal.played, strategy.choose(value.label, ids.OPTIONS)) for value in members
        }
        if len(alike) > 1 and depth < 4:
            yield from _lines(members, depth + 1, optimal, strategy, total)
        else:
            yield _line(" ".join(title), members, strategy, total)


def _title(value: HandValue, depth: int) -> tuple[str, ...]:
    """Returns what a hand is called, more closely with every step."""
    name = _NAMES[value.kind]
    if depth == 0:
        return (name,)
    if depth == 4:
        return (value.label,)
    ranks = [RANKS[rank] for rank in _ranks(value)[:depth]]
    if value.kind == counting.HIGH:
        return ("-".join(ranks), name if depth == 1 else "")[: 1 if depth > 1 else 2]
    return (name, "-".join(ranks))


def _line(title: str, hands: list[HandValue], strategy: Strategy, total: int) -> Decision:
    weight = sum(value.weight for value in hands)
    play = sum((value.weight * value.play for value in hands), Fraction(0)) / weight
    return Decision(
        hand=title,
        composition=(),
        dealer=None,
        best=ids.PLAY if play > -1 else ids.FOLD,
        values={ids.FOLD: Fraction(-1), ids.PLAY: play},
        chosen=strategy.choose(hands[0].label, ids.OPTIONS),
        probability=Fraction(weight, total),
    )
