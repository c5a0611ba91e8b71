"""What the compiled play-through of a slot reads and fills, array by array."""

import math
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.slot.rules import BASE
from certify.model import Equipment
from rng.draws import Integer, Product, Repetition, steps
from rng.uniform import together_below
from rng.words import WordSource

Whole = NDArray[np.int64]
Small = NDArray[np.int32]
Words = NDArray[np.uint64]


class RowLayout(NamedTuple):
    """The pieces, and how words become a row of their items.

    Args:
        starts: Place of each piece's first draw in a row.
        supply: Draws that a row holds of each piece.
        shown_at: For each piece, where the faces of its items begin.
        shows: Faces of all items.
        sizes: Numbers that each word gives.
        products: Products of their bounds.
        thresholds: 2^64 modulo these.
        bounds: The bounds of all draws of a row.
        ahead: Words that the paid spin alone needs.
        base: Draws of the paid spin.
    """

    starts: Whole
    supply: Whole
    shown_at: Whole
    shows: Small
    sizes: Whole
    products: Words
    thresholds: Words
    bounds: Words
    ahead: int
    base: int


class SlotProgram(NamedTuple):
    """The rules of a slot. Symbols are numbered, then kinds: wilds by what they multiply by.

    Args:
        pieces: [stage, reel, 2]: piece of its stops or cells, piece of its height (-1 where it has one).
        heights: [stage, reel, face]: rows.
        strip: [stage, reel, face]: symbol.
        sizes: [stage, reel]: stops, or symbols of a cell.
        cells: [stage]: whether every cell is drawn by itself.
        wilds: [stage, wild, 3]: symbol (-1 where there is none), piece of its factor (-1), whether it expands.
        wild_kinds: [stage, wild, face]: kind.
        symbols: [kind]: its symbol.
        holds: [stage, reel]: symbol that holds the reel; -1.
        falls: [stage, 2]: where multipliers of windows begin among the values, and their number, where wins fall.
        full: [stage, 3]: how reels of one symbol are counted (-1 where none multiply), where multipliers begin among
            the values, and their number.
        fills: [stage, symbol, kind]: whether it fills a reel with one of these symbols.
        lines: [line, reel]: row.
        rows: [row, 5]: how a line or ways win it, feature that it starts (-1 where it pays), where coins or starts by
            count begin among the values, their number, first hit.
        rows_at: [stage, 2]: the first of its rows, and the one after its last.
        roles: [row, reel, kind]: how often it counts for the row, below nothing by how much it multiplies as a wild.
        free: [row, reel]: whether a pattern leaves it to chance.
        counted: [entry, 5]: the same of what is counted over the window.
        counted_at: [stage, 2]: likewise.
        counts: [entry, kind]: whether it counts.
        values: Coins, starts and multipliers by count.
        alone: [stage]: whether wilds alone win.
        together: [stage]: what several multiplying wilds make.
        paid: Which wins of a line are paid.
        both: Whether lines are counted from both ends.
        ways: Whether ways are paid.
        places: [stage, reel, kind]: what it adds to the number of what a line shows.
        shown: [stage, reel, number]: kind.
        shapes: [stage, reel]: kinds that it can show.
        lines_at: [stage, 2]: where what its lines win begins, and how many rows of kinds they can show.
        wins: Units of a line by what it shows; -1 where that starts a feature.
        hits: [stage]: first hit of its bonuses, then of windows that are multiplied.
        stops: [reel, item]: of the paid spin where it takes nothing but stops of strips: the place of the stop.
        adds: [place, line]: what the stop adds to the number of what a line shows; of ways [place, row]: how many
            symbols of the row it shows, and from bit 16 on wilds.
        may: [place, place of the next reel]: which lines, or rows of ways, may win with both stops, as bits; line 64
            has the bit of line 0, and so on. Of the first three reels.
        tallies: [place, entry]: what it adds to what is counted over the window.
        series: [free games, 3]: piece of the stage (-1 where there is one), games at most (0 without a limit), times
            granted again at most (-1).
        stages: [free games, face]: stage.
        own: [stage]: the series that it plays; -1.
        bonuses: [bonus, 8]: how it is drawn, draws at most, whether the stage multiplies it, where its pieces begin,
            where its prizes do and how many there are; of hold and win its places, and what all of them add.
        prize_pieces: Pieces of all bonuses.
        prizes: [prize, 2]: units, and whether it ends the picks; of a ladder the face that wins the step.
        multipliers: [stage]
        games: Free games among the features.
        most: Units of a round at most; 0 without a limit.
        edges: Units from which each band begins.
        classes: [2^features]: outcome by the features begun, as bits.
        bought: Feature that every round buys instead of a paid spin (-1 where none is), and how often it starts.
    """

    pieces: Whole
    heights: Whole
    strip: Whole
    sizes: Whole
    cells: Whole
    wilds: Whole
    wild_kinds: Whole
    symbols: Whole
    holds: Whole
    falls: Whole
    full: Whole
    fills: Whole
    lines: Whole
    rows: Whole
    rows_at: Whole
    roles: Whole
    free: Whole
    counted: Whole
    counted_at: Whole
    counts: Whole
    values: Whole
    alone: Whole
    together: Whole
    paid: int
    both: bool
    ways: bool
    places: Whole
    shown: Whole
    shapes: Whole
    lines_at: Whole
    wins: Whole
    hits: Whole
    stops: Whole
    adds: Small
    may: Words
    tallies: Whole
    series: Whole
    stages: Whole
    own: Whole
    bonuses: Whole
    prize_pieces: Whole
    prizes: Whole
    multipliers: Whole
    games: int
    most: int
    edges: Whole
    classes: Whole
    bought: tuple[int, int]


