"""Where chunks run: one after the other, or on several threads of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from certify.simulation.tally import ChunkResult

Play = Callable[[int], ChunkResult]
"""Plays the chunk of an index; pure, so that it may run anywhere and more than once."""


class Executor(Protocol):
    """Runs pure chunks and hands their results back in the order of the indices."""

    def run(self, play: Play, indices: Iterable[int]) -> Iterator[ChunkResult]:
        """Returns the result of each index, in order."""
        ...


@dataclass(frozen=True, slots=True)
class InTurn:
    """Plays chunk after chunk in the calling thread."""

    def run(self, play: Play, indices: Iterable[int]) -> Iterator[ChunkResult]:
        """Returns the result of each index, in order."""
        return map(play, indices)


@dataclass(frozen=True, slots=True)
class Threads:
    """Plays chunks on several threads; the compiled loops of dealing and play leave the interpreter free.

    Args:
        workers: Number of threads; two chunks a thread are in flight, so that memory stays fixed.
    """

    workers: int

    def run(self, play: Play, indices: Iterable[int]) -> Iterator[ChunkResult]:
        """Returns the result of each index, in order."""
        remaining = iter(indices)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="campaign") as pool:
            flying: deque[Future[ChunkResult]] = deque(
                pool.submit(play, index) for index in islice(remaining, 2 * self.workers)
            )
            while flying:
                result = flying.popleft().result()
                flying.extend(pool.submit(play, index) for index in islice(remaining, 1))
                yield result
