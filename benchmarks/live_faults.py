"""Faults planted in logs of played rounds, each on ten seeds, and after how many rounds `certify watch` gives an alarm.

Run: .venv/bin/python benchmarks/live_faults.py [--rows N] [--days N]

Rounds are simulated by `certify simulate --log`, and cut into days of N rows. A first day is faultless; then the fault
is planted in every day until there is an alarm. Rounds of a piece that lacks an item, or of a reel with a heavier stop,
are the simulated ones without those that it would not have given: that is their exact law.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from certify.cli.main import run
from certify.live.audit import laws_of_log
from certify.live.columns import read_map
from certify.live.state import opened_state
from certify.live.totals import take_log
from certify.live.watching import digest_of, look
from certify.submission import read_game

GAMES = Path(__file__).parent.parent / "fixtures/games"
COLUMNS = (
    "number",
    "round",
    "time",
    "wager",
    "stake",
    "win",
    "currency",
    "status",
    "outcome",
    "draws",
    "decisions",
)
SEEDS = 10
Rows = list[dict[str, str]]


def tenth_more(rows: Rows, _: random.Random) -> Rows:
    """Pays a tenth more of the win that came most often."""
    wins = [row["win"] for row in rows if float(row["win"])]
    usual = statistics.mode(wins)
    for row in rows:
        if row["win"] == usual:
            row["win"] = f"{float(usual) * 1.1:.2f}"
    return rows


def without(item: str) -> Callable[[Rows, random.Random], Rows]:
    """Deals from a pack that lacks an item."""
    return lambda rows, _: [row for row in rows if item not in row["draws"].split()]


def heavier(item: str) -> Callable[[Rows, random.Random], Rows]:
    """Gives a first draw half as often again as it ought to come."""
    return lambda rows, rng: [row for row in rows if row["draws"].split()[0] == item or rng.random() < 2 / 3]


def replaced(rows: Rows, rng: random.Random) -> Rows:
    """Deals with replacement: each card is one of all 40, those of the round included."""
    for row in rows:
        dealt: list[str] = []
        for item in row["draws"].split():
            again = rng.randrange(40)
            dealt.append(dealt[again] if again < len(dealt) else item)
        row["draws"] = " ".join(dealt)
    return rows


def settled_twice(rows: Rows, rng: random.Random) -> Rows:
    """Settles one round twice, each time otherwise."""
    place = rng.randrange(len(rows))
    other = "0.00" if float(rows[place]["win"]) else rows[place]["stake"]
    return [*rows[: place + 1], {**rows[place], "win": other}, *rows[place + 1 :]]


def void_kept(rows: Rows, rng: random.Random) -> Rows:
    """Voids one round, and keeps its stake."""
    rows[rng.randrange(len(rows))] |= {"status": "void", "win": "0.00", "outcome": ""}
    return rows


def stuck(rows: Rows, rng: random.Random) -> Rows:
    """Gives the same result for a thousand rounds."""
    first = rng.randrange(len(rows) - 1_000)
    for row in rows[first + 1 : first + 1_000]:
        row |= {name: rows[first][name] for name in ("win", "outcome", "draws", "decisions")}
    return rows


def other_level(rows: Rows, rng: random.Random) -> Rows:
    """Takes four times the stake of every tenth round, and pays at the lower one's rate."""
    for row in rows:
        if rng.random() < 0.1:
            row["stake"] = f"{4 * float(row['stake']):.2f}"
    return rows


FAULTS = {
    "playtech-7-e-mezzo": {
        "a pay a tenth too high": tenth_more,
        "a card missing": without("7"),
        "double settlement": settled_twice,
        "a void that kept the stake": void_kept,
        "dealing with replacement": replaced,
        "a generator stuck for a thousand rounds": stuck,
        "a bet level paid at another's rate": other_level,
    },
    "slot-lines": {
        "a pay a tenth too high": tenth_more,
        "a stop missing": without("7"),
        "a stop half as heavy again": heavier("0"),
        "double settlement": settled_twice,
        "a void that kept the stake": void_kept,
        "a generator stuck for a thousand rounds": stuck,
        "a bet level paid at another's rate": other_level,
    },
}


def simulated(game: str, rounds: int, path: Path) -> Rows:
    """Returns the rows of so many rounds of the first wager."""
    call = ("simulate", GAMES / game / "game.toml", "--rounds", rounds, "--seed", "52" * 32, "--log", path)
    run([*map(str, call), "--format", "json"])
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    return [row for row in rows if row["wager"] == rows[0]["wager"]]


def written(rows: Rows, day: int, path: Path) -> None:
    """Writes the rows of a day, numbered and dated."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for place, row in enumerate(rows):
            at = f"2026-01-{day + 1:02} {place // 3600:02}:{place // 60 % 60:02}:{place % 60:02}"
            writer.writerow({**row, "time": at})


def seen_on(game: str, days: list[Rows], draws: bool, folder: Path) -> int | None:
    """Returns the day, from 1, on which a watch that takes a log a day first has an alarm; none where it has none."""
    names = [name for name in COLUMNS if draws or name not in ("draws", "decisions")]
    columns = folder / "map.toml"
    strategy = '[log]\nstrategy = "main-optimal"\n' if "mezzo" in game else ""
    columns.write_text("[columns]\n" + "".join(f'{one} = "{one}"\n' for one in names) + strategy, "utf-8")
    submission = read_game(GAMES / game / "game.toml")
    named = read_map(columns, [submission], {})
    laws = laws_of_log([submission], named)
    rounding, state = named.log.rounding, folder / "state"
    state.unlink(missing_ok=True)
    law = digest_of(laws, rounding)
    with opened_state(state, submission.sha256, law, None, 0.01) as (kept, alpha):
        for day, rows in enumerate(days):
            written(rows, day, log := folder / f"{day}.csv")
            take_log(kept, log, columns, submission)
            # No power is simulated for a return that is lower by more than all of it.
            if look(kept, submission.id, laws, rounding, alpha, 1e6).watch.wrong:
                return day + 1
    return None


def main() -> None:
    """Prints for each fault how many of ten seeds are found, and after how many rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--days", type=int, default=4)
    parser.add_argument("--game", choices=tuple(FAULTS), action="append")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game in asked.game or FAULTS:
            faults = FAULTS[game]
            held = simulated(game, asked.rows * SEEDS * (asked.days + 1), folder / f"{game}.csv")
            for words, fault in faults.items():
                for draws in (True, False):
                    rng, seen = random.Random(52), []
                    for seed in range(SEEDS):
                        start = seed * asked.rows * (asked.days + 1)
                        days = [
                            [{**row} for row in held[start + day * asked.rows :][: asked.rows]]
                            for day in range(asked.days + 1)
                        ]
                        days[1:] = [fault(rows, rng) for rows in days[1:]]
                        day = seen_on(game, days, draws, folder)
                        seen.append(None if day is None else (day - 1) * asked.rows)
                    found = [rounds for rounds in seen if rounds is not None]
                    median = statistics.median(found) if found else None
                    logged = "with draws" if draws else "without draws"
                    print(
                        f"{game}: {words}, {logged}: {len(found)} of {SEEDS}, rounds {median}: {seen}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
