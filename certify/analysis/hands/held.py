"""Draw poker: the order in which the places of a hand are numbered, and holds by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.analysis.hands.strength import WILD, CountedDeck, labelled
from certify.by_key import summed
from certify.errors import InputError
from certify.model import Equipment, Game, Outcome, WagerFigures


def of_wager(
    game: Game,
    wager: str,
    chances: Mapping[tuple[str, ...], Fraction],
    ends: Iterable[Outcome],
    *,
    grows: bool,
) -> WagerFigures:
    """Returns the distribution of one wager, added up from the joint one.

    Args:
        game: The submission.
        wager: Id of the wager.
        chances: Probability of each joint outcome, in the order of the wagers.
        ends: Every outcome of the wager.
        grows: Whether a round may add to its stake, so that what is staked in all is reported.
    """
    place = [one.id for one in game.wagers].index(wager)
    own = summed((outcomes[place], chance) for outcomes, chance in chances.items())
    found = tuple(replace(end, probability=own.get(end.id, Fraction(0))) for end in ends)
    if not grows:
        return WagerFigures(wager, found)
    return WagerFigures(wager, found, sum((one.staked * one.probability for one in found), Fraction(0)))


def faces_labelled(deck: CountedDeck, text: str, number: int) -> tuple[int, ...]:
    """Returns the faces of a hand as a player sees it (see ``deck.label``); nothing where the text is no such one."""
    try:
        cards = [card for part in labelled(text) for card in part]
    except ValueError:
        return ()
    faces = tuple(deck.cards.index(card) for card in cards if card in deck.cards)
    return faces if len(set(faces)) == len(cards) == number else ()


def faces_named(piece: Equipment, text: str, number: int, words: str) -> tuple[int, ...]:
    """Returns the faces of different cards that a text names, apart by commas.

    Args:
        piece: The deck.
        text: The text.
        number: How many cards are expected.
        words: What is expected, in words.

    Raises:
        InputError: The text does not name so many different cards of the deck.
    """
    named = [name.strip() for name in text.split(",")]
    if len(named) != number or len(set(named)) != number or any(name not in piece.faces for name in named):
        raise InputError(
            f'"{text}": nothing is decided on that, expected {words} such as "{", ".join(piece.faces[:number])}"'
        )
    return tuple(piece.faces.index(name) for name in named)


HAND: Final = 5
"""Cards of a hand."""

HOLDS: Final = tuple(range(31, -1, -1))
"""Every hold as bits, the first place the lowest one; all cards first, which commits to no draw."""


def arranged(deck: CountedDeck, faces: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand in the order in which its places are numbered.

    Wild cards come first, then cards from the highest rank down; cards of one rank in the order of what else is
    held of their suits, so that hands which differ in the names of suits alone are numbered in the same way.
    """
    labels = suit_labels(deck, faces)

    def place(face: int) -> tuple[bool, int, int, int]:
        rank, suit = deck.cards[face]
        return rank != WILD, -rank, labels.get(suit, 0), face

    return tuple(sorted(faces, key=place))


def suit_labels(deck: CountedDeck, *parts: Sequence[int]) -> dict[int, int]:
    """Returns the suits held by new numbers: first the suit whose cards are, as a set of ranks, the highest.

    Args:
        deck: The deck.
        parts: Faces that are distinguished, such as those kept and those gone; suits that are equal in the first part
            are ordered by the next, so that none is put first for its name where that would tell two hands apart.
    """
    masks = [[0] * len(parts) for _ in range(deck.suits)]
    for place, faces in enumerate(parts):
        for rank, suit in deck.of(faces):
            if rank != WILD:
                masks[suit][place] |= 1 << rank
    order = sorted(range(deck.suits), key=lambda suit: ([-mask for mask in masks[suit]], suit))
    return {suit: label for label, suit in enumerate(order)}


def equal_hand(deck: CountedDeck, faces: Sequence[int]) -> tuple[int, ...]:
    """Returns the hand that represents all that differ from this one in the names of suits or wild cards alone."""
    return equal_cards(deck, faces, suit_labels(deck, faces))


def equal_cards(deck: CountedDeck, faces: Sequence[int], labels: dict[int, int]) -> tuple[int, ...]:
    """Returns cards under new names of the suits, arranged; wild cards are the first ones of the deck."""
    wild = [face for face, (rank, _) in enumerate(deck.cards) if rank == WILD]
    natural = [(rank, suit) for rank, suit in deck.of(faces) if rank != WILD]
    places = _faces(deck)
    named = sorted((-rank, labels[suit]) for rank, suit in natural)
    return (*wild[: len(faces) - len(natural)], *(places[-rank, label] for rank, label in named))


@lru_cache(maxsize=32)
def _faces(deck: CountedDeck) -> dict[tuple[int, int], int]:
    return {card: face for face, card in enumerate(deck.cards)}


def hold_id(hold: int) -> str:
    """Returns a hold as submissions and records name it.

    >>> hold_id(0b00011), hold_id(0)
    ('hold-12', 'hold-none')
    """
    places = "".join(str(place + 1) for place in range(HAND) if hold >> place & 1)
    return f"hold-{places or 'none'}"


HOLD_IDS: Final = tuple(hold_id(hold) for hold in HOLDS)
HOLD_OF: Final = {name: hold for hold, name in zip(HOLDS, HOLD_IDS, strict=True)}
"""Bits of a hold by its name."""
