"""Pools of workers: processes of this machine, each started by itself, and a cluster of Dask.

A process that dies takes nothing with it. The cluster needs the extra ``cluster``.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from traceback import format_exception
from types import TracebackType
from typing import Any, BinaryIO, Final, cast

from certify.children import Child, ChildError, read_digest, require_same_code, source_digest, start
from certify.errors import InputError, MissingPartError
from certify.executors.port import ChunkAnswer, Lost, Work


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
        except Exception:  # noqa: BLE001 - an error that cannot be sent is reported in words
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


INSTALL: Final = "pip install 'certify-VERSION.whl[cluster]'"


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
                # Workers of this process: one of its own would run what is in the folder that it is called from.
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

        The scheduler says whose it is: a false worker could name another, and be the one that computes it twice.
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
