"""At what size each of the subtle faults is found: by the battery, and by the best test that knows the fault.

    python -m benchmarks.power_table [NAME …]

prints the table of docs/methods/power.md. A size stands when the test finds the fault in all of five samples, which is
to say with a p-value below 1e-6. A directed test knows the fault, looks nowhere else and is told when it may be struck;
where a generator has few enough states, it is the comparison with all of them, and its size follows by counting.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import comb, factorial, perm

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery import cards, conclude, from_bytes, sequences
from rng.battery.calibration import CAUGHT_BELOW, find_fault
from rng.battery.planted import subtle, tables
from rng.battery.planted.fault import Output, PlantedFault
from rng.battery.planted.good import aes_ctr
from rng.battery.sp800_22.battery import run_both

SAMPLES = 5
# One bad deck among many is looked for at this many decks, and stays found at any number below.
ONE_IN = 200_000
NEW = {
    "cards": {
        "lagged-places",
        "unshuffled-deck",
        "disguised-copies",
        "hand-compositions",
        "dispersion",
        "scaling",
        "dealt-pairs",
        "dealt-triples",
        "signs-between-rounds",
        "after-hands",
        "position-pairs",
        "alike-apart",
    },
    "sequences": {
        "serial-dimensions",
        "known-lags",
        "power-of-two-lags",
        "congruential",
        "linear-halves",
        "fullest-cell",
        "dispersion",
        "due-numbers",
        "seeds",
        "lagged-sums",
        "after-streaks",
    },
}
Directed = Callable[[Output], float]
"""P-value of the best directed test on some output."""


def at_least(hits: int, trials: int, probability: float) -> float:
    """Probability of so many hits or more."""
    return float(special.bdtrc(hits - 1, trials, probability)) if hits else 1.0


def cards_return(lag: int, before: int, now: int) -> Directed:
    """How often a place holds the card that another held some rounds before."""
    return lambda decks: at_least(
        int((decks[:-lag, before] == decks[lag:, now]).sum()), len(decks) - lag, 1 / decks.shape[1]
    )


def one_deck(wanted: Output) -> Directed:
    """Whether one deck is a given one."""
    return lambda decks: (
        len(decks) / factorial(decks.shape[1]) if (decks == wanted).all(axis=1).any() else 1.0
    )


def deck_pairs(disguise: Callable[[Output], Output], ways: int) -> Directed:
    """Whether one deck is an earlier one in a known disguise, which may be put on in so many ways."""

    def p_value(decks: Output) -> float:
        size, n = decks.shape
        seen = {deck.tobytes() for deck in disguise(decks)}
        pairs = size * (size - 1) / 2
        return pairs * ways / factorial(n) if any(deck.tobytes() in seen for deck in decks) else 1.0

    return p_value


def opening_pairs(length: int) -> Directed:
    """Whether two decks begin with the same cards."""

    def p_value(decks: Output) -> float:
        size, n = decks.shape
        again = len({deck[:length].tobytes() for deck in decks}) < size
        return size * (size - 1) / 2 / perm(n, length) if again else 1.0

    return p_value


def suits_sum(decks: Output) -> float:
    """How often the suits of the first three cards sum to 0 modulo 4."""
    ways = sum(
        comb(10, a) * comb(10, b) * comb(10, c) * comb(10, 3 - a - b - c)
        for a in range(4)
        for b in range(4 - a)
        for c in range(4 - a - b)
        if (b + 2 * c + 3 * (3 - a - b - c)) % 4 == 0
    )
    hits = int(((decks[:, :3] % 4).sum(axis=1) % 4 == 0).sum())
    return at_least(hits, len(decks), ways / comb(40, 3))


def few_pairs(decks: Output) -> float:
    """How seldom there is a pair among the first three cards."""
    ranks = decks[:, :3] // 4
    pairs = (ranks[:, 0] == ranks[:, 1]) | (ranks[:, 0] == ranks[:, 2]) | (ranks[:, 1] == ranks[:, 2])
    share = 1 - 36 / 39 * 32 / 38
    return float(special.bdtr(int(pairs.sum()), len(decks), share))


def relation(long: int, short: int, signs: tuple[int, int], below: int, allowed: set[int]) -> Directed:
    """How often a sum of three numbers takes one of the values that the generator leaves it."""

    def p_value(numbers: Output) -> float:
        values = numbers.astype(np.int64)
        if values.size <= long:
            return 1.0
        sums = values[long:] - signs[0] * values[:-long] - signs[1] * values[long - short : -short]
        hits = int(np.isin(sums % below, list(allowed)).sum())
        return at_least(hits, sums.size, len(allowed) / below)

    return p_value


def one_value(value: int, below: int) -> Directed:
    """How often one number came."""
    return lambda numbers: at_least(int((numbers == value).sum()), numbers.size, 1 / below)


def one_pair(first: int, second: int, below: int) -> Directed:
    """How often one pair came."""

    def p_value(numbers: Output) -> float:
        pairs = numbers[: numbers.size // 2 * 2].reshape(-1, 2)
        return at_least(int((pairs == (first, second)).all(axis=1).sum()), len(pairs), 1 / below**2)

    return p_value


def returns(lag: int, below: int) -> Directed:
    """How often a number is the one a known distance before."""
    return lambda numbers: (
        at_least(int((numbers[lag:] == numbers[:-lag]).sum()), numbers.size - lag, 1 / below)
        if numbers.size > lag
        else 1.0
    )


def bits_of(octets: Output) -> NDArray[np.uint8]:
    """Bits of packed bytes."""
    return np.unpackbits(octets.astype(np.uint8))


def bits_return(lag: int) -> Directed:
    """How often a bit is the one a known distance before."""
    return lambda octets: returns(lag, 2)(bits_of(octets))


def known_wave(period: float) -> Directed:
    """How strong a wave of known period and phase is."""

    def p_value(octets: Output) -> float:
        signs = 2.0 * bits_of(octets) - 1
        carrier = np.cos(2 * np.pi * np.arange(signs.size) / period + 0.7)
        return float(special.ndtr(-(signs @ carrier) / math.sqrt(carrier @ carrier)))

    return p_value


def register(long: int, short: int) -> Directed:
    """How often a known register is right about the next bit."""

    def p_value(octets: Output) -> float:
        bits = bits_of(octets)
        if bits.size <= long:
            return 1.0
        hits = int((bits[long:] == (bits[:-long] ^ bits[long - short : -short])).sum())
        return at_least(hits, bits.size - long, 0.5)

    return p_value


def counted(states: float, told: float) -> int:
    """Outputs after which fewer than one state in a million fits by chance.

    Args:
        states: Bits of state.
        told: Bits that one output tells.
    """
    return math.ceil((states - math.log2(CAUGHT_BELOW)) / told)


def even_groups(tosses: Output) -> float:
    """How often the number of heads in a group of six is even."""
    groups = tosses[: tosses.size // 6 * 6].reshape(-1, 6)
    return at_least(int((groups.sum(axis=1) % 2 == 0).sum()), len(groups), 0.5)


REVERSED: Callable[[Output], Output] = lambda decks: np.ascontiguousarray(decks[:, ::-1])  # noqa: E731
DIRECTED: dict[str, Directed | int] = {
    "first-from-last": cards_return(1, -1, 0),
    "first-from-seven-rounds-before": cards_return(7, 0, 0),
    "second-from-ninety-rounds-before": cards_return(90, 1, 1),
    "one-unshuffled-deck": one_deck(np.arange(40, dtype=np.uint8)),
    "one-new-deck": one_deck(tables.new_deck()),
    # Two riffles of a new deck leave at most four rising sequences.
    "one-deck-riffled-twice": lambda decks: min(
        1.0,
        len(decks) * 4.0**40 / factorial(40)
        if (np.diff(np.argsort(decks, axis=1), axis=1) < 0).sum(axis=1).min() < 4
        else 1.0,
    ),
    "one-deck-reversed": deck_pairs(REVERSED, 1),
    "one-deck-cut": deck_pairs(lambda decks: np.roll(decks, 13, axis=1), 1),
    "one-deck-mirrored": deck_pairs(lambda decks: (39 - decks).astype(np.uint8), 1),
    "one-deck-renamed": deck_pairs(
        lambda decks: (decks // 4 * 4 + np.array([2, 0, 3, 1])[decks % 4]).astype(np.uint8), 1
    ),
    "shared-opening": opening_pairs(16),
    "suits-that-sum-to-zero": suits_sum,
    "pairs-broken-up": few_pairs,
    "dotnet-random": relation(55, 34, (1, -1), 6, {5, 0}),
    "glibc-rand-of-six": relation(31, 3, (1, 1), 6, {0, 1, 4, 5}),
    "go-math-rand": relation(607, 273, (1, 1), 52, {0, 1}),
    "java-next-int-of-52": counted(48, math.log2(52)),
    "java-next-int-of-37": counted(48, math.log2(37)),
    "java-next-double": counted(48, math.log2(37)),
    "msvc-rand-of-six": counted(31, math.log2(6)),
    "msvc-rand-of-37": counted(31, math.log2(37)),
    "minstd-of-37": counted(31, math.log2(37)),
    "minstd-of-six": counted(31, math.log2(6)),
    "minstd-scaled": counted(31, math.log2(52)),
    "v8-before-2016": counted(32, math.log2(52)),
    "v8-random": counted(128 + 6, math.log2(52)),
    "v8-random-of-37": counted(128 + 6, math.log2(37)),
    "mersenne-twister-scaled": counted(19_937, math.log2(37)),
    "java-parity": counted(18, 1),
    "hot-number": one_value(333, 1_000),
    "hot-pair": one_pair(13, 8, 40),
    "even-sixes": even_groups,
    "echo": returns(12_345, 37),
    "bit-echo": bits_return(77_777),
    "wave": known_wave(101.3),
    "long-shift-register": register(9_689, 4_187),
    "xoroshiro128plus": 64 * counted(128, 1),
}


# Too weak for the quick tests, and for samples of everyday size.
WEAK = (
    PlantedFault(
        "weak-wave",
        "the share of ones swings by 0.2 % in a wave of 101.3 bits",
        "bits",
        lambda source, seed, size: subtle.wave(source, seed, size, 0.002, 101.3),
        "periodogram",
        1 << 24,
    ),
)
DIRECTED["weak-wave"] = known_wave(101.3)
KINDS = (*subtle.FAULTS, *WEAK)


def is_one_deck(fault: PlantedFault) -> bool:
    """Whether a fault strikes a single deck, so that more decks make it harder to find, not easier."""
    return fault.name.startswith("one-") or fault.name == "shared-opening"


def ladder(kind: str) -> Iterator[int]:
    """Sizes that are tried: 1, 1.5, 2, 3, 4, 6, 8, … times sixteen, in whole bytes for bits."""
    size = 64 if kind == "bits" else 16
    while True:
        yield size
        yield size * 3 // 2
        size *= 2


def found(fault: PlantedFault, size: int, samples: int = SAMPLES) -> bool:
    """Whether the battery's test finds a fault at a size, in every sample."""
    return find_fault(sized(fault, size), samples).caught


