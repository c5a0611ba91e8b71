"""What the compiled play-through of a slot reads, array by array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Small = NDArray[np.int32]


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
        ahead: Words that the paid spin alone needs; 0 where it may need draws that stand later in the row.
    """

    starts: Whole
    supply: Whole
    shown_at: Whole
    shows: Small
    sizes: Whole
    products: NDArray[np.uint64]
    thresholds: NDArray[np.uint64]
    bounds: NDArray[np.uint64]
    ahead: int


class ReelTables(NamedTuple):
    """The stages, reel after reel; windows of all reels are numbered through.

    Args:
        reels: [stage, reel, 6]: piece, piece of the height (-1), windows, whether cells are drawn, stops, first window;
            of stages with fewer reels the piece is -1.
        heights: [stage, reel, height, 2]: rows, and where raw windows of that height begin.
        raw: [raw window, 5]: first window, then up to two (piece, faces) of factors that are drawn.
        symbols: [window, line]: kind that each line sees.
        tallies: [window, tally]: what it adds to each count.
        plain: [window, ways pay, 2]: cells that count, and what wilds among them stand for.
        steps: States by (state, kind), reel after reel.
        steps_at: [stage, reel, 2]: where the steps of a reel begin, and its kinds.
        results: [result, 1 + features]: coins, then starts.
        results_at: Where the results of each stage begin.
        again: [stage, 4]: whether reels are held, whether wins fall, where multipliers of falls begin, their number.
        covers: [stage, reel]: window of a reel that is held; -1 where it never is.
        holds: [window]: whether it shows the symbol that holds its reel.
        full: [stage, 3]: how reels of one symbol are counted, where multipliers by their number begin, and how many
            there are; the first is -1 where none multiply.
        filled: [window]: symbols that it is full of, as bits.
        reach: [result]: reels from the left on which it wins.
        rows: [line, reel]: row of the line.
        marks: [window, tally, then ways pay]: rows whose symbols are counted, as bits, where wins fall.
        standing: [stage, reel]: where windows begin that stand after a fall.
        kinds: [window, row]: what its cells show, where wins fall.
        scatters: [stage, scatter, 3]: tally (-1 where there is none), where coins by count begin, and their number.
        triggers: [stage, trigger, 4]: tally (-1), feature, where starts by count begin, and their number.
        entries: Coins and starts by count.
        runs: [stage, tally]: whether a count is of reels that follow each other from the first.
        ways: [stage, ways pay, 2]: where coins by number of reels begin, and their number; 0 where there is none.
        alone: Whether wilds alone win, by stage.
        hits: [stage, 5]: where hits of lines, ways, scatters, bonuses and multiplied windows begin.
        fore: Of the paid spin, state of each line after the first two reels; nothing where that is not kept.
        open_lines: Lines in the order of their states there: first those that may still win after two reels.
        open_count: How many of them there are, by the windows of these reels.
        aft: Kinds of the last two reels together, likewise.
        last: Results by (state, these kinds).
        stops: [reel, item] of the paid spin: window, counted from the first of the reel.
        widths: [reel, 2] of the paid spin: first window, and number of windows.
        coins: Coins of each result of the paid spin.
    """

    reels: Whole
    heights: Whole
    raw: Whole
    symbols: Small
    tallies: Small
    plain: Whole
    steps: Small
    steps_at: Whole
    results: Whole
    results_at: Whole
    again: Whole
    covers: Whole
    holds: Whole
    full: Whole
    filled: Whole
    reach: Whole
    rows: Whole
    marks: Whole
    standing: Whole
    kinds: Whole
    scatters: Whole
    triggers: Whole
    entries: Whole
    runs: Whole
    ways: Whole
    alone: Whole
    hits: Whole
    fore: Small
    open_lines: Small
    open_count: Small
    aft: Small
    last: Small
    stops: Small
    widths: Whole
    coins: Whole


class Features(NamedTuple):
    """What follows a spin.

    Args:
        series: [free games, 4]: piece of the stage (-1 where there is one), games at most (0 without), times granted
            again at most (-1 without), number of stages.
        stages: [free games, stage]: stage of each face of that piece.
        own: [stage]: the series that a stage plays; -1 for the paid spin.
        bonuses: [bonus, 7]: how it is drawn, draws at most, whether the stage multiplies it, where its pieces begin,
            and where its prizes do; of hold and win its places, and what all of them pay beside.
        pieces: Pieces of all bonuses.
        pays: [prize, 2]: units, and whether it ends the picks.
        numbers: [bonus]: prizes, or boxes; of hold and win those that a place held at first may show, and all others.
        multipliers: Multiplier of each stage.
        games: Number of free games among the features.
        most: Units of a round at most; 0 without a limit.
        edges: Units from which each band begins.
        classes: [2^features]: outcome by the features begun, as bits.
        unit: Units in a coin.
    """

    series: Whole
    stages: Whole
    own: Whole
    bonuses: Whole
    pieces: Whole
    pays: Whole
    numbers: Whole
    multipliers: Whole
    games: int
    most: int
    edges: Whole
    classes: Whole
    unit: int


class Room(NamedTuple):
    """Working arrays of one loop.

    Args:
        row: Draws of a round.
        used: Draws taken of each piece.
        places: Window of each reel.
        counts: What was counted over the window.
        starts: How often each feature starts.
        stack: [task, 6]: stage, or one less than minus the bonus; games left, granted, times again, feature, wait.
        tops: Stop of the highest symbol of each reel that came last, where wins fall.
        struck: Rows of each reel that have won, as bits.
        boxes: Boxes not yet picked.
        hits: How often each row won, then coins of bonuses and of the limit.
    """

    row: Whole
    used: Whole
    places: Whole
    counts: Whole
    starts: Whole
    stack: Whole
    tops: Whole
    struck: Whole
    boxes: Whole
    hits: Whole
