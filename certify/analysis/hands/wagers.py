"""What exact figures of games of one decision share: a wager's own distribution, and hands named in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from certify.analysis.hands.deck import CountedDeck, labelled
from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.figures import Outcome, WagerFigures
from certify.model.game import Game


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
        grows: Whether a round may add to its stake, so that what is staked in all is told.
    """
    place = [one.id for one in game.wagers].index(wager)
    own: dict[str, Fraction] = {}
    for outcomes, chance in chances.items():
        own[outcomes[place]] = own.get(outcomes[place], Fraction(0)) + chance
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
