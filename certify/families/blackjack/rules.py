"""Rules of blackjack as parameters, and the ids of wagers, rows, options and outcomes that all parts share."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from certify.families.declared_rules import own_rules
from certify.families.port import RuleReader

FAMILY_ID: Final = "blackjack"
"""Id of the family, as submissions name it."""

MAIN: Final = "main"
PERFECT_PAIRS, TWENTY_ONE_THREE, LUCKY_LADIES = "perfect-pairs", "twenty-one-plus-three", "lucky-ladies"
WAGER_IDS: Final = (MAIN, PERFECT_PAIRS, TWENTY_ONE_THREE, LUCKY_LADIES)

STAND, HIT, DOUBLE, SPLIT, SURRENDER = "stand", "hit", "double", "split", "surrender"
INSURE, DECLINE, RESCUE = "insure", "decline", "rescue"
OPTIONS: Final = (STAND, HIT, DOUBLE, SPLIT, SURRENDER)
"""What may be decided on a hand, the least committing option first."""

NATURAL, SUITED_NATURAL, WIN, PUSH, LOSE = "natural", "suited-natural", "win", "push", "lose"
CHARLIE, SEVENS, SUITED_SEVENS = "charlie", "sevens", "suited-sevens"
RUN, SUITED_RUN, SPADE_RUN = "six-seven-eight", "suited-six-seven-eight", "spades-six-seven-eight"
SPADE_SEVENS = "spades-sevens"
LONG: Final = ("five-card-twenty-one", "six-card-twenty-one", "seven-card-twenty-one")
"""Rows of twenty-one with so many cards, the last one also with more."""
BY_SUITS: Final = {SEVENS: (SPADE_SEVENS, SUITED_SEVENS, SEVENS), RUN: (SPADE_RUN, SUITED_RUN, RUN)}
"""Rows of three cards: all spades, of one suit, of any suits."""
SUITED_ROWS: Final = (SUITED_NATURAL, *(row for rows in BY_SUITS.values() for row in rows[:2]))
"""Rows that look at suits."""
SURRENDERED, INSURED = "surrender", "insurance"
ROWS: Final = (SUITED_NATURAL, NATURAL, *BY_SUITS[SEVENS], *BY_SUITS[RUN], *LONG, CHARLIE, WIN, PUSH)
"""Rows by which a round of the main wager is settled, the first that fits.

``natural``: ace and ten on the first two cards, the dealer without one. ``suited-natural``: the same of one suit,
``sevens``: the first three cards of a hand that was not split are sevens, ``suited-sevens``: of one suit,
``six-seven-eight``: twenty-one of these three cards, ``five-card-twenty-one`` and longer: of so many cards, both not
doubled, ``charlie``: a hand of so many cards that did not bust; each of these only where the paytable names the row.
Insurance is paid two to one on half the stake; what it comes to is settled with the hand.
"""


class Peek(StrEnum):
    """When the dealer looks at the hole card before anybody plays."""

    BOTH = "ace and ten"
    ACE = "ace"
    NEVER = "never"


class Taken(StrEnum):
    """What a dealer's natural takes, that shows after hands were played."""

    ALL = "all bets"
    ORIGINAL = "original bets"
    ORIGINAL_AND_BUSTED = "original and busted bets"
    """Hands that bust before lose what was staked on them; in addition one original bet is lost."""
    ORIGINAL_AND_SPLIT = "original and split bets"
    """The bet of every hand is lost, what doubling added is given back."""


class Doubling(StrEnum):
    """On which hands the stake may be doubled for one more card."""

    ANY_CARDS = "any number of cards"
    ANY_TWO = "any two cards"
    EIGHT = "8 to 11"
    NINE = "9 to 11"
    TEN = "10 and 11"
    ELEVEN = "11"
    NEVER = "never"

    @property
    def totals(self) -> frozenset[int]:
        """The hard totals that may be doubled, empty where the total does not matter."""
        least = {Doubling.EIGHT: 8, Doubling.NINE: 9, Doubling.TEN: 10, Doubling.ELEVEN: 11}.get(self, 12)
        return frozenset(range(least, 12))


