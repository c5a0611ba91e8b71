"""Work on several threads of this process; the compiled loops leave the interpreter free."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from certify.executors.port import Execution

Item = TypeVar("Item")
Result = TypeVar("Result")


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
