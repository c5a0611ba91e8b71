"""The tree behind one decision, with its fractions, so that a reader can follow it draw by draw."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.analysis.figures_json import costs
from certify.exact import decimal_text, format_half_points, fraction_text


@dataclass(frozen=True, slots=True)
class Branch:
    """One card that may come: its class, how many are left, and what the hand is worth then.

    Args:
        card: Class of the card.
        cards: Cards of the class that are left.
        chance: Probability that it comes.
        hand: The hand after it.
        total: Its total in half points.
        then: ``hit``, ``stand`` or ``bust``: what follows under best play.
        value: Expected net result of main after it.
    """

    card: str
    cards: int
    chance: Fraction
    hand: str
    total: int
    then: str
    value: Fraction


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hand is best hit or stood on, for the main wager.

    Args:
        hand: The hand.
        total: Its total in half points.
        cards_left: Cards that the player has not seen.
        standing: Probability of each outcome when the player stands.
        stand: Expected net result of standing.
        branches: What each next card leads to.
        hit: Expected net result of drawing.
        best: ``hit``, ``stand``, ``draw`` where the rules draw.
        values: Expected net result of every decision that is allowed.
    """

    hand: str
    total: int
    cards_left: int
    standing: tuple[tuple[str, Fraction], ...]
    stand: Fraction | None
    branches: tuple[Branch, ...]
    hit: Fraction
    best: str
    values: tuple[tuple[str, Fraction], ...] = ()


def explanation_text(found: Explanation) -> str:
    """Returns an explanation as lines of text."""
    lines = [f"{found.hand}: {format_half_points(found.total)} points, {found.cards_left} cards not seen"]
    if found.stand is not None:
        lines.append(f"stand: {_number(found.stand)}")
        lines += [f"  {outcome:8} {_number(chance)}" for outcome, chance in found.standing]
    lines.append(f"{'hit' if found.best != 'draw' else 'draw'}: {_number(found.hit)}")
    lines += [
        f"  {branch.card:5} {branch.cards:2}/{found.cards_left}: {branch.hand} = "
        f"{format_half_points(branch.total)}, then {branch.then}: {_number(branch.value)}"
        for branch in found.branches
    ]
    for decision, cost in costs(dict(found.values)).items():
        if cost:
            lines.append(
                f"{decision} instead of {found.best}: {_number(dict(found.values)[decision])}, "
                f"costs {_number(cost)}"
            )
    lines.append(f"best: {found.best}")
    return "\n".join(lines)


def _number(value: Fraction) -> str:
    return f"{decimal_text(value, 6)} = {fraction_text(value)}"


def explanation_json(found: Explanation) -> dict[str, Any]:
    """Returns an explanation as a JSON object."""
    return {
        "hand": found.hand,
        "total": format_half_points(found.total),
        "cards_left": found.cards_left,
        "standing": {outcome: fraction_text(chance) for outcome, chance in found.standing},
        "stand": None if found.stand is None else fraction_text(found.stand),
        "hit": fraction_text(found.hit),
        "best": found.best,
        "values": {decision: fraction_text(value) for decision, value in found.values},
        "costs": {decision: fraction_text(cost) for decision, cost in costs(dict(found.values)).items()},
        "branches": [
            {
                "card": branch.card,
                "cards": branch.cards,
                "chance": fraction_text(branch.chance),
                "hand": branch.hand,
                "total": format_half_points(branch.total),
                "then": branch.then,
                "value": fraction_text(branch.value),
            }
            for branch in found.branches
        ],
    }
