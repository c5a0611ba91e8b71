"""A whole gate run: states, policy and approvals in, a judged report out; or a refusal that says what is wrong."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from certify.errors import InputError
from certify.gate.approvals import DEFAULT_NAME, parse_approvals, read_approvals, trust_judge
from certify.gate.change import Approval, GateChange, kind
from certify.gate.compare import GameComparison, compare
from certify.gate.effective_policy import EffectivePolicy, PolicyResolver, default_policy, path_within
from certify.gate.facts import named_in, read_submission
from certify.gate.family_code import StateCode
from certify.gate.figures import refuse_folder
from certify.gate.git_store import GitStore, worktree_of
from certify.gate.pointers import pointer_changes
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import CommitTree, FolderTree, Snapshot, SnapshotTree, is_toml, shown_path
from certify.gate.snapshot_reader import is_below, is_wanted, parses_as_game, read_snapshot
from certify.gate.verdict import GateReport, judge
from certify.model import Severity

_PARTS = re.compile(r"[<>]")


@dataclass(frozen=True)
class Refusals:
    """Says of an approval that covers a change why it does not count.

    Args:
        report: What was found.
        policy: What is required of approvals.
        repository: Folder of the repository that commits are read from.
        source: File of the approvals, as messages name it.
    """

    report: GateReport
    policy: GatePolicy
    repository: Path
    source: str

    def __call__(self, approval: Approval) -> tuple[str, str]:
        """Returns the kind of the remark and the reason, both empty where the approval counts."""
        if self.policy.approver_is_not_author and (reason := self._by_author(approval)):
            return "approval-by-author", reason
        if approval.binding in self._landed and self._was_there(approval):
            named = f"the approval of {approval.change} in {approval.game} ({approval.fingerprint[:12]})"
            return (
                "approval-replayed",
                f"{named} is of a change that was merged before and reverted: approve it again",
            )
        return "", ""

    def _by_author(self, approval: Approval) -> str:
        if self._authors is None:
            return "the policy requires that the approver is not the author, who is known of commits only"
        approver = {part.strip().casefold() for part in _PARTS.split(approval.approved_by) if part.strip()}
        approver |= {name.casefold() for name in _signer_names(approval)}
        if not approver:
            return "the policy requires that the approver is not the author, and the approval names nobody"
        both = sorted(approver & self._authors)
        return f"it was approved by {both[0]}, an author of what is judged" if both else ""

    @cached_property
    def _authors(self) -> frozenset[str] | None:
        """Who wrote the commits that touch what is judged, as they call themselves there; none of folders."""
        base, head = self.report.base, self.report.head
        if not base.commit or not head.commit:
            return None
        paths = {change.path for change in self.report.changes}
        for game in self.report.games:
            if game.status != "unchanged":
                paths |= {side.path for side in (game.before, game.after) if side is not None}
        paths -= {self.source, ""}
        names = GitStore(self.repository).authors(base.commit, head.commit, sorted(paths))
        return frozenset(name.casefold() for name in names)

    @cached_property
    def _landed(self) -> frozenset[str]:
        """What binds each approval that the state before holds, or its history: an entry may have been taken out."""
        tree, worktree = self.report.base.tree, worktree_of(self.repository)
        inside = path_within(worktree, Path(self.source)) if worktree is not None and self.source else None
        data = tree.read(inside) if tree is not None and inside is not None else None
        known = [] if data is None else [data]
        if tree is not None:
            known += [data for _, data in tree.earlier() if b"certify-approvals/" in data]
        found: set[str] = set()
        for text in known:
            with suppress(InputError):
                found |= {entry.binding for entry in parse_approvals(text, self.source)}
        return frozenset(found)

    def _was_there(self, approval: Approval) -> bool:
        """Returns whether the history behind the state before holds what the approval covers."""
        tree = self.report.base.tree
        if tree is None:
            return False
        code = StateCode(self.report.base, self.repository, self.policy.families)
        for file, data in tree.earlier():
            named = named_in(data)
            if named is None or named[0] != approval.game:
                continue
            with suppress(InputError):
                if read_submission(data, file.path, file.path, code.before).digest == approval.after:
                    return True
        return False


def _signer_names(approval: Approval) -> list[str]:
    """Returns the names and addresses in the certificate that an approval is signed with, which was verified."""
    if not approval.certificates:
        return []
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    from certify.seal import extension_of, read_certificates

    signer = read_certificates(approval.certificates.encode(), "the approval")[0]
    kinds = (NameOID.COMMON_NAME, NameOID.EMAIL_ADDRESS)
    names = [str(entry.value) for kind in kinds for entry in signer.subject.get_attributes_for_oid(kind)]
    more = extension_of(signer, x509.SubjectAlternativeName)
    return names + (more.get_values_for_type(x509.RFC822Name) if more else [])


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
    return (
        state.tree if state.tree is not None or state.root is None or state.single else FolderTree(state.root)
    )


def _would_be_wanted(path: str, policy: GatePolicy) -> bool:
    """Returns whether a policy wants the file, under its own name or under one that submissions have next to it."""
    place = PurePosixPath(path)
    names = (path, f"{path}.toml", str(place.with_suffix(".toml")), str(place.with_name("game.toml")))
    return is_wanted(path, (), policy.exclude) and any(
        is_wanted(name, policy.paths, policy.exclude) for name in names
    )


REWRITING: Final = ("export-subst", "export-ignore", "ident", "filter", "working-tree-encoding")
"""Attributes by which an archive or a checkout holds other bytes than the commit.

