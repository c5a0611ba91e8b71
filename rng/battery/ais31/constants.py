"""The constants of AIS 20/31, as printed.

Source: Killmann and Schindler, A proposal for: Functionality classes for random number generators, version 2.0
(BSI, 18 September 2011), 2.4.4; the tests T1 to T4 and their bounds are those of FIPS 140-1.
"""

from __future__ import annotations

# T0, disjointness: this many words of this many bits, all different.
DISJOINT_WORDS = 1 << 16
DISJOINT_BITS = 48

# T1 to T5 run on sequences of this length, each so many times in procedure A.
SEQUENCE = 20_000
SEQUENCES = 257

# T1, monobit; T2, poker: passed strictly between the bounds.
MONOBIT = (9_654, 10_346)
POKER = (1.03, 57.4)
# T3, runs of length 1, 2, 3, 4, 5 and 6 or more, of zeros and of ones: passed within the bounds, these included.
RUNS = ((2_267, 2_733), (1_079, 1_421), (502, 748), (223, 402), (90, 223), (90, 223))
# T4: no run as long as this.
LONG_RUN = 34
# T5, autocorrelation: shift chosen on the first half, tested on the second; passed strictly between the bounds.
SHIFTS = 5_000
AUTOCORRELATION = (2_326, 2_674)

# T6, uniform distribution, and T7, homogeneity: so many values of each kind.
VALUES = 100_000
UNIFORM_1 = 0.025
UNIFORM_2 = 0.02
HOMOGENEITY = 15.13

# T8, Coron's entropy: bits of a word, words that start it off, words tested, and what the value must exceed.
WORD = 8
START = 2_560
TESTED = 256_000
ENTROPY = 7.976
