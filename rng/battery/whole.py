"""A whole stream of bits under test, and what its tests share: each form of it made once, in bounded memory.

A piece is counted by itself, wherever that is; what the pieces say is put together in their order. Memory holds a few
pieces, however long the stream is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import dispersion
from rng.battery.bits import BitStream, release
from rng.battery.lanes import Lagged, lagged_of, power_of, transform_size
from rng.battery.suite import Running, Tell
from rng.battery.word_counts import WordCounts, count_words

Bytes = NDArray[np.uint8]
Windows = NDArray[np.uint64]
Counts = NDArray[np.int64]

# Bytes of a piece, about: what is mapped from a file is never copied whole.
PIECE = 1 << 22
# A window is a word of 64 bits at any byte: what is compared is the content itself, not a code of it.
WINDOW = 8
# So many windows are sorted. Of longer streams those are that their content chooses, one in a power of two: both
# copies of a repeated stretch are looked at in the same places.
MOST_WINDOWS = 1 << 23
# Equal words are paired within blocks of so many words of 16 bits and of its doublings; shorter blocks are looked at in
# the beginning of a stream (``rng.battery.dispersion``).
LEAST_BLOCK = 4 * dispersion.SHORT


@dataclass(frozen=True, slots=True)
class Cuts:
    """How a stream is cut: blocks of so many bytes, which the doublings of a block are made of, and pieces of blocks.

    Args:
        block: Bytes of the shortest block that is paired throughout; a multiple of eight.
        piece: Bytes of a piece: a power of two blocks.
    """

    block: int
    piece: int


def cuts(octets: int) -> Cuts:
    """Returns how a stream of so many bytes is cut: its shortest block is that of which 2^k make up almost all of it.

    Example:
        >>> cuts(1_000_000), cuts(1 << 26)
        (Cuts(block=250000, piece=4000000), Cuts(block=131072, piece=4194304))
    """
    doublings = max(0, (octets // (2 * LEAST_BLOCK)).bit_length() - 1)
    block = max(WINDOW, (octets >> doublings) // WINDOW * WINDOW)
    return Cuts(block, block << max(0, (PIECE // block).bit_length() - 1))


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

    def then(self, other: Runs) -> Runs:
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


@njit(cache=True)
def _runs(octets: Bytes) -> tuple[int, int, int]:
    """Length of the first run, of the last, and of the longest."""
    last, run, best, head = octets[0] >> 7, 0, 0, 0
    for octet in octets:
        if (octet == 0 and last == 0) or (octet == 255 and last == 1):
            run += 8
            continue
        for place in range(7, -1, -1):
            bit = (octet >> place) & 1
            if bit == last:
                run += 1
            else:
                if head == 0:
                    head = run
                best = max(best, run)
                last = bit
                run = 1
    return head if head else run, run, max(best, run)


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


def mask_of(octets: int) -> int:
    """Returns what chooses the windows of a stream of so many bytes."""
    return (1 << max(0, (octets // MOST_WINDOWS).bit_length())) - 1


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
        pairs: Pairs of equal words within its blocks, by width of the words and by doubling of the block.
        blocks: Blocks of the shortest length.
        runs: Its runs of equal bits.
        windows: The windows that their content chose, in pieces.
    """

    words: WordCounts
    pairs: dict[int, list[int]]
    blocks: int
    runs: Runs
    windows: tuple[Windows, ...]


class Doublings:
    """Pairs of equal words within ever longer blocks, from the counts of blocks or of pieces in their order."""

    def __init__(self) -> None:
        self.pairs: list[int] = []
        self._waiting: dict[int, tuple[int, Counts]] = {}

    def add(self, found: Sequence[int], counts: Counts | None) -> None:
        """Takes in the pairs of what comes next.

        Args:
            found: Its pairs within blocks of each length, from the shortest on; the last is all of it.
            counts: How often each word came in it; None if it is no power of two blocks, and ends the stream.
        """
        self.pairs += [0] * (len(found) - len(self.pairs))
        for level, pairs in enumerate(found):
            self.pairs[level] += pairs
        if counts is None:
            return
        level, held = len(found) - 1, found[-1]
        # The second half of a longer block is joined with the first, which has been waiting.
        while level in self._waiting:
            before, others = self._waiting.pop(level)
            held += before + int(counts @ others)
            counts = counts + others
            level += 1
            self.pairs += [0] * (level + 1 - len(self.pairs))
            self.pairs[level] += held
        self._waiting[level] = held, counts


@dataclass(frozen=True, slots=True)
class Scan:
    """Counts a piece of a stream: a pure function, that can be sent to wherever it runs.

    Args:
        cut: How the stream is cut.
        mask: What chooses its windows.
    """

    cut: Cuts
    mask: int

    def __call__(self, piece: Piece) -> Scanned:
        """Returns the counts of a piece."""
        own = piece.octets[: piece.size]
        pairs = {}
        for width in (8, 16):
            words = own[: own.size // self.cut.block * self.cut.block].view(f"u{width // 8}")
            doublings = Doublings()
            for block in words.reshape(-1, self.cut.block * 8 // width):
                counts = np.bincount(block, minlength=1 << width)
                doublings.add([int(counts @ (counts - 1)) // 2], counts)
            pairs[width] = doublings.pairs
        kept = chosen(windows(piece.octets), self.mask)
        return Scanned(count_words(own), pairs, own.size // self.cut.block, runs_of(own), (kept,))


def pieces(octets: Bytes, cut: Cuts) -> Iterator[Piece]:
    """Yields the pieces of a stream, each loaded when it is requested."""
    for start in range(0, octets.size, cut.piece):
        stop = min(start + cut.piece, octets.size)
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
    cut = cuts(octets.size)
    words, runs, kept = WordCounts.none(), Runs(), list[Windows]()
    doublings, blocks, done = {8: Doublings(), 16: Doublings()}, 0, 0
    for scanned in running(Scan(cut, mask_of(octets.size)), pieces(octets, cut)):
        words, runs, blocks = words + scanned.words, runs.then(scanned.runs), blocks + scanned.blocks
        kept += scanned.windows
        whole = scanned.blocks * cut.block == cut.piece
        for width, each in doublings.items():
            counts = scanned.words.bytes if width == 8 else scanned.words.sixteens
            each.add(scanned.pairs[width], counts if whole else None)
        done = min(done + cut.piece, octets.size)
        if tell is not None:
            tell(done, octets.size, "bytes")
    pairs = {
        width: [p for level, p in enumerate(each.pairs) if blocks >> level]
        for width, each in doublings.items()
    }
    return Scanned(words, pairs, blocks, runs, tuple(kept))


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
