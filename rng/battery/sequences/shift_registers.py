"""Shift registers of whole words behind a remainder: a bet that follows the exclusive or of two earlier words.

Of two words and their exclusive or the remainders are all but independent: some 10^-4 is left of the correlation of a
bit. What helps is that squaring a register doubles its lags: the same weak relation holds at a dozen pairs of lags.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import evidence
from rng.battery.sequences.draws import IntegerDraws

Floats = NDArray[np.float64]

# Words of 31 bits, and of 32, of which the last bet is the mean.
WIDTHS = (31, 32)
# Fewer numbers show nothing; larger ranges have larger tables. Even ranges keep the last bit, which linear tests see.
LEAST_DRAWS, MOST_DRAWS = 1 << 20, 1 << 23
LARGEST_RANGE = 99
# Registers in use: each trinomial with either of its lags.
TRINOMIALS = (
    *((89, 38), (98, 27), (127, 63), (250, 103), (521, 32), (521, 168), (607, 105), (607, 273)),
    *((1279, 216), (1279, 418), (2281, 715), (3217, 576), (4423, 2098), (9689, 471), (9689, 4187)),
)
# Numbers that are bet on at once, and what all bets on one of them together may lose.
BLOCK = 1 << 14
MOST_LOST = 0.9
# Bets that grow a unit together before its logarithm is taken: they leave 10^-32 of it at worst.
SEVERAL = 32
LAGS = np.array([(long, lag) for long, short in TRINOMIALS for lag in (short, long - short)])


@cache
def advantage(below: int, width: int) -> Floats:
    """How much likelier than chance each remainder of a word is, given those of the two words that it is made of.

    Shape (below, below, below): remainders of the two words and of their exclusive or; the mean over the last is 0.

    Args:
        below: What words are divided by.
        width: Bits of a word.

    Example:
        Of two words of one bit the exclusive or is certain; modulo 3 nothing else is either:

        >>> advantage(3, 1)[1, 1].tolist()
        [2.0, -1.0, -1.0]
    """
    chances = np.zeros((below,) * 3)
    chances[0, 0, 0] = 1.0
    for bit in range(width):
        worth = (1 << bit) % below
        moved = [
            np.roll(chances, (worth * a, worth * b, worth * (a ^ b)), (0, 1, 2))
            for a in (0, 1)
            for b in (0, 1)
        ]
        chances = np.sum(moved, axis=0) / 4
    given = chances.sum(axis=2, keepdims=True)
    gain = below * np.divide(chances, given, out=np.full_like(chances, 1 / below), where=given > 0) - 1
    return np.asarray(gain - gain.mean(axis=2, keepdims=True))


def applies(below: int) -> bool:
    """Whether the remainders of words by this range hide their exclusive or, and its table is small."""
    return below % 2 == 1 and below <= LARGEST_RANGE


@njit(cache=True)
def log_capital(
    digits: NDArray[np.uint8], below: int, first: int, second: int, gain: NDArray[np.float32]
) -> float:
    """Logarithm of what a unit becomes that is bet on every number by the numbers at all doublings of two lags.

    Args:
        digits: The numbers.
        below: Their range.
        first: The longer lag.
        second: The shorter one.
        gain: The :func:`advantage` of every three numbers, flat; all doublings together never lose a unit.
    """
    capital = 0.0
    won = np.empty(BLOCK, dtype=np.float32)
    for start in range(0, digits.size, BLOCK):
        stop = min(start + BLOCK, digits.size)
        won[:] = 0.0
        a, b = first, second
        while a < stop:
            for place in range(max(start, a), stop):
                row = (np.int64(digits[place - a]) * below + np.int64(digits[place - b])) * below
                won[place - start] += gain[row + np.int64(digits[place])]
            a *= 2
            b *= 2
        for several in range(0, stop - start, SEVERAL):
            grown = 1.0
            for place in range(several, min(several + SEVERAL, stop - start)):
                grown *= 1.0 + np.float64(won[place])
            capital += np.log(grown)
    return capital


def run(draws: IntegerDraws) -> tuple[float, str]:
    """P-value of the bets on all registers in use together, and the lags of the best.

    At fair prices no bet wins on the average: the mean of all capitals exceeds 1/p with probability p at most.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Compagner, J. Stat. Phys. 63 (1991),
    883-896 (three-point correlations and their doublings).
    """
    digits = draws.values[:MOST_DRAWS].astype(np.uint8)
    gain = np.mean([advantage(draws.below, width) for width in WIDTHS], axis=0)
    # Of ranges such as 63 a bet that wins fast would lose more than a unit at all doublings together.
    doublings = (MOST_DRAWS // int(LAGS[:, 0].min())).bit_length()
    gain *= min(1.0, MOST_LOST / (doublings * float(np.abs(gain).max())))
    flat = np.ascontiguousarray(gain.ravel(), dtype=np.float32)
    won = np.array([log_capital(digits, draws.below, long, short, flat) for long, short in LAGS.tolist()])
    best = LAGS[int(won.argmax())].tolist()
    return evidence.p_value(evidence.mean_log(won)), f": lags {best[0]} and {best[1]}"
