"""The reference round of three card poker: three cards, play or fold, the dealer's three."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.families.french_deck.deck import RANKS, Card, Deck
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.three_card_poker import rulebook
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of, label
from certify.families.three_card_poker.rules import ThreeCardRules, rules_of
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.paytable import Paytable

PLAYER, DEALER = "player", "dealer"

_CALLED: Final = {5: "straight flush", 4: "three of a kind", 3: "straight", 2: "flush", 1: "pair"}

_OPTIONS: Final = (Option(ids.FOLD, gives_up=True), Option(ids.PLAY, ((ids.ANTE, Fraction(1)),)))


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        player: Faces of the player in the order they came.
        option: What was decided; empty before.
        dealer: Faces of the dealer, who is dealt after the decision: what is not seen may as well come later.
        held: The ranks that player and dealer hold of each suit, as bits.
    """

    player: tuple[int, ...] = ()
    option: str = ""
    dealer: tuple[int, ...] = ()
    held: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ThreeCardRound:
    """Three cards, the decision, the dealer's three.

    Args:
        rules: Rules of play.
        paytables: What each wager pays, in the order of the game.
        equipment: The deck.
        deck: Its cards.
    """

    rules: ThreeCardRules
    paytables: tuple[tuple[str, Paytable], ...]
    equipment: tuple[Equipment, ...]
    deck: Deck

    def start(self) -> State:
        """Returns the state before anything is dealt."""
        return State(held=((0, 0),) * self.deck.suits)

    def node(self, state: State) -> Node:
        """Returns what the round waits for."""
        piece = self.equipment[0].id
        if len(state.player) < HAND:
            return Chance(piece, PLAYER)
        if not state.option:
            return Choice(PLAYER, _OPTIONS, label(self.deck.of(state.player)))
        if len(state.dealer) < HAND and self._looks_on(state):
            return Chance(piece, DEALER)
        return Settled(self.results(state))

    def _looks_on(self, state: State) -> bool:
        """Tells whether the dealer is dealt: by rule alone, so that no card depends on what is bet."""
        return state.option == ids.PLAY or not self.rules.fold_loses_all

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card."""
        rank, suit = self.deck.cards[face]
        own, other = state.held[suit]
        if len(state.player) < HAND:
            held = _changed(state.held, suit, (own | 1 << rank, other))
            return State((*state.player, face), state.option, state.dealer, held)
        held = _changed(state.held, suit, (own, other | 1 << rank))
        return State(state.player, state.option, (*state.dealer, face), held)

    def decided(self, state: State, option: str) -> State:
        """Returns the state after the decision.

        Raises:
            InputError: The option is not offered.
        """
        if option not in ids.OPTIONS or len(state.player) < HAND or state.option:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(ids.OPTIONS)}")
        return replace(state, option=option)

    def alike(self, state: State, face: int) -> Hashable:
        """Returns the rank of a card, and what either side holds of its suit."""
        rank, suit = self.deck.cards[face]
        return rank, state.held[suit]

    def matters(self, state: State) -> Hashable:
        """Returns what either side holds, suit by suit, whatever the suits are called; at the end, the results."""
        if state.option and (len(state.dealer) == HAND or not self._looks_on(state)):
            return self.results(state)
        return state.option, tuple(sorted(state.held))

    def hands(self, state: State) -> tuple[Hand, ...]:
        """Returns both hands, named once they are whole."""
        sides = ((PLAYER, state.player), (DEALER, state.dealer))
        return tuple(Hand(holder, faces, (), self._called(faces)) for holder, faces in sides)

    def _called(self, faces: tuple[int, ...]) -> str:
        if len(faces) < HAND:
            return ""
        place, decides = rulebook.strength(self._cards(faces))
        return _CALLED.get(place) or f"{RANKS[decides[0]]} high"

    def _cards(self, faces: tuple[int, ...]) -> tuple[Card, ...]:
        return tuple(self.deck.cards[face] for face in faces)

    def results(self, state: State) -> tuple[WagerResult, ...]:
        """Returns the result of every wager."""
        return tuple(self._result(state, wager, paytable) for wager, paytable in self.paytables)

    def _result(self, state: State, wager: str, paytable: Paytable) -> WagerResult:
        player, dealer = self._cards(state.player), self._cards(state.dealer)
        folded = state.option == ids.FOLD
        if wager == ids.ANTE:
            return rulebook.ante_result(self.rules, player, None if folded else dealer, paytable)
        if folded and self.rules.fold_loses_all:
            return rulebook.plain_result(wager, ids.LOSE, paytable)
        if wager == ids.PAIR_PLUS:
            row = rulebook.paid(ids.HANDS, rulebook.hands_of(player), paytable)
        else:
            row = rulebook.paid(ids.SIX_HANDS, rulebook.five_of((*player, *dealer)), paytable)
        return rulebook.plain_result(wager, row, paytable)


def _changed(
    held: tuple[tuple[int, int], ...], suit: int, ranks: tuple[int, int]
) -> tuple[tuple[int, int], ...]:
    return (*held[:suit], ranks, *held[suit + 1 :])


def reference(game: Game) -> ThreeCardRound:
    """Returns the reference round of a game."""
    paytables = tuple((wager.id, wager.paytable) for wager in game.wagers)
    return ThreeCardRound(rules_of(game), paytables, game.equipment, deck_of(game))
