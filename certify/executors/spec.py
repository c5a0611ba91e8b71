"""Where work runs, as a command states it, and work that goes on in the background."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from types import TracebackType
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from certify import result_cache
from certify.children import source_digest
from certify.errors import InputError, MissingPartError
from certify.executors.port import (
    ChunkAnswer,
    Execution,
    Executor,
    InTurn,
    Lost,
    Pooled,
    Processes,
    Threads,
    Work,
)
from certify.result_cache import found
from certify.untrusted_input import JsonObject

INSTALL: Final = "pip install 'certify[cluster]'"
HERE: Final = ("127.0.0.1", "localhost", "[::1]")
_CONNECT_SECONDS: Final = 20
_START_SECONDS: Final = 120
_PRESENT_SECONDS: Final = 0.5
"""How old the list of workers may be: asking the scheduler takes as long as a small chunk."""


@dataclass(slots=True)
class DaskCluster:
    """The workers of a Dask scheduler, or of a local cluster that is started for the run.

    Args:
        address: Address of a scheduler such as ``tls://10.0.0.1:8786``, or ``local:N`` for N processes here.
    """

    address: str
    _client: Any = None
    _cluster: Any = None
    _known: tuple[str, ...] = ()
    _asked: float = float("-inf")

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return f"dask:{self.address}"

    def __enter__(self) -> DaskCluster:
        distributed = _library()
        local = self.address.removeprefix("local:") if self.address.startswith("local:") else ""
        if local:
            self._cluster = distributed.LocalCluster(
                # Workers of this process: one of its own would run what lies in the folder that it is called from.
                n_workers=int(local),
                threads_per_worker=1,
                processes=False,
                dashboard_address=None,
            )
        try:
            self._client = distributed.Client(
                self._cluster or self.address, timeout=_CONNECT_SECONDS, set_as_default=False
            )
        except OSError as error:
            raise InputError(
                f"--executor dask:{self.address}: no scheduler answers there ({error})"
            ) from error
        if local:
            self._client.wait_for_workers(int(local), timeout=_START_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=10)

    @property
    def size(self) -> int:
        """Number of workers that the scheduler knows."""
        return max(1, len(self._addresses()))

    def reachable(self) -> bool:
        """Returns whether the scheduler is there: without it the library waits for ever."""
        return bool(self._client.status == "running")

    def _addresses(self) -> tuple[str, ...]:
        """Returns the addresses of the workers, as they were known a moment ago."""
        if time.monotonic() - self._asked > _PRESENT_SECONDS and self._client.status == "running":
            with suppress(OSError, KeyError, ValueError):
                self._known = tuple(self._client.scheduler_info(n_workers=-1)["workers"])
            self._asked = time.monotonic()
        return self._known

    def compute(self, work: Work[Any, Any], item: Any, besides: str = "") -> Future[ChunkAnswer] | None:
        """Sends a chunk to the scheduler, which sends it again where a worker dies; None where there is no other."""
        others = [worker for worker in self._addresses() if worker != besides] if besides else None
        if others == []:
            return None
        landed: Future[ChunkAnswer] = Future()
        try:
            sent = self._client.submit(
                _compute, work, item, workers=others, allow_other_workers=others is not None, pure=False
            )
        except (OSError, RuntimeError) as error:
            raise Lost(f"the scheduler: {error}") from error
        sent.add_done_callback(lambda done: self._land(done, landed))
        return landed

    def _land(self, sent: Any, landed: Future[ChunkAnswer]) -> None:
        """Hands over a result; a lost worker or connection is a loss, any other error is that of the work.

        The scheduler says whose it is: a worker that lies could name another, and be the one that computes it twice.
        """
        from distributed.scheduler import KilledWorker

        try:
            answer = sent.result(timeout=_CONNECT_SECONDS)
            where = self._client.who_has([sent])[sent.key]
            if not where:
                raise OSError("its worker is gone")
            code, result = answer if type(answer) is tuple and len(answer) == 2 else ("", None)
            landed.set_result(ChunkAnswer(where[0], str(code), result))
        except BaseException as error:  # noqa: BLE001 - it is the caller's to handle
            of_work = isinstance(error, Exception) and not isinstance(
                error, (KilledWorker, CancelledError, OSError)
            )
            landed.set_exception(error if of_work else Lost(f"the cluster: {type(error).__name__}: {error}"))


def _compute(work: Work[Any, Any], item: Any) -> tuple[str, Any]:
    return source_digest(), work(item)


def _library() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MissingPartError(
            f"--executor dask: needs Dask's distributed; install it with: {INSTALL}"
        ) from error
    return distributed


def require_safe(address: str) -> None:
    """Refuses an address on another machine that is not spoken to in TLS.

    Code and counts travel to the workers: whoever listens in between could change both.

    Raises:
        InputError: The address is elsewhere and not ``tls://``.
    """
    scheme, _, rest = address.rpartition("://")
    host = rest.rpartition(":")[0]
    if scheme not in ("", "tcp", "tls"):
        raise InputError(
            f"--executor dask:{address}: expected tls://HOST:PORT, tcp://127.0.0.1:PORT or local:N"
        )
    if scheme != "tls" and host not in HERE:
        raise InputError(
            f"--executor dask:{address}: {host or rest} is not this machine, expected tls://{rest}: work and results "
            "would travel where others can change them (docs/scale.md shows how Dask is given certificates)"
        )


MOST: Final = 256
EXPECTED: Final = "threads:N, processes:N, dask:ADDRESS or dask:local:N"


@dataclass(frozen=True, slots=True)
class ExecutorSpec:
    """An executor as it was asked for.

    Args:
        kind: ``threads``, ``processes`` or ``dask``.
        workers: Number of workers; 0 where a cluster decides.
        address: Address of a cluster, empty where there is none.
    """

    kind: str
    workers: int
    address: str = ""


def parse_executor(text: str) -> ExecutorSpec:
    """Returns an executor that was asked for by name.

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
    """Returns where work ran as it stands in the attestation: it changes no byte of evidence, data or pages.

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
    result_cache.also_kept(found)
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

    with Processes(1) as processes:
        yield BackgroundProcess(processes)
