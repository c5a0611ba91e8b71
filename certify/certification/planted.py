"""Faults planted into generators and shuffles, to see the tests of randomness find them.

What is found depends on this software alone, not on the submission: it is kept by the digest of the software, and found
again by the next run, whose attestation names it. A run that is repeated (``verify --replay``) keeps nothing, and
plants every fault again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple
from typing import Final

from certify import kept
from certify.evidence.randomness import TriedFault
from certify.executors import Executor
from certify.executors.environment import environment

KIND: Final = "faults"
"""What the findings are kept as."""


def planted_faults(executor: Executor) -> Sequence[TriedFault]:
    """Plants every known fault and returns whether its test found it."""
    from rng.battery.calibration import FindFault
    from rng.battery.planted.catalogue import FAULTS

    found = zip(FAULTS, executor.map(FindFault(), [fault.name for fault in FAULTS]), strict=True)
    return tuple(
        TriedFault(
            fault.name,
            finding.caught_by,
            f"{finding.sample} {fault.kind}",
            max(finding.p_values),
            finding.caught,
        )
        for fault, finding in found
    )


def kept_faults() -> tuple[TriedFault, ...] | None:
    """Returns what an earlier run of the same software found of the planted faults; none where none is kept."""
    found = kept.find(KIND, _digest())
    if not isinstance(found, list):
        return None
    try:
        return tuple(TriedFault(*one) for one in found)
    except TypeError:
        return None


def keep_faults(found: Sequence[TriedFault]) -> None:
    """Keeps what was found of the planted faults for later runs of the same software."""
    kept.keep(KIND, _digest(), [astuple(one) for one in found])


def _digest() -> str:
    """Returns one SHA-256 over the software of this process; empty where nothing is kept."""
    return hashlib.sha256(repr(environment().facts).encode()).hexdigest() if kept.keeping() else ""