Source: gitattributes(5) of git 2.39.
"""


def rewritten(
    base: Snapshot, head: Snapshot, games: Sequence[GameComparison], policy: GatePolicy
) -> Iterator[GateChange]:
    """Yields submissions of a commit that git rewrites, where it did not rewrite them so before."""
    if not isinstance(head.tree, CommitTree):
        return
    found = kind("rewritten-by-git")
    paths = {game.after.path: game for game in games if game.after is not None}
    now = head.tree.attributes(sorted(paths), REWRITING)
    before = base.tree.attributes(sorted(now), REWRITING) if isinstance(base.tree, CommitTree) else {}
    for path, attributes in sorted(now.items()):
        new = [
            f"{name}={value}" for name, value in attributes.items() if before.get(path, {}).get(name) != value
        ]
        game = paths[path]
        if new:
            yield GateChange(
                kind=found,
                game=game.game,
                subject=path,
                severity=policy.severity_of(found),
                message=f"{path} has the attribute {', '.join(new)}: git checks out other bytes than were judged",
                before=None,
                after=", ".join(new),
                path=head.shown(path),
                before_digest=game.digests[0],
                after_digest=game.digests[1],
            )


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate run is to do.

    Args:
        base: State before: a file, a folder, ``git:REF`` or ``none``.
        head: State after.
        moment: The present time, in UTC.
        repository: Folder of the repository that commits are read from.
        config: Policy file; the nearest from the repository's folder upwards where none is named.
        isolated: Whether to take the default policy and look for none.
        approvals: File of approvals; the policy's, or the one next to it, where none is named.
        trust: PEM files of roots for signed approvals, instead of those of the policy.
        fail_on: Least severity that keeps a change from landing; the policy's where none is named.
        policy_from: Commit whose policy and roots judge, such as the tip of the branch that is merged into; the
            state before where none is named.
        without_approvals: Whether to look at no approvals.
    """

    base: str
    head: str
    moment: datetime
    repository: Path = Path()
    config: Path | None = None
    isolated: bool = False
    approvals: Path | None = None
    trust: tuple[Path, ...] = ()
    fail_on: Severity | None = None
    policy_from: str | None = None
    without_approvals: bool = False


