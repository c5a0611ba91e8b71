"""Hands of 7 e Mezzo: their totals with the matta, and every hand that can occur under any play."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from certify.analysis.totals.counting import Deck, Hand, single
from certify.errors import InputError
from certify.model.cards import CLASS_FACE, CLASS_MATTA, RANK_FIRST_FACE, RANKS
from certify.model.game import Game
from certify.model.rules import SEVEN_AND_A_HALF


@dataclass(frozen=True, slots=True)
class CardValues:
    """Value of each class of cards but the matta in half points, A to 7 and the faces."""

    points: tuple[int, ...]

    def total(self, hand: Hand) -> int:
        """Returns the total of a hand in half points.

        The matta takes the value of any other card: it is read as the value that gives the best total not
        above 7½, and as the lowest value where even that one is too much.

        >>> values = CardValues((2, 4, 6, 8, 10, 12, 14, 1))
        >>> values.total((0, 0, 0, 0, 0, 0, 0, 1, 1)), values.total((0, 0, 0, 0, 0, 0, 1, 0, 1))
        (15, 15)
        >>> values.total((1, 0, 0, 0, 0, 0, 0, 0, 1)), values.total((0, 0, 0, 1, 1, 0, 0, 0, 0))
        (14, 18)
        """
        plain = sum(value * held for value, held in zip(self.points, hand, strict=False))
        if not hand[CLASS_MATTA]:
            return plain
        fitting = [value for value in self.points if plain + value <= SEVEN_AND_A_HALF]
        return plain + (max(fitting) if fitting else min(self.points))


def card_values(game: Game) -> CardValues:
    """Returns the values of a game's cards by class.

    Raises:
        InputError: A rank has no value, or the face cards differ in value.
    """
    by_rank = dict(game.values)
    missing = [rank for rank in RANKS if rank not in by_rank]
    if missing:
        raise InputError(
            f"{game.path}: no value for the ranks {', '.join(missing)}: expected one for each rank"
        )
    faces = {by_rank[rank] for rank in RANKS[RANK_FIRST_FACE:]}
    if len(faces) > 1:
        raise InputError(
            f"{game.path}: face cards of different values: enumeration expects one value for J, Q and K"
        )
    return CardValues((*(by_rank[rank] for rank in RANKS[:RANK_FIRST_FACE]), *faces))


def is_first_face(hand: Hand) -> bool:
    """Tells whether a hand is a single face card, the King of Denari included."""
    return sum(hand) == 1 and (hand[CLASS_FACE] == 1 or hand[CLASS_MATTA] == 1)


def is_king_seven_and_a_half(hand: Hand, total: int) -> bool:
    """Tells whether a hand is the two-card 7½ with the King of Denari."""
    return total == SEVEN_AND_A_HALF and hand[CLASS_MATTA] == 1 and sum(hand) == 2


@dataclass(frozen=True, slots=True)
class PlayerHands:
    """Every hand that a player can hold under any play.

    Args:
        totals: Total of each hand in half points, hands with fewer cards first.
        forced: Hands on which the rules draw for the player.
    """

    totals: dict[Hand, int]
    forced: frozenset[Hand]

    def is_open(self, hand: Hand) -> bool:
        """Tells whether a hand can still receive a card."""
        return self.totals[hand] < SEVEN_AND_A_HALF

    def is_decision(self, hand: Hand) -> bool:
        """Tells whether the player may choose between a card and standing."""
        return self.is_open(hand) and hand not in self.forced


@lru_cache(maxsize=8)
def player_hands(deck: Deck, values: CardValues, draws_on_first_face: bool) -> PlayerHands:
    """Returns every hand that a player can hold, whatever the player decides."""
    totals: dict[Hand, int] = {}
    level = [single(card_class) for card_class, count in enumerate(deck.class_counts) if count]
    forced = frozenset(hand for hand in level if draws_on_first_face and is_first_face(hand))
    while level:
        totals.update((hand, values.total(hand)) for hand in level)
        level = sorted(
            {longer for hand in level if totals[hand] < SEVEN_AND_A_HALF for _, _, longer in deck.draws(hand)}
        )
    return PlayerHands(totals, forced)
