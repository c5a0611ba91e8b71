"""Looking at the dealt decks themselves: whole, replayable, and indifferent to stakes and history."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from certify.evidence.simulation import DeckAudit
from certify.families.driver import PlayedRound, play
from certify.families.registry import family_of
from certify.model.equipment import Equipment
from certify.model.game import Game, Paytable
from certify.model.strategy import Strategy
from certify.simulation import StreamDecks
from rng.streams import stream
from rng.uniform import below

if TYPE_CHECKING:
    from numpy.typing import NDArray


SAMPLED_WITHIN: Final = 20_000
"""Decks among which the recorded rounds are sampled."""


@dataclass(frozen=True, slots=True)
class AuditedRound:
    """What must be kept of a round so that it can be reconstructed.

    Args:
        stream_index: Index of the stream that dealt its deck.
        position: Number of its deck in that stream, from zero.
        decisions: Decisions of the player in order.
        digest: SHA-256 of the round's trace, card by card.
    """

    stream_index: int
    position: int
    decisions: tuple[str, ...]
    digest: str


def broken_rows(rows: NDArray[Any], equipment: tuple[Equipment, ...]) -> int:
    """Returns the number of rows that the equipment cannot have given: a card twice, an item that does not exist."""
    import numpy as np

    broken = np.zeros(len(rows), dtype=bool)
    start = 0
    for piece in equipment:
        for low in range(0, len(rows), 100_000):
            part = rows[low : low + 100_000, start : start + piece.supply]
            wrong = (part >= piece.size).any(axis=1)
            if not piece.replaced:
                ordered = np.sort(part, axis=1)
                wrong |= (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
            broken[low : low + 100_000] |= wrong
        start += piece.supply
    return int(broken.sum())


def sampled_positions(seed: bytes, count: int, among: int) -> list[int]:
    """Returns the positions of the rounds that are looked at, drawn by the registered purpose."""
    source = stream(seed, "evidence-sample", 0)
    return sorted({below(source, among) for _ in range(count)})


def record_rounds(
    game: Game, strategy: Strategy, decks: NDArray[Any], positions: list[int]
) -> Iterator[tuple[AuditedRound, PlayedRound]]:
    """Plays rounds by the reference engine and yields their records."""
    reference = family_of(game).reference(game)
    for position in positions:
        played = play(reference, decks[position].tolist(), strategy)
        yield AuditedRound(0, position, played.decisions, trace_digest(played)), played


def trace_digest(played: PlayedRound) -> str:
    """Returns the SHA-256 of everything that happened in a round."""
    return hashlib.sha256("\n".join(played.trace).encode()).hexdigest()


def audit_decks(
    game: Game, strategy: Strategy, seed: bytes, decks: NDArray[Any], rounds: int
) -> tuple[DeckAudit, tuple[tuple[AuditedRound, PlayedRound], ...]]:
    """Returns what was found in dealt decks, and the rounds that were recorded on the way.

    Args:
        game: The game.
        strategy: The strategy by which the rounds are played.
        seed: Master seed, from which the decks are dealt anew.
        decks: uint8[n, 40], whole decks dealt from stream 0 of the simulation onwards.
        rounds: Rounds to record, replay and play with other stakes.
    """
    within = min(len(decks), SAMPLED_WITHIN)
    positions = sampled_positions(seed, rounds, within)
    recorded = tuple(record_rounds(game, strategy, decks, positions))
    # Everything below is dealt again by fresh streams, as a laboratory would years later.
    again = StreamDecks.of(game, seed).deal(0, within)
    reference = family_of(game).reference(game)
    audit = DeckAudit(
        decks=len(decks),
        broken=broken_rows(decks, game.equipment),
        stake_runs=len(recorded),
        stake_differences=_stake_differences(game, strategy, seed, recorded),
        replays=len(recorded),
        replay_differences=sum(
            trace_digest(play(reference, again[r.position].tolist(), r.decisions)) != r.digest
            for r, _ in recorded
        ),
    )
    return audit, recorded


def _ended_alike(row_of: Callable[[str], str], one: str, other: str) -> bool:
    """Tells whether two outcomes are the same, but for pays: those that state a net result are named after it."""
    return row_of(one) == row_of(other) or (row_of(one) != one and row_of(other) != other)


def _stake_differences(
    game: Game,
    strategy: Strategy,
    seed: bytes,
    recorded: tuple[tuple[AuditedRound, PlayedRound], ...],
) -> int:
    """Plays the recorded rounds with other pays, fewer wagers and another history; counts differences.

    The decks of one stream are dealt one at a time, with other streams drawn from in between, so that
    neither what is bet nor what was dealt to others may change a card.
    """
    other = replace(
        game,
        wagers=tuple(
            replace(
                wager,
                # What gives the stake back and no more stays so: paid, it would be another outcome.
                paytable=Paytable(
                    tuple(replace(row, pays=row.pays + 7 * bool(row.pays)) for row in wager.paytable.rows)
                ),
            )
            for wager in game.wagers
        ),
    )
    stakings = (other, replace(game, wagers=game.wagers[:1]), replace(game, wagers=()))
    family = family_of(game)
    references = [family.reference(staked) for staked in stakings]
    neighbour = StreamDecks.of(game, seed, "round-exercise")
    last = max((record.position for record, _ in recorded), default=0)
    one_by_one = StreamDecks.of(game, seed).deal(0, last + 1)
    neighbour.deal(0, 10)
    differences = 0
    for record, played in recorded:
        deck = one_by_one[record.position].tolist()
        for reference in references:
            seen = play(reference, deck, strategy)
            alike = all(
                _ended_alike(family.rules.row_of, outcome, played.outcome(wager))
                for wager, outcome in seen.outcomes.items()
            )
            same = (seen.hands, seen.decisions) == (played.hands, played.decisions)
            differences += not (same and alike)
    return differences
