"""A round under one strategy as a table: what each draw leads to, and which wagers it settles."""

from collections.abc import Callable, Sequence
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


_MOST_DISTINCT: Final = 65_536
"""Different rows up to which each is played once."""

_WIDEST: Final = 16
"""Items of a row beyond which more different rows are possible than that, but for one or two faces."""


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


def named(axes: Axes, codes: "NDArray[Any]") -> list[tuple[str, ...]]:
    """Returns the outcome of every wager for every round.

    Args:
        axes: Wagers with their outcomes in the order of their codes.
        codes: Unsigned integers[rounds, wagers].
    """
    ids = [outcomes for _, outcomes in axes]
    return [tuple(ids[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


def distinct_rows(rows: "NDArray[Any]") -> "tuple[NDArray[Any], NDArray[np.int64]]":
    """Returns the different rows with how often each came; all of them, once each, where many are possible.

    Args:
        rows: Unsigned integers[rounds, width].

    >>> import numpy as np
    >>> rows, times = distinct_rows(np.array([[1, 2], [0, 1], [1, 2]] * 20, dtype=np.uint8))
    >>> rows.tolist(), times.tolist()
    ([[0, 1], [1, 2]], [20, 40])
    """
    import numpy as np

    base = int(rows.max()) + 1 if rows.size else 0
    possible = base ** rows.shape[1] if base and rows.shape[1] <= _WIDEST else 0
    if not 0 < possible <= min(_MOST_DISTINCT, len(rows) // 4):
        return rows, np.ones(len(rows), dtype=np.int64)
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in range(rows.shape[1]):
        keys *= base
        keys += rows[:, column]
    times = np.bincount(keys, minlength=possible)
    came = np.flatnonzero(times)
    digits = np.unravel_index(came, (base,) * rows.shape[1])
    return np.stack(digits, axis=1).astype(rows.dtype), times[came].astype(np.int64)


@dataclass(frozen=True, slots=True)
class CodeCounter:
    """Plays rows of draws by a compiled function.

    Args:
        axes: Wagers with their outcomes in the order of their codes.
        kernel: Returns the code of every wager's outcome, uint8[rounds, wagers], for rows of items.
        looks: First items of a row that the kernel looks at; all of them where left out.
    """

    axes: Axes
    kernel: "Callable[[NDArray[Any]], NDArray[np.uint8]]"
    looks: int | None = None

    def count(self, rows: "NDArray[Any]") -> JointCounts:
        """Returns how many rows end in each joint outcome.

        Where few different rows are possible, such as the pockets of a wheel, each that came is played once and
        counts as often as it came: how a row ends hangs on the row alone.
        """
        distinct, times = distinct_rows(rows)
        each_once = len(distinct) == len(rows)
        return JointCounts.of_codes(self.axes, self.kernel(distinct), None if each_once else times)

    def outcomes(self, rows: "NDArray[Any]") -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""
        return named(self.axes, self.kernel(rows))


class Counter(Protocol):
    """Plays rows of items (which ``code_counter.faces_of`` turns into faces), settled apart from the reference."""

    @property
    def axes(self) -> Axes:
        """Wagers with their outcomes, in the order in which joint outcomes are numbered."""

    def count(self, rows: "NDArray[Any]") -> JointCounts:
        """Returns how many rows end in each joint outcome."""

    def outcomes(self, rows: "NDArray[Any]") -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""


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