class SplitTens(StrEnum):
    """Which cards of the value ten make a pair that may be split."""

    VALUE = "equal value"
    RANK = "equal rank"
    NEVER = "never"


class Surrender(StrEnum):
    """When half the stake may be given up."""

    NONE = "none"
    LATE = "late"
    """After the dealer looked for a natural; where the dealer does not look, a natural takes all of the stake."""
    EARLY = "early"
    """Before the dealer looks: half the stake is kept even against a natural."""
    EARLY_TEN = "early against ten"
    """Early against a ten, late against an ace and all else."""
    EARLY_ACE = "early against ace"
    """Early against an ace, late against a ten and all else."""
    EARLY_NOT_ACE = "early except against ace"
    """Early against everything but an ace, against which there is none."""


NOT_PLAYED: Final = {
    "both-dealer-cards-open": "hands are played against one open card (Double Exposure)",
    "free-doubles": "a hand has one stake, not one of the player and one of the house (Free Bet)",
    "free-splits": "hands of a split pair are played as hands of the same stake (Free Bet)",
    "second-cards-switched": "hands are played one by one (Switch)",
    "redouble": "a hand is doubled once (Spanish 21 with redoubling)",
}
"""Rules of games that people play, and what is missing here for each."""
RULE_IDS: Final = (
    "dealer-on-soft-17",
    "dealer-peeks",
    "dealer-natural-takes",
    "double-on",
    "double-after-split",
    "double-rescue",
    "hands-by-splitting",
    "hands-by-splitting-aces",
    "draw-to-split-aces",
    "split-tens",
    "surrender",
    "insurance",
    "charlie-cards",
    "dealer-twenty-two-pushes",
    "player-twenty-one-wins",
    "cut-card",
    *NOT_PLAYED,
)
OPTIONAL_RULES: Final = ("dealer-twenty-two-pushes", "player-twenty-one-wins", *NOT_PLAYED)
_STANDS, _HITS = "stands", "hits"


@dataclass(frozen=True, slots=True)
class BlackjackRules:
    """Rules of blackjack; the decks are the equipment, the pays are the paytable.

    Args:
        hits_soft_17: Whether the dealer draws to a soft seventeen.
        peek: When the dealer looks for a natural before anybody plays.
        natural_takes: What a dealer's natural takes that shows only after play.
        double: On which hands the stake may be doubled.
        double_after_split: Whether hands that came of a split may be doubled.
        double_rescue: Whether a doubled hand may be given up for the original stake after its card.
        split_hands: Most hands that a pair may become, 1 where nothing is split.
        ace_hands: Most hands that a pair of aces may become.
        draw_to_aces: Whether split aces may be drawn to, and doubled as other split hands are.
        split_tens: Which tens are a pair.
        surrender: When half the stake may be given up, on the first two cards of a hand that was not split.
        insurance: Whether half the stake may be set against an ace on the dealer's natural.
        charlie: Cards with which a hand that did not bust wins at once, 0 for none.
        pushes_22: Whether a dealer who draws to twenty-two pushes against every hand that still stands.
        wins_21: Whether twenty-one of the player wins whatever the dealer has, a natural too.
        cut_card: Cards dealt after which the shoe is shuffled at the end of a round, 0 for a fresh shoe every round.
    """

    hits_soft_17: bool = False
    peek: Peek = Peek.BOTH
    natural_takes: Taken = Taken.ALL
    double: Doubling = Doubling.ANY_TWO
    double_after_split: bool = True
    double_rescue: bool = False
    split_hands: int = 4
    ace_hands: int = 2
    draw_to_aces: bool = False
    split_tens: SplitTens = SplitTens.VALUE
    surrender: Surrender = Surrender.NONE
    insurance: bool = True
    charlie: int = 0
    pushes_22: bool = False
    wins_21: bool = False
    cut_card: int = 0


