"""What a planted fault is: bad output of a size, and the one test that must find it there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery import balls, cards, rows, sequences, whole_stream
from rng.battery.bits import from_bytes
from rng.battery.planted.good import Make, Output, Source, aes_ctr
from rng.battery.result import NotRun, TestResult
from rng.draws import Draw, OrderedSample

Kind = Literal["decks", "numbers", "bits", "rows"]
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


def results_of_rows(draw: Draw, output: Output, suite: str, test: str) -> Sequence[TestResult | NotRun]:
    """The results of one test on rows of a draw; what is whole decks is a shoe of eight packs."""
    if suite == "cards":
        return cards.run(output.astype(np.uint16), [test], shoe=cards.shoe_of(13, 4, decks=8))
    if isinstance(draw, OrderedSample):
        return balls.run(draw, output, (test,))
    run = rows.run_rows if suite == "sequences" else rows.beside
    return [one for one in run(draw, output, tests=(test,)) if (one.suite, one.test) == (suite, test)]


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """A known-bad generator, shuffle or piece of equipment and the test that must catch it.

    Args:
        name: Name of the fault, in kebab case.
        defect: What is wrong, in one sentence.
        kind: Whether it yields decks, numbers, bits packed eight to a byte, or rows of a draw.
        make: (good source, seed, sample) -> the bad output.
        caught_by: Name of the test of the suite that fits the kind.
        sample: Decks, numbers, bits or rows at which the test must catch it.
        below: Range of the numbers; 0 for all else.
        draw: What rows are drawn from.
        suite: Suite of the test, where the kind leaves it open.
    """

    name: str
    defect: str
    kind: Kind
    make: Make
    caught_by: str
    sample: int
    below: int = 0
    draw: Draw | None = None
    suite: str = ""

    def output(self, seed: int, source: Source = aes_ctr) -> NDArray[np.unsignedinteger]:
        """The bad output for a seed; the same for the same seed."""
        return self.make(source, seed, self.sample)

    @property
    def found_by(self) -> str:
        """Suite and test that must catch it."""
        return f"{self.suite or SUITES[self.kind]} {self.caught_by}"

    def results(self, seed: int) -> Sequence[TestResult | NotRun]:
        """The results of the test that must catch it, on its output for a seed."""
        if self.draw is None:
            return results_of(self.kind, self.output(seed), self.below, self.caught_by)
        return results_of_rows(self.draw, self.output(seed), self.suite, self.caught_by)


def of_decks(name: str, caught_by: str, sample: int, defect: str, make: Make) -> PlantedFault:
    """A fault of decks of forty cards."""
    return PlantedFault(name, defect, "decks", make, caught_by, sample)


def of_numbers(name: str, caught_by: str, sample: int, below: int, defect: str, make: Make) -> PlantedFault:
    """A fault of numbers below a range."""
    return PlantedFault(name, defect, "numbers", make, caught_by, sample, below)


def of_bits(name: str, caught_by: str, sample: int, defect: str, make: Make) -> PlantedFault:
    """A fault of a stream of bits."""
    return PlantedFault(name, defect, "bits", make, caught_by, sample)


def of_language(
    name: str, caught_by: str, sample: int, below: int, defect: str, draw: Callable[[int, int, int], Output]
) -> PlantedFault:
    """A generator of a programming language, seeded, as it draws numbers below a range: (seed, count, below)."""
    return of_numbers(name, caught_by, sample, below, defect, lambda _s, seed, n: draw(seed, n, below))
