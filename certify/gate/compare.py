"""The comparison itself: two states in, every change with what it does out, judged by a policy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from certify.errors import InputError, NothingCheckedError
from certify.gate.change import EVERY_CHANGE, NOTHING, GateChange, Impact, fingerprint, kind
from certify.gate.fact_changes import fact_changes, stale_recoveries
from certify.gate.facts import Submission
from certify.gate.figure_changes import FigureChanges, compare_figures
from certify.gate.figures import GameFigures, OtherCodeError, figures_of
from certify.gate.impact_on_figures import figure_impacts
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot
from certify.gate.states import GamePair, Unread, pair_games, read_states, switched_to, version_changes
from certify.mathematics import analyze
from certify.model import Severity

DEALT: Final = 20_000
"""Rounds dealt on which two implementations are compared, in addition to a deal for every state and class of faces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameComparison(GamePair):
    """One game in both states.

    Args:
        figure_changes: Exact differences of its figures; none where nothing of its meaning changed.
        changes: Every change of the game.
        unread: Digest of the file before, where that could not be read; empty where it could.
    """

    figure_changes: FigureChanges | None = None
    changes: tuple[GateChange, ...] = ()
    unread: str = ""

    @property
    def status(self) -> str:
        """``added``, ``removed``, ``changed`` or ``unchanged``."""
        if self.after is None:
            return "removed"
        if self.before is None:
            return "added"
        return "unchanged" if self.untouched or self.before.digest == self.after.digest else "changed"

    @property
    def untouched(self) -> bool:
        """Whether file and code are the same in both states: nothing more of it was read than what it is called."""
        return self.before is not None and self.before is self.after

    @property
    def digests(self) -> tuple[str, str]:
        """Digests of the meaning before and after."""
        return (
            self.before.digest if self.before else self.unread or NOTHING,
            self.after.digest if self.after else NOTHING,
        )

    @property
    def fingerprint(self) -> str:
        """What an approval of every change of this game names."""
        return fingerprint(EVERY_CHANGE, self.game, "", *self.digests)


def compare(
    base: Snapshot,
    head: Snapshot,
    policy: GatePolicy,
    *,
    repository: Path = Path(),
    brought: GatePolicy | None = None,
) -> tuple[GameComparison, ...]:
    """Returns every game of two states, compared.

    Args:
        base: The state before.
        head: The state after.
        policy: What is required of a change.
        repository: Folder of the repository that commits are read from.
        brought: The policy that the state after contains, where it is another one: what it takes in is judged
            with the change that takes it in.

    Raises:
        NothingCheckedError: The states are the same commit, or neither has a submission.
        InputError: A submission of the state after cannot be read.
    """
    if base.commit and base.commit == head.commit and base.files == head.files:
        raise NothingCheckedError(
            f"{base.label} and {head.label} are the same commit {base.commit[:12]}: nothing was compared"
        )
    before, after, unread = read_states(base, head, policy, repository, brought)
    if not before and not after and not unread:
        raise NothingCheckedError(
            f"neither {base.label} nor {head.label} holds a submission: nothing was compared"
        )
    pairs = pair_games(base, head, before, after, policy)
    taken = {pair.after.path for pair in pairs if pair.after is not None}
    compared = [_compare(pair, policy, unread) for pair in pairs]
    return (*compared, *(_gone(one, policy) for path, one in unread.items() if path not in taken))


def _gone(unread: Unread, policy: GatePolicy) -> GameComparison:
    """Returns a file that could not be read and is no longer there."""
    name = PurePosixPath(unread.path).parent.name or unread.path
    message = f"{unread.path} could not be read and is no longer there: {unread.complaint}"
    found = Impact("base-unreadable", unread.path, message)
    return _judged(GameComparison(name, None, None, unread=unread.sha256), [found], policy)


def _compare(pair: GamePair, policy: GatePolicy, unread: Mapping[str, Unread]) -> GameComparison:
    """Returns one game, compared."""
    game, before, after = pair.game, pair.before, pair.after
    compared = GameComparison(game, before, after)
    if compared.untouched:
        return compared
    if before is not None and after is not None and before.digest == after.digest:
        return _judged(compared, [*_readded(pair), *_moved(before, after)], policy)
    if after is None and before is not None:
        gone = Impact("game-removed", "game", f"{game} {before.game.version} is no longer submitted")
        return _judged(compared, [gone], policy)
    if after is None:
        raise ValueError(f"{game} is in neither state")
    return _changed(pair, after, policy, unread.get(after.path) if before is None else None)


def _readded(pair: GamePair) -> Iterator[Impact]:
    """Yields that a game comes back which the history took away, if it does."""
    if pair.removed_by and pair.before is not None:
        was = f"{pair.before.game.id} {pair.before.game.version}"
        message = (
            f"{pair.game} is submitted again: compared with {was}, which {pair.removed_by[:12]} took away"
        )
        yield Impact("game-readded", "game", message)


def _moved(before: Submission, after: Submission) -> Iterator[Impact]:
    """Yields that a game is at another place under the same name."""
    if before.path != after.path and PurePosixPath(before.path).name == PurePosixPath(after.path).name:
        yield Impact("game-moved", "game", f"{before.path} → {after.path}")


