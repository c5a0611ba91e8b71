"""The checker of a pack counts a slot from its strips: the round as submitted, variants, bet levels, what is bought."""

import runpy
import tomllib
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checker_packs import TEMPLATE

from certify.mathematics import analyze, further
from certify.submission import parse_game

ROOT = Path(__file__).parents[3]

SLOTS = {
    "games/slot-lines": "",
    "slots/slot-multiplying-wild": "",
    "slots/slot-neighbours": "",
    "games/slot-second-wild": "",
    "slots/slot-expanding-wild": "",
    "games/slot-both-ends": "",
    "slots/slot-free-games": "",
    "slots/slot-again-by-count": "",
    "slots/slot-stacked": "",
    "slots/slot-unmultiplied-row": "",
    "games/slot-ways": "slot ways",
    "slots/slot-full-reels": "full_reels symbols",
    "slots/slot-full-middle": "full_reels symbols",
    "slots/slot-falling": "cascades multipliers",
    "slots/slot-falling-scatters": "cascades multipliers",
}
"""Slots, and what the checker names where it does not count one from its strips."""

QUICK_SLOTS = ("games/slot-lines", "slots/slot-multiplying-wild", "games/slot-second-wild")


OFFERS = """
[[variants]]
id = "loose-reels"
title = "Loose reels"
strips = { base = "free" }

[[bet_levels]]
id = "two-lines"
lines = 2
coins = 3
cost = 7

[[purchases]]
id = "buy"
feature = "free-games"
starts = 12
price = "43/2"
"""
"""What is offered with a slot."""

OFFERED = ("bet level", "purchase")


LAWS: dict[str, Any] = {}
"""Laws of spins, each counted once by whatever it follows from: what a pack states of it is compared each time."""


def counted(game: str, figures: Any, alter: Callable[[Any], object] = lambda _: None, more: str = "") -> Any:
    """What the checker finds against figures of a slot, from its strips alone; and what it does not count."""
    names = runpy.run_path(str(TEMPLATE), run_name="check")
    names["check_slot"].__globals__["_spin"] = lambda *given: (
        LAWS.get(repr(given)) or LAWS.setdefault(repr(given), names["_spin"](*given))
    )
    main, offered = figures
    submitted = tomllib.loads((ROOT / "fixtures" / game / "game.toml").read_text() + more)
    alter(submitted)
    evidence = {"analysis": {"main-optimal": {"wagers": {"main": main}}}, "configurations": offered}
    names["attempt"]("slot", names["check_slot"], {}, evidence, submitted)
    return names["wrong"], names["untried"], names["held"]["slot"]


@cache
def program_figures(game: str, more: str = "") -> Any:
    """What the program says of a slot, and of what is offered with it."""
    read = parse_game((ROOT / "fixtures" / game / "game.toml").read_bytes() + more.encode(), "game.toml")
    (one,) = analyze(read, "main-optimal").wagers
    listed = [] if one.distribution is None else one.distribution.listed
    net = [{"net": str(net), "probability": str(chance)} for net, chance in listed]
    return {"return": str(one.return_to_player), "variance": str(one.variance), "net": net}, [
        {"id": one.id, "kind": str(one.kind), "return": str(one.returned), "variance": str(one.variance)}
        for one in further(read)
    ]


def _dearer(game: Any) -> None:
    game["line_pays"][-1]["pays"][-1] += 1


def _spelt_with_commas(game: Any) -> None:
    game["slot"]["lines"] = [", ".join(line) for line in game["slot"]["lines"]]
    game["strips"][0]["reels"] = [reel.replace(" ", ", ") for reel in game["strips"][0]["reels"]]


def _shorter(game: Any) -> None:
    reels = game["strips"][0]["reels"]
    reels[0] = reels[0].partition(" ")[2]


@pytest.mark.parametrize(
    "game",
    [pytest.param(one, marks=() if SLOTS[one] or one in QUICK_SLOTS else pytest.mark.slow) for one in SLOTS],
)
def test_a_slot_is_counted_from_its_strips_or_named(game: str) -> None:
    if named := SLOTS[game]:
        wrong, untried, holds = counted(game, ({"return": "1", "variance": "1", "net": []}, []))
        assert (wrong, holds, named in untried[0]) == ([], 0, True)
        return
    true, offered = program_figures(game)
    assert counted(game, (true, offered)) == counted(game, (true, offered), _spelt_with_commas) == ([], [], 2)
    lies = (
        true | {"return": str(Fraction(true["return"]) + Fraction(1, 10**12))},
        true | {"variance": str(Fraction(true["variance"]) + 1)},
        true | {"net": true["net"][1:]},
    )
    assert [counted(game, (lie, offered))[2] for lie in lies] == [1, 1, 1]
    # On other reels of the paid spin, what is offered on reels of its own still holds.
    assert [counted(game, (true, offered), alter)[2] for alter in (_dearer, _shorter)] == [not offered, 1]


def test_what_is_offered_with_a_slot_is_counted_from_its_strips() -> None:
    game = "games/slot-second-wild"
    main, (*others, last) = program_figures(game, OFFERS)
    assert [one["kind"] for one in (*others, last)] == [*OFFERED, "variant", *OFFERED]
    for told, holds in ([*others, last], 2), (others, 1), ([*others, last | {"variance": "1"}], 1):
        assert counted(game, (main, told), more=OFFERS)[2] == holds
