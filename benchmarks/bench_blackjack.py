"""Play-through of blackjack beside a plain loop in C in the same run.

    .venv/bin/python benchmarks/bench_blackjack.py [--rounds 2000000] [--repeats 3] [--learned 20000000]

One core, processor time, the best of the repeats of each. The peer is benchmarks/c/blackjack.c, compiled here with
``gcc -O3 -march=native``: the same six decks without a hole card, the same card by totals, its net results alone; ours
names how each round ended, from words that are audited. The run stops unless the mean of both is the exact return.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import cast

from certify.families.blackjack.exact.strategies import card_of
from certify.families.blackjack.exact.terms import terms_of
from certify.families.blackjack.volume.port import BlackjackVolume, DrawingCounter
from certify.mathematics import return_of
from certify.simulation import StreamDecks
from certify.submission import read_game

ROOT = Path(__file__).parents[1]
_GAME = read_game(ROOT / "fixtures/games/blackjack-no-hole-card/game.toml")
GAME = replace(_GAME, wagers=_GAME.wagers[:1])
PLAYS = {"S": 0, "H": 1, "D": 2, "Dh": 2, "Ds": 3}


def library(name: str) -> ctypes.CDLL:
    """Returns a peer, compiled for this machine; it is the function of that name in the file of that name."""
    source = ROOT / f"benchmarks/c/{name}.c"
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / f"{name}.so"
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(built), str(source)], check=True
        )
        found = ctypes.CDLL(str(built))
        getattr(found, name).restype = ctypes.c_int64
        return found


def main() -> None:
    """Measures and prints.

    Raises:
        SystemExit: A mean is not the exact return.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--learned", type=int, default=20_000_000, help="rounds that are played before")
    asked = parser.parse_args()
    strategy, volume = card_of(terms_of(GAME)), BlackjackVolume()
    lines = ((ctypes.c_int8 * 11) * 22 * 2)()
    for soft, totals in enumerate((strategy.hard, strategy.soft)):
        for total, letters in totals:
            for up, letter in enumerate(letters):
                lines[soft][total][up + 1] = PLAYS[letter]
    splits = ((ctypes.c_int8 * 11) * 11)()
    for value, letters in strategy.pairs:
        for up, letter in enumerate(letters):
            splits[value + 1][up + 1] = letter == "P"
    values = [min(rank, 10) for rank in range(1, 14)] * 24
    shoe, squares, peer = (
        (ctypes.c_int8 * len(values))(*values),
        ctypes.c_int64(),
        library("blackjack").blackjack,
    )
    counter, words = cast(DrawingCounter, volume.counter(GAME, strategy)), StreamDecks.of(GAME, bytes(32))
    # What the tables hold is learned by the first rounds: later ones come to little that is new.
    counter.count_rounds(words.words(0), asked.learned)
    exact, ours, theirs = float(return_of(GAME, strategy, "main")) - 1, [], []
    for turn in range(asked.repeats):
        begun = process_time()
        counted = counter.count_rounds(words.words(turn + 1), asked.rounds)
        between = process_time()
        halves = peer(
            shoe, len(values), lines, splits, ctypes.c_int64(asked.rounds), turn, ctypes.byref(squares)
        )
        ours.append(between - begun)
        theirs.append(process_time() - between)
        mine = sum(float(volume.net(GAME, "main", ends[0])) * many for ends, many in counted.outcomes())
        for mean in (mine / asked.rounds, halves / 2 / asked.rounds):
            if abs(mean - exact) > 5 * (squares.value / 4 / asked.rounds**2) ** 0.5:
                raise SystemExit(f"a mean of {mean:.6f}, {exact:.6f} expected")
    rate, other = (asked.rounds / min(times) / 1e6 for times in (ours, theirs))
    print(f"blackjack: {rate:.2f} M rounds/s; plain C {other:.2f} M; ratio {rate / other:.2f}")


if __name__ == "__main__":
    main()