def run_gate(request: GateRequest) -> GateReport:
    """Returns what a change does and whether it may be merged.

    Raises:
        InputError: A state, the policy or the approvals cannot be read.
        NothingCheckedError: There was nothing to compare.
        MissingPartError: git is needed and not installed.
    """
    base = read_snapshot(request.base, request.repository)
    head = read_snapshot(request.head, request.repository)
    places = [snapshot.root for snapshot in (base, head) if snapshot.root is not None]
    folders = [snapshot.root for snapshot in (base, head) if snapshot.root and not snapshot.single]
    refuse_folder([request.repository, *places], folders)
    resolver = PolicyResolver(request.repository, request.config, _judging(request, base))
    found = _effective(request, resolver, base, head)
    refuse_unseen(base, head, found.policy)
    brought = None if request.isolated else resolver.brought(base, head)
    games = compare(base, head, found.policy, repository=request.repository, brought=brought)
    source, approvals = _approvals(request, found, head)
    report = GateReport(
        base=base,
        head=head,
        games=games,
        remarks=(
            *resolver.changes(base, head),
            *pointer_changes(base, head, games, found.policy),
            *rewritten(base, head, games, found.policy),
        ),
        fail_on=request.fail_on if request.fail_on is not None else found.policy.fail_on,
        policy=found.path,
        policy_from=resolver.judging.label if resolver.judging.from_git and not request.isolated else "",
        approvals=source,
    )
    distrust = trust_judge(
        [resolver.root(path) for path in request.trust] or found.roots,
        request.moment,
        signed_only=found.policy.require_signed_approvals,
        needed=any(approval.signature or approval.certificates for approval in approvals),
    )
    refusals = Refusals(report, found.policy, request.repository, source)
    return judge(report, approvals, found.policy, request.moment.date(), distrust, refusals)


def policy_of(request: GateRequest) -> GatePolicy:
    """Returns the policy that judges a run, without comparing anything.

    Raises:
        InputError: It cannot be read.
    """
    judging = _judging(request, None)
    head = judging if request.base == request.head else read_snapshot(request.head, request.repository)
    return _effective(
        request, PolicyResolver(request.repository, request.config, judging), judging, head
    ).policy


def _judging(request: GateRequest, base: Snapshot | None) -> Snapshot:
    """Returns the state whose policy judges."""
    if request.policy_from is None:
        return base or read_snapshot(request.base, request.repository)
    found = read_snapshot(request.policy_from, request.repository)
    if not found.from_git:
        raise InputError(f"{request.policy_from}: expected git:REF, a commit whose policy judges")
    return found


def _effective(
    request: GateRequest, resolver: PolicyResolver, base: Snapshot, head: Snapshot
) -> EffectivePolicy:
    """Returns the policy of a run."""
    if not request.isolated:
        return resolver.effective_or_mended(base, head)
    if request.config is not None:
        raise InputError("a policy file was named and --isolated allows none: expected one of the two")
    return default_policy(request.repository)


def _approvals(
    request: GateRequest, found: EffectivePolicy, head: Snapshot
) -> tuple[str, Sequence[Approval]]:
    """Returns the approvals of a run and where they stand; a file that is named must be there.

    Of a commit they are read from that commit, where the file is in the repository.

    Raises:
        InputError: A file is named that is not there, or is in the checkout and is in no commit.
    """
    if request.without_approvals:
        return "", ()
    named = request.approvals
    if named is None and found.policy.approvals:
        # A policy may name the file before the first approval is given.
        named = found.folder / found.policy.approvals
    path = named or (found.folder if found.path else request.repository) / DEFAULT_NAME
    shown = str(shown_path(path))
    worktree = worktree_of(request.repository)
    inside = path_within(worktree, path) if worktree is not None else None
    if head.from_git and head.tree is not None and inside is not None:
        data = head.tree.read(inside)
        if data is not None:
            return shown, parse_approvals(data, shown)
        if path.exists():
            raise InputError(
                f"{shown}: is not in {head.label}: approvals of a commit are committed with it, so that whoever "
                "reviews it sees them, or lie outside of the repository"
            )
    return (shown, read_approvals(path)) if path.exists() or request.approvals is not None else ("", ())
