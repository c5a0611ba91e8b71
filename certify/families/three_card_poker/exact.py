"""Exact figures of three card poker: best play, its named strategies and its decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Final

from certify.analysis.engine.strategies import ALWAYS, ConstantChoice
from certify.analysis.engine.strategy_file import Offered, read_strategy
from certify.analysis.hands.deck import RANKS, labelled
from certify.analysis.hands.kinds import HIGH, THREE_TITLES
from certify.analysis.hands.one_decision import Terms
from certify.analysis.hands.one_decision_exact import (
    OneDecisionExact,
    best_played,
    counted,
    seen,
    unit,
    values,
)
from certify.errors import InputError
from certify.families.port import StrategyPlan, Variant
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.rules import rules_of, words_of
from certify.families.three_card_poker.strategy import PLAY_FROM, PRINTED_RULE, PlayedHands, play_from
from certify.families.three_card_poker.text import text_of
from certify.model.figures import Decision
from certify.model.game import Game
from certify.model.strategy import FILE, MAIN_OPTIMAL, Strategy

NAMES: Final = (MAIN_OPTIMAL, f"{PLAY_FROM}RANKS", "always:play", "always:fold", f"{FILE}PATH.toml")

_OTHER_DEALERS: Final = (9, 11)
"""Highest cards of dealers who qualify more or less often than with a queen, for comparison."""


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and the printed rules of a lowest hand."""
    return StrategyPlan(
        names=NAMES,
        analysed=(MAIN_OPTIMAL, PRINTED_RULE),
        played=(MAIN_OPTIMAL, PRINTED_RULE),
        simpler=lambda _: (PRINTED_RULE, f"{PLAY_FROM}Q", "always:play"),
    )


def strategy_of(game: Game, name: str) -> Strategy:
    """Returns a named strategy.

    Raises:
        InputError: No such strategy.
    """
    if name == MAIN_OPTIMAL:
        return best(game)
    if name.startswith(PLAY_FROM):
        return play_from(name)
    if name.removeprefix(ALWAYS) in ids.OPTIONS and name.startswith(ALWAYS):
        return ConstantChoice(name.removeprefix(ALWAYS))
    if name.startswith(FILE):
        offered: Offered = dict.fromkeys((value.label for value in hands(game)), ids.OPTIONS)
        return read_strategy(Path(name.removeprefix(FILE)), offered)
    raise InputError(f"no strategy {name!r}: expected {', '.join(NAMES)}")


def best(game: Game) -> PlayedHands:
    """Returns the best strategy for the ante: every hand is played that loses less than one unit."""
    return PlayedHands(MAIN_OPTIMAL, "hand-dependent", _played(text_of(game).terms))


@lru_cache(maxsize=16)
def _played(terms: Terms) -> frozenset[str]:
    return frozenset(seen(terms, place) for place in best_played(terms).nonzero()[0].tolist())


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with a dealer who qualifies more often, or less."""
    for lowest in _OTHER_DEALERS:
        rules = replace(rules_of(game), lowest=lowest)
        if rules != rules_of(game):
            words = f"the dealer qualifies with {words_of(rules)['dealer-qualifies']}"
            yield Variant("dealer-qualifies", words, replace(game, rules=rules))


# --- decisions ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hand:
    """A class of hands, how many there are, its kind, and what playing one is worth in antes."""

    label: str
    weight: int
    kind: int
    play: Fraction

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(rank for rank, _ in labelled(self.label)[0])


def hands(game: Game) -> tuple[_Hand, ...]:
    """Returns every class of hands with what playing it is worth."""
    return _hands(text_of(game).terms)


@lru_cache(maxsize=16)
def _hands(terms: Terms) -> tuple[_Hand, ...]:
    found, whole = counted(terms), unit(terms)
    told = zip(found.weights.tolist(), found.kinds.tolist(), values(terms).tolist(), strict=True)
    return tuple(
        _Hand(seen(terms, place), weight, kind, Fraction(value, whole))
        for place, (weight, kind, value) in enumerate(told)
    )


def decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions in as few lines as tell hands apart that are decided otherwise, the highest first."""
    ordered = sorted(hands(game), key=lambda hand: (-hand.kind, [-rank for rank in hand.ranks]))
    return tuple(_lines(ordered, 0, best(game), strategy, sum(hand.weight for hand in ordered)))


def _lines(
    alike: list[_Hand], depth: int, optimal: PlayedHands, strategy: Strategy, total: int
) -> Iterator[Decision]:
    """Yields one line for hands that are decided alike, else those of each next rank."""
    groups: dict[str, list[_Hand]] = {}
    for hand in alike:
        groups.setdefault(_title(hand, depth), []).append(hand)
    for title, members in groups.items():
        decided = {(one.label in optimal.played, strategy.choose(one.label, ids.OPTIONS)) for one in members}
        if len(decided) > 1 and depth < 4:
            yield from _lines(members, depth + 1, optimal, strategy, total)
            continue
        weight = sum(one.weight for one in members)
        play = sum((one.weight * one.play for one in members), Fraction(0)) / weight
        yield Decision(
            hand=title,
            composition=(),
            dealer=None,
            best=ids.PLAY if play > -1 else ids.FOLD,
            values={ids.FOLD: Fraction(-1), ids.PLAY: play},
            chosen=strategy.choose(members[0].label, ids.OPTIONS),
            probability=Fraction(weight, total),
        )


def _title(hand: _Hand, depth: int) -> str:
    """Returns what a hand is called, more closely with every step."""
    name = THREE_TITLES[hand.kind]
    if depth in (0, 4):
        return hand.label if depth else name
    ranks = "-".join(RANKS[rank] for rank in hand.ranks[:depth])
    if hand.kind == HIGH:
        return ranks if depth > 1 else f"{ranks} {name}"
    return f"{name} {ranks}"


EXACT: Final = OneDecisionExact(text_of, strategy_of, decisions, variants, "three different cards")
