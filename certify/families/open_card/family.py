"""The family of Seven and a Half games with an open dealer's card, and what it can prove about its paytable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from certify.errors import InputError
from certify.families.open_card import rulebook
from certify.families.open_card.counting import OpenCardCounting
from certify.families.open_card.exact.port import OpenCardExact, OpenCardIdentify, plan
from certify.families.open_card.printed_tables import OpenCardPrintedTables
from certify.families.open_card.round import play_open_card_round
from certify.families.open_card.rules import FAMILY_ID, OpenCardRules, OpenCardTie
from certify.families.open_card.sections import OpenCardSections, family_findings
from certify.families.open_card.strategy import open_card_table
from certify.families.open_card.submitted import OpenCardSubmission
from certify.families.open_card.volume.port import OpenCardVolume
from certify.families.port import Family, ReferenceRound
from certify.families.sette_e_mezzo.round import PlayedRound, replay
from certify.families.seven_and_a_half.cards import FRENCH_SUITS, MATTA, card_name
from certify.families.seven_and_a_half.submitted import RANK_VALUES
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.rules import Rules
from certify.model.strategy import Strategy
from certify.model.witness import Recipe, Witness

_RECIPES: Final[Mapping[str, tuple[Recipe, ...]]] = {
    rulebook.KING: (Recipe("K of Denari, 2 of Coppe", 1),),
    rulebook.DEALER_KING: (Recipe("2 of Coppe, K of Denari", 1),),
    rulebook.FOLD: (Recipe("7 of Coppe, 6 of Coppe", 0),),
    rulebook.WIN: (
        Recipe("7 of Coppe, 6 of Coppe", 1),
        Recipe("7 of Coppe, 6 of Coppe, 7 of Denari", 1),
        Recipe("6 of Coppe, 6 of Denari, A of Coppe, 7 of Coppe", 2),
    ),
    rulebook.PUSH: (
        Recipe("7 of Coppe, 7 of Denari", 1),
        Recipe("6 of Coppe, 6 of Denari, A of Coppe, A of Denari", 2),
        Recipe("6 of Coppe, 6 of Denari, J of Coppe, J of Denari", 2),
        Recipe("6 of Coppe, 7 of Denari, A of Coppe", 2),
    ),
    rulebook.LOSE: (
        Recipe("6 of Coppe, 7 of Denari", 1),
        Recipe("2 of Coppe, 6 of Denari, A of Coppe, A of Denari", 2),
    ),
    rulebook.BUST: (Recipe("7 of Coppe, 6 of Coppe, 7 of Denari", 2),),
}
"""Each is played through the reference round before it is handed out; the first that fits the rules is."""


@dataclass(frozen=True, slots=True)
class OpenCardFamily:
    """One player against a dealer with a fixed rule and an open first card; one wager, the ante."""

    id: str = "seven-and-a-half-open-card"
    wager_ids: tuple[str, ...] = rulebook.WAGER_IDS
    rank_values: tuple[tuple[str, int], ...] = RANK_VALUES
    suits: tuple[str, ...] = FRENCH_SUITS
    matta: str = card_name(MATTA, FRENCH_SUITS)
    bankers: tuple[str, ...] = ("house", "player")

    def row_ids(self, wager: str, rules: Rules) -> tuple[str, ...]:
        """Returns the rows of the ante that return something.

        Raises:
            InputError: The family has no such wager.
        """
        push = (rulebook.PUSH,) if self._require(wager, rules).tie is OpenCardTie.PUSH else ()
        return (rulebook.KING, rulebook.WIN, *push)

    def reachable_rows(self, wager: str, rules: Rules) -> tuple[str, ...]:
        """Returns every row that some hand falls in, winning rows first.

        Raises:
            InputError: The family has no such wager.
        """
        folding = (rulebook.FOLD,) if self._require(wager, rules).final_bets else ()
        losing = (rulebook.LOSE, rulebook.BUST, *folding, rulebook.DEALER_KING)
        return (rulebook.KING, rulebook.WIN, rulebook.PUSH, *losing)

    def witness(self, wager: str, row: str, rules: Rules) -> Witness:
        """Returns a round that produces a row, played through the reference round before it is returned.

        Raises:
            InputError: No hand falls in that row under these rules.
        """
        own = self._require(wager, rules)
        for recipe in _RECIPES.get(row, ()):
            wanted = recipe.player_cards

            def decide(cards: tuple[int, ...], open_card: int, wanted: int = wanted) -> str:
                allowed = rulebook.decisions(cards, own)
                move = rulebook.HIT if len(cards) < wanted else rulebook.STAND
                if not wanted:
                    move = rulebook.FOLD
                return next((one for one in allowed if one.partition("-")[0] == move), allowed[-1])

            played = play_open_card_round(recipe.deck(), own, None, decide)
            if self.row_of(played.outcome(wager)) == row:
                return Witness(wager, row, recipe.deck(), played.decisions)
        raise InputError(f"no hand of {wager} falls in the row {row!r} under these rules")

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome, its final bet left out.

        >>> OpenCardFamily().row_of("win-final-2"), OpenCardFamily().row_of("fold")
        ('win', 'fold')
        """
        return outcome.partition("-final-")[0]

    def play(
        self,
        deck: Sequence[int],
        rules: Rules,
        paytables: Mapping[str, Paytable],
        decisions: Strategy | Sequence[str],
    ) -> PlayedRound:
        """Plays one round by the reference rules, decided by a strategy or as recorded.

        Raises:
            InputError: The deck is not whole, or the round asks for decisions that are not there.
        """
        own = self._require(rulebook.ANTE, rules)
        paytable = paytables.get(rulebook.ANTE)
        if not isinstance(decisions, Sequence):
            return play_open_card_round(deck, own, paytable, open_card_table(decisions))
        recorded = replay(decisions)
        return play_open_card_round(deck, own, paytable, lambda cards, _: recorded(cards))

    def _require(self, wager: str, rules: Rules) -> OpenCardRules:
        if wager not in self.wager_ids:
            raise InputError(f"{self.id} has no wager {wager!r}: expected one of {', '.join(self.wager_ids)}")
        if not isinstance(rules, OpenCardRules):
            raise InputError(f"rules of another family: expected those of {self.id}")
        return rules


def _reference(game: Game) -> ReferenceRound[Any]:
    from certify.families.open_card.reference import reference

    return reference(game)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Seven and a Half with an open dealer's card: one player, a dealer with a fixed rule, one wager",
    rules=OpenCardSubmission(),
    reference=_reference,
    volume=OpenCardVolume(),
    counting=OpenCardCounting(),
    findings=family_findings,
    sections=OpenCardSections(),
    plan=plan,
    exact=OpenCardExact(),
    identify=OpenCardIdentify(),
    interim=OpenCardFamily(),
    printed=OpenCardPrintedTables(),
)