def _changed(pair: GamePair, after: Submission, policy: GatePolicy, unread: Unread | None) -> GameComparison:
    """Returns a game that is new or means something else than before, with everything that follows."""
    game, before = pair.game, pair.before
    found = [*_readded(pair)]
    if unread is not None:
        message = f"{unread.path} could not be read before, and is judged as new: {unread.complaint}"
        found.append(Impact("base-unreadable", unread.path, message))
    figure_changes: FigureChanges | None = None
    old, complaint_before, elsewhere = _figures(before)
    new, complaint, _ = _figures(after)
    found += _other_code(before, after, elsewhere)
    if new is not None:
        figure_changes = compare_figures(old, new)
        found += _texts(before, after)
    if complaint or complaint_before:
        found.append(Impact("figures-missing", "game", complaint or f"before the change: {complaint_before}"))
    switched = None if before is None else switched_to(before, after)
    if before is None:
        found.append(Impact("game-added", "game", f"{game} {after.game.version} is new"))
    else:
        stated = _stated(before, after, figure_changes, policy)
        found += [one for one in stated if switched is None or not switched.covers(one)]
    found += stale_recoveries(before, after)
    if figure_changes is not None:
        moved = figure_impacts(before, after, figure_changes, policy)
        found += moved if switched is None else switched.left_of(moved)
    if before is not None:
        found += version_changes(before.version, after.version, [one.kind for one in found], policy)
    sha256 = unread.sha256 if unread else ""
    return _judged(
        GameComparison(game, before, after, figure_changes=figure_changes, unread=sha256), found, policy
    )


def _judged(compared: GameComparison, found: Iterable[Impact], policy: GatePolicy) -> GameComparison:
    """Returns a game with all that changed of it, each as severe as the policy says, most severe first."""
    changes = (_change(compared, one, policy) for one in found)
    return replace(compared, changes=tuple(sorted(changes, key=lambda change: -change.severity)))


def _change(compared: GameComparison, found: Impact, policy: GatePolicy) -> GateChange:
    """Returns a change with its place and severity."""
    named = kind(found.kind)
    severity = policy.severity_of(named)
    if found.within and named.by_return:
        severity = min(severity, Severity.MINOR)
    after, place = compared.after, compared.after or compared.before
    return GateChange(
        kind=named,
        game=compared.game,
        subject=found.subject,
        severity=severity,
        message=found.message,
        before=found.before,
        after=found.after,
        path=place.shown if place else "",
        line=after.lines.line(found.key) if after and found.key else 1,
        before_digest=compared.digests[0],
        after_digest=compared.digests[1],
        wager=found.wager,
    )


def _figures(submission: Submission | None) -> tuple[GameFigures | None, str, str]:
    """Returns the figures of a state, or why they cannot be counted: at all, or with the code of that state."""
    if submission is None:
        return None, "", ""
    try:
        return figures_of(submission), "", ""
    except OtherCodeError as error:
        return None, "", str(error)
    except InputError as error:
        return None, str(error), ""


def _other_code(before: Submission | None, after: Submission, elsewhere: str) -> Iterator[Impact]:
    """Yields that other parts of what figures rest on differ than the submission shows, the code above all."""
    if before is None:
        return
    old, new = before.basis.code, after.basis.code
    if old.identity != new.identity:
        judged = f"; {elsewhere}: its figures are judged as new" if elsewhere else ""
        message = f"the code of the family {after.game.family} is {new.words}, was {old.words}{judged}"
        yield Impact("family-code-changed", after.game.family, message, old.sha256, new.sha256)
    elif before.facts_digest == after.facts_digest:
        parts = ", ".join(after.basis.differences(before.basis))
        yield Impact("submission-changed", "basis", f"what figures rest on differs in {parts}")


def _texts(before: Submission | None, after: Submission) -> Iterator[Impact]:
    """Yields that the two implementations of a family settle differently, where its code is new or changed."""
    code = after.basis.code
    if not code.sha256 or (before is not None and before.basis.code.identity == code.identity):
        return
    from certify.certification.cross_checks import texts_of

    strategy = analyze(after.basis.game, after.basis.strategies[0]).strategy
    texts = texts_of(after.game, bytes.fromhex(after.digest), strategy, DEALT)
    if texts is None:
        return
    family = after.game.family
    if texts.second is None:
        message = (
            f"the code of the family {family} has no second implementation: nothing checks what it settles"
        )
        yield Impact("second-text-missing", family, message)
        return
    if texts.shared:
        message = (
            f"the second implementation of the family {family} is not independent: "
            f"both rest on {', '.join(texts.shared)}"
        )
        yield Impact("second-text-missing", family, message)
    if texts.differing:
        rounds = f"{texts.differing} of {texts.deals + texts.dealt} rounds"
        message = f"the two implementations of the family {family} settle {rounds} differently: {texts.differences[0]}"
        yield Impact("texts-disagree", family, message)


def _stated(
    before: Submission,
    after: Submission,
    figure_changes: FigureChanges | None,
    policy: GatePolicy,
) -> Iterator[Impact]:
    """Yields what is stated otherwise; a pay is as severe as what it does to the return."""
    moved = {delta.wager: delta.moves for delta in figure_changes.wagers} if figure_changes else {}
    for found in fact_changes(before, after):
        moves = moved.get(found.wager, ())
        # A threshold of nothing at all allows no change of a pay, even one that the return does not show.
        within = any(moves) and all(policy.allows(found.wager, move) for move in moves)
        yield replace(found, message=found.message + _worth(found, figure_changes), within=within)


def _worth(found: Impact, figure_changes: FigureChanges | None) -> str:
    """Returns what a printed figure that is stated otherwise is worth now."""
    if figure_changes is None or found.printed not in figure_changes.printed:
        return ""
    verdict = figure_changes.printed[found.printed][1]
    return "" if verdict is None else f"; counted: {verdict.words}"
