"""Changes between two states: their kinds, and the fingerprints by which one is approved and recognised."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Final

from certify.errors import InputError
from certify.model import Severity


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


NOTHING: Final = "nothing"
"""Digest of a state in which a game does not exist."""


BOUND: Final = (
    "fingerprint",
    "game",
    "change",
    "subject",
    "before",
    "after",
    "reason",
    "until",
    "approved_on",
    "approved_by",
)
"""What an approval says, in the order in which it is bound."""


@dataclass(frozen=True, slots=True)
class Approval:
    """The approval of one change by somebody, bound to what was there before and after.

    Args:
        fingerprint: Fingerprint of the change, or of all changes of one game.
        game: Id of the game.
        change: Kind of the change, or ``every-change``.
        subject: What it is about.
        before: Digest of the meaning before.
        after: Digest of the meaning after.
        reason: Why it may be merged.
        until: Last day on which the approval holds, ISO 8601.
        approved_by: Who approved it, as they name themselves.
        approved_on: The day of the approval, ISO 8601.
        binding: SHA-256 over everything above, by which an entry that was edited is recognised.
        signature: Signature over all of the above, base64; empty where unsigned.
        certificates: Certificate of the signer and its issuers, PEM; empty where unsigned.
        line: Line of the entry in its file.
    """

    fingerprint: str
    game: str
    change: str
    subject: str
    before: str
    after: str
    reason: str
    until: str
    approved_on: str
    approved_by: str = ""
    binding: str = ""
    signature: str = ""
    certificates: str = ""
    line: int = 0

    @property
    def expected_binding(self) -> str:
        """SHA-256 over everything that the approval says: without a key it finds an edit, not a forger."""
        said = [getattr(self, name) for name in BOUND]
        return hashlib.sha256(
            json.dumps(["certify-approval/2", *said], ensure_ascii=True).encode()
        ).hexdigest()

    @property
    def days(self) -> int:
        """Its term: days from the day it was given to its last day."""
        return (date.fromisoformat(self.until) - date.fromisoformat(self.approved_on)).days


@dataclass(frozen=True, slots=True)
class GateChange:
    """Something that differs between two states of a game.

    Args:
        kind: What kind of change it is.
        game: Id of the game; empty where it concerns none.
        subject: What it is about, such as ``main/win``.
        severity: How much it matters under the policy.
        message: One sentence with its numbers.
        before: Value before; none where there was none.
        after: Value after; none where there is none.
        path: File that an annotation belongs to.
        line: Line in it, from 1.
        before_digest: Digest of the game's meaning before.
        after_digest: Digest of the game's meaning after.
        approval: The approval under which it may be merged, if any.
        wager: Id of the wager it concerns; empty where it concerns none alone.
    """

    kind: ChangeKind
    game: str
    subject: str
    severity: Severity
    message: str
    before: str | None = None
    after: str | None = None
    path: str = ""
    line: int = 1
    before_digest: str = NOTHING
    after_digest: str = NOTHING
    approval: Approval | None = None
    wager: str = ""

    @property
    def fingerprint(self) -> str:
        """What an approval names: this change between just these two meanings."""
        return fingerprint(self.kind.id, self.game, self.subject, self.before_digest, self.after_digest)

    @property
    def stable_id(self) -> str:
        """What stays the same when the change is edited further: kind, game and subject, never a line."""
        return _digest("alert", self.kind.id, self.game, self.subject)

    @property
    def word(self) -> str:
        """How much it matters, or that it is approved, in one word."""
        return "approved" if self.approval else self.severity.name.lower()


EVERY_CHANGE: Final = "every-change"
"""Kind that an approval of all changes of one game names."""


def fingerprint(kind: str, game: str, subject: str, before: str, after: str) -> str:
    """Returns the fingerprint of a change.

    >>> fingerprint("return-changed", "g", "main", "0" * 64, "1" * 64)
    'b0f1db04b0180da22edbcc4babbf1440'
    """
    return _digest("certify-change/1", kind, game, subject, before, after)


def _digest(*parts: str) -> str:
    """Returns 128 bits of a digest over parts that cannot run into each other."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()[:32]