def read_rules(read: RuleReader) -> BlackjackRules:
    """Returns the rules that a submission states."""
    rules = BlackjackRules(
        hits_soft_17=read.choice("dealer-on-soft-17", _STANDS, (_STANDS, _HITS)) == _HITS,
        peek=Peek(_word(read, "dealer-peeks", Peek, Peek.BOTH)),
        natural_takes=Taken(_word(read, "dealer-natural-takes", Taken, Taken.ALL)),
        double=Doubling(_word(read, "double-on", Doubling, Doubling.ANY_TWO)),
        double_after_split=read.flag("double-after-split", True),
        double_rescue=read.flag("double-rescue", False),
        split_hands=read.whole("hands-by-splitting", 4, 1, 4),
        ace_hands=read.whole("hands-by-splitting-aces", 2, 1, 4),
        draw_to_aces=read.flag("draw-to-split-aces", False),
        split_tens=SplitTens(_word(read, "split-tens", SplitTens, SplitTens.VALUE)),
        surrender=Surrender(_word(read, "surrender", Surrender, Surrender.NONE)),
        insurance=read.flag("insurance", True),
        charlie=int(read.choice("charlie-cards", "none", ("none", "5", "6", "7")).replace("none", "0")),
        pushes_22=read.flag("dealer-twenty-two-pushes", False),
        wins_21=read.flag("player-twenty-one-wins", False),
        cut_card=read.whole("cut-card", 0, 0, 416),
    )
    for name, missing in NOT_PLAYED.items():
        read.refuse_where(read.flag(name, False), name, f"this rule is not played here: {missing}")
    read.refuse_where(
        rules.ace_hands > rules.split_hands,
        "hands-by-splitting-aces",
        f"aces become {rules.ace_hands} hands where no pair becomes more than {rules.split_hands}",
    )
    read.refuse_where(
        rules.natural_takes != Taken.ALL and rules.peek == Peek.BOTH,
        "dealer-natural-takes",
        'a dealer who looks under ace and ten shows a natural before anything is added: expected "all bets"',
    )
    read.refuse_where(
        rules.wins_21 and rules.natural_takes in (Taken.ORIGINAL, Taken.ORIGINAL_AND_BUSTED),
        "player-twenty-one-wins",
        f'how a twenty-one that wins counts under "{rules.natural_takes.value}" is not known: '
        f'expected "{Taken.ALL.value}" or "{Taken.ORIGINAL_AND_SPLIT.value}"',
    )
    return rules


def _word(read: RuleReader, name: str, words: type[StrEnum], otherwise: StrEnum) -> str:
    return read.choice(name, otherwise.value, tuple(one.value for one in words))


rules_of: Final = own_rules(BlackjackRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


def outcome_of(row: str, net: Fraction, staked: Fraction) -> str:
    """Returns the id of an outcome of the main wager: its row, and where that does not say it net result and stakes.

    Args:
        row: The row of the paytable, ``lose`` or ``surrender``; of a round of several hands or with an insured hand
            ``win``, ``push`` or ``lose`` by the net result of the whole round.
        net: Net result of the round in units of the initial stake, insurance included.
        staked: Everything staked, in units of the initial stake, insurance included.

    >>> outcome_of("win", Fraction(3), Fraction(5)), outcome_of("lose", Fraction(-1), Fraction(1))
    ('win:3:5', 'lose')
    """
    plain = staked == 1 and (row not in (WIN, LOSE) or net == (1 if row == WIN else -1))
    return row if plain else f"{row}:{net}:{staked}"


def row_of(outcome: str) -> str:
    """Returns the row of an outcome; what is surrendered loses.

    >>> row_of("win:3:5"), row_of("surrender"), row_of("natural")
    ('win', 'lose', 'natural')
    """
    row = outcome.partition(":")[0]
    return LOSE if row == SURRENDERED else row
