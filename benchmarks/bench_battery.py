"""What the tests of subtle faults add to the time of the battery, as ratios within one run.

    taskset -c 0 python -m benchmarks.bench_battery [--rounds N] [--small]

Older tests alone and the whole battery are measured alternately on the same sample, and the best round of each
counts. What is kept between samples of the same range (the lattices of known generators) is thrown away before each
round. ``--tree FOLDER`` measures the whole battery of another checkout too, in processes of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from rng.battery import cards, from_bytes, sequences
from rng.battery.planted.good import aes_ctr
from rng.battery.sp800_22.battery import run_both
from rng.draws import deal_decks
from rng.streams import stream
from rng.uniform import many_below

Work = Callable[[], Any]
MOST = 1.5
KINDS = ("decks", "draws", "bits")
OTHER = """
import sys, time
sys.argv = ["x", *sys.argv[1:]]
from rng.battery import cards, sequences
from rng.battery.bits import from_bytes
from rng.battery.sp800_22.battery import run_both
from rng.battery.planted.good import aes_ctr
from rng.draws import deal_decks
from rng.streams import stream
from rng.uniform import many_below
kind, share = sys.argv[1], int(sys.argv[2])
source = stream(bytes(32), "battery-calibration", 0)
if kind == "decks":
    rows = deal_decks(source, 200_000 // share, 40); work = lambda: cards.run(rows)
elif kind == "draws":
    rows = many_below(source, 40, 1_000_000 // share); work = lambda: sequences.run(rows, 40)
else:
    bits = from_bytes(aes_ctr(1, 312_500 // share).tobytes()); work = lambda: run_both(bits)
best = float("inf")
work()
for _ in range(3):
    start = time.process_time(); work(); best = min(best, time.process_time() - start)
print(best)
"""


def older(kind: str) -> list[str]:
    """Names of the tests that the battery had before."""
    from benchmarks.power_table import NEW

    if kind == "decks":
        return [name for name in cards.NAMES if name not in NEW["cards"]]
    return [name for name in sequences.NAMES if name not in NEW["sequences"]]


def works(kind: str, share: int) -> tuple[Work, Work]:
    """The older tests and the whole battery on the same sample."""
    source = stream(bytes(32), "battery-calibration", 0)
    if kind == "decks":
        decks = deal_decks(source, 200_000 // share, 40)
        return lambda: cards.run(decks, older("decks")), lambda: cards.run(decks)
    if kind == "draws":
        draws = many_below(source, 40, 1_000_000 // share)
        return lambda: sequences.run(draws, 40, older("draws")), lambda: sequences.run(draws, 40)
    from rng.battery import whole_stream

    bits = from_bytes(aes_ctr(1, 312_500 // share).tobytes())
    return lambda: run_both(bits), lambda: (run_both(bits), whole_stream.run(bits))


def forget() -> None:
    """Throws away what is kept between samples."""
    from rng.battery.sequences import congruential, linear

    congruential._lattice.cache_clear()
    linear.equations.cache_clear()


def ratio(kind: str, rounds: int, share: int = 1) -> tuple[float, float]:
    """Seconds of the older tests and of all: the best of so many rounds, taken in turn."""
    pair = works(kind, share)
    best = [float("inf"), float("inf")]
    for work in pair:
        work()
    for _ in range(rounds):
        for place, work in enumerate(pair):
            forget()
            start = time.process_time()
            work()
            best[place] = min(best[place], time.process_time() - start)
    return best[0], best[1]


def elsewhere(kind: str, share: int, tree: str) -> float:
    """Seconds of the whole battery of another checkout."""
    done = subprocess.run(
        [sys.executable, "-c", OTHER, kind, str(share)],
        env={**os.environ, "PYTHONPATH": tree},
        cwd=tree,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="A tenth of each sample.")
    parser.add_argument("--tree", help="A checkout of the battery before.")
    options = parser.parse_args()
    share = 10 if options.small else 1
    for kind in KINDS:
        before, after = ratio(kind, options.rounds, share)
        words = f"{kind:6} older tests {before:6.2f} s, all {after:6.2f} s: {after / before:.2f}"
        if options.tree:
            then = elsewhere(kind, share, options.tree)
            words += f"; the battery before {then:.2f} s: {after / then:.2f}"
        print(words, flush=True)
    print(f"wanted: at most {MOST}")


if __name__ == "__main__":
    main()
