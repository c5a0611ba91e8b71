"""Results of chunks on disk, so that a long campaign goes on where it was broken off."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from certify.errors import InputError, Refusing
from certify.model import AwardTotal, Axes, CellTotal, JointCounts, Totals
from certify.untrusted_input import Document, SizeLimit, json_of, read_bounded, write_whole

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


SCHEMA: Final = "certify-campaign-chunk/3"

MAXIMUM_BYTES: Final = 64 * 1024 * 1024
"""Bytes that the result of a chunk may have."""


@dataclass(frozen=True, slots=True)
class ChunkStore:
    """A folder with one JSON file a chunk, all of one campaign.

    Args:
        folder: The folder, made when the first chunk is saved.
        configuration: Digest of the campaign's configuration; files of another campaign are refused.
        axes: Wagers of the game with their outcomes.
    """

    folder: Path
    configuration: str
    axes: Axes

    def holds(self, index: int) -> bool:
        """Returns whether the result of a chunk was saved."""
        return self._path(index).exists()

    def load(self, index: int) -> ChunkResult | None:
        """Returns the saved result of a chunk, or None where none was saved.

        Raises:
            InputError: The file is damaged, or belongs to another campaign.
        """
        path = self._path(index)
        if not path.exists():
            return None
        content = read_bounded(path, SizeLimit("the result of a chunk", MAXIMUM_BYTES))
        try:
            return self._parse(path, index, json_of(content))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"{type(error).__name__}: {error}"
            raise InputError(
                f"{path}: damaged result of a chunk, {said[:200]}; remove it to play it again"
            ) from error

    def save(self, result: ChunkResult) -> None:
        """Saves a result: the file appears whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(result.index)
        write_whole(path, [json.dumps(self._document(result), sort_keys=True).encode()])

    def _path(self, index: int) -> Path:
        return self.folder / f"chunk-{index:06d}.json"

    def _document(self, result: ChunkResult) -> Document:
        points = [{"rounds": point.rounds, "joint": _document(point.joint)} for point in result.points]
        return {
            "schema": SCHEMA,
            "configuration": self.configuration,
            "index": result.index,
            "rounds": result.rounds,
            "joint": _document(result.joint),
            "points": points,
            "sha256": result.digest,
        }

    def _parse(self, path: Path, index: int, document: Document) -> ChunkResult:
        if document["schema"] != SCHEMA or document["configuration"] != self.configuration:
            raise InputError(
                f"{path}: belongs to another campaign, configuration {str(document['configuration'])[:12]}; "
                f"expected {self.configuration[:12]}"
            )
        points = tuple(
            PlayedPoint(_whole(point["rounds"]), self._counts(point["joint"])) for point in document["points"]
        )
        result = ChunkResult(
            _whole(document["index"]),
            _whole(document["rounds"]),
            self._counts(document["joint"]),
            points,
        )
        if result.index != index or result.digest != document["sha256"]:
            raise InputError(
                f"{path}: the counts do not match their digest; remove it to play the chunk again"
            )
        return result

    def _counts(self, counts: Document) -> JointCounts:
        with Refusing(InputError, ValueError):
            cells = sorted((int(cell), _whole(count)) for cell, count in counts["cells"].items())
            return JointCounts(self.axes, tuple(cells), tuple(map(_totals, counts["totals"])))


def _document(joint: JointCounts) -> Document:
    totals = [[one.wager, one.unit, one.cells, one.awards] for one in joint.totals]
    return {"cells": {str(cell): count for cell, count in joint.cells}, "totals": totals}


def _totals(kept: list[Any]) -> Totals:
    wager, unit, cells, awards = kept
    return Totals(
        str(wager), unit, tuple(CellTotal(*one) for one in cells), tuple(AwardTotal(*one) for one in awards)
    )


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is no whole number")
    return value
