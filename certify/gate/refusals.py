"""Approvals that cover a change and do not count all the same: by an author of it, or used once already."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from certify.errors import InputError
from certify.gate.approvals import parse_approvals
from certify.gate.change import Approval
from certify.gate.effective_policy import path_within
from certify.gate.facts import read_submission
from certify.gate.family_code import StateCode
from certify.gate.git_store import GitStore, worktree_of
from certify.gate.matching import id_of
from certify.gate.policy import GatePolicy
from certify.gate.verdict import GateReport

_PARTS = re.compile(r"[<>]")


class Refusals:
    """Says of an approval that covers a change why it does not count.

    Args:
        report: What was found.
        policy: What is asked of approvals.
        repository: Folder of the repository that commits are read from.
        source: File of the approvals, as messages name it.
    """

    def __init__(self, report: GateReport, policy: GatePolicy, repository: Path, source: str) -> None:
        self._report = report
        self._policy = policy
        self._repository = repository
        self._source = source

    def __call__(self, approval: Approval) -> tuple[str, str]:
        """Returns the kind of the remark and the reason, both empty where the approval counts."""
        if self._policy.approver_is_not_author:
            reason = self._by_author(approval)
            if reason:
                return "approval-by-author", reason
        if approval.binding in self._landed and self._was_there(approval):
            named = f"the approval of {approval.change} in {approval.game} ({approval.fingerprint[:12]})"
            return (
                "approval-replayed",
                f"{named} is of a change that landed before and was taken back: it is approved anew or not at all",
            )
        return "", ""

    def _by_author(self, approval: Approval) -> str:
        if self._authors is None:
            return "the policy asks that the approver is not the author, who is known of commits only"
        approver = {part.strip().casefold() for part in _PARTS.split(approval.approved_by) if part.strip()}
        approver |= {name.casefold() for name in _signer_names(approval)}
        if not approver:
            return "the policy asks that the approver is not the author, and the approval names nobody"
        both = sorted(approver & self._authors)
        return f"it was approved by {both[0]}, an author of what is judged" if both else ""

    @cached_property
    def _authors(self) -> frozenset[str] | None:
        """Who wrote the commits that touch what is judged, as they call themselves there; none of folders."""
        base, head = self._report.base, self._report.head
        if not base.commit or not head.commit:
            return None
        paths = {change.path for change in self._report.changes}
        for game in self._report.games:
            if game.status != "unchanged":
                paths |= {side.path for side in (game.before, game.after) if side is not None}
        paths -= {self._source, ""}
        names = GitStore(self._repository).authors(base.commit, head.commit, sorted(paths))
        return frozenset(name.casefold() for name in names)

    @cached_property
    def _landed(self) -> frozenset[str]:
        """What binds each approval that the state before holds, or its history: an entry may have been taken out."""
        tree, worktree = self._report.base.tree, worktree_of(self._repository)
        inside = path_within(worktree, Path(self._source)) if worktree is not None and self._source else None
        data = tree.read(inside) if tree is not None and inside is not None else None
        known = [] if data is None else [data]
        if tree is not None:
            known += [file.data for file in tree.earlier() if b"certify-approvals/" in file.data]
        found: set[str] = set()
        for text in known:
            try:
                found |= {entry.binding for entry in parse_approvals(text, self._source)}
            except InputError:
                continue
        return frozenset(found)

    def _was_there(self, approval: Approval) -> bool:
        """Tells whether the history behind the state before holds what the approval lets land."""
        tree = self._report.base.tree
        if tree is None:
            return False
        code = StateCode(self._report.base, self._repository, self._policy.families)
        for file in tree.earlier():
            if id_of(file.data) != approval.game:
                continue
            try:
                digest = read_submission(file.data, file.path, file.path, code.before).digest
            except InputError:
                continue
            if digest == approval.after:
                return True
        return False


def _signer_names(approval: Approval) -> list[str]:
    """Returns the names and addresses in the certificate that an approval is signed with, which was verified."""
    if not approval.certificates:
        return []
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    from certify.seal.certificates import read_certificates

    signer = read_certificates(approval.certificates.encode(), "the approval")[0]
    kinds = (NameOID.COMMON_NAME, NameOID.EMAIL_ADDRESS)
    names = [str(entry.value) for kind in kinds for entry in signer.subject.get_attributes_for_oid(kind)]
    try:
        more = signer.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return names
    return names + more.get_values_for_type(x509.RFC822Name)
