"""Rounds per second of play-through, beside a plain loop in C of the same game in the same run.

    .venv/bin/python benchmarks/bench_play.py [--rounds 2000000] [--repeats 3] [--learned 0] [GAME]...

One core, processor time, both by turns and the best of the repeats of each. A loop is in benchmarks/c, compiled here
with ``gcc -O3 -march=native``: it draws words of SplitMix64 and adds up net results of the main wager. Ours names how
all wagers ended, from words that are audited. The run stops unless the means of both are the exact return.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.exact.strategies import card_of
from certify.families.blackjack.exact.terms import terms_of
from certify.families.caribbean_stud.rules import HANDS, THREE_RULES
from certify.families.slot.rules import rules_of
from certify.mathematics import analyze, return_of
from certify.model import MAIN_OPTIMAL, Game, Strategy
from certify.simulation import StreamDecks, volume_of
from certify.submission import read_game

ROOT = Path(__file__).parents[1]
STAND_ON_5 = "stand-on:5 against stand-on:5"
PLAYS = {"S": 0, "H": 1, "D": 2, "Dh": 2, "Ds": 3}


@dataclass(frozen=True)
class Played:
    """A game with the loop that plays it.

    Args:
        game: What ours plays.
        strategy: How.
        loop: Name of the function in C, and of its file.
        given: Its first arguments.
        units: Units of its results in one stake.
        staked: Stakes in each of its results: one where they are what comes back.
        plays: Name of the strategy of the loop, where it is another one.
    """

    game: Game
    strategy: Strategy
    loop: str
    given: tuple[Any, ...]
    units: int = 1
    staked: int = 0
    plays: str = ""


def fixture(name: str) -> Game:
    """Returns a submitted game."""
    return read_game(ROOT / f"fixtures/games/{name}/game.toml")


def blackjack() -> Played:
    """Returns the main wager on six decks without a hole card, by the best card of totals."""
    stated = fixture("blackjack-no-hole-card")
    game = replace(stated, wagers=stated.wagers[:1])
    card = card_of(terms_of(game))
    lines, splits = np.zeros((2, 22, 11), np.int8), np.zeros((11, 11), np.int8)
    for soft, totals in enumerate((card.hard, card.soft)):
        for total, letters in totals:
            lines[soft, total, 1:] = [PLAYS[letter] for letter in letters]
    for value, letters in card.pairs:
        splits[value + 1, 1:] = [letter == "P" for letter in letters]
    shoe = np.array([min(rank, 10) for rank in range(1, 14)] * 24, np.uint8)
    return Played(game, card, "blackjack", (shoe, len(shoe), lines, splits), units=2)


def three_card() -> Played:
    """Returns three card poker, by best play."""
    game = fixture("three-card-poker")
    return Played(game, analyze(game).strategy, "three_card", ())


def caribbean_stud(strategy: str) -> Played:
    """Returns Caribbean stud; the loop raises by the three printed rules."""
    game = fixture("caribbean-stud")
    pays = game.wagers[0].paytable.pays
    by_kind = [pays("win")] * 2 + [pays(row) for row in reversed(HANDS)]
    given = (np.array(by_kind, np.int64),)
    return Played(game, analyze(game, strategy).strategy, "caribbean_stud", given, plays=THREE_RULES)


def free_bank(strategy: str) -> Played:
    """Returns sette e mezzo; in the loop both stand on five."""
    game = fixture("sette-e-mezzo")
    return Played(game, analyze(game, strategy).strategy, "free_bank", (10, 10), plays=STAND_ON_5)


def slot(name: str) -> Played:
    """Returns a slot of lines or ways with its strips and pays."""
    game = fixture(name)
    rules = rules_of(game)
    reels, names = rules.strip_set(rules.stage("base").strips).reels, list(rules.symbols)
    strips = np.zeros((5, max(len(reel.symbols) for reel in reels)), np.uint8)
    pays, counted = np.zeros((16, 6), np.int64), np.zeros((3, 6), np.int64)
    for place, reel in enumerate(reels):
        strips[place, : len(reel.symbols)] = [names.index(symbol) for symbol in reel.symbols]
    for pay in rules.line_pays:
        pays[names.index(pay.symbols[0]), 1:] = pay.pays
    (scatter,) = rules.scatter_pays
    counted[0, 1:] = np.array(scatter.pays) * (1 if rules.ways else rules.cost)
    for series in rules.free_games:
        counted[1:, 1:] = series.trigger.starts, series.again
    sizes, star = [len(reel.symbols) for reel in reels], names.index(scatter.symbols[0])
    begun = [strips.shape[1], *([len(names), names.index("wild"), star] if rules.ways else [star])]
    laid = np.array([*begun, *sizes, *pays.ravel(), *counted[: 3 if rules.ways else 1].ravel()], np.int64)
    lines = () if rules.ways else (np.array(rules.lines, np.uint8), len(rules.lines))
    loop = "slot_ways" if rules.ways else "slot_lines"
    return Played(game, analyze(game).strategy, loop, (laid, strips, *lines), units=rules.cost, staked=1)


GAMES: dict[str, Callable[[], Played]] = {
    "blackjack": blackjack,
    "three-card-poker": three_card,
    "caribbean-stud": lambda: caribbean_stud(THREE_RULES),
    "caribbean-stud, best play": lambda: caribbean_stud(MAIN_OPTIMAL),
    "sette-e-mezzo": lambda: free_bank(STAND_ON_5),
    "sette-e-mezzo, equilibrium": lambda: free_bank("equilibrium against equilibrium"),
    "slot-lines": lambda: slot("slot-lines"),
    "slot-ways": lambda: slot("slot-ways"),
}


def loop_of(played: Played) -> Callable[[int, int], tuple[float, float]]:
    """Returns the loop, compiled for this machine: by rounds and seed the mean, and the variance of a round."""
    with tempfile.TemporaryDirectory() as folder:
        built, source = Path(folder) / "loop.so", ROOT / f"benchmarks/c/{played.loop}.c"
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(built), str(source)], check=True
        )
        found = getattr(ctypes.CDLL(str(built)), played.loop)
    found.restype, squares = ctypes.c_int64, ctypes.c_int64()

    def call(rounds: int, seed: int) -> tuple[float, float]:
        given = [_argument(one) for one in (*played.given, rounds, seed)]
        mean = found(*given, ctypes.byref(squares)) / rounds / played.units
        return mean - played.staked, squares.value / played.units**2 / rounds - mean**2

    return call


def _argument(one: int | NDArray[Any]) -> Any:
    return ctypes.c_int64(one) if isinstance(one, int) else ctypes.c_void_p(one.ctypes.data)


def measure(played: Played, rounds: int, repeats: int, learned: int) -> tuple[float, float]:
    """Returns rounds per second of ours and of the loop.

    Raises:
        SystemExit: A mean is not the exact return.
    """
    game, main, volume = played.game, played.game.wagers[0].id, volume_of(played.game)
    counter, source, loop = (
        volume.counter(game, played.strategy),
        StreamDecks.of(game, bytes(32)),
        loop_of(played),
    )
    source.rounds(0, 1_000 + learned).count(counter, 1_000 + learned)
    lowest = [float("inf")] * 2
    exact = [
        float(return_of(game, by, main)) - 1 for by in (played.strategy, played.plays or played.strategy)
    ]
    for turn in range(1, repeats + 1):
        begun = process_time()
        counted = source.rounds(turn, rounds).count(counter, rounds)
        between = process_time()
        theirs, variance = loop(rounds, turn)
        lowest = [min(lowest[0], between - begun), min(lowest[1], process_time() - between)]
        if counted.totals:
            mine = float(counted.totals_of(main).net)
        else:
            mine = sum(float(volume.net(game, main, end)) * many for end, many in counted.wager(main).items())
        for mean, wanted in zip((mine / rounds, theirs), exact, strict=True):
            if abs(mean - wanted) > 5 * (variance / rounds) ** 0.5:
                raise SystemExit(f"{game.id}: a mean of {mean:.6f}, {wanted:.6f} expected")
    return rounds / lowest[0], rounds / lowest[1]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--learned", type=int, default=0, help="rounds that are played before")
    parser.add_argument("games", nargs="*", metavar="GAME", help=", ".join(GAMES))
    asked = parser.parse_args()
    for name in asked.games or GAMES:
        ours, theirs = measure(GAMES[name](), asked.rounds, asked.repeats, asked.learned)
        print(f"{name}: {ours / 1e6:.2f} M rounds/s; plain C {theirs / 1e6:.2f} M; ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
