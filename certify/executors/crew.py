"""Work on workers that are not trusted: greeted before the first chunk, checked by computing twice, survived."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeVar

from certify.executors.environment import Environment, environment, worker_name
from certify.executors.port import Execution, Work, WorkerError

Item = TypeVar("Item")
Result = TypeVar("Result")

FLYING: Final = 2
"""Parcels that a worker has at once, so that it need not wait for the next."""

PARCEL_SECONDS: Final = 0.5
"""Work that a parcel is to hold: handing it over costs milliseconds, and progress is told parcel by parcel."""

PARCEL: Final = 32
"""Chunks that a parcel holds at most."""

WINDOW: Final = 8
"""Parcels a worker may be ahead of the oldest chunk that is not back: results wait in memory until their turn."""

PATIENCE: Final = 300.0
"""Seconds after which a worker that owes an answer is given up, unless chunks take longer by themselves."""

HANDING_OVER: Final = 60.0
"""Seconds that a worker has to say what it computes with, or to hand over what it has computed."""

TRIES: Final = 5
"""How often a chunk is given out before the run gives up on it."""

CHECKED_IN: Final = 32
"""One chunk in so many, drawn by the work's digest, is computed twice on different workers."""


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


@dataclass(slots=True)
class _Chunk:
    item: Any
    tries: int = 0
    answers: list[tuple[str, Any]] = field(default_factory=list)
    out: list[str] = field(default_factory=list)


@dataclass(slots=True)
class CrewExecutor:
    """Runs work on a crew, in the order of the items, and distrusts it.

    Args:
        crew: The workers.
        patience: Seconds after which a worker that owes an answer is given up.
        checked_in: One chunk in so many is computed twice.
    """

    crew: Crew
    patience: float = PATIENCE
    checked_in: int = CHECKED_IN
    _names: dict[str, str] = field(default_factory=dict)
    _chunks: int = 0
    _checked: int = 0
    _lost: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return self.crew.name

    def execution(self) -> Execution:
        """Returns what ran so far."""
        return Execution(
            self.name,
            tuple(dict.fromkeys(self._names.values())),
            environment().digest,
            self._chunks,
            self._checked,
            tuple(self._lost),
        )

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result]:
        """Returns the result of each item, in order.

        Raises:
            WorkerError: A worker has other software, counted otherwise than another, or none is left.
        """
        run = _Run(self, work, iter(enumerate(items)))
        yield from run.results()

    def twice(self, work: Work[Any, Any], number: int) -> bool:
        """Tells whether a chunk is computed twice: drawn by the work, so that no worker can choose."""
        drawn = hashlib.sha256(f"{work.digest}/{number}".encode()).digest()
        return int.from_bytes(drawn[:8], "big") % self.checked_in == 0


