"""What runs pure chunks of work, and what it states of itself: threads, or a pool of which some chunks are checked."""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from certify.children import source_digest
from certify.errors import CertifyError, T

Item = TypeVar("Item")


class WorkerError(CertifyError):
    """A worker cannot be trusted or relied on: other software, another result, or no answer; it is named."""


@dataclass(frozen=True, slots=True)
class Execution:
    """Where work ran; nothing of it changes a result.

    Args:
        executor: Where it was requested to run, such as ``processes:2``.
        workers: Names of the workers that computed, in the order they were first seen.
        chunks: Chunks computed.
        checked: Chunks of them that were computed twice with equal results.
    """

    executor: str
    workers: tuple[str, ...] = ()
    chunks: int = 0
    checked: int = 0


Work = Callable[[Item], T]
"""A pure function of an item that may run anywhere and more than once; it can be written down and sent."""


class Executor(Protocol):
    """Runs pure work on items and hands the results back in the order of the items."""

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""

    def map(self, work: Work[Item, T], items: Iterable[Item]) -> Iterator[T]:
        """Returns the result of each item, in order."""

    def execution(self) -> Execution:
        """Returns where work ran so far and what of it was checked."""


@dataclass(frozen=True, slots=True)
class InTurn:
    """Runs one item after the other in the calling thread."""

    name: str = "threads:1"

    def map(self, work: Work[Item, T], items: Iterable[Item]) -> Iterator[T]:
        """Returns the result of each item, in order."""
        return map(work, items)

    def execution(self) -> Execution:
        """Returns that nothing was sent anywhere."""
        return Execution(self.name)


@dataclass(frozen=True, slots=True)
class Threads:
    """Runs work on threads.

    Args:
        workers: Number of threads; two items a thread are in flight, so that memory stays fixed.
    """

    workers: int

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return f"threads:{self.workers}"

    def map(self, work: Work[Item, T], items: Iterable[Item]) -> Iterator[T]:
        """Returns the result of each item, in order."""
        remaining = iter(items)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="chunks") as pool:
            flying: deque[Future[T]] = deque(
                pool.submit(work, item) for item in islice(remaining, 2 * self.workers)
            )
            while flying:
                result = flying.popleft().result()
                flying.extend(pool.submit(work, item) for item in islice(remaining, 1))
                yield result

    def execution(self) -> Execution:
        """Returns that nothing was sent anywhere: threads share memory and software with the caller."""
        return Execution(self.name)


CHECKED_IN: Final = 32
"""One chunk in so many is computed twice: on another worker, or here where there is none."""


AHEAD: Final = 4
"""Chunks that a worker may be ahead of the oldest one that is not back: results wait in memory until their turn."""


PATIENCE: Final = 1.0
"""Seconds after which it is seen whether somebody is still there."""


TRIES: Final = 3
"""How often a chunk is given out before the run gives up on it."""


class Lost(Exception):  # noqa: N818 - it is no fault of the program
    """A worker is gone with what it had."""


@dataclass(frozen=True, slots=True)
class ChunkAnswer:
    """What came back of a chunk.

    Args:
        worker: The worker that computed it, as the pool knows it and not as it calls itself.
        code: Digest of the sources that it computes with.
        result: The result.
    """

    worker: str
    code: str
    result: Any


class Pool(Protocol):
    """Workers, as a library gives them."""

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""

    @property
    def size(self) -> int:
        """Number of workers there are now."""

    def reachable(self) -> bool:
        """Returns whether what was sent can still be answered."""

    def compute(self, work: Work[Any, Any], item: Any, besides: str = "") -> Future[ChunkAnswer] | None:
        """Sends a chunk to any worker but one; None where there is no other.

        Raises:
            Lost: No worker can be reached.
        """


