"""How often the wagers of a game came to each joint outcome; what did not occur takes no memory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from certify.by_key import summed
from certify.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Axes = tuple[tuple[str, tuple[str, ...]], ...]
"""Wagers with their outcomes, in the order in which joint outcomes are numbered."""


class CellTotal(NamedTuple):
    """What the rounds of one cell came to for a wager whose net result varies, in whole units.

    Args:
        cell: The joint outcome.
        total: Sum of the net results.
        squares: Sum of their squares.
        highest: The highest of them.
    """

    cell: int
    total: int
    squares: int
    highest: int


class AwardTotal(NamedTuple):
    """What one row won in the rounds counted.

    Args:
        part: Part of the game.
        row: Row of the paytable, or of a feature.
        times: How often it won.
        amount: What came back by it, in whole units.
    """

    part: str
    row: str
    times: int
    amount: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What rounds came to for a wager whose outcomes are classes of rounds: sums, by which mean and variance are exact.

    Args:
        wager: Id of the wager.
        unit: Whole units in one initial stake.
        cells: What the rounds of each joint outcome came to, by rising cell.
        awards: What each row won that did, in order of part and row.

    Raises:
        InputError: Cells or awards are not in order, or a sum of squares is less than its sum allows.
    """

    wager: str
    unit: int
    cells: tuple[CellTotal, ...] = ()
    awards: tuple[AwardTotal, ...] = ()

    def __post_init__(self) -> None:
        """Refuses what is not in order, or no whole number."""
        numbers = [number for one in self.cells for number in one] + [
            n for one in self.awards for n in one[2:]
        ]
        if any(type(number) is not int for number in (self.unit, *numbers)) or self.unit < 1:
            raise InputError(f"totals of {self.wager} hold what is no whole number")
        if any(a.cell >= b.cell for a, b in pairwise(self.cells)) or any(
            a[:2] >= b[:2] for a, b in pairwise(self.awards)
        ):
            raise InputError(f"totals of {self.wager} are listed twice or not in order")

    @property
    def net(self) -> Fraction:
        """Sum of the net results of all rounds, in initial stakes."""
        return Fraction(sum(one.total for one in self.cells), self.unit)

    @property
    def squares(self) -> Fraction:
        """Sum of the squares of the net results, in initial stakes."""
        return Fraction(sum(one.squares for one in self.cells), self.unit**2)

    @property
    def highest(self) -> Fraction:
        """The highest net result that came."""
        return Fraction(max(one.highest for one in self.cells), self.unit)

    def __add__(self, other: "Totals") -> "Totals":
        if (self.wager, self.unit) != (other.wager, other.unit):
            raise InputError("totals of another wager, or in another unit, cannot be added")
        cells = {one.cell: one for one in self.cells}
        for one in other.cells:
            had = cells.get(one.cell)
            cells[one.cell] = (
                one
                if had is None
                else CellTotal(
                    one.cell, had.total + one.total, had.squares + one.squares, max(had.highest, one.highest)
                )
            )
        awards = {one[:2]: one for one in self.awards}
        for won in other.awards:
            held = awards.get(won[:2])
            awards[won[:2]] = (
                won
                if held is None
                else AwardTotal(*won[:2], held.times + won.times, held.amount + won.amount)
            )
        return Totals(
            self.wager,
            self.unit,
            tuple(cells[cell] for cell in sorted(cells)),
            tuple(awards[key] for key in sorted(awards)),
        )


