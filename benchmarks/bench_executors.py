"""Rounds per second of processes and of a Dask cluster beside threads, in the same run, and what a chunk costs.

    .venv/bin/python benchmarks/bench_executors.py [--rounds 200000000] [--executor processes:2] [--json]

All of them play the very same campaign, and the run stops unless their totals are equal. The overhead of a
chunk is measured on work that does nothing. Memory is the peak of the calling process. ``--executor``, once or
more, measures only those; ratios are to the first.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from certify.cli.doctor import Ping
from certify.executors import Executor, open_executor, parse_executor
from certify.mathematics import analyze
from certify.simulation import StreamDecks, run_campaign
from certify.submission import read_game

GAME = Path(__file__).parents[1] / "fixtures/games/playtech-7-e-mezzo/game.toml"
DECKS = StreamDecks.of(read_game(GAME), b"benchmark of the executors, 32 by")


@contextmanager
def opened(spec: str) -> Iterator[tuple[Executor, float]]:
    """An executor that has computed once, and the seconds that took."""
    began = perf_counter()
    with open_executor(parse_executor(spec)) as executor:
        list(executor.map(Ping(), range(4)))
        yield executor, perf_counter() - began


def measure(spec: str, rounds: int) -> dict[str, Any]:
    """Seconds for the campaign, seconds to the first progress, seconds a chunk of nothing takes."""
    game = read_game(GAME)
    strategy = analyze(game).strategy
    with opened(spec) as (executor, start):
        run_campaign(game, strategy, 2_000_000, deal=DECKS, executor=executor)  # compiled everywhere
        first: list[float] = []
        began = perf_counter()
        played = run_campaign(
            game,
            strategy,
            rounds,
            deal=DECKS,
            executor=executor,
            progress=lambda done, total: first.append(perf_counter() - began) if not first else None,
        )
        seconds = perf_counter() - began
        began = perf_counter()
        list(executor.map(Ping(), range(500)))
        overhead = (perf_counter() - began) / 500
    return {
        "executor": spec,
        "start": start,
        "seconds": seconds,
        "first_progress": first[0],
        "overhead": overhead,
        "joint": played.joint,
    }


def main() -> int:
    """Prints the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    specs = asked.executor or [f"{kind}:{asked.workers}" for kind in ("threads", "processes", "dask:local")]
    measured = [measure(spec, asked.rounds) for spec in specs]
    first = measured[0]
    if any(one["joint"] != first["joint"] for one in measured):
        print("the totals differ", file=sys.stderr)
        return 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        {key: value for key, value in one.items() if key != "joint"}
        | {"of_first": first["seconds"] / one["seconds"]}
        for one in measured
    ]
    if asked.json:
        print(json.dumps({"rounds": asked.rounds, "peak_mebibytes": memory, "executors": rows}))
        return 0
    for row in rows:
        print(
            f"{row['executor']:14} {asked.rounds / row['seconds'] / 1e6:7.1f} M rounds/s, "
            f"{row['of_first']:.2f} of {specs[0]}; "
            f"start {row['start']:.1f} s, first progress {row['first_progress']:.2f} s, "
            f"{1e3 * row['overhead']:.2f} ms a chunk"
        )
    print(f"peak of the calling process {memory:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
