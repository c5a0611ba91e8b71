"""Work in processes of this machine, one pool a process, so that one that dies or hangs takes nothing with it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import connection
from types import TracebackType
from typing import Any

from certify.executors.crew import Lost


def _end_with_the_caller() -> None:
    """Ends this process when the one that started it is gone, however it went.

    A worker waits for work on a pipe whose other end it holds itself: that the caller was killed it would never learn.
    """
    caller = multiprocessing.parent_process()
    if caller is None:
        return

    def wait() -> None:
        connection.wait([caller.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True, name="caller").start()


@dataclass(slots=True)
class Processes:
    """A crew of processes; one that is lost is replaced.

    Args:
        workers: Number of processes.
    """

    workers: int
    _pools: dict[str, ProcessPoolExecutor] = field(default_factory=dict)
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
        # Spawned and not forked: compiled code and its threads do not survive a fork.
        context = multiprocessing.get_context("spawn")
        self._pools[f"process {self._started}"] = ProcessPoolExecutor(
            1, mp_context=context, initializer=_end_with_the_caller
        )

    def _end(self, worker: str) -> None:
        pool = self._pools.pop(worker)
        for process in tuple((pool._processes or {}).values()):
            process.kill()
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
            return self._pools[worker].submit(call, *arguments)
        except (KeyError, BrokenProcessPool) as error:
            raise Lost(worker) from error

    def lost(self, error: BaseException) -> bool:
        """Tells whether an error says that a process is gone."""
        return isinstance(error, (BrokenProcessPool, Lost))

    def give_up(self, worker: str) -> None:
        """Ends a process and starts another in its place."""
        if worker in self._pools:
            self._end(worker)
            self._start()
