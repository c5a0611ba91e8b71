"""The kernel's twin in plain Python: deal, hold, draw and what the final hand is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from certify.families.video_poker.cards import HAND, HOLD_IDS, Deck, alike_hand, arranged
from certify.families.video_poker.strategy import HoldTable
from certify.families.video_poker.volume.settlement import code_of
from rng.lazy import LazyDeck
from rng.uniform import Words


def play(rows: NDArray[Any], strategy: HoldTable, deck: Deck, deuces: bool) -> list[int]:
    """Returns the code of the final hand of every round."""
    return [play_one(row, strategy, deck, deuces) for row in rows.tolist()]


def play_rounds(words: Words, rounds: int, strategy: HoldTable, deck: Deck, deuces: bool) -> list[int]:
    """Returns the codes of rounds that are dealt card by card."""
    return [play_one(LazyDeck(words, deck.size), strategy, deck, deuces) for _ in range(rounds)]


def play_one(cards: Sequence[int], strategy: HoldTable, deck: Deck, deuces: bool) -> int:
    """Returns the code of the final hand of one round; cards are looked at one after the other."""
    dealt = [cards[place] for place in range(HAND)]
    held = strategy.choose(alike_hand(deck, dealt), HOLD_IDS).removeprefix("hold-")
    kept = [card for place, card in enumerate(arranged(deck, dealt), start=1) if str(place) in held]
    drawn = [cards[HAND + place] for place in range(HAND - len(kept))]
    return code_of([*kept, *drawn], deck, deuces)
