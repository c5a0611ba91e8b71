"""Results of chunks on disk, so that a long campaign goes on where it was broken off."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from certify.errors import InputError
from certify.model.joint_counts import AwardTotal, Axes, CellTotal, JointCounts, Totals
from certify.simulation.tally import ChunkResult, PlayedPoint
from certify.untrusted_input import Document, SizeLimit, json_of, read_bounded, write_whole

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
        """Tells whether the result of a chunk was saved."""
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
        try:
            cells = sorted((int(cell), _whole(count)) for cell, count in counts["cells"].items())
            return JointCounts(self.axes, tuple(cells), tuple(map(_totals, counts["totals"])))
        except InputError as error:
            raise ValueError(str(error)) from error


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
