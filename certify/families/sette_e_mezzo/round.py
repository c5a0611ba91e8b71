"""The reference round: 7 e Mezzo played card by card, with a trace that explains itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.sette_e_mezzo import rulebook
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    CLASSES,
    DECK_SIZE,
    MATTA,
    card_name,
    rank_of,
)
from certify.model.game import Game
from certify.model.paytable import Paytable

HIT: Final = "hit"
STAND: Final = "stand"

Decide = Callable[[tuple[int, ...]], str]
"""Chooses ``hit`` or ``stand`` for a hand given as card ids."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a round.

    Args:
        actor: ``player``, ``dealer`` or the id of a wager.
        action: ``dealt``, ``draws``, ``decides``, ``ends`` or ``settled``.
        text: The event as a sentence.
        card: Card id where a card was turned.
        total: Total of the actor's hand after it in half points.
    """

    actor: str
    action: str
    text: str
    card: int | None = None
    total: int | None = None

    def __str__(self) -> str:
        """Returns the event as a sentence."""
        return self.text


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A finished round.

    Args:
        player: The player's cards in the order they came.
        dealer: The dealer's cards in the order they came.
        decisions: Decisions of the player in order; draws by rule are none.
        outcomes: Row of each wager by wager id.
        net: Net result of each wager that has a paytable, per unit staked.
        events: Everything that happened, in order.
    """

    player: tuple[int, ...]
    dealer: tuple[int, ...]
    decisions: tuple[str, ...]
    outcomes: tuple[tuple[str, str], ...]
    net: tuple[tuple[str, Fraction], ...]
    events: tuple[Event, ...]

    def outcome(self, wager: str) -> str:
        """Returns the row that a wager fell in."""
        return dict(self.outcomes)[wager]

    @property
    def trace(self) -> tuple[str, ...]:
        """The events as sentences."""
        return tuple(event.text for event in self.events)


def paytables_of(game: Game) -> dict[str, Paytable]:
    """Returns the paytables of a game by wager id."""
    return {wager.id: wager.paytable for wager in game.wagers}


def composition(cards: Iterable[int]) -> tuple[int, ...]:
    """Returns a hand counted by class, the form in which strategy tables name hands.

    >>> composition([0, 36, 28])
    (1, 0, 0, 0, 0, 0, 0, 1, 1)
    """
    counts = [0] * len(CLASSES)
    for card in cards:
        counts[CLASS_MATTA if card == MATTA else min(rank_of(card), CLASS_FACE)] += 1
    return tuple(counts)


def decide_by(table: HitTable) -> Decide:
    """Returns the decisions of a strategy table."""

    def decide(cards: tuple[int, ...]) -> str:
        hand = composition(cards)
        if not table.looks_at_first_card:
            return HIT if hand in table.draws else STAND
        first = rank_of(cards[0])
        same = sum(rank_of(card) == first for card in cards[1:])
        return HIT if (first, same, hand) in table.draws_by_first else STAND

    return decide


def replay(decisions: Sequence[str]) -> Decide:
    """Returns decisions taken from a record, in order.

    Raises:
        InputError: The round asks for more decisions than were recorded.
    """
    remaining = iter(decisions)

    def next_decision(cards: tuple[int, ...]) -> str:
        decision = next(remaining, None)
        if decision is None:
            held = ", ".join(card_name(card) for card in cards)
            raise InputError(
                f"the record holds {len(decisions)} decisions, expected one more at the hand {held}"
            )
        return decision

    return next_decision


