"""Games of blackjack for tests, made in code: many rules, odd decks, and strategies that do anything."""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import perm
from random import Random

from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact.search import Plan, PlanValues, against, shown
from certify.families.blackjack.exact.terms import BlackjackGame, Shoe
from certify.families.blackjack.rules import BlackjackRules, Doubling, Peek, SplitTens, Surrender, Taken
from certify.families.blackjack.side_bets import ROWS, VALUES
from certify.families.registry import family
from certify.model import (
    FRENCH_RANKS,
    FRENCH_SUITS,
    Equipment,
    Game,
    Limits,
    Paytable,
    PaytableRow,
    Terms,
    Wager,
    shoe,
)

ODD_DECKS = (
    ("A", "7", "10", "J"),
    ("A", "2", "7", "8", "Q"),
    ("A", "6", "9", "10", "Q"),
    ("A", "Q", "K"),
    ("A", "2", "6", "7", "8"),
    ("2", "3", "7"),
)
"""Ranks that make splits, naturals, sevens and long hands frequent."""

PLAIN = {"natural": Fraction(3, 2), "win": Fraction(1), "push": Fraction(0), "insurance": Fraction(2)}
BONUSES = {
    "suited-natural": Fraction(2),
    "natural": Fraction(6, 5),
    "spades-sevens": Fraction(9),
    "suited-sevens": Fraction(5),
    "sevens": Fraction(3),
    "spades-six-seven-eight": Fraction(3),
    "suited-six-seven-eight": Fraction(2),
    "six-seven-eight": Fraction(3, 2),
    "five-card-twenty-one": Fraction(3, 2),
    "six-card-twenty-one": Fraction(2),
    "seven-card-twenty-one": Fraction(3),
    "charlie": Fraction(2),
    "win": Fraction(1),
    "push": Fraction(0),
}
SIDES = {wager: {row: Fraction(place + 3) for place, row in enumerate(rows)} for wager, rows in ROWS.items()}


def paytable(pays: dict[str, Fraction]) -> Paytable:
    """Returns a paytable."""
    return Paytable(tuple(PaytableRow(row, row, pay) for row, pay in pays.items()))


def game_of(rules: BlackjackRules, piece: Equipment, wagers: dict[str, dict[str, Fraction]]) -> Game:
    """Returns a game without anything that does not matter to its rounds."""
    limits = Limits(1, 100, "EUR")
    return Game(
        id="game",
        title="Game",
        version="1",
        port=family(ids.FAMILY_ID),
        supplier="Tests",
        rules=rules,
        rule_values=(),
        values=(),
        wagers=tuple(Wager(wager, wager, paytable(pays), limits) for wager, pays in wagers.items()),
        claims=(),
        terms=Terms(True, 90, True, True, True),
        readings=(),
        sources=(),
        sha256="0" * 64,
        path="game.toml",
        equipment=(piece,),
    )


def six_decks(rules: BlackjackRules | None = None, *, sides: bool = False) -> Game:
    """Returns the game as it is dealt in most places."""
    wagers = {ids.MAIN: PLAIN} | (SIDES if sides else {})
    return game_of(rules or BlackjackRules(), shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=6), wagers)


def dice_of(seed: int) -> Random:
    """Returns dice that fall alike for a seed."""
    return Random(seed)  # noqa: S311 - any rounds will do


def any_rules(dice: Random) -> BlackjackRules:
    """Returns any rules that can be submitted."""
    hands, peek, wins_21 = dice.randint(1, 4), dice.choice(list(Peek)), dice.random() < 0.5
    takes = [one for one in Taken if not (wins_21 and one in (Taken.ORIGINAL, Taken.ORIGINAL_AND_BUSTED))]
    return BlackjackRules(
        hits_soft_17=dice.random() < 0.5,
        peek=peek,
        natural_takes=Taken.ALL if peek is Peek.BOTH else dice.choice(takes),
        double=dice.choice(list(Doubling)),
        double_after_split=dice.random() < 0.5,
        double_rescue=dice.random() < 0.5,
        split_hands=hands,
        ace_hands=dice.randint(1, hands),
        draw_to_aces=dice.random() < 0.5,
        split_tens=dice.choice(list(SplitTens)),
        surrender=dice.choice(list(Surrender)),
        insurance=dice.random() < 0.5,
        charlie=dice.choice([0, 5, 6, 7]),
        pushes_22=dice.random() < 0.5,
        wins_21=wins_21,
    )


def any_game(dice: Random) -> Game:
    """Returns a game of any rules, dealt from six decks or from cards that make rare ends frequent."""
    whole = dice.random() < 0.2
    ranks = FRENCH_RANKS if whole else dice.choice(ODD_DECKS)
    piece = shoe("shoe", ranks, FRENCH_SUITS, decks=6 if whole else 8)
    wagers = {ids.MAIN: dice.choice([PLAIN, BONUSES])} | (SIDES if dice.random() < 0.5 else {})
    return game_of(any_rules(dice), piece, wagers)


def any_rows(dice: Random, piece: Equipment, number: int) -> list[list[int]]:
    """Returns whole rows of a shoe."""
    return [dice.sample(range(piece.size), piece.supply) for _ in range(number)]


@dataclass(frozen=True)
class Anything:
    """Decides by a digest of what is seen: always the same there, and anything; pairs are split more often than not.

    Args:
        seed: Which of many such strategies.
    """

    seed: int
    strategy_class: str = "test"

    @property
    def name(self) -> str:
        """Name of the strategy."""
        return f"anything-{self.seed}"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns any option."""
        digest = hashlib.sha256(repr((self.seed, sees, tuple(options))).encode()).digest()
        if ids.SPLIT in options and digest[0] < 150:
            return ids.SPLIT
        return options[digest[1] % len(options)]

    def table(self) -> object:
        """Returns the seed."""
        return self.seed


def whole_decks(decks: int) -> Shoe:
    """Returns so many whole decks, or with 0 the endless one."""
    many = decks or 1
    counts = (*((4 * many,) * (VALUES - 1)), 16 * many)
    share = Fraction(1, 16) if not decks else Fraction(4 * perm(many, 3), perm(4 * many, 3))
    return Shoe(counts, not decks, (4 * many,) * 4, Fraction(1, 4), share)


def searched(terms: BlackjackGame, plans: Mapping[int, Plan]) -> float:
    """Returns the net result of a round under plans, in the floats of the search."""
    return sum(
        float(chance) * PlanValues(against(terms, up), plans[up]).expected() for up, chance in shown(terms)
    )
