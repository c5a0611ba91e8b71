"""A whole stream of bits under test, and what its tests share: each form of it made once, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rng.battery.bits import BitStream
from rng.battery.lags import Lagged, lagged_of, power_of, transform_size
from rng.battery.scan import Scanned, scan
from rng.battery.suite import Running, Tell
from rng.battery.word_counts import WordCounts

SUITE = "whole-stream"
MOST_LAGS = 100_000
# Bits transformed at once: with as many zeros as there are lags 4 MiB, which stay near the processor.
BLOCK = (1 << 20) - MOST_LAGS
# Of longer streams so many blocks, evenly spread, are transformed: thirty megabytes, within seconds.
MOST_BLOCKS = 256
WORD = 64
# Blocks that are transformed in one go and added up: what one worker sends back.
TOGETHER = 16

# The eight signs of every byte, the first bit's first.
SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) * 2 - 1


@dataclass(frozen=True, slots=True)
class Transform:
    """Transforms some blocks of a stream and adds up their power: a pure function, sent to wherever it runs.

    Args:
        size: Size of the transform.
        length: Bits in a block.
    """

    size: int
    length: int

    def __call__(self, blocks: tuple[BitStream, ...]) -> NDArray[np.float64]:
        """Returns the power of every frequency, summed over the blocks."""
        signs = (SIGNS[block.packed].reshape(-1)[: self.length] for block in blocks)
        return power_of(signs, self.size)[0]


class Whole:
    """A stream of bits and what its tests share.

    Args:
        bits: The stream.
        running: What counts pieces of it and transforms blocks of it.
        tell: Told how much of it is counted.
    """

    def __init__(self, bits: BitStream, running: Running = map, tell: Tell | None = None) -> None:
        self.bits, self.running, self.tell = bits, running, tell
        held = -(-bits.length // BLOCK)
        self.length = bits.length // held
        self.blocks = min(held, MOST_BLOCKS)
        self._held = held
        self.lags = min(MOST_LAGS, self.length // 2)

    @property
    def of(self) -> None:
        """Bits are drawn from nothing else."""

    @property
    def size(self) -> int:
        """How many bits there are."""
        return self.bits.length

    @property
    def transformed(self) -> int:
        """Bits in the blocks that are transformed: all of them, but for those of very long streams."""
        return self.bits.length if self.blocks == self._held else self.blocks * self.length

    def _blocks(self) -> Iterator[tuple[BitStream, ...]]:
        """Yields the blocks that are transformed, some at a time."""
        for start in range(0, self.blocks, TOGETHER):
            yield tuple(
                self.bits.segment(number * self._held // self.blocks * self.length, self.length)
                for number in range(start, min(start + TOGETHER, self.blocks))
            )

    @cached_property
    def lagged(self) -> Lagged:
        """Sums of products at all lags and the periodogram, from the same transforms."""
        size = transform_size(self.length + self.lags)
        power = np.zeros(size // 2 + 1)
        for done, part in enumerate(self.running(Transform(size, self.length), self._blocks()), 1):
            power += part
            if self.tell is not None:
                self.tell(min(self.blocks, done * TOGETHER), self.blocks, "blocks")
        return lagged_of(power, self.blocks, self.length, self.lags)

    @cached_property
    def scanned(self) -> Scanned:
        """Everything that is counted in one pass."""
        return scan(self.octets, self.running, self.tell)

    @property
    def words(self) -> WordCounts:
        """Counts of the words."""
        return self.scanned.words

    @property
    def octets(self) -> NDArray[np.uint8]:
        """The whole bytes of the stream, as they are mapped or held."""
        return self.bits.packed[: self.bits.length // 8]

    def lane(self, place: int, words: int) -> NDArray[np.uint8]:
        """The bit in one place of each of the first 64-bit words, counted from the first bit of the word."""
        packed = self.bits.packed[: words * WORD // 8].reshape(-1, WORD // 8)
        return np.asarray(packed[:, place // 8] >> np.uint8(7 - place % 8) & np.uint8(1))
