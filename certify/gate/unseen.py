"""Submissions under names that the gate does not read: told before they pass for nothing at all."""

from __future__ import annotations

from pathlib import PurePosixPath

from certify.errors import InputError
from certify.gate.folder_store import FolderTree, is_toml
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot, SnapshotTree
from certify.gate.snapshot_reader import is_below, is_wanted, parses_as_game


def refuse_unseen(base: Snapshot, head: Snapshot, policy: GatePolicy) -> None:
    """Refuses a change that brings a submission, or leaves one, under a name that is not a TOML file's.

    Commands read a submission whatever it is called, the gate reads TOML files: a game that was renamed would be played
    and never judged again. What is changed is looked at alone, so that the cost is that of the change.

    Args:
        base: The state before.
        head: The state after.
        policy: What it excludes is left alone.

    Raises:
        InputError: There is such a file; it names the first.
    """
    tree, since = _tree(head), _tree(base)
    if tree is None:
        return
    for path, data in tree.changed(since):
        if not is_below(path, head.within) or is_toml(path) or not parses_as_game(data):
            continue
        if _would_be_wanted(path, policy) and (since is None or since.read(path) != data):
            raise InputError(
                f"{head.label}: {path} is a submission and is not called as one: the gate reads *.toml alone and would "
                "see no later change of it; rename it, or leave it out with exclude of the policy"
            )


def _tree(state: Snapshot) -> SnapshotTree | None:
    if state.tree is not None or state.root is None or state.single:
        return state.tree
    return FolderTree(state.root)


def _would_be_wanted(path: str, policy: GatePolicy) -> bool:
    """Tells whether a policy wants the file, under its own name or under one that submissions have beside it."""
    place = PurePosixPath(path)
    names = (path, f"{path}.toml", str(place.with_suffix(".toml")), str(place.with_name("game.toml")))
    return is_wanted(path, (), policy.exclude) and any(
        is_wanted(name, policy.paths, policy.exclude) for name in names
    )
