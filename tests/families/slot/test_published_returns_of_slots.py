"""Slots of published strips against the returns printed above them, to the last digit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from certify.families.slot.exact.port import variant_rules
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import rules_of
from certify.mathematics import analyze
from certify.submission import read_game

GAMES = {path.parent.name: read_game(path) for path in sorted(Path("fixtures").glob("*/slot-*/game.toml"))}

LONG = {
    *("slot-free-games", "slot-again-by-count", "slot-unmultiplied-row"),
    *("slot-ways", "slot-expanding-wild", "slot-stacked"),
    *("slot-falling", "slot-falling-scatters", "slot-full-middle"),
}
"""Games whose cycles take more than a second."""

VARIANTS = [
    pytest.param(name, one.id, marks=[pytest.mark.slow] * (name in LONG))
    for name, game in GAMES.items()
    for one in rules_of(game).variants
]


def quick_first(names: list[str]) -> list[object]:
    return [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in names]


@pytest.mark.parametrize("name", quick_first(list(GAMES)))
def test_the_printed_return_holds_to_its_last_digit(name: str) -> None:
    game = GAMES[name]
    (figures,) = analyze(game, "main-optimal").wagers
    (claim,) = game.claims
    assert claim.printed.places == 6
    assert claim.printed.stands_for(figures.return_to_player)
    assert sum((award.contribution for award in figures.awards), Fraction(0)) == figures.return_to_player


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_each_variant_has_its_own_printed_return(name: str, variant: str) -> None:
    rules = rules_of(GAMES[name])
    printed = next(one.printed for one in rules.variants if one.id == variant)
    figures = round_figures(variant_rules(rules, variant), "main")
    assert f"{float(100 * figures.return_to_player):.6f} %" == printed
