"""What a state only points to: submodules and links, whose contents the gate does not read."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from certify.children import digest_of
from certify.gate.change import NOTHING, GateChange, differing, kind, paired
from certify.gate.compare import GameComparison
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot, with_submodules
from certify.gate.snapshot_reader import is_below, is_wanted, submission_paths

_STEPS: Final = 1_000
"""Parts of paths on the way of a link, beyond which it leads in a circle."""


def pointer_changes(
    base: Snapshot, head: Snapshot, games: Sequence[GameComparison], policy: GatePolicy
) -> Iterator[GateChange]:
    """Yields every submodule that is pinned to another commit, and every link that leads to another game.

    A policy may leave submodules out by ``exclude``; ``paths`` says nothing about them, as games may lie inside.
    """
    if not _comparable(base, head):
        return
    if base.gitlinks and head.root is not None:
        head = with_submodules(head, base.gitlinks)
    for path, (old, new) in sorted(differing(paired(base.gitlinks, head.gitlinks)).items()):
        # A folder does not have what is not checked out, and may have repositories of its own.
        known = (old is not None and new is not None) or (base.root is None and head.root is None)
        if known and is_wanted(path, (), policy.exclude):
            message = f"submodule {path}: {_pin(old)} → {_pin(new)}"
            yield _change("submodule-changed", path, (old, new), message, head, policy)
    yield from _links(base, head, games, policy)


def _links(
    base: Snapshot, head: Snapshot, games: Sequence[GameComparison], policy: GatePolicy
) -> Iterator[GateChange]:
    """Yields links that lead to another game, or to one that changed and that the policy leaves out."""
    states = (base, head)
    judged = {side.path for game in games for side in (game.before, game.after) if side is not None}
    unjudged = {path for state in states if state.links for path in submission_paths(state, (), ())} - judged
    for path in sorted({*base.links, *head.links}):
        # What a policy leaves out is delivered all the same through a link that it does not leave out.
        behind = unjudged if is_wanted(path, (), policy.exclude) else set()
        old, new = (_delivered(path, state, behind) for state in states)
        if old != new and any(_leads_to_game(path, state, judged | behind) for state in states):
            message = f"link {path}: {old} → {new}"
            ends = (base.links.get(path), head.links.get(path))
            yield _change("link-changed", path, ends, message, head, policy, (old, new))


def _delivered(path: str, state: Snapshot, unjudged: Set[str]) -> str:
    """Returns what a link says that it leads to, with a digest of the submissions there that nobody judges."""
    if path not in state.links:
        return NOTHING
    place = _end(path, state.links)
    names = sorted(name for name in unjudged if place is not None and is_below(name, place))
    found = {name: state.files[name] for name in names if name in state.files}
    return (
        f"{state.links[path]} (left out by the policy: {', '.join(found)}, {digest_of(found.items())[:12]})"
        if found
        else state.links[path]
    )


def _comparable(base: Snapshot, head: Snapshot) -> bool:
    """Returns whether paths mean the same in both states: of a commit they begin at the root of its checkout."""
    if base.single or head.single:
        return False
    if base.from_git == head.from_git:
        return True
    folder, commit = (head, base) if base.from_git else (base, head)
    return folder.root is not None and (folder.root / ".git").exists() and not commit.within


def _leads_to_game(path: str, state: Snapshot, submitted: Set[str]) -> bool:
    """Returns whether a link leads to a submission, to a folder with one, or to where nobody here can tell."""
    if path not in state.links:
        return False
    place = _end(path, state.links)
    if place is None or not is_below(place, state.within):
        return True
    return any(is_below(name, place) for name in submitted) or any(
        is_below(one, place) or is_below(place, one) for one in state.gitlinks
    )


def _end(path: str, links: Mapping[str, str]) -> str | None:
    """Returns the place that a link leads to, through other links; none out of the repository or in a circle."""
    here, rest = path.split("/")[:-1], [path.rpartition("/")[2]]
    for _ in range(_STEPS):
        if not rest:
            return "/".join(here)
        part, *rest = rest
        if part == "..":
            if not here:
                return None
            here.pop()
        elif part not in ("", "."):
            target = links.get("/".join((*here, part)))
            if target is None:
                here.append(part)
            elif target.startswith("/"):
                return None
            else:
                rest = [*target.split("/"), *rest]
    return None


def _change(
    kind_id: str,
    path: str,
    ends: tuple[str | None, str | None],
    message: str,
    head: Snapshot,
    policy: GatePolicy,
    meaning: tuple[str, str] | None = None,
) -> GateChange:
    found, (old, new) = kind(kind_id), ends
    digests = meaning or (old or NOTHING, new or NOTHING)
    return GateChange(
        kind=found,
        game="",
        subject=path,
        severity=policy.severity_of(found),
        message=message,
        before=old,
        after=new,
        path=head.shown(path),
        before_digest=digests[0],
        after_digest=digests[1],
    )


def _pin(commit: str | None) -> str:
    return "none" if commit is None else commit[:12]