def sized(fault: PlantedFault, size: int) -> PlantedFault:
    """The fault with a sample of another size."""
    return replace(fault, sample=size)


def directed_finds(fault: PlantedFault, size: int, samples: int = SAMPLES) -> bool:
    """Whether the directed test finds a fault at a size, in every sample; by counting, from its size on."""
    directed = DIRECTED[fault.name]
    if isinstance(directed, int):
        return size >= directed
    return all(directed(fault.make(aes_ctr, seed, size)) < CAUGHT_BELOW for seed in range(1, samples + 1))


def smallest(finds: Callable[[int], bool], kind: str, most: int = 1 << 26) -> int:
    """Smallest size of the ladder from which on a fault is found at two sizes in turn."""
    before = 0
    for size in ladder(kind):
        if size > most:
            raise ValueError(f"not found at {most}")
        if not finds(size):
            before = 0
        elif before:
            return before
        else:
            before = size
    raise AssertionError


def others_find(fault: PlantedFault, size: int) -> bool:
    """Whether the older tests of the battery reject a sample of that size."""
    output = fault.make(aes_ctr, 1, size)
    if fault.kind == "decks":
        results = cards.run(
            output.astype(np.uint8), [name for name in cards.NAMES if name not in NEW["cards"]]
        )
    elif fault.kind == "numbers":
        known = [name for name in sequences.NAMES if name not in NEW["sequences"]]
        results = sequences.run(output, fault.below, known)
    else:
        results = run_both(from_bytes(output.tobytes()))[1]
    return conclude(results).word == "not satisfied"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    Args:
        fault: Name of the fault.
        defect: What is wrong.
        test: What finds it.
        size: Decks, numbers or bits at which the battery finds it.
        directed: Those at which the directed test finds it.
        older: Whether the older tests see it at the size of the battery.
    """

    fault: str
    defect: str
    test: str
    size: int
    directed: int
    older: bool

    def line(self) -> str:
        """The row in Markdown."""
        return (
            f"| {self.fault} | {self.defect} | {self.test} | {self.size:,} | {self.directed:,} "
            f"| {'yes' if self.older else 'no'} |"
        )


def row(fault: PlantedFault) -> Row:
    """Measures one fault."""
    if is_one_deck(fault):
        if not (found(fault, ONE_IN, 1) and directed_finds(fault, ONE_IN, 1)):
            raise ValueError(f"{fault.name} is not found in {ONE_IN} decks")
        size = directed = ONE_IN
    else:
        size = smallest(lambda n: ready(fault, n) and found(fault, n), fault.kind)
        best = DIRECTED[fault.name]
        directed = best if isinstance(best, int) else smallest(lambda n: directed_finds(fault, n), fault.kind)
    return Row(fault.name, fault.defect, fault.found_by, size, directed, others_find(fault, size))


def ready(fault: PlantedFault, size: int) -> bool:
    """Whether a sample of that size can be made at all: some faults need a past that long."""
    least = {"second-from-ninety-rounds-before": 128, "echo": 16_384, "bit-echo": 98_304}
    return size >= least.get(fault.name, 64)


def main() -> None:
    """Prints the table, or the rows of the faults named."""
    print("| fault | what is wrong | found by | found at | directed test | older tests |")
    print("|---|---|---|---|---|---|")
    for fault in KINDS:
        if len(sys.argv) < 2 or fault.name in sys.argv[1:]:
            print(row(fault).line(), flush=True)


if __name__ == "__main__":
    main()
