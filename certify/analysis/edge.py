"""Who has the edge, per unit of the initial stake and of everything staked, in one plain sentence."""

from __future__ import annotations

from fractions import Fraction

from certify.evidence.analysis import Edge
from certify.exact import outward_texts
from certify.messages import say, worded
from certify.model.figures import Bracket, WagerFigures


def edge_evidence(
    figures: WagerFigures,
    strategy: str,
    banked_by: str = "house",
    stake: str = "stake",
    *,
    elsewhere: Fraction = Fraction(0),
) -> Edge:
    """Returns who has the edge, per unit of the initial stake and of everything staked, with one plain sentence.

    Where a player banks there is no house: the other side is the bank.

    Args:
        figures: Exact figures of the wager.
        strategy: Name of the strategy that they are counted under.
        banked_by: Who banks, ``house`` or ``player``.
        stake: What the initial stake is called.
        elsewhere: The highest return of any further way of staking: above all that is staked, the player has the edge.
    """
    if figures.bracket is not None:
        return _proven_edge(figures.bracket, banked_by, stake)
    net = figures.expectation if elsewhere <= 1 else max(figures.expectation, elsewhere - 1)
    bank = "house" if banked_by == "house" else "bank"
    side = "player" if net > 0 else bank if net < 0 else "nobody"
    size = abs(net)
    # An approximation is told as one where it is tabulated, and never in a plain sentence.
    total = None if figures.near else figures.total_wagered
    part = None if total is None else size / total
    holder = side if side in ("player", "nobody") else "bank"
    if part is None:
        sentence = say(f"edge.{holder}", size=size, stake=stake, strategy=strategy)
    else:
        sentence = say(f"edge.{holder}-of-total", size=size, part=part, stake=stake, strategy=strategy)
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        per_total_wagered=part,
        **worded(sentence=sentence),
    )


def _proven_edge(proven: Bracket, banked_by: str, stake: str) -> Edge:
    """Returns who has the edge where a second party decides too: its size is the least that is proven."""
    bank = "house" if banked_by == "house" else "bank"
    side = bank if proven.upper < 1 else "player" if proven.lower > 1 else "nobody"
    sizes = sorted((1 - proven.lower, 1 - proven.upper), key=abs)
    size = Fraction(0) if side == "nobody" else abs(sizes[0])
    if side == "nobody":
        low, high = outward_texts(100 * proven.lower, 100 * proven.upper, 4)
    else:
        low, high = outward_texts(100 * size, 100 * abs(sizes[1]), 4)
    holder = side if side in ("player", "nobody") else "bank"
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        **worded(sentence=say(f"edge.{holder}-proven", low=low, high=high, stake=stake)),
    )
