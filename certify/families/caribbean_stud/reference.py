"""The reference round of Caribbean stud: five cards, the dealer's open one, raise or fold, the dealer's other four."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.errors import InputError
from certify.families.caribbean_stud import rulebook
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import HAND, deck_of, label
from certify.families.caribbean_stud.rules import StudRules, rules_of
from certify.families.french_deck.deck import RANKS, Card, Deck
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.paytable import Paytable

PLAYER, DEALER = "player", "dealer"

Held = tuple[tuple[int, int, int], ...]
"""By suit: ranks of the player, the dealer's open rank, the dealer's other ranks, as bits."""


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        player: Faces of the player in the order they came.
        dealer: Faces of the dealer, the open one first; the others come after the decision, as nobody sees them before.
        option: What was decided; empty before.
        held: What either side holds of each suit.
    """

    player: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    option: str = ""
    held: Held = ()


@dataclass(frozen=True)
class StudRound:
    """Five cards and the dealer's open one, the decision, the dealer's other four.

    Args:
        rules: Rules of play.
        paytables: What each wager pays, in the order of the game.
        equipment: The deck.
        deck: Its cards.
    """

    rules: StudRules
    paytables: tuple[tuple[str, Paytable], ...]
    equipment: tuple[Equipment, ...]
    deck: Deck

    def start(self) -> State:
        """Returns the state before anything is dealt."""
        return State(held=((0, 0, 0),) * self.deck.suits)

    def node(self, state: State) -> Node:
        """Returns what the round waits for."""
        piece = self.equipment[0].id
        if len(state.player) < HAND:
            return Chance(piece, PLAYER)
        if not state.dealer:
            return Chance(piece, DEALER)
        if not state.option:
            raised = Option(ids.RAISE, ((ids.ANTE, Fraction(self.rules.antes)),))
            sees = label(self._cards(state.player), self.deck.cards[state.dealer[0]])
            return Choice(PLAYER, (Option(ids.FOLD, gives_up=True), raised), sees)
        if state.option == ids.RAISE and len(state.dealer) < HAND:
            return Chance(piece, DEALER)
        return Settled(self.results(state))

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card."""
        rank, suit = self.deck.cards[face]
        own, opened, other = state.held[suit]
        if len(state.player) < HAND:
            held = _changed(state.held, suit, (own | 1 << rank, opened, other))
            return replace(state, player=(*state.player, face), held=held)
        now = (own, opened, other | 1 << rank) if state.dealer else (own, 1 << rank, other)
        return replace(state, dealer=(*state.dealer, face), held=_changed(state.held, suit, now))

    def decided(self, state: State, option: str) -> State:
        """Returns the state after the decision.

        Raises:
            InputError: The option is not offered.
        """
        if option not in ids.OPTIONS or not state.dealer or state.option:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(ids.OPTIONS)}")
        return replace(state, option=option)

    def alike(self, state: State, face: int) -> Hashable:
        """Returns the rank of a card, and what either side holds of its suit."""
        rank, suit = self.deck.cards[face]
        return rank, state.held[suit]

    def matters(self, state: State) -> Hashable:
        """Returns what either side holds, suit by suit, whatever the suits are called; at the end, the results."""
        if state.option == ids.FOLD or len(state.dealer) == HAND:
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
        if place in rulebook.NAMES:
            return rulebook.NAMES[place].replace("-", " ")
        return f"pair of {RANKS[decides[0]]}" if place else f"{RANKS[decides[0]]} high"

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
        cards = player if wager == ids.PROGRESSIVE else (*player, dealer[0])
        return rulebook.plain_result(wager, rulebook.paid(cards, paytable), paytable)


def _changed(held: Held, suit: int, ranks: tuple[int, int, int]) -> Held:
    return (*held[:suit], ranks, *held[suit + 1 :])


def reference(game: Game) -> StudRound:
    """Returns the reference round of a game."""
    paytables = tuple((wager.id, wager.paytable) for wager in game.wagers)
    return StudRound(rules_of(game), paytables, game.equipment, deck_of(game))
