"""Rounds per second of play-through by table, dealing included, beside other ways of the same game in the same run.

    .venv/bin/python benchmarks/bench_table_play.py [--rounds 400000] [--repeats 10] [--game ID]... [--json]

One core, processor time of the thread, the ways taken by turns and the best of the repeats of each. Ours draws from
CTR_DRBG streams by the byte-consumption rule, plays the table that is derived from the game's text, or from its
reference round where it is not written in stages, and counts all wagers jointly. Beside it: the kernel that a family
still brings by hand, on the same words; the same table on whole rows; and benchmarks/lazy_peer.py, ordinary loops on
xoshiro256++ that settle the main wager only. The run stops unless the joint counts of all of ours are equal and the
outcomes of the main wager are as frequent in the peer. Wanted: 0.9 of a kernel by hand, 0.75 of the peer.
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
from numpy.typing import NDArray
from walked_tables import walked

from certify.mathematics import analyze
from certify.model.game import Game
from certify.model.strategy import Strategy
from certify.simulation import StreamDecks, TableCounter, volume_of
from certify.submission import read_game

GAMES = Path(__file__).parents[1] / "fixtures/games"
SEED = bytes(range(32))
OURS, HAND, WHOLE, PEER = "table", "kernel by hand", "table, whole rows", "peer: numba loop, xoshiro256++"
DEFAULT = ("baccarat-punto-banco", "baccarat-ez", "craps", "us5632489-casino", "sic-bo", "playtech-7-e-mezzo")

Peer = Callable[[NDArray[np.uint64], int], NDArray[np.int64]]
PEERS: dict[str, tuple[Peer, tuple[str, ...]]] = {
    "baccarat-punto-banco": (lazy_peer.play_punto_banco, ("lose", "push", "win")),
    "playtech-7-e-mezzo": (
        lambda state, rounds: lazy_peer.play(state, rounds, lazy_peer.HANDS, lazy_peer.TOTALS),
        ("bust", "win", "lose", "king-of-denari-seven-and-a-half"),
    ),
}
"""Peers with the outcomes of the main wager that they count, in order."""


def table_of(game: Game, strategy: Strategy) -> TableCounter:
    """Returns what plays the table of a game."""
    family = game.port
    if family.text is None:
        return TableCounter.of(walked(family.reference(game), strategy), [one.id for one in game.wagers])
    counter = volume_of(game).counter(game, strategy)
    if not isinstance(counter, TableCounter):
        raise SystemExit(f"{game.id} is not played by a table")
    return counter


def strategy_of(game: Game) -> Strategy:
    """Returns the strategy that is played: the one of the peer where there is one, else the best."""
    if game.family == "sette-e-mezzo":
        return analyze(game, "stand-on:4.5").strategy
    return analyze(game).strategy


def ways_of(game: Game, rounds: int) -> dict[str, Callable[[int], object]]:
    """Returns the ways of playing a game, compared before they are measured.

    Raises:
        SystemExit: Two ways do not play the same game.
    """
    strategy, source, family = strategy_of(game), StreamDecks.of(game, SEED), game.port
    ours = table_of(game, strategy)
    few = 2_000
    played, starts = ours.play_rounds(source.words(0), few)
    rows = source.whole(0, starts)
    if played != ours.twin(rows) or played != ours.outcomes(rows):
        raise SystemExit(f"{game.id}: the table, its twin and the table on whole rows differ")
    ways: dict[str, Callable[[int], object]] = {
        OURS: lambda turn: ours.count_rounds(source.words(turn), rounds),
        WHOLE: lambda turn: ours.count(source.deal(turn, rounds)),
    }
    many = 1_000_000
    counted = ours.count_rounds(source.words(1), many).wager(game.wagers[0].id)
    if family.volume is not None:
        hand = family.volume.counter(game, strategy)
        ways[HAND] = lambda turn: source.rounds(turn, rounds).count(hand, rounds)
        for wager, counts in source.rounds(1, many).count(hand, many).marginals().items():
            mine = ours.count_rounds(source.words(1), many).wager(wager)
            if {outcome: count for outcome, count in counts.items() if count} != mine:
                raise SystemExit(f"{game.id}, {wager}: the table and the kernel by hand count otherwise")
    if game.id in PEERS:
        peer, outcomes = PEERS[game.id]
        theirs = peer(np.array([1, 2, 3, 4], np.uint64), many)
        mine = np.array([counted[outcome] for outcome in outcomes])
        if (np.abs(mine - theirs) > 5 * np.sqrt(mine + theirs)).any():
            raise SystemExit(f"the peer plays another game: {theirs.tolist()} against {mine.tolist()}")
        state = np.array([5, 6, 7, 8], np.uint64)
        ways[PEER] = lambda turn: peer(state, rounds)
    return ways


def measure(game: Game, rounds: int, repeats: int) -> dict[str, float]:
    """Returns rounds per second of each way of playing a game."""
    ways = ways_of(game, rounds)
    best = dict.fromkeys(ways, float("inf"))
    for turn in range(repeats):
        for name, call in ways.items():
            start = thread_time()
            call(turn + 2)
            best[name] = min(best[name], thread_time() - start)
    return {name: rounds / seconds for name, seconds in best.items()}


def main() -> None:
    """Prints the rates and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400_000)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--game", action="append", default=[], metavar="ID")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = {
        name: measure(read_game(GAMES / name / "game.toml"), asked.rounds, asked.repeats)
        for name in asked.game or DEFAULT
    }
    if asked.json:
        json.dump(
            {game: {name: round(rate) for name, rate in rates.items()} for game, rates in found.items()},
            sys.stdout,
            indent=1,
        )
        print()
        return
    print(f"{asked.rounds} rounds, one core, best of {asked.repeats}; equal counts checked first\n")
    print(f"{'':22}{'':34}{'rounds/s':>14}{'table is':>12}")
    for game, rates in found.items():
        for name, rate in rates.items():
            print(f"{game:22}{name:34}{rate:14,.0f}{rates[OURS] / rate:11.2f}×")


if __name__ == "__main__":
    main()