def play_round(
    deck: Sequence[int],
    rules: SetteEMezzoRules,
    paytables: Mapping[str, Paytable],
    decide: Decide | HitTable,
) -> PlayedRound:
    """Plays one round from a shuffled deck and explains every step of it.

    Args:
        deck: All forty card ids in dealing order: the player's first card, the dealer's first card, then the
            player's draws, then the dealer's draws.
        rules: Rules of play.
        paytables: Paytable of each wager by id; a wager without one is settled but not paid.
        decide: The player's decisions.

    Raises:
        InputError: The deck is not a permutation of the forty cards, or a decision is neither hit nor stand.
    """
    if sorted(deck) != list(range(DECK_SIZE)):
        raise InputError(f"a deck of {len(deck)} cards was dealt, expected each of the ids 0 to 39 once")
    table = _Table(deck, rules, decide_by(decide) if isinstance(decide, HitTable) else decide)
    table.play()
    outcomes = rulebook.settle(table.player, table.dealer, rules)
    net = tuple((wager, _net(paytables[wager], row)) for wager, row in outcomes if wager in paytables)
    for wager, row in outcomes:
        paid = f", pays {dict(net)[wager]} net" if wager in paytables else ""
        table.events.append(Event(wager, "settled", f"{wager} settles as {row}{paid}"))
    return PlayedRound(
        tuple(table.player), tuple(table.dealer), tuple(table.decisions), outcomes, net, tuple(table.events)
    )


def _net(paytable: Paytable, row: str) -> Fraction:
    # A paytable names what it pays; an outcome that no row names loses the stake.
    return paytable.pays(row) if row in paytable.ids else Fraction(-1)


class _Table:
    """The table during one round: hands grow, events are written down."""

    __slots__ = ("_decide", "_deck", "_rules", "dealer", "decisions", "events", "player")

    def __init__(self, deck: Sequence[int], rules: SetteEMezzoRules, decide: Decide) -> None:
        self._deck = iter(deck)
        self._rules = rules
        self._decide = decide
        self.player: list[int] = []
        self.dealer: list[int] = []
        self.decisions: list[str] = []
        self.events: list[Event] = []

    def play(self) -> None:
        """Deals, lets the player play and then, unless the player is bust, the dealer."""
        self._take("player", self.player, "dealt", "is dealt")
        self._take("dealer", self.dealer, "dealt", "is dealt, face down,")
        self._play_player()
        if rulebook.is_bust(self.player):
            covered = self._rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER
            then = "neither draws nor uncovers" if covered else "does not draw and uncovers"
            self._end("player", f"player is bust: the dealer {then} the first card")
            return
        value = rulebook.hand_value(self.player)
        self._end("player", f"player's hand ends on {format_half_points(value)}")
        while rulebook.dealer_must_draw(self.dealer, value, self._rules):
            self._take("dealer", self.dealer, "draws", "draws")
        total = rulebook.hand_value(self.dealer)
        bust = rulebook.is_bust(self.dealer)
        self._end("dealer", "dealer is bust" if bust else f"dealer stands on {format_half_points(total)}")

    def _play_player(self) -> None:
        while True:
            if rulebook.player_must_draw(self.player, self._rules):
                self._take("player", self.player, "draws", "draws by rule")
            elif rulebook.player_may_decide(self.player, self._rules):
                if self._decision() == STAND:
                    return
                self._take("player", self.player, "draws", "draws")
            else:
                return

    def _decision(self) -> str:
        decision = self._decide(tuple(self.player))
        if decision not in (HIT, STAND):
            raise InputError(f'the player decided {decision!r}, expected "hit" or "stand"')
        self.decisions.append(decision)
        total = rulebook.hand_value(self.player)
        text = f"player {decision}s on {format_half_points(total)}"
        self.events.append(Event("player", "decides", text, total=total))
        return decision

    def _take(self, actor: str, hand: list[int], action: str, verb: str) -> None:
        card = next(self._deck)
        hand.append(card)
        total = rulebook.hand_value(hand)
        text = f"{actor} {verb} {card_name(card)}: total {format_half_points(total)}"
        self.events.append(Event(actor, action, text, card, total))

    def _end(self, actor: str, text: str) -> None:
        self.events.append(Event(actor, "ends", text))
