"""Three cards against three, played or given up: best play, named strategies, and decisions in few lines."""

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Final

from certify.analysis.engine.strategies import ALWAYS, ConstantChoice, Offered, read_strategy
from certify.analysis.hands.strength import HIGH, RANKS, SHIFT, THREE_TITLES, falling, labelled, run_of
from certify.by_key import gathered
from certify.errors import InputError
from certify.families.one_decision.exact import best_played, counted, seen, unit, values
from certify.families.one_decision.text import DecisionTerms, OneDecision
from certify.model import FILE, MAIN_OPTIMAL, Decision, Strategy

PLAY_FROM: Final = "play-from-"
PRINTED_RULE: Final = f"{PLAY_FROM}Q-6-4"
"""The rule that is printed everywhere: queen, six and four or better is played."""


@dataclass(frozen=True)
class PlayedHands:
    """A complete strategy: every hand that is played, whatever its suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        played: Labels of the hands that are played.
    """

    name: str
    strategy_class: str
    played: frozenset[str] = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is played."""
        return options[-1] if sees in self.played else options[0]

    def table(self) -> object:
        """Returns the digest of all hands that are played: they are too many to be written out."""
        text = "\n".join(sorted(self.played))
        return {"played": len(self.played), "sha256": hashlib.sha256(text.encode()).hexdigest()}


@dataclass(frozen=True, slots=True)
class PlayFrom:
    """Every hand from a lowest one is played.

    Args:
        least: Ranks of the lowest hand that is played, as places in RANKS, the highest first.
    """

    least: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of the strategy, as on the command line."""
        return PLAY_FROM + "-".join(RANKS[rank] for rank in self.least)

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return "lowest hand"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is at least the lowest one."""
        (cards,) = labelled(str(sees))
        ranks = tuple(rank for rank, _ in cards)
        made = len(set(ranks)) < len(ranks) or len({suit for _, suit in cards}) == 1 or run_of(ranks, 3) >= 0
        return options[-1] if made or ranks >= self.least else options[0]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["play from", *(RANKS[rank] for rank in self.least)]


def play_from(name: str) -> PlayFrom:
    """Returns the strategy of a name such as ``play-from-Q-6-4``.

    Raises:
        InputError: The name states no ranks that fall.

    >>> play_from("play-from-Q-6-4").least
    (10, 4, 2)
    """
    return PlayFrom(falling(name.removeprefix(PLAY_FROM), 3, name, PRINTED_RULE))


# --- best play and named strategies -------------------------------------------------------------------------


def names_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names of the strategies of a game, as a reader sees them.

    >>> names_of(("fold", "play"))[1:4]
    ('play-from-RANKS', 'always:play', 'always:fold')
    """
    fold, play = options
    return MAIN_OPTIMAL, f"{PLAY_FROM}RANKS", f"{ALWAYS}{play}", f"{ALWAYS}{fold}", f"{FILE}PATH.toml"


def strategy_of(text: OneDecision, name: str) -> Strategy:
    """Returns a named strategy of a game.

    Raises:
        InputError: No such strategy.
    """
    if name == MAIN_OPTIMAL:
        return best(text.terms)
    if name.startswith(PLAY_FROM):
        return play_from(name)
    if name.removeprefix(ALWAYS) in text.options and name.startswith(ALWAYS):
        return ConstantChoice(name.removeprefix(ALWAYS))
    if name.startswith(FILE):
        offered: Offered = dict.fromkeys((hand.label for hand in hands(text.terms)), text.options)
        return read_strategy(Path(name.removeprefix(FILE)), offered)
    raise InputError(f"no strategy {name!r}: expected {', '.join(names_of(text.options))}")


@lru_cache(maxsize=16)
def best(terms: DecisionTerms) -> PlayedHands:
    """Returns the best strategy for the main wager: every hand is played that loses less than one unit."""
    played = frozenset(seen(terms, place) for place in best_played(terms).nonzero()[0].tolist())
    return PlayedHands(MAIN_OPTIMAL, "hand-dependent", played)


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


@lru_cache(maxsize=16)
def hands(terms: DecisionTerms) -> tuple[_Hand, ...]:
    """Returns every class of hands with what playing it is worth."""
    found, whole = counted(terms), unit(terms)
    kinds = found.strengths[found.hand] >> SHIFT
    told = zip(found.weights.tolist(), kinds.tolist(), values(terms).tolist(), strict=True)
    return tuple(
        _Hand(seen(terms, place), weight, kind, Fraction(value, whole))
        for place, (weight, kind, value) in enumerate(told)
    )


def decisions(terms: DecisionTerms, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions in as few lines as tell hands apart that are decided otherwise, the highest first."""
    ordered = sorted(hands(terms), key=lambda hand: (-hand.kind, [-rank for rank in hand.ranks]))
    return tuple(_lines(terms, ordered, 0, strategy, sum(hand.weight for hand in ordered)))


def _lines(
    terms: DecisionTerms, alike: list[_Hand], depth: int, strategy: Strategy, total: int
) -> Iterator[Decision]:
    """Yields one line for hands that are decided in the same way, else those of each next rank."""
    groups = gathered((_title(hand, depth), hand) for hand in alike)
    for title, members in groups.items():
        best_so, (fold, play) = best(terms).played, terms.options
        decided = {(one.label in best_so, strategy.choose(one.label, (fold, play))) for one in members}
        if len(decided) > 1 and depth < 4:
            yield from _lines(terms, members, depth + 1, strategy, total)
            continue
        weight = sum(one.weight for one in members)
        worth = sum((one.weight * one.play for one in members), Fraction(0)) / weight
        yield Decision(
            hand=title,
            composition=(),
            dealer=None,
            best=play if worth > -1 else fold,
            values={fold: Fraction(-1), play: worth},
            chosen=strategy.choose(members[0].label, (fold, play)),
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