@dataclass(frozen=True, slots=True)
class JointCounts:
    """Counts of the joint outcomes that occurred.

    A joint outcome is known by its cell: the number whose digits are the places of the outcomes, the first wager
    the most significant.

    Args:
        axes: Wagers with their outcomes.
        cells: (Cell, count) of each joint outcome that occurred, by rising cell.
        totals: What the rounds came to, for each wager whose outcomes are classes of rounds.

    Raises:
        InputError: A cell is not one of the axes, comes twice or was not counted; or totals are not those of the cells.

    >>> counts = JointCounts.of_outcomes((("main", ("win", "lose")), ("side", ("a", "b"))), [("lose", "a")] * 3)
    >>> counts.cells, counts.rounds, counts.wager("main")
    (((2, 3),), 3, {'win': 0, 'lose': 3})
    """

    axes: Axes
    cells: tuple[tuple[int, int], ...] = ()
    totals: tuple[Totals, ...] = ()

    def __post_init__(self) -> None:
        """Refuses cells that are not of the axes, not in order or not counted, and totals of other rounds."""
        last = self.possible - 1
        for cell, count in self.cells:
            if type(cell) is not int or type(count) is not int or not 0 <= cell <= last or count < 1:
                raise InputError(
                    f"joint outcome {cell!r} counted {count!r} times, expected 0 to {last} and 1 or more"
                )
        if any(one >= other for (one, _), (other, _) in pairwise(self.cells)):
            raise InputError("joint outcomes are counted twice or not in order")
        for totals in self.totals:
            self._verify(totals)

    def _verify(self, totals: Totals) -> None:
        """Refuses totals that no rounds of these cells can have come to."""
        if [one.cell for one in totals.cells] != [cell for cell, _ in self.cells]:
            raise InputError(f"totals of {totals.wager} are of other joint outcomes than were counted")
        for (cell, count), one in zip(self.cells, totals.cells, strict=True):
            # Cauchy and Schwarz: squares are least where all results are equal; the highest is no less than the mean.
            if one.squares * count < one.total**2 or one.highest * count < one.total:
                raise InputError(
                    f"totals of {totals.wager} cannot be those of {count} rounds of outcome {cell}"
                )

    @classmethod
    def of(cls, axes: Axes, counts: Mapping[int, int]) -> "JointCounts":
        """Returns counts by cell, zeros left out."""
        return cls(axes, tuple(sorted((cell, count) for cell, count in counts.items() if count)))

    @classmethod
    def dense(cls, axes: Axes, counts: "NDArray[Any]") -> "JointCounts":
        """Returns counts that are laid out in the order of the cells, zeros included."""
        flat = counts.ravel().tolist()
        return cls(axes, tuple((cell, count) for cell, count in enumerate(flat) if count))

    @classmethod
    def of_outcomes(cls, axes: Axes, outcomes: Iterable[Sequence[str]]) -> "JointCounts":
        """Returns how often each joint outcome came in rounds, each given as the outcomes of the wagers in order."""
        return cls.of_named(axes, Counter(tuple(ended) for ended in outcomes))

    @classmethod
    def of_named(cls, axes: Axes, counts: Mapping[tuple[str, ...], int]) -> "JointCounts":
        """Returns counts by the outcomes of the wagers in order.

        Raises:
            InputError: An outcome is not among those of its wager.
        """
        return cls.of(axes, summed((cell_of(axes, ended), count) for ended, count in counts.items()))

    @property
    def rounds(self) -> int:
        """Rounds counted."""
        return sum(count for _, count in self.cells)

    @property
    def possible(self) -> int:
        """Number of cells, whether they can occur or not."""
        return prod(len(outcomes) for _, outcomes in self.axes)

    def outcomes(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yields the outcomes of the wagers in order with how often they came together."""
        for cell, count in self.cells:
            yield named_cell(self.axes, cell), count

    def marginals(self) -> dict[str, dict[str, int]]:
        """Returns the counts of the outcomes of each wager, zeros included."""
        totals = {wager: dict.fromkeys(outcomes, 0) for wager, outcomes in self.axes}
        by_wager = tuple(totals.values())
        for ended, count in self.outcomes():
            for counts, outcome in zip(by_wager, ended, strict=True):
                counts[outcome] += count
        return totals

    def wager(self, wager: str) -> dict[str, int]:
        """Returns the counts of one wager's outcomes, zeros included.

        Raises:
            InputError: The play-through settles no such wager.
        """
        wagers = [name for name, _ in self.axes]
        if wager not in wagers:
            raise InputError(
                f"the play-through settles no wager {wager!r}: expected one of {', '.join(wagers)}"
            )
        place = wagers.index(wager)
        outcomes = self.axes[place][1]
        # One digit of each cell is read, however many wagers a layout has.
        below = prod(len(others) for _, others in self.axes[place + 1 :])
        totals = dict.fromkeys(outcomes, 0)
        for cell, count in self.cells:
            totals[outcomes[cell // below % len(outcomes)]] += count
        return totals

    def totals_of(self, wager: str) -> Totals | None:
        """Returns what the rounds came to for a wager; None where each of its outcomes has one net result."""
        return next((totals for totals in self.totals if totals.wager == wager), None)

    def __add__(self, other: "JointCounts") -> "JointCounts":
        if self.axes != other.axes:
            raise InputError("counts of other wagers or outcomes cannot be added")
        cells = tuple(sorted(summed((*self.cells, *other.cells)).items()))
        if not self.cells or not other.cells:
            return JointCounts(self.axes, cells, self.totals or other.totals)
        if len(self.totals) != len(other.totals):
            raise InputError("counts with totals and counts without cannot be added")
        added = (one + more for one, more in zip(self.totals, other.totals, strict=True))
        return JointCounts(self.axes, cells, tuple(added))


def cell_of(axes: Axes, ended: Sequence[str]) -> int:
    """Returns the cell of the outcomes of the wagers in order.

    Raises:
        InputError: An outcome is not among those of its wager.
    """
    cell = 0
    for (wager, outcomes), outcome in zip(axes, ended, strict=True):
        if outcome not in outcomes:
            raise InputError(f"{wager} ended in {outcome!r}, expected one of {', '.join(outcomes)}")
        cell = cell * len(outcomes) + outcomes.index(outcome)
    return cell


def named_cell(axes: Axes, cell: int) -> tuple[str, ...]:
    """Returns the outcomes of the wagers in order, by their cell."""
    ended = []
    for _, outcomes in reversed(axes):
        cell, place = divmod(cell, len(outcomes))
        ended.append(outcomes[place])
    return tuple(reversed(ended))
