"""Strategies of three card poker: the hands that are played, or the lowest hand that is; and its decisions."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from certify.analysis.hands.deck import RANKS, labelled
from certify.errors import InputError
from certify.families.three_card_poker.rules import FOLD, PLAY

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
        return PLAY if sees in self.played else FOLD

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
        made = len(set(ranks)) < len(ranks) or len({suit for _, suit in cards}) == 1 or _run(ranks)
        return PLAY if made or ranks >= self.least else FOLD

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["play from", *(RANKS[rank] for rank in self.least)]


def _run(ranks: tuple[int, ...]) -> bool:
    """Tells whether three different ranks, from the highest, follow one another; an ace may be low."""
    return ranks[0] - ranks[2] == 2 or ranks == (12, 1, 0)


def play_from(name: str) -> PlayFrom:
    """Returns the strategy of a name such as ``play-from-Q-6-4``.

    Raises:
        InputError: The name states no ranks that fall.

    >>> play_from("play-from-Q-6-4").least
    (10, 4, 2)
    """
    ranks = name.removeprefix(PLAY_FROM).split("-")
    places = tuple(RANKS.index(rank) for rank in ranks if rank in RANKS)
    falling = all(one > other for one, other in pairwise(places))
    if len(places) != len(ranks) or len(ranks) > 3 or not falling:
        raise InputError(f'"{name}": expected up to three ranks that fall, such as {PRINTED_RULE}')
    return PlayFrom(places)
