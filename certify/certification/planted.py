"""Faults planted into generators and shuffles, to see the tests of randomness find them.

What is found depends on this software alone, not on the submission: it is kept by the digest of the software, and found
again by the next run, whose attestation names it. A run that is repeated (``verify --replay``) keeps nothing, and
plants every fault again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Final

from certify import result_cache
from certify.errors import InputError
from certify.evidence.randomness import TriedFault
from certify.executors import Executor
from certify.executors.packages import environment

KIND: Final = "faults"
"""What the findings are kept as."""


def planted_faults(executor: Executor) -> Sequence[TriedFault]:
    """Plants every known fault and returns whether its test found it."""
    from rng.battery.calibration import find_by_name
    from rng.battery.planted.catalogue import FAULTS

    found = zip(FAULTS, executor.map(find_by_name, [fault.name for fault in FAULTS]), strict=True)
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


def faults_again(stated: Sequence[TriedFault]) -> Sequence[TriedFault]:
    """Returns every known fault with what evidence says was found of it.

    Raises:
        InputError: The evidence says nothing of a fault, or that one was found whose p-value does not find it.
    """
    from rng.battery.calibration import CAUGHT_BELOW
    from rng.battery.planted.catalogue import FAULTS

    told = {one.fault: one for one in stated}
    for fault in FAULTS:
        found = told.get(fault.name)
        if found is None:
            raise InputError(f"/randomness/planted: {fault.name} was not planted")
        if not 0 <= found.p <= 1 or (found.caught and found.p >= CAUGHT_BELOW):
            raise InputError(
                f"/randomness/planted: {fault.name} is said to be {'' if found.caught else 'not '}found at "
                f"p = {found.p:g}: expected a p-value, of what is found one below {CAUGHT_BELOW:g}"
            )
    return tuple(
        replace(told[fault.name], caught_by=fault.found_by, sample=f"{fault.sample} {fault.kind}")
        for fault in FAULTS
    )


def kept_faults() -> tuple[TriedFault, ...] | None:
    """Returns what an earlier run of the same software found of the planted faults; none where none is kept."""
    found = result_cache.find(KIND, _digest())
    if not isinstance(found, list):
        return None
    try:
        return tuple(TriedFault(*one) for one in found)
    except TypeError:
        return None


def keep_faults(found: Sequence[TriedFault]) -> None:
    """Keeps what was found of the planted faults for later runs of the same software."""
    result_cache.keep(KIND, _digest(), [astuple(one) for one in found])


def _digest() -> str:
    """Returns one SHA-256 over the software of this process; empty where nothing is kept."""
    return hashlib.sha256(repr(environment()).encode()).hexdigest() if result_cache.keeping() else ""
