"""Outcome ids of the ante and the small integers that the kernel counts them by."""

from __future__ import annotations

from typing import Final

ANTE: Final = "ante"
FINAL_BETS: Final = (0, 1, 2)
"""Final bets in antes that the kernel of games with an open dealer's card can count; 0 where there is none."""

OPEN_CARD_ENDS: Final = ("win", "push", "lose", "bust")
OPEN_CARD_OUTCOMES: Final = (
    "king-of-diamonds",
    "dealer-king-of-diamonds",
    "fold",
    *(f"{end}-final-{bet}" if bet else end for bet in FINAL_BETS for end in OPEN_CARD_ENDS),
)
"""Outcomes of the ante in games with an open dealer's card, in the order of their codes."""

OPEN_KING, OPEN_DEALER_KING, OPEN_FOLD, OPEN_FIRST_END = range(4)

INDEPENDENT: Final = (
    "hand totals and the King of diamonds: volume.settlement",
    "dealer's rule and settlement: volume.settlement, volume.tables",
    "play: volume.kernel and its twin volume.twin",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""
