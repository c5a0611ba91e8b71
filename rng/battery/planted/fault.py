"""What a planted fault is: bad output of a size, and the one test that must find it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery import cards, sequences, whole_stream
from rng.battery.bits import from_bytes
from rng.battery.planted.good import Source, aes_ctr
from rng.battery.result import NotRun, TestResult

Output = NDArray[np.unsignedinteger]
Make = Callable[[Source, int, int], Output]
Kind = Literal["decks", "numbers", "bits"]
SUITES = {"decks": "cards", "numbers": "sequences", "bits": "whole-stream"}


def results_of(kind: Kind, output: Output, below: int, test: str) -> Sequence[TestResult | NotRun]:
    """The results of one test on some output.

    Args:
        kind: Whether it is decks, numbers, or bits packed eight to a byte.
        output: What is tested.
        below: Range of the numbers.
        test: Name of the test in the suite of the kind.
    """
    if kind == "decks":
        return cards.run(output.astype(np.uint8), [test])
    if kind == "bits":
        return whole_stream.run(from_bytes(output.tobytes()), [test])
    return sequences.run(output, below, [test])


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """A known-bad generator or shuffle and the test that must catch it.

    Args:
        name: Name of the fault, in kebab case.
        defect: What is wrong, in one sentence.
        kind: Whether it yields decks, numbers, or bits packed eight to a byte.
        make: (good source, seed, sample) -> the bad output.
        caught_by: Name of the test of the suite that fits the kind.
        sample: Decks, numbers or bits at which the test must catch it.
        below: Range of the numbers; 0 for decks and bits.
    """

    name: str
    defect: str
    kind: Kind
    make: Make
    caught_by: str
    sample: int
    below: int = 0

    def output(self, seed: int, source: Source = aes_ctr) -> NDArray[np.unsignedinteger]:
        """The bad output for a seed; the same for the same seed."""
        return self.make(source, seed, self.sample)

    @property
    def found_by(self) -> str:
        """Suite and test that must catch it."""
        return f"{SUITES[self.kind]} {self.caught_by}"

    def results(self, seed: int) -> Sequence[TestResult | NotRun]:
        """The results of the test that must catch it, on its output for a seed."""
        return results_of(self.kind, self.output(seed), self.below, self.caught_by)


def of_decks(name: str, caught_by: str, sample: int, defect: str, make: Make) -> PlantedFault:
    """A fault of decks of forty cards."""
    return PlantedFault(name, defect, "decks", make, caught_by, sample)


def of_numbers(name: str, caught_by: str, sample: int, below: int, defect: str, make: Make) -> PlantedFault:
    """A fault of numbers below a range."""
    return PlantedFault(name, defect, "numbers", make, caught_by, sample, below)


def of_bits(name: str, caught_by: str, sample: int, defect: str, make: Make) -> PlantedFault:
    """A fault of a stream of bits."""
    return PlantedFault(name, defect, "bits", make, caught_by, sample)
