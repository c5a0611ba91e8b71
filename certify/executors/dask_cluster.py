"""Work on a cluster of Dask; needs the extra ``cluster``."""

import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

from certify.children import source_digest
from certify.errors import InputError, MissingPartError, Refusing
from certify.executors.port import ChunkAnswer, Lost, Work

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

    def __enter__(self) -> "DaskCluster":
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
        with Refusing(OSError, InputError, f"--executor dask:{self.address}: no scheduler answers there"):
            self._client = distributed.Client(
                self._cluster or self.address, timeout=_CONNECT_SECONDS, set_as_default=False
            )
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
        with Refusing((OSError, RuntimeError), Lost, "the scheduler"):
            sent = self._client.submit(
                _compute, work, item, workers=others, allow_other_workers=others is not None, pure=False
            )
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
    with Refusing(
        ImportError,
        MissingPartError,
        f"--executor dask: needs Dask's distributed; install it with: {INSTALL}",
        words=None,
    ):
        import distributed
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
