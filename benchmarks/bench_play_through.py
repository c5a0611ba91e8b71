"""Rounds per second of play-through, dealing included, beside an ordinary lazy loop in the same run.

    .venv/bin/python benchmarks/bench_play_through.py [--rounds 400000] [--repeats 40] [--json]

One core, processor time of the thread, the ways taken by turns and the best of the repeats of each. Ours draws
from CTR_DRBG streams by the byte-consumption rule and settles all three wagers under any strategy table; the
peer is benchmarks/lazy_peer.py: xoshiro256++, the main wager only, stand on 4½. The run stops unless
the outcomes of the main wager are as frequent in both, the rounds dealt card by card are those of their whole
decks, and the totals are those of the plain twin. Wanted: at least 0.75 of the peer, 3 times whole decks.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import lazy_peer
import numpy as np

from certify.families.sette_e_mezzo.rules import SetteEMezzoRules
from certify.families.sette_e_mezzo.volume import kernel, twin
from certify.families.sette_e_mezzo.volume.outcomes import MAIN_BUST, MAIN_KING, MAIN_LOSE, MAIN_WIN
from certify.families.sette_e_mezzo.volume.strategies import stand_on
from certify.families.sette_e_mezzo.volume.tables import compile_tables
from certify.simulation import StreamDecks
from certify.submission import read_game

GAME = Path(__file__).parents[1] / "fixtures/games/playtech-7-e-mezzo/game.toml"
RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)
SOURCE = StreamDecks.of(read_game(GAME), bytes(range(32)))
STRATEGY = stand_on(9)
TABLES = compile_tables(STRATEGY, RULES)
OURS, PEER, WHOLE = "ours, card by card", "peer: numba loop, xoshiro256++", "ours, whole decks"


def check(rounds: int) -> None:
    """Compares what is measured before it is measured.

    Raises:
        SystemExit: Two ways do not play the same game.
    """
    few = min(rounds, 5_000)
    codes, starts = kernel.play_rounds(SOURCE.words(0), few, TABLES)
    if not np.array_equal(codes, twin.play_rounds(SOURCE.words(0), few, STRATEGY, RULES)):
        raise SystemExit("kernel and twin differ on rounds dealt card by card")
    if not np.array_equal(codes, kernel.play(SOURCE.whole(0, starts), TABLES)):
        raise SystemExit("rounds dealt card by card are not those of their whole decks")
    many = 2_000_000
    main = kernel.count_rounds(SOURCE.words(1), many, TABLES).sum(axis=(1, 2))
    ours = main[[MAIN_BUST, MAIN_WIN, MAIN_LOSE, MAIN_KING]]
    theirs = lazy_peer.play(np.array([1, 2, 3, 4], np.uint64), many, lazy_peer.HANDS, lazy_peer.TOTALS)
    if (np.abs(ours - theirs) > 5 * np.sqrt(ours + theirs)).any():
        raise SystemExit(f"the peer plays another game: {theirs.tolist()} against {ours.tolist()}")


def measure(rounds: int, repeats: int) -> dict[str, float]:
    """Returns rounds per second of each way."""
    state = np.array([5, 6, 7, 8], np.uint64)
    words = SOURCE.words(2)
    ways: dict[str, Callable[[int], object]] = {
        OURS: lambda _: kernel.count_rounds(words, rounds, TABLES),
        PEER: lambda _: lazy_peer.play(state, rounds, lazy_peer.HANDS, lazy_peer.TOTALS),
        WHOLE: lambda turn: kernel.count(SOURCE.deal(3 + turn, rounds), TABLES),
    }
    best = dict.fromkeys(ways, float("inf"))
    for turn in range(repeats):
        for name, call in ways.items():
            start = thread_time()
            call(turn)
            best[name] = min(best[name], thread_time() - start)
    return {name: rounds / seconds for name, seconds in best.items()}


def main() -> None:
    """Prints the rates and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400_000)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    check(arguments.rounds)
    rates = measure(arguments.rounds, arguments.repeats)
    if arguments.json:
        json.dump({name: round(rate) for name, rate in rates.items()}, sys.stdout, indent=1)
        print()
        return
    print(f"{arguments.rounds} rounds, one core, best of {arguments.repeats}; equal outcomes checked first\n")
    print(f"{'':34}{'rounds/s':>14}{'ours is':>12}")
    for name, rate in rates.items():
        print(f"{name:34}{rate:14,.0f}{rates[OURS] / rate:11.2f}×")


if __name__ == "__main__":
    main()
