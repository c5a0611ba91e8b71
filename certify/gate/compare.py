"""The comparison itself: two states in, every change with what it does out, judged by a policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError, NothingCheckedError
from certify.gate.cache import Cache
from certify.gate.change import EVERY_CHANGE, NOTHING, Change, fingerprint
from certify.gate.fact_changes import FactChange, fact_changes
from certify.gate.facts import Submission, read_submission
from certify.gate.figure_changes import FigureChanges, compare_figures
from certify.gate.figures import GameFigures
from certify.gate.impact import Impact
from certify.gate.impact_on_figures import figure_impacts
from certify.gate.kinds import kind
from certify.gate.matching import GamePair, pair_games
from certify.gate.policy import GatePolicy
from certify.gate.recovered import stale_recoveries
from certify.gate.snapshot import Snapshot
from certify.gate.snapshot_reader import submission_paths
from certify.gate.versions import version_changes
from certify.model.finding import Severity
from certify.submission.locate import KeyPath

JUDGED_BY_RETURN: Final = ("return-changed", "return-on-total-changed", "paytable-row-changed")
"""Kinds that are no more than minor while the return stays within the policy's thresholds."""


@dataclass(frozen=True, slots=True)
class GameComparison:
    """One game in both states.

    Args:
        game: Id of the game.
        before: The submission before; none where the game is new.
        after: The submission after; none where it is gone.
        figure_changes: Exact differences of its figures; none where nothing of its meaning changed.
        changes: Every change of the game.
    """

    game: str
    before: Submission | None
    after: Submission | None
    figure_changes: FigureChanges | None
    changes: tuple[Change, ...]

    @property
    def status(self) -> str:
        """``added``, ``removed``, ``changed`` or ``unchanged``."""
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        return "unchanged" if self.before.digest == self.after.digest else "changed"

    @property
    def digests(self) -> tuple[str, str]:
        """Digests of the meaning before and after."""
        return (
            self.before.digest if self.before else NOTHING,
            self.after.digest if self.after else NOTHING,
        )

    @property
    def fingerprint(self) -> str:
        """What an approval of every change of this game names."""
        return fingerprint(EVERY_CHANGE, self.game, "", *self.digests)


def compare(base: Snapshot, head: Snapshot, policy: GatePolicy, cache: Cache) -> tuple[GameComparison, ...]:
    """Returns every game of two states, compared.

    Args:
        base: The state before.
        head: The state after.
        policy: What is asked of a change.
        cache: Where exact figures are kept.

    Raises:
        NothingCheckedError: The states are the same commit, or neither has a submission.
        InputError: A submission cannot be read.
    """
    if base.commit and base.commit == head.commit and base.files == head.files:
        raise NothingCheckedError(
            f"{base.label} and {head.label} are the same commit {base.commit[:12]}: nothing was compared"
        )
    old, new = read_states(base, head, policy)
    if not old and not new:
        raise NothingCheckedError(
            f"neither {base.label} nor {head.label} holds a submission: nothing was compared"
        )
    return tuple(_compare(pair, policy, cache) for pair in pair_games(base, head, old, new, policy))


def read_states(
    base: Snapshot, head: Snapshot, policy: GatePolicy
) -> tuple[dict[str, Submission], dict[str, Submission]]:
    """Returns the submissions of both states by id of the game.

    What is a submission in one state is read as one in the other too, so that none can slip out of sight
    by losing its first line.
    """
    known = [submission_paths(state, policy.paths, policy.exclude) for state in (base, head)]
    if base.single or head.single:
        return _read(base, known[0]), _read(head, known[1])
    return _read(base, known[0] | known[1]), _read(head, known[0] | known[1])


def _read(state: Snapshot, paths: frozenset[str]) -> dict[str, Submission]:
    """Returns the submissions of one state by id of the game."""
    found: dict[str, Submission] = {}
    for path in sorted(paths):
        if path in state.links:
            raise InputError(f"{state.label}: {path} is a symbolic link: expected the submission itself")
        if path not in state.files:
            continue
        submission = read_submission(state.files[path], path, state.shown(path))
        other = found.get(submission.game.id)
        if other is not None:
            raise InputError(
                f"{state.label}: {other.path} and {path} both submit {submission.game.id!r}: expected one; "
                "leave the other out with exclude of the policy"
            )
        found[submission.game.id] = submission
    return found


def _compare(pair: GamePair, policy: GatePolicy, cache: Cache) -> GameComparison:
    """Returns one game, compared."""
    game, before, after = pair.game, pair.before, pair.after
    builder = _Builder(game, before, after, policy)
    if before is not None and after is not None and before.digest == after.digest:
        moved = [builder.change("game-moved", "game", f"{before.path} → {after.path}")]
        changes = [*_readded(builder, pair), *(moved if _moved(before, after) else [])]
        return GameComparison(game, before, after, None, tuple(changes))
    if after is None and before is not None:
        gone = builder.change("game-removed", "game", f"{game} {before.game.version} is no longer submitted")
        return GameComparison(game, before, None, None, (gone,))
    if after is None:
        raise ValueError(f"{game} is in neither state")
    return _changed(pair, after, policy, cache)


