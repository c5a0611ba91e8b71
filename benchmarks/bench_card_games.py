"""Exact figures of baccarat and video poker beside plain C in the same run.

    .venv/bin/python benchmarks/bench_card_games.py [--repeats 3] [--json]
        [--baccarat-peer COMMAND] [--poker-peer COMMAND]

One core, processor time of the process, the best of the repeats of each. The peer is benchmarks/c/card_games.c,
compiled here with ``gcc -O3 -march=native``: for baccarat every ordered pattern of points, player, banker and tie
alone; for video poker all deals and holds by inclusion and exclusion, the return alone. Ours counts what a report
needs: for baccarat every wager jointly with its pairs, for video poker the hold of every deal and the distribution.
A COMMAND is a program of somebody else, run in turns with ours and timed by the processor time of its process; what
it prints must hold the same answer: for baccarat the three whole numbers, for video poker the return to six decimals.
The run stops unless both give the same. Wanted: baccarat below 2 s; video poker below 30 s with
everything compiled anew, which the first line measures where the cache of compiled code is empty.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from time import process_time

from certify.mathematics import analyze, exact_of
from certify.submission import read_game

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "benchmarks/c/card_games.c"
BACCARAT = read_game(ROOT / "fixtures/games/baccarat-punto-banco/game.toml")
POKER = read_game(ROOT / "fixtures/games/jacks-or-better-9-6/game.toml")
PAYS = (0, 1, 2, 3, 4, 6, 9, 25, 50, 800)
DEALS, DRAWS = 2_598_960, 7_669_695


def library() -> ctypes.CDLL:
    """Returns the peer, compiled for this machine."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "card_games.so"
        command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(built), str(SOURCE)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(built))


def forget() -> None:
    """Empties everything that exact figures keep, so that each repeat counts anew."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("certify.families.", "certify.analysis.hands.")):
            for kept in vars(module).values():
                if hasattr(kept, "cache_clear"):
                    kept.cache_clear()


def ours_baccarat() -> tuple[int, int, int]:
    """Returns the orders of six cards that player and banker win and that tie, all wagers being counted jointly."""
    forget()
    joint = exact_of(BACCARAT).joint(BACCARAT, "main-optimal").probabilities
    total = 4_998_398_275_503_360
    ends = {"win": Fraction(0), "lose": Fraction(0), "push": Fraction(0)}
    for outcomes, chance in joint.items():
        ends[outcomes[0]] += chance
    return int(ends["win"] * total), int(ends["lose"] * total), int(ends["push"] * total)


def theirs_baccarat(peer: ctypes.CDLL) -> tuple[int, int, int]:
    """Returns the same by the peer."""
    found = (ctypes.c_int64 * 3)()
    peer.baccarat(8, found)
    return int(found[0]), int(found[1]), int(found[2])


def ours_poker() -> Fraction:
    """Returns the return of the best play, its distribution and list of holds being counted too."""
    forget()
    return analyze(POKER).wagers[0].return_to_player


def theirs_poker(peer: ctypes.CDLL) -> Fraction:
    """Returns the same by the peer."""
    high, low = ctypes.c_int64(), ctypes.c_int64()
    if peer.video_poker((ctypes.c_int64 * 10)(*PAYS), ctypes.byref(high), ctypes.byref(low)):
        raise SystemExit("the peer had no memory")
    return Fraction((high.value << 62) + low.value, DEALS * DRAWS)


def program(command: str, answer: str) -> float:
    """Returns the processor time of a program of somebody else, in seconds.

    Raises:
        SystemExit: It does not print the answer.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = f"{done.stdout}{done.stderr}".replace(",", "")
    if any(part not in told for part in answer.split()):
        raise SystemExit(f"{command}: no {answer} in its answer: {told[-400:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def answer_of(found: object) -> str:
    """Returns an answer as somebody else prints it: whole numbers, or a return to six decimals."""
    return f"{float(found):.6f}" if isinstance(found, Fraction) else " ".join(map(str, found))  # type: ignore[call-overload]


def timed(call: Callable[[], object]) -> tuple[object, float]:
    """Returns what a call gives and the processor time that it took, in seconds."""
    begun = process_time()
    found = call()
    return found, process_time() - begun


def main() -> None:
    """Measures and prints.

    Raises:
        SystemExit: Two ways do not count the same.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--baccarat-peer", metavar="COMMAND", default="")
    parser.add_argument("--poker-peer", metavar="COMMAND", default="")
    asked = parser.parse_args()
    peer = library()
    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "baccarat, eight decks": (ours_baccarat, lambda: theirs_baccarat(peer)),
        "video poker, 9/6 jacks or better": (ours_poker, lambda: theirs_poker(peer)),
    }
    report: dict[str, dict[str, float]] = {}
    for name, (ours, theirs) in ways.items():
        first, cold = timed(ours)
        other, _ = timed(theirs)
        if first != other:
            raise SystemExit(f"{name}: {first} against {other}")
        command = asked.baccarat_peer if name.startswith("baccarat") else asked.poker_peer
        turns = [
            (timed(ours)[1], timed(theirs)[1], program(command, answer_of(first)) if command else 0.0)
            for _ in range(asked.repeats)
        ]
        best, peers, others = (min(column) for column in zip(*turns, strict=True))
        report[name] = {"first": cold, "ours": best, "peer": peers, "ratio": peers / best}
        if command:
            report[name] |= {"program": others, "program ratio": others / best}
    if asked.json:
        print(json.dumps(report))
        return
    for name, row in report.items():
        print(
            f"{name}: first {row['first']:.2f} s, then {row['ours']:.2f} s; plain C {row['peer']:.3f} s; "
            f"ratio {row['ratio']:.2f}"
            + (
                f"; program {row['program']:.2f} s, ratio {row['program ratio']:.2f}"
                if "program" in row
                else ""
            )
        )


if __name__ == "__main__":
    main()
