"""Rules of the games with a free bank as parameters; every reading of a text is one of them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from certify.families.declared_rules import own_rules
from certify.families.port import RuleReader
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    POINTS,
    RANK_SEVEN,
    require_target,
    with_matta,
)

FAMILY_ID: Final = "free-bank"
"""Id of the family, as submissions name it."""

BET: Final = "bet"
"""Id of the only wager."""

MOST_SEATS: Final = 11
"""Most players next to the bank: twelve at the table."""

MOST_HANDS: Final = 4
"""Most hands of one seat where a first face may be split."""

SWAPPED: Final[tuple[int, ...]] = (2, 3)
"""Classes of first cards that may be swapped: a 3 or a 4."""


class Passing(StrEnum):
    """To whom the bank passes for the next round."""

    NEVER = "never"
    SEVEN_AND_A_HALF = "seven-and-a-half"
    """To the first seat, in the order of play, with exactly 7½ (a split hand counts)."""
    REALE = "reale"
    """To the first seat, in the order of play, with a reale."""


class RunsOut(StrEnum):
    """What happens where the deck has no card left."""

    BUST_HANDS_SHUFFLED = "bust-hands-shuffled"
    """Cards of hands that exceeded 7½ are shuffled and become the deck; with none left, whoever would draw stands."""
    STAND = "stand"
    """Whoever would draw stands."""


@dataclass(frozen=True, slots=True)
class FreeBankRules:
    """Rules of one round; totals are in half points.

    Args:
        seats: Players next to the bank in one round, 1 to 11.
        matta: Whether the King of Denari counts what gives the best total not above 7½ (7 when alone).
        swap: Whether a player may swap a first 3 or 4 once, before anything else, for the next card, hidden.
        bank_swaps: Whether the bank may do the same before it plays on.
        hands: Hands of one seat at most; above 1 further faces on a single first face may be split off.
        reale: Whether 7½ in two cards (a 7 and a face, or the matta with either) is a *reale*, paid by a row of
            its own unless the bank has one, and lost to a bank's reale alone.
        bank_collects: Stakes that a bank's 7½ collects from a hand of less (a hand that exceeded 7½ pays one).
        bank_collects_from_seven_and_a_half: Stakes that a bank's 7½ collects from a hand of 7½.
        passing: To whom the bank passes.
        passes_when_bank_has_it: Whether it passes too where the bank has 7½ (or a reale) itself.
        bust_first_card_covered: Whether a hand that exceeded 7½ keeps its first card covered.
        runs_out: What happens where the deck has no card left.
    """

    seats: int = 1
    matta: bool = False
    swap: bool = False
    bank_swaps: bool = False
    hands: int = 1
    reale: bool = False
    bank_collects: int = 1
    bank_collects_from_seven_and_a_half: int = 1
    passing: Passing = Passing.NEVER
    passes_when_bank_has_it: bool = True
    bust_first_card_covered: bool = False
    runs_out: RunsOut = RunsOut.BUST_HANDS_SHUFFLED

    @property
    def deck(self) -> tuple[int, ...]:
        """Cards of each class in the full deck; without a matta the King of Denari is a face like others."""
        return (*(4,) * (RANK_SEVEN + 1), 11, 1) if self.matta else (*(4,) * (RANK_SEVEN + 1), 12, 0)


def total(hand: tuple[int, ...]) -> int:
    """Returns the total of a hand, given by classes of cards, in half points; the matta makes the best of it.

    >>> total((6, 7)), total((8,)), total((8, 7)), total((8, 2, 3))
    (15, 14, 15, 15)
    """
    plain = sum(POINTS[card] for card in hand if card != CLASS_MATTA)
    return with_matta(plain) if CLASS_MATTA in hand else plain


def is_reale(hand: tuple[int, ...]) -> bool:
    """Returns whether a hand is 7½ in two cards: a 7 and a face, or the matta with a 7 or a face."""
    return len(hand) == 2 and set(hand) <= {RANK_SEVEN, CLASS_FACE, CLASS_MATTA} and hand[0] != hand[1]


RULE_IDS: Final = (
    "target",
    "tie",
    "seats",
    "matta",
    "swap",
    "bank-swaps",
    "split-hands",
    "reale",
    "bank-seven-and-a-half-collects",
    "bank-seven-and-a-half-collects-from-seven-and-a-half",
    "bank-passes-to",
    "bank-passes-when-it-has-the-same",
    "bust-first-card-covered",
    "bank-looks-at",
    "stakes",
    "deck-runs-out",
)


def read_rules(read: RuleReader) -> FreeBankRules:
    """Returns the rules that a submission states."""
    require_target(read)
    read.choice("tie", "bank wins", ("bank wins",))
    read.refuse_where(
        read.choice("stakes", "before the first card", ("before the first card", "after the first card"))
        != ("before the first card"),
        "stakes",
        'evaluated as a reading and not played here, expected "before the first card"',
    )
    reale = read.flag("reale", False)
    passing = Passing(read.choice("bank-passes-to", Passing.NEVER, tuple(Passing)))
    read.refuse_where(
        passing is Passing.REALE and not reale,
        "bank-passes-to",
        'the game knows no reale, expected "never" or "seven-and-a-half"',
    )
    bank_swaps = read.flag("bank-swaps", False)
    read.refuse_where(
        bank_swaps, "bank-swaps", "evaluated as a reading, its value not solved: expected false"
    )
    read.refuse_where(
        read.choice("bank-looks-at", "open-cards", ("open-cards", "nothing")) == "nothing",
        "bank-looks-at",
        'the value against a bank that looks at nothing is not solved, expected "open-cards": what such a bank '
        "gives is counted under --bank stand-on:TOTAL and best-by-own-hand",
    )
    matta, hands = read.flag("matta", False), read.whole("split-hands", 1, 1, MOST_HANDS)
    read.refuse_where(
        matta and hands > 1, "split-hands", "splitting is not counted in a deck with a matta: expected 1"
    )
    return FreeBankRules(
        seats=read.whole("seats", 1, 1, MOST_SEATS),
        matta=matta,
        swap=read.flag("swap", False),
        bank_swaps=bank_swaps,
        hands=hands,
        reale=reale,
        bank_collects=read.whole("bank-seven-and-a-half-collects", 1, 1, 9),
        bank_collects_from_seven_and_a_half=read.whole(
            "bank-seven-and-a-half-collects-from-seven-and-a-half", 1, 1, 9
        ),
        passing=passing,
        passes_when_bank_has_it=read.flag("bank-passes-when-it-has-the-same", True),
        bust_first_card_covered=read.flag("bust-first-card-covered", False),
        runs_out=RunsOut(read.choice("deck-runs-out", RunsOut.BUST_HANDS_SHUFFLED, tuple(RunsOut))),
    )


rules_of: Final = own_rules(FreeBankRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""
