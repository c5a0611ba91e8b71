"""The table of a round as the arrays that the compiled play-through reads: small integers, one load a draw.

Faces that lead in the same way from every state share a column. An entry holds the next row in its low bits and above
them what the draw settles: an addend to the place of the joint outcome in a mixed radix where that fits, else the code
of what is settled, which the play-through interns. All ends are one row, beyond the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.model import Equipment
from certify.model.round_table import ENDED, RoundTable, Settling

MOST_BITS: Final = 62
"""Bits of an entry."""

MOST_ENTRIES: Final = 1 << 24
"""Entries of a table, states times faces, at most; about 60 bytes each while they are compiled."""


class Arrows(NamedTuple):
    """Where draws lead, as the compiled play-through reads it.

    Args:
        entries: uint32 or uint64[rows * width], next row times width, and above ``shift`` what is settled.
        columns: uint16[pieces, most items], column of each item of each piece.
        pieces: int8[rows * width], piece that a row draws from, at the first entry of each.
        shift: Bits of the next row.
        end: What is in place of a next row where the round has ended.
        begun: What is settled before any draw.
        fewest: Draws of the shortest round.
        groups: Codes of what is settled, for interning.
    """

    entries: NDArray[np.unsignedinteger[Any]]
    columns: NDArray[np.uint16]
    pieces: NDArray[np.int8]
    shift: int
    end: int
    begun: int
    fewest: int
    groups: int


@dataclass(frozen=True, eq=False)
class TableArrays:
    """A table of a round, compiled.

    Args:
        table: The table.
        arrows: Where its draws lead.
        groups: What is settled by each code.
        weights: Addend of each code; none where places do not fit, and codes are interned.
    """

    table: RoundTable
    arrows: Arrows
    groups: tuple[Settling, ...]
    weights: "Weights | None"

    @cached_property
    def ends_at_once(self) -> bool:
        """Whether the round is over before anything is drawn."""
        return int(self.table.piece[0]) == ENDED


@dataclass(frozen=True, slots=True)
class Weights:
    """Places of joint outcomes in a mixed radix.

    Args:
        addends: What each code adds to the place.
        range: Places in all.
        digits: (Place value, number of values, what each value means), the most significant first.
    """

    addends: tuple[int, ...]
    range: int
    digits: tuple[tuple[int, int, tuple[Settling, ...]], ...]

    def settled(self, place: int) -> Settling:
        """Returns everything that was settled on the way to a place."""
        found: list[tuple[str, str]] = []
        for value, number, stands_for in self.digits:
            found += stands_for[place // value % number]
        return tuple(found)


def compiled(table: RoundTable) -> TableArrays:
    """Returns a table as arrays.

    Raises:
        InputError: The table is too large, or a wager is not settled exactly once on some path.
    """
    if table.following.size > MOST_ENTRIES:
        raise InputError(
            f"the table of a round has {table.states:,} states of {table.following.shape[1]} faces: expected at most "
            f"{MOST_ENTRIES:,} entries; a family of games with so many moments needs a play-through of its "
            "own"
        )
    verify_settled_once(table)
    classes = [_classes(table, place, len(piece.faces)) for place, piece in enumerate(table.equipment)]
    width = max(int(column.max()) + 1 for column in classes)
    shift = (table.states * width).bit_length()
    settled = _Settled.of(table)
    weights = settled.weights(MOST_BITS - shift)
    amounts = np.array(weights.addends if weights else range(len(settled.groups)), dtype=np.uint64)
    bits = shift + (weights.range if weights else len(settled.groups)).bit_length()
    if bits > MOST_BITS:
        raise InputError(
            f"table of a round: {table.states:,} states with {len(settled.groups):,} settlements are too many"
        )
    rows = np.where(table.piece == ENDED, table.states, np.arange(table.states)).astype(np.uint64)
    whole = np.zeros((table.states, width), dtype=np.uint64)
    for place, column in enumerate(classes):
        drawing = np.flatnonzero(table.piece == place)
        for face, at in enumerate(column.tolist()):
            following = table.following[drawing, face]
            codes = settled.codes(table.settling[drawing, face], table.ended[following])
            whole[drawing, at] = (amounts[codes] << np.uint64(shift)) | rows[following] * np.uint64(width)
    arrows = Arrows(
        entries=whole.ravel().astype(np.uint32 if weights and bits <= 32 else np.uint64),
        columns=_columns(table.equipment, classes),
        pieces=np.repeat(table.piece, width),
        shift=shift,
        end=table.states * width,
        begun=int(amounts[settled.codes(*_begun(table))[0]]),
        fewest=_fewest(table),
        groups=len(settled.groups),
    )
    return TableArrays(table, arrows, tuple(settled.groups), weights)


def _begun(table: RoundTable) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Returns what is settled before any draw, and what the start settles if it is an end."""
    return np.array([table.begun], dtype=np.int32), table.ended[:1]


