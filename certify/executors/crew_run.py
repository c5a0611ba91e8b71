"""One pass of a crew over the items of a work: given out, taken in, checked, and survived."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from statistics import median_low
from typing import Any, Final

from certify.executors.crew import CrewExecutor, Flight, Greeting, Lost, compute, greet
from certify.executors.environment import environment
from certify.executors.port import Work, WorkerError

FLYING: Final = 2
"""Parcels that a worker has at once, so that it need not wait for the next."""

PARCEL_SECONDS: Final = 0.5
"""Work that a parcel is to hold: handing it over costs milliseconds, and progress is told parcel by parcel."""

PARCEL: Final = 32
"""Chunks that a parcel holds at most."""

WINDOW: Final = 8
"""Parcels a worker may be ahead of the oldest chunk that is not back: results wait in memory until their turn."""

TRIES: Final = 5
"""How often a chunk is given out before the run gives up on it."""

HERE: Final = "this process"
"""Who computes a chunk that no further worker can check."""

GREETING: Final = ()
"""Numbers of the parcel that a greeting is: it holds no chunk."""


@dataclass(slots=True)
class Chunk:
    """An item with the workers that have it and what they answered."""

    item: Any
    tries: int = 0
    answers: list[tuple[str, Any]] = field(default_factory=list)
    out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """What came back of a parcel: a value, or the error that its worker or its connection ended with."""

    worker: str
    numbers: tuple[int, ...]
    value: Any = None
    error: Exception | None = None


@dataclass(slots=True)
class CrewRun:
    """One pass over the items.

    Args:
        executor: Whose crew computes.
        work: What is computed.
        items: Items with their numbers, from 0 on.
    """

    executor: CrewExecutor
    work: Work[Any, Any]
    items: Iterator[tuple[int, Any]]
    chunks: dict[int, Chunk] = field(default_factory=dict)
    again: deque[int] = field(default_factory=deque)
    done: dict[int, tuple[Any, bool]] = field(default_factory=dict)
    greeted: set[str] = field(default_factory=set)
    landed: SimpleQueue[WorkerAnswer] = field(default_factory=SimpleQueue)
    since: dict[tuple[str, tuple[int, ...]], float] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    size: int = 1
    following: int = 0
    ended: bool = False
    over: bool = False

    def results(self) -> Iterator[Any]:
        """Yields the results in order, while further chunks are under way."""
        place = len(self.executor.works)
        self.executor.works.append((self.work.digest, 0))
        while True:
            while self.following in self.done:
                result, checked = self.done.pop(self.following)
                self.following += 1
                self.executor.works[place] = (self.work.digest, self.following)
                self.executor.checked += checked
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
            last = f" ({self.executor.lost[-1]})" if self.executor.lost else ""
            raise WorkerError(
                f"{self.executor.name}: no worker is left{last}; what was done is kept with --resume"
            )
        for worker in present:
            # All at once: one that takes its time to answer keeps nobody waiting.
            if worker not in self.greeted and (worker, GREETING) not in self.since:
                self._submit(worker, GREETING)
        if len(present) == 1:
            self._check_here()
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
        # By the middle one of the workers: a single one cannot earn itself patience by being slow.
        usual = median_low(self.longest.values()) if self.longest else 0.0
        patience = max(self.executor.patience, 20 * usual)
        late = {worker for (worker, _), at in self.since.items() if time.monotonic() - at > patience}
        for worker in late & present:
            self.executor.crew.give_up(worker)
            self.executor.lost.append(f"{self._called(worker)} gave no answer for {patience:.0f} s")
        for worker in {worker for worker, _ in self.since if worker not in present} | late:
            self._forget(worker)

    def _forget(self, worker: str) -> None:
        """What a worker had is given to another."""
        self.greeted.discard(worker)
        for held, numbers in [key for key in self.since if key[0] == worker]:
            del self.since[held, numbers]
            self._take_back(worker, numbers)

    def _take_back(self, worker: str, numbers: tuple[int, ...]) -> None:
        if numbers == GREETING:
            self.executor.lost.append(f"{worker} was gone before it said what it computes with")
        for number in numbers:
            self.chunks[number].out.remove(worker)
            self.again.append(number)
            self.executor.lost.append(f"{self._chunk(number)} was lost with {self._called(worker)}")

    def _give_up(self, worker: str) -> None:
        self.executor.crew.give_up(worker)
        self._forget(worker)

    def _check_here(self) -> None:
        """Computes in this process what was drawn to be computed twice where one worker cannot check itself."""
        for number in tuple(self.again):
            chunk = self.chunks.get(number)
            if chunk is not None and chunk.answers and not chunk.out:
                self.again.remove(number)
                chunk.answers.append((HERE, self.work(chunk.item)))
                self._settle(number, chunk)

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
            if worker not in {name for name, _ in chunk.answers} | set(chunk.out):
                return number
            self.again.append(number)
        if self.ended or len(self.chunks) + len(self.done) >= WINDOW * self.size * max(workers, 2):
            return None
        try:
            number, item = next(self.items)
        except StopIteration:
            self.ended = True
            return None
        self.chunks[number] = Chunk(item)
        if self.executor.twice(self.work, number):
            self.again.append(number)
        return number

    def _send(self, worker: str, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            self.chunks[number].tries += 1
            if self.chunks[number].tries > TRIES:
                raise WorkerError(f"{self._chunk(number)} was given out {TRIES} times and never came back")
        self._submit(worker, numbers)

    def _submit(self, worker: str, numbers: tuple[int, ...]) -> None:
        """Sends a parcel, or a greeting."""
        self.since[worker, numbers] = time.monotonic()
        items = tuple(self.chunks[number].item for number in numbers)
        call = (greet, self.work) if numbers == GREETING else (compute, self.work, items)
        try:
            flight = self.executor.crew.submit(worker, *call)
        except Lost:
            self._give_up(worker)
            return
        # A result may be held back by the worker that has it: whoever waits for it holds up nobody else.
        flight.add_done_callback(
            lambda landed: threading.Thread(
                target=self._fetch, args=(worker, numbers, landed), daemon=True
            ).start()
        )

    def _fetch(self, worker: str, numbers: tuple[int, ...], flight: Flight) -> None:
        """Waits for what a worker hands over, as long as it is owed."""
        while not self.over and (worker, numbers) in self.since:
            try:
                self.landed.put(WorkerAnswer(worker, numbers, flight.result(timeout=1)))
            except TimeoutError:
                continue
            except Exception as error:  # noqa: BLE001 - whatever a worker ends with is judged by who reads it
                self.landed.put(WorkerAnswer(worker, numbers, error=error))
            return

    def _take_in(self) -> None:
        """Waits a moment for an answer and takes in all that are there."""
        try:
            self._landed(self.landed.get(timeout=0.5))
            while True:
                self._landed(self.landed.get_nowait())
        except Empty:
            return

    def _landed(self, answer: WorkerAnswer) -> None:
        worker, numbers = answer.worker, answer.numbers
        sent = self.since.get((worker, numbers))
        if sent is None:
            return  # From a worker that was given up: another answers for it.
        error = answer.error
        if error is not None and (isinstance(error, Lost) or self.executor.crew.lost(error)):
            self._give_up(worker)
            return
        del self.since[worker, numbers]
        if numbers == GREETING:
            self._welcome(answer)
            return
        for number in numbers:
            self.chunks[number].out.remove(worker)
        results = _results(answer)
        if results is None:
            self._refute(answer)
            return
        self.longest[worker] = max(self.longest.get(worker, 0.0), time.monotonic() - sent)
        for number, result in zip(numbers, results, strict=True):
            self.chunks[number].answers.append((worker, result))
        for number in numbers:
            self._settle(number, self.chunks[number])
        fitting = int(PARCEL_SECONDS * len(numbers) / max(answer.value[0], 1e-9))
        # No more than doubled at a time: the first chunks may be the quick ones.
        self.size = max(1, min(fitting, 2 * self.size, PARCEL))

    def _welcome(self, answer: WorkerAnswer) -> None:
        """Compares a worker's software and the work as it arrived there with ours.

        Raises:
            WorkerError: They differ.
        """
        worker, hello = answer.worker, answer.value
        if not isinstance(hello, Greeting):
            self.executor.lost.append(
                f"{worker} does not say what it computes with: {answer.error or hello!r}"
            )
            self._give_up(worker)
            return
        differences = environment().differences(hello.environment)
        if differences:
            raise WorkerError(f"worker {hello.called}: {'; '.join(differences)}")
        if hello.work != self.work.digest:
            raise WorkerError(f"worker {hello.called} received other work than was sent to it")
        self.executor.names[worker] = hello.called
        self.greeted.add(worker)

    def _refute(self, answer: WorkerAnswer) -> None:
        """Computes here what a worker says cannot be computed: a true failure shows again, with its own trace.

        Otherwise the worker is given up, and the run goes on with the others.
        """
        first = self._chunk(answer.numbers[0])
        for number in answer.numbers:
            self.chunks[number].answers.append((HERE, self.work(self.chunks[number].item)))
        said = repr(answer.error or answer.value)[:200]
        self.executor.lost.append(
            f"{self._called(answer.worker)} failed from {first} on where this process does not: {said}"
        )
        self._give_up(answer.worker)
        for number in answer.numbers:
            self._settle(number, self.chunks[number])

    def _settle(self, number: int, chunk: Chunk) -> None:
        """Takes a result once every worker that was asked for it has answered, and all answered the same."""
        if chunk.out or number in self.again:
            return
        (_, result), *others = chunk.answers
        for _, other in others:
            if other != result:
                self._name_the_liar(number, chunk)
        self.done[number] = (result, len({worker for worker, _ in chunk.answers}) > 1)
        del self.chunks[number]

    def _name_the_liar(self, number: int, chunk: Chunk) -> None:
        """Computes a chunk here and names whoever says otherwise.

        Raises:
            WorkerError: Always.
        """
        true = self.work(chunk.item)
        wrong = [self._called(worker) for worker, result in chunk.answers if result != true]
        raise WorkerError(
            f"{self._chunk(number)}: {' and '.join(wrong)} counted otherwise than another worker and this process; "
            "the run stops, and nothing is written"
        )

    def _called(self, worker: str) -> str:
        return self.executor.names.get(worker, worker)

    def _chunk(self, number: int) -> str:
        """Returns a chunk by its own number, by which ``--chunk`` replays it: a resumed run gives out some only."""
        item = self.chunks[number].item
        return f"chunk {item if isinstance(item, int) else number}"


def _results(answer: WorkerAnswer) -> tuple[Any, ...] | None:
    """Returns the results of a parcel; none where its worker failed, or answered something else."""
    match answer.value:
        case (float() | int() as seconds, tuple() as results):
            fits = len(results) == len(answer.numbers) and math.isfinite(seconds)
            return results if fits else None
    return None
