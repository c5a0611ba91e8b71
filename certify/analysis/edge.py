"""Who has the edge, per unit of the initial stake and of everything staked, in one plain sentence."""

from __future__ import annotations

from certify.evidence.edge import Edge
from certify.exact import percent_text
from certify.messages import say, worded
from certify.model.figures import WagerFigures


def edge_evidence(
    figures: WagerFigures, strategy: str, banked_by: str = "house", stake: str = "stake"
) -> Edge:
    """Returns who has the edge, per unit of the initial stake and of everything staked, with one plain sentence.

    Where a player banks there is no house: the other side is the bank.

    Args:
        figures: Exact figures of the wager.
        strategy: Name of the strategy that they are counted under.
        banked_by: Who banks, ``house`` or ``player``.
        stake: What the initial stake is called.
    """
    net = figures.expectation
    bank = "house" if banked_by == "house" else "bank"
    side = "player" if net > 0 else bank if net < 0 else "nobody"
    size = abs(net)
    part = size / figures.total_wagered if figures.total_wagered is not None else None
    holder = side if side in ("player", "nobody") else "bank"
    if part is None:
        sentence = say(f"edge.{holder}", size=size, stake=stake, strategy=strategy)
    else:
        sentence = say(f"edge.{holder}-of-total", size=size, part=part, stake=stake, strategy=strategy)
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        per_stake_percent=percent_text(size),
        per_total_wagered=part,
        per_total_wagered_percent=None if part is None else percent_text(part),
        **worded(sentence=sentence),
    )
