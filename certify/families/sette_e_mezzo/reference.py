"""The reference round of 7 e Mezzo: its rules of play as a state machine, one card or decision at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.sette_e_mezzo import mano_di_poker, rulebook
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, rules_of
from certify.families.sette_e_mezzo.strategy import HIT, STAND
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    CLASSES,
    MATTA,
    RANKS,
    rank_of,
    suit_of,
)
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.paytable import Paytable

PLAYER: Final = "player"
DEALER: Final = "dealer"

_OPTIONS: Final = (Option(STAND), Option(HIT))
_LOST: Final = Fraction(-1)


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        player: The player's cards in the order they came.
        dealer: The dealer's cards in the order they came.
        decision: The player's last decision until the card that it asks for has come; empty where none is open.
    """

    player: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    decision: str = ""


@dataclass(frozen=True, slots=True)
class SetteEMezzoRound:
    """7 e Mezzo against the house: the player's first card, the dealer's, the player's draws, the dealer's.

    Args:
        rules: Rules of play.
        paytables: (Wager, what it pays) for every wager of the game.
        equipment: The forty cards.
    """

    rules: SetteEMezzoRules
    paytables: tuple[tuple[str, Paytable], ...]
    equipment: tuple[Equipment, ...]

    @property
    def _deck(self) -> str:
        return self.equipment[0].id

    def start(self) -> State:
        """Returns the state before anything is drawn."""
        return State()

    def node(self, state: State) -> Node:
        """Returns what the round waits for."""
        player, dealer = state.player, state.dealer
        if not player:
            return Chance(self._deck, PLAYER)
        if not dealer:
            return Chance(self._deck, DEALER, "is dealt, face down,", shown=False)
        if self._player_goes_on(state):
            if state.decision == HIT:
                return Chance(self._deck, PLAYER, "draws")
            if rulebook.player_must_draw(player, self.rules):
                return Chance(self._deck, PLAYER, "draws by rule")
            return Choice(PLAYER, _OPTIONS, seen(player))
        if self._dealer_draws(state):
            return Chance(self._deck, DEALER, "draws")
        rows = dict(rulebook.settle(player, dealer, self.rules))
        return Settled(tuple(_result(wager, rows[wager], paytable) for wager, paytable in self.paytables))

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card: the dealer's where the player has one and the dealer none, or is done."""
        if not state.player or (state.dealer and self._player_goes_on(state)):
            return State((*state.player, face), state.dealer)
        return State(state.player, (*state.dealer, face), state.decision)

    def decided(self, state: State, option: str) -> State:
        """Returns the state after a decision.

        Raises:
            InputError: The option is neither of the two.
        """
        if option not in (HIT, STAND):
            raise InputError(f'the player decided {option!r}, expected "hit" or "stand"')
        return State(state.player, state.dealer, option)

    def alike(self, state: State, face: int) -> Hashable:
        """Returns what matters of the next card.

        Until the player's second card the suits matter to Mano di Poker, and then its row does; while the player
        plays, the rank of the first card matters to who remembers it; after that only what a card counts does.
        """
        player, dealer = state.player, state.dealer
        if not player:
            return _type(face), suit_of(face) == suit_of(MATTA)
        if not dealer:
            return _type(face), _suited(player[0], face)
        if not self._player_goes_on(state):
            return _class(face)
        kind = (_class(face), rank_of(face) == rank_of(player[0]))
        return kind if len(player) > 1 else (kind, mano_di_poker.classify(player[0], face, dealer[0]))

    def matters(self, state: State) -> Hashable:
        """Returns what still matters of a round.

        Rows of side bets stand for the cards that decided them; of the player's hand its total remains once it is
        done, beside how many cards of each class have left the deck.
        """
        player, dealer = state.player, state.dealer
        if not dealer:
            return tuple((_type(card), suit_of(card) == suit_of(MATTA)) for card in player)
        if self._player_goes_on(state):
            if len(player) == 1:
                return _type(player[0]), _type(dealer[0]), _suited(player[0], dealer[0]), state.decision
            pair = rank_of(player[0]) == rank_of(dealer[0])
            mano = rulebook.settle_mano_di_poker(player, dealer)
            return seen(player), _class(dealer[0]), pair, mano, state.decision
        rows = tuple(rulebook.settle(player, dealer, self.rules))
        if not self._dealer_draws(state):
            return rows
        return (
            rulebook.hand_value(player),
            rulebook.is_king_seven_and_a_half(player),
            len(dealer) == 1,
            rulebook.hand_value([card for card in dealer if card != MATTA]),
            MATTA in dealer,
            composition((*player, *dealer)),
            rows[1:],
        )

    def hands(self, state: State) -> tuple[Hand, ...]:
        """Returns both hands; the dealer's first card lies face down until the player is done."""
        hidden = (0,) if state.dealer and self._covered(state) else ()
        return (
            Hand(PLAYER, state.player, (), _total(state.player)),
            Hand(DEALER, state.dealer, hidden, _total(state.dealer)),
        )

    def _covered(self, state: State) -> bool:
        if self._player_goes_on(state):
            return True
        # Where a pair wins whatever happens next, the dealer turns over the first card after a bust too.
        forfeits = self.rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER
        return forfeits and rulebook.is_bust(state.player)

    def _player_goes_on(self, state: State) -> bool:
        if state.decision == STAND:
            return False
        draws = rulebook.player_must_draw(state.player, self.rules)
        return draws or rulebook.player_may_decide(state.player, self.rules)

    def _dealer_draws(self, state: State) -> bool:
        if rulebook.is_bust(state.player):
            return False
        return rulebook.dealer_must_draw(state.dealer, rulebook.hand_value(state.player), self.rules)


