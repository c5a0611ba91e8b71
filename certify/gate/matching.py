"""Which game before is which game after: by id, else by what stands in its place or was there once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.gate.facts import Submission, read_submission
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import declares_game, is_game_file, is_wanted
from certify.untrusted_input import TomlError, bounded_toml

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
    for new, old in _matches(added, gone, REPLACED):
        pairs.append(GamePair(new, gone.pop(old), added.pop(new)))
    withdrawn = _withdrawn(base, policy, before) if added else {}
    earlier = {game: submission for game, (submission, _) in withdrawn.items()}
    same = [(game, game) for game in added if game in earlier]
    rest = {game: added[game] for game in added if game not in earlier}
    for new, old in [*same, *_matches(rest, earlier, RETURNED)]:
        pairs.append(GamePair(new, earlier[old], added.pop(new), withdrawn[old][1]))
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
    for path, data, commit in _earlier(base, policy):
        game = id_of(data)
        if not game or game in known or game in found:
            continue
        try:
            found[game] = (read_submission(data, path, path), commit)
        except InputError:
            # What could not be read then was no game that players met.
            continue
    return found


def _earlier(base: Snapshot, policy: GatePolicy) -> Iterator[tuple[str, bytes, str]]:
    if base.tree is None:
        return
    for file in base.tree.earlier():
        inside = not base.within or file.path == base.within or file.path.startswith(f"{base.within}/")
        submitted = is_game_file(file.path) or declares_game(file.data)
        if inside and submitted and is_wanted(file.path, policy.paths, policy.exclude):
            yield file.path, file.data, file.commit


def id_of(data: bytes) -> str:
    """Returns the id that a file gives its game, empty where it gives none."""
    try:
        game = bounded_toml(data.decode("utf-8")).get("game")
    except (UnicodeDecodeError, TomlError):
        return ""
    found = game.get("id") if isinstance(game, dict) else None
    return found if isinstance(found, str) else ""
