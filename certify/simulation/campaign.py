"""A campaign: many rounds in chunks, the same totals whoever plays them and in whatever order."""

import hashlib
import json
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, cast

from certify.errors import InputError, NothingCheckedError, Refusing
from certify.executors import Executor, InTurn, Threads, WorkerError
from certify.families import Counter
from certify.model import AwardTotal, Axes, CellTotal, Game, JointCounts, Strategy, Totals
from certify.simulation.decks import StreamDecks
from certify.simulation.store import Campaign, CampaignTally, ChunkResult, ChunkStore, PlayedPoint, log_spaced
from certify.simulation.volume import volume_of

CHUNK_ROUNDS: Final = 200_000
"""Rounds of one chunk; their number does not matter for memory, for cards are dealt as they are looked at."""

MOST_CHUNKS: Final = 32_768
"""Chunks of a campaign at most; beyond, chunks have twice the rounds until they suffice."""

Progress = Callable[[int, int], None]
"""Receives the rounds done and the rounds requested."""


def run_campaign(
    game: Game,
    strategy_table: Strategy,
    rounds: int,
    *,
    deal: StreamDecks,
    workers: int = 1,
    progress: Progress | None = None,
    resume: Path | None = None,
    chunk_rounds: int | None = None,
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
        progress: Called after each chunk.
        resume: Folder in which results of chunks are kept and looked for.
        chunk_rounds: Rounds of a chunk, by the size of the campaign if left out.
        executor: Where chunks run, instead of threads of this machine.

    Raises:
        InputError: The folder holds another campaign.
        NothingCheckedError: No round was requested.
    """
    play = chunks_of(game, strategy_table, rounds, deal=deal, chunk_rounds=chunk_rounds)
    running = executor or (InTurn() if workers == 1 else Threads(workers))
    store = ChunkStore(resume, play.digest, play.axes) if resume else None
    results = kept(running, play, store)
    tally, points = _merge(results, rounds, play.axes, play.points, progress)
    if tally.rounds != rounds or tally.chunks != tuple(range(play.number)):
        raise InputError(f"the chunks hold {tally.rounds} rounds, expected {rounds}: some were not played")
    return Campaign(
        game=game.id,
        strategy=strategy_table.name,
        rounds=rounds,
        chunk_rounds=play.chunk_rounds,
        streams=play.number,
        seed=deal.seed,
        purpose=deal.purpose,
        configuration=play.digest,
        joint=tally.joint,
        points=tuple(points),
    )


def configuration_digest(
    game: Game, strategy: Strategy, rounds: int, chunk_rounds: int, deal: StreamDecks, axes: Axes
) -> str:
    """Returns the SHA-256 of all that determines the counts of a campaign, in hexadecimal."""
    configuration = {
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
    results: Iterator[ChunkResult],
    rounds: int,
    axes: Axes,
    wanted: Collection[int],
    progress: Progress | None,
) -> tuple[CampaignTally, list[PlayedPoint]]:
    tally = CampaignTally(JointCounts(axes))
    points: list[PlayedPoint] = []
    for result in results:
        tally.add(result)
        points += result.points
        if tally.rounds in wanted:
            points.append(PlayedPoint(tally.rounds, tally.joint))
        if progress is not None:
            progress(tally.rounds, rounds)
    return tally, points


@dataclass(frozen=True)
class PlayChunk:
    """Plays the chunk of an index: a pure function, that can be sent to wherever it runs.

    Args:
        game: The game.
        strategy: The player's strategy.
        rounds: Rounds of the whole campaign.
        chunk_rounds: Rounds of a chunk.
        deal: Source of the rounds.
    """

    game: Game
    strategy: Strategy
    rounds: int
    chunk_rounds: int
    deal: StreamDecks

    @property
    def counter(self) -> Counter:
        """What plays the rounds, made where it is needed."""
        return _counter(self.game, cast(Hashable, self.strategy))

    @property
    def axes(self) -> Axes:
        """Wagers with their outcomes, in the order in which joint outcomes are numbered."""
        return self.counter.axes

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that determines the counts, in hexadecimal."""
        return configuration_digest(
            self.game, self.strategy, self.rounds, self.chunk_rounds, self.deal, self.axes
        )

    @property
    def number(self) -> int:
        """Number of chunks."""
        return -(-self.rounds // self.chunk_rounds)

    def rounds_of(self, index: int) -> int:
        """Returns the rounds of a chunk: the last one may have fewer."""
        return min(self.chunk_rounds, self.rounds - index * self.chunk_rounds)

    @property
    def points(self) -> tuple[int, ...]:
        """After how many rounds the counts of the campaign are reported, the whole campaign last.

        Between chunks the totals are known at the end of a chunk, the first one at or after a point.
        """
        ends = (
            min(-(-point // self.chunk_rounds) * self.chunk_rounds, self.rounds)
            for point in (*log_spaced(self.rounds), self.rounds)
            if point >= self.rounds_of(0)
        )
        return (*self.cuts_of(0), *dict.fromkeys(ends))

    def cuts_of(self, index: int) -> tuple[int, ...]:
        """Returns after how many rounds of a chunk its counts are reported on the way: only the first one has some."""
        return (
            tuple(point for point in log_spaced(self.rounds) if point < self.rounds_of(0))
            if index == 0
            else ()
        )

    def __getstate__(self) -> dict[str, object]:
        """What is sent: nothing that was computed on the way, so that a worker's digest is its own."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __call__(self, index: int) -> ChunkResult:
        """Plays the rounds of a chunk."""
        count = self.rounds_of(index)
        rounds = self.deal.rounds(index, count)
        cuts = self.cuts_of(index)
        joint = JointCounts(self.axes)
        points = []
        for low, high in zip((0, *cuts), (*cuts, count), strict=True):
            joint += rounds.count(self.counter, high - low)
            points.append(PlayedPoint(high, joint))
        return ChunkResult(index, count, joint, tuple(points[:-1]))


@lru_cache(maxsize=8)
def _counter(game: Game, strategy: Hashable) -> Counter:
    """Returns what plays the rounds, made once in a process though each chunk may arrive by itself."""
    return volume_of(game).counter(game, cast(Strategy, strategy))


def chunks_of(
    game: Game,
    strategy: Strategy,
    rounds: int,
    *,
    deal: StreamDecks,
    chunk_rounds: int | None = None,
) -> PlayChunk:
    """Returns what plays each chunk of a campaign.

    Raises:
        NothingCheckedError: No round was requested.
    """
    size = chunk_size(rounds) if chunk_rounds is None else chunk_rounds
    if rounds < 1 or size < 1:
        raise NothingCheckedError(f"{rounds} rounds in chunks of {size}: expected at least one")
    return PlayChunk(game, strategy, rounds, size, deal)


def chunk_size(rounds: int) -> int:
    """Returns how many rounds a chunk of a campaign has: it grows with the campaign, so that chunks stay countable.

    >>> chunk_size(1_500_000), chunk_size(10**9), chunk_size(10**12)
    (200000, 200000, 51200000)
    """
    size = CHUNK_ROUNDS
    while rounds > MOST_CHUNKS * size:
        size *= 2
    return size


def kept(executor: Executor, play: PlayChunk, store: ChunkStore | None) -> Iterator[ChunkResult]:
    """Yields the results of all chunks in order: those that were kept before, and the others as they are played."""
    # Decided once: what another command saves into the folder meanwhile does not change whose turn it is.
    missing = dict.fromkeys(index for index in range(play.number) if store is None or not store.holds(index))
    fresh = executor.map(play, missing)
    for index in range(play.number):
        saved = None if store is None or index in missing else store.load(index)
        if saved is None:
            saved = _received(play, next(fresh) if index in missing else play(index), index)
            if store is not None:
                store.save(saved)
        yield saved


def again_of(axes: Axes, joint: JointCounts) -> JointCounts:
    """Returns counts made anew from what they hold, so that they pass the checks of their form."""
    totals = (
        Totals(
            one.wager,
            one.unit,
            tuple(CellTotal(*c) for c in one.cells),
            tuple(AwardTotal(*a) for a in one.awards),
        )
        for one in joint.totals
    )
    return JointCounts(axes, joint.cells, tuple(totals))


def _received(play: PlayChunk, result: ChunkResult, index: int) -> ChunkResult:
    """Returns a result made anew from its counts: what was sent has passed no check of its own form.

    Raises:
        WorkerError: It cannot be the result of a chunk of the campaign.
    """
    with Refusing(
        (InputError, AttributeError, TypeError, ValueError),
        WorkerError,
        "a chunk came back as something that cannot be its result",
    ):
        points = tuple(PlayedPoint(one.rounds, again_of(play.axes, one.joint)) for one in result.points)
        joint = again_of(play.axes, result.joint)
        again = ChunkResult(result.index, play.rounds_of(result.index), joint, points)
    told = tuple(point.rounds for point in points)
    if again != result or result.index != index or told != play.cuts_of(index):
        raise WorkerError(f"chunk {index} came back with other rounds or outcomes than it has")
    return again
