"""A process beside the caller's, for tasks of a run that wait for nothing that the caller computes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from certify import result_cache
from certify.executors.spec import ExecutorSpec

if TYPE_CHECKING:
    from certify.executors.processes import Processes

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Background(Protocol):
    """Where whole tasks run while the caller goes on."""

    def begin(
        self, task: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Callable[[], Result]:
        """Begins a task, a pure function of its arguments; what comes back waits for its result and returns it."""
        ...


@dataclass(frozen=True, slots=True)
class Deferred:
    """Computes a task in the calling thread, once, when its result is asked for."""

    def begin(
        self, task: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Callable[[], Result]:
        """Returns what computes the task.

        >>> Deferred().begin(pow, 2, 5)()
        32
        """
        return cache(partial(task, *arguments, **named))


@dataclass(frozen=True, slots=True)
class BackgroundProcess:
    """Computes tasks in one process, one after the other; what it loses or cannot be sent the caller computes.

    Args:
        processes: The one process.
    """

    processes: Processes

    def begin(
        self, task: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Callable[[], Result]:
        """Sends the task to the process, and returns what waits for its result."""
        again = partial(task, *arguments, **named)
        sent = self.processes.submit(result_cache.to_send(again))
        return cache(again if sent is None else partial(_result, sent, again))


def _result(sent: Future[tuple[Result, Mapping[str, str]]], again: Callable[[], Result]) -> Result:
    """Waits for a result; what was lost, could not be sent, or failed there, is computed here, where it fails too."""
    try:
        result, found = sent.result()
    except Exception:  # noqa: BLE001 - whatever it was: a defect of the task shows here again, with its own trace
        return again()
    result_cache.also_found(found)
    return result


@contextmanager
def open_background(spec: ExecutorSpec) -> Iterator[Background]:
    """Opens a process beside a caller that runs on several threads, and ends it afterwards.

    An executor of other kinds has its own processes, and a single thread has nothing beside it. Where no further
    process can be started the caller computes what was to be computed there.
    """
    if spec.kind != "threads" or spec.workers == 1:
        yield Deferred()
        return
    from certify.executors.processes import Processes

    with Processes(1) as processes:
        yield BackgroundProcess(processes)
