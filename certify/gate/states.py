"""The submissions of two states: which game before is which after, with what code; versions, switched variants."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from certify.errors import InputError, SubmissionError
from certify.families import known_families
from certify.gate.change import Bump, Impact, kind
from certify.gate.facts import OF_EVERY_GAME, Submission, named_in, read_submission
from certify.gate.family_code import ChangedCode, StateCode
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import (
    declares_game,
    is_below,
    is_game_file,
    is_wanted,
    require_seen,
    submission_paths,
)

REPLACED: Final = Fraction(1, 2)
"""Share of equal facts from which a game that goes and one that comes with it are one game under two ids."""

RETURNED: Final = Fraction(9, 10)
"""Share of equal facts from which a new game is one that was removed in the past."""


@dataclass(frozen=True, slots=True)
class GamePair:
    """One game in both states.

    Args:
        game: Id of the game, the one after where it has two.
        before: The submission before; none where the game is new.
        after: The submission after; none where it is gone.
        removed_by: Commit that took the game away, where it was away before and comes back; else empty.
    """

    game: str
    before: Submission | None
    after: Submission | None
    removed_by: str = ""


def pair_games(
    base: Snapshot,
    head: Snapshot,
    before: Mapping[str, Submission],
    after: Mapping[str, Submission],
    policy: GatePolicy,
) -> tuple[GamePair, ...]:
    """Returns both states of every game, in the order of their ids; two single files are one game even under two ids.

    A game that is not there before is not believed to be new: it is held against games that this change
    takes away, and against those that the history behind the base took away.
    """
    if base.single and head.single:
        first, second = next(iter(before.values())), next(iter(after.values()))
        return (GamePair(second.game.id, first, second),)
    gone = {game: before[game] for game in before if game not in after}
    added = {game: after[game] for game in after if game not in before}
    pairs = [GamePair(game, before[game], after[game]) for game in before if game in after]
    pairs += [GamePair(new, gone.pop(old), added.pop(new)) for new, old in _matches(added, gone, REPLACED)]
    withdrawn = _withdrawn(base, policy, before) if added else {}
    earlier = {game: submission for game, (submission, _) in withdrawn.items()}
    same = [(game, game) for game in added if game in earlier]
    rest = {game: added[game] for game in added if game not in earlier}
    pairs += [
        GamePair(new, earlier[old], added.pop(new), withdrawn[old][1])
        for new, old in [*same, *_matches(rest, earlier, RETURNED)]
    ]
    pairs += [GamePair(game, submission, None) for game, submission in gone.items()]
    pairs += [GamePair(game, None, submission) for game, submission in added.items()]
    return tuple(sorted(pairs, key=lambda pair: pair.game))


def _matches(
    added: Mapping[str, Submission], known: Mapping[str, Submission], least: Fraction
) -> list[tuple[str, str]]:
    """Returns ids of games that are one game, each at most once, those at the same path first, then the likest."""
    scored = sorted(
        (
            (new.path == old.path, _likeness(new, old), one, other)
            for one, new in added.items()
            for other, old in known.items()
        ),
        key=lambda entry: (not entry[0], -entry[1], entry[2], entry[3]),
    )
    found: list[tuple[str, str]] = []
    for at_one_path, likeness, one, other in scored:
        taken = any(one == new or other == old for new, old in found)
        if not taken and (at_one_path or likeness >= least):
            found.append((one, other))
    return found


def _likeness(one: Submission, other: Submission) -> Fraction:
    """Returns the share of facts that two submissions have in common."""
    mine, theirs = ({(key, fact.value) for key, fact in side.facts.items()} for side in (one, other))
    return Fraction(len(mine & theirs), max(len(mine), len(theirs)))


def _withdrawn(
    base: Snapshot, policy: GatePolicy, known: Mapping[str, Submission]
) -> dict[str, tuple[Submission, str]]:
    """Returns games of the history that are no longer there, each as it last was, with the commit that took it away."""
    found: dict[str, tuple[Submission, str]] = {}
    for file, data in base.tree.earlier() if base.tree is not None else ():
        submitted = is_game_file(file.path) or declares_game(data)
        wanted = is_below(file.path, base.within) and is_wanted(file.path, policy.paths, policy.exclude)
        named = named_in(data) if submitted and wanted else None
        if named and (game := named[0]) not in known and game not in found:
            # What could not be read then was no game that players met.
            with suppress(InputError):
                found[game] = (read_submission(data, file.path, file.path), file.commit)
    return found


@dataclass(frozen=True, slots=True)
class Switch:
    """A game became one that was certified next to it.

    Args:
        title: Name of the variant, as it was certified.
    """

    title: str

    def covers(self, change: Impact) -> bool:
        """Returns whether what is stated otherwise is the switch itself: something in the family's tables alone."""
        return change.subject.partition("/")[0] not in OF_EVERY_GAME

    def left_of(self, impacts: Iterable[Impact]) -> Iterator[Impact]:
        """Yields that it was switched, in place of what moved by it; floors and printed figures are judged on."""
        listed = [*impacts]
        yield from (one for one in listed if not kind(one.kind).moved)
        moved = "; ".join(one.message for one in listed if one.kind == "return-changed")
        yield Impact(
            "variant-switched",
            "game",
            f"switched to {self.title}, certified before{f': {moved}' if moved else ''}",
            None,
            self.title,
            ("game",),
        )