def reference(game: Game) -> SetteEMezzoRound:
    """Returns the reference round of a game."""
    paytables = tuple((wager.id, wager.paytable) for wager in game.wagers)
    return SetteEMezzoRound(rules_of(game), paytables, game.equipment)


def _result(wager: str, row: str, paytable: Paytable) -> WagerResult:
    # A paytable names what it pays; an outcome that no row names loses the stake.
    pays = next((listed.pays for listed in paytable.rows if listed.id == row), _LOST)
    return WagerResult(wager, row, pays)


def seen(cards: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    """Returns what a player may use: rank of the first card, further cards of that rank, hand by class.

    >>> seen((28, 36, 0))  # a jack, the King of Denari, an ace
    (7, 0, (1, 0, 0, 0, 0, 0, 0, 1, 1))
    """
    first = rank_of(cards[0])
    return first, sum(rank_of(card) == first for card in cards[1:]), composition(cards)


def composition(cards: Iterable[int]) -> tuple[int, ...]:
    """Returns a hand counted by class, the form in which strategy tables name hands.

    >>> composition([0, 36, 28])
    (1, 0, 0, 0, 0, 0, 0, 1, 1)
    """
    counts = [0] * len(CLASSES)
    for card in cards:
        counts[_class(card)] += 1
    return tuple(counts)


def _class(card: int) -> int:
    return CLASS_MATTA if card == MATTA else min(rank_of(card), CLASS_FACE)


def _type(card: int) -> int:
    """Returns the rank, the matta apart."""
    return len(RANKS) if card == MATTA else rank_of(card)


def _suited(first: int, second: int) -> int:
    """Returns 0 for two suits, 1 for one, 2 for the matta's: all that a third card of a flush can tell."""
    if suit_of(first) != suit_of(second):
        return 0
    return 2 if suit_of(first) == suit_of(MATTA) else 1


@lru_cache(maxsize=1 << 12)
def _total(cards: tuple[int, ...]) -> str:
    if not cards:
        return ""
    return format_half_points(rulebook.hand_value(cards)) + (", bust" if rulebook.is_bust(cards) else "")
