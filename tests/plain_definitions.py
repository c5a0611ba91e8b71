"""What compiled loops and transforms of the battery count, each in the words of its definition."""

from itertools import pairwise

import sp800_22_definitions

linear_complexity = sp800_22_definitions.linear_complexity
"""The linear complexity of a sequence: one definition for both suites that count it."""


def rising_run_lengths(values, longest):
    """Runs up by length, the number behind each left out.

    Example:
        >>> rising_run_lengths([1, 3, 2, 5, 5, 0], 3)
        [1, 1, 0]
    """
    counts = [0] * longest
    rest = list(values)
    while rest:
        length = 1
        while length < len(rest) and rest[length] > rest[length - 1]:
            length += 1
        if length == len(rest):
            break
        counts[min(length, longest) - 1] += 1
        rest = rest[length + 1 :]
    return counts


def equal_pairs(values, size):
    """Pairs of equal numbers within blocks.

    Example:
        >>> equal_pairs([1, 1, 1, 2, 1, 1, 5], 3)
        4
    """
    blocks = [values[start : start + size] for start in range(0, len(values) - size + 1, size)]
    return sum(block[i] == block[j] for block in blocks for j in range(size) for i in range(j))


def capital(rows, numbers, least_ages, tilts, prices):
    """The logarithm of what bets on due numbers win, by least age and tilt.

    Example:
        >>> import math, numpy as np
        >>> from rng.battery.e_values import log_prices
        >>> tilt = math.log(2)
        >>> won = capital([[0], [0], [1]], 2, [1], [tilt], log_prices(2, 1, np.array([tilt])))
        >>> round(won[0][0], 6)
        -0.117783
    """
    won = [[0.0] * len(tilts) for _ in least_ages]
    for t, row in enumerate(rows):
        for c, age in enumerate(least_ages):
            seen = {
                number: max((u for u in range(t) if number in rows[u]), default=-1)
                for number in range(numbers)
            }
            due = {number for number, last in seen.items() if t - last > age}
            if 0 < len(due) < numbers:
                hits = len(due & set(row))
                for j, tilt in enumerate(tilts):
                    won[c][j] += hits * tilt - float(prices[len(due), j])
    return won


def lagged(blocks, lags):
    """Sums of products of numbers that lie so far apart.

    Example:
        >>> lagged([[1, 1, -1, 1]], 2)
        [-1, 0]
    """
    kept = list(blocks)
    return [
        sum(a * b for block in kept for a, b in zip(block, block[k:], strict=False))
        for k in range(1, lags + 1)
    ]


def excess(equations):
    """How many equations say nothing new about the state, and how many of these hold.

    Args:
        equations: Masks of the bits of the state that are added up, and the sum, modulo 2.

    Example:
        >>> excess([(0b01, 1), (0b10, 1), (0b11, 0), (0b11, 1)])
        (2, 1)
    """
    solved = {}
    further = held = 0
    for mask, bit in equations:
        while mask:
            top = mask.bit_length()
            if top not in solved:
                solved[top] = mask, bit
                break
            mask, bit = mask ^ solved[top][0], bit ^ solved[top][1]
        else:
            further, held = further + 1, held + (bit == 0)
    return further, held


def gap_lengths(digits, target, longest):
    """Gaps between hits of a digit, by length.

    Example:
        >>> gap_lengths([1, 0, 2, 2, 0, 0], 0, 2)
        [1, 0, 1]
    """
    hits = [i for i, digit in enumerate(digits) if digit == target]
    gaps = [later - earlier - 1 for earlier, later in pairwise(hits)]
    return [sum(min(gap, longest) == r for gap in gaps) for r in range(longest + 1)]


def coupon_lengths(digits, coupons, longest):
    """Segments in which every coupon came, by length.

    Example:
        >>> coupon_lengths([0, 1, 1, 1, 0, 0], 2, 3)
        [0, 0, 1, 1]
    """
    counts, segment = [0] * (longest + 1), list[int]()
    for digit in digits:
        segment.append(digit)
        if len(set(segment)) == coupons:
            counts[min(len(segment), longest)] += 1
            segment = []
    return counts
