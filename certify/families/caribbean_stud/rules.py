"""Strategies of Caribbean stud: a chart of hands against the open card, and the printed rules for ace and king."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from certify.analysis.hands.strength import RANKS, Card, CountedDeck, falling, labelled, run_of
from certify.errors import InputError
from certify.families.declared_rules import own_rules
from certify.families.one_decision.text import BY_LABEL
from certify.families.port import RuleReader
from certify.model import Strategy

FAMILY_ID: Final = "caribbean-stud"
"""Id of the family, as submissions name it."""

ANTE: Final = "ante-raise"
PROGRESSIVE: Final = "progressive"
FIVE_PLUS_ONE: Final = "five-plus-one"
WAGER_IDS: Final = (ANTE, PROGRESSIVE, FIVE_PLUS_ONE)

RAISE, FOLD = "raise", "fold"
OPTIONS: Final = (FOLD, RAISE)
"""What may be decided, the less committing option first."""

WIN, LOSE, TIE, UNQUALIFIED = "win", "lose", "push", "unqualified"

ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE = "royal-flush", "straight-flush", "four-of-a-kind", "full-house"
FLUSH, STRAIGHT, THREE, TWO_PAIR = "flush", "straight", "three-of-a-kind", "two-pair"
HANDS: Final = (ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE, TWO_PAIR)
"""Hands of five cards that may have a row of their own, from the highest; a pair or less has none."""

RAISE_ROWS: Final = (*HANDS, WIN)
"""Rows by which a winning raise is paid; the last one pays a pair or less."""

PROGRESSIVE_ROWS: Final = HANDS[:7]
FIVE_PLUS_ONE_ROWS: Final = HANDS[:7]
"""Hands on which the bets on the cards may be paid, from the highest."""

ANY, ACE, ACE_KING, PAIR = "any hand", "ace high", "ace king high", "pair"
LOWEST: Final = (ANY, ACE, ACE_KING, PAIR)
"""Lowest hands with which a dealer may have to qualify, from the lowest."""

_SETTLED, _LOST = "settled", "lost"
_STATED, _LOWEST = "as stated", "at its lowest"

METER: Final = "meter"
RULE_IDS: Final = ("dealer-qualifies", "raise", "side-bets-after-fold", METER)


@dataclass(frozen=True, slots=True)
class StudRules:
    """Rules of Caribbean stud.

    Args:
        lowest: Lowest hand with which the dealer qualifies, one of LOWEST.
        antes: Antes that a raise adds.
        fold_loses_all: Whether a player who folds loses every other bet too.
        lowest_meter: Whether the progressive bet pays what it pays with the meter at its lowest.
    """

    lowest: str = ACE_KING
    antes: int = 2
    fold_loses_all: bool = False
    lowest_meter: bool = False


def read_rules(read: RuleReader) -> StudRules:
    """Returns the rules that a submission states."""
    return StudRules(
        lowest=read.choice("dealer-qualifies", ACE_KING, LOWEST),
        antes=read.whole("raise", 2, 1, 4),
        fold_loses_all=read.choice("side-bets-after-fold", _SETTLED, (_SETTLED, _LOST)) == _LOST,
        lowest_meter=read.choice(METER, _STATED, (_STATED, _LOWEST)) == _LOWEST,
    )


rules_of: Final = own_rules(StudRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


def row_of(outcome: str) -> str:
    """Returns the row of an outcome: itself, but that a fold loses.

    >>> row_of("flush"), row_of("fold")
    ('flush', 'lose')
    """
    return LOSE if outcome == FOLD else outcome


RAISE_FROM: Final = "raise-from-"
LIKE: Final = f"{RAISE_FROM}A-K-J-8-3"
PAIR_NAME: Final = f"{RAISE_FROM}pair"
THREE_RULES: Final = "three-rules"
MATCHING: Final = "matching-rank"
EVERYTHING: Final = f"always:{RAISE}"

HAND: Final = 5
"""Cards of a hand."""

FOLDED, RAISED, BY_SUITS = 0, 1, BY_LABEL
"""A cell of a chart: every such hand is folded, or raised, or its suits decide."""

Pattern = tuple[tuple[int, ...], bool]
"""Ranks of a hand in falling order, and whether all are of one suit: what a hand is worth hangs on nothing else."""

_ALL: Final = frozenset(range(len(RANKS)))


def pattern_of(cards: Sequence[Card]) -> Pattern:
    """Returns the ranks of a hand in falling order, and whether all are of one suit."""
    return tuple(sorted((rank for rank, _ in cards), reverse=True)), len({suit for _, suit in cards}) == 1


@lru_cache(maxsize=8)
def patterns(deck: CountedDeck) -> tuple[Pattern, ...]:
    """Returns every pattern of a hand of a deck, in the order of the cells of a chart: by ranks from the highest."""
    ranks = sorted({rank for rank, _ in deck.cards}, reverse=True)
    held = combinations_with_replacement(ranks, HAND)
    found = (one for one in held if max(one.count(rank) for rank in one) <= deck.suits)
    return tuple(
        sorted(
            (one, suited)
            for one in found
            for suited in ((False, True) if len(set(one)) == HAND else (False,))
        )
    )


@dataclass(frozen=True)
class StudChart:
    """A complete strategy: a cell for every pattern of a hand against every rank that is open.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        deck: The deck that it is written for.
        cells: FOLDED, RAISED or BY_SUITS, for each pattern of the deck thirteen ranks of the open card.
        raised: What is raised among the hands that suits decide, as the reference round shows it.
    """

    name: str
    strategy_class: str
    deck: CountedDeck = field(repr=False)
    cells: bytes = field(repr=False)
    raised: frozenset[str] = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is raised.

        Raises:
            InputError: What is seen is no hand of the deck.
        """
        own, (up,) = labelled(str(sees))
        place = _places(self.deck).get(pattern_of(own))
        if place is None:
            raise InputError(f"strategy {self.name!r} decides nothing on {sees}: expected a hand of its deck")
        cell = self.cells[place * len(RANKS) + up[0]]
        return RAISE if cell == RAISED or (cell == BY_SUITS and sees in self.raised) else FOLD

    def table(self) -> object:
        """Returns the digest of all cells: they are too many to be written out."""
        text = self.cells.hex() + "\n".join(("", *sorted(self.raised)))
        return {
            "raised": self.cells.count(RAISED),
            "by suits": self.cells.count(BY_SUITS),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }


