"""Walk, proof and exact graph of games in stages, beside the walk of an earlier commit in the same run.

    .venv/bin/python benchmarks/bench_engine.py [--commit 646cf1a] [--repeats 3] [--game ID]... [--json]

One core, processor time of the process, the two by turns, each in a process of its own, the best of the repeats of
each. The earlier commit (a worktree of it, made and taken away here) walks the reference round of the game, merged by
what that says is alike, and proves nothing; ours walks the text, proves the merging and builds the exact graph. Wanted,
proof included: baccarat-ez 8 times as fast, punto banco with perfect pairs 3, Let It Ride as a stranger writes it 5.
Let It Ride is written here (let_it_ride.py): in stages, and as a reference round that says of cards what the template
of a family said at that commit, nothing. The lean round says which cards are alike, and is believed.
Caribbean stud is counted by its family's own code on both sides, whole deals included: wanted within 1.2 times.
The last column is ours when the automaton is found by its digest (certify.result_cache), or figures are had again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).parents[1]
LET_IT_RIDE, LEAN = "let-it-ride", "let-it-ride, lean round"
OWN = "caribbean-stud"
WANTED = {
    "baccarat-ez": 8,
    "baccarat-punto-banco": 3,
    "playtech-7-e-mezzo": 3,
    LET_IT_RIDE: 5,
    LEAN: 1,
    OWN: 0.83,
}
GAMES = tuple(WANTED)


def walked_before(name: str) -> float:
    """Returns the seconds in which an earlier commit walks the reference round of a game."""
    import let_it_ride

    from certify.analysis.engine.walk import walk
    from certify.submission import read_game

    if name in (LET_IT_RIDE, LEAN):
        reference: Any = let_it_ride.Lean() if name == LEAN else let_it_ride.LetItRide()
    else:
        game = read_game(Path(f"fixtures/games/{name}/game.toml"))
        reference = game.port.reference(game)
    begun = process_time()
    walk(reference)
    return process_time() - begun


def proved_now(name: str) -> tuple[float, float]:
    """Returns the seconds for walk, proof and graph of a text, and those where its automaton is found."""
    import let_it_ride

    from certify import result_cache
    from certify.families.stage_machine import StagedRound, proven
    from certify.submission import read_game

    if name in (LET_IT_RIDE, LEAN):
        text = let_it_ride.text()
    else:
        game = read_game(Path(f"fixtures/games/{name}/game.toml"))
        text = game.port.text(game)
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for keeps in (False, True, True):
            proven.cache_clear()
            begun = process_time()
            if keeps:
                with result_cache.kept_in(Path(folder), bytes(32)):
                    StagedRound(text).graph()
            else:
                StagedRound(text).graph()
            seconds.append(process_time() - begun)
    return seconds[0], seconds[2]


def counted_alone(name: str) -> tuple[float, float]:
    """Returns the seconds in which a family's own code counts a game, and those in which it is asked again."""
    from certify.model.strategy import MAIN_OPTIMAL
    from certify.submission import read_game

    game = read_game(Path(f"fixtures/games/{name}/game.toml"))
    exact: Any = game.port.exact
    seconds = []
    for _ in range(2):
        begun = process_time()
        exact.analyze(game, MAIN_OPTIMAL)
        seconds.append(process_time() - begun)
    return seconds[0], seconds[1]


def timed(folder: Path, name: str, which: str) -> list[float]:
    """Returns the seconds that a process of its own takes, in a checkout."""
    command = [sys.executable, str(ROOT / "benchmarks/bench_engine.py"), "--one", which, "--game", name]
    path = os.pathsep.join((str(folder), str(ROOT / "benchmarks")))
    told = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[float] = json.loads(told.stdout)
    return found


def main() -> None:
    """Prints seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--commit", default="646cf1a")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--game", action="append", default=[], metavar="ID")
    parser.add_argument("--one", choices=("before", "now"), help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    names = asked.game or GAMES
    if asked.one:
        if names[0] == OWN:
            found = counted_alone(OWN)
        else:
            found = (walked_before(names[0]), 0.0) if asked.one == "before" else proved_now(names[0])
        json.dump(found, sys.stdout)
        return
    best: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        earlier = Path(folder) / "earlier"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(earlier), asked.commit], check=True, capture_output=True)
        try:
            for name in names:
                turns = [
                    (timed(earlier, name, "before")[0], *timed(ROOT, name, "now"))
                    for _ in range(asked.repeats)
                ]
                best[name] = [min(seconds) for seconds in zip(*turns, strict=True)]
        finally:
            subprocess.run([*git, "remove", "--force", str(earlier)], check=True)
    if asked.json:
        json.dump(best, sys.stdout, indent=1)
        print()
        return
    print(f"processor seconds, best of {asked.repeats}; earlier is {asked.commit}\n")
    print(f"{'':24}{'earlier':>10}{'now':>10}{'ratio':>9}{'wanted':>9}{'found':>10}")
    for name, (before, now, again) in best.items():
        print(f"{name:24}{before:10.2f}{now:10.2f}{before / now:8.1f}×{WANTED[name]:8}×{again:10.2f}")


if __name__ == "__main__":
    main()
