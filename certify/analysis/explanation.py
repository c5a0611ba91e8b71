"""The tree behind one decision, with its fractions, so that a reader can follow it draw by draw."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.exact import decimal_text, format_half_points, fraction_text
from certify.model.figures import costs
from certify.untrusted_input import JsonObject


@dataclass(frozen=True, slots=True)
class Branch:
    """One thing that may come next, and what the round is worth then.

    Args:
        card: Class of the card that comes; empty where it is not one card.
        cards: Cards of the class that are left; 0 where it is not one card.
        chance: Probability that it comes.
        hand: The hand after it, or what is seen then; empty where nothing is decided any more.
        total: Its total in half points, none where hands have no total.
        then: What follows under best play, such as ``hit``, ``stand`` or ``bust``; ``settled`` where the round ends.
        value: Expected net result of the first wager after it.
        option: The option that leads there, where several lead on; empty where only one does.
    """

    card: str
    cards: int
    chance: Fraction
    hand: str
    total: int | None
    then: str
    value: Fraction
    option: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a decision is best, for the first wager.

    Args:
        hand: The hand, or what is seen.
        total: Its total in half points, none where hands have no total.
        cards_left: Cards that the player has not seen, none where that is no question of cards.
        standing: Probability of each outcome when the player stands.
        stand: Expected net result of standing.
        branches: What each next card, or each option, leads to.
        hit: Expected net result of drawing, none where the options are others.
        best: The best option, ``draw`` where the rules draw.
        values: Expected net result of every decision that is allowed.
    """

    hand: str
    total: int | None
    cards_left: int | None
    standing: tuple[tuple[str, Fraction], ...]
    stand: Fraction | None
    branches: tuple[Branch, ...]
    hit: Fraction | None
    best: str
    values: tuple[tuple[str, Fraction], ...] = ()


def explanation_text(found: Explanation) -> str:
    """Returns an explanation as lines of text."""
    lines = [_heading(found)]
    if found.stand is not None:
        lines.append(f"stand: {_number(found.stand)}")
        lines += [f"  {outcome:8} {_number(chance)}" for outcome, chance in found.standing]
    if found.hit is not None:
        lines.append(f"{'hit' if found.best != 'draw' else 'draw'}: {_number(found.hit)}")
        lines += [_card_line(branch, found.cards_left) for branch in found.branches]
    else:
        lines += [line for option, value in found.values for line in _option_lines(found, option, value)]
    for decision, cost in costs(dict(found.values)).items():
        if cost:
            lines.append(
                f"{decision} instead of {found.best}: {_number(dict(found.values)[decision])}, "
                f"costs {_number(cost)}"
            )
    lines.append(f"best: {found.best}")
    return "\n".join(lines)


def _heading(found: Explanation) -> str:
    if found.total is None:
        return found.hand
    return f"{found.hand}: {format_half_points(found.total)} points, {found.cards_left} cards not seen"


def _card_line(branch: Branch, cards_left: int | None) -> str:
    total = "" if branch.total is None else f" = {format_half_points(branch.total)}"
    return (
        f"  {branch.card:5} {branch.cards:2}/{cards_left}: {branch.hand}{total}, "
        f"then {branch.then}: {_number(branch.value)}"
    )


def _option_lines(found: Explanation, option: str, value: Fraction) -> list[str]:
    lines = [f"{option}: {_number(value)}"]
    for branch in found.branches:
        if branch.option == option:
            then = f"{branch.hand}, then {branch.then}" if branch.hand else branch.then
            lines.append(f"  {fraction_text(branch.chance)}: {then}: {_number(branch.value)}")
    return lines


def _number(value: Fraction) -> str:
    return f"{decimal_text(value, 6)} = {fraction_text(value)}"


def explanation_json(found: Explanation) -> JsonObject:
    """Returns an explanation as a JSON object."""
    return {
        "hand": found.hand,
        "total": _total(found.total),
        "cards_left": found.cards_left,
        "standing": {outcome: fraction_text(chance) for outcome, chance in found.standing},
        "stand": None if found.stand is None else fraction_text(found.stand),
        "hit": None if found.hit is None else fraction_text(found.hit),
        "best": found.best,
        "values": {decision: fraction_text(value) for decision, value in found.values},
        "costs": {decision: fraction_text(cost) for decision, cost in costs(dict(found.values)).items()},
        "branches": [
            {
                **({"option": branch.option} if branch.option else {}),
                "card": branch.card,
                "cards": branch.cards,
                "chance": fraction_text(branch.chance),
                "hand": branch.hand,
                "total": _total(branch.total),
                "then": branch.then,
                "value": fraction_text(branch.value),
            }
            for branch in found.branches
        ],
    }


def _total(half_points: int | None) -> str | None:
    return None if half_points is None else format_half_points(half_points)
