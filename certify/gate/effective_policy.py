"""Whose policy judges a change: the one of the state before, never the one that the change brings along."""

import hashlib
import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from certify.errors import InputError
from certify.gate.change import NOTHING, GateChange, kind
from certify.gate.git_store import worktree_of
from certify.gate.policy import DEFAULT, GatePolicy, find_policy, has_policy, parse_policy, policy_places
from certify.gate.snapshot import NOTHING as NO_STATE, FolderTree, Snapshot, SnapshotTree, shown_path
from certify.untrusted_input import read_bounded


@dataclass(frozen=True, slots=True)
class RootFile:
    """A file of trusted roots: its path as messages name it, and its bytes; none where it is missing."""

    name: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """A policy with everything it rests on.

    Args:
        path: File that states it, as messages name it; empty for the default policy.
        policy: What it says.
        roots: The roots that it trusts, in the order in which it names them.
        folder: Folder on disk next to which the files lie that it names.
        complaint: Why it could not be read, where it could not: it then says no more than the default policy.
    """

    path: str
    policy: GatePolicy
    roots: tuple[RootFile, ...]
    folder: Path
    complaint: str = ""

    @property
    def defect(self) -> str:
        """Why nothing could be merged under it; an empty text where something could."""
        if self.complaint or not self.policy.require_signed_approvals:
            return self.complaint
        if not self.roots:
            return "it requires signed approvals and trusts no root"
        wrong = [
            root.name for root in self.roots if not root.data or b"-----BEGIN CERTIFICATE" not in root.data
        ]
        return f"it requires signed approvals, and {wrong[0]} holds no root" if wrong else ""

    @property
    def digest(self) -> str:
        """What an approval of a changed policy is bound to: what it says, and what its roots are."""
        if self.policy == DEFAULT and not self.complaint:
            return NOTHING
        roots = [(root.name, root.data and hashlib.sha256(root.data).hexdigest()) for root in self.roots]
        return hashlib.sha256(repr((self.policy, roots, self.complaint)).encode()).hexdigest()


class AbsentError(InputError):
    """A file was named that the state which judges does not have."""


