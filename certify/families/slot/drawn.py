"""Strips, windows and lines of a slot as a report draws them."""

from __future__ import annotations

from collections.abc import Iterator

from certify.families.slot.exact.spin import spin_law
from certify.families.slot.reference import name_of
from certify.families.slot.rulebook import WindowCell
from certify.families.slot.rules import BASE, SlotRules, SpinKind, rules_of
from certify.model.game import Game
from certify.model.layout import Reels


def reels_of(game: Game) -> tuple[Reels, ...]:
    """Returns each strip set that a stage is played on; of the paid spin also lines and the window that wins most."""
    rules = rules_of(game)
    stages: dict[str, SpinKind] = {}
    for stage in (rules.stage(BASE), *rules.stages):
        stages.setdefault(stage.strips, stage)
    return tuple(_reels(rules, stage) for stage in stages.values())


def _reels(rules: SlotRules, stage: SpinKind) -> Reels:
    strips = rules.strip_set(stage.strips)
    return Reels(
        strips.id,
        tuple(strip.symbols for strip in strips.reels),
        tuple(strip.weights for strip in strips.reels),
        tuple(max(one.rows for one in heights) for heights in strips.heights),
        tuple(tuple(row + 1 for row in line) for line in rules.lines) if stage.id == BASE else (),
        tuple(_top(rules)) if stage.id == BASE else (),
    )


def _top(rules: SlotRules) -> Iterator[tuple[str, ...]]:
    """Yields the window that wins most of one paid spin, reel by reel; nothing where the count names none."""
    law = spin_law(rules, BASE)
    if law.tops:
        best = max(law.tops, key=lambda starts: max(law.wins[starts]))
        for reel in law.tops[best]:
            yield tuple(name_of(WindowCell(cell.symbol, cell.factor)) for cell in reel.cells)
