"""Who has the edge, per unit of the initial stake and of everything staked, in one plain sentence."""

from __future__ import annotations

from typing import Any

from certify.exact import fraction_text, percent_text
from certify.model.figures import WagerFigures


def edge_json(
    figures: WagerFigures, strategy: str, banked_by: str = "house", stake: str = "stake"
) -> dict[str, Any]:
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
    entry: dict[str, Any] = {
        "side": side,
        "bank": bank,
        "per_stake": fraction_text(size),
        "per_stake_percent": percent_text(size),
    }
    words = f"{percent_text(size, 4)} % of the {stake}"
    if figures.total_wagered is not None:
        part = size / figures.total_wagered
        entry |= {"per_total_wagered": fraction_text(part), "per_total_wagered_percent": percent_text(part)}
        words += f", {percent_text(part, 4)} % of everything staked"
    holder = {"player": "The player has the edge", "nobody": "Nobody has an edge"}.get(
        side, "The bank has the edge"
    )
    return entry | {"sentence": f"{holder}: {words}, under {strategy} play."}