class PolicyResolver:
    """Finds the policy and the roots that judge a change.

    Whatever of them is in the repository is read from the state that judges, so that a change never
    contains its own judge; what is outside of the repository is out of a change's reach and read as it is.

    Args:
        repository: Folder of the repository that commits are read from.
        config: Policy file that was named, if one was.
        judging: The state whose policy judges.
    """

    def __init__(self, repository: Path, config: Path | None, judging: Snapshot) -> None:
        self.repository = repository.resolve()
        self.worktree = worktree_of(repository)
        self.config = config
        self.judging = judging

    def effective(self) -> EffectivePolicy:
        """Returns the policy that judges.

        Raises:
            InputError: It cannot be read, or a file was named that the judging state does not have.
        """
        tree = self.judging.tree
        inside, data = self._judged(self.config) if self.config else (None, None)
        found = None if self.config or tree is None else self._nearest(tree, self._prefix)
        if inside is not None:
            if data is None:
                raise AbsentError(
                    f"{self.config}: is not in {self.judging.label}: a change cannot contain the policy that judges "
                    "it; merge the file first, or name one outside of the repository"
                )
            found = inside, data
        if found is not None:
            return self._stated(*found, tree)
        outside = self.worktree.parent if self.worktree and self.judging.from_git else self.repository
        path = self.config or find_policy(outside)
        return self._on_disk(path) if path else self._default()

    def effective_or_mended(self, base: Snapshot, head: Snapshot) -> EffectivePolicy:
        """Returns the policy that judges; the default one where it cannot be read and the change mends it.

        Then nothing but the mending is approved: that nobody could read what judges is no time to merge a game.

        Raises:
            InputError: It cannot be read, and the state after has none that can.
        """
        try:
            return self.effective()
        except AbsentError:
            raise
        except InputError as error:
            file = self._compared_file(base, head)
            # A branch from before the policy broke mends nothing: its own state before can be read.
            if not self.judging.from_git or not self._readable_or_not(self._tree(base, head), file).complaint:
                raise
            # Read for its complaints: what is there now must be one that can be read.
            self._stated_in(self._tree(head, base), file)
            strict = replace(DEFAULT, require_signed_approvals=True)
            return replace(self._default(), policy=strict, complaint=str(error).partition("\n")[0])

    def root(self, path: Path) -> RootFile:
        """Returns a file of roots that was named, from the judging state where it is in the repository.

        Raises:
            InputError: There is no such file where it is looked for.
        """
        inside, found = self._judged(path)
        if found is None and inside is None:
            raise InputError(f"{path}: cannot be read: no such file")
        if found is None:
            raise InputError(
                f"{path}: is not in {self.judging.label}: a change cannot contain the roots that it is judged by"
            )
        return RootFile(str(path), found)

    def changes(self, base: Snapshot, head: Snapshot) -> Iterator[GateChange]:
        """Yields that a change brings another policy along, or other roots under the same names."""
        if base.label == NO_STATE or head.label == NO_STATE:
            return
        trees = (self._tree(base, head), self._tree(head, base))
        if trees[1] is None or (trees[0] is None and not base.from_git):
            return
        file = self._compared_file(base, head)
        old = self._readable_or_not(trees[0], file)
        new = self._stated_in(trees[1], file)
        if old.digest == new.digest:
            return
        if new.defect:
            yield self._change("policy-unsound", f"{new.path}: {new.defect}", old, new, head)
        if old.defect and not new.defect:
            yield self._change("policy-mended", f"{old.path}: {old.defect}", old, new, head)
            return
        judged = (
            ""
            if self.judging.label == head.label or not self.judging.from_git
            else (
                f"; that of {self.judging.label} judges this comparison, the other one holds from the next change on"
            )
        )
        message = f"{_fields(old, new)} of the policy differ between {base.label} and {head.label}{judged}"
        yield self._change("policy-changed", message, old, new, head)

    def brought(self, base: Snapshot, head: Snapshot) -> GatePolicy | None:
        """Returns the policy that the state after brings along, none where it brings none of its own."""
        tree = self._tree(head, base)
        return (
            None
            if tree is None or base.label == NO_STATE
            else self._stated_in(tree, self._compared_file(base, head)).policy
        )

    def _change(
        self, kind_id: str, message: str, old: EffectivePolicy, new: EffectivePolicy, head: Snapshot
    ) -> GateChange:
        found = kind(kind_id)
        return GateChange(
            kind=found,
            game="",
            subject="policy",
            severity=found.severity,
            message=message,
            path=head.shown(new.path or old.path),
            before_digest=old.digest,
            after_digest=new.digest,
        )

    def _readable_or_not(self, tree: SnapshotTree | None, file: str | None) -> EffectivePolicy:
        """Returns the policy of a state, the default with its complaint where that state's cannot be read."""
        try:
            return self._stated_in(tree, file)
        except InputError as error:
            return replace(self._default(), complaint=str(error).partition("\n")[0])

    @property
    def _prefix(self) -> str:
        """The folder from which the policy is looked for upwards, from the root of the repository."""
        return "" if self.worktree is None else self.repository.relative_to(self.worktree).as_posix()

    def _inside(self, path: Path) -> str | None:
        """Returns the path of a file within the checkout, whether by its name or by what it links to."""
        return None if self.worktree is None else path_within(self.worktree, path)

    def _tree(self, snapshot: Snapshot, other: Snapshot) -> SnapshotTree | None:
        """Returns the files of a state, the whole checkout's where a part of it is held against a commit."""
        if snapshot.from_git:
            return snapshot.tree
        root = snapshot.root
        if root is None:
            return None
        if other.from_git and self.worktree is not None and path_within(self.worktree, root) is not None:
            return FolderTree(self.worktree)
        return None if snapshot.single else FolderTree(root)

    def _compared_file(self, base: Snapshot, head: Snapshot) -> str | None:
        """Returns the file that is compared, from the root of each state; none where the nearest is meant."""
        if base.from_git or head.from_git:
            return None if self.config is None else self._inside(self.config)
        used = self.config or find_policy(self.repository)
        roots = [snapshot.root for snapshot in (head, base) if snapshot.root is not None]
        within = (path_within(root, used) for root in roots) if used else iter(())
        return next((path for path in within if path is not None), None)

    def _stated_in(self, tree: SnapshotTree | None, file: str | None) -> EffectivePolicy:
        """Returns the policy that a state brings along, the default where it brings none."""
        if tree is None:
            return self._default()
        if file is not None:
            data = tree.read(file)
            return self._default() if data is None else self._stated(file, data, tree)
        at_root = isinstance(tree, FolderTree) and tree.root != self.worktree
        found = self._nearest(tree, "" if at_root else self._prefix)
        return self._default() if found is None else self._stated(*found, tree)

    def _nearest(self, tree: SnapshotTree, folder: str) -> tuple[str, bytes] | None:
        """Returns the nearest policy file of a state, from a folder upwards to its root."""
        for place in policy_places(PurePosixPath(folder)):
            data = tree.read(place.as_posix())
            if data is not None and has_policy(place.name, data):
                return place.as_posix(), data
        return None

    def _stated(self, path: str, data: bytes, tree: SnapshotTree | None) -> EffectivePolicy:
        """Returns a policy that a state holds, with its roots from the same state."""
        place = PurePosixPath(path).parent
        folder = (self.worktree or self.repository) / place

        def root(name: str) -> RootFile:
            inside = _normal((place / name).as_posix())
            if inside is None:
                return RootFile(name, _disk_or_none(folder / name))
            named = f"{inside} of {self.judging.label}" if inside else name
            return RootFile(named, tree.read(inside) if tree else None)

        policy = parse_policy(data, path)
        return EffectivePolicy(path, policy, tuple(map(root, policy.trust)), folder)

    def _on_disk(self, path: Path) -> EffectivePolicy:
        """Returns a policy from disk; its roots come from the judging state where they lie in the repository."""
        shown = str(shown_path(path))
        data = _disk_or_none(path)
        if data is None:
            raise InputError(f"{path}: cannot be read: no such file")
        policy = parse_policy(data, shown)
        places = [path.parent / name for name in policy.trust]
        roots = (RootFile(str(shown_path(place)), self._judged(place)[1]) for place in places)
        return EffectivePolicy(shown, policy, tuple(roots), path.parent)

    def _judged(self, place: Path) -> tuple[str | None, bytes | None]:
        """Returns where a file is in the state that judges and its bytes there; nowhere, and those on disk, else."""
        inside = self._inside(place) if self.judging.from_git else None
        if inside is None:
            return None, _disk_or_none(place)
        return inside, self.judging.tree.read(inside) if self.judging.tree else None

    def _default(self) -> EffectivePolicy:
        return default_policy(self.worktree or self.repository)


def default_policy(repository: Path) -> EffectivePolicy:
    """Returns the default policy, without any file."""
    return EffectivePolicy("", DEFAULT, (), repository)


def path_within(root: Path, path: Path) -> str | None:
    """Returns a path from a folder that it is in, by its name or by what it links to; none outside of it."""
    for place in (Path(os.path.abspath(path)), path.resolve()):
        for top in (root, root.resolve()):
            if place.is_relative_to(top):
                return place.relative_to(top).as_posix()
    return None


def _normal(path: str) -> str | None:
    """Returns a path without dots, none where it leads out of the root."""
    found = posixpath.normpath(path)
    if path.startswith("/") or found.partition("/")[0] == "..":
        return None
    return "" if found == "." else found


def _disk_or_none(path: Path) -> bytes | None:
    return read_bounded(path) if path.is_file() else None


def _fields(old: EffectivePolicy, new: EffectivePolicy) -> str:
    """Returns the keys in which two policies differ; roots differ by what they hold, not by their names."""
    names: Sequence[str] = [
        name for name in GatePolicy.__slots__ if getattr(old.policy, name) != getattr(new.policy, name)
    ]
    return ", ".join(names) or "the roots that trust names"