@dataclass(slots=True)
class _Run:
    """One pass over the items."""

    executor: CrewExecutor
    work: Work[Any, Any]
    items: Iterator[tuple[int, Any]]
    chunks: dict[int, _Chunk] = field(default_factory=dict)
    again: deque[int] = field(default_factory=deque)
    done: dict[int, Any] = field(default_factory=dict)
    greeted: set[str] = field(default_factory=set)
    landed: SimpleQueue[tuple[str, tuple[int, ...], Any]] = field(default_factory=SimpleQueue)
    since: dict[tuple[str, tuple[int, ...]], float] = field(default_factory=dict)
    longest: float = 0.0
    size: int = 1
    following: int = 0
    ended: bool = False

    def results(self) -> Iterator[Any]:
        """Yields the results in order, while further chunks are under way."""
        while True:
            while self.following in self.done:
                result = self.done.pop(self.following)
                self.following += 1
                self.executor._chunks += 1
                yield result
            self._give_out()
            if self.ended and not self.chunks and not self.done:
                return
            self._take_in()

    def _give_out(self) -> None:
        """Keeps every worker busy with what is owed, oldest first."""
        self._missing()
        present = self.executor.crew.present()
        if not present:
            raise WorkerError(f"{self.executor.name}: no worker is left; what was done is kept with --resume")
        for worker in present:
            if worker not in self.greeted:
                self._greet(worker)
        busy = Counter(worker for worker, _ in self.since)
        for worker in sorted(self.greeted.intersection(present), key=lambda one: busy[one]):
            while busy[worker] < FLYING:
                numbers = self._parcel(worker, len(present))
                if not numbers:
                    break
                self._send(worker, numbers)
                busy[worker] += 1

    def _missing(self) -> None:
        """Takes back what workers had that are gone, or that owe an answer for too long."""
        present = set(self.executor.crew.present())
        patience = max(self.executor.patience, 20 * self.longest)
        late = {worker for (worker, _), at in self.since.items() if time.monotonic() - at > patience}
        for worker in late & present:
            self.executor.crew.give_up(worker)
            self.executor._lost.append(f"{self._called(worker)} gave no answer for {patience:.0f} s")
        gone = {worker for worker, _ in self.since if worker not in present} | late
        for worker in gone:
            self._forget(worker)

    def _forget(self, worker: str) -> None:
        """What a worker had is given to another."""
        self.greeted.discard(worker)
        for held, numbers in [key for key in self.since if key[0] == worker]:
            del self.since[held, numbers]
            self._take_back(worker, numbers)

    def _take_back(self, worker: str, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            self.chunks[number].out.remove(worker)
            self.again.append(number)
            self.executor._lost.append(f"chunk {number} was lost with {self._called(worker)}")

    def _greet(self, worker: str) -> None:
        """Compares a worker's software and the work as it arrived there with ours.

        Raises:
            WorkerError: They differ.
        """
        try:
            hello = self._hello(worker)
        except Exception as error:
            if not (isinstance(error, Lost) or self.executor.crew.lost(error)):
                raise
            self.executor.crew.give_up(worker)
            self.executor._lost.append(f"{worker} was gone before it said what it computes with")
            return
        differences = environment().differences(hello.environment)
        if differences:
            raise WorkerError(f"worker {hello.called}: {'; '.join(differences)}")
        if hello.work != self.work.digest:
            raise WorkerError(f"worker {hello.called} received other work than was sent to it")
        self.executor._names[worker] = hello.called
        self.greeted.add(worker)

    def _hello(self, worker: str) -> Greeting:
        """Returns what a worker says of itself, as long as it is there to say it."""
        hello: Greeting = self._fetched(worker, self.executor.crew.submit(worker, greet, self.work))
        return hello

    def _fetched(self, worker: str, flight: Flight) -> Any:
        """Returns a result as long as its worker is there: a result dies with the worker that holds it.

        Raises:
            Lost: The worker is gone, or does not hand the result over.
        """
        began = time.monotonic()
        patience = max(self.executor.patience, HANDING_OVER)
        while True:
            try:
                return flight.result(timeout=1)
            except TimeoutError as error:
                absent = worker not in self.executor.crew.present()
                if absent or time.monotonic() - began > patience:
                    raise Lost(worker) from error

    def _parcel(self, worker: str, workers: int) -> tuple[int, ...]:
        """Returns the chunks that a worker is given next, none if there are none for it."""
        numbers: list[int] = []
        while len(numbers) < self.size:
            number = self._number(worker, workers)
            if number is None:
                break
            self.chunks[number].out.append(worker)
            numbers.append(number)
        return tuple(numbers)

    def _number(self, worker: str, workers: int) -> int | None:
        """Returns a chunk for a worker, None if there is none for it."""
        for _ in range(len(self.again)):
            number = self.again.popleft()
            chunk = self.chunks.get(number)
            if chunk is None:
                continue
            had = {name for name, _ in chunk.answers} | set(chunk.out)
            if worker not in had or (workers == 1 and worker not in chunk.out):
                return number
            self.again.append(number)
        if self.ended or len(self.chunks) + len(self.done) >= WINDOW * self.size * max(workers, 2):
            return None
        try:
            number, item = next(self.items)
        except StopIteration:
            self.ended = True
            return None
        self.chunks[number] = _Chunk(item)
        if workers > 1 and self.executor.twice(self.work, number):
            self.again.append(number)
        return number

    def _send(self, worker: str, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            self.chunks[number].tries += 1
            if self.chunks[number].tries > TRIES:
                raise WorkerError(f"chunk {number} was given out {TRIES} times and never came back")
        self.since[worker, numbers] = time.monotonic()
        items = tuple(self.chunks[number].item for number in numbers)
        try:
            flight = self.executor.crew.submit(worker, compute, self.work, items)
        except Lost:
            self.executor.crew.give_up(worker)
            self._forget(worker)
            return
        flight.add_done_callback(lambda landed: self.landed.put((worker, numbers, landed)))

    def _take_in(self) -> None:
        """Waits a moment for an answer and takes in all that are there."""
        try:
            self._landed(*self.landed.get(timeout=0.5))
            while True:
                self._landed(*self.landed.get_nowait())
        except Empty:
            return

    def _landed(self, worker: str, numbers: tuple[int, ...], flight: Flight) -> None:
        sent = self.since.pop((worker, numbers), None)
        if sent is None:
            return  # From a worker that was given up: another answers for it.
        try:
            seconds, results = self._fetched(worker, flight)
        except BaseException as error:
            if not (isinstance(error, Lost) or self.executor.crew.lost(error)):
                raise
            self._take_back(worker, numbers)
            self.executor.crew.give_up(worker)
            self._forget(worker)
            return
        self.longest = max(self.longest, time.monotonic() - sent)
        for number, result in zip(numbers, results, strict=True):
            self.chunks[number].out.remove(worker)
            self.chunks[number].answers.append((worker, result))
        for number in numbers:
            self._settle(number, self.chunks[number])
        fitting = int(PARCEL_SECONDS * len(numbers) / max(seconds, 1e-9))
        # No more than doubled at a time: the first chunks may be the quick ones.
        self.size = max(1, min(fitting, 2 * self.size, PARCEL))

    def _settle(self, number: int, chunk: _Chunk) -> None:
        """Takes a result once every worker that was asked for it has answered, and all answered the same."""
        if chunk.out or number in self.again:
            return
        (_, result), *others = chunk.answers
        for _, other in others:
            if other != result:
                self._name_the_liar(number, chunk)
        if len({worker for worker, _ in chunk.answers}) > 1:
            self.executor._checked += 1
        self.done[number] = result
        del self.chunks[number]

    def _name_the_liar(self, number: int, chunk: _Chunk) -> None:
        """Computes a chunk here and names whoever says otherwise.

        Raises:
            WorkerError: Always.
        """
        true = self.work(chunk.item)
        wrong = [self._called(worker) for worker, result in chunk.answers if result != true]
        raise WorkerError(
            f"chunk {number}: {' and '.join(wrong)} counted otherwise than another worker and this process; "
            "the run stops, and nothing is written"
        )

    def _called(self, worker: str) -> str:
        return self.executor._names.get(worker, worker)
