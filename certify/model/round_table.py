"""A round under one strategy as a table: what each draw leads to, and which wagers it settles."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from certify.by_key import gathered
from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.joint_counts import Axes, JointCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def faces_of(equipment: Sequence[Equipment], rows: "NDArray[Any]") -> "NDArray[Any]":
    """Returns rows of items as rows of faces, as the reference round is given them.

    Args:
        equipment: The pieces, in the order in which rows lay out their draws.
        rows: Numbers of items, unsigned integers[rounds, width].

    >>> import numpy as np
    >>> from certify.model.equipment import Kind, strip
    >>> faces_of([strip("reel", Kind.REEL, ("bar", "7", "bar"), 2)], np.array([[0, 2], [1, 2]])).tolist()
    [[0, 0], [1, 0]]
    """
    import numpy as np

    shown, start = np.empty_like(rows), 0
    for piece in equipment:
        columns = slice(start, start + piece.supply)
        shown[:, columns] = np.asarray(piece.shows, dtype=rows.dtype)[rows[:, columns]]
        start += piece.supply
    return shown


class Counter(Protocol):
    """Plays rows of items (which ``faces_of`` turns into faces), settled apart from the reference."""

    @property
    def axes(self) -> Axes:
        """Wagers with their outcomes, in the order in which joint outcomes are numbered."""

    def count(self, rows: "NDArray[Any]") -> JointCounts:
        """Returns how many rows end in each joint outcome."""

    def outcomes(self, rows: "NDArray[Any]") -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""


@runtime_checkable
class ShortCounter(Counter, Protocol):
    """Plays rows of which it looks at the first items alone."""

    @property
    def looks(self) -> int:
        """How many items of a row it looks at, at most."""


@runtime_checkable
class TwinnedCounter(Counter, Protocol):
    """Plays rows twice: what the compiled code reads is read again in plain Python, apart from the reference round."""

    def twin(self, rows: "NDArray[Any]") -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the readable twin."""


def told_net(outcome: str, net: Fraction) -> str:
    """Returns an outcome with its net result: how legs are compared where an outcome is a class of rounds.

    >>> told_net("free-games", Fraction(49, 2))
    'free-games at 49/2 net'
    """
    return f"{outcome} at {net} net"


@runtime_checkable
class SummingCounter(Counter, Protocol):
    """Plays rounds of wagers whose outcomes are classes: it tells each with its net result (see ``told_net``)."""

    @property
    def varying(self) -> tuple[str, ...]:
        """Those wagers; their counts come with the sums of what rounds came to."""


def varying_of(counter: Counter) -> frozenset[str]:
    """Returns the wagers of which a play-through tells the net result next to the outcome, a class of rounds."""
    return frozenset(counter.varying) if isinstance(counter, SummingCounter) else frozenset()


Settling = tuple[tuple[str, str], ...]
"""Wagers that are settled together, each with its outcome."""

ENDED: Final = -1
"""In place of a piece of equipment: the round has ended."""


@dataclass(frozen=True, eq=False)
class RoundTable:
    """The least automaton of a round under one strategy.

    State 0 is the start. Every wager is settled exactly once on each path from the start to an end, though not
    on the same draw of every path. States may form loops, such as throws until a point is made.

    Args:
        equipment: What the round is drawn from.
        piece: int8[states], place in ``equipment`` of the piece that a state draws from; -1 where the round has ended.
        following: int32[states, most faces], next state by the face that was drawn; 0 where a face cannot come.
        settling: int32[states, most faces], place in ``settled`` of what is settled on that draw; 0 for nothing.
        ended: int32[states], place in ``settled`` of what an end settles; 0 for nothing, and where it is no end.
        settled: Everything that is settled together; the first entry is empty.
        begun: Place in ``settled`` of what is settled before any draw.

    Raises:
        InputError: The arrays do not fit together.
    """

    equipment: tuple[Equipment, ...]
    piece: "NDArray[np.int8]"
    following: "NDArray[np.int32]"
    settling: "NDArray[np.int32]"
    ended: "NDArray[np.int32]"
    settled: tuple[Settling, ...]
    begun: int = 0

    def __post_init__(self) -> None:
        """Refuses arrays that do not fit together, or that lead outside the table."""
        states, faces = len(self.piece), max((len(piece.faces) for piece in self.equipment), default=0)
        shapes = (self.following.shape, self.settling.shape, self.ended.shape)
        if not states or shapes != ((states, faces), (states, faces), (states,)):
            raise InputError(f"table of a round: arrays of {shapes} for {states} states of {faces} faces")
        if not self.settled or self.settled[0] != ():
            raise InputError("table of a round: the first entry of what is settled must be empty")
        for name, values, low, high in (
            ("piece", self.piece, ENDED, len(self.equipment)),
            ("following", self.following, 0, states),
            ("settling", self.settling, 0, len(self.settled)),
            ("ended", self.ended, 0, len(self.settled)),
        ):
            if values.size and not low <= int(values.min()) <= int(values.max()) < high:
                raise InputError(f"table of a round: {name} leads outside {low} to {high - 1}")
        if not 0 <= self.begun < len(self.settled):
            raise InputError(f"table of a round: {self.begun} is settled at first, of {len(self.settled)}")

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.piece)

    @cached_property
    def outcomes(self) -> dict[str, tuple[str, ...]]:
        """The outcomes that each wager can come to, in the order of the alphabet, by wager in order of appearance."""
        found = gathered(one for settling in self.settled for one in settling)
        return {wager: tuple(sorted(set(outcomes))) for wager, outcomes in found.items()}
