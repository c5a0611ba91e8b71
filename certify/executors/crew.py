"""Workers that are not trusted: what is asked of one, and which chunks are computed twice without its knowing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

from certify.executors.environment import Environment, environment, worker_name
from certify.executors.port import Execution, Work, is_drawn

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE: Final = 300.0
"""Seconds after which a worker that owes an answer is given up, unless chunks take longer by themselves."""

CHECKED_IN: Final = 32
"""One chunk in so many is computed twice: on different workers, or here where there is one only."""


class Lost(Exception):  # noqa: N818 - it is no fault of the program
    """A worker is gone with what it had."""


class Flight(Protocol):
    """One call on its way."""

    def result(self, timeout: float | None = None) -> Any:
        """Returns the result, once it is there.

        Raises:
            TimeoutError: It is not there in time.
        """
        ...

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object:
        """Calls the function when it is there, or lost."""
        ...


class Crew(Protocol):
    """Workers by name, as a technology brings them."""

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        ...

    def present(self) -> tuple[str, ...]:
        """Returns the workers that are there now."""
        ...

    def submit(self, worker: str, call: Callable[..., Any], *arguments: Any) -> Flight:
        """Sends a call to one worker and no other.

        Raises:
            Lost: The worker is gone.
        """
        ...

    def lost(self, error: BaseException) -> bool:
        """Tells whether an error says that a worker is gone, and not that the work went wrong."""
        ...

    def give_up(self, worker: str) -> None:
        """Lets go of a worker that is gone or does not answer; a crew that can brings another in its place."""
        ...


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a worker says of itself before it is given work."""

    called: str
    environment: Environment
    work: str


def greet(work: Work[Any, Any]) -> Greeting:
    """Returns the software of the worker that this runs on, and the digest of the work as it arrived there."""
    return Greeting(worker_name(), environment(), work.digest)


def compute(work: Work[Item, Result], items: tuple[Item, ...]) -> tuple[float, tuple[Result, ...]]:
    """Returns the seconds that a parcel took where this runs, and the result of each of its items."""
    began = time.perf_counter()
    results = tuple(work(item) for item in items)
    return time.perf_counter() - began, results


def secret() -> bytes:
    """Returns what decides which chunks are computed twice: 256 bits that no worker has before the run is over."""
    from rng.entropy import OperatingSystemNoise

    return OperatingSystemNoise().samples(32)


@dataclass(slots=True)
class CrewExecutor:
    """Runs work on a crew, in the order of the items, and distrusts it.

    Args:
        crew: The workers.
        patience: Seconds after which a worker that owes an answer is given up.
        checked_in: One chunk in so many is computed twice.
        secret: What draws them; it is disclosed with the execution and sent to no worker.
    """

    crew: Crew
    patience: float = PATIENCE
    checked_in: int = CHECKED_IN
    secret: bytes = field(default_factory=secret)
    names: dict[str, str] = field(default_factory=dict)
    works: list[tuple[str, int]] = field(default_factory=list)
    checked: int = 0
    lost: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return self.crew.name

    def execution(self) -> Execution:
        """Returns what ran so far; the secret is worth nothing to workers of a later run, which draws its own."""
        return Execution(
            self.name,
            tuple(dict.fromkeys(self.names.values())),
            environment().digest,
            sum(chunks for _, chunks in self.works),
            self.checked,
            tuple(self.lost),
            self.checked_in,
            self.secret,
            tuple(self.works),
        )

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result]:
        """Returns the result of each item, in order.

        Raises:
            WorkerError: A worker has other software, counted otherwise than another, or none is left.
        """
        from certify.executors.crew_run import CrewRun

        run = CrewRun(self, work, iter(enumerate(items)))
        try:
            yield from run.results()
        finally:
            run.over = True

    def twice(self, work: Work[Any, Any], number: int) -> bool:
        """Tells whether a chunk is computed twice, by what no worker knows."""
        return is_drawn(self.secret, work.digest, number, self.checked_in)
