"""A whole stream of bits under test, and what its tests share: each form of it made once, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rng.battery.bits import BitStream
from rng.battery.lags import Lagged, Signs, lagged
from rng.battery.result import TestResult
from rng.battery.word_counts import WordCounts, count_words

SUITE = "whole-stream"
MOST_LAGS = 100_000
# Bits transformed at once: with as many zeros as there are lags 4 MiB, which stay near the processor.
BLOCK = (1 << 20) - MOST_LAGS
# Of longer streams so many blocks, evenly spread, are transformed: thirty megabytes, within seconds.
MOST_BLOCKS = 256
WORD = 64

# The eight signs of every byte, the first bit's first.
SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) * 2 - 1


class Whole:
    """A stream of bits and what its tests share.

    Args:
        bits: The stream.
    """

    def __init__(self, bits: BitStream) -> None:
        self.bits = bits
        held = -(-bits.length // BLOCK)
        self.length = bits.length // held
        self.blocks = min(held, MOST_BLOCKS)
        self._held = held
        self.lags = min(MOST_LAGS, self.length // 2)

    @property
    def transformed(self) -> int:
        """Bits in the blocks that are transformed: all of them, but for those of very long streams."""
        return self.bits.length if self.blocks == self._held else self.blocks * self.length

    def _signs(self) -> Iterator[Signs]:
        for number in range(self.blocks):
            segment = self.bits.segment(number * self._held // self.blocks * self.length, self.length)
            yield SIGNS[segment.packed].reshape(-1)[: self.length]

    @cached_property
    def lagged(self) -> Lagged:
        """Sums of products at all lags and the periodogram, from the same transforms."""
        return lagged(self._signs(), self.length, self.lags)

    @cached_property
    def words(self) -> WordCounts:
        """Everything that is counted of the words, in one pass."""
        return count_words(self.octets)

    @property
    def octets(self) -> NDArray[np.uint8]:
        """The whole bytes of the stream, as they are mapped or held."""
        return self.bits.packed[: self.bits.length // 8]

    def lane(self, place: int, words: int) -> NDArray[np.uint8]:
        """The bit in one place of each of the first 64-bit words, counted from the first bit of the word."""
        packed = self.bits.packed[: words * WORD // 8].reshape(-1, WORD // 8)
        return np.asarray(packed[:, place // 8] >> np.uint8(7 - place % 8) & np.uint8(1))


@dataclass(frozen=True, slots=True)
class WholeTest:
    """One test of a whole stream.

    Args:
        name: Name within the suite.
        minimum: Fewest bits for which its null distribution holds.
        run: The test itself.
    """

    name: str
    minimum: int
    run: Callable[[Whole], TestResult]
