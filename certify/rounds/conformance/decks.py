"""Decks on which every wager is paid by as many of its rows as can be reached."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.rounds.events import Bets
from certify.rounds.play import Edition, Play
from certify.rounds.probe import Deck

TRIED: Final = 250
"""Decks tried to reach rows; which they are depends on nothing, so that what is covered is the same for every seed."""

_LINES: Final = 6
"""Lines of decisions tried on each deck; longer ones reach further rows too seldom to be worth their time."""


@dataclass(frozen=True, slots=True)
class Line:
    """A round that reaches a row: its deck and the decisions."""

    deck: Deck
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows the lines reach.

    Args:
        lines: Rounds, each of which reaches a row that those before it do not.
        reached: Rows reached, as wager and row.
        missed: Rows of the paytables that no line reaches.
    """

    lines: tuple[Line, ...]
    reached: tuple[tuple[str, str], ...]
    missed: tuple[tuple[str, str], ...]


def odd_stakes(edition: Edition) -> Bets:
    """Returns stakes that no pay divides evenly where it can leave a fraction of the smallest coin."""
    return tuple(
        (wager.id, min(wager.limits.maximum, wager.limits.minimum + 1 + 2 * index))
        for index, wager in enumerate(edition.game.wagers)
    )


def rows_of(edition: Edition) -> Rows:
    """Returns rounds that reach as many rows of the paytables as a fixed number of decks gives."""
    return _rows_of(edition.play)


@lru_cache(maxsize=8)
def _rows_of(play: Play) -> Rows:
    """Returns the same; what depends on nothing but the rules is found once for rules that are equal."""
    lines: list[Line] = []
    reached: dict[tuple[str, str], None] = {}
    rows = tuple(map(_deck, range(TRIED)))
    for deck in (*rows, *play.witnesses(rows)):
        for decisions in islice(play.lines(deck), _LINES):
            paid = {(wager, result.outcome) for wager, result in play.settle(deck, decisions).items()}
            if paid - reached.keys():
                reached.update(dict.fromkeys(sorted(paid)))
                lines.append(Line(tuple(deck), decisions))
    named = [(wager.id, row) for wager in play.game.wagers for row in sorted(wager.paytable.ids)]
    missed = tuple(row for row in named if not any(_paid_by(row, outcome) for outcome in reached))
    return Rows(tuple(lines), tuple(reached), missed)


def _paid_by(row: tuple[str, str], outcome: tuple[str, str]) -> bool:
    """Tells whether an outcome is paid by a row; one with a final bet carries its multiple at the end."""
    return outcome[0] == row[0] and (outcome[1] == row[1] or outcome[1].startswith(f"{row[1]}-final-"))


def _deck(number: int) -> Deck:
    return tuple(
        sorted(
            range(DECK_SIZE),
            key=lambda card: hashlib.sha256(f"conformance/{number}/{card}".encode()).digest(),
        )
    )