class Room(NamedTuple):
    """Working arrays of one loop.

    Args:
        row: Draws of a round.
        used: Draws taken of each piece; the last says whether a round needed more than a row holds.
        heights: Rows of each reel.
        stopped: [reel, row]: symbol at which it stopped.
        window: [reel, row]: kind that it shows.
        tops: Stop of the highest symbol of each reel that came last.
        struck: Rows of each reel that have won, as bits.
        line: Kinds of one line.
        best: [end, 3]: units, hit and reels of the best win of a line.
        shows: Numbers of what those lines show that win.
        counts: What was counted over the window.
        starts: How often each feature starts.
        stack: [task, 6]: stage, or one less than minus the bonus; games left, granted, times again, feature, wait.
        boxes: Boxes not yet picked.
        seen: How often lines showed what wins and was not yet added row by row.
        hits: [hit, 2]: how often each row won, and its units.
    """

    row: Whole
    used: Whole
    heights: Whole
    stopped: Whole
    window: Whole
    tops: Whole
    struck: Whole
    line: Whole
    best: Whole
    shows: Whole
    counts: Whole
    starts: Whole
    stack: Whole
    boxes: Whole
    seen: Whole
    hits: Whole


def layout_of(pieces: Sequence[Equipment]) -> RowLayout:
    """Returns how words become rows of some pieces."""
    groups, base = groups_of(pieces), base_draws(pieces)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    products = [math.prod(group) for group in groups]
    shows = [np.array(piece.shows, dtype=np.int32) for piece in pieces]
    return RowLayout(
        begins([piece.supply for piece in pieces]),
        np.array([piece.supply for piece in pieces], dtype=np.int64),
        begins([len(one) for one in shows]),
        np.concatenate(shows),
        sizes,
        np.array(products, dtype=np.uint64),
        np.array([(1 << 64) % product for product in products], dtype=np.uint64),
        np.array([bound for group in groups for bound in group], dtype=np.uint64),
        int(np.searchsorted(np.cumsum(sizes), base)) + 1,
        base,
    )


def begins(sizes: Sequence[int]) -> Whole:
    """Returns where each of some parts begins that follow each other."""
    return np.array([0, *np.cumsum(sizes)[:-1]], dtype=np.int64)


def groups_of(pieces: Sequence[Equipment]) -> list[tuple[int, ...]]:
    """Returns the bounds of the numbers that each word of a row gives."""
    parts = tuple(
        Integer(piece.size) if piece.supply == 1 else Repetition(Integer(piece.size), piece.supply)
        for piece in pieces
    )
    return [group for step in steps(parts[0] if len(parts) == 1 else Product(parts)) for group in step.groups]


def base_draws(pieces: Sequence[Equipment]) -> int:
    """Returns how many draws of a row, the first ones, are those of the paid spin."""
    return sum(piece.supply for piece in pieces if piece.id.startswith(f"{BASE}-"))


class StreamRow(Sequence[int]):
    """The draws of one round of a stream: those of the paid spin at once, all others with the first draw behind them.

    A paid spin that starts nothing has used its own words alone. Where it goes on, the words of a whole row are used.

    Args:
        words: The stream.
        pieces: What a row is drawn from.
        ahead: Words that the paid spin needs.
    """

    def __init__(self, words: WordSource, pieces: Sequence[Equipment], ahead: int) -> None:
        groups = groups_of(pieces)
        self._words, self._groups = words, iter(groups)
        self._width, self._base = sum(map(len, groups)), base_draws(pieces)
        self._drawn = self._from(ahead)

    def _from(self, many: int | None = None) -> list[int]:
        """Returns the draws of so many further words, of all that are left where no number is given."""
        return [item for group in islice(self._groups, many) for item in together_below(self._words, group)]

    def __len__(self) -> int:
        """Returns the draws of a whole row."""
        return self._width

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        """Returns one draw."""
        if place >= self._base:
            self._drawn += self._from()
        return self._drawn[place]
