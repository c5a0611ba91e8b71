"""Integer totals of a campaign: mergeable, kept by chunk, and refusing what contradicts them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from certify.errors import InputError
from certify.model.joint_counts import Axes, JointCounts

FIRST_POINT: Final = 1_000
"""Rounds after which convergence is first looked at."""


@dataclass(frozen=True, slots=True)
class PlayedPoint:
    """The counts of the first rounds of a campaign."""

    rounds: int
    joint: JointCounts


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What one chunk of a campaign counted.

    Args:
        index: Index of the chunk, which is also the index of its stream of decks.
        rounds: Rounds played.
        joint: Counts of the joint outcomes.
        points: Counts part of the way through, for convergence; only the first chunk has some.
    """

    index: int
    rounds: int
    joint: JointCounts
    points: tuple[PlayedPoint, ...]

    def __post_init__(self) -> None:
        """Refuses counts that cannot be those of a chunk."""
        for point in (PlayedPoint(self.rounds, self.joint), *self.points):
            if point.joint.rounds != point.rounds or point.joint.axes != self.joint.axes:
                raise InputError(
                    f"chunk {self.index} counts {point.joint.rounds} rounds, expected {point.rounds}"
                )

    @property
    def digest(self) -> str:
        """SHA-256 of the result, by which two results of one chunk are compared."""
        points = [(point.rounds, point.joint.cells, *point.joint.totals) for point in self.points]
        whole = (self.index, self.rounds, self.joint.possible, self.joint.cells, points, *self.joint.totals)
        return hashlib.sha256(repr(whole).encode()).hexdigest()


RENARD: Final = (100, 125, 160, 200, 250, 315, 400, 500, 630, 800)
"""Ten steps of a decade in hundredths. Source: ISO 3, series R10."""


def log_spaced(rounds: int) -> tuple[int, ...]:
    """Returns ten points a decade from 1000 on, below a number of rounds.

    The steps are the rounded tenth roots of ten (Renard's series R10), so that a curve on a logarithmic
    axis has evenly spaced points.

    >>> log_spaced(4_000)
    (1000, 1250, 1600, 2000, 2500, 3150)
    """
    points = []
    decade = FIRST_POINT
    while decade < rounds:
        points += [step * decade // 100 for step in RENARD if step * decade // 100 < rounds]
        decade *= 10
    return tuple(points)


@dataclass(slots=True)
class CampaignTally:
    """The totals of the chunks merged so far, in any order, each chunk once."""

    joint: JointCounts
    rounds: int = 0
    _seen: dict[int, str] = field(default_factory=dict)

    def add(self, result: ChunkResult) -> None:
        """Merges a chunk; the same result again changes nothing.

        Raises:
            InputError: The chunk was merged before with another result.
        """
        known = self._seen.get(result.index)
        if known is None:
            self._seen[result.index] = result.digest
            self.rounds += result.rounds
            self.joint += result.joint
        elif known != result.digest:
            raise InputError(
                f"chunk {result.index} has two results, {known[:12]} and {result.digest[:12]}: "
                "expected the same from the same stream"
            )

    @property
    def chunks(self) -> tuple[int, ...]:
        """Indices of the chunks merged, lowest first."""
        return tuple(sorted(self._seen))


@dataclass(frozen=True, slots=True)
class Campaign:
    """A finished campaign.

    Args:
        game: Id of the game.
        strategy: Name of the strategy.
        rounds: Rounds played.
        chunk_rounds: Rounds of a chunk; the last chunk may hold fewer.
        streams: Number of chunks, each with its own stream of decks.
        seed: Master seed of the decks in hexadecimal, empty where the source has none.
        purpose: Purpose of the streams.
        configuration: SHA-256 of all that determines the counts.
        joint: Counts of the joint outcomes.
        points: Counts along the way at log-spaced numbers of rounds, the whole campaign last.
    """

    game: str
    strategy: str
    rounds: int
    chunk_rounds: int
    streams: int
    seed: str
    purpose: str
    configuration: str
    joint: JointCounts
    points: tuple[PlayedPoint, ...]

    @property
    def axes(self) -> Axes:
        """Wagers with their outcomes."""
        return self.joint.axes

    def counts(self, wager: str) -> dict[str, int]:
        """Returns how often each outcome of a wager occurred, zeros included.

        Raises:
            InputError: The play-through settles no such wager.
        """
        return self.joint.wager(wager)
