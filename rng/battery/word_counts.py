"""Words of bits: how often each comes, and the tests of sequences on the first of them."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from rng.array_types import Bytes, Counts
from rng.battery import sequences
from rng.battery.bits import BitStream
from rng.battery.suite import Results, Running, Tell, pooled

LANES = 4
SIXTEEN = 1 << 16
PARITIES = (16, 32, 64)


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """Counts over whole 64-bit words, first bit most significant.

    Args:
        words: Number of 64-bit words.
        lanes: ``lanes[place, value]``: how often each of the four sixteenths of a word took each value.
        odd: How many words of 16, 32 and 64 bits have an odd number of ones.
    """

    words: int
    lanes: Counts
    odd: dict[int, int]

    @classmethod
    def none(cls) -> "WordCounts":
        """Returns the counts of a stream without words."""
        return cls(0, np.zeros((LANES, SIXTEEN), dtype=np.int64), dict.fromkeys(PARITIES, 0))

    def __add__(self, other: "WordCounts") -> "WordCounts":
        """Returns the counts of both."""
        odd = {width: count + other.odd[width] for width, count in self.odd.items()}
        return WordCounts(self.words + other.words, self.lanes + other.lanes, odd)

    @property
    def sixteens(self) -> Counts:
        """How often each value of 16 bits came, in words of 16 bits."""
        return np.asarray(self.lanes.sum(axis=0))

    @property
    def bytes(self) -> Counts:
        """How often each value of 8 bits came."""
        square = self.sixteens.reshape(256, 256)
        return np.asarray(square.sum(axis=0) + square.sum(axis=1))

    def ones(self, width: int) -> Counts:
        """How many words of 8, 16, 32 or 64 bits have a one at each place, from the first bit on."""
        bits = np.arange(SIXTEEN)[:, None] >> np.arange(15, -1, -1) & 1
        # Counts are whole numbers far below 2^53: the product of floats is exact, and a hundred times as fast.
        places = np.rint(self.lanes.astype(np.float64) @ bits.astype(np.float64)).astype(np.int64)
        return np.asarray(places.reshape(-1, width).sum(axis=0))


def count_words(octets: Bytes) -> WordCounts:
    """Counts the words of some bytes; bytes that do not fill a word of 64 bits are left out.

    Example:
        >>> found = count_words(np.array([255, 0, 0, 0, 0, 0, 0, 1], dtype=np.uint8))
        >>> found.words, found.odd, found.ones(8).tolist()
        (1, {16: 1, 32: 1, 64: 1}, [1, 1, 1, 1, 1, 1, 1, 2])
    """
    whole = np.ascontiguousarray(octets[: octets.size // 8 * 8])
    sixteens = whole.view(">u2").reshape(-1, LANES)
    lanes = np.stack([np.bincount(column, minlength=SIXTEEN) for column in sixteens.T])
    odd = {
        width: int(np.count_nonzero(np.bitwise_count(whole.view(f"u{width // 8}")) & 1)) for width in PARITIES
    }
    return WordCounts(whole.size // 8, lanes, odd)


# Generators and their relations show in the first bytes; what needs the whole stream is looked for there.
MOST_BYTES = 1 << 22
WIDTHS = (8, 32)
# Stretches that come again and dispersion are tested by the suite of the whole stream.
ELSEWHERE = ("duplicates", "dispersion")
NAMES = tuple(name for name in sequences.NAMES if name not in ELSEWHERE)


def run(
    bits: BitStream, tests: Collection[str] | None = None, *, running: Running = map, tell: Tell | None = None
) -> Results:
    """Runs the tests of sequences on the first four mebibytes of a stream, as words of 8 and of 32 bits.

    Args:
        bits: The stream.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        running: What runs each of them.
        tell: Receives how many of them are done.

    Returns:
        One result for each test that the stream is long enough for, the p-values of both widths together.
    """
    octets = np.ascontiguousarray(bits.packed[: min(bits.length // 8, MOST_BYTES)])
    parts = []
    for width in WIDTHS:
        size = width // 8
        words = octets[: octets.size // size * size].view(f"<u{size}")
        fitting = {test.name: test.minimum(1 << width) for test in sequences.TESTS}
        chosen = [
            name
            for name in (NAMES if tests is None else tests)
            if isinstance(least := fitting[name], int) and least <= words.size
        ]
        if chosen:
            found = sequences.run(words, 1 << width, chosen, running=running, tell=tell)
            parts.append((f"{width} bits", found))
    return pooled(parts)
