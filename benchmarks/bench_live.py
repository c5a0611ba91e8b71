"""A log audited and watched, as a ratio to merely reading the file with DuckDB, in turns in one run.

Run: .venv/bin/python benchmarks/bench_live.py [--rows N] [--game NAME] [--form parquet] [--cells N]

The log holds N faultless rows of the first wager of a game, drawn from its exact law, at four stakes in two channels,
or in so many channels that there are the cells asked for. Reading takes the least and the greatest of every column as
text. Seconds are of the processor, all threads together; memory is the most that the process has held until then.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np

from certify.cli.main import run
from certify.live.audit import Asked, audit
from certify.live.law import laws_of
from certify.rounds import Rounding
from certify.submission import read_game

GAMES = Path(__file__).parent.parent / "fixtures/games"
STAKES = (100, 200, 500, 1000)
COLUMNS = ("number", "round", "time", "wager", "stake", "win", "currency", "channel")
AT_A_TIME = 10_000_000


def write_log(path: Path, game: Path, rows: int, channels: int) -> None:
    """Writes rows that are drawn from the exact law; a day has all of them."""
    submission = read_game(game)
    wager = submission.wagers[0].id
    law = laws_of(submission, "main-optimal" if "mezzo" in str(game) else "")[wager]
    chances = np.array([float(chance) for chance in law.chances or ()])
    ends = np.cumsum(chances / chances.sum())
    paid = np.array([law.paid(stake, Rounding.DOWN) for stake in STAKES], dtype=np.int64)
    rng, stakes = np.random.default_rng(1), np.array(STAKES)
    # In float32, and with tables looked up: 10^8 rows are written in minutes.
    pick = np.arange(256) % len(STAKES)
    query = (
        "SELECT number, 'r' || number AS round, "
        f"TIMESTAMP '2026-01-01' + INTERVAL (number * 86000000 // {rows}) MILLISECOND AS time, '{wager}' AS wager, "
        "stake, win, 'EUR' AS currency, 'c' || channel AS channel FROM drawn"
    )
    parts = []
    with duckdb.connect(config={"threads": 2, "memory_limit": "1GB"}) as engine:
        engine.execute("SET enable_progress_bar = false; SET preserve_insertion_order = false")
        for first in range(0, rows, AT_A_TIME):
            many = min(AT_A_TIME, rows - first)
            at = pick[rng.integers(256, size=many, dtype=np.uint8)]
            drawn = {
                "number": np.arange(first + 1, first + many + 1),
                "stake": stakes[at],
                "win": paid[at, np.searchsorted(ends, rng.random(many)).clip(max=len(ends) - 1)],
                "channel": rng.integers(channels, size=many, dtype=np.int32),
            }
            engine.register("drawn", drawn)
            part = path.with_name(f"{first:012d}{path.suffix}")
            engine.execute(f"COPY ({query}) TO '{part}'")
            parts.append(part)
        if len(parts) == 1:
            parts[0].rename(path)
        else:
            engine.execute(f"COPY (SELECT * FROM '{path.parent}/0*{path.suffix}') TO '{path}'")
        for part in parts:
            part.unlink(missing_ok=True)


def read_alone(path: Path) -> None:
    """Reads every column with DuckDB, on as many threads as the audit."""
    with duckdb.connect(config={"threads": 2}) as engine:
        engine.execute("SET enable_progress_bar = false")
        both = ", ".join(f"min({name}::VARCHAR), max({name}::VARCHAR)" for name in COLUMNS)
        engine.execute(f"SELECT {both} FROM '{path}'").fetchall()


def timed(words: str, work: Callable[[], object]) -> float:
    """Returns the processor's seconds of some work, and prints them with what has been held in memory."""
    started, clock = time.process_time(), time.perf_counter()
    work()
    spent = time.process_time() - started
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{words}: {spent:.1f} s ({time.perf_counter() - clock:.1f} s by the clock), {held:,.0f} MiB",
        flush=True,
    )
    return spent


def main() -> None:
    """Prints the ratios, and what was held in memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--game", default="playtech-7-e-mezzo")
    parser.add_argument("--form", choices=("csv", "parquet"), default="parquet")
    parser.add_argument("--cells", type=int, default=8)
    parser.add_argument("--watch", action="store_true")
    asked = parser.parse_args()
    submission = GAMES / asked.game / "game.toml"
    strategy = 'strategy = "main-optimal"\n' if "mezzo" in asked.game else ""
    named = "".join(f'{name} = "{name}"\n' for name in COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        log, columns = Path(folder, f"log.{asked.form}"), Path(folder, "map.toml")
        columns.write_text(f'[columns]\n{named}[log]\namounts = "minor"\n{strategy}', "utf-8")
        write_log(log, submission, asked.rows, asked.cells // len(STAKES))
        print(f"{asked.rows:,} rows, {log.stat().st_size / (1 << 20):,.0f} MiB of {asked.form}", flush=True)
        reading = timed("read", lambda: read_alone(log))
        if asked.watch:
            call = ["watch", f"{folder}/state", "--game", submission, "--map", columns, "--take", log]
            done = timed("watched", lambda: print(run([*map(str, call), "--format", "json"]), flush=True))
        else:
            game = read_game(submission)
            call_of = Asked((log,), columns, "", 0.01, 100, 0, demonstration_key=True)
            done = timed("audited", lambda: print(audit([game], call_of, print).verdict))
        print(f"ratio {done / reading:.1f}")


if __name__ == "__main__":
    main()
