"""Rules of the games with an open dealer's card as parameters, and what a submission of one states."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from certify.families.declared_rules import Stated, own_rules
from certify.families.port import Problems, RuleReader
from certify.families.seven_and_a_half.cards import (
    FRENCH_SUITS,
    MATTA,
    MATTA_TABLE,
    SEVEN_AND_A_HALF,
    SubmittedMatta,
    card_name,
    require_target,
    with_cards,
)
from certify.model import Game

FAMILY_ID: Final = "seven-and-a-half-open-card"
"""Id of the family, as submissions name it."""

ANTE: Final = "ante"
KING, DEALER_KING = "king-of-diamonds", "dealer-king-of-diamonds"
WIN, PUSH, LOSE, BUST, FOLD = "win", "push", "lose", "bust", "fold"
HIT, STAND = "hit", "stand"
FINAL: Final = "-final-"
"""The sign in an outcome before the antes of its final bet."""

ANY_NUMBER: Final = 40
"""As a number of cards: as many as the deck holds."""

KING_OF_DIAMONDS: Final = card_name(MATTA, FRENCH_SUITS)


class OpenCardTie(StrEnum):
    """What happens when player and dealer end on the same total in a game with an open dealer's card."""

    PUSH = "push"
    ANTE_RETURNED = "ante-returned"
    LOSE = "lose"


class DrawnSeven(StrEnum):
    """What a player's hand of two or more cards with a total of exactly 7½ is worth."""

    BEST = "the best hand"
    BEATS_NOTHING = "beats no total"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class OpenCardRules:
    """Rules of the Seven and a Half games in which the dealer's first card is open; totals in half points.

    Args:
        final_bets: Multiples of the ante of which the player may choose one as a final bet before going on;
            empty where the ante is the only bet, and then nobody can fold.
        player_maximum_cards: Most cards in the player's hand, ANY_NUMBER for no limit.
        player_may_stand_on_first_card: Whether the player may do without a second card.
        dealer_stands_on: Total on which the dealer stands (12 is six points).
        dealer_maximum_cards: Most cards in the dealer's hand, ANY_NUMBER for no limit.
        dealer_always_draws: Whether the dealer's first card is never the last.
        tie: What a tie does: all bets returned, only the ante returned, or all lost.
        drawn_seven: What a drawn 7½ is worth; no submission states it, readings of the text are evaluated by it.
    """

    final_bets: tuple[int, ...] = (1, 2)
    player_maximum_cards: int = 2
    player_may_stand_on_first_card: bool = True
    dealer_stands_on: int = 12
    dealer_maximum_cards: int = 2
    dealer_always_draws: bool = False
    tie: OpenCardTie = OpenCardTie.PUSH
    drawn_seven: DrawnSeven = DrawnSeven.BEST

    def dealer_draws(self, total: int, cards: int) -> bool:
        """Returns whether the dealer takes another card; it does not depend on the player's hand.

        >>> OpenCardRules().dealer_draws(11, 1), OpenCardRules().dealer_draws(12, 1)
        (True, False)
        """
        if cards >= self.dealer_maximum_cards or total > SEVEN_AND_A_HALF:
            return False
        return total < self.dealer_stands_on or (self.dealer_always_draws and cards == 1)


rules_of: Final = own_rules(OpenCardRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""

_FINAL_BETS: Final[Mapping[str, tuple[int, ...]]] = {
    "none": (),
    "1 ante": (1,),
    "2 antes": (2,),
    "1 or 2 antes": (1, 2),
}
_CARDS: Final[Mapping[str, int]] = {"2": 2, "any number": ANY_NUMBER}


def _read(read: RuleReader) -> OpenCardRules:
    require_target(read)
    stands_on = read.points("dealer-stands-on", 12)
    if not 1 <= stands_on <= SEVEN_AND_A_HALF:
        read.refuse("dealer-stands-on", "the dealer's stand must be between ½ and 7½")
    final_bets = _FINAL_BETS[read.choice("final-bet", "none", tuple(_FINAL_BETS))]
    maximum = _CARDS[read.choice("player-maximum-cards", "2", tuple(_CARDS))]
    if final_bets and maximum != 2:
        read.refuse(
            "player-maximum-cards",
            'a final bet is placed once, before the last card: expected "2" cards with it',
        )
    return OpenCardRules(
        final_bets=final_bets,
        player_maximum_cards=maximum,
        player_may_stand_on_first_card=read.flag("player-may-stand-on-first-card", True),
        dealer_stands_on=stands_on,
        dealer_maximum_cards=_CARDS[read.choice("dealer-maximum-cards", "2", tuple(_CARDS))],
        dealer_always_draws=read.flag("dealer-always-draws", False),
        tie=OpenCardTie(read.choice("tie", OpenCardTie.PUSH, tuple(OpenCardTie))),
    )


KING_AS_PLAYED: Final = SubmittedMatta(
    KING_OF_DIAMONDS,
    "7½ as the first card, ½ otherwise",
    "by its place: it is 7½ only as the first card of a hand",
)


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    return with_cards(game, FRENCH_SUITS, KING_AS_PLAYED, tables, problems)


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    return (KING, WIN, *((PUSH,) if rules_of(game).tie is OpenCardTie.PUSH else ()))


def _other_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that return nothing, or not all: a tie is one of them where it is no push."""
    rules = rules_of(game)
    push = () if rules.tie is OpenCardTie.PUSH else (PUSH,)
    return (*push, LOSE, BUST, *((FOLD,) if rules.final_bets else ()), DEALER_KING)


def row_of(outcome: str) -> str:
    """Returns the row of an outcome, its final bet left out.

    >>> row_of("win-final-2"), row_of("fold")
    ('win', 'fold')
    """
    return outcome.partition(FINAL)[0]


STATED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=(
        "target",
        "final-bet",
        "player-maximum-cards",
        "player-may-stand-on-first-card",
        "dealer-stands-on",
        "dealer-maximum-cards",
        "dealer-always-draws",
        "tie",
    ),
    wager_ids=(ANTE,),
    rules=_read,
    rows=_rows,
    losing=_other_rows,
    required=(ANTE,),
    row=row_of,
    bankers=("house", "player"),
    tables=MATTA_TABLE,
    checked=_checked,
)
"""Rules, the one wager, rows and tables of the games with an open dealer's card."""
