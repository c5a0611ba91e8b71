"""The order in which states can be counted: those that a round can come back to are counted together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_LONGEST: Final = 256
"""Edges of the longest way that is followed before a graph is looked at for loops."""

_BLOCK: Final = 1_024
"""States whose ways on are looked at together."""


@dataclass(frozen=True, slots=True)
class CountingOrder:
    """Groups of states, none of which leads back to an earlier group.

    Args:
        groups: The groups in order, the start's first.
        loops: For each group whether a round can come back to a state of it.
    """

    groups: Sequence[Sequence[int]]
    loops: Sequence[bool]

    def forward(self) -> Iterator[tuple[Sequence[int], bool]]:
        """Yields the groups from the start on, and whether each holds a loop."""
        return zip(self.groups, self.loops, strict=True)

    def backward(self) -> Iterator[tuple[Sequence[int], bool]]:
        """Yields the groups from the ends back, and whether each holds a loop."""
        return zip(reversed(self.groups), reversed(self.loops), strict=True)


def counting_order(
    offsets: Sequence[int] | NDArray[np.int64], targets: Sequence[int] | NDArray[np.int64]
) -> CountingOrder:
    """Returns the strongly connected components of a graph in topological order.

    Args:
        offsets: Where the edges of each state begin, and at the end where the last ends.
        targets: State that each edge leads to.
    """
    size = len(offsets) - 1
    starts, ends = np.asarray(offsets, np.int64), np.asarray(targets, np.int64)
    sources = np.repeat(np.arange(size), np.diff(starts))
    if bool(np.all(ends > sources)):
        return CountingOrder([(state,) for state in range(size)], [False] * size)
    height = heights(starts, ends)
    if height is not None:
        rising = np.argsort(-height, kind="stable").tolist()
        return CountingOrder([(state,) for state in rising], [False] * size)
    # Loaded here, for most that is asked of the command line walks no round.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(len(ends), np.int8), ends, starts), shape=(size, size))
    count, labels = connected_components(graph, directed=True, connection="strong")
    members: list[list[int]] = [[] for _ in range(count)]
    for state, label in enumerate(labels.tolist()):
        members[label].append(state)
    loops = np.bincount(labels, minlength=count) > 1
    loops[labels[sources[sources == ends]]] = True
    ordered = _topological(count, labels[sources], labels[ends])
    return CountingOrder([members[label] for label in ordered], [bool(loops[label]) for label in ordered])


def heights(offsets: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Returns the length of the longest way from each state to an end.

    Args:
        offsets: Where the edges of each state begin, and at the end where the last ends.
        targets: State that each edge leads to.

    Returns:
        None where there is a loop, or ways that 256 turns over all edges do not follow to their ends.
    """
    height = np.zeros(len(offsets) - 1, np.int64)
    leads_on = np.flatnonzero(np.diff(offsets))
    # Most edges lead to later states: the last of them first, so that a way is followed within one turn.
    blocks = []
    for begin in reversed(range(0, len(leads_on), _BLOCK)):
        own = leads_on[begin : begin + _BLOCK]
        first = offsets[own[0]]
        blocks.append((own, targets[first : offsets[own[-1] + 1]], offsets[own] - first))
    for _ in range(_LONGEST):
        longer = False
        for own, led, begins in blocks:
            longest = np.maximum.reduceat(height[led], begins) + 1
            if not np.array_equal(longest, height[own]):
                height[own] = longest
                longer = True
        if not longer:
            return height
    return None


def _topological(count: int, sources: np.ndarray, targets: np.ndarray) -> list[int]:
    """Returns components in an order in which every edge between two of them goes forward (Kahn 1962)."""
    between = np.unique(np.stack((sources, targets))[:, sources != targets], axis=1)
    following: list[list[int]] = [[] for _ in range(count)]
    entering = [0] * count
    for source, target in between.T.tolist():
        following[source].append(target)
        entering[target] += 1
    ready = [label for label in range(count) if not entering[label]]
    ordered = []
    while ready:
        label = ready.pop()
        ordered.append(label)
        for target in following[label]:
            entering[target] -= 1
            if not entering[target]:
                ready.append(target)
    return ordered
