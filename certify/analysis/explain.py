"""The tree behind one decision, with its fractions, so that a reader can follow it card by card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.analysis.analyze import solution_of, tree_of
from certify.analysis.counting import ORDERS, Hand, hand_name
from certify.analysis.figures_json import costs
from certify.analysis.optimal import Solution
from certify.analysis.settlement import ended
from certify.analysis.strategy_file import parse_hand
from certify.errors import InputError
from certify.exact import decimal_text, format_half_points, fraction_text
from certify.model.cards import CLASSES
from certify.model.game import Game
from certify.model.rules import SEVEN_AND_A_HALF, OpenCardRules


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


def explain(game: Game, text: str) -> Explanation:
    """Returns the tree behind the decision on a hand such as ``A+3``, or ``3 against 4`` with an open card.

    Raises:
        InputError: The text names no hand, or one on which nothing is decided or drawn.
    """
    if isinstance(game.rules, OpenCardRules):
        # It builds on the nouns of this module.
        from certify.analysis.open_card.explain import explain_open_card

        return explain_open_card(game, text)
    tree, solution = tree_of(game), solution_of(game)
    hand = parse_hand(text)
    if hand not in solution.draw:
        raise InputError(f"on {text} no card is drawn any more, or it cannot occur: nothing to explain")
    forced = hand in tree.hands.forced
    orders = tree.deck.orders_left(hand)
    standing = {} if forced else ended(tree.terms, tree.dealer, hand, tree.hands.totals[hand])
    return Explanation(
        hand_name(hand),
        tree.hands.totals[hand],
        tree.deck.size - sum(hand),
        tuple((outcome, Fraction(count, orders)) for outcome, count in sorted(standing.items())),
        None if forced else solution.expectation(solution.stand, hand),
        tuple(_branches(game, hand)),
        solution.expectation(solution.draw, hand),
        "draw" if forced else "hit" if hand in solution.hits else "stand",
        tuple(_values(solution, hand, forced=forced)),
    )


def _values(solution: Solution, hand: Hand, *, forced: bool) -> Iterator[tuple[str, Fraction]]:
    if not forced:
        yield "stand", solution.expectation(solution.stand, hand)
    yield "draw" if forced else "hit", solution.expectation(solution.draw, hand)


def _branches(game: Game, hand: Hand) -> Iterator[Branch]:
    tree, solution = tree_of(game), solution_of(game)
    size = tree.deck.size - sum(hand)
    for card_class, cards, longer in tree.deck.draws(hand):
        total = tree.hands.totals[longer]
        value = Fraction(solution.value(longer), solution.scale * ORDERS[size - 1])
        then = "bust" if total > SEVEN_AND_A_HALF else "hit" if longer in solution.hits else "stand"
        yield Branch(CLASSES[card_class], cards, Fraction(cards, size), hand_name(longer), total, then, value)


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
