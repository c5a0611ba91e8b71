"""The reference round of video poker: five cards, one hold, as many cards again as were not held."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from certify.errors import InputError
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.video_poker import rules as ids
from certify.families.video_poker.cards import (
    HAND,
    HOLD_IDS,
    HOLD_OF,
    Deck,
    alike_cards,
    alike_hand,
    arranged,
    deck_of,
    suit_labels,
)
from certify.families.video_poker.rulebook import rows_fitted
from certify.families.video_poker.rules import VideoPokerRules, rules_of
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.paytable import Paytable

PLAYER: Final = "player"
_OPTIONS: Final = tuple(Option(name) for name in HOLD_IDS)


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        dealt: The first five faces in the order they came.
        held: Which places of the arranged hand are held, as bits; none before the decision.
        drawn: Faces drawn for the others, in the order they came.
    """

    dealt: tuple[int, ...] = ()
    held: int | None = None
    drawn: tuple[int, ...] = ()


@dataclass(frozen=True)
class VideoPokerRound:
    """Five cards, the hold, the draw.

    Args:
        rules: Rules of play.
        paytable: What the bet pays; none where nothing is bet.
        equipment: The deck.
        deck: What of its cards matters.
    """

    rules: VideoPokerRules
    paytable: Paytable | None
    equipment: tuple[Equipment, ...]
    deck: Deck

    @cached_property
    def _rows(self) -> tuple[str, ...]:
        return tuple(row for row in ids.RANKING if self.paytable and row in self.paytable.ids)

    def start(self) -> State:
        """Returns the state before anything is dealt."""
        return State()

    def node(self, state: State) -> Node:
        """Returns what the round waits for."""
        piece = self.equipment[0].id
        if len(state.dealt) < HAND:
            return Chance(piece, PLAYER)
        if state.held is None:
            return Choice(PLAYER, _OPTIONS, alike_hand(self.deck, state.dealt))
        if len(self.hand(state)) < HAND:
            return Chance(piece, PLAYER, "draws")
        if self.paytable is None:
            return Settled(())
        outcome = self.outcome(self.hand(state))
        net = Fraction(-1) if outcome == ids.LOSE else self.paytable.pays(outcome)
        return Settled((WagerResult(ids.BET, outcome, net),))

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card."""
        if len(state.dealt) < HAND:
            return replace(state, dealt=(*state.dealt, face))
        return replace(state, drawn=(*state.drawn, face))

    def decided(self, state: State, option: str) -> State:
        """Returns the state after a hold.

        Raises:
            InputError: The option is not offered.
        """
        if option not in HOLD_OF or len(state.dealt) < HAND or state.held is not None:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(HOLD_IDS)}")
        return replace(state, held=HOLD_OF[option])

    def alike(self, state: State, face: int) -> Hashable:
        """Returns rank and suit of a card; wild cards are alike."""
        return self.deck.ranks[face], self.deck.suits[face]

    def matters(self, state: State) -> Hashable:
        """Returns the cards up to the names of suits; after the draw, how the round ends."""
        if len(state.dealt) < HAND or state.held is None:
            return alike_hand(self.deck, state.dealt)
        hand = self.hand(state)
        if len(hand) == HAND:
            return self.outcome(hand)
        labels = suit_labels(self.deck, (*state.dealt, *state.drawn))
        gone = [face for face in state.dealt if face not in hand]
        return alike_cards(self.deck, hand, labels), alike_cards(self.deck, gone, labels)

    def hands(self, state: State) -> tuple[Hand, ...]:
        """Returns the hand, in the order in which its places are numbered until it is drawn to."""
        faces = self.hand(state)
        whole = len(state.dealt) == HAND and len(faces) == HAND
        return (Hand(PLAYER, faces, (), self._called(faces) if whole else ""),)

    def hand(self, state: State) -> tuple[int, ...]:
        """Returns the cards that the player has."""
        if len(state.dealt) < HAND:
            return state.dealt
        places = arranged(self.deck, state.dealt)
        if state.held is None:
            return places
        kept = (face for place, face in enumerate(places) if state.held >> place & 1)
        return (*kept, *state.drawn)

    def outcome(self, faces: Sequence[int]) -> str:
        """Returns the first row, from the highest, that the paytable names and a hand fits."""
        fits = self._fits(faces)
        return next((row for row in self._rows if row in fits), ids.LOSE)

    def _called(self, faces: Sequence[int]) -> str:
        """Returns what a hand is, whatever the paytable names."""
        fits = self._fits(faces)
        return next((row for row in ids.RANKING if row in fits), "nothing").replace("-", " ")

    def _fits(self, faces: Sequence[int]) -> frozenset[str]:
        return rows_fitted(
            self.rules, tuple((self.deck.ranks[face], self.deck.suits[face]) for face in faces)
        )


def reference(game: Game) -> VideoPokerRound:
    """Returns the reference round of a game."""
    paytable = next((wager.paytable for wager in game.wagers if wager.id == ids.BET), None)
    return VideoPokerRound(rules_of(game), paytable, game.equipment, deck_of(game))
