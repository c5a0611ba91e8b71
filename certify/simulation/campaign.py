"""A campaign: many rounds in chunks, the same totals whoever plays them and in whatever order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError, NothingCheckedError
from certify.model.figures import StrategyTable
from certify.model.game import Game
from certify.model.rules import OpenCardRules
from certify.simulation.decks import Counter, RoundSource
from certify.simulation.executors import Executor, InTurn, Threads
from certify.simulation.open_card_tables import OpenCardTables, compile_open_card
from certify.simulation.outcomes import CELLS, OPEN_CARD_OUTCOMES, OUTCOMES
from certify.simulation.store import ChunkStore
from certify.simulation.tables import Tables, compile_tables
from certify.simulation.tally import Campaign, ChunkResult, Point, Tally, joint_of, log_spaced

if TYPE_CHECKING:
    from rng.words import WordSource

CHUNK_ROUNDS: Final = 200_000
"""Rounds of one chunk; their number does not matter for memory, for cards are dealt as they are looked at."""

FAMILIES: Final = ("sette-e-mezzo", "seven-and-a-half-open-card")
"""The families of games that the kernels play."""

Progress = Callable[[int, int], None]
"""Told the rounds done and the rounds asked for."""


def run_campaign(
    game: Game,
    strategy_table: StrategyTable,
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
        InputError: No kernel plays this game, or the folder holds another campaign.
        NothingCheckedError: No round was asked for.
    """
    if rounds < 1 or chunk_rounds < 1:
        raise NothingCheckedError(f"{rounds} rounds in chunks of {chunk_rounds}: expected at least one")
    if game.family not in FAMILIES:
        raise InputError(
            f"{game.id} is of the family {game.family!r}, the kernels play {', '.join(map(repr, FAMILIES))}"
        )
    digest = configuration_digest(game, strategy_table, rounds, chunk_rounds, deal)
    counter = _counter(game, strategy_table)
    chunks = _Chunks(
        counter,
        deal,
        rounds,
        chunk_rounds,
        ChunkStore(resume, digest, counter.cells) if resume else None,
    )
    running = executor or (InTurn() if workers == 1 else Threads(workers))
    tally, points = _merge(running.run(chunks.result, range(chunks.number)), rounds, counter.cells, progress)
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
    )


def configuration_digest(
    game: Game, strategy: StrategyTable, rounds: int, chunk_rounds: int, deal: RoundSource
) -> str:
    """Returns the SHA-256 of all that determines the counts of a campaign, in hexadecimal."""
    configuration: dict[str, Any] = {
        "family": game.family,
        "rules": asdict(game.rules),
        "draws": sorted(strategy.draws),
        "draws_by_first": sorted(strategy.draws_by_first) if strategy.looks_at_first_card else None,
        "rounds": rounds,
        "chunk_rounds": chunk_rounds,
        "seed": deal.seed,
        "purpose": deal.purpose,
        "dealing": deal.dealing,
        "outcomes": OUTCOMES,
    }
    if isinstance(game.rules, OpenCardRules):
        configuration |= {"by_open_card": sorted(strategy.by_open_card), "outcomes": OPEN_CARD_OUTCOMES}
    return hashlib.sha256(json.dumps(configuration, sort_keys=True).encode()).hexdigest()


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


def _counter(game: Game, strategy: StrategyTable) -> Counter:
    """Returns what plays the decks of a game."""
    if isinstance(game.rules, OpenCardRules):
        return OpenCardCounter(compile_open_card(strategy, game.rules))
    return SetteEMezzoCounter(compile_tables(strategy, game.sette_e_mezzo))


@dataclass(frozen=True, slots=True)
class SetteEMezzoCounter:
    """Plays rounds of 7 e Mezzo."""

    tables: Tables
    cells: int = CELLS

    def count(self, decks: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Returns how many decks end in each joint outcome, of shape JOINT_SHAPE."""
        from certify.simulation import kernel  # Loading numba takes a moment that --help need not wait for.

        return kernel.count(decks, self.tables)

    def count_rounds(self, words: WordSource, rounds: int) -> NDArray[np.int64]:
        """Returns how many of the next rounds of a stream end in each joint outcome, of shape JOINT_SHAPE."""
        from certify.simulation import kernel  # As above.

        return kernel.count_rounds(words, rounds, self.tables)


@dataclass(frozen=True, slots=True)
class OpenCardCounter:
    """Plays rounds of a game with an open dealer's card."""

    tables: OpenCardTables
    cells: int = len(OPEN_CARD_OUTCOMES)

    def count(self, decks: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Returns how many decks end in each outcome of the ante."""
        from certify.simulation import open_card_kernel  # As above.

        return open_card_kernel.count(decks, self.tables)

    def count_rounds(self, words: WordSource, rounds: int) -> NDArray[np.int64]:
        """Returns how many of the next rounds of a stream end in each outcome of the ante."""
        from certify.simulation import open_card_kernel  # As above.

        return open_card_kernel.count_rounds(words, rounds, self.tables)


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
        joint = np.zeros(self.counter.cells, dtype=np.int64)
        points = []
        for low, high in zip((0, *cuts), (*cuts, count), strict=True):
            joint += rounds.count(self.counter, high - low).ravel()
            points.append(Point(high, joint_of(joint)))
        return ChunkResult(index, count, joint_of(joint), tuple(points[:-1]), self.counter.cells)