def switched_to(before: Submission, after: Submission) -> Switch | None:
    """Returns the switch that a change is, none where the game after was not certified next to the one before.

    The code must be the same, and the game after may bring nothing along that was not certified: a variant is the same
    game on other data of its family.
    """
    named = after.game.port.alternatives.certified
    if named is None or before.game.family != after.game.family:
        return None
    if before.basis.code.identity != after.basis.code.identity:
        return None
    own, *beside = named(before.game)
    now, *others = named(after.game)
    known = {one.plays for one in (own, *beside)}
    return (
        None
        if now.plays == own.plays or any(one.plays not in known for one in others)
        else next((Switch(one.title) for one in beside if one.plays == now.plays), None)
    )


def parse_version(text: str) -> tuple[int, int, int]:
    """Returns the three numbers of a version.

    >>> parse_version("1.10.0") > parse_version("1.9.9")
    True
    """
    major, minor, patch = (int(part) for part in text.split("."))
    return major, minor, patch


def least_version(before: str, bump: Bump) -> str:
    """Returns the least version that is raised as far as requested.

    >>> least_version("1.2.3", Bump.MAJOR), least_version("1.2.3", Bump.PATCH)
    ('2.0.0', '1.2.4')
    """
    major, minor, patch = parse_version(before)
    return {
        Bump.MAJOR: f"{major + 1}.0.0",
        Bump.MINOR: f"{major}.{minor + 1}.0",
        Bump.PATCH: f"{major}.{minor}.{patch + 1}",
    }.get(bump, before)


def version_changes(before: str, after: str, found: Sequence[str], policy: GatePolicy) -> Iterator[Impact]:
    """Yields everything that is wrong with a version.

    Args:
        before: Version before.
        after: Version after.
        found: Kinds of further changes.
        policy: How far each asks the version to be raised.
    """
    old, new = parse_version(before), parse_version(after)
    asked = max((policy.bump_of(kind(one)) for one in found), default=policy.bump_of(kind("game-moved")))
    ends = (before, after, ("game", "version"))
    if new < old:
        yield Impact("version-went-back", "version", f"version {before} → {after}", *ends)
    elif new < parse_version(least := least_version(before, asked)):
        reasons = sorted({one for one in found if kind(one).bump == asked}) or ["the policy"]
        said = f"{least} ({asked.name.lower()}: {', '.join(reasons)})"
        yield Impact("version-not-bumped", "version", f"version is {after}, expected at least {said}", *ends)
    elif new > old and not found:
        message = f"version {before} → {after} and nothing else changed"
        yield Impact("version-raised-alone", "version", message, *ends)


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


def read_states(
    base: Snapshot, head: Snapshot, policy: GatePolicy, repository: Path, brought: GatePolicy | None
) -> tuple[dict[str, Submission], dict[str, Submission], dict[str, Unread]]:
    """Returns the submissions before and after by id of the game, and files before that could not be read, by path.

    What is a submission in one state is read as one in the other too, so that none can slip out of sight by losing
    its first line. What a policy that is submitted along takes in is read in the state after alone: it has been judged
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
    return before, after, unread


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
        names = named_in(data) if data is not None and base.files.get(path) == data else None
        if data is not None and names is not None and names[2] in known_families():
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
    return (
        read_submission(state.files[path], path, state.shown(path), code_of) if path in state.files else None
    )
