"""Play-through of rows: what plays them, and how its outcomes are told."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from certify.model.joint_counts import Axes, JointCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Counter(Protocol):
    """Plays rows of items (which ``code_counter.faces_of`` turns into faces), settled apart from the reference."""

    @property
    def axes(self) -> Axes:
        """Wagers with their outcomes, in the order in which joint outcomes are numbered."""

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""


@runtime_checkable
class TwinnedCounter(Counter, Protocol):
    """Plays rows twice: what the compiled code reads is read again in plain Python, apart from the reference round."""

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
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
    """Returns the wagers of which a play-through tells the net result beside the outcome, a class of rounds."""
    return frozenset(counter.varying) if isinstance(counter, SummingCounter) else frozenset()
