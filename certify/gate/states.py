"""The submissions of two states, each with the code that it is counted with; what could not be read before is named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from certify.errors import InputError, SubmissionError
from certify.gate.facts import Submission, read_submission
from certify.gate.family_code import FamilyCode, StateCode
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import submission_paths

_NONE: Final[Mapping[str, Submission]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Unread:
    """A file of the state before that says it is a submission and cannot be read.

    Args:
        path: The file.
        complaint: The first thing that is wrong with it.
        sha256: Digest of its bytes.
    """

    path: str
    complaint: str
    sha256: str


@dataclass(frozen=True, slots=True)
class States:
    """The submissions of both states by id of the game.

    Args:
        before: Those of the state before.
        after: Those of the state after.
        unread: Files before that could not be read, by path.
    """

    before: Mapping[str, Submission]
    after: Mapping[str, Submission]
    unread: Mapping[str, Unread] = field(default_factory=dict)


def read_states(
    base: Snapshot, head: Snapshot, policy: GatePolicy, repository: Path, brought: GatePolicy | None
) -> States:
    """Returns the submissions of both states.

    What is a submission in one state is read as one in the other too, so that none can slip out of sight by losing
    its first line. What a policy that is brought along takes in is read in the state after alone: it has been judged
    by nobody. A file before that cannot be read is mended by the change that is judged, or is none of its doing.

    Raises:
        InputError: A submission of the state after cannot be read, or one before that the change leaves as it is.
    """
    known = [submission_paths(state, policy.paths, policy.exclude) for state in (base, head)]
    both = known[0] | known[1]
    paths = known if base.single or head.single else [both, both]
    if brought is not None and not head.single:
        paths[1] |= submission_paths(head, brought.paths, brought.exclude)
    codes = [StateCode(state, repository, policy.families) for state in (base, head)]
    after = _read(head, paths[1], codes[1].after)
    unread: dict[str, Unread] = {}
    # What stands there byte for byte, and is counted by the same code, was read once.

    def code_before(family: str) -> FamilyCode:
        return codes[0].before(family, held_after=codes[1].held(family) is not None)

    same = {one.path: one for one in after.values() if code_before(one.game.family) == one.basis.code}
    before = _read(base, paths[0], code_before, same, unread)
    return States(before, after, unread)


def _read(
    state: Snapshot,
    paths: frozenset[str],
    code_of: Callable[[str], FamilyCode],
    known: Mapping[str, Submission] = _NONE,
    unread: dict[str, Unread] | None = None,
) -> dict[str, Submission]:
    """Returns the submissions of one state by id of the game; where that is wanted, what cannot be read is listed."""
    found: dict[str, Submission] = {}
    for path in sorted(paths):
        try:
            one = known.get(path)
            same = one is not None and state.files.get(path) == one.data
            submission = one if same else _submission(state, path, code_of)
            if submission is None:
                continue
            other = found.get(submission.game.id)
            if other is not None:
                raise InputError(
                    f"{state.label}: {other.path} and {path} both submit {submission.game.id!r}: expected one; "
                    "leave the other out with exclude of the policy"
                )
        except InputError as error:
            if unread is None:
                raise
            first = error.problems[0] if isinstance(error, SubmissionError) else error
            data = state.files.get(path, state.links.get(path, "").encode("utf-8", "surrogateescape"))
            unread[path] = Unread(path, str(first), hashlib.sha256(data).hexdigest())
            continue
        found[submission.game.id] = submission
    return found


def _submission(state: Snapshot, path: str, code_of: Callable[[str], FamilyCode]) -> Submission | None:
    """Returns a submission of a state, none where it has no such file."""
    if path in state.links:
        raise InputError(f"{state.label}: {path} is a symbolic link: expected the submission itself")
    if path not in state.files:
        return None
    return read_submission(state.files[path], path, state.shown(path), code_of)
