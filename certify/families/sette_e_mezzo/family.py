"""The family of 7 e Mezzo against the house, and what it can prove about its paytables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from certify.errors import InputError
from certify.families.port import Family, ReferenceRound
from certify.families.sette_e_mezzo import rulebook
from certify.families.sette_e_mezzo.counting import SetteEMezzoCounting
from certify.families.sette_e_mezzo.exact.port import SetteEMezzoExact, SetteEMezzoIdentify, plan
from certify.families.sette_e_mezzo.findings import findings
from certify.families.sette_e_mezzo.mano_di_poker import COMBINATIONS
from certify.families.sette_e_mezzo.round import HIT, STAND, PlayedRound, play_round, replay
from certify.families.sette_e_mezzo.rules import FAMILY_ID, PairCondition, SetteEMezzoRules, Tie
from certify.families.sette_e_mezzo.sections import SetteEMezzoSections
from certify.families.sette_e_mezzo.strategy import hit_table
from certify.families.sette_e_mezzo.submitted import SetteEMezzoSubmission
from certify.families.sette_e_mezzo.volume.port import SetteEMezzoVolume
from certify.families.seven_and_a_half.cards import MATTA, SUITS, card_name
from certify.families.seven_and_a_half.submitted import RANK_VALUES
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.rules import Rules
from certify.model.strategy import Strategy
from certify.model.witness import Recipe, Witness

# Each recipe is played through the reference round before it is handed out: none is taken on trust. Where
# the rules differ in when the dealer draws, a recipe holds under all of them or a second one follows.
_RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (rulebook.MAIN, rulebook.KING_SEVEN_AND_A_HALF): (
        Recipe("K of Denari, 2 of Coppe, 7 of Denari, 7 of Coppe", 2),
    ),
    (rulebook.MAIN, rulebook.WIN): (Recipe("7 of Denari, 6 of Coppe, 7 of Coppe", 1),),
    (rulebook.MAIN, rulebook.PUSH): (
        Recipe("7 of Denari, 7 of Coppe", 1),
        Recipe("7 of Denari, 7 of Coppe, J of Denari, J of Coppe", 2),
    ),
    (rulebook.MAIN, rulebook.LOSE): (Recipe("A of Denari, 6 of Coppe, A of Coppe, J of Coppe", 1),),
    (rulebook.MAIN, rulebook.BUST): (Recipe("7 of Denari, 6 of Coppe, 7 of Coppe", 2),),
    (rulebook.PARTITA_PERFETTA, rulebook.PAIR_OF_SEVENS): (Recipe("7 of Denari, 7 of Coppe", 1),),
    (rulebook.PARTITA_PERFETTA, rulebook.PAIR_OF_FACES): (
        Recipe("J of Denari, J of Coppe, 7 of Denari, 7 of Coppe", 1),
    ),
    (rulebook.PARTITA_PERFETTA, rulebook.PAIR_ACE_TO_SIX): (Recipe("A of Denari, A of Coppe", 1),),
    (rulebook.PARTITA_PERFETTA, rulebook.NOT_UNCOVERED): (Recipe("7 of Denari, 7 of Coppe, 7 of Spade", 2),),
    (rulebook.PARTITA_PERFETTA, rulebook.LOSE): (Recipe("7 of Denari, 6 of Coppe", 1),),
    (rulebook.MANO_DI_POKER, "royal-flush"): (Recipe("J of Coppe, Q of Coppe, K of Coppe", 2),),
    (rulebook.MANO_DI_POKER, "straight-flush"): (Recipe("A of Coppe, 2 of Coppe, 3 of Coppe", 2),),
    (rulebook.MANO_DI_POKER, "three-of-a-kind"): (Recipe("2 of Denari, 2 of Coppe, 2 of Spade", 2),),
    (rulebook.MANO_DI_POKER, "flush"): (Recipe("A of Coppe, 3 of Coppe, 5 of Coppe", 2),),
    (rulebook.MANO_DI_POKER, "straight"): (Recipe("A of Denari, 2 of Coppe, 3 of Coppe", 2),),
    (rulebook.MANO_DI_POKER, rulebook.NO_SECOND_CARD): (Recipe("2 of Denari, 3 of Coppe", 1),),
    (rulebook.MANO_DI_POKER, rulebook.LOSE): (Recipe("A of Denari, 3 of Coppe, 3 of Spade", 2),),
}


@dataclass(frozen=True, slots=True)
class SetteEMezzoFamily:
    """The family of 7 e Mezzo against the house: one player, one dealer with a fixed rule, two side bets."""

    id: str = "sette-e-mezzo"
    wager_ids: tuple[str, ...] = rulebook.WAGER_IDS
    rank_values: tuple[tuple[str, int], ...] = RANK_VALUES
    suits: tuple[str, ...] = SUITS
    matta: str = card_name(MATTA)
    bankers: tuple[str, ...] = ("house",)

    def row_ids(self, wager: str, rules: Rules) -> tuple[str, ...]:
        """Returns the rows of a wager that return something, in printed order.

        Raises:
            InputError: The family has no such wager.
        """
        losing = (rulebook.LOSE, rulebook.BUST, rulebook.NOT_UNCOVERED, rulebook.NO_SECOND_CARD)
        return tuple(row for row in self.reachable_rows(wager, rules) if row not in losing)

    def reachable_rows(self, wager: str, rules: Rules) -> tuple[str, ...]:
        """Returns every row that some hand falls in, winning rows first.

        Raises:
            InputError: The family has no such wager.
        """
        rules = _own(rules)
        if wager == rulebook.MAIN:
            push = (rulebook.PUSH,) if rules.tie is Tie.PUSH else ()
            return (rulebook.KING_SEVEN_AND_A_HALF, rulebook.WIN, *push, rulebook.LOSE, rulebook.BUST)
        if wager == rulebook.PARTITA_PERFETTA:
            forfeits = rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER
            pairs = (rulebook.PAIR_OF_SEVENS, rulebook.PAIR_OF_FACES, rulebook.PAIR_ACE_TO_SIX)
            return (*pairs, *((rulebook.NOT_UNCOVERED,) if forfeits else ()), rulebook.LOSE)
        if wager == rulebook.MANO_DI_POKER:
            return (*COMBINATIONS, rulebook.NO_SECOND_CARD, rulebook.LOSE)
        raise InputError(f"{self.id} has no wager {wager!r}: expected one of {', '.join(self.wager_ids)}")

    def witness(self, wager: str, row: str, rules: Rules) -> Witness:
        """Returns a round that produces a row, played through the reference round before it is returned.

        Raises:
            InputError: No hand falls in that row under these rules.
        """
        rules = _own(rules)
        for recipe in _RECIPES.get((wager, row), ()):
            wanted = recipe.player_cards

            def take(cards: tuple[int, ...], wanted: int = wanted) -> str:
                return HIT if len(cards) < wanted else STAND

            played = play_round(recipe.deck(), rules, {}, take)
            if played.outcome(wager) == row:
                return Witness(wager, row, recipe.deck(), played.decisions)
        raise InputError(f"no hand of {wager} falls in the row {row!r} under these rules")

    def row_of(self, outcome: str) -> str:
        """Returns the outcome itself: each row is one outcome."""
        return outcome

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
        decide = replay(decisions) if isinstance(decisions, Sequence) else hit_table(decisions)
        return play_round(deck, _own(rules), paytables, decide)


def _own(rules: Rules) -> SetteEMezzoRules:
    if not isinstance(rules, SetteEMezzoRules):
        raise InputError("rules of another family: expected those of sette-e-mezzo")
    return rules


def _reference(game: Game) -> ReferenceRound[Any]:
    from certify.families.sette_e_mezzo.reference import reference

    return reference(game)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="7 e Mezzo against the house: one player, a dealer with a fixed rule, two side bets",
    rules=SetteEMezzoSubmission(),
    reference=_reference,
    volume=SetteEMezzoVolume(),
    counting=SetteEMezzoCounting(),
    findings=findings,
    sections=SetteEMezzoSections(),
    plan=plan,
    exact=SetteEMezzoExact(),
    identify=SetteEMezzoIdentify(),
    interim=SetteEMezzoFamily(),
)
