"""Play-through of three card poker beside a plain loop in C in the same run.

    .venv/bin/python benchmarks/bench_three_card.py [--rounds 2000000] [--repeats 3]

One core, processor time, the best of the repeats of each. The peer is benchmarks/c/three_card.c, compiled here with
``gcc -O3 -march=native``: the same hands are played, and the net results of the ante alone are added up; ours names how
all three wagers ended, from words that are audited. The run stops unless the mean of both is the exact return.
"""

from __future__ import annotations

import argparse
import ctypes
from time import process_time

from bench_blackjack import ROOT, library

from certify.mathematics import analyze, return_of
from certify.simulation import StreamDecks, volume_of
from certify.submission import read_game

GAME = read_game(ROOT / "fixtures/games/three-card-poker/game.toml")
MAIN = "ante-play"


def main() -> None:
    """Measures and prints.

    Raises:
        SystemExit: A mean is not the exact return.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    strategy, volume = analyze(GAME).strategy, volume_of(GAME)
    counter, source = volume.counter(GAME, strategy), StreamDecks.of(GAME, bytes(32))
    peer, squares = library("three_card").three_card, ctypes.c_int64()
    source.rounds(0, 1_000).count(counter, 1_000)
    exact, ours, theirs = float(return_of(GAME, strategy, MAIN)) - 1, [], []
    for turn in range(asked.repeats):
        begun = process_time()
        counted = source.rounds(turn + 1, asked.rounds).count(counter, asked.rounds)
        between = process_time()
        antes = peer(ctypes.c_int64(asked.rounds), ctypes.c_uint64(turn), ctypes.byref(squares))
        ours.append(between - begun)
        theirs.append(process_time() - between)
        mine = sum(float(volume.net(GAME, MAIN, end)) * many for end, many in counted.wager(MAIN).items())
        for mean in (mine / asked.rounds, antes / asked.rounds):
            if abs(mean - exact) > 5 * (squares.value / asked.rounds**2) ** 0.5:
                raise SystemExit(f"a mean of {mean:.6f}, {exact:.6f} expected")
    rate, other = (asked.rounds / min(times) / 1e6 for times in (ours, theirs))
    print(f"three card poker: {rate:.2f} M rounds/s; plain C {other:.2f} M; ratio {rate / other:.2f}")


if __name__ == "__main__":
    main()
