"""What runs pure chunks of work and what it states of itself; threads of this process."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

from certify.errors import CertifyError

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
        executor: Where it was requested to run, such as ``processes:2``.
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


class Executor(Protocol):
    """Runs pure work on items and hands the results back in the order of the items."""

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result]:
        """Returns the result of each item, in order; memory does not grow with their number.

        Raises:
            WorkerError: A worker has other software, or counted otherwise than another.
        """

    def execution(self) -> Execution:
        """Returns what ran so far."""


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
