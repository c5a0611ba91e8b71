"""Compiled play-through of paid spins that start nothing, two reels at a time: most rounds of a slot with lines."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.slot.volume.layout import Small, Whole
from rng.kernels import multiply_high


@njit(cache=True, nogil=True)
def plain_rounds(
    words: NDArray[np.uint64],
    used: int,
    place: int,
    reserve: int,
    ahead: int,
    sizes: Whole,
    products: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
    bounds: NDArray[np.uint64],
    stops: Small,
    widths: Whole,
    symbols: Small,
    steps: Small,
    steps_at: Whole,
    fore: Small,
    open_lines: Small,
    open_count: Small,
    aft: Small,
    last: Small,
    coins_of: Whole,
    tallies: Small,
    runs: Whole,
    scatters: Whole,
    triggers: Whole,
    entries: Whole,
    edges: Whole,
    unit: int,
    most: int,
    first: int,
    hit_scatters: int,
    hits: Whole,
    outcomes: Whole,
    units: Whole,
    starts: Whole,
) -> tuple[int, int]:
    """Plays rounds whose paid spin starts nothing; returns the rounds played and the words used up to one that does.

    Args:
        words: The words.
        used: Words used before.
        place: Rounds played before.
        reserve: Words that a round may need.
        ahead: Words that a paid spin needs.
        sizes: See Draws, and so on to bounds.
        products: As above.
        thresholds: As above.
        bounds: As above.
        stops: [reel, item]: window, counted from the first of the reel.
        widths: [reel]: the first window.
        symbols: See Tables, and so on to last; of the steps those of the paid spin.
        steps: As above.
        steps_at: As above.
        fore: As above.
        open_lines: As above.
        open_count: As above.
        aft: As above.
        last: As above.
        coins_of: Coins of each result of the paid spin.
        tallies: See Tables, and so on to entries; those of the paid spin.
        runs: As above.
        scatters: As above.
        triggers: As above.
        entries: As above.
        edges: Units from which each band begins.
        unit: Units in a coin.
        most: Units of a round at most; a round above it is left to be played otherwise.
        first: Where hits of lines begin.
        hit_scatters: Where hits of scatters begin.
        hits: How often each row won.
        outcomes: Overwritten.
        units: Overwritten.
        starts: Overwritten.
    """
    reels, lines = stops.shape[0], symbols.shape[1]
    at_stop = np.zeros(reels, dtype=np.int64)
    counts = np.zeros(max(1, tallies.shape[1]), dtype=np.int64)
    found = np.zeros(lines, dtype=np.int64)
    wide1, wide4 = widths[1, 1], widths[reels - 1, 1]
    both = steps_at[reels - 2, 1] * steps_at[reels - 1, 1]
    while place < outcomes.size and used + reserve <= words.size:
        at, column = used, 0
        for group in range(ahead):
            rest = words[at]
            at += 1
            while rest * products[group] < thresholds[group]:
                if at >= words.size:
                    return place, used
                rest = words[at]
                at += 1
            for _ in range(sizes[group]):
                if column < reels:
                    bound = bounds[column]
                    at_stop[column] = stops[column, np.int64(multiply_high(rest, bound))]
                    rest *= bound
                    column += 1
        begun = False
        for tally in range(tallies.shape[1]):
            count = 0
            for reel in range(reels):
                more = tallies[widths[reel, 0] + at_stop[reel], tally]
                if more == 0 and runs[tally]:
                    break
                count += more
            counts[tally] = count
        for trigger in range(triggers.shape[0]):
            if triggers[trigger, 0] >= 0:
                count = min(counts[triggers[trigger, 0]], triggers[trigger, 3])
                begun |= count > 0 and entries[triggers[trigger, 2] + count - 1] > 0
        if begun:
            break
        pair = at_stop[0] * wide1 + at_stop[1]
        front, many = pair * lines, open_count[pair]
        back = (at_stop[reels - 2] * wide4 + at_stop[reels - 1]) * lines
        if reels == 5:
            begin, kinds, shown = steps_at[2, 0], steps_at[2, 1], widths[2, 0] + at_stop[2]
            for place_of in range(many):
                line = open_lines[front + place_of]
                state = steps[begin + fore[front + place_of] * kinds + symbols[shown, line]]
                found[place_of] = last[state * both + aft[back + line]]
        else:
            for place_of in range(many):
                line = open_lines[front + place_of]
                state = fore[front + place_of]
                for reel in range(2, reels - 2):
                    shown = widths[reel, 0] + at_stop[reel]
                    state = steps[steps_at[reel, 0] + state * steps_at[reel, 1] + symbols[shown, line]]
                found[place_of] = last[state * both + aft[back + line]]
        coins = 0
        for place_of in range(many):
            coins += coins_of[found[place_of]]
        won = coins * unit
        hit = hit_scatters
        for scatter in range(scatters.shape[0]):
            if scatters[scatter, 0] < 0:
                break
            count = min(counts[scatters[scatter, 0]], scatters[scatter, 2])
            if count > 0:
                won += entries[scatters[scatter, 1] + count - 1]
        if most > 0 and won > most:
            break
        if coins > 0:
            for place_of in range(many):
                if found[place_of] > 0:
                    hits[first + found[place_of]] += 1
        for scatter in range(scatters.shape[0]):
            if scatters[scatter, 0] < 0:
                break
            count = min(counts[scatters[scatter, 0]], scatters[scatter, 2])
            if count > 0:
                hits[hit + count - 1] += 1
            hit += scatters[scatter, 2]
        band = 0
        while band + 1 < edges.size and won >= edges[band + 1]:
            band += 1
        outcomes[place], units[place], starts[place] = band, won, used
        place += 1
        used = at
    return place, used
