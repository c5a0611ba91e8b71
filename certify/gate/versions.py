"""Whether a version was raised as far as a change asks (GLI-19 v3.0 A.6.1(b))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from certify.gate.change import GateChange
from certify.gate.kinds import Bump


def parse_version(text: str) -> tuple[int, int, int]:
    """Returns the three numbers of a version.

    >>> parse_version("1.10.0") > parse_version("1.9.9")
    True
    """
    major, minor, patch = (int(part) for part in text.split("."))
    return major, minor, patch


def bump_between(before: str, after: str) -> Bump:
    """Returns how far a version was raised, ``NONE`` where it stayed or went back.

    >>> bump_between("1.0.0", "1.1.0").name, bump_between("1.0.0", "2.0.0").name
    ('MINOR', 'MAJOR')
    """
    old, new = parse_version(before), parse_version(after)
    if new <= old:
        return Bump.NONE
    if new[0] != old[0]:
        return Bump.MAJOR
    return Bump.MINOR if new[1] != old[1] else Bump.PATCH


def least_version(before: str, bump: Bump) -> str:
    """Returns the least version that is raised as far as asked.

    >>> least_version("1.2.3", Bump.MAJOR), least_version("1.2.3", Bump.PATCH)
    ('2.0.0', '1.2.4')
    """
    major, minor, patch = parse_version(before)
    return {
        Bump.MAJOR: f"{major + 1}.0.0",
        Bump.MINOR: f"{major}.{minor + 1}.0",
        Bump.PATCH: f"{major}.{minor}.{patch + 1}",
    }.get(bump, before)


def version_changes(
    before: str, after: str, asked: Bump, changes: Sequence[GateChange]
) -> Iterator[tuple[str, str]]:
    """Yields kind and message of everything that is wrong with a version.

    Args:
        before: Version before.
        after: Version after.
        asked: How far the changes ask it to be raised.
        changes: What changed besides.
    """
    raised = bump_between(before, after)
    if parse_version(after) < parse_version(before):
        yield "version-went-back", f"version {before} → {after}"
    elif raised < asked:
        reasons = sorted({change.kind.id for change in changes if change.kind.bump == asked}) or [
            "the policy"
        ]
        least = f"{least_version(before, asked)} ({asked.name.lower()}: {', '.join(reasons)})"
        yield "version-not-bumped", f"version is {after}, expected at least {least}"
    elif raised is not Bump.NONE and not changes:
        yield "version-raised-alone", f"version {before} → {after} and nothing else changed"