@dataclass(slots=True)
class Pooled:
    """Runs work in a pool and does not take one worker's word for all of it.

    Which chunks are computed twice is drawn when their results are in: nobody knows before.

    Args:
        pool: The workers.
        checked_in: One chunk in so many is computed twice.
    """

    pool: Pool
    checked_in: int = CHECKED_IN
    workers: dict[str, None] = field(default_factory=dict)
    chunks: int = 0
    checked: int = 0

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return self.pool.name

    def execution(self) -> Execution:
        """Returns what ran so far."""
        return Execution(self.name, tuple(self.workers), self.chunks, self.checked)

    def map(self, work: Work[Item, T], items: Iterable[Item]) -> Iterator[T]:
        """Returns the result of each item, in order.

        Raises:
            WorkerError: A worker has other software, counted otherwise than another, or none is left.
        """
        from rng.entropy import OperatingSystemNoise

        noise = OperatingSystemNoise()
        remaining = enumerate(items)
        flying: deque[tuple[int, Item, Future[ChunkAnswer] | None]] = deque()
        while True:
            for number, item in islice(remaining, max(0, AHEAD * self.pool.size - len(flying))):
                flying.append((number, item, self._sent(work, item)))
            if not flying:
                return
            number, item, sent = flying.popleft()
            chunk = f"chunk {item if isinstance(item, int) else number}"
            first = self._landed(chunk, work, item, sent)
            if int.from_bytes(noise.samples(8)) % self.checked_in == 0:
                self._compare(chunk, work, item, first)
            self.chunks += 1
            yield first.result

    def _sent(self, work: Work[Any, Any], item: Any, besides: str = "") -> Future[ChunkAnswer] | None:
        try:
            return self.pool.compute(work, item, besides)
        except Lost as error:
            raise self._gone(error) from error

    def _landed(
        self,
        chunk: str,
        work: Work[Any, Any],
        item: Any,
        sent: Future[ChunkAnswer] | None,
        tries: int = TRIES,
    ) -> ChunkAnswer:
        """Returns what came back of a chunk, sent again where its worker was lost."""
        if sent is None:
            raise self._gone("no worker is left")
        try:
            answer = self._waited(sent)
        except Lost as error:
            if tries == 1:
                raise self._gone(f"{chunk} was lost {TRIES} times, the last time with {error}") from error
            return self._landed(chunk, work, item, self._sent(work, item), tries - 1)
        if answer.code != source_digest():
            stated = answer.code[:12] or "not stated"
            raise WorkerError(
                f"worker {answer.worker}: its sources are {stated}, expected {source_digest()[:12]}"
            )
        self.workers[answer.worker] = None
        return answer

    def _waited(self, sent: Future[ChunkAnswer]) -> ChunkAnswer:
        """Returns an answer once it is there, as long as somebody is there to give it."""
        while not sent.done():
            wait([sent], PATIENCE)
            if not sent.done() and not self.pool.reachable():
                raise Lost("nobody there")
        return sent.result()

    def _compare(self, chunk: str, work: Work[Any, Any], item: Any, first: ChunkAnswer) -> None:
        """Computes a chunk again elsewhere; where the results differ, this process says who is wrong."""
        sent = self._sent(work, item, first.worker)
        answers = [first] if sent is None else [first, self._landed(chunk, work, item, sent)]
        found = [_written(answer.result) for answer in answers]
        if len(found) == 1 or found[0] != found[1]:
            here = _written(work(item))
            wrong = [answer.worker for answer, result in zip(answers, found, strict=True) if result != here]
            if wrong:
                raise WorkerError(
                    f"{chunk}: {' and '.join(wrong)} counted otherwise than this process; nothing was written"
                )
        self.checked += 1

    def _gone(self, why: object) -> WorkerError:
        return WorkerError(f"{self.name}: {why}; what was done is kept with --resume")


def _written(result: Any) -> bytes:
    """Returns a result as bytes: a worker may send objects that say of themselves that they equal anything.

    Whether two parts are one object is not written, nor whether the result was sent before.
    """
    stream = BytesIO()
    pickler = pickle.Pickler(stream)
    pickler.fast = True
    pickler.dump(pickle.loads(pickle.dumps(result)))  # noqa: S301 - of this process
    return stream.getvalue()
