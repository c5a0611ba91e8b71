"""Where a value of a submission comes from, so that no claim is confirmed by what was derived from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Provenance(StrEnum):
    """How a value got into the submission."""

    PRINTED = "printed"
    ADOPTED = "adopted"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Origin:
    """The provenance of one value.

    Args:
        provenance: Printed in a source, adopted as a reading, or recovered from a printed return.
        by: The source, the reading or the recovery that gave the value; empty only where it is printed.
        unique: For a recovered value: whether no other candidate fits the printed figure.
    """

    provenance: Provenance = Provenance.PRINTED
    by: str = ""
    unique: bool = True
