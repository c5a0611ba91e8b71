"""Who has the edge, per unit of the initial stake and of everything staked, in one plain sentence."""

from __future__ import annotations

from fractions import Fraction

from certify.evidence.edge import Edge
from certify.exact import percent_text
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
    words = f"{percent_text(size, 4)} % of the {stake}"
    part: Fraction | None = None
    if figures.total_wagered is not None:
        part = size / figures.total_wagered
        words += f", {percent_text(part, 4)} % of everything staked"
    holder = {"player": "The player has the edge", "nobody": "Nobody has an edge"}.get(
        side, "The bank has the edge"
    )
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        per_stake_percent=percent_text(size),
        sentence=f"{holder}: {words}, under {strategy} play.",
        per_total_wagered=part,
        per_total_wagered_percent=None if part is None else percent_text(part),
    )
