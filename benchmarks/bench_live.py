"""A log audited, as a ratio to merely reading the file with DuckDB, in turns in one run.

Run: .venv/bin/python benchmarks/bench_live.py [--rows N]

The log is CSV of N faultless rows of 7 e Mezzo at four stakes in two channels, drawn from the exact law. Reading takes
the least and the greatest of every column as text. Seconds are of the processor, all threads together; memory is the
most that the process had held.
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

from certify.live.audit import Asked, audit
from certify.live.law import laws_of
from certify.submission import read_game

GAME = Path(__file__).parent.parent / "fixtures/games/playtech-7-e-mezzo/game.toml"
COLUMNS = ("number", "round", "time", "wager", "stake", "win", "currency", "channel")
MAP = (
    "[columns]\n"
    + "".join(f'{name} = "{name}"\n' for name in COLUMNS)
    + '[log]\namounts = "minor"\nstrategy = "main-optimal"\n'
)


def write_log(path: Path, rows: int) -> None:
    """Writes rows that are drawn from the exact law."""
    law = laws_of(read_game(GAME), "main-optimal")["main"]
    rng = np.random.default_rng(1)
    pays = np.array([float(pay) for pay in law.pays])
    chances = np.array([float(chance) for chance in law.chances or ()])
    stake = rng.choice([100, 200, 500, 1000], size=rows)
    drawn = {
        "number": np.arange(1, rows + 1),
        "stake": stake,
        "win": (stake * pays[rng.choice(len(pays), size=rows, p=chances)]).astype(np.int64),
    }
    with duckdb.connect() as engine:
        engine.register("drawn", drawn)
        engine.sql(
            "SELECT number, 'r' || number AS round, TIMESTAMP '2026-01-01' + INTERVAL (number // 4) SECOND AS time, "
            "'main' AS wager, stake, win, 'EUR' AS currency, "
            "CASE WHEN number % 3 = 0 THEN 'web' ELSE 'app' END AS channel FROM drawn"
        ).write_csv(str(path))


def read_alone(path: Path) -> None:
    """Reads every column with DuckDB, on as many threads as the audit."""
    with duckdb.connect(config={"threads": 2}) as engine:
        engine.execute("SET enable_progress_bar = false")
        both = ", ".join(f"min({name}), max({name})" for name in COLUMNS)
        engine.execute(f"SELECT {both} FROM read_csv('{path}', all_varchar = true)").fetchall()


def timed(work: Callable[[], object]) -> float:
    """Returns the processor's seconds of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    """Prints the ratio, and what was held in memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        log, columns = Path(folder, "log.csv"), Path(folder, "map.toml")
        columns.write_text(MAP, "utf-8")
        write_log(log, rows)
        game = read_game(GAME)
        reading = timed(lambda: read_alone(log))
        asked = Asked((log,), columns, "", 0.01, 100, 0)
        auditing = timed(lambda: print(audit(game, asked, lambda _: None).verdict))
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ratio = f"read {reading:.1f} s, audited {auditing:.1f} s, ratio {auditing / reading:.1f}"
    print(f"{rows:,} rows: {ratio}; {held:,.0f} MiB")


if __name__ == "__main__":
    main()
