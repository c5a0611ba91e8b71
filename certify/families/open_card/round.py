"""The reference round of a Seven and a Half game with an open dealer's card, card by card with its trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.open_card import rulebook
from certify.families.open_card.rules import OpenCardRules
from certify.families.open_card.strategy import OpenCardTable
from certify.families.sette_e_mezzo.round import Event, PlayedRound
from certify.families.seven_and_a_half.cards import CLASS_FACE, DECK_SIZE, FRENCH_SUITS, card_name, rank_of
from certify.model.paytable import Paytable

DecideOpen = Callable[[tuple[int, ...], int], str]
"""Chooses a decision for a hand given as card ids, in view of the dealer's open card."""


def open_composition(cards: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand counted by class, the King of diamonds among the faces: it is not the first card here.

    >>> open_composition([0, 36, 28])
    (1, 0, 0, 0, 0, 0, 0, 2)
    """
    counts = [0] * (CLASS_FACE + 1)
    for card in cards:
        counts[min(rank_of(card), CLASS_FACE)] += 1
    return tuple(counts)


def decide_open(table: OpenCardTable) -> DecideOpen:
    """Returns the decisions of a strategy table.

    Raises:
        InputError: On play: the table names no decision for a hand that came up.
    """
    chosen = {(open_card, hand): decision for open_card, hand, decision in table.by_open_card}

    def decide(cards: tuple[int, ...], open_card: int) -> str:
        key = (min(rank_of(open_card), CLASS_FACE), open_composition(cards))
        if key not in chosen:
            raise InputError(f"strategy {table.name!r} names no decision for the hand {key[1]}")
        return chosen[key]

    return decide


def play_open_card_round(
    deck: Sequence[int],
    rules: OpenCardRules,
    paytable: Paytable | None,
    decide: DecideOpen | OpenCardTable,
) -> PlayedRound:
    """Plays one round from a shuffled deck and explains every step of it.

    Args:
        deck: All forty card ids in dealing order: the player's first card, the dealer's open card, then the
            player's draws, then the dealer's draws.
        rules: Rules of play.
        paytable: What the ante pays; without one the round is settled but not paid.
        decide: The player's decisions.

    Raises:
        InputError: The deck is not a permutation of the forty cards, or a decision is not allowed.
    """
    if sorted(deck) != list(range(DECK_SIZE)):
        raise InputError(f"a deck of {len(deck)} cards was dealt, expected each of the ids 0 to 39 once")
    table = _Table(deck, rules, decide_open(decide) if isinstance(decide, OpenCardTable) else decide)
    outcome, bet = table.play()
    row = rulebook.outcome_id(outcome, bet)
    net = () if paytable is None else ((rulebook.ANTE, net_pay(outcome, bet, rules, paytable)),)
    paid = f", {net[0][1]} antes net" if net else ""
    table.events.append(Event(rulebook.ANTE, "settled", f"{rulebook.ANTE} settles as {row}{paid}"))
    return PlayedRound(
        tuple(table.player),
        tuple(table.dealer),
        tuple(table.decisions),
        ((rulebook.ANTE, row),),
        net,
        tuple(table.events),
    )


def net_pay(outcome: str, final_bet: int, rules: OpenCardRules, paytable: Paytable) -> Fraction:
    """Returns the net result of a round in antes, at the pays of a paytable."""
    if outcome == rulebook.KING:
        return paytable.pays(rulebook.KING)
    if outcome in (rulebook.DEALER_KING, rulebook.FOLD):
        return Fraction(-1)
    net = Fraction(rulebook.net_antes(outcome, final_bet, rules))
    return net * paytable.pays(rulebook.WIN) if outcome == rulebook.WIN else net


class _Table:
    """The table during one round: hands grow, events are written down."""

    __slots__ = ("_decide", "_deck", "_rules", "dealer", "decisions", "events", "player")

    def __init__(self, deck: Sequence[int], rules: OpenCardRules, decide: DecideOpen) -> None:
        self._deck = iter(deck)
        self._rules = rules
        self._decide = decide
        self.player: list[int] = []
        self.dealer: list[int] = []
        self.decisions: list[str] = []
        self.events: list[Event] = []

    def play(self) -> tuple[str, int]:
        """Deals and plays; returns how the round ended and the final bet in antes."""
        self._take("player", self.player, "is dealt, face down,")
        self._take("dealer", self.dealer, "is dealt, face up,")
        if rulebook.is_king_of_diamonds(self.player):
            return rulebook.KING, 0
        if rulebook.is_king_of_diamonds(self.dealer):
            return rulebook.DEALER_KING, 0
        bet, folded = self._play_player()
        if folded:
            return rulebook.FOLD, 0
        if not rulebook.is_bust(self.player):
            while rulebook.dealer_must_draw(self.dealer, self._rules):
                self._take("dealer", self.dealer, "draws")
        return rulebook.settle(self.player, self.dealer), bet

    def _play_player(self) -> tuple[int, bool]:
        bet = 0
        while rulebook.decisions(self.player, self._rules):
            decision = self._decision()
            if decision == rulebook.FOLD:
                return 0, True
            move, _, placed = decision.partition("-")
            bet = int(placed or bet)
            if move == rulebook.STAND:
                break
            self._take("player", self.player, "draws")
        return bet, False

    def _decision(self) -> str:
        allowed = rulebook.decisions(self.player, self._rules)
        decision = self._decide(tuple(self.player), self.dealer[0])
        if decision not in allowed:
            raise InputError(f"the player decided {decision!r}, expected one of {', '.join(allowed)}")
        self.decisions.append(decision)
        total = rulebook.hand_value(self.player)
        shown = card_name(self.dealer[0], FRENCH_SUITS)
        text = f"player decides {decision} on {format_half_points(total)} against {shown}"
        self.events.append(Event("player", "decides", text, total=total))
        return decision

    def _take(self, actor: str, hand: list[int], verb: str) -> None:
        card = next(self._deck)
        hand.append(card)
        total = rulebook.hand_value(hand)
        text = f"{actor} {verb} {card_name(card, FRENCH_SUITS)}: total {format_half_points(total)}"
        action = "draws" if verb == "draws" else "dealt"
        self.events.append(Event(actor, action, text, card, total))
