"""The tests of sequences on the words of a stream of bits, as far as they are needed: its beginning, in two widths."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from rng.battery import sequences
from rng.battery.bits import BitStream
from rng.battery.suite import Results, Running, Tell, pooled

# Generators and their relations show in the first bytes; what needs the whole stream is looked for there.
MOST_BYTES = 1 << 22
WIDTHS = (8, 32)
# Stretches that come again and dispersion are tested on the whole stream; words of whole bits have no remainder.
ELSEWHERE = ("duplicates", "dispersion", "scaling")
NAMES = tuple(name for name in sequences.NAMES if name not in ELSEWHERE)


def run(
    bits: BitStream, tests: Collection[str] | None = None, *, running: Running = map, tell: Tell | None = None
) -> Results:
    """Runs the tests of sequences on the first four mebibytes of a stream, as words of 8 and of 32 bits.

    Args:
        bits: The stream.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        running: What runs each of them.
        tell: Told how many of them are done.

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