def _readded(builder: _Builder, pair: GamePair) -> list[Change]:
    """Returns that a game comes back which the history took away, if it does."""
    if not pair.removed_by or pair.before is None:
        return []
    was = f"{pair.before.game.id} {pair.before.game.version}"
    message = f"{pair.game} is submitted again: compared with {was}, which {pair.removed_by[:12]} took away"
    return [builder.change("game-readded", "game", message)]


def _moved(before: Submission, after: Submission) -> bool:
    return before.path != after.path and before.path.rsplit("/", 1)[-1] == after.path.rsplit("/", 1)[-1]


def _changed(pair: GamePair, after: Submission, policy: GatePolicy, cache: Cache) -> GameComparison:
    """Returns a game that is new or means something else than before, with everything that follows."""
    game, before = pair.game, pair.before
    builder = _Builder(game, before, after, policy)
    changes = _readded(builder, pair)
    figure_changes: FigureChanges | None = None
    old, complaint_before = _figures(before, cache)
    new, complaint = _figures(after, cache)
    if new is not None:
        figure_changes = compare_figures(old, new)
    if complaint:
        changes.append(builder.change("figures-missing", "game", complaint))
    elif complaint_before:
        changes.append(builder.change("figures-missing", "game", f"before the change: {complaint_before}"))
    if before is None:
        changes.append(builder.change("game-added", "game", f"{game} {after.game.version} is new"))
    else:
        changes += _stated(builder, before, after, figure_changes, policy)
    followed = [*stale_recoveries(before, after)]
    if figure_changes is not None:
        followed += figure_impacts(before, after, figure_changes, policy)
    changes += [builder.impact(found) for found in followed]
    if before is not None:
        asked = max(
            (policy.bump_of(change.kind) for change in changes), default=policy.bump_of(kind("game-moved"))
        )
        changes += [
            builder.change(
                name, "version", message, before.game.version, after.game.version, ("game", "version")
            )
            for name, message in version_changes(before.game.version, after.game.version, asked, changes)
        ]
    return GameComparison(game, before, after, figure_changes, tuple(_most_severe_first(changes)))


def _most_severe_first(changes: list[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: -change.severity)


def _figures(submission: Submission | None, cache: Cache) -> tuple[GameFigures | None, str]:
    """Returns the figures of a state, or why they cannot be counted."""
    if submission is None:
        return None, ""
    try:
        return cache.figures(submission), ""
    except InputError as error:
        return None, str(error)


def _stated(
    builder: _Builder,
    before: Submission,
    after: Submission,
    figure_changes: FigureChanges | None,
    policy: GatePolicy,
) -> Iterator[Change]:
    """Yields what is stated otherwise; a pay is as severe as what it does to the return."""
    moved = {delta.wager: delta.moves for delta in figure_changes.wagers} if figure_changes else {}
    for found in fact_changes(before, after):
        moves = moved.get(found.wager, ())
        # A threshold of nothing at all allows no change of a pay, even one that the return does not show.
        within = any(moves) and all(policy.allows(found.wager, move) for move in moves)
        yield builder.change(
            found.kind,
            found.subject,
            found.message + _worth(found, figure_changes),
            found.before,
            found.after,
            found.key,
            found.wager,
            within=within,
        )


def _worth(found: FactChange, figure_changes: FigureChanges | None) -> str:
    """Returns what a printed figure that is stated otherwise is worth now."""
    if figure_changes is None or found.printed not in figure_changes.printed:
        return ""
    verdict = figure_changes.printed[found.printed][1]
    return "" if verdict is None else f"; counted: {verdict.words}"


@dataclass(frozen=True, slots=True)
class _Builder:
    """Makes changes of one game under one policy."""

    game: str
    before: Submission | None
    after: Submission | None
    policy: GatePolicy

    def change(
        self,
        kind_id: str,
        subject: str,
        message: str,
        before: str | None = None,
        after: str | None = None,
        key: KeyPath = (),
        wager: str = "",
        *,
        within: bool = False,
    ) -> Change:
        """Returns a change with its place and severity."""
        found = kind(kind_id)
        severity = self.policy.severity_of(found)
        if within and kind_id in JUDGED_BY_RETURN:
            severity = min(severity, Severity.MINOR)
        place = self.after or self.before
        return Change(
            kind=found,
            game=self.game,
            subject=subject,
            severity=severity,
            message=message,
            before=before,
            after=after,
            path=place.shown if place else "",
            line=self.after.lines.line(key) if self.after and key else 1,
            before_digest=self.before.digest if self.before else NOTHING,
            after_digest=self.after.digest if self.after else NOTHING,
            wager=wager,
        )

    def impact(self, found: Impact) -> Change:
        """Returns what a change does as a change of its own."""
        return self.change(
            found.kind,
            found.subject,
            found.message,
            found.before,
            found.after,
            found.key,
            found.wager,
            within=found.within,
        )