def verify_settled_once(table: RoundTable) -> None:
    """Refuses a table in which a wager is settled twice, or never, on some path.

    Raises:
        InputError: It names a state and the wager.
    """
    wagers = {wager: place for place, wager in enumerate(table.outcomes)}
    masks = np.zeros((len(table.settled), 1 + len(wagers) // 64), dtype=np.uint64)
    for code, group in enumerate(table.settled):
        for wager, _ in group:
            masks[code, wagers[wager] // 64] |= np.uint64(1 << wagers[wager] % 64)
    before = np.zeros((table.states, masks.shape[1]), dtype=np.uint64)
    before[0] = masks[table.begun]
    known = np.zeros(table.states, dtype=np.bool_)
    known[0] = True
    sources, targets, codes = _arrows(table)
    fresh = known.copy()
    while fresh.any():
        going = fresh[sources]
        after = before[sources[going]] | masks[codes[going]]
        reached, first = np.unique(targets[going], return_index=True)
        fresh = np.zeros(table.states, dtype=np.bool_)
        fresh[reached] = ~known[reached]
        before[reached[~known[reached]]] = after[first][~known[reached]]
        known |= fresh
    met = known[sources]
    sources, targets, codes = sources[met], targets[met], codes[met]
    ends = np.flatnonzero(known & (table.piece == ENDED))
    at_end = masks[table.ended[ends]]
    every = np.bitwise_or.reduce(masks, axis=0)
    for name, wrong, states in (
        ("twice on a path", before[sources] & masks[codes], sources),
        (
            "on one path and not on another",
            before[targets] ^ (before[sources] | masks[codes]),
            targets,
        ),
        ("twice on a path", before[ends] & at_end, ends),
        ("never on a path", every & ~(before[ends] | at_end), ends),
    ):
        if wrong.any():
            row, word = np.argwhere(wrong)[0].tolist()
            bits = int(wrong[row, word])
            wager = list(wagers)[64 * word + (bits & -bits).bit_length() - 1]
            raise InputError(f"table of a round: {wager} is settled {name}, seen at state {int(states[row])}")


def _arrows(table: RoundTable) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Returns state, next state and settlement of every arrow.

    A face that leads to the start and settles nothing cannot come.
    """
    faces = np.array([len(piece.faces) for piece in table.equipment] + [0])
    drawn = np.arange(table.following.shape[1]) < faces[table.piece][:, np.newaxis]
    drawn &= (table.following > 0) | (table.settling > 0)
    sources, places = np.nonzero(drawn)
    return (
        sources,
        table.following[sources, places].astype(np.int64),
        table.settling[sources, places].astype(np.int64),
    )


def _classes(table: RoundTable, place: int, faces: int) -> NDArray[np.int64]:
    """Returns the column of each face of a piece: faces that lead and settle the same from every state share one."""
    drawing = table.piece == place
    if not drawing.any():
        return np.zeros(faces, dtype=np.int64)
    told = np.concatenate([table.following[drawing, :faces], table.settling[drawing, :faces]])
    _, column = np.unique(told, axis=1, return_inverse=True)
    return np.asarray(column).ravel()


def _columns(equipment: Sequence[Equipment], classes: Sequence[NDArray[np.int64]]) -> NDArray[np.uint16]:
    columns = np.zeros((len(equipment), max(piece.size for piece in equipment)), dtype=np.uint16)
    for place, (piece, column) in enumerate(zip(equipment, classes, strict=True)):
        columns[place, : piece.size] = column[np.array(piece.shows)]
    return columns


def _fewest(table: RoundTable) -> int:
    """Returns the draws of the shortest round."""
    reached = np.zeros(table.states, dtype=np.bool_)
    reached[0] = True
    draws = 0
    while not (reached & (table.piece == ENDED)).any():
        after = reached.copy()
        for place, piece in enumerate(table.equipment):
            after[table.following[reached & (table.piece == place), : len(piece.faces)]] = True
        if (after == reached).all():
            raise InputError("table of a round: no draws lead to an end")
        reached, draws = after, draws + 1
    return draws


@dataclass(frozen=True, slots=True)
class _Settled:
    """What is settled on the way: on a draw and at the end that it leads to, joined.

    Args:
        entries: Number of entries of ``table.settled``.
        pairs: int64[groups], entry settled on a draw times that number, plus entry settled at the end; rising.
        groups: What each pair settles, in the same order.
    """

    entries: int
    pairs: NDArray[np.int64]
    groups: tuple[Settling, ...]

    @classmethod
    def of(cls, table: RoundTable) -> "_Settled":
        """Returns everything that a table settles together."""
        entries = len(table.settled)
        drawing = table.piece != ENDED
        pairs = table.settling[drawing].astype(np.int64) * entries + table.ended[table.following[drawing]]
        on_draw, at_end = _begun(table)
        begun = on_draw.astype(np.int64) * entries + at_end
        met = np.unique(np.concatenate([[0], begun, pairs.ravel()]))
        whole = (divmod(pair, entries) for pair in met.tolist())
        return cls(entries, met, tuple(table.settled[one] + table.settled[other] for one, other in whole))

    def codes(self, on_draw: NDArray[np.int32], at_end: NDArray[np.int32]) -> NDArray[np.int64]:
        """Returns the place among ``groups`` of what is settled on each draw and at the end that it leads to."""
        return np.searchsorted(self.pairs, on_draw.astype(np.int64) * self.entries + at_end)

    def weights(self, bits: int) -> Weights | None:
        """Returns addends by wager or by what is settled together, whichever needs fewer places; none if too many."""
        ways = (self._by_wager(), self._together())
        best = min(ways, key=lambda way: way.range)
        return best if best.range < 1 << bits else None

    def _by_wager(self) -> Weights:
        outcomes: dict[str, dict[str, int]] = {}
        for group in self.groups:
            for wager, outcome in group:
                known = outcomes.setdefault(wager, {})
                known.setdefault(outcome, len(known))
        values = _values([len(known) for known in outcomes.values()])
        by_wager = dict(zip(outcomes, values, strict=True))
        addends = tuple(
            sum(by_wager[wager] * outcomes[wager][outcome] for wager, outcome in group)
            for group in self.groups
        )
        digits = tuple(
            (by_wager[wager], len(known), tuple(((wager, outcome),) for outcome in known))
            for wager, known in outcomes.items()
        )
        return Weights(addends, prod(len(known) for known in outcomes.values()), digits)

    def _together(self) -> Weights:
        slots: dict[tuple[str, ...], dict[Settling, int]] = {}
        for group in self.groups[1:]:
            known = slots.setdefault(tuple(wager for wager, _ in group), {(): 0})
            known.setdefault(group, len(known))
        values = dict(zip(slots, _values([len(known) for known in slots.values()]), strict=True))
        addends = {
            group: values[names] * code
            for names, known in slots.items()
            for group, code in known.items()
            if group
        }
        digits = tuple((values[names], len(known), tuple(known)) for names, known in slots.items())
        whole = tuple(addends.get(group, 0) for group in self.groups)
        return Weights(whole, prod(len(known) for known in slots.values()), digits)


def _values(numbers: Sequence[int]) -> list[int]:
    """Returns the place values of digits with so many values each, the first the most significant.

    >>> _values([2, 3, 5])
    [15, 5, 1]
    """
    values, value = [], 1
    for number in reversed(numbers):
        values.append(value)
        value *= number
    return values[::-1]
