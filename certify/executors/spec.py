"""Where work runs, as a command states it, and work that goes on in the background."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, ParamSpec, Protocol

from certify import result_cache
from certify.errors import InputError, T
from certify.executors.dask_cluster import DaskCluster, require_safe
from certify.executors.port import Execution, Executor, InTurn, Pooled, Threads
from certify.executors.processes import Processes
from certify.result_cache import found
from certify.untrusted_input import JsonObject

MOST: Final = 256
EXPECTED: Final = "threads:N, processes:N, dask:ADDRESS or dask:local:N"


@dataclass(frozen=True, slots=True)
class ExecutorSpec:
    """An executor as it was requested.

    Args:
        kind: ``threads``, ``processes`` or ``dask``.
        workers: Number of workers; 0 where a cluster decides.
        address: Address of a cluster, empty where there is none.
    """

    kind: str
    workers: int
    address: str = ""


def parse_executor(text: str) -> ExecutorSpec:
    """Returns an executor that was requested by name.

    Raises:
        InputError: It is of no known form.

    >>> parse_executor("processes:4")
    ExecutorSpec(kind='processes', workers=4, address='')
    """
    kind, _, rest = text.partition(":")
    if kind in ("threads", "processes"):
        return ExecutorSpec(kind, _workers(text, rest))
    if kind != "dask" or not rest:
        raise InputError(f'--executor "{text}": expected {EXPECTED}')
    if rest.startswith("local:"):
        return ExecutorSpec(kind, _workers(text, rest.removeprefix("local:")), rest)

    require_safe(rest)
    return ExecutorSpec(kind, 0, rest)


def _workers(text: str, number: str) -> int:
    if not (number.isascii() and number.isdecimal()) or not 1 <= int(number[:6]) <= MOST or len(number) > 3:
        raise InputError(f'--executor "{text}": expected {EXPECTED} with N from 1 to {MOST}')
    return int(number)


@contextmanager
def open_executor(spec: ExecutorSpec) -> Iterator[Executor]:
    """Opens an executor and ends its workers afterwards.

    Raises:
        InputError: No scheduler answers.
        MissingPartError: Dask is not installed.
    """
    if spec.kind == "threads":
        yield InTurn() if spec.workers == 1 else Threads(spec.workers)
    elif spec.kind == "processes":
        with Processes(spec.workers) as processes:
            yield Pooled(processes)
    else:
        with DaskCluster(spec.address) as cluster:
            yield Pooled(cluster)


def execution_words(ran: Execution) -> str:
    """Returns one sentence on where work ran and what was checked.

    >>> execution_words(Execution("processes:2", ("a/1", "a/2"), 640, 21))
    'ran on processes:2: 2 workers, 640 chunks, 21 of them computed twice and equal'
    """
    if not ran.workers:
        return f"ran on {ran.executor}"
    workers = "1 worker" if len(ran.workers) == 1 else f"{len(ran.workers)} workers"
    return f"ran on {ran.executor}: {workers}, {ran.chunks:,} chunks, {ran.checked:,} of them computed twice and equal"


def execution_document(ran: Execution) -> JsonObject:
    """Returns where work ran as it is in the attestation: it changes no byte of evidence, data or pages.

    What was found by its digest instead of being computed is named too.
    """
    kept = found()
    return ({"found": dict(kept)} if kept else {}) | {
        "executor": _kind(ran.executor),
        "workers": len(ran.workers),
        "chunks": ran.chunks,
        "computedTwice": ran.checked,
    }


def _kind(executor: str) -> str:
    """Returns where work ran without the address of a machine.

    >>> _kind("threads:2"), _kind("dask:local:2"), _kind("dask:tcp://192.0.2.1:8786")
    ('threads:2', 'dask:local:2', 'dask')
    """
    remote = executor.startswith("dask:") and not executor.startswith("dask:local:")
    return "dask" if remote else executor


Arguments = ParamSpec("Arguments")


class Background(Protocol):
    """Where whole tasks run while the caller goes on."""

    def begin(
        self, task: Callable[Arguments, T], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Callable[[], T]:
        """Begins a task, and returns what waits for its result."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """Computes a task in the calling thread, once, when its result is requested."""

    def begin(
        self, task: Callable[Arguments, T], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Callable[[], T]:
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
        self, task: Callable[Arguments, T], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Callable[[], T]:
        """Sends the task to the process, and returns what waits for its result."""
        again = partial(task, *arguments, **named)
        sent = self.processes.submit(result_cache.to_send(again))
        return cache(again if sent is None else partial(_result, sent, again))


def _result(sent: Future[tuple[T, Mapping[str, str]]], again: Callable[[], T]) -> T:
    """Waits for a result; what was lost, could not be sent, or failed there, is computed here, where it fails too."""
    try:
        result, found = sent.result()
    except Exception:  # noqa: BLE001 - whatever it was: a defect of the task shows here again, with its own trace
        return again()
    result_cache.also_kept(found)
    return result


@contextmanager
def open_background(spec: ExecutorSpec) -> Iterator[Background]:
    """Opens a process next to a caller that runs on several threads, and ends it afterwards.

    An executor of other kinds has its own processes, and a single thread has nothing next to it. Where no further
    process can be started the caller computes what was to be computed there.
    """
    if spec.kind != "threads" or spec.workers == 1:
        yield Deferred()
    else:
        with Processes(1) as processes:
            yield BackgroundProcess(processes)
