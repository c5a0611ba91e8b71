"""One value or figure that is otherwise, before a policy judges it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import KeyPath


@dataclass(frozen=True, slots=True)
class Impact:
    """One value or figure that is otherwise, before a policy judges it.

    Args:
        kind: Id of the kind of change.
        subject: What it is about.
        message: One sentence with its numbers.
        before: Value before.
        after: Value after.
        key: Key in the file after that an annotation belongs to.
        wager: Wager it concerns, if one.
        within: Whether the policy's thresholds on the return allow it.
    """

    kind: str
    subject: str
    message: str
    before: str | None
    after: str | None
    key: KeyPath
    wager: str = ""
    within: bool = False
