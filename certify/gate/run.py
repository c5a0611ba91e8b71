"""A whole gate run: states, policy and approvals in, a judged report out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from certify.errors import InputError
from certify.gate.approvals import DEFAULT_NAME, read_approvals
from certify.gate.cache import Cache
from certify.gate.change import NOTHING, Approval, Change
from certify.gate.compare import compare
from certify.gate.kinds import kind
from certify.gate.policy import DEFAULT, Policy, find_policy, has_policy, load_policy, parse_policy
from certify.gate.signing import trust_judge
from certify.gate.states import State, read_state
from certify.gate.verdict import GateReport, judge
from certify.model.finding import Severity


@dataclass(frozen=True, slots=True)
class Request:
    """What a gate run is asked.

    Args:
        base: State before: a file, a folder, ``git:REF`` or ``none``.
        head: State after.
        moment: The present time, in UTC.
        repository: Folder of the repository that commits are read from.
        config: Policy file; the nearest from the repository's folder upwards where none is named.
        isolated: Whether to take the default policy and look for none.
        approvals: File of approvals; the policy's, or the one beside it, where none is named.
        trust: PEM files of roots for signed approvals, beside those of the policy.
        fail_on: Least severity that keeps a change from landing; the policy's where none is named.
        cache: Folder of exact figures; none keeps none.
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


def run_gate(request: Request) -> GateReport:
    """Returns what a change does and whether it may land.

    Raises:
        InputError: A state, the policy or the approvals cannot be read.
        NothingCheckedError: There was nothing to compare.
        MissingPartError: git is needed and not installed.
    """
    path, policy = chosen_policy(request)
    base = read_state(request.base, request.repository)
    head = read_state(request.head, request.repository)
    games = compare(base, head, policy, Cache(request.cache))
    source, approvals = _approvals(request, policy, path)
    report = GateReport(
        base=base,
        head=head,
        games=games,
        remarks=_policy_changes(base, head),
        fail_on=request.fail_on if request.fail_on is not None else policy.fail_on,
        policy=str(path or ""),
        approvals=source,
    )
    distrust = trust_judge(
        [*(_beside(path, name) for name in policy.trust), *request.trust],
        request.moment,
        signed_only=policy.require_signed_approvals,
        needed=any(approval.signature for approval in approvals),
    )
    return judge(report, approvals, policy, request.moment.date(), distrust)


def chosen_policy(request: Request) -> tuple[Path | None, Policy]:
    """Returns the policy of a run and the file it stands in."""
    if request.isolated:
        if request.config is not None:
            raise InputError("a policy file was named and --isolated asks for none: expected one of both")
        return None, DEFAULT
    path = request.config or find_policy(request.repository.resolve())
    return (None, DEFAULT) if path is None else (_shown(path), load_policy(path))


def _shown(path: Path) -> Path:
    """Returns a path from the working directory, where it lies below it."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        return path


def _beside(policy: Path | None, name: str) -> Path:
    """Returns a path that a policy names, counted from the policy's own folder."""
    return (policy.parent if policy else Path()) / name


def _approvals(request: Request, policy: Policy, path: Path | None) -> tuple[str, Sequence[Approval]]:
    """Returns the approvals of a run and where they stand; a file that is named must be there."""
    if request.approvals is not None:
        return str(request.approvals), read_approvals(request.approvals)
    if policy.approvals:
        named = _beside(path, policy.approvals)
        # A policy may name the file before the first approval is given.
        return (str(named), read_approvals(named)) if named.exists() else ("", ())
    default = (path.parent if path else request.repository) / DEFAULT_NAME
    return (str(_shown(default)), read_approvals(default)) if default.exists() else ("", ())


def _policy_changes(base: State, head: State) -> tuple[Change, ...]:
    """Returns that a change brings another policy along, so that none can loosen what judges it unseen."""
    if base.label == "none" or base.single or head.single:
        return ()
    old, new = _stated_policy(base), _stated_policy(head)
    if old[1] == new[1]:
        return ()
    found = kind("policy-changed")
    return (
        Change(
            kind=found,
            game="",
            subject="policy",
            severity=found.severity,
            message=f"{_fields(old[1], new[1])} of the policy differ between {base.label} and {head.label}",
            path=head.shown(new[0] or old[0]),
            before_digest=_digest(old[1]),
            after_digest=_digest(new[1]),
        ),
    )


def _stated_policy(state: State) -> tuple[str, Policy]:
    """Returns the policy at the root of a state, the default where it states none."""
    for name, data in state.policy.items():
        if has_policy(name, data):
            return name, parse_policy(data, state.shown(name))
    return "", DEFAULT


def _fields(old: Policy, new: Policy) -> str:
    """Returns the keys in which two policies differ."""
    return ", ".join(name for name in Policy.__slots__ if getattr(old, name) != getattr(new, name))


def _digest(policy: Policy) -> str:
    """Returns a digest of what a policy says."""
    return NOTHING if policy == DEFAULT else hashlib.sha256(repr(replace(policy)).encode()).hexdigest()
