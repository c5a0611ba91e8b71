"""Decks on which every wager is paid by as many of its rows as can be reached, and wagers win together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from certify.families.registry import family_of
from certify.model.equipment import Equipment
from certify.model.round import WagerResult
from certify.rounds.conformance.quantities import WINS
from certify.rounds.events import Bets
from certify.rounds.play import Edition, Play, found_for
from certify.rounds.probe import Deck

TRIED: Final = 400
"""Rows of draws tried; which they are depends on nothing, so that what is covered is the same for every seed."""

_DECISIONS: Final = 3
"""Decisions of a line at most; longer ones reach no further rows often enough to be worth their time."""


@dataclass(frozen=True, slots=True)
class DeckLine:
    """A round that reaches a row: its deck and the decisions."""

    deck: Deck
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows the lines reach.

    Args:
        lines: Rounds, each of which reaches a row, or a combination of wagers that win, that those before it do not.
        reached: Rows reached, as wager and row.
        missed: Rows of the paytables that no line reaches.
    """

    lines: tuple[DeckLine, ...]
    reached: tuple[tuple[str, str], ...]
    missed: tuple[tuple[str, str], ...]


def odd_stakes(edition: Edition) -> Bets:
    """Returns stakes that no pay divides evenly where it can leave a fraction of the smallest coin."""
    return tuple(
        (wager.id, min(wager.limits.maximum, wager.limits.minimum + 1 + 2 * index))
        for index, wager in enumerate(edition.game.wagers)
    )


def rows_of(edition: Edition) -> Rows:
    """Returns rounds that reach as many rows of the paytables as a fixed number of rows of draws gives."""
    return _rows_of(edition.play)


@lru_cache(maxsize=8)
def _rows_of(play: Play) -> Rows:
    """Returns the same; what depends on nothing but the rules is found once for rules that are equal."""
    lines: list[DeckLine] = []
    reached: dict[tuple[str, str], None] = {}
    first, wins = [wager.id for wager in play.game.wagers[:WINS]], set[frozenset[str]]()
    given = (_row(play.game.equipment, number) for number in range(TRIED))
    for deck in given:
        for decisions in _lines(play, deck, ()):
            settled = play.settle(deck, decisions)
            rows, won = _ends(settled), frozenset(one for one in first if settled[one].net > 0)
            if rows - reached.keys() or won not in wins:
                wins.add(won)
                reached.update(dict.fromkeys(sorted(rows)))
                lines.append(DeckLine(tuple(deck), decisions))
    # What a fixed number of draws does not reach is built for the row, by the family's recipes or by a search.
    rules, shown = (
        family_of(play.game).rules,
        {(wager, row) for wager, outcome in reached for row in play.rows_of(wager, outcome)},
    )
    wanted = [
        (wager.id, row) for wager in play.game.wagers for row in rules.reachable_rows(play.game, wager.id)
    ]
    for found in found_for(play.game, [one for one in wanted if one not in shown]):
        decisions = next(play.lines(found.deck, found.decisions))
        lines.append(DeckLine(found.deck, decisions))
        reached.update(dict.fromkeys(sorted(_ends(play.settle(found.deck, decisions)))))
    named = [(wager.id, row) for wager in play.game.wagers for row in sorted(wager.paytable.ids)]
    paid = {(wager, row) for wager, outcome in reached for row in play.rows_of(wager, outcome)}
    missed = tuple(row for row in named if row not in paid)
    return Rows(tuple(lines), tuple(reached), missed)


def _ends(settled: Mapping[str, WagerResult]) -> set[tuple[str, str]]:
    """Returns what a round ends in, by wager: its outcome, and the rows that it wins where it can win several."""
    return {
        (wager, end)
        for wager, result in settled.items()
        for end in (result.outcome, *(award.row for award in result.awards))
    }


def _row(equipment: Sequence[Equipment], number: int) -> Deck:
    """Returns a row of draws that depends on its number alone."""
    named = len(equipment) > 1
    return tuple(
        item
        for piece in equipment
        for item in _drawn(piece, f"conformance/{number}/{piece.id}" if named else f"conformance/{number}")
    )


def _drawn(piece: Equipment, name: str) -> Sequence[int]:
    """Returns the draws of one piece: where nothing is put back, items in the order of digests."""
    if piece.replaced:
        return [int.from_bytes(_digest(name, place), "big") % piece.size for place in range(piece.supply)]
    return sorted(range(piece.size), key=lambda item: _digest(name, item))[: piece.supply]


def _digest(name: str, number: int) -> bytes:
    return hashlib.sha256(f"{name}/{number}".encode()).digest()


def _lines(
    play: Play, deck: Sequence[int], taken: tuple[str, ...], decided: int = 0
) -> Iterator[tuple[str, ...]]:
    """Yields complete lines of decisions, the least committing first."""
    while len(options := play.position(deck, taken).options) == 1:
        taken = (*taken, *options)
    if not options:
        yield taken
    if decided < _DECISIONS:
        for option in sorted(options, key=play.gives_up):
            yield from _lines(play, deck, (*taken, option), decided + 1)
