"""Which test finds which planted fault, at the size where each must be found: what the battery would lose with a test.

    python -m benchmarks.leave_one_out

prints the table of docs/methods/power.md: of every test how many faults it finds, how many of them nothing else finds,
and in how many its p-value is the smallest. A fault is found as the self-test finds it: by a p-value below 1e-6 that
stays below 1e-4 when it is multiplied by the number of p-values of its test.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from rng.battery import (
    NotRun,
    TestResult,
    balls,
    cards,
    from_bytes,
    rows,
    sequences,
    whole_stream,
    word_counts,
)
from rng.battery.calibration import CAUGHT_ADJUSTED_BELOW, CAUGHT_BELOW
from rng.battery.planted import catalogue, equipment
from rng.battery.planted.fault import PlantedFault
from rng.battery.sp800_22.battery import run_both
from rng.draws import OrderedSample

Results = Sequence[TestResult | NotRun]
SEED = 1


def everything(fault: PlantedFault) -> Results:
    """The results of every test that fits, on the output of a fault at its own size."""
    made = fault.output(SEED)
    if fault.draw is not None:
        if fault.suite == "cards":
            return cards.run(made.astype(np.uint16), shoe=cards.shoe_of(13, 4, decks=8))
        return (
            balls.run(fault.draw, made)
            if isinstance(fault.draw, OrderedSample)
            else rows.run_rows(fault.draw, made)
        )
    if fault.kind == "decks":
        return cards.run(made.astype(np.uint8))
    if fault.kind == "numbers":
        return sequences.run(made, fault.below)
    bits = from_bytes(made.tobytes())
    standard = run_both(bits)[1] if bits.length <= 1 << 25 else ()
    return (*standard, *whole_stream.run(bits), *word_counts.run(bits))


def strength(result: TestResult | NotRun) -> float:
    """The smallest p-value, times their number; one where the test finds nothing by the rule of the self-test."""
    if isinstance(result, NotRun):
        return 1.0
    smallest = min(result.decided)
    adjusted = min(1.0, smallest * len(result.decided))
    return adjusted if smallest < CAUGHT_BELOW and adjusted < CAUGHT_ADJUSTED_BELOW else 1.0


def found_by(results: Results) -> dict[str, float]:
    """The tests that find a fault, each with its corrected p-value."""
    made = {f"{result.suite} {result.test}": strength(result) for result in results}
    return {name: p for name, p in made.items() if p < 1}


def table(faults: Iterable[PlantedFault]) -> list[str]:
    """The lines of the table, and those faults that a single test finds."""
    finds, alone, first = Counter[str](), Counter[str](), Counter[str]()
    ran: set[str] = set()
    single = []
    for fault in faults:
        results = everything(fault)
        ran |= {f"{r.suite} {r.test}" for r in results if isinstance(r, TestResult)}
        found = found_by(results)
        finds.update(list(found))
        if len(found) == 1:
            alone.update(list(found))
            single.append(f"| {fault.name} | {next(iter(found))} |")
        if found:
            best = min(found.values())
            first.update(name for name, p in found.items() if p <= max(best, math.ulp(0)))
    lines = ["| test | faults found | alone | first |", "|---|---|---|---|"]
    order = sorted(ran, key=lambda name: (-alone[name], -finds[name], name))
    lines += [f"| {name} | {finds[name]} | {alone[name]} | {first[name]} |" for name in order]
    return [*lines, "", "| fault | found by nothing but |", "|---|---|", *single]


def main() -> None:
    """Prints the tables."""
    faults: list[PlantedFault] = [*catalogue.FAULTS, *equipment.FAULTS]
    print(f"{len(faults)} planted faults")
    print("\n".join(table(faults)))


if __name__ == "__main__":
    main()
