"""Witnesses: a concrete deal for every way in which all three wagers can end together.

A row that no deal reaches would be a promise that cannot be kept; the highest win of all wagers together is
the house's exposure. Both are answered by the same search over every deal of the first three cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from certify.families.sette_e_mezzo.exact.analyze import tree_of
from certify.families.sette_e_mezzo.exact.distribution import JointOutcome, partita_outcome
from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.exact.settlement import BUST, LOSE, PUSH, WIN, settle
from certify.families.sette_e_mezzo.exact.sidebets import NO_SECOND_CARD, mano_row
from certify.families.sette_e_mezzo.rules import Tie
from certify.families.seven_and_a_half.cards import DECK_SIZE, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand, class_of, plus, single, type_of
from certify.families.seven_and_a_half.dealer import DealerShowdown
from certify.families.seven_and_a_half.values import total as total_of
from certify.model.game import Game, Wager


@dataclass(frozen=True, slots=True)
class JointWitness:
    """A deal that ends the three wagers in given outcomes.

    Args:
        outcomes: Outcomes of main, Partita Perfetta and Mano di Poker.
        deck: All forty cards in dealing order; the first ones are those of the round.
        dealt: How many cards the round takes.
        decisions: The player's decisions in order; draws by rule are none.
    """

    outcomes: JointOutcome
    deck: tuple[int, ...]
    dealt: int
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Play:
    """Classes drawn by the player after the given cards, then by the dealer after the first card."""

    player: tuple[int, ...]
    dealer: tuple[int, ...]
    decisions: tuple[str, ...]


def witnesses(game: Game) -> Mapping[JointOutcome, JointWitness]:
    """Returns one witness for every joint outcome that any play of any deal can reach."""
    return _witnesses(_Unpaid(tuple(map(_unpaid, game.wagers)), replace(game, wagers=()), game))


@dataclass(frozen=True, slots=True)
class _Unpaid:
    """A game but for what it pays, and beside it the game itself; whatever else differs is another game."""

    wagers: tuple[Wager, ...]
    rest: Game
    game: Game = field(compare=False)


def _unpaid(wager: Wager) -> Wager:
    rows = tuple(replace(row, pays=Fraction(0)) for row in wager.paytable.rows)
    return replace(wager, paytable=replace(wager.paytable, rows=rows))


@lru_cache(maxsize=16)
def _witnesses(unpaid: _Unpaid) -> Mapping[JointOutcome, JointWitness]:
    """Returns the witnesses of rules, searched for once: a gate looks at the same rules under many paytables."""
    tree = tree_of(unpaid.game)
    found: dict[JointOutcome, JointWitness] = {}
    for cards in _first_cards():
        player, dealer = (cards[0], *cards[2:]), cards[1]
        classes = tuple(class_of(card) for card in player)
        for main, play in _plays(tree, classes, class_of(dealer)).items():
            partita = partita_outcome(tree, type_of(player[0]), type_of(dealer), main)
            mano = mano_row((player[0], player[1], dealer)) if len(player) > 1 else NO_SECOND_CARD
            outcomes = (main, partita, mano)
            if outcomes not in found:
                found[outcomes] = _witness(outcomes, cards, play)
    return MappingProxyType(found)


def _first_cards() -> Iterator[tuple[int, ...]]:
    """Yields the first cards in dealing order: the player's, the dealer's, the player's second if any.

    Two deals that differ only in the order of suits end alike, so the player's first card is taken of Denari,
    which also holds the matta, or of Coppe; every later card of any suit.
    """
    for first in (card for card in range(DECK_SIZE) if card & 3 < 2):
        for dealer in range(DECK_SIZE):
            if dealer != first:
                yield first, dealer
                for second in range(DECK_SIZE):
                    if second not in (first, dealer):
                        yield first, dealer, second


@lru_cache(maxsize=2048)
def _plays(tree: GameTree, player: tuple[int, ...], dealer: int) -> Mapping[str, _Play]:
    """Returns one way to play on for each main outcome, when a dealer and a player hold these classes.

    One card of the player means that the player stands on it.
    """
    found: dict[str, _Play] = {}
    start = single(player[0])
    if len(player) == 1:
        if tree.hands.is_decision(start):
            _add(tree, found, start, dealer, (), ("stand",))
        return found
    if not tree.hands.is_open(start):
        return found
    before = () if start in tree.hands.forced else ("hit",)
    level: list[tuple[Hand, tuple[int, ...], tuple[str, ...]]] = [(plus(start, player[1]), (), before)]
    seen: set[Hand] = set()
    while level and not _all_later_outcomes(tree) <= found.keys():
        longer = []
        for hand, drawn, decisions in level:
            if hand in seen or (sum(hand) > 2 and _all_later_outcomes(tree) <= found.keys()):
                continue
            seen.add(hand)
            if not tree.hands.is_open(hand):
                _add(tree, found, hand, dealer, drawn, decisions)
                continue
            _add(tree, found, hand, dealer, drawn, (*decisions, "stand"))
            for card_class, cards, next_hand in tree.deck.draws(hand):
                if cards > (card_class == dealer):
                    longer.append((next_hand, (*drawn, card_class), (*decisions, "hit")))
        level = longer
    return found


def _all_later_outcomes(tree: GameTree) -> set[str]:
    """Returns the outcomes of the main wager that hands of more than two cards can have."""
    return {WIN, LOSE, BUST} | ({PUSH} if tree.terms.tie is Tie.PUSH else set())


def _add(
    tree: GameTree,
    found: dict[str, _Play],
    hand: Hand,
    dealer: int,
    drawn: tuple[int, ...],
    decisions: tuple[str, ...],
) -> None:
    total = tree.hands.totals[hand]
    if total > SEVEN_AND_A_HALF:
        found.setdefault(BUST, _Play(drawn, (), decisions))
        return
    for dealt in _dealer_hands(tree, hand, total, dealer):
        (outcome,) = settle(tree.terms, hand, total, dealt.showdown)
        found.setdefault(outcome, _Play(drawn, dealt.drawn, decisions))


@dataclass(frozen=True, slots=True)
class _Dealt:
    drawn: tuple[int, ...]
    showdown: DealerShowdown


@lru_cache(maxsize=8192)
def _dealer_hands(tree: GameTree, player: Hand, total: int, first: int) -> tuple[_Dealt, ...]:
    """Returns the shortest way of the dealer to each kind of end against a standing hand."""
    found: dict[DealerShowdown, _Dealt] = {}
    rule = tree.dealer.rule
    level: list[tuple[Hand, tuple[int, ...]]] = [(single(first), ())]
    while level and len(found) < 4:
        longer: dict[Hand, tuple[int, ...]] = {}
        for hand, drawn in level:
            made = total_of(hand)
            if rule.draws(hand, made, total):
                for card_class, cards in enumerate(tree.deck.left(player)):
                    if cards > hand[card_class]:
                        longer.setdefault(plus(hand, card_class), (*drawn, card_class))
                continue
            end = _ended(made, total)
            found.setdefault(end, _Dealt(drawn, end))
        level = list(longer.items())
    return tuple(found.values())


def _ended(dealer: int, player: int) -> DealerShowdown:
    """Returns one order of the deck in which the dealer ends on a total against a player's total."""
    bust = dealer > SEVEN_AND_A_HALF
    return DealerShowdown(
        below=int(not bust and dealer < player),
        equal=int(not bust and dealer == player),
        above=int(not bust and dealer > player),
        bust=int(bust),
    )


def _witness(outcomes: JointOutcome, cards: tuple[int, ...], play: _Play) -> JointWitness:
    deck = list(cards)
    rest = [card for card in range(DECK_SIZE) if card not in cards]
    for card_class in (*play.player, *play.dealer):
        card = next(card for card in rest if class_of(card) == card_class)
        deck.append(card)
        rest.remove(card)
    return JointWitness(outcomes, (*deck, *rest), len(deck), play.decisions)
