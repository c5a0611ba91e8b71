"""What a state only points to: submodules and links, whose contents the gate does not read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from certify.gate.change import NOTHING, GateChange
from certify.gate.compare import GameComparison
from certify.gate.folder_store import with_submodules
from certify.gate.kinds import kind
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import is_wanted


def pointer_changes(
    base: Snapshot, head: Snapshot, games: Sequence[GameComparison], policy: GatePolicy
) -> Iterator[GateChange]:
    """Yields every submodule that is pinned to another commit, and every link that leads to another game.

    A policy may leave submodules out by ``exclude``; ``paths`` says nothing about them, as games may lie inside.
    """
    if not _comparable(base, head):
        return
    if base.gitlinks and head.root is not None:
        head = with_submodules(head, base.gitlinks)
    for path, old, new in _changed(base.gitlinks, head.gitlinks):
        # A folder does not have what is not checked out, and may have repositories of its own.
        known = (old is not None and new is not None) or (base.root is None and head.root is None)
        if known and is_wanted(path, (), policy.exclude):
            message = f"submodule {path}: {_pin(old)} → {_pin(new)}"
            yield _change("submodule-changed", path, (old, new), message, head, policy)
    submitted = {side.path for game in games for side in (game.before, game.after) if side is not None}
    for path, old, new in _changed(base.links, head.links):
        if any(_leads_to_game(path, target, submitted) for target in (old, new) if target is not None):
            message = f"link {path}: {old or 'none'} → {new or 'none'}"
            yield _change("link-changed", path, (old, new), message, head, policy)


def _comparable(base: Snapshot, head: Snapshot) -> bool:
    """Tells whether paths mean the same in both states: of a commit they are counted from the root of its checkout."""
    if base.single or head.single:
        return False
    if base.from_git == head.from_git:
        return True
    folder, commit = (head, base) if base.from_git else (base, head)
    return folder.root is not None and (folder.root / ".git").exists() and not commit.within


def _changed(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yields what points elsewhere: its path, and what it pointed to before and after."""
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path):
            yield path, before.get(path), after.get(path)


def _leads_to_game(path: str, target: str, submitted: set[str]) -> bool:
    """Tells whether a link leads to a submission, to a folder with one, or out of the repository."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if place.startswith(("..", "/")):
        return True
    return any(name == place or name.startswith(f"{place}/") or place == "." for name in submitted)


def _change(
    kind_id: str,
    path: str,
    ends: tuple[str | None, str | None],
    message: str,
    head: Snapshot,
    policy: GatePolicy,
) -> GateChange:
    found, (old, new) = kind(kind_id), ends
    return GateChange(
        kind=found,
        game="",
        subject=path,
        severity=policy.severity_of(found),
        message=message,
        before=old,
        after=new,
        path=head.shown(path),
        before_digest=old or NOTHING,
        after_digest=new or NOTHING,
    )


def _pin(commit: str | None) -> str:
    return "none" if commit is None else commit[:12]
