"""Hands of the player against a final hand of the dealer: counted as ways, and as they are really dealt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from certify.analysis.counting import Hand, single
from certify.analysis.open_card.optimal import FOLD, HIT
from certify.analysis.open_card.strategies import decisions_of
from certify.analysis.open_card.tree import OpenTree, hand_of
from certify.errors import InputError
from certify.model.cards import CLASS_FACE, MATTA, rank_of
from certify.model.figures import StrategyTable
from certify.model.rules import SEVEN_AND_A_HALF


@dataclass(frozen=True, slots=True)
class Ways:
    """Unordered hands of the player against a final hand of the dealer, whose cards are gone from the deck.

    Args:
        below: Hands of one or two cards with a lower total, lone face cards left out.
        equal: The same with the same total; the King of diamonds alone is 7½.
        above: The same with a higher total, not above 7½.
        lone_faces: Face cards alone, which the source counts in the denominator only.
        bust: Two-card hands above 7½.
    """

    below: int
    equal: int
    above: int
    lone_faces: int
    bust: int

    @property
    def total(self) -> int:
        """All hands of one or two cards that are left."""
        return self.below + self.equal + self.above + self.lone_faces + self.bust


@dataclass(frozen=True, slots=True)
class Chances:
    """Conditional probabilities given the dealer's final hand; they sum to exactly one."""

    dealer_wins: Fraction
    tie: Fraction
    player_wins: Fraction
    player_folds: Fraction


def player_ways(tree: OpenTree, dealer: tuple[int, ...]) -> Ways:
    """Counts the player's hands against a final hand of the dealer as the source counts them, card by card."""
    deck = list(tree.deck.cards)
    kinds = [min(rank_of(card), CLASS_FACE) for card in deck]
    for card_class in dealer:
        # A dealer's face is taken to be another card than the King of diamonds, which is no such hand's first.
        place = next(n for n, kind in enumerate(kinds) if kind == card_class and not _is_king(deck[n]))
        del deck[place], kinds[place]
    points = tree.values.points
    total = sum(points[card_class] for card_class in dealer)
    hands = [points[a] + points[b] for a, b in combinations(kinds, 2)]
    hands += [
        SEVEN_AND_A_HALF if _is_king(card) else points[kind]
        for card, kind in zip(deck, kinds, strict=True)
        if kind != CLASS_FACE or _is_king(card)
    ]
    fitting = [made for made in hands if made <= SEVEN_AND_A_HALF]
    return Ways(
        below=sum(made < total for made in fitting),
        equal=fitting.count(total),
        above=sum(made > total for made in fitting),
        lone_faces=sum(
            kind == CLASS_FACE and not _is_king(card) for card, kind in zip(deck, kinds, strict=True)
        ),
        bust=len(hands) - len(fitting),
    )


def _is_king(card: int) -> bool:
    return card == MATTA


def busts_of_all(tree: OpenTree) -> Fraction:
    """Returns the share of two-card hands above 7½ among all two-card hands of the full deck."""
    points = tree.values.points
    kinds = [min(rank_of(card), CLASS_FACE) for card in tree.deck.cards]
    hands = [points[a] + points[b] > SEVEN_AND_A_HALF for a, b in combinations(kinds, 2)]
    return Fraction(sum(hands), len(hands))


def true_chances(tree: OpenTree, table: StrategyTable, dealer: tuple[int, ...]) -> Chances:
    """Returns how rounds end given the dealer's final hand, when the player plays by a strategy.

    The dealer's cards come in every order in which the dealer's rule takes them; neither first card is the King
    of diamonds. Probabilities are those of ordered deals without replacement.

    Raises:
        InputError: The dealer never ends on this hand.
    """
    ends: dict[str, Fraction] = {}
    for open_card, drawn in {dealer, dealer[::-1]} if len(dealer) == 2 else {(dealer[0], None)}:
        if _dealer_ends(tree, open_card, drawn):
            for end, weight in _deals(tree, table, open_card, drawn):
                ends[end] = ends.get(end, Fraction(0)) + weight
    whole = sum(ends.values(), Fraction(0))
    if not whole:
        raise InputError("the dealer never ends on this hand under these rules")
    parts = [ends.get(end, Fraction(0)) / whole for end in ("dealer", "tie", "player", FOLD)]
    return Chances(*parts)


def _dealer_ends(tree: OpenTree, open_card: int, drawn: int | None) -> bool:
    """Tells whether the dealer's rule ends on exactly these cards in this order."""
    rule = tree.dealer.rule
    first = single(open_card)
    if drawn is None:
        return not rule.draws(first, tree.total(first), 0)
    both = hand_of((open_card, drawn))
    return rule.draws(first, tree.total(first), 0) and not rule.draws(both, tree.total(both), 0)


def _deals(
    tree: OpenTree, table: StrategyTable, open_card: int, drawn: int | None
) -> Iterator[tuple[str, Fraction]]:
    """Yields (end, probability of the ordered deal) of every round in which the dealer ends so."""
    chosen = decisions_of(table)
    deals = tree.deck.size * (tree.deck.size - 1)
    cards = (open_card,) if drawn is None else (open_card, drawn)
    total = tree.total(hand_of(cards))
    for first, shown, ways in tree.first_deals():
        if shown != open_card:
            continue
        hand, chance = single(first), Fraction(ways, deals)
        move = chosen[open_card, hand[: CLASS_FACE + 1]].partition("-")[0]
        finals = [(hand, chance)]
        if move == HIT:
            left = tree.deck.size - 2
            finals = [(grown, chance * Fraction(n, left)) for n, grown in tree.draws(hand, open_card)]
        for final, weight in finals:
            dealt = weight if drawn is None else weight * _chance_of(tree, final, open_card, drawn)
            yield (FOLD if move == FOLD else _end(tree.total(final), total)), dealt


def _chance_of(tree: OpenTree, player: Hand, open_card: int, drawn: int) -> Fraction:
    left = tree.deck.left(player)[drawn] - (drawn == open_card)
    return Fraction(max(left, 0), tree.deck.size - sum(player) - 1)


def _end(player: int, dealer: int) -> str:
    if player > SEVEN_AND_A_HALF:
        return "dealer"
    if dealer > SEVEN_AND_A_HALF or player > dealer:
        return "player"
    return "tie" if player == dealer else "dealer"
