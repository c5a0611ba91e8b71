"""A switch between games that were certified side by side is no change of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Final

from certify.families.registry import family_of
from certify.gate.change import GateChange
from certify.gate.facts import Submission
from certify.gate.impact import Impact
from certify.submission.schema import Submitted

_OF_EVERY_GAME: Final = frozenset(field.name for field in fields(Submitted))

MOVED: Final = frozenset(
    {
        *("return-changed", "return-on-total-changed", "hit-frequency-changed", "volatility-changed"),
        *("top-award-changed", "top-award-odds-changed", "highest-win-changed", "contribution-changed"),
        *("max-exposure-changed", "return-at-stake-changed"),
    }
)
"""Kinds that tell what a switch moved: all of it was certified before. Floors and printed figures are judged on."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A game became one that was certified beside it.

    Args:
        title: Name of the variant, as it was certified.
    """

    title: str

    def covers(self, change: GateChange) -> bool:
        """Tells whether what is stated otherwise is the switch itself: something in the tables of the family alone."""
        return change.subject.partition("/")[0] not in _OF_EVERY_GAME

    def left_of(self, impacts: Iterable[Impact]) -> Iterator[Impact]:
        """Yields that it was switched, in place of everything that moved by it."""
        told = []
        for one in impacts:
            if one.kind in MOVED:
                told.append(one)
            else:
                yield one
        moved = "; ".join(one.message for one in told if one.kind == "return-changed")
        yield Impact(
            "variant-switched",
            "game",
            f"switched to {self.title}, certified before{f': {moved}' if moved else ''}",
            None,
            self.title,
            ("game",),
        )


def switched_to(before: Submission, after: Submission) -> Switch | None:
    """Returns the switch that a change is, none where the game after was not certified beside the one before.

    The code must be the same, and the game after may bring nothing along that was not certified: a variant is the same
    game on other data of its family.
    """
    named = family_of(after.game).certified
    if named is None or before.game.family != after.game.family:
        return None
    if before.basis.code.identity != after.basis.code.identity:
        return None
    own, *beside = named(before.game)
    now, *others = named(after.game)
    known = {one.plays for one in (own, *beside)}
    if now.plays == own.plays or any(one.plays not in known for one in others):
        return None
    return next((Switch(one.title) for one in beside if one.plays == now.plays), None)
