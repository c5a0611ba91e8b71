"""Small slots whose every stop can be tried in plain Python, apart from the exact counting."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from certify.families.slot.rulebook import WindowCell, starts_of, wins_of
from certify.families.slot.rules import BASE, SlotRules
from certify.model.game import Game
from certify.submission import parse_game

HEAD = """
schema = "certify-game/1"
rules = []
readings = []
claims = []

[game]
id = "small-slot"
title = "Small slot"
version = "1.0.0"
family = "slot"
supplier = "Tests"
banked_by = "house"

[[wagers]]
id = "main"
title = "Total bet"
description = "One round"
limits = { minimum = "0.10", maximum = "100.00", currency = "EUR" }

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true

[[sources]]
id = "rules"
title = "Rules"
file = "rules.txt"
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""

LINES = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222", "121"]

[[strips]]
id = "base"
reels = ["a b star c wild b", "a wild b c star:2", "b a c wild star a"]

[[strips]]
id = "free"
reels = ["a b star wild", "a b b c star", "c a wild b"]

[[stages]]
id = "free"
strips = "free"
multiplier = 3

[[wilds]]
symbol = "wild"
multiplies = "2"
together = "multiply"

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [1, 2, 9]

[[line_pays]]
symbol = "c"
pays = [0, 0, 7]

[[scatter_pays]]
symbol = "star"
pays = [0, 1, 4]

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 2, 4]
"""

WAYS = """
[slot]
heights = [2, 3, 2]
ways = true
cost = 5

[[strips]]
id = "base"
reels = ["a b star c b a", "a wild b c c star:2", "b a c wild star a"]

[[wilds]]
symbol = "wild"
multiplies = "2:1/2 3:1/2"
together = "multiply"

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [0, 2, 9]

[[line_pays]]
symbol = "c"
pays = [0, 0, 7]

[[scatter_pays]]
symbol = "star"
pays = [0, 1, 4]
"""


def small(text: str) -> Game:
    """Returns a small slot from its tables."""
    return parse_game((HEAD + text).encode(), "game.toml")


def every_window(rules: SlotRules, stage_id: str) -> Iterator[tuple[tuple[tuple[WindowCell, ...], ...], int]]:
    """Yields every window of a stage with its weight, stop by stop."""
    strips = rules.strip_set(rules.stage(stage_id).strips)
    for stops in product(*(range(len(reel.symbols)) for reel in strips.reels)):
        window, weight = [], 1
        for reel, heights, stop in zip(strips.reels, strips.heights, stops, strict=True):
            rows = heights[0].rows
            window.append(
                tuple(WindowCell(reel.symbols[(stop + row) % len(reel.symbols)]) for row in range(rows))
            )
            weight *= reel.weight(stop)
        yield tuple(window), weight


def directly(rules: SlotRules, stage_id: str = BASE) -> dict[tuple[tuple[tuple[str, int], ...], int], int]:
    """Returns the weight of every (features begun, coins won), by trying every stop."""
    found: dict[tuple[tuple[tuple[str, int], ...], int], int] = {}
    stage = rules.stage(stage_id)
    for window, weight in every_window(rules, stage_id):
        coins = sum(win.coins for win in wins_of(rules, stage, window))
        key = (starts_of(rules, stage, window), coins)
        found[key] = found.get(key, 0) + weight
    return found


def played(rules: SlotRules, rounds: int, seed: int) -> tuple[float, float]:
    """Returns mean and variance of rounds of a slot with one series of free games, in total bets, played at random."""
    draw = random.Random(seed)  # noqa: S311 - a test repeats its rounds
    tables = {}
    for stage in rules.stages:
        law = directly(rules, stage.id)
        tables[stage.id] = (list(law), list(law.values()))
    total = squares = 0.0
    free = rules.free_games[0]
    for _ in range(rounds):
        ((starts, coins),) = draw.choices(tables[BASE][0], tables[BASE][1])
        left = sum(times for _, times in starts)
        while left:
            ((more, win),) = draw.choices(*tables[free.stages[0][0]])
            coins, left = coins + win, left - 1 + sum(times for _, times in more)
        total, squares = total + coins, squares + coins * coins
    mean = total / rounds
    return mean / rules.cost, float(Fraction(squares / rounds - mean * mean)) / rules.cost**2
