"""Estimators that predict: most common in window, lag, Markov models with counting, LZ78Y.

Each has several subpredictors and follows the one that was right most often. How often it is right, and how often
in a row, bounds how well the next sample can be guessed.

Source: NIST SP 800-90B (January 2018), 6.3.7 to 6.3.10.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.array_types import Bytes as Symbols, Counts
from rng.battery.sp800_90b.estimate import ALPHA, Estimate, bisect, bits, later_first, upper_bound
from rng.kernels import called_by_kernels

WINDOWS = (63, 255, 1023, 4095)  # 6.3.7 step 1
LAGS = 128  # 6.3.8 step 1
ORDERS = 16  # 6.3.9 step 1 and 6.3.10 step 1
MOST_ENTRIES = 100_000  # 6.3.9 step 3: pairs of context and next sample in each model
MOST_CONTEXTS = 65_536  # 6.3.10 step 2: contexts in the dictionary
NOTHING = -1
# Tuples of a length are numbered by their digits up to so many of them, by their rank beyond.
MOST_CODES = 1 << 18
# The last bits that a number is made of.
RECENT = MOST_CODES - 1


@njit(cache=True, nogil=True)
def _window_predictions(s: Symbols, windows: Counts, alphabet: int) -> NDArray[np.bool_]:
    size, count = s.size, windows.size
    frequencies = np.zeros((count, alphabet), dtype=np.int64)
    last_seen = np.full(alphabet, -1, dtype=np.int64)
    scores = np.zeros(count, dtype=np.int64)
    guesses = np.empty(count, dtype=np.int64)
    right = np.zeros(size - windows[0], dtype=np.bool_)
    winner = 0
    for i in range(size):
        if i >= windows[0]:
            for j in range(count):
                guesses[j] = -1
                if i >= windows[j]:
                    # The most common value of the window; of several the one seen last.
                    best = 0
                    for value in range(1, alphabet):
                        more = frequencies[j, value] - frequencies[j, best]
                        if more > 0 or (more == 0 and last_seen[value] > last_seen[best]):
                            best = value
                    guesses[j] = best
            right[i - windows[0]] = guesses[winner] == s[i]
            for j in range(count):
                if guesses[j] == s[i]:
                    scores[j] += 1
                    if scores[j] >= scores[winner]:
                        winner = j
        last_seen[s[i]] = i
        for j in range(count):
            frequencies[j, s[i]] += 1
            if i >= windows[j]:
                frequencies[j, s[i - windows[j]]] -= 1
    return right


@njit(cache=True, nogil=True)
def _lag_predictions(s: Symbols, lags: int) -> NDArray[np.bool_]:
    scores = np.zeros(lags, dtype=np.int32)  # place k is that of lag ``lags - k``, as the samples lie
    right = np.zeros(s.size - 1, dtype=np.bool_)
    winner = lags - 1
    for i in range(1, s.size):
        first = max(0, lags - i)
        before, reached, symbol = s[max(0, i - lags) : i], scores[first:], s[i]
        winner_is_right = winner >= first and before[winner - first] == symbol
        right[i - 1] = winner_is_right
        highest, as_high = scores[winner], np.int32(0)
        for k in range(before.size):
            is_right = np.int32(before[k] == symbol)
            reached[k] += is_right
            as_high += is_right & np.int32(reached[k] >= highest)
        if as_high > winner_is_right:
            # Another one may lead now: the lags in their order, each with the score it has by then.
            for k in range(before.size - 1, -1, -1):
                if before[k] == symbol and reached[k] >= highest:
                    winner, highest = k + first, reached[k]
    return right


def _ranks(keys: Counts) -> Counts:
    """Returns for each key how many smaller ones there are, each counted once."""
    order = later_first(keys)
    ordered = keys[order]
    ranks = np.empty_like(keys)
    ranks[order] = np.concatenate(([0], np.cumsum(ordered[1:] != ordered[:-1])))
    return ranks


def context_ids(symbols: Symbols, alphabet: int, longest: int) -> tuple[NDArray[np.int32], int]:
    """For each length from 0 on: a number for the tuple that ends at each place, equal tuples having equal ones.

    Places too early for a tuple of the length have -1. Numbers are kept small: codes where there are few
    tuples of a length, ranks of the tuples seen where there may be many. No two lengths share a number, so one
    row of counts serves all of them. Where the last symbols alone give every number, none is kept.

    Returns:
        The numbers, int32 of shape (longest + 1, samples) or (0, 0); and how many there are.
    """
    size = symbols.size
    if alphabet == 2 and 2 << longest <= MOST_CODES:
        return np.empty((0, 0), dtype=np.int32), 2 << longest
    ids = np.full((longest + 1, size), NOTHING, dtype=np.int32)
    ids[0] = 0
    coded, distinct, total, before = True, False, 1, np.zeros(size, dtype=np.int64)
    for length in range(1, min(longest, size) + 1):
        keys = before * alphabet + symbols[length - 1 :]
        coded = coded and alphabet**length <= MOST_CODES
        # Where no two tuples are equal, no longer ones are either.
        here = keys if coded else np.arange(keys.size) if distinct else _ranks(keys)
        distinct = distinct or (not coded and int(here.max()) == keys.size - 1)
        ids[length, length - 1 :] = here + total
        total += alphabet**length if coded else int(here.max()) + 1
        before = here[:-1]
    return ids, total


@called_by_kernels
def _tuple(ids: NDArray[np.int32], recent: np.int64, length: int, end: int) -> int:
    """The number of the tuple that ends at a place: looked up, or the bits up to there after a leading one."""
    return ids[length, end] if ids.size else (1 << length) | int(recent & ((1 << length) - 1))


@njit(cache=True, nogil=True)
def _markov_predictions(
    s: Symbols, ids: NDArray[np.int32], tuples: int, orders: int, most: int
) -> NDArray[np.bool_]:
    """``ids[d]`` numbers the d-tuple that ends at each place."""
    size = s.size
    counts = np.zeros(tuples, dtype=np.int32)  # of each tuple: a context and what followed
    best = np.full(tuples, -1, dtype=np.int16)  # by context: the value that followed most often
    best_count = np.zeros(tuples, dtype=np.int32)
    entries = np.zeros(orders + 1, dtype=np.int64)
    scores = np.zeros(orders + 1, dtype=np.int64)
    guesses = np.full(orders + 1, -1, dtype=np.int64)
    right = np.zeros(size - 2, dtype=np.bool_)
    winner = 1
    recent = np.int64(s[0])
    for i in range(2, size):
        before, recent = recent, ((recent << 1) | np.int64(s[i - 1])) & RECENT
        for d in range(1, orders + 1):
            guesses[d] = -1
            if d < i:  # the d-tuple before the last sample, and the last sample
                pair, context = _tuple(ids, recent, d + 1, i - 1), _tuple(ids, before, d, i - 2)
                if counts[pair] == 0:
                    if entries[d] >= most:
                        pair = -1
                    else:
                        entries[d] += 1
                if pair >= 0:
                    counts[pair] += 1
                    value, count = s[i - 1], counts[pair]
                    # Of several most common values the largest is taken.
                    if count > best_count[context] or (
                        count == best_count[context] and value > best[context]
                    ):
                        best[context], best_count[context] = value, count
            if d <= i:
                guesses[d] = best[_tuple(ids, recent, d, i - 1)]
        right[i - 2] = guesses[winner] == s[i]
        for d in range(1, orders + 1):
            if guesses[d] == s[i]:
                scores[d] += 1
                if scores[d] >= scores[winner]:
                    winner = d
    return right


@njit(cache=True, nogil=True)
def _dictionary_predictions(
    s: Symbols, ids: NDArray[np.int32], tuples: int, longest: int, most: int
) -> NDArray[np.bool_]:
    size = s.size
    counts = np.zeros(tuples, dtype=np.int32)
    best = np.full(tuples, -1, dtype=np.int16)
    best_count = np.zeros(tuples, dtype=np.int32)
    known = np.zeros(tuples, dtype=np.bool_)
    contexts = 0
    right = np.zeros(size - longest - 1, dtype=np.bool_)
    recent = np.int64(0)
    for i in range(longest):
        recent = ((recent << 1) | np.int64(s[i])) & RECENT
    for i in range(longest + 1, size):
        before, recent = recent, ((recent << 1) | np.int64(s[i - 1])) & RECENT
        for j in range(longest, 0, -1):
            context, pair = _tuple(ids, before, j, i - 2), _tuple(ids, recent, j + 1, i - 1)
            if not known[context] and contexts < most:
                known[context] = True
                contexts += 1
            if known[context]:
                counts[pair] += 1
                value, count = s[i - 1], counts[pair]
                if count > best_count[context] or (count == best_count[context] and value > best[context]):
                    best[context], best_count[context] = value, count
        guess, highest = -1, 0
        for j in range(longest, 0, -1):
            context = _tuple(ids, recent, j, i - 1)
            if known[context] and best_count[context] > highest:
                guess, highest = best[context], best_count[context]
        right[i - longest - 1] = guess == s[i]
    return right


def longest_streak(right: NDArray[np.bool_]) -> int:
    """How many correct predictions came in a row.

    Example:
        >>> longest_streak(np.array([True, False, True, True]))
        2
    """
    ends = np.flatnonzero(~np.concatenate(([False], right, [False])))
    return int(np.diff(ends).max()) - 1


def local_bound(streak: int, trials: int) -> float:
    """Chance of a correct prediction for which no streak so long comes with 99 % probability.

    Args:
        streak: One more than the longest streak seen.
        trials: Number of predictions.

    Source: SP 800-90B 6.3.7 step 6; Feller, An Introduction to Probability Theory 1, XIII.7.
    """
    wanted = math.log(ALPHA)

    def log_no_streak(p: float) -> float:
        q, x = 1 - p, 1.0
        for _ in range(65):  # to the root near one, by iteration
            following = 1 + q * p**streak * x ** (streak + 1)
            if following == x or not math.isfinite(following):
                break
            x = following
        top, bottom = 1 - p * x, (streak + 1 - streak * x) * q
        return math.log(top / bottom) - (trials + 1) * math.log(x) if top > 0 and bottom > 0 else -math.inf

    found = bisect(log_no_streak, wanted, 0.0, 1.0)
    return 1.0 if found is None else found


def _judged(name: str, section: str, right: NDArray[np.bool_], alphabet: int) -> Estimate:
    trials, correct = right.size, int(np.count_nonzero(right))
    if trials < 2:
        return Estimate(name, section, 0.0, {"n": trials})
    streak = longest_streak(right) + 1
    share = correct / trials
    overall = upper_bound(share, trials) if correct else 1 - (1 - ALPHA) ** (1 / trials)
    local = local_bound(streak, trials)
    chance = max(overall, local, 1 / alphabet)
    details = {
        "c": correct,
        "r": streak,
        "n": trials,
        "p_global": share,
        "p_global_upper": overall,
        "p_local": local,
    }
    return Estimate(name, section, bits(min(1.0, chance)), details)


def predictions(symbols: Symbols, alphabet: int) -> tuple[Estimate, ...]:
    """The four predictors on one sequence.

    Args:
        symbols: Samples, 0 to ``alphabet`` - 1, at least eighty.
        alphabet: Number of different samples there are.
    """
    numbered = context_ids(symbols, alphabet, ORDERS + 1)
    runs = (
        ("multi-most-common-in-window", "6.3.7", _window_predictions(symbols, np.array(WINDOWS), alphabet)),
        ("lag", "6.3.8", _lag_predictions(symbols, LAGS)),
        ("multi-markov", "6.3.9", _markov_predictions(symbols, *numbered, ORDERS, MOST_ENTRIES)),
        ("lz78y", "6.3.10", _dictionary_predictions(symbols, *numbered, ORDERS, MOST_CONTEXTS)),
    )
    return tuple(_judged(name, section, right, alphabet) for name, section, right in runs)
