"""What runs pure chunks of work, and what it says of itself."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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
        executor: Where it was asked to run, such as ``processes:2``.
        workers: Names of the workers that computed, in the order they were first seen.
        environment: SHA-256 over the software of a worker, the same for all of them.
        chunks: Chunks computed.
        checked: Chunks of them that were computed twice, on different workers, with equal results.
        lost: What was lost on the way and computed again, in words.
        checked_in: One chunk in so many was drawn to be computed twice; 0 where none was.
        secret: What drew them, disclosed now that it is over; empty where none was drawn.
        works: Digest of each work that was mapped, with the number of its chunks.
    """

    executor: str
    workers: tuple[str, ...]
    environment: str
    chunks: int
    checked: int
    lost: tuple[str, ...] = ()
    checked_in: int = 0
    secret: bytes = b""
    works: tuple[tuple[str, int], ...] = ()


def is_drawn(secret: bytes, work: str, number: int, one_in: int) -> bool:
    """Tells whether a chunk was drawn to be computed twice; whoever lacks the secret cannot tell which are.

    Args:
        secret: What the caller kept to itself until the end.
        work: Digest of the work, in hexadecimal.
        number: Number of the chunk among those that were computed, from 0.
        one_in: One chunk in so many is drawn.

    Source: FIPS 198-1, HMAC with SHA-256.

    >>> sum(is_drawn(bytes(32), "00" * 32, number, 32) for number in range(3200))
    103
    """
    drawn = hmac.digest(secret, f"{work}/{number}".encode(), "sha256")
    return int.from_bytes(drawn[:8], "big") % one_in == 0


class Work(Protocol[In, Out]):
    """A pure function of an item that may run anywhere and more than once; it can be written down and sent."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that determines results; a worker computes it from what it received."""
        ...

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
        return Execution(self.name, (), "", 0, 0)
