"""What submissions of Seven and a Half state next to their rules: the forty cards, their values, the special card."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from certify.exact import parse_half_points
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    DECK_SIZE,
    MATTA,
    POINTS,
    RANKS,
    SEVEN_AND_A_HALF,
    card_name,
)
from certify.model import Game, Kind

RANK_VALUES: Final[tuple[tuple[str, int], ...]] = tuple(
    (rank, POINTS[min(index, CLASS_FACE)]) for index, rank in enumerate(RANKS)
)
"""Value of each rank in half points: ace to 7 count their number, a face card counts a half."""


@dataclass(frozen=True, slots=True)
class SubmittedMatta:
    """Table ``[matta]``: the one card that does not always count the value of its rank.

    Args:
        card: The card.
        counts_as: What it may count.
        chosen: Which of these it counts.
    """

    card: str
    counts_as: str
    chosen: str


MATTA_AS_PLAYED: Final = SubmittedMatta(
    card_name(MATTA), "the value of any other card", "best total not above 7½"
)
"""The King of Denari where it is wild."""

MATTA_TABLE: Final[Mapping[str, TableForm]] = {"matta": TableForm(SubmittedMatta, required=True)}


def require_target(read: RuleReader) -> None:
    """Refuses hands that are counted to anything but 7½."""
    if read.points("target", SEVEN_AND_A_HALF) != SEVEN_AND_A_HALF:
        read.refuse("target", 'not supported: hands of this family are counted to 7½, expected "7½"')


def with_cards(
    game: Game, suits: tuple[str, ...], matta: SubmittedMatta, tables: Mapping[str, Any], problems: Problems
) -> Game:
    """Returns the game with the values of its ranks; records where cards, values or matta are not the family's.

    Args:
        game: The submission as read so far.
        suits: Names of the suits that the family is played with, in the order of the card ids.
        matta: The one card, and the one way in which the family counts it.
        tables: The family's own tables: ``values`` and ``matta``.
        problems: Takes the mistakes.
    """
    _check_deck(game, suits, problems)
    _check_matta(tables.get("matta"), matta, problems)
    return replace(game, values=_values(tables.get("values") or {}, problems))


def _check_deck(game: Game, suits: tuple[str, ...], problems: Problems) -> None:
    """Compares the submitted deck with the forty cards."""
    if len(game.equipment) != 1 or game.equipment[0].kind is not Kind.SHOE:
        # Equipment that could not be read is a mistake by itself.
        if game.equipment:
            problems.add(("equipment",), "this family is dealt from one deck of cards and nothing else")
        return
    (deck,) = game.equipment
    key = "deck" if deck.id == "deck" else "equipment"
    if deck.decks != 1:
        problems.add((key, "decks"), f"{deck.decks} decks: this family plays with one")
    if deck.ranks != RANKS:
        problems.add((key, "ranks"), f"ranks of this family are {', '.join(RANKS)}, in this order")
    if deck.suits != suits:
        problems.add((key, "suits"), f"suits of this family are {', '.join(suits)}, in this order")
    if (deck.decks, deck.ranks, deck.suits) == (1, RANKS, suits) and deck.size != DECK_SIZE:
        problems.add((key,), f"a deck of {deck.size} cards: this family plays with all {DECK_SIZE}")


def _values(stated: Mapping[str, str], problems: Problems) -> tuple[tuple[str, int], ...]:
    """Returns the value of each rank in half points."""
    known = dict(RANK_VALUES)
    values: list[tuple[str, int]] = []
    for rank, text in stated.items():
        key = ("deck", "values", rank)
        values.append((rank, problems.attempt(key, lambda text=text: parse_half_points(text), 0)))  # type: ignore[misc]
        if rank not in known:
            problems.add(key, f'"{rank}" is no rank of the deck')
        elif values[-1][1] and values[-1][1] != known[rank]:
            problems.add(key, f'value of "{rank}" differs from the family\'s')
    for rank in known:
        if rank not in stated:
            problems.add(("deck", "values"), f'rank "{rank}" has no value')
    return tuple(values)


def _check_matta(stated: SubmittedMatta | None, known: SubmittedMatta, problems: Problems) -> None:
    """Refuses a matta that the family does not play: nothing would read what the file says of it."""
    if stated is None:
        return
    if stated.card != known.card:
        problems.add(("matta", "card"), f"the matta of this family is the {known.card}")
    if stated.counts_as != known.counts_as:
        problems.add(
            ("matta", "counts_as"),
            f'a matta that counts "{stated.counts_as}" is not supported: expected "{known.counts_as}"',
        )
    if stated.chosen != known.chosen:
        problems.add(
            ("matta", "chosen"),
            f'a matta chosen "{stated.chosen}" is not supported: expected "{known.chosen}"',
        )
