"""Where work ran, in words and as written into the attestation."""

from __future__ import annotations

from certify.executors.port import Execution
from certify.kept import found
from certify.outside import JsonObject


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
