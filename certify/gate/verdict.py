"""The verdict of a gate run: approvals applied, and what is left against the change."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from certify.gate.approvals import covers, speaks_of, wrong_term
from certify.gate.change import Approval, GateChange, kind
from certify.gate.compare import GameComparison
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.model import Severity

Refuse = Callable[[Approval], tuple[str, str]]
"""Says why an approval does not count: kind of the remark and the reason, both empty where it does."""


@dataclass(frozen=True, slots=True)
class GateReport:
    """Everything that a gate run found.

    Args:
        base: The state before.
        head: The state after.
        games: Every game, compared.
        remarks: Changes that concern no game: of the policy, and of approvals.
        fail_on: Least severity that keeps the comparison from passing.
        policy: Where the policy came from; empty for the defaults.
        policy_from: The commit whose policy judges, as it was named; empty where it was read from disk.
        approvals: Where approvals came from; empty where there were none.
    """

    base: Snapshot
    head: Snapshot
    games: tuple[GameComparison, ...]
    remarks: tuple[GateChange, ...]
    fail_on: Severity
    policy: str = ""
    policy_from: str = ""
    approvals: str = ""

    @property
    def changes(self) -> tuple[GateChange, ...]:
        """All changes, most severe first within a game."""
        return (*(change for game in self.games for change in game.changes), *self.remarks)

    @property
    def unapproved(self) -> tuple[GateChange, ...]:
        """The changes that nobody approved."""
        return tuple(change for change in self.changes if change.approval is None)

    def stops(self, change: GateChange) -> bool:
        """Returns whether a change keeps the comparison from passing."""
        return change.approval is None and change.severity >= self.fail_on

    @property
    def against(self) -> tuple[GateChange, ...]:
        """The changes that keep the comparison from passing."""
        return tuple(filter(self.stops, self.changes))

    @property
    def passes(self) -> bool:
        """Whether the change may be merged."""
        return not self.against

    @property
    def counts(self) -> dict[str, int]:
        """Number of changes that are not approved, by severity, most severe first."""
        found = Counter(change.severity for change in self.unapproved)
        return {severity.name.lower(): found.get(severity, 0) for severity in sorted(Severity, reverse=True)}


def judge(
    report: GateReport,
    approvals: Sequence[Approval],
    policy: GatePolicy,
    today: date,
    distrust: Callable[[Approval], str],
    refuse: Refuse = lambda _: ("", ""),
) -> GateReport:
    """Returns a report with approvals applied.

    Args:
        report: What was found.
        approvals: What was approved.
        policy: What may be approved, and how severe a useless approval is.
        today: The present day, in UTC.
        distrust: Says why an approval is not trusted; an empty text where it is.
        refuse: Why an approval that covers a change does not count all the same: kind of the remark, and the reason.
    """
    sound: list[Approval] = []
    remarks: list[GateChange] = []
    changes = [*(change for game in report.games for change in game.changes), *report.remarks]
    for approval in approvals:
        reason = distrust(approval)
        if reason:
            remarks.append(_remark("approval-untrusted", approval, report, policy, reason))
        elif date.fromisoformat(approval.until) < today:
            message = f"the approval of {_name(approval)} expired after {approval.until}"
            remarks.append(_remark("approval-expired", approval, report, policy, message))
        elif wrong := wrong_term(approval, policy.max_approval_days, today):
            message = f"the approval of {_name(approval)} {wrong}"
            remarks.append(_remark("approval-too-long", approval, report, policy, message))
        elif any(covers(approval, change) for change in changes) and (refused := refuse(approval))[0]:
            remarks.append(_remark(refused[0], approval, report, policy, refused[1]))
        else:
            sound.append(approval)
    remarks += [one for approval in sound for one in _useless(approval, changes, report, policy)]
    games = tuple(
        replace(game, changes=tuple(_approve(change, sound, policy) for change in game.changes))
        for game in report.games
    )
    others = tuple(_approve(change, sound, policy) for change in report.remarks)
    return replace(report, games=games, remarks=(*others, *remarks))


def _approve(change: GateChange, approvals: Sequence[Approval], policy: GatePolicy) -> GateChange:
    """Returns a change with the first approval that covers it, unless the policy allows no approval of it."""
    return (
        change
        if change.kind.id in policy.never_approve
        else next((replace(change, approval=one) for one in approvals if covers(one, change)), change)
    )


def _useless(
    approval: Approval, changes: Sequence[GateChange], report: GateReport, policy: GatePolicy
) -> list[GateChange]:
    """Returns a remark on an approval that approves nothing here."""
    covered = [change for change in changes if covers(approval, change)]
    refused = [change for change in covered if change.kind.id in policy.never_approve]
    if refused:
        names = ", ".join(sorted({change.kind.id for change in refused}))
        message = f"the policy allows no approval of {names}: correct it instead"
        return [_remark("approval-refused", approval, report, policy, message)]
    if covered:
        return []
    # The id of a game is part of what it means: no other game has this meaning.
    of_game = [
        game for game in report.games if approval.game in (game.game, game.before.id if game.before else "")
    ]
    landed = any(
        approval.after in game.digests
        if game.status == "unchanged"
        else game.before is not None and game.before.digest == approval.after
        for game in of_game
    )
    if landed:
        message = f"the approval of {_name(approval)} has done its work: the change was merged"
        return [
            replace(_remark("approval-unused", approval, report, policy, message), severity=Severity.NOTE)
        ]
    edited = any(speaks_of(approval, change) for change in changes)
    void = (
        "the game was edited again since, which voids it" if edited else "no such change in this comparison"
    )
    message = f"the approval of {_name(approval)} matches nothing: {void}"
    return [_remark("approval-unused", approval, report, policy, message)]


def _name(approval: Approval) -> str:
    about = f" of {approval.subject}" if approval.subject else ""
    return f"{approval.change}{about} in {approval.game} ({approval.fingerprint[:12]})"


def _remark(
    kind_id: str, approval: Approval, report: GateReport, policy: GatePolicy, message: str
) -> GateChange:
    found = kind(kind_id)
    return GateChange(
        kind=found,
        game=approval.game,
        subject=f"approval/{approval.fingerprint[:12]}",
        severity=policy.severity_of(found),
        message=message,
        path=report.approvals,
        line=approval.line,
        before_digest=approval.before,
        after_digest=approval.after,
    )
