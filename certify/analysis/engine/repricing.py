"""The same walk at other pays: what rows pay changes neither draws nor decisions, so no state is walked again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from certify.analysis.engine.reach import ends, path_to, replay
from certify.analysis.engine.walk import RoundGraph
from certify.model.round import ReferenceRound, WagerResult


def repriced(graph: RoundGraph, reference: ReferenceRound[Any]) -> RoundGraph | None:
    """Returns a walk with the results of the same round at other pays, or none where it must be walked anew.

    One round for each way of ending is replayed by the other reference round; each must end in the same outcomes.

    Args:
        graph: The walk.
        reference: The same round at other pays.
    """
    if reference.equipment != graph.reference.equipment:
        return None
    results: list[tuple[WagerResult, ...]] = list(graph.results)
    for place, state in ends(graph).items():
        replayed = replay(reference, path_to(graph, state))
        if _outcomes(replayed) != _outcomes(graph.results[place]):
            return None
        results[place] = replayed
    return replace(graph, reference=reference, results=tuple(results))


def _outcomes(results: tuple[WagerResult, ...]) -> list[tuple[str, str]]:
    return [(result.wager, result.outcome) for result in results]
