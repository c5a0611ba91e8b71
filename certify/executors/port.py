"""What runs pure chunks of work and what it says of itself; threads of this process."""

from __future__ import annotations

import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from queue import SimpleQueue
from traceback import format_exception
from types import TracebackType
from typing import Any, BinaryIO, Final, Protocol, TypeVar, cast

from certify.children import Child, ChildError, read_digest, require_same_code, source_digest, start
from certify.errors import CertifyError


class WorkerProcess:
    """A process of our own code that computes calls one after the other; one that was lost is started again."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self.queue = ThreadPoolExecutor(1)
        self.waiting = 0

    @property
    def pid(self) -> int:
        """Its number; 0 where none runs."""
        return self._child.pid if self._child else 0

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Returns what a call returns there, or raises what it raises.

        Raises:
            Lost: The process is gone, is of other code, or wrote what is no answer; no more of it is read.
        """
        sent = pickle.dumps((function, arguments))
        try:
            if self._child is None:
                self._child = start(f"{__name__}:serve")
                require_same_code(read_digest(cast("BinaryIO", self._child.stdout)))
            given, answers = cast("BinaryIO", self._child.stdin), cast("BinaryIO", self._child.stdout)
            given.write(sent)
            given.flush()
            returned, value = pickle.load(answers)  # noqa: S301 - of our own code, as its digest says
            if not (returned or isinstance(value, Exception)):
                raise ChildError("it answered what is no answer")
        except Exception as error:
            # What is no answer raises anything where it is read.
            self.end()
            raise Lost(f"a process that ended: {error}") from error
        if not returned:
            raise value
        return value

    def compute(self, work: Work[Any, Any], item: Any) -> ChunkAnswer:
        """Returns what a chunk comes to there."""
        result = self.call(work, item)
        # It stated its code when it was started.
        return ChunkAnswer(str(self.pid), source_digest(), result)

    def done(self) -> None:
        """Counts one call less that waits."""
        self.waiting -= 1

    def end(self) -> None:
        """Ends the process, whatever it does."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Computes calls as they come, and ends when the caller is gone, however it went."""
    calls: SimpleQueue[Any] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                calls.put(pickle.load(given))  # noqa: S301 - of the caller
        except EOFError:
            os._exit(0)
        except Exception as error:  # noqa: BLE001 - a call that cannot be read is answered as one that failed
            calls.put((_raise, (error,)))

    threading.Thread(target=read, daemon=True, name="caller").start()
    while True:
        function, arguments = calls.get()
        answers.write(_result(function, arguments))
        answers.flush()


def _result(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    try:
        return pickle.dumps((True, function(*arguments)))
    except Exception as error:  # noqa: BLE001 - it is the caller's to handle
        where = "".join(format_exception(error))
        try:
            error.add_note(where)
            return pickle.dumps((False, error))
        except Exception:  # noqa: BLE001 - an error that cannot be sent is told in words
            return pickle.dumps((False, RuntimeError(where)))


def _raise(error: Exception) -> None:
    raise error


@dataclass(slots=True)
class Processes:
    """Processes of this machine.

    Args:
        number: How many.
    """

    number: int
    _workers: tuple[WorkerProcess, ...] = ()

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return f"processes:{self.number}"

    @property
    def size(self) -> int:
        """Number of processes."""
        return self.number

    def reachable(self) -> bool:
        """Returns that a process that is gone says so itself."""
        return True

    def __enter__(self) -> Processes:
        self._workers = tuple(WorkerProcess() for _ in range(self.number))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.queue.shutdown(wait=False, cancel_futures=True)
            worker.end()

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any] | None:
        """Sends a call to the process with the fewest that wait."""
        return self._sent(WorkerProcess.call, call, *arguments)

    def _sent(self, how: Callable[..., Any], *arguments: Any, besides: str = "") -> Future[Any] | None:
        """Hands work to the process with the fewest that wait, but not to one; None where there is no other."""
        others = [worker for worker in self._workers if str(worker.pid) != besides]
        if not others:
            return None
        worker = min(others, key=lambda one: one.waiting)
        worker.waiting += 1
        sent = worker.queue.submit(how, worker, *arguments)
        sent.add_done_callback(lambda _: worker.done())
        return sent

    def compute(self, work: Work[Any, Any], item: Any, besides: str = "") -> Future[ChunkAnswer] | None:
        """Sends a chunk to any process but one."""
        return self._sent(WorkerProcess.compute, work, item, besides=besides)


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
        ...

    @property
    def size(self) -> int:
        """Number of workers there are now."""
        ...

    def reachable(self) -> bool:
        """Returns whether what was sent can still be answered."""
        ...

    def compute(self, work: Work[Any, Any], item: Any, besides: str = "") -> Future[ChunkAnswer] | None:
        """Sends a chunk to any worker but one; None where there is no other.

        Raises:
            Lost: No worker can be reached.
        """
        ...


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

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result]:
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


Item = TypeVar("Item")
Result = TypeVar("Result")
In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


class WorkerError(CertifyError):
    """A worker cannot be trusted or relied on: other software, another result, or no answer; it is named."""


@dataclass(frozen=True, slots=True)
class Execution:
    """Where work ran; nothing of it changes a result.

    Args:
        executor: Where it was asked to run, such as ``processes:2``.
        workers: Names of the workers that computed, in the order they were first seen.
        chunks: Chunks computed.
        checked: Chunks of them that were computed twice with equal results.
    """

    executor: str
    workers: tuple[str, ...] = ()
    chunks: int = 0
    checked: int = 0


class Work(Protocol[In, Out]):
    """A pure function of an item that may run anywhere and more than once; it can be written down and sent."""

    def __call__(self, item: In, /) -> Out:
        """Returns the result of an item."""
        ...


class Executor(Protocol):
    """Runs pure work on items and hands the results back in the order of the items."""

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        ...

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result]:
        """Returns the result of each item, in order; memory does not grow with their number.

        Raises:
            WorkerError: A worker has other software, or counted otherwise than another.
        """
        ...

    def execution(self) -> Execution:
        """Returns what ran so far."""
        ...


@dataclass(frozen=True, slots=True)
class InTurn:
    """Runs one item after the other in the calling thread."""

    name: str = "threads:1"

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
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

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Returns the result of each item, in order."""
        remaining = iter(items)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="chunks") as pool:
            flying: deque[Future[Result]] = deque(
                pool.submit(work, item) for item in islice(remaining, 2 * self.workers)
            )
            while flying:
                result = flying.popleft().result()
                flying.extend(pool.submit(work, item) for item in islice(remaining, 1))
                yield result

    def execution(self) -> Execution:
        """Returns that nothing was sent anywhere: threads share memory and software with the caller."""
        return Execution(self.name)
