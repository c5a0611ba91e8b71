"""Noise for tests of the entropy source: healthy until it fails in a chosen way."""

import hashlib

from rng.errors import EntropyError


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
