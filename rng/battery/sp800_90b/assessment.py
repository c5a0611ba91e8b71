"""The assessment of raw noise that is not independent and identically distributed: the smallest of ten estimates.

Source: NIST SP 800-90B (January 2018), 3.1.3 and 6.2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rng.array_types import Bytes as Symbols
from rng.battery.sp800_90b.estimate import (
    Estimate,
    collision,
    compression,
    longest_repeated_substring,
    markov,
    most_common_value,
    repetitions,
    t_tuple,
)
from rng.battery.sp800_90b.predictors import predictions
from rng.errors import SampleError

# 3.1.1: the data set is at least this long. The first so many samples are assessed, which bounds memory and time.
SAMPLES_REQUIRED = 1_000_000
# Fewer leave the predictors nothing to learn from.
FEWEST_SAMPLES = 6_100
MOST_BITS = 8


@dataclass(frozen=True, slots=True)
class Assessment:
    """Min-entropy of a noise source's samples.

    Args:
        samples: Samples assessed.
        width: Bits of a sample.
        literal: Estimates of the samples as they are, in bits for each sample.
        bitstring: Estimates of their bits one after the other, in bits for each bit; empty where they are the
            same.
    """

    samples: int
    width: int
    literal: tuple[Estimate, ...]
    bitstring: tuple[Estimate, ...]

    @property
    def h_original(self) -> float:
        """Smallest estimate of the samples as they are."""
        return min(estimate.min_entropy for estimate in self.literal)

    @property
    def h_bitstring(self) -> float | None:
        """Smallest estimate of the bits; None where a sample is a bit."""
        return min((estimate.min_entropy for estimate in self.bitstring), default=None)

    @property
    def min_entropy(self) -> float:
        """Assessed min-entropy in bits for each sample: the smaller of both ways of looking (3.1.3)."""
        whole = self.h_bitstring
        return self.h_original if whole is None else min(self.h_original, self.width * whole)

    @property
    def enough(self) -> bool:
        """Whether there are as many samples as the standard asks for."""
        return self.samples >= SAMPLES_REQUIRED


def read_samples(path: Path, width: int) -> Symbols:
    """Reads one sample a byte, in its low bits.

    Args:
        path: The file; no more than the first 1,000,000 bytes are read.
        width: Bits of a sample, 1 to 8.

    Raises:
        SampleError: If the file cannot be read, is too short, or a byte has a higher bit set, with its offset.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(SAMPLES_REQUIRED)
    except OSError as error:
        raise SampleError(f"{path}: not a readable file ({error.strerror})") from error
    return checked(np.frombuffer(data, dtype=np.uint8), width, str(path))


def checked(symbols: Symbols, width: int, source: str = "memory") -> Symbols:
    """Returns the samples, known to fit their width and to be enough for the estimators.

    Raises:
        SampleError: If they do not or are not.
    """
    if not 1 <= width <= MOST_BITS:
        raise SampleError(f"{source}: samples of {width} bits, expected 1 to {MOST_BITS}")
    if symbols.size < FEWEST_SAMPLES:
        raise SampleError(f"{source}: {symbols.size} samples, expected at least {FEWEST_SAMPLES}")
    wrong = np.flatnonzero(symbols >> np.uint8(width)) if width < MOST_BITS else np.empty(0, dtype=np.int64)
    if wrong.size:
        at = int(wrong[0])
        raise SampleError(f"{source}: byte {at} is {int(symbols[at])}, expected a sample of {width} bits")
    return symbols


def _estimates(symbols: Symbols, alphabet: int, tell: Callable[[str], None]) -> tuple[Estimate, ...]:
    tell("counting estimators")
    # 6.2: the collision, Markov and compression estimates are defined for bits alone.
    binary = (collision(symbols), markov(symbols), compression(symbols)) if alphabet == 2 else ()
    tell("tuple estimators")
    counted = repetitions(symbols)
    tuples = t_tuple(symbols, counted), longest_repeated_substring(symbols, counted)
    tell("predictors")
    return most_common_value(symbols), *binary, *tuples, *predictions(symbols, alphabet)


def assess(symbols: Symbols, width: int, *, progress: Callable[[str], None] | None = None) -> Assessment:
    """Estimates the min-entropy of raw samples of a noise source, without assuming them independent.

    Args:
        symbols: One sample a byte, in its low bits; no more than the first 1,000,000 are assessed.
        width: Bits of a sample, 1 to 8.
        progress: Called with the name of each step.

    Raises:
        SampleError: If there are too few samples or one does not fit its width.

    Source: NIST SP 800-90B 6.2 (non-IID track) and 3.1.3.
    """
    tell = progress or (lambda _name: None)
    # A copy: one compiled kernel serves what was mapped read-only and what was not.
    symbols = np.array(checked(symbols, width)[:SAMPLES_REQUIRED])
    literal = _estimates(symbols, 1 << width, lambda name: tell(f"samples: {name}"))
    bitstring: tuple[Estimate, ...] = ()
    if width > 1:
        bits = np.unpackbits(symbols[:, None], axis=1)[:, MOST_BITS - width :]
        flat = np.ascontiguousarray(bits).ravel()
        bitstring = _estimates(flat, 2, lambda name: tell(f"bits: {name}"))
    return Assessment(symbols.size, width, literal, bitstring)
