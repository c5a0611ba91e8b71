"""What an audit found of rounds that were played, as its JSON states it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.exact import units
from certify.model import Verdict

SCHEMA: Final = "certify-audit/1"


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row that deviates.

    Args:
        log: Its log.
        row: Its number there, from 1, headings apart.
        round: Id of the round, as logged.
        wager: The wager, as logged.
        stake: Stake in the smallest coin; none where it cannot be read.
        win: What came back, likewise.
        off: How much more came back than could, in the smallest coin; less where below 0.
        why: What is wrong with it, where more is known.
    """

    log: str
    row: int
    round: str | None
    wager: str | None
    stake: int | None
    win: int | None
    off: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Deviation:
    """One kind of deviation.

    Args:
        id: What it is called.
        words: What it is.
        count: How many rows have it.
        worst: Some of them, the worst first.
    """

    id: str
    words: str
    count: int
    worst: tuple[ListedRow, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One test of the log against the exact law.

    Args:
        of: What was tested: a wager, after its variant where there is one.
        part: Which rows; empty for all of them.
        test: ``pays``, ``pay``, ``worst pay``, ``outcome``, ``draws`` or ``return``.
        rows: How many rows there are.
        seen: What was counted: how often, or the return.
        expected: The same by the exact law.
        p: How likely it is to come so far off, where nothing is wrong.
        adjusted: The same, adjusted for all tests of the audit by Holm's procedure.
    """

    of: str
    part: str
    test: str
    rows: int
    seen: float
    expected: float
    p: float
    adjusted: float = 1.0


@dataclass(frozen=True, slots=True)
class Returned:
    """What came back of the stakes of some rows.

    Args:
        of: The wager, after its variant where there is one.
        currency: Currency of the stakes.
        stake: Stake of each row, in the smallest coin.
        channel: Where they were played; empty where that is not logged.
        day: Day on which they were played; empty for all days.
        rows: How many rows there are.
        total: What came back, in the smallest coin.
        returned: The same for each unit staked.
        expected: The exact return at that stake; none where no law is known.
    """

    of: str
    currency: str
    stake: int
    channel: str
    day: str
    rows: int
    total: Fraction
    returned: Fraction
    expected: Fraction | None

    @property
    def part(self) -> str:
        """The rows in words."""
        return ", ".join(
            filter(None, (f"{units(self.stake, self.currency)} {self.currency}", self.channel, self.day))
        )


@dataclass(frozen=True, slots=True)
class PlayersPlay:
    """How players decided in rounds that were settled again, and what their errors cost.

    Args:
        of: The first wager of the game, after its variant where there is one, in whose stakes the cost is.
        rounds: Rounds that were looked at.
        decisions: Decisions of players in them that leave a choice and whose values are known.
        unknown: Others, whose values are not counted decision by decision.
        errors: Decisions that cost anything.
        cost: What they cost in a round, on average.
        best: The exact return of best play.
        returned: The return that follows: of best play, less the cost.
        printed: The return that the source prints; empty where it prints none.
        closest: The analysed strategy that would have decided most of them in the same way.
        agreeing: How many it would have.
    """

    of: str
    rounds: int
    decisions: int
    unknown: int
    errors: int
    cost: Fraction
    best: Fraction
    returned: Fraction
    printed: str
    closest: str
    agreeing: int


@dataclass(frozen=True, slots=True)
class SettledAgain:
    """Rounds that were settled again.

    Args:
        rounds: How many rows.
        of: How many could be.
        left_out: How many were looked at and could not be: the row holds some of the draws of several pieces.
        deviations: What was found.
        told: The worst of them in full: what was drawn and decided, and how each wager ended.
        play: How players decided; empty where nothing is decided, or no decisions are logged.
    """

    rounds: int
    of: int
    left_out: int
    deviations: tuple[Deviation, ...] = ()
    told: tuple[tuple[str, ...], ...] = ()
    play: tuple[PlayersPlay, ...] = ()


@dataclass(frozen=True, slots=True)
class StatedLaw:
    """The law that rows are held against.

    Args:
        of: The wager, after its variant where there is one.
        pays: How many amounts may come back.
        returned: The exact return before amounts are rounded; none where it hangs on play that is not stated.
        unjudged: Why frequencies and returns are not judged; empty where they are.
    """

    of: str
    pays: int
    returned: Fraction | None
    unjudged: str


@dataclass(frozen=True, slots=True)
class AuditedFile:
    """A file that an audit rests on, by its digest."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Args:
        schema: The form of this document.
        tool: Name and version of this software.
        game: Title of the game.
        game_sha256: Digest of its submission.
        files: The MAP and the logs.
        demonstration_key: Whether it is signed with a key for which nobody vouches.
        verdict: The verdict.
        reasons: What it rests on.
        rows: Rows read.
        alpha: Probability that any test of a faultless log rejects.
        laws: What rows are held against.
        deviations: What deviates from row to row, the worst first.
        tests: How many tests were made.
        rejected: How many of them reject the exact law.
        worst: Those with the smallest p-values.
        returns: What came back, by wager, stake, channel, currency and day.
        settled_again: Rounds settled again; none where no draws are logged.
        not_judged: What could not be judged, and why.
    """

    schema: str
    tool: str
    game: str
    game_sha256: str
    files: tuple[AuditedFile, ...]
    demonstration_key: bool
    verdict: Verdict
    reasons: tuple[str, ...]
    rows: int
    alpha: float
    laws: tuple[StatedLaw, ...]
    deviations: tuple[Deviation, ...]
    tests: int
    rejected: int
    worst: tuple[Judged, ...]
    returns: tuple[Returned, ...]
    settled_again: SettledAgain | None
    not_judged: tuple[str, ...]


def concluded(found: Audit) -> tuple[Verdict, tuple[str, ...]]:
    """Returns the verdict that follows from what an audit found, with its reasons."""
    reasons = [f"{one.count:,} times: {one.words}" for one in found.deviations]
    if found.rejected:
        reasons.append(
            f"{found.rejected:,} of {found.tests:,} tests reject the exact distribution at {found.alpha:g} together"
        )
    if reasons:
        return Verdict.NOT_SATISFIED, tuple(reasons)
    if any(law.unjudged for law in found.laws):
        return Verdict.INCONCLUSIVE, ("frequencies and returns could not be judged",)
    return Verdict.SATISFIED, ()


def differing(found: Audit) -> Iterator[str]:
    """Yields what an audit says otherwise than its own numbers have it."""
    if found.schema != SCHEMA:
        yield f"it is of the form {found.schema!r}, expected {SCHEMA!r}"
    if (found.verdict, found.reasons) != concluded(found):
        yield f"the verdict {str(found.verdict)!r} with its reasons is not what follows from what was found"
    rejected = sum(one.adjusted <= found.alpha for one in found.worst)
    if rejected != min(found.rejected, len(found.worst)) or found.rejected > found.tests:
        yield f"{found.rejected} tests are counted as rejecting, {rejected} of those that are listed do"
    if any(one.count < max(1, len(one.worst)) for one in found.deviations):
        yield "a deviation lists more rows than it counts"
    for play in found.settled_again.play if found.settled_again else ():
        if play.returned != play.best - play.cost or play.agreeing > play.decisions + play.unknown:
            yield f"the return of {play.of} that follows from how players decided is not best play less the cost"
    for one in found.returns:
        if one.rows < 1 or one.stake < 1 or one.returned != one.total / (one.rows * one.stake):
            yield f"the return of {one.of}, {one.part} is not what came back for what was staked"
