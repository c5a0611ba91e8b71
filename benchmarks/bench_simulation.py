"""Rounds per second of the table of 7 e Mezzo beside C and its plain-Python twin, on the same decks in the same run.

    .venv/bin/python benchmarks/bench_simulation.py [--decks 1000000] [--repeats 7] [--json]

C is benchmarks/c/sette_e_mezzo.c, compiled here with ``gcc -O3 -march=native``. Both play the very
same decks under the same rules and strategy, and the run stops unless their joint counts are equal. Each
rate is the best of the repeats on one core; dealing is timed apart and then with the kernel (end to end).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import prod
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from certify.families.sette_e_mezzo.rules import (
    BUST,
    COMBINATIONS,
    KING_SEVEN_AND_A_HALF,
    LOSE,
    NO_SECOND_CARD,
    NOT_UNCOVERED,
    PAIR_ACE_TO_SIX,
    PAIR_OF_FACES,
    PAIR_OF_SEVENS,
    PUSH,
    WAGER_IDS,
    WIN,
    HitTable,
    PairCondition,
    SetteEMezzoRules,
    Tie,
    hit_table,
)
from certify.mathematics import exact_of
from certify.model.joint_counts import JointCounts
from certify.simulation import StreamDecks
from certify.simulation.volume import volume_of
from certify.submission import read_game

GAME = Path(__file__).parents[1] / "fixtures/games/playtech-7-e-mezzo/game.toml"
SOURCE = Path(__file__).parent / "c" / "sette_e_mezzo.c"
RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)
WEIGHTS = (1, 5, 25, 125, 625, 3125, 15625, 78125, 937500)
OUTCOMES = (
    (KING_SEVEN_AND_A_HALF, WIN, PUSH, LOSE, BUST),
    (PAIR_OF_SEVENS, PAIR_OF_FACES, PAIR_ACE_TO_SIX, NOT_UNCOVERED, LOSE),
    (*COMBINATIONS, NO_SECOND_CARD, LOSE),
)
"""Outcomes of the three wagers in the order in which the C source numbers them."""
Counts = dict[tuple[str, ...], int]


class CRules(ctypes.Structure):
    """The struct rules_t of the C source."""

    _fields_ = [
        (name, ctypes.c_int)
        for name in (
            "tie_pushes",
            "king_beats_dealer",
            "dealer_stands_on",
            "player_draws_on_first_face",
            "dealer_draws_on_first_face",
            "dealer_chases",
            "must_uncover",
        )
    ]


def build(folder: Path) -> ctypes.CDLL:
    """Compiles the C source and loads it."""
    library = folder / "sette_e_mezzo.so"
    command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def c_rounds(library: ctypes.CDLL, decks: NDArray[np.uint8], strategy: HitTable) -> Callable[[], Counts]:
    """Returns the call that plays the decks round by round in C."""
    draws = np.zeros(2 * WEIGHTS[-1], dtype=np.uint8)
    for hand in strategy.draws:
        draws[sum(held * weight for held, weight in zip(hand, WEIGHTS, strict=True))] = 1
    rules = CRules(
        RULES.tie is Tie.PUSH,
        RULES.king_wins_against_dealer_seven_and_a_half,
        RULES.dealer_stands_on,
        RULES.player_draws_on_first_face,
        RULES.dealer_draws_on_first_face,
        RULES.dealer_chases_seven_and_a_half,
        RULES.pair_condition is PairCondition.DEALER_MUST_UNCOVER,
    )

    def call() -> Counts:
        counts = np.zeros(prod(map(len, OUTCOMES)), dtype=np.int64)
        library.count_rounds(
            ctypes.c_void_p(decks.ctypes.data),
            ctypes.c_size_t(len(decks)),
            ctypes.c_void_p(draws.ctypes.data),
            ctypes.byref(rules),
            ctypes.c_void_p(counts.ctypes.data),
        )
        return {ends: int(n) for ends, n in zip(product(*OUTCOMES), counts, strict=True) if n}

    return call


def best(call: Callable[[], Counts], repeats: int) -> tuple[float, Counts]:
    """Returns the shortest time of several calls, and what the call returned."""
    counts, shortest = call(), float("inf")
    for _ in range(repeats):
        start = perf_counter()
        counts = call()
        shortest = min(shortest, perf_counter() - start)
    return shortest, counts


def measure(decks_count: int, repeats: int) -> dict[str, float]:
    """Measures every way of playing and returns rounds per second by name.

    Raises:
        SystemExit: Two of them did not count the same outcomes.
    """
    game = replace(read_game(GAME), rules=RULES)
    strategy = exact_of(game).analyze(game, "stand-on:4.5").strategy
    counter = volume_of(game).counter(game, strategy)
    source = StreamDecks.of(game, bytes(range(32)))
    source.deal(1, 1000)
    start = perf_counter()
    decks = source.deal(0, decks_count)
    rates = {"dealing by rng": decks_count / (perf_counter() - start)}
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, Callable[[], Counts]] = {
            "kernel": lambda: named(counter.count(decks)),
            "C, round by round": c_rounds(build(Path(folder)), decks, hit_table(strategy)),
        }
        reference: Counts | None = None
        for name, call in ways.items():
            seconds, counts = best(call, repeats)
            rates[name] = decks_count / seconds
            if reference is not None and counts != reference:
                raise SystemExit(f"{name} and the kernel count different outcomes on the same decks")
            reference = counts
    few = decks[: min(decks_count, 20_000)]
    start = perf_counter()
    ended = counter.twin(few)
    rates["twin in plain Python"] = len(few) / (perf_counter() - start)
    if ended != counter.outcomes(few):
        raise SystemExit("the twin and the kernel differ on the same decks")
    start = perf_counter()
    source.rounds(2, decks_count).count(counter, decks_count)
    rates["end to end, drawn as far as looked at"] = decks_count / (perf_counter() - start)
    return rates


def named(counts: JointCounts) -> Counts:
    """Returns how often each joint outcome occurred, by the outcomes of the wagers in the order of OUTCOMES."""
    places = [[wager for wager, _ in counts.axes].index(one) for one in WAGER_IDS]
    return {tuple(ends[place] for place in places): n for ends, n in counts.outcomes() if n}


def main() -> None:
    """Prints the rates and the ratios of the kernel to the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rates = measure(arguments.decks, arguments.repeats)
    if arguments.json:
        json.dump({name: round(rate) for name, rate in rates.items()}, sys.stdout, indent=1)
        print()
        return
    print(f"{arguments.decks} rounds, one core, best of {arguments.repeats}; equal joint counts everywhere\n")
    print(f"{'':40}{'rounds/s':>14}{'kernel is':>14}")
    for name, rate in rates.items():
        print(f"{name:40}{rate:14,.0f}{rates['kernel'] / rate:13.2f}×")


if __name__ == "__main__":
    main()
