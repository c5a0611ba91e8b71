"""The reference round of a Seven and a Half game with an open dealer's card, one card or decision at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Final

from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.open_card import rulebook
from certify.families.open_card.rules import OpenCardRules, rules_of
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.seven_and_a_half.cards import CLASS_FACE, MATTA, rank_of
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.paytable import Paytable

PLAYER: Final = "player"
DEALER: Final = "dealer"


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        player: The player's cards in the order they came.
        dealer: The dealer's cards in the order they came.
        final_bet: The final bet in antes.
        move: ``hit``, ``stand`` or ``fold`` as last decided, until the card that it asks for has come.
    """

    player: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    final_bet: int = 0
    move: str = ""


@dataclass(frozen=True, slots=True)
class OpenCardRound:
    """The player's first card, the dealer's open card, the player's draws, the dealer's.

    Args:
        rules: Rules of play.
        paytables: (Wager, what it pays) for every wager of the game: the ante, the final bet alike.
        equipment: The forty cards.
    """

    rules: OpenCardRules
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
        if not state.player:
            return Chance(self._deck, PLAYER)
        if not state.dealer:
            return Chance(self._deck, DEALER, "is dealt, face up,")
        if state.move == rulebook.HIT:
            return Chance(self._deck, PLAYER, "draws")
        decisions = self._decisions(state)
        if decisions:
            return Choice(PLAYER, _options(decisions), seen(state.player, state.dealer[0]))
        if self._dealer_draws(state):
            return Chance(self._deck, DEALER, "draws")
        return Settled(tuple(self._result(wager, paytable, state) for wager, paytable in self.paytables))

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card, the player's where the player has none or asked for it."""
        if not state.player or state.move == rulebook.HIT:
            return State((*state.player, face), state.dealer, state.final_bet)
        return replace(state, dealer=(*state.dealer, face))

    def decided(self, state: State, option: str) -> State:
        """Returns the state after a decision, a final bet placed where it names one.

        Raises:
            InputError: The option is not offered.
        """
        offered = self._decisions(state)
        if option not in offered:
            raise InputError(f"the player decided {option!r}, expected one of {', '.join(offered)}")
        move, _, placed = option.partition("-")
        return replace(state, move=move, final_bet=state.final_bet + int(placed or 0))

    def alike(self, state: State, face: int) -> Hashable:
        """Returns what a card counts; of the two first cards the King of diamonds is told apart."""
        return _class(face), not state.dealer and face == MATTA

    def matters(self, state: State) -> Hashable:
        """Returns what still matters: hands by class while the player plays, then totals and what left the deck."""
        player, dealer = state.player, state.dealer
        if not dealer:
            return tuple((_class(card), card == MATTA) for card in player)
        if state.move == rulebook.HIT or self._decisions(state):
            return seen(player, dealer[0]), state.final_bet, state.move
        if not self._dealer_draws(state):
            return self._outcome(state), state.final_bet
        left = open_composition((*player, *dealer))
        return rulebook.hand_value(player), rulebook.hand_value(dealer), len(dealer), left, state.final_bet

    def hands(self, state: State) -> tuple[Hand, ...]:
        """Returns both hands; the dealer's lies open from the deal on."""
        return (
            Hand(PLAYER, state.player, (), _total(state.player)),
            Hand(DEALER, state.dealer, (), _total(state.dealer)),
        )

    def _decisions(self, state: State) -> tuple[str, ...]:
        # A dealer who begins with the King of diamonds ends the round before anything is decided.
        if state.move or rulebook.is_king_of_diamonds(state.dealer):
            return ()
        return rulebook.decisions(state.player, self.rules)

    def _dealer_draws(self, state: State) -> bool:
        """Tells whether the dealer draws: only against a hand still in play, and by the rule."""
        kings = map(rulebook.is_king_of_diamonds, (state.player, state.dealer))
        if state.move == rulebook.FOLD or rulebook.is_bust(state.player) or any(kings):
            return False
        return rulebook.dealer_must_draw(state.dealer, self.rules)

    def _outcome(self, state: State) -> str:
        if rulebook.is_king_of_diamonds(state.player):
            return rulebook.KING
        if rulebook.is_king_of_diamonds(state.dealer):
            return rulebook.DEALER_KING
        return rulebook.FOLD if state.move == rulebook.FOLD else rulebook.settle(state.player, state.dealer)

    def _result(self, wager: str, paytable: Paytable, state: State) -> WagerResult:
        outcome, bet = self._outcome(state), state.final_bet
        net = net_pay(outcome, bet, self.rules, paytable)
        return WagerResult(wager, rulebook.outcome_id(outcome, bet), net, Fraction(1 + bet))


def reference(game: Game) -> OpenCardRound:
    """Returns the reference round of a game."""
    paytables = tuple((wager.id, wager.paytable) for wager in game.wagers)
    return OpenCardRound(rules_of(game), paytables, game.equipment)


def net_pay(outcome: str, final_bet: int, rules: OpenCardRules, paytable: Paytable) -> Fraction:
    """Returns the net result of a round in antes, at the pays of a paytable; a row that it lacks loses."""
    if outcome in (rulebook.KING, rulebook.WIN) and outcome not in paytable.ids:
        return Fraction(-1 - final_bet)
    if outcome == rulebook.KING:
        return paytable.pays(rulebook.KING)
    if outcome in (rulebook.DEALER_KING, rulebook.FOLD):
        return Fraction(-1)
    net = Fraction(rulebook.net_antes(outcome, final_bet, rules))
    return net * paytable.pays(rulebook.WIN) if outcome == rulebook.WIN else net


def seen(cards: tuple[int, ...], shown: int) -> tuple[int, tuple[int, ...]]:
    """Returns what a player may use: the class of the dealer's open card, and the own hand by class."""
    return _class(shown), open_composition(cards)


def open_composition(cards: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand counted by class, the King of diamonds among the faces: it is not the first card here.

    >>> open_composition([0, 36, 28])
    (1, 0, 0, 0, 0, 0, 0, 2)
    """
    counts = [0] * (CLASS_FACE + 1)
    for card in cards:
        counts[_class(card)] += 1
    return tuple(counts)


def _class(card: int) -> int:
    return min(rank_of(card), CLASS_FACE)


@cache
def _options(decisions: tuple[str, ...]) -> tuple[Option, ...]:
    """Returns decisions with what they add; there are as few different tuples as rules offer."""
    return tuple(Option(one, _added(one), one == rulebook.FOLD) for one in decisions)


def _added(decision: str) -> tuple[tuple[str, Fraction], ...]:
    """Returns the final bet that a decision places, in antes."""
    placed = decision.partition("-")[2]
    return ((rulebook.ANTE, Fraction(int(placed))),) if placed else ()


def _total(cards: tuple[int, ...]) -> str:
    if not cards:
        return ""
    return format_half_points(rulebook.hand_value(cards)) + (", bust" if rulebook.is_bust(cards) else "")
