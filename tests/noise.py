"""Noise for tests of the entropy source, healthy until it fails in a chosen way; bits and words that are given."""

import hashlib
import io

import numpy as np

from rng.battery import BitStream
from rng.errors import EntropyError
from rng.words import WordSource


def from_bits(bits):
    """A stream of bits, each given as a number 0 or 1."""
    values = np.asarray(bits, dtype=np.uint8)
    return BitStream(np.packbits(values), values.size, "memory")


def recorded_words(data):
    """A finite source over recorded bytes."""
    return WordSource(io.BytesIO(data).readinto)


class Noise:
    """Healthy noise from a hash, replaced by a fault after so many samples."""

    def __init__(self, fault=None, after=0, name=""):
        self.fault, self.after, self.given, self.name = fault, after, 0, name

    def samples(self, count):
        start, self.given = self.given, self.given + count
        if self.fault is not None and self.given > self.after:
            return self.fault(count)
        return hashlib.shake_256(f"{self.name} {start}".encode()).digest(count)


def stuck(count):
    return b"\x55" * count


def two_valued(count):
    return bytes(b & 1 for b in hashlib.shake_256(b"bits").digest(count))


def short(count):
    return bytes(range(count % 256))[: max(0, count - 1)]


def dying(count):
    raise EntropyError("the device is gone")
