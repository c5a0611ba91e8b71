"""Rules of video poker as parameters, and the ids of its rows."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from certify.analysis.hands.deals import deals_of, number
from certify.analysis.hands.held import hold_id
from certify.analysis.hands.strength import RANKS, CountedDeck
from certify.errors import InputError
from certify.families.declared_rules import own_rules
from certify.families.port import RuleReader
from certify.model import FRENCH_SUITS, Strategy


@dataclass(frozen=True)
class HoldTable:
    """A complete strategy: what is held of every deal, whatever its suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        deck: The deck that it is written for.
        holds: The hold of every class of deals as bits, in the order of the numbers of the classes.
    """

    name: str
    strategy_class: str
    deck: CountedDeck
    holds: bytes = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the hold for a hand as the reference round shows it.

        Raises:
            InputError: What is seen is no hand of the deck.
        """
        if not isinstance(sees, tuple) or len(set(sees)) != 5 or not set(sees) <= set(range(self.deck.size)):
            raise InputError(f"strategy {self.name!r} names no hold for {sees}: expected five cards")
        return hold_id(self.holds[int(deals_of(self.deck, len(sees)).place[number(sees)])])

    def table(self) -> object:
        """Returns the digest of all holds: they are too many to be written out."""
        return {"classes": len(self.holds), "sha256": hashlib.sha256(self.holds).hexdigest()}


def hold_table(strategy: Strategy) -> HoldTable:
    """Returns a strategy as a table of this family.

    Raises:
        InputError: It is a strategy of another family.
    """
    if isinstance(strategy, HoldTable):
        return strategy
    raise InputError(f"strategy {strategy.name!r} is of another family: expected a hold for every deal")


FAMILY_ID: Final = "video-poker"
"""Id of the family, as submissions name it."""

BET: Final = "bet"
"""The one wager."""

LOSE: Final = "lose"

ROYAL: Final = "royal-flush"
FOUR_DEUCES: Final = "four-deuces"
WILD_ROYAL: Final = "wild-royal-flush"
FIVE: Final = "five-of-a-kind"
STRAIGHT_FLUSH: Final = "straight-flush"
ACES_WITH_KICKER: Final = "four-aces-with-two-to-four"
LOW_WITH_KICKER: Final = "four-twos-to-fours-with-ace-to-four"
FOUR_ACES: Final = "four-aces"
FOUR_LOW: Final = "four-twos-to-fours"
FOUR: Final = "four-of-a-kind"
FULL_HOUSE: Final = "full-house"
FLUSH: Final = "flush"
STRAIGHT: Final = "straight"
THREE: Final = "three-of-a-kind"
TWO_PAIR: Final = "two-pair"
HIGH_PAIR: Final = "high-pair"

BONUS_ROWS: Final = (ACES_WITH_KICKER, LOW_WITH_KICKER, FOUR_ACES, FOUR_LOW)
"""Rows that a paytable may split off four of a kind."""

RANKING: Final = (
    ROYAL,
    FOUR_DEUCES,
    WILD_ROYAL,
    FIVE,
    STRAIGHT_FLUSH,
    *BONUS_ROWS,
    FOUR,
    FULL_HOUSE,
    FLUSH,
    STRAIGHT,
    THREE,
    TWO_PAIR,
    HIGH_PAIR,
)
"""Rows from the highest to the lowest: a hand is paid for the first of them that it fits and the paytable names."""

ROWS_OF_KIND: Final = (
    *((), (), (HIGH_PAIR,), (TWO_PAIR,), (THREE,), (STRAIGHT,), (FLUSH,), (FULL_HOUSE,)),
    *((FOUR,), (FOUR_LOW, FOUR), (LOW_WITH_KICKER, FOUR_LOW, FOUR)),
    *((FOUR_ACES, FOUR), (ACES_WITH_KICKER, FOUR_ACES, FOUR)),
    *((STRAIGHT_FLUSH,), (FIVE,), (WILD_ROYAL,), (FOUR_DEUCES,), (ROYAL,)),
)
"""Kinds of hands, finer than the rows of any one paytable: each with the rows that may pay it, the highest first.

The first two are a hand and a pair that pay nothing.
"""

_PAIRS: Final = {
    f"pair of {name}": RANKS.index(rank)
    for rank, name in (("10", "tens"), ("J", "jacks"), ("Q", "queens"), ("K", "kings"), ("A", "aces"))
}
_LOWEST: Final = {**_PAIRS, "two pair": len(RANKS), "three of a kind": len(RANKS)}
_NO_WILD: Final = "none"
_DEUCES: Final = "deuces"
_JOKERS: Final = "jokers"


@dataclass(frozen=True, slots=True)
class VideoPokerRules:
    """Rules of one-draw video poker; a hand is held in part and drawn once.

    Args:
        wild: ``none``, ``deuces`` or ``jokers``: which cards count as any card.
        lowest_hand: The lowest hand that is paid.
        suits: Suits of the deck in their order, by which a hand is shown.
    """

    wild: str = _NO_WILD
    lowest_hand: str = "pair of jacks"
    suits: tuple[str, ...] = FRENCH_SUITS

    @property
    def deuces_wild(self) -> bool:
        """Whether deuces count as any card."""
        return self.wild == _DEUCES

    @property
    def jokers_wild(self) -> bool:
        """Whether the deck has jokers."""
        return self.wild == _JOKERS

    @property
    def lowest_pair(self) -> int:
        """Place in RANKS of the lowest pair that is paid; 13 where none is."""
        return _LOWEST[self.lowest_hand]

    @property
    def required_rows(self) -> tuple[str, ...]:
        """Rows that a paytable must name, or winning hands would lose in silence."""
        wild = {
            _NO_WILD: (ROYAL,),
            _DEUCES: (ROYAL, FOUR_DEUCES, WILD_ROYAL, FIVE),
            _JOKERS: (ROYAL, WILD_ROYAL, FIVE),
        }[self.wild]
        pairs = () if self.lowest_hand == "three of a kind" else (TWO_PAIR,)
        high = (HIGH_PAIR,) if self.lowest_hand in _PAIRS else ()
        return (*wild, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE, *pairs, *high)


RULE_IDS: Final = ("wild-cards", "lowest-hand", "draws", "hands")
OPTIONAL_RULES: Final = ("hands",)


def read_rules(read: RuleReader) -> VideoPokerRules:
    """Returns the rules that a submission states."""
    read.choice("draws", "1", ("1",))
    if read.whole("hands", 1, 1, 100) > 1:
        read.refuse("hands", "one hand is played: missing is how hands that share the held cards go together")
    return VideoPokerRules(
        wild=read.choice("wild-cards", _NO_WILD, (_NO_WILD, _DEUCES, _JOKERS)),
        lowest_hand=read.choice("lowest-hand", "pair of jacks", tuple(_LOWEST)),
    )


rules_of: Final = own_rules(VideoPokerRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""
