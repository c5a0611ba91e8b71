"""Executors by the names that the command line takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError
from certify.executors.pooled import Pooled
from certify.executors.port import Executor, InTurn
from certify.executors.threads import Threads

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
    from certify.executors.dask_cluster import require_safe

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
        from certify.executors.processes import Processes

        with Processes(spec.workers) as processes:
            yield Pooled(processes)
    else:
        from certify.executors.dask_cluster import DaskCluster

        with DaskCluster(spec.address) as cluster:
            yield Pooled(cluster)
