"""A whole stream of bits under test, and what its tests share: each form of it made once, in bounded memory.

A piece is counted by itself, wherever that is; what the pieces say is put together in their order. Memory holds a few
pieces, however long the stream is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numba import njit

from rng.array_types import Bytes, Floats, Words as Windows
from rng.battery.bits import BitStream, release
from rng.battery.lanes import Lagged, lagged_of, power_of, transform_size
from rng.battery.suite import Running, Tell
from rng.battery.word_counts import WordCounts, count_words

# Bytes of a piece: what is mapped from a file is never copied whole.
PIECE = 1 << 20
# A window is a word of 64 bits at any byte: what is compared is the content itself, not a code of it.
WINDOW = 8
# So many windows are sorted. Of longer streams those are that their content chooses, one in a power of two: both
# copies of a repeated stretch are looked at in the same places.
MOST_WINDOWS = 1 << 23


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of equal bits of a stretch, as far as the stretches next to it need to know them.

    Args:
        bits: Bits of the stretch.
        first: Its first bit.
        head: Length of its first run.
        last: Its last bit.
        tail: Length of its last run.
        longest: Length of its longest.
    """

    bits: int = 0
    first: int = -1
    head: int = 0
    last: int = -1
    tail: int = 0
    longest: int = 0

    def then(self, other: "Runs") -> "Runs":
        """Returns the runs of this stretch and the one behind it."""
        if not self.bits or not other.bits:
            return self if self.bits else other
        joined = self.tail + other.head if self.last == other.first else 0
        return Runs(
            self.bits + other.bits,
            self.first,
            joined if joined and self.head == self.bits else self.head,
            other.last,
            joined if joined and other.tail == other.bits else other.tail,
            max(self.longest, other.longest, joined),
        )


# Lengths of the runs of equal bits of each byte: of its first, of its last, and of its longest.
RUNS_OF_BYTES = np.array(
    [
        (lengths[0], lengths[-1], max(lengths))
        for lengths in ([len(list(run)) for _, run in groupby(f"{octet:08b}")] for octet in range(256))
    ]
)


@njit(cache=True)
def _runs(octets: Bytes) -> tuple[int, int, int]:
    """Length of the first run, of the last, and of the longest."""
    last, run, best, head = octets[0] >> 7, 0, 0, 0
    for octet in octets:
        first, tail, longest = RUNS_OF_BYTES[octet]
        if octet >> 7 != last:
            head = head if head else run
            run = 0
        run += first
        best = max(best, run, longest)
        if first < 8:
            head = head if head else run
            run = tail
        last = octet & 1
    return head if head else run, run, best


def runs_of(octets: Bytes) -> Runs:
    """Returns the runs of some bytes.

    Example:
        >>> runs_of(np.array([0b10000000, 0b00000111], dtype=np.uint8)).longest
        12
    """
    if not octets.size:
        return Runs()
    head, tail, longest = _runs(octets)
    return Runs(8 * octets.size, int(octets[0] >> 7), head, int(octets[-1] & 1), tail, longest)


def windows(octets: Bytes) -> Windows:
    """The eight bytes from each byte on, as one number."""
    if octets.size < WINDOW:
        return np.empty(0, dtype=np.uint64)
    shape = (octets.size - WINDOW + 1,)
    return np.ndarray(shape, ">u8", np.ascontiguousarray(octets), strides=(1,)).astype(np.uint64)


def chosen(found: Windows, mask: int) -> Windows:
    """Returns the windows that their content chooses: all of them where there is no mask."""
    if not mask:
        return found
    mixed = found * np.uint64(0x9E3779B97F4A7C15)  # odd; 2^64 over the golden ratio
    return np.asarray(found[(mixed >> np.uint64(40)) & np.uint64(mask) == 0])


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some bytes of a stream.

    Args:
        octets: The bytes, and up to seven that follow.
        size: How many are its own.
    """

    octets: Bytes
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Scanned:
    """What is counted of a piece, or of all.

    Args:
        words: Counts of its words.
        runs: Its runs of equal bits.
        windows: The windows that their content chose, in pieces.
    """

    words: WordCounts
    runs: Runs
    windows: tuple[Windows, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """Counts a piece of a stream: a pure function, that can be sent to wherever it runs.

    Args:
        mask: What chooses its windows.
    """

    mask: int

    def __call__(self, piece: Piece) -> Scanned:
        """Returns the counts of a piece."""
        own = piece.octets[: piece.size]
        return Scanned(count_words(own), runs_of(own), (chosen(windows(piece.octets), self.mask),))


def pieces(octets: Bytes) -> Iterator[Piece]:
    """Yields the pieces of a stream, each loaded when it is requested."""
    for start in range(0, octets.size, PIECE):
        stop = min(start + PIECE, octets.size)
        piece = np.array(octets[start : stop + WINDOW - 1])
        release(octets)
        yield Piece(piece, stop - start)


def scan(octets: Bytes, running: Running = map, tell: Tell | None = None) -> Scanned:
    """Counts a stream in one pass.

    Args:
        octets: The stream.
        running: What counts the pieces.
        tell: Receives how many bytes of how many are counted.
    """
    words, runs, kept, done = WordCounts.none(), Runs(), list[Windows](), 0
    for scanned in running(
        Scan((1 << max(0, (octets.size // MOST_WINDOWS).bit_length())) - 1), pieces(octets)
    ):
        words, runs = words + scanned.words, runs.then(scanned.runs)
        kept += scanned.windows
        done = min(done + PIECE, octets.size)
        if tell is not None:
            tell(done, octets.size, "bytes")
    return Scanned(words, runs, tuple(kept))


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

    def __call__(self, blocks: tuple[BitStream, ...]) -> Floats:
        """Returns the power of every frequency, summed over the blocks."""
        signs = (SIGNS[block.packed].reshape(-1)[: self.length] for block in blocks)
        return power_of(signs, self.size)[0]


class Whole:
    """A stream of bits and what its tests share.

    Args:
        bits: The stream.
        running: What counts pieces of it and transforms blocks of it.
        tell: Receives how much of it is counted.
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
            release(self.bits.packed)

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
    def octets(self) -> Bytes:
        """The whole bytes of the stream, as they are mapped or held."""
        return self.bits.packed[: self.bits.length // 8]

    def lane(self, place: int, words: int) -> Bytes:
        """The bit in one place of each of the first 64-bit words, counted from the first bit of the word."""
        packed = self.bits.packed[: words * WORD // 8].reshape(-1, WORD // 8)
        return np.asarray(packed[:, place // 8] >> np.uint8(7 - place % 8) & np.uint8(1))
