"""Named strategies of a game, and how its decisions are listed."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from certify.model.game import Game, repaid

RAISED: Final = "pays one unit more"
NAMED_CARD: Final = re.compile(r"(?<![\w/])(?:\d+|[JQKA])(?:/(?:\d+|[JQKA]))*(?!\w)")
"""A card, a number or a class of faces, in the words of a decision."""
_WORTH: Final = {"J": 11, "Q": 12, "K": 13, "A": 14}


def listing_order(name: str) -> tuple[str, list[int]]:
    """Returns what a decision is sorted by: its words, then its cards and numbers from the lowest.

    >>> sorted(["roll sum 12", "roll sum 2"], key=listing_order)
    ['roll sum 2', 'roll sum 12']
    >>> listing_order("own A/10")
    ('own _', [14])
    """
    return NAMED_CARD.sub("_", name).rstrip(), [
        _WORTH.get(first) or int(first)
        for first, *_ in (card.split("/") for card in NAMED_CARD.findall(name))
    ]


@dataclass(frozen=True, slots=True)
class Variant:
    """The same game with one thing otherwise.

    Args:
        subject: Id of the rule or row.
        words: What is otherwise.
        game: The game so changed.
    """

    subject: str
    words: str
    game: Game


def raised_pays(game: Game, wager: str) -> Iterator[Variant]:
    """Yields a game with each pay of a wager raised by one unit to 1."""
    for row in game.wager(wager).paytable.rows:
        yield Variant(row.id, RAISED, repaid(game, {(wager, row.id): row.pays + 1}))


@dataclass(frozen=True, slots=True)
class Listed:
    """How a decision is listed: what is seen, as players of the game call it.

    Args:
        hand: The hand, such as ``4`` or ``A+3``.
        composition: Cards of the hand counted by class; empty where they are not counted so.
        dealer: Dealer's shown card where the game shows one.
        first: Rank of the first card where the decision looks at it.
        place: Place in the list; decisions are in rising order.
        turn: Turn that is decided, where a game has several: turns are listed in the order of play.
    """

    hand: str
    composition: tuple[int, ...] = ()
    dealer: str | None = None
    first: str | None = None
    place: tuple[Any, ...] = ()
    turn: str = ""

    @property
    def title(self) -> str:
        """The decision in one line."""
        return f"{self.hand} against {self.dealer}" if self.dealer else self.hand


@dataclass(frozen=True, slots=True)
class StrategyPlan:
    """The named strategies of a game.

    Args:
        names: Every name that ``--strategy`` takes, as a reader sees them (``stand-on:TOTAL`` for a pattern).
        analysed: Strategies that a run analyses, the best for the first wager at the head.
        played: Strategies under which campaigns are played; two that differ reach outcomes that one never does.
        simpler: Strategies whose cost against the best is printed, best first.
        banks: Names that ``--bank`` takes, where a second party decides too; every strategy is then a pair, named
            ``STRATEGY against BANK``.
        simpler_of: Finds strategies of that list that depend on the game's figures (the best single total).
    """

    names: tuple[str, ...]
    analysed: tuple[str, ...]
    played: tuple[str, ...]
    simpler: Callable[[Game], tuple[str, ...]] = lambda game: ()
    banks: tuple[str, ...] = ()
