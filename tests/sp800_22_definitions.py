"""The counts of the fifteen tests as the standard's text defines them: readable, slow, on lists of 0 and 1.

Nothing here is used to test a sequence. The compiled kernels are compared with these definitions, number for
number, and whoever checks the kernels reads the definitions beside NIST SP 800-22 Rev. 1a, section 2.
"""

import cmath
from collections import Counter
from itertools import accumulate, pairwise


def blocks_of(bits, size):
    """Cut a sequence into whole blocks, the rest discarded."""
    return [bits[start : start + size] for start in range(0, len(bits) - size + 1, size)]


def block_ones(bits, m):
    """Ones in every block of m bits (2.2.4)."""
    return [sum(block) for block in blocks_of(bits, m)]


def count_runs(bits):
    """One more than the number of places where a bit differs from the next (2.3.4)."""
    return 1 + sum(bit != following for bit, following in pairwise(bits))


def longest_runs(bits, m):
    """Longest run of ones in every block of m bits (2.4.4)."""
    return [max(len(run) for run in "".join(map(str, block)).split("0")) for block in blocks_of(bits, m)]


def matrix_rank(rows):
    """Rank over the field of two elements of a matrix whose rows are numbers (2.5, Appendix F)."""
    basis = []
    for row in rows:
        rest = row
        for vector in basis:
            rest = min(rest, rest ^ vector)
        if rest:
            basis.append(rest)
    return len(basis)


def rank_counts(bits, rows, columns):
    """Matrices of each rank, filled row by row (2.5.4)."""
    counts = [0] * (min(rows, columns) + 1)
    for block in blocks_of(bits, rows * columns):
        numbers = [int("".join(map(str, row)), 2) for row in blocks_of(block, columns)]
        counts[matrix_rank(numbers)] += 1
    return counts


def peaks_below(bits, bound):
    """Frequencies 0 to n/2 - 1 of the ±1 signal whose squared modulus is below a bound (2.6.4)."""
    n = len(bits)
    turns = [cmath.exp(-2j * cmath.pi * k / n) for k in range(n)]
    signal = [2 * bit - 1 for bit in bits]
    spectrum = (sum(s * turns[i * k % n] for i, s in enumerate(signal)) for k in range(n // 2))
    return sum(abs(value) ** 2 < bound for value in spectrum)


def template_occurrences(bits, template, blocks):
    """Occurrences of a template in each block, the search skipping behind every match (2.7.4)."""
    m, found = len(template), []
    for block in blocks_of(bits, len(bits) // blocks)[:blocks]:
        at = matches = 0
        while at <= len(block) - m:
            if list(block[at : at + m]) == list(template):
                matches += 1
                at += m
            else:
                at += 1
        found.append(matches)
    return found


def overlapping_occurrences(bits, m, size):
    """Places in every block of ``size`` bits where m ones begin (2.8.4)."""
    return [sum(all(block[i : i + m]) for i in range(size - m + 1)) for block in blocks_of(bits, size)]


def pattern_distances(bits, width, start):
    """Distances of patterns behind the first ``start`` back to their last occurrence (2.9.4)."""
    last = {}
    distances = Counter()
    for number, block in enumerate(blocks_of(bits, width), 1):
        pattern = tuple(block)
        if number > start:
            distances[number - last.get(pattern, 0)] += 1
        last[pattern] = number
    return distances


def linear_complexity(bits):
    """Length of the shortest shift register that produces a sequence, by Massey's algorithm (2.10.4).

    Example:
        >>> linear_complexity([1, 0, 0, 1, 0, 0, 1])
        3
    """
    register, former = [1], [1]
    length, last_failure = 0, -1
    for place, bit in enumerate(bits):
        taps = zip(register[1 : length + 1], reversed(bits[:place]), strict=False)
        discrepancy = (bit + sum(tap * past for tap, past in taps)) % 2
        if not discrepancy:
            continue
        shifted = [0] * (place - last_failure) + former
        size = max(len(register), len(shifted))
        padded = register + [0] * (size - len(register))
        added = [a ^ b for a, b in zip(padded, shifted + [0] * (size - len(shifted)), strict=True)]
        if 2 * length <= place:
            length, last_failure, former = place + 1 - length, place, register
        register = added
    return length


def ring_counts(bits, m):
    """Occurrences of every pattern of m bits in the sequence closed to a ring (2.11.4, 2.12.4)."""
    n, counts = len(bits), [0] * 2**m
    for start in range(n):
        pattern = 0
        for step in range(m):
            pattern = 2 * pattern + bits[(start + step) % n]
        counts[pattern] += 1
    return counts


def walk(bits):
    """Partial sums of the bits as steps of ±1 (2.13.4)."""
    return list(accumulate(2 * bit - 1 for bit in bits))


def cycles(bits):
    """The walk cut at its returns to zero; a walk that ends elsewhere ends in a cycle of its own (2.14.4)."""
    found = [[]]
    for position in walk(bits):
        if position == 0:
            found.append([])
        else:
            found[-1].append(position)
    return found if found[-1] else found[:-1]


def visits_by_cycle(bits, state):
    """Cycles that visit a state 0, 1, 2, 3, 4, and 5 or more times (2.14.4)."""
    counts = [0] * 6
    for cycle in cycles(bits):
        counts[min(cycle.count(state), 5)] += 1
    return counts


def visits(bits, state):
    """Visits of the whole walk to a state (2.15.4)."""
    return walk(bits).count(state)
