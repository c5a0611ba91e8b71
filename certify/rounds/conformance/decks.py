"""Decks on which every wager is paid by as many of its rows as can be reached."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from certify.model.cards import DECK_SIZE
from certify.rounds.events import Bets
from certify.rounds.play import STAND, Edition, Play, move_of
from certify.rounds.probe import Deck

TRIED: Final = 400
"""Decks tried to reach rows; which they are depends on nothing, so that what is covered is the same for every seed."""

_DECISIONS: Final = 3
"""Decisions of a line at most; longer ones reach no further rows often enough to be worth their time."""


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
    lines: list[Line] = []
    reached: dict[tuple[str, str], None] = {}
    for deck in (*edition.play.witnesses(), *map(_deck, range(TRIED))):
        for decisions in _lines(edition.play, deck, ()):
            rows = {(wager, result.outcome) for wager, result in edition.play.settle(deck, decisions).items()}
            if rows - reached.keys():
                reached.update(dict.fromkeys(sorted(rows)))
                lines.append(Line(tuple(deck), decisions))
    named = [(wager.id, row) for wager in edition.game.wagers for row in sorted(wager.paytable.ids)]
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


def _lines(play: Play, deck: Sequence[int], taken: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yields complete lines of decisions, standing first."""
    options = play.position(deck, taken).options
    if not options:
        yield taken
    if len(taken) < _DECISIONS:
        for option in sorted(options, key=lambda one: move_of(one) != STAND):
            yield from _lines(play, deck, (*taken, option))
