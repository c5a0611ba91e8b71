"""A campaign: many rounds in chunks, the same totals whoever plays them and in whatever order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from certify.errors import InputError, NothingCheckedError
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.strategy import Strategy
from certify.simulation.decks import RoundSource
from certify.simulation.executors import Executor, InTurn, Threads
from certify.simulation.of_game import volume_of
from certify.simulation.store import ChunkStore
from certify.simulation.tally import Axes, Campaign, ChunkResult, Point, Tally, cells_of, joint_of, log_spaced

CHUNK_ROUNDS: Final = 200_000
"""Rounds of one chunk; their number does not matter for memory, for cards are dealt as they are looked at."""

Progress = Callable[[int, int], None]
"""Told the rounds done and the rounds asked for."""


def run_campaign(
    game: Game,
    strategy_table: Strategy,
    rounds: int,
    *,
    deal: RoundSource,
    workers: int = 1,
    progress: Progress | None = None,
    resume: Path | None = None,
    chunk_rounds: int = CHUNK_ROUNDS,
    executor: Executor | None = None,
) -> Campaign:
    """Plays rounds of a game under a strategy and counts how they end.

    A chunk draws its rounds from the stream of its own index, so that the totals depend neither on the number
    of workers nor on the order in which chunks end, nor on whether the campaign was broken off in between.

    Args:
        game: The game; its rules are played, its pays are not looked at.
        strategy_table: The player's strategy.
        rounds: Rounds to play.
        deal: Source of the rounds.
        workers: Threads to play on.
        progress: Told after each chunk.
        resume: Folder in which results of chunks are kept and looked for.
        chunk_rounds: Rounds of a chunk.
        executor: Where chunks run, instead of threads of this machine.

    Raises:
        InputError: The folder holds another campaign.
        NothingCheckedError: No round was asked for.
    """
    if rounds < 1 or chunk_rounds < 1:
        raise NothingCheckedError(f"{rounds} rounds in chunks of {chunk_rounds}: expected at least one")
    counter = volume_of(game).counter(game, strategy_table)
    cells = cells_of(counter.axes)
    digest = configuration_digest(game, strategy_table, rounds, chunk_rounds, deal, counter.axes)
    chunks = _Chunks(
        counter,
        deal,
        rounds,
        chunk_rounds,
        ChunkStore(resume, digest, cells) if resume else None,
    )
    running = executor or (InTurn() if workers == 1 else Threads(workers))
    tally, points = _merge(running.run(chunks.result, range(chunks.number)), rounds, cells, progress)
    if tally.rounds != rounds or tally.chunks != tuple(range(chunks.number)):
        raise InputError(f"the chunks hold {tally.rounds} rounds, expected {rounds}: some were not played")
    return Campaign(
        game=game.id,
        strategy=strategy_table.name,
        rounds=rounds,
        chunk_rounds=chunk_rounds,
        streams=chunks.number,
        seed=deal.seed,
        purpose=deal.purpose,
        configuration=digest,
        joint=tuple(tally.joint),
        points=tuple(points),
        axes=counter.axes,
    )


def configuration_digest(
    game: Game, strategy: Strategy, rounds: int, chunk_rounds: int, deal: RoundSource, axes: Axes
) -> str:
    """Returns the SHA-256 of all that determines the counts of a campaign, in hexadecimal."""
    configuration: dict[str, Any] = {
        "family": game.family,
        "rules": asdict(game.rules),
        "equipment": [asdict(piece) for piece in game.equipment],
        "strategy": strategy.table(),
        "rounds": rounds,
        "chunk_rounds": chunk_rounds,
        "seed": deal.seed,
        "purpose": deal.purpose,
        "outcomes": axes,
        "dealing": deal.dealing,
    }
    return hashlib.sha256(json.dumps(configuration, sort_keys=True, default=str).encode()).hexdigest()


def _merge(
    results: Iterator[ChunkResult], rounds: int, cells: int, progress: Progress | None
) -> tuple[Tally, list[Point]]:
    tally = Tally([0] * cells)
    points: list[Point] = []
    wanted = iter((*log_spaced(rounds), rounds))
    next_point = next(wanted)
    for result in results:
        tally.add(result)
        for point in result.points:
            points.append(point)
            next_point = next(wanted)
        # Between chunks the totals are known at the end of a chunk, the first one at or after the point.
        if tally.rounds >= next_point:
            points.append(Point(tally.rounds, tuple(tally.joint)))
            next_point = next((point for point in wanted if point > tally.rounds), rounds + 1)
        if progress is not None:
            progress(tally.rounds, rounds)
    return tally, points


@dataclass(frozen=True, slots=True)
class _Chunks:
    """The chunks of one campaign, each a pure function of its index."""

    counter: Counter
    deal: RoundSource
    rounds: int
    chunk_rounds: int
    store: ChunkStore | None

    @property
    def number(self) -> int:
        """Number of chunks."""
        return -(-self.rounds // self.chunk_rounds)

    def result(self, index: int) -> ChunkResult:
        """Returns the result of a chunk, from the store where it was played before."""
        if self.store is None:
            return self.play(index)
        saved = self.store.load(index)
        if saved is not None:
            return saved
        result = self.play(index)
        self.store.save(result)
        return result

    def play(self, index: int) -> ChunkResult:
        """Plays the rounds of a chunk."""
        count = min(self.chunk_rounds, self.rounds - index * self.chunk_rounds)
        rounds = self.deal.rounds(index, count)
        cuts = tuple(point for point in log_spaced(self.rounds) if point < count) if index == 0 else ()
        joint = np.zeros(cells_of(self.counter.axes), dtype=np.int64)
        points = []
        for low, high in zip((0, *cuts), (*cuts, count), strict=True):
            joint += rounds.count(self.counter, high - low).ravel()
            points.append(Point(high, joint_of(joint)))
        return ChunkResult(index, count, joint_of(joint), tuple(points[:-1]), cells_of(self.counter.axes))
