"""Strategies of video poker: a hold for every class of deals."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from certify.analysis.hands.deck import CountedDeck
from certify.analysis.hands.held import hold_id
from certify.errors import InputError
from certify.model.strategy import Strategy


@dataclass(frozen=True)
class HoldTable:
    """A complete strategy: what is held of every deal, whatever its suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        deck: The deck that it is written for.
        holds: The hold of every class of deals as bits, in the order of the numbers of the classes.
    """

    name: str
    strategy_class: str
    deck: CountedDeck
    holds: bytes = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the hold for a hand as the reference round shows it.

        Raises:
            InputError: What is seen is no hand of the deck.
        """
        # All deals are numbered once, which takes a moment that --help need not wait for.
        from certify.analysis.hands.deals import deals_of, number

        if not isinstance(sees, tuple) or len(set(sees)) != 5 or not set(sees) <= set(range(self.deck.size)):
            raise InputError(f"strategy {self.name!r} names no hold for {sees}: expected five cards")
        return hold_id(self.holds[int(deals_of(self.deck, len(sees)).place[number(sees)])])

    def table(self) -> object:
        """Returns the digest of all holds: they are too many to be written out."""
        return {"classes": len(self.holds), "sha256": hashlib.sha256(self.holds).hexdigest()}


def hold_table(strategy: Strategy) -> HoldTable:
    """Returns a strategy as a table of this family.

    Raises:
        InputError: It is a strategy of another family.
    """
    if isinstance(strategy, HoldTable):
        return strategy
    raise InputError(f"strategy {strategy.name!r} is of another family: expected a hold for every deal")
