"""Rounds of several people, one of whom holds the bank: what the family brings to a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.rules import Passing, rules_of
from certify.families.free_bank.strategy import SPLIT
from certify.families.free_bank.table import BankTable
from certify.families.free_bank.volume import settlement
from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.model.equipment import Row
from certify.model.game import Game

DECKS: Final = 3
"""Decks of a row of several seats: the one that is dealt, and two that give the order of cards shuffled again."""

_TAKES: Final = {
    Passing.NEVER: (),
    Passing.SEVEN_AND_A_HALF: (settlement.FULL, settlement.ROYAL),
    Passing.REALE: (settlement.ROYAL,),
}
"""Hands that take the bank."""


@dataclass(frozen=True, slots=True)
class PlayerBankedRounds:
    """Rounds of several people, as this family plays them, and a second text of what they come to."""

    def seated(self, game: Game, seats: int) -> FreeBankRound:
        """Returns the round of a game for a number of seats, with further decks for the cards that come again."""
        deck = game.equipment[0]
        decks = (deck, *(replace(deck, id=f"{deck.id}-again-{number}") for number in range(1, DECKS)))
        return reference(replace(game, rules=replace(rules_of(game), seats=seats), equipment=decks))

    def rows(self, rows: Sequence[Row], most: int) -> tuple[Row, ...]:
        """Returns rows of three decks, made of the first decks of rows of one; each deck serves in turn."""
        decks = [tuple(row[:DECK_SIZE]) for row in rows]
        return tuple(
            tuple(card for place in range(DECKS) for card in decks[(at + place) % len(decks)])
            for at in range(min(most, len(decks)))
        )

    def put_up(self, seated: FreeBankRound, stake: int, options: Sequence[str]) -> int:
        """Returns what a seat must have put up after its decisions: each stake with what it may cost."""
        rules = seated.rules
        costs = max(rules.bank_collects, rules.bank_collects_from_seven_and_a_half)
        return stake * costs * (1 + list(options).count(SPLIT))

    def expected(
        self, seated: FreeBankRound, state: BankTable, stakes: tuple[int, ...]
    ) -> tuple[tuple[int, ...], int | None]:
        """Returns what each seat must have won, and which takes the bank, by the settlement of play-through."""
        rules, kinds = seated.rules, settlement.classes(seated.rules)
        pays = {row.id: row.pays for row in seated.paytable.rows} if seated.paytable is not None else {}
        bank = settlement.code([kinds[card] for card in state.bank], rules)
        nets: list[int] = []
        takes: int | None = None
        for place, (seat, stake) in enumerate(zip(state.seats, stakes, strict=True)):
            codes = [settlement.code([kinds[card] for card in hand.cards], rules) for hand in seat.hands]
            outcome = "+".join(settlement.ENDS[settlement.ended(code, bank)] for code in codes)
            won = settlement.net(outcome, pays, rules) * stake
            nets.append(won.numerator // won.denominator)
            if takes is None and set(codes) & set(_TAKES[rules.passing]):
                takes = place
        if not rules.passes_when_bank_has_it and bank in _TAKES[rules.passing]:
            takes = None
        return tuple(nets), takes
