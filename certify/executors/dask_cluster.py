"""Work on a cluster of Dask; needs the extra ``cluster``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final

from certify.errors import InputError, MissingPartError
from certify.executors.crew import Flight, Lost

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
    _given_up: set[str] = field(default_factory=set)
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

    def present(self) -> tuple[str, ...]:
        """Returns the addresses of the workers that the scheduler knew half a second ago and that were not given up."""
        if self._client.status != "running":
            return ()
        if time.monotonic() - self._asked > _PRESENT_SECONDS:
            self._known = self._registered()
            self._asked = time.monotonic()
        return tuple(sorted(set(self._known) - self._given_up))

    def _registered(self) -> tuple[str, ...]:
        """Returns the addresses of the workers that the scheduler knows."""
        try:
            return tuple(self._client.scheduler_info(n_workers=-1)["workers"])
        except (OSError, KeyError, ValueError):
            return ()

    def submit(self, worker: str, call: Callable[..., Any], *arguments: Any) -> Flight:
        """Sends a call to one worker and no other."""
        try:
            flight: Flight = self._client.submit(
                call, *arguments, workers=[worker], allow_other_workers=False, pure=False, retries=0
            )
        except (OSError, RuntimeError) as error:
            raise Lost(worker) from error
        return flight

    def lost(self, error: BaseException) -> bool:
        """Tells whether an error says that a worker or its connection is gone."""
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        return isinstance(error, (KilledWorker, CancelledError, OSError, TimeoutError, Lost))

    def give_up(self, worker: str) -> None:
        """Sends nothing to a worker any more."""
        self._given_up.add(worker)


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
