"""Deals that show something: every row of a paytable, and the highest win."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """A deal that ends in one row.

    Args:
        wager: Id of the wager.
        row: Id of the row.
        deck: What is dealt, as ids in order.
        deck_names: The same as a player calls it.
        decisions: What is decided.
    """

    wager: str
    row: str
    deck: tuple[int, ...]
    deck_names: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exposure:
    """The most that one round can cost whoever banks.

    Args:
        amount: Net amount in minor units.
        currency: Currency (ISO 4217).
        wins: Net win of each wager in minor units.
        stakes: Everything staked on each wager in that round, in minor units.
        deck: What is dealt, as ids in order; empty where the amount is a bound and no round shows it.
        deck_names: The same as a player calls it.
        decisions: What is decided.
    """

    amount: int
    currency: str
    wins: tuple[tuple[str, int], ...]
    stakes: tuple[tuple[str, int], ...]
    deck: tuple[int, ...]
    deck_names: tuple[str, ...]
    decisions: tuple[str, ...]
