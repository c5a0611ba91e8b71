"""The submissions of two states, each with the code that it is counted with; what could not be read before is named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from certify.errors import InputError, SubmissionError
from certify.families.registry import known_families
from certify.gate.facts import Submission, named_in, read_submission
from certify.gate.family_code import ChangedCode, StateCode
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import require_seen, submission_paths


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
class BothStates:
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
) -> BothStates:
    """Returns the submissions of both states.

    What is a submission in one state is read as one in the other too, so that none can slip out of sight by losing
    its first line. What a policy that is brought along takes in is read in the state after alone: it has been judged
    by nobody. A file before that cannot be read is mended by the change that is judged, or is none of its doing.

    Raises:
        InputError: A submission of the state after cannot be read, or one before that the change leaves as it is.
    """
    require_seen(head, policy.paths, policy.exclude)
    known = [submission_paths(state, policy.paths, policy.exclude) for state in (base, head)]
    both = known[0] | known[1]
    paths = known if base.single or head.single else [both, both]
    if brought is not None and not head.single:
        paths[1] |= submission_paths(head, brought.paths, brought.exclude)
    codes = [StateCode(state, repository, policy.families) for state in (base, head)]

    def code_before(family: str) -> ChangedCode:
        return codes[0].before(family, held_after=codes[1].held(family) is not None)

    alike = {} if base.single or head.single else _alike(base, head, paths, code_before, codes[1].after)
    after = _read(head, paths[1], codes[1].after, alike)
    unread: dict[str, Unread] = {}
    before = _read(base, paths[0], code_before, alike, unread)
    return BothStates(before, after, unread)


def _alike(
    base: Snapshot,
    head: Snapshot,
    paths: Sequence[frozenset[str]],
    code_before: Callable[[str], ChangedCode],
    code_after: Callable[[str], ChangedCode],
) -> dict[str, Submission]:
    """Returns the submissions that are byte for byte the same in both states, and counted by the same code.

    No more is read of them than what they are called: nothing that they say or rest on is changed.
    """
    found = {}
    for path in sorted(paths[0] & paths[1]):
        data = head.files.get(path)
        if data is None or base.files.get(path) != data:
            continue
        names = named_in(data)
        if names is not None and names[2] in known_families():
            code = code_after(names[2])
            if code == code_before(names[2]):
                found[path] = Submission(path, head.shown(path), data, names[0], names[1], code)
    return found


def _read(
    state: Snapshot,
    paths: frozenset[str],
    code_of: Callable[[str], ChangedCode],
    alike: Mapping[str, Submission],
    unread: dict[str, Unread] | None = None,
) -> dict[str, Submission]:
    """Returns the submissions of one state by id of the game; where that is wanted, what cannot be read is listed."""
    found: dict[str, Submission] = {}
    for path in sorted(paths):
        try:
            submission = alike.get(path) or _submission(state, path, code_of)
            if submission is None:
                continue
            other = found.get(submission.id)
            if other is not None:
                raise InputError(
                    f"{state.label}: {other.path} and {path} both submit {submission.id!r}: expected one; "
                    "leave the other out with exclude of the policy"
                )
        except InputError as error:
            if unread is None:
                raise
            first = error.problems[0] if isinstance(error, SubmissionError) else error
            data = state.files.get(path, state.links.get(path, "").encode("utf-8", "surrogateescape"))
            unread[path] = Unread(path, str(first), hashlib.sha256(data).hexdigest())
            continue
        found[submission.id] = submission
    return found


def _submission(state: Snapshot, path: str, code_of: Callable[[str], ChangedCode]) -> Submission | None:
    """Returns a submission of a state, none where it has no such file."""
    if path in state.links:
        raise InputError(f"{state.label}: {path} is a symbolic link: expected the submission itself")
    if path not in state.files:
        return None
    return read_submission(state.files[path], path, state.shown(path), code_of)
