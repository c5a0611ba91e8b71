"""Years of watched cells, looked at daily: false alarms of faultless ones, and how long planted faults take to be seen.

Run: .venv/bin/python benchmarks/live_years.py [--cells N] [--days N]

Day totals are drawn from the exact law of each game, 10,000 rounds a day, and looked at by the code of the watch. A
false alarm is counted three times: of a cell watched by itself, whose evidence ever reaches 1/alpha; of the fleet, by
e-BH on each day; and of the customary look at the last 30 days, with limits of three standard deviations. Each fault is
planted on day 30 of ten watches of ten cells; the delay is from that day on. Faults that rows show: live_faults.py.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from certify.families.slot.rules import rules_of
from certify.live.law import StakeLaw, laws_of
from certify.live.process import changes_of, rejected, watched
from certify.rounds import Rounding
from certify.submission import read_game

GAMES = Path(__file__).parent.parent / "fixtures/games"
ALPHA, ROWS, STAKE, PLANTED, SEEDS, FLEET, LAST = 0.01, 10_000, 1_000, 30, 10, 10, 30


def law(game: str, wager: str, strategy: str = "") -> StakeLaw:
    """Returns the law of a wager at the stake."""
    found = laws_of(read_game(GAMES / game / "game.toml"), strategy)[wager].at(STAKE, Rounding.DOWN)
    if found is None:
        raise SystemExit(f"{game}: no law")
    return found


def evidence(known: StakeLaw, days: np.ndarray) -> np.ndarray:
    """Returns the logarithm of the evidence after each day."""
    return watched(days, changes_of(known, STAKE)).log_e


def years(laws: dict[str, StakeLaw], cells: int, days: int) -> None:
    """Prints how many faultless cells are ever an alarm."""
    rng, reach, all_e = np.random.default_rng(52), -math.log(ALPHA), []
    alone, rolling = dict.fromkeys(laws, 0), dict.fromkeys(laws, 0)
    for number in range(cells):
        name = list(laws)[number % len(laws)]
        known = laws[name]
        counts = rng.multinomial(ROWS, known.p / known.p.sum(), size=days)
        log_e = evidence(known, counts)
        alone[name] += bool((log_e >= reach).any())
        off = np.cumsum(np.append(0, counts @ np.array(known.wins) - ROWS * float(known.mean)))
        last = off[LAST:] - off[:-LAST]
        rolling[name] += bool((abs(last) > 3 * known.deviation * math.sqrt(ROWS * LAST)).any())
        all_e.append(log_e.astype(np.float32))
    alarmed = {cell for day in range(days) for cell in rejected([float(one[day]) for one in all_e], ALPHA)}
    for words, seen in (("by themselves", alone), ("of the last 30 days", rolling)):
        share = 100 * sum(seen.values()) / cells
        print(
            f"{cells:,} faultless cells, {days} days: alarms {words} {sum(seen.values())} ({share:.2f} %) {seen}"
        )
    print(f"of the fleet, by e-BH: {len(alarmed)}")


def changed(known: StakeLaw, other: StakeLaw) -> tuple[StakeLaw, np.ndarray, float]:
    """Returns the law, how often another game pays each of its amounts, and how often it pays none of them."""
    held = dict(zip(other.wins, other.p, strict=True))
    p = np.array([held.pop(win, 0.0) for win in known.wins])
    return known, p, sum(held.values())


def faults(laws: dict[str, StakeLaw]) -> dict[str, tuple[StakeLaw, np.ndarray, float]]:
    """Returns what is planted: the law that is watched, the changed one, and how often it pays what cannot be."""
    red, slot = laws["roulette-single-zero"], laws["slot-lines"]
    submission = read_game(GAMES / "slot-lines/game.toml")
    variants = laws_of(submission, "")
    found = {
        f"variant {name.split('/')[0]} switched on without notice": changed(slot, at)
        for name, one in variants.items()
        if "/" in name and (at := one.at(STAKE, Rounding.DOWN)) is not None
    }
    rules = rules_of(submission)
    strips, *others = rules.strip_sets
    first, *further = strips.reels
    # Every stop as often as before, in two parts, and one of them half as often again.
    weights = (3, *(2 * first.weight(stop) for stop in range(1, len(first.symbols))))
    reels = (replace(first, weights=weights), *further)
    moved = replace(submission, rules=replace(rules, strip_sets=(replace(strips, reels=reels), *others)))
    at = laws_of(moved, "")["main"].at(STAKE, Rounding.DOWN)
    if at is not None:
        found["weight of one stop of a reel half as high again"] = changed(slot, at)
    stops = StakeLaw(tuple(range(24)), (Fraction(1, 24),) * 24)
    heavier = np.array([1.5, *[1.0] * 23])
    found["one stop of 24 half as heavy again, draws logged"] = stops, heavier, 0.0
    missing = red.p.copy()
    missing[-1], missing[0] = 17 / 36, 1 - missing[1:-1].sum() * 37 / 36 - 17 / 36
    missing[1:-1] *= 37 / 36
    found["one red pocket of 37 is missing"] = red, missing, 0.0
    seven = laws["playtech-7-e-mezzo"]
    rarer = seven.p.copy()
    top = int(rarer.argsort()[-2])
    rarer[top], rarer[0] = rarer[top] * 0.98, rarer[0] + rarer[top] * 0.02
    found["a win 2 % too rare"] = seven, rarer, 0.0
    table = read_game(GAMES / "playtech-7-e-mezzo/game.toml")
    stands = replace(table, rules=replace(table.rules, dealer_stands_on=5))
    at = laws_of(stands, "main-optimal")["main"].at(STAKE, Rounding.DOWN)
    if at is not None:
        found["the dealer stops at 5 for one day"] = changed(seven, at)
    return found


def delays(name: str, known: StakeLaw, q: np.ndarray, impossible: float, days: int, rows: int = ROWS) -> None:
    """Prints after how many days a fault is seen, in a fleet of ten cells of which one has it."""
    seen, reach = [], math.log(FLEET / ALPHA)
    for seed in range(SEEDS):
        rng, p = np.random.default_rng(seed), known.p / known.p.sum()
        before, after = (
            rng.multinomial(rows, one, size=many) for one, many in ((p, PLANTED), (q / q.sum(), days))
        )
        if "one day" in name:
            after[1:] = rng.multinomial(rows, p, size=days - 1)
        log_e = evidence(known, np.concatenate([before, after]))
        first = [day for day in range(days) if log_e[PLANTED + day] >= reach]
        if impossible:
            first.append(int(rng.geometric(1 - (1 - impossible) ** rows)) - 1)
        seen.append(min(first) + 1 if first else None)
    print(
        f"{name}, {rows:,} rounds a day: {sum(day is not None for day in seen)} of {SEEDS}, days: {seen}",
        flush=True,
    )


def main() -> None:
    """Prints faults first, which take seconds, then years."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=365)
    asked = parser.parse_args()
    laws = {
        "roulette-single-zero": law("roulette-single-zero", "red"),
        "playtech-7-e-mezzo": law("playtech-7-e-mezzo", "main", "main-optimal"),
        "slot-lines": law("slot-lines", "main"),
    }
    for name, planted in faults(laws).items():
        delays(name, *planted, asked.days)
        if "one stop" in name:
            delays(name, *planted, asked.days, 10 * ROWS)
    started = time.process_time()
    years(laws, asked.cells, asked.days)
    print(f"{time.process_time() - started:.0f} s of the processor")


if __name__ == "__main__":
    main()
