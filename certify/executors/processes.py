"""Work in processes of this machine, one pool a process, so that one that dies or hangs takes nothing with it."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue
from traceback import format_exception
from types import TracebackType
from typing import Any, BinaryIO, cast

from certify.children import ChildError, read_digest, require_same_code, start
from certify.executors.crew import Lost


class WorkerProcess:
    """A process of our own code that computes calls one after the other; started when the first one is sent."""

    def __init__(self) -> None:
        self._child = start(f"{__name__}:serve")
        self._trusted = False

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Returns what a call returns there, or raises what it raises.

        Raises:
            Lost: The process is gone, or is of other code.
        """
        sent = pickle.dumps((function, arguments))
        given, answers = cast("BinaryIO", self._child.stdin), cast("BinaryIO", self._child.stdout)
        try:
            if not self._trusted:
                require_same_code(read_digest(answers))
                self._trusted = True
            given.write(sent)
            given.flush()
            returned, value = pickle.load(answers)  # noqa: S301 - of our own code, as its digest says
        except (OSError, EOFError, ValueError, ChildError, pickle.UnpicklingError) as error:
            self.end()
            raise Lost(str(error)) from error
        if not returned:
            raise value
        return value

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self._child.kill()
        self._child.wait()


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
        except Exception:  # noqa: BLE001 - an error that cannot be sent is told in words
            return pickle.dumps((False, RuntimeError(where)))


def _raise(error: Exception) -> None:
    raise error


@dataclass(slots=True)
class Processes:
    """A crew of processes; one that is lost is replaced.

    Args:
        workers: Number of processes.
    """

    workers: int
    _pools: dict[str, tuple[WorkerProcess, ThreadPoolExecutor]] = field(default_factory=dict)
    _started: int = 0

    @property
    def name(self) -> str:
        """Where work runs, as on the command line."""
        return f"processes:{self.workers}"

    def __enter__(self) -> Processes:
        for _ in range(self.workers):
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in tuple(self._pools):
            self._end(worker)

    def _start(self) -> None:
        self._started += 1
        self._pools[f"process {self._started}"] = (WorkerProcess(), ThreadPoolExecutor(1))

    def _end(self, worker: str) -> None:
        process, pool = self._pools.pop(worker)
        process.end()
        pool.shutdown(wait=False, cancel_futures=True)

    def present(self) -> tuple[str, ...]:
        """Returns the processes."""
        return tuple(self._pools)

    def submit(self, worker: str, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Sends a call to one process.

        Raises:
            Lost: The process is gone.
        """
        try:
            process, pool = self._pools[worker]
            return pool.submit(process.call, call, *arguments)
        except (KeyError, RuntimeError) as error:
            raise Lost(worker) from error

    def lost(self, error: BaseException) -> bool:
        """Tells whether an error says that a process is gone."""
        return isinstance(error, Lost)

    def give_up(self, worker: str) -> None:
        """Ends a process and starts another in its place."""
        if worker in self._pools:
            self._end(worker)
            self._start()
