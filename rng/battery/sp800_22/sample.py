"""One sequence under test in every form the fifteen tests read it, each form made once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from rng.battery.sp800_22.histogram import count_windows, narrowed
from rng.battery.sp800_22.walk import Excursions, walk_excursions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rng.battery.bits import BitStream

Kept = TypeVar("Kept")

# Patterns are counted at least this wide, so that the serial and approximate entropy tests share one pass.
SHARED_WIDTH = 16


class BitSample:
    """A sequence of bits with its words, bytes and counts, computed when a test first asks for them.

    Args:
        bits: The sequence.
        enforce_lengths: Whether tests refuse what is too short for them by the standard.
    """

    def __init__(self, bits: BitStream, *, enforce_lengths: bool = True) -> None:
        self.bits = bits
        self.enforce_lengths = enforce_lengths
        self.length = bits.length
        self._kept: dict[str, object] = {}
        self._ring: NDArray[np.int64] | None = None

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """64-bit words, first bit most significant, two words of zeros behind the last."""
        return self.bits.words()

    @cached_property
    def octets(self) -> NDArray[np.uint8]:
        """Packed bytes, the bits beyond the sequence cleared."""
        return self.bits.octets()

    @cached_property
    def unpacked(self) -> NDArray[np.uint8]:
        """One byte, 0 or 1, for every bit."""
        return self.bits.unpacked()

    @cached_property
    def ones(self) -> int:
        """Number of ones in the sequence."""
        return int(np.bitwise_count(self.words).sum(dtype=np.int64))

    @cached_property
    def excursions(self) -> Excursions:
        """The random walk of the bits, cut at its returns to zero."""
        return walk_excursions(self.octets, self.length)

    def once(self, name: str, count: Callable[[], Kept]) -> Kept:
        """Return what ``count`` finds, counted the first time only: both sets of constants use one count."""
        if name not in self._kept:
            self._kept[name] = count()
        return cast("Kept", self._kept[name])

    def ring_counts(self, m: int) -> NDArray[np.int64]:
        """Count every pattern of m bits, the sequence read as a ring."""
        if self._ring is None or self._ring.size < 1 << m:
            width = max(m, SHARED_WIDTH)
            self._ring = count_windows(self._closed(width), 0, self.length, width)
        return narrowed(self._ring, m)

    def _closed(self, width: int) -> NDArray[np.uint8]:
        """Return the packed sequence followed by its first bits, as many as a pattern may need."""
        if self.length % 8 == 0 and self.length >= 2 * width:
            return np.concatenate((self.octets, self.octets[:8]))
        repeats = -(-width // self.length)
        return np.packbits(np.concatenate((self.unpacked, *[self.unpacked] * repeats)))
