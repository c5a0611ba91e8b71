"""The kinds of change that the gate knows, with their defaults and explanations, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import resources

from certify.errors import InputError
from certify.model.finding import Severity


class Bump(IntEnum):
    """How far a version must be raised, least first."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """One kind of change.

    Args:
        id: Stable id, such as ``return-changed``.
        title: What happened, one sentence.
        severity: How much it matters unless the policy says otherwise.
        bump: How far it asks the version to be raised unless the policy says otherwise.
        clause: What asks for it.
        why: Why it matters.
        remedy: What can be done about it.
        fixed: Whether no policy may set its severity.
    """

    id: str
    title: str
    severity: Severity
    bump: Bump
    clause: str
    why: str
    remedy: str
    fixed: bool = False


@cache
def kinds() -> Mapping[str, ChangeKind]:
    """Returns every kind of change by its id, in the order of the documentation.

    >>> kinds()["return-changed"].severity.name
    'MAJOR'
    """
    text = resources.files("certify.gate").joinpath("kinds.toml").read_text(encoding="utf-8")
    return {
        entry["id"]: ChangeKind(
            **entry
            | {
                "severity": Severity[entry["severity"].upper()],
                "bump": Bump[entry["bump"].upper()],
            }
        )
        for entry in tomllib.loads(text)["kinds"]
    }


def kind(kind_id: str) -> ChangeKind:
    """Returns one kind of change.

    Raises:
        InputError: There is no such kind.
    """
    found = kinds().get(kind_id)
    if found is None:
        raise InputError(f'no kind of change "{kind_id}": expected one of {", ".join(kinds())}')
    return found


def severity_named(name: str) -> Severity:
    """Returns a severity by its name.

    Raises:
        InputError: There is no such severity.

    >>> severity_named("major").name
    'MAJOR'
    """
    if not isinstance(name, str) or name.upper() not in Severity.__members__:
        raise InputError(
            f"no severity {name!r}: expected one of {', '.join(s.name.lower() for s in Severity)}"
        )
    return Severity[name.upper()]