@dataclass(frozen=True, slots=True)
class RaiseCondition:
    """When a hand without a pair is raised: everything stated must hold.

    Args:
        up: Ranks of the open card.
        matched: Whether the open card is of a rank of the player's; either where none is stated.
        holds: Ranks of which the player has one; any where none is stated.
        above: Place of the player's card, the highest first, that is above the open card; 0 where none is required.
    """

    up: frozenset[int] = _ALL
    matched: bool | None = None
    holds: frozenset[int] = frozenset()
    above: int = 0

    def met(self, ranks: tuple[int, ...], up: int) -> bool:
        """Returns whether the condition holds of ranks in falling order against the open one."""
        return (
            up in self.up
            and self.matched in (None, up in ranks)
            and (not self.holds or not self.holds.isdisjoint(ranks))
            and (not self.above or up < ranks[self.above - 1])
        )

    def words(self) -> list[object]:
        """Returns everything that decides whether it is met."""
        return [sorted(self.up), self.matched, sorted(self.holds), self.above]


@dataclass(frozen=True, slots=True)
class RaiseRule:
    """A printed rule: a pair or better is raised, and of lower hands those that are high enough.

    Args:
        name: Name of the strategy, as on the command line.
        least: Ranks of the lowest hand without a pair that may be raised, () if any may; None where a pair is needed.
        when: One of these must be met by a hand without a pair; every one is raised where none is stated.
    """

    name: str
    least: tuple[int, ...] | None
    when: tuple[RaiseCondition, ...] = ()

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return "ranks and open card" if self.when else "lowest hand"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is raised."""
        own, (up,) = labelled(str(sees))
        return RAISE if self.raises(pattern_of(own), up[0]) else FOLD

    def raises(self, pattern: Pattern, up: int) -> bool:
        """Returns whether hands of a pattern are raised against an open rank."""
        ranks, suited = pattern
        if suited or len(set(ranks)) < HAND or run_of(ranks, HAND) >= 0:
            return True
        if self.least is None or ranks < self.least:
            return False
        return not self.when or any(one.met(ranks, up) for one in self.when)

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["pair or better", self.least and list(self.least), *(one.words() for one in self.when)]


_ACE_KING: Final = (12, 11)

PRINTED: Final[dict[str, RaiseRule]] = {
    THREE_RULES: RaiseRule(
        THREE_RULES,
        _ACE_KING,
        (
            # The open card, a two to a queen, is of a rank that the player holds.
            RaiseCondition(up=frozenset(range(11)), matched=True),
            # The open card is an ace or a king, and the player holds a queen or a jack.
            RaiseCondition(up=frozenset({12, 11}), holds=frozenset({10, 9})),
            # Nothing matches, the player holds a queen, and the open card is below the player's fourth highest.
            RaiseCondition(matched=False, holds=frozenset({10}), above=4),
        ),
    ),
    MATCHING: RaiseRule(MATCHING, _ACE_KING, (RaiseCondition(matched=True),)),
    PAIR_NAME: RaiseRule(PAIR_NAME, None),
    EVERYTHING: RaiseRule(EVERYTHING, ()),
}
"""Rules that are printed by a name."""

NAMED: Final = (*PRINTED, f"{RAISE_FROM}RANKS")


def named(name: str) -> RaiseRule | None:
    """Returns a strategy by its name, none where it is none of the printed forms.

    Raises:
        InputError: The name states no ranks that fall.

    >>> named("raise-from-A-K-J-8-3").least
    (12, 11, 9, 6, 1)
    """
    if name in PRINTED:
        return PRINTED[name]
    if not name.startswith(RAISE_FROM):
        return None
    return RaiseRule(name, falling(name.removeprefix(RAISE_FROM), HAND, name, LIKE))


@lru_cache(maxsize=32)
def cells_of(deck: CountedDeck, strategy: Strategy) -> bytes:
    """Returns the cells of a strategy; of one in a form of another kind, suits may decide everywhere."""
    if isinstance(strategy, StudChart) and strategy.deck == deck:
        return strategy.cells
    if isinstance(strategy, RaiseRule):
        return bytes(
            RAISED if strategy.raises(pattern, up) else FOLDED
            for pattern in patterns(deck)
            for up in range(len(RANKS))
        )
    return bytes([BY_SUITS]) * (len(patterns(deck)) * len(RANKS))


@lru_cache(maxsize=8)
def _places(deck: CountedDeck) -> dict[Pattern, int]:
    return {pattern: place for place, pattern in enumerate(patterns(deck))}
