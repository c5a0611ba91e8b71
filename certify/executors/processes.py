"""Work in processes of this machine, each started by itself, so that one that dies takes nothing with it."""

import os
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from traceback import format_exception
from types import TracebackType
from typing import Any, BinaryIO, cast

from certify.children import Child, ChildError, read_digest, require_same_code, source_digest, start
from certify.executors.port import ChunkAnswer, Lost, Work


class WorkerProcess:
    """A process of our own code that computes calls one after the other; one that was lost is started again."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self.queue = ThreadPoolExecutor(1)
        self.waiting: set[Future[Any]] = set()
        self.dismissed = False

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
                # It may have been started while the command ended, which then saw no process to end.
                if self.dismissed:
                    raise ChildError("nobody waits for its answers")
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

    def __enter__(self) -> "Processes":
        self._workers = tuple(WorkerProcess() for _ in range(self.number))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.queue.shutdown(wait=False, cancel_futures=True)
            worker.dismissed = True
            worker.end()

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any] | None:
        """Sends a call to the process with the fewest that wait."""
        return self._sent(WorkerProcess.call, call, *arguments)

    def _sent(self, how: Callable[..., Any], *arguments: Any, besides: str = "") -> Future[Any] | None:
        """Hands work to the process with the fewest that wait, but not to one; None where there is no other."""
        others = [worker for worker in self._workers if str(worker.pid) != besides]
        if not others:
            return None
        worker = min(others, key=lambda one: len(one.waiting))
        sent = worker.queue.submit(how, worker, *arguments)
        worker.waiting.add(sent)
        sent.add_done_callback(worker.waiting.discard)
        return sent

    def compute(self, work: Work[Any, Any], item: Any, besides: str = "") -> Future[ChunkAnswer] | None:
        """Sends a chunk to any process but one."""
        return self._sent(WorkerProcess.compute, work, item, besides=besides)
