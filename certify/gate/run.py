"""A whole gate run: states, policy and approvals in, a judged report out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from certify.errors import InputError
from certify.gate.approvals import DEFAULT_NAME, parse_approvals, read_approvals
from certify.gate.cache import Cache, refuse_folder
from certify.gate.change import Approval
from certify.gate.compare import compare
from certify.gate.effective_policy import (
    EffectivePolicy,
    PolicyResolver,
    default_policy,
    path_within,
    shown_path,
)
from certify.gate.git_store import worktree_of
from certify.gate.pointers import pointer_changes
from certify.gate.policy import GatePolicy
from certify.gate.refusals import Refusals
from certify.gate.rewritten import rewritten
from certify.gate.signing import trust_judge
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import read_snapshot
from certify.gate.unseen import refuse_unseen
from certify.gate.verdict import GateReport, judge
from certify.model.finding import Severity


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate run is asked.

    Args:
        base: State before: a file, a folder, ``git:REF`` or ``none``.
        head: State after.
        moment: The present time, in UTC.
        repository: Folder of the repository that commits are read from.
        config: Policy file; the nearest from the repository's folder upwards where none is named.
        isolated: Whether to take the default policy and look for none.
        approvals: File of approvals; the policy's, or the one beside it, where none is named.
        trust: PEM files of roots for signed approvals, instead of those of the policy.
        fail_on: Least severity that keeps a change from landing; the policy's where none is named.
        cache: Folder of exact figures; none keeps none.
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
    cache: Path | None = None
    policy_from: str | None = None
    without_approvals: bool = False


def run_gate(request: GateRequest) -> GateReport:
    """Returns what a change does and whether it may land.

    Raises:
        InputError: A state, the policy or the approvals cannot be read.
        NothingCheckedError: There was nothing to compare.
        MissingPartError: git is needed and not installed.
    """
    base = read_snapshot(request.base, request.repository)
    head = read_snapshot(request.head, request.repository)
    places = [snapshot.root for snapshot in (base, head) if snapshot.root is not None]
    folders = [snapshot.root for snapshot in (base, head) if snapshot.root and not snapshot.single]
    refuse_folder(request.cache, [request.repository, *places], folders)
    resolver = PolicyResolver(request.repository, request.config, _judging(request, base))
    found = _effective(request, resolver, base, head)
    refuse_unseen(base, head, found.policy)
    brought = None if request.isolated else resolver.brought(base, head)
    cache = Cache(request.cache)
    games = compare(base, head, found.policy, cache, repository=request.repository, brought=brought)
    source, approvals = _approvals(request, found, head)
    report = GateReport(
        base=base,
        head=head,
        games=games,
        remarks=(
            *resolver.changes(base, head),
            *pointer_changes(base, head, games, found.policy),
            *rewritten(base, head, games, found.policy, request.repository),
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
        raise InputError("a policy file was named and --isolated asks for none: expected one of both")
    return default_policy(request.repository)


def _approvals(
    request: GateRequest, found: EffectivePolicy, head: Snapshot
) -> tuple[str, Sequence[Approval]]:
    """Returns the approvals of a run and where they stand; a file that is named must be there.

    Of a commit they are read from that commit, where the file lies in the repository.

    Raises:
        InputError: A file is named that is not there, or lies in the checkout and is in no commit.
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
    if path.exists() or request.approvals is not None:
        return shown, read_approvals(path)
    return "", ()
