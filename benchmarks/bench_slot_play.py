"""Base games per second of a slot of five reels, three rows and twenty lines, beside a C loop on the same rounds.

    .venv/bin/python benchmarks/bench_slot_play.py [--rounds 4000000] [--repeats 5] [--json]

C is benchmarks/c/slot_lines.c, compiled here with ``gcc -O3 -march=native``; it is handed ready stops. The kernel makes
its stops from the words of a stream, words included, and tells rounds by outcome with what every row won. The run stops
unless both come to the same coins and the same number of wins. Processor time of one core, the best of the repeats.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from certify.families.slot.random_elements import pieces_of
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.volume.port import SlotCounter
from certify.simulation import StreamDecks
from certify.submission import read_game

ROOT = Path(__file__).parents[1]
SOURCE = Path(__file__).parent / "c" / "slot_lines.c"
LINES = (
    "22222 11111 33333 12321 32123 23332 21112 33211 11233 32221 "
    "12221 32223 21212 23232 11211 33233 12121 32323 22122 22322"
)
SEED = bytes(32)


def main() -> None:
    """Prints both rates and their ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=4_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    stated = rules_of(read_game(ROOT / "fixtures/games/slot-lines/game.toml"))
    lines = tuple(tuple(int(row) - 1 for row in line) for line in LINES.split())
    rules = replace(stated, lines=lines, cost=len(lines))
    counter, source = SlotCounter(rules, "main"), StreamDecks(SEED, pieces_of(rules))
    counter.count_rounds(source.words(0), 1_000)
    kernel, counted = best(asked.repeats, lambda: counter.count_rounds(source.words(0), asked.rounds))
    totals = counted.totals_of("main")
    told: dict[str, Any] = {
        "rounds": asked.rounds,
        "kernel_per_second": asked.rounds / kernel,
    }
    if shutil.which("gcc") is None:
        print("no gcc on this machine: the kernel is timed alone")
    else:
        stops = stops_of(source, counter, asked.rounds)
        peer, (coins, wins) = best(asked.repeats, c_loop(rules, stops))
        nothing = counted.wager("main")["nothing"]
        won = sum(award.amount for award in totals.awards) // (totals.unit // rules.cost)
        if (coins, wins) != (won, asked.rounds - nothing):
            raise SystemExit(
                f"C wins {coins} coins in {wins} rounds, the kernel {won} in {asked.rounds - nothing}"
            )
        told |= {"c_per_second": asked.rounds / peer, "ratio_to_c": peer / kernel}
    if asked.json:
        print(json.dumps(told))
        return
    for name, value in told.items():
        print(f"{name}: {value:,.2f}")


def best(repeats: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Returns the least processor time of the repeats, and what the work returns."""
    times, found = [], None
    for _ in range(repeats):
        begun = time.process_time()
        found = work()
        times.append(time.process_time() - begun)
    return min(times), found


def stops_of(source: StreamDecks, counter: SlotCounter, rounds: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Returns the stops of the rounds that the kernel played."""
    _, starts = counter.play_rounds(source.words(0), rounds)
    return np.ascontiguousarray(source.whole(0, starts), dtype=np.int32)


def c_loop(rules: SlotRules, stops: np.ndarray[Any, np.dtype[np.int32]]) -> Callable[[], tuple[int, int]]:
    """Returns the C loop on ready stops: it gives coins and wins."""
    reels = rules.strip_set("base").reels
    names = list(rules.symbols)
    longest = max(len(reel.symbols) for reel in reels)
    strips = np.zeros((5, longest), dtype=np.int32)
    for place, reel in enumerate(reels):
        strips[place, : len(reel.symbols)] = [names.index(name) for name in reel.symbols]
    sizes = np.array([len(reel.symbols) for reel in reels], dtype=np.int32)
    lines = np.array(rules.lines, dtype=np.int32)
    pays = np.zeros((len(names), 6), dtype=np.int64)
    for pay in rules.line_pays:
        pays[names.index(pay.symbols[0]), 1 : len(pay.pays) + 1] = pay.pays
    (scatter,) = rules.scatter_pays
    by_count = np.zeros(16, dtype=np.int64)
    by_count[1 : len(scatter.pays) + 1] = scatter.pays
    by_count[len(scatter.pays) + 1 :] = scatter.pays[-1]
    by_count *= rules.cost
    built = Path(tempfile.mkdtemp()) / "slot_lines.so"
    subprocess.run(
        ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(built), str(SOURCE)], check=True
    )
    play = ctypes.CDLL(str(built)).play
    play.restype = ctypes.c_int64
    hits = ctypes.c_int64()
    symbol = names.index(scatter.symbols[0])

    def run() -> tuple[int, int]:
        at = [one.ctypes.data_as(ctypes.c_void_p) for one in (stops, strips, sizes, lines, pays, by_count)]
        coins = play(
            at[0], ctypes.c_int64(len(stops)), at[1], at[2], longest, at[3], len(lines), at[4], len(names),
            symbol, at[5], ctypes.byref(hits),
        )  # fmt: skip
        return int(coins), int(hits.value)

    return run


if __name__ == "__main__":
    main()
