"""Whole rounds counted over ordered deals: a second exact way, forward from the first cards.

Weights are whole numbers: how many ordered deals lead to a hand. They are carried forward from the first
cards to the settlement, while the enumerator works backward with values; both take the strategy as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from certify.families.seven_and_a_half.cards import DECK_SIZE, MATTA, RANK_FIRST_FACE, rank_of

Hand = tuple[int, ...]
"""Cards of a hand, each by the one that stands for its class: the first card, then the others in order."""

Stops = Callable[[Hand], bool]
"""Whether a hand takes no further card."""

FACE: Final = 4 * RANK_FIRST_FACE
_IN_DECK: Final[Mapping[int, int]] = {
    **{4 * rank: 4 for rank in range(RANK_FIRST_FACE)},
    FACE: sum(rank_of(card) >= RANK_FIRST_FACE for card in range(DECK_SIZE)) - 1,
    MATTA: 1,
}
"""Cards that no rule but the suits can tell apart: the one that stands for them, and how many there are."""


def players(stops_against: Callable[[int], Stops]) -> Iterator[tuple[Hand, int, int]]:
    """Yields every finished hand of the player with the dealer's first card and the ordered deals to both."""
    for first, many in _IN_DECK.items():
        for shown, others in _IN_DECK.items():
            ways = many * (others - (first == shown))
            if ways:
                stops = stops_against(shown)
                for hand, deals in dealt((first,), ways, (shown,), stops).items():
                    yield hand, shown, deals


def dealt(start: Hand, ways: int, gone: Hand, stops: Stops) -> dict[Hand, int]:
    """Returns every finished hand that grows from a first card, with the number of ordered deals to it.

    Args:
        start: The first card.
        ways: Ordered deals so far.
        gone: Cards that others hold.
        stops: Whether a hand takes no further card.
    """
    finished: dict[Hand, int] = {}
    growing = {start: ways}
    others = [(card, many - gone.count(card)) for card, many in _IN_DECK.items()]
    while growing:
        longer: dict[Hand, int] = {}
        for hand, deals in growing.items():
            if stops(hand):
                finished[hand] = finished.get(hand, 0) + deals
                continue
            for card, many in others:
                left = many - hand.count(card)
                if left > 0:
                    drawn = (hand[0], *sorted((*hand[1:], card)))
                    longer[drawn] = longer.get(drawn, 0) + deals * left
        growing = longer
    return finished
