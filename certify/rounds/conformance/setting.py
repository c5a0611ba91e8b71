"""In what the stories are told to a system under test."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from certify.rounds.conformance.extras import Extra
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.table import SeatAction

LARGEST: Final = (1 << 63) - 1
"""The largest balance that a system is tried with; one that is reached over a wire may name a lesser one."""


@dataclass(frozen=True, slots=True)
class Setting:
    """In what the stories are told.

    Args:
        edition: Rules and terms.
        decks: Decks of the deals.
        start: When a story begins that names no other time.
        opening: Opening balance of a story that names no other.
        offers: What the system offers beyond commands and view.
        unsupported: Actions that the operator declares unsupported.
        largest: The largest amount that the system can be told and can show, minor units.
    """

    edition: Edition
    decks: tuple[Deck, ...]
    start: datetime
    opening: int
    offers: frozenset[Extra] = frozenset()
    unsupported: frozenset[SeatAction] = frozenset()
    largest: int = LARGEST
