"""What decides the figures of a game of blackjack: the shoe by value, the rules and the pays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import perm, prod
from typing import Final

from certify.by_key import summed
from certify.families.blackjack import rules as ids
from certify.families.blackjack.rules import BlackjackRules, SplitTens, rules_of
from certify.families.blackjack.side_bets import ACE, TEN, Counts, counts_of, value_of
from certify.model import Equipment, Game, Kind


class Convention(StrEnum):
    """By what the hands of a split pair are played; each is exact for what it states."""

    AS_UNSPLIT = "CDZ-"
    """As the same cards would be played had they not come of a split."""
    FIRST = "CDP1"
    """As is best for the first hand, before a further card of the pair is seen."""
    PAIRS = "CDP"
    """As is best with the number of hands that there are."""


SEVEN: Final = 6
"""Place of the sevens among the values."""
RUN: Final = (5, 6, 7)
"""Places of six, seven and eight."""

_OTHERS: Final = (*ids.BY_SUITS[ids.SEVENS][:2], *ids.BY_SUITS[ids.RUN], *ids.LONG)


@dataclass(frozen=True)
class Shoe:
    """Cards by value, in the law by which they are dealt.

    Args:
        counts: Cards of each value; of an endless deck, in how many parts of it each comes.
        endless: Whether every card comes as if the shoe were whole.
        tens: Cards of each rank that counts ten.
        suited_naturals: Share of the aces with tens that are of one suit.
        suited_sevens: Share of three sevens that are of one suit.
        spade_sevens: Share of them that are spades.
        suited_run: Share of six, seven and eight that are of one suit.
        spade_run: Share of them that are spades.
    """

    counts: Counts
    endless: bool = False
    tens: tuple[int, ...] = ()
    suited_naturals: Fraction = Fraction(0)
    suited_sevens: Fraction = Fraction(0)
    spade_sevens: Fraction = Fraction(0)
    suited_run: Fraction = Fraction(0)
    spade_run: Fraction = Fraction(0)

    @property
    def size(self) -> int:
        """Number of cards."""
        return sum(self.counts)


@dataclass(frozen=True)
class Pays:
    """What is paid, in units of the stake.

    Args:
        natural: An ace and a ten on the first two cards.
        suited_natural: The same of one suit; none where it is paid as any other.
        win: A hand that beats the dealer.
        charlie: A hand of so many cards that did not bust.
        sevens: The first three cards are sevens; none where nothing is paid for that.
        insurance: Insurance, per unit insured.
        others: Further rows that win at once, with what they pay.
    """

    natural: Fraction = Fraction(3, 2)
    suited_natural: Fraction | None = None
    win: Fraction = Fraction(1)
    charlie: Fraction = Fraction(1)
    sevens: Fraction | None = None
    insurance: Fraction = Fraction(2)
    others: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True)
class BlackjackGame:
    """Everything that decides the figures of the main wager.

    Args:
        shoe: The cards.
        rules: The rules of play.
        pays: The pays.
    """

    shoe: Shoe
    rules: BlackjackRules = field(default_factory=BlackjackRules)
    pays: Pays = field(default_factory=Pays)

    @cached_property
    def natural_pays(self) -> Fraction:
        """What a natural is paid on average, suits considered."""
        suited = self.pays.suited_natural
        if suited is None:
            return self.pays.natural
        share = self.shoe.suited_naturals
        return share * suited + (1 - share) * self.pays.natural

    @cached_property
    def paid(self) -> Mapping[str, Fraction]:
        """What each row pays that wins at once."""
        sevens = {} if self.pays.sevens is None else {ids.SEVENS: self.pays.sevens}
        return {ids.CHARLIE: self.pays.charlie, **sevens, **dict(self.pays.others)}

    def by_suits(self, three: str) -> tuple[tuple[str, Fraction], ...]:
        """Returns the rows of three cards, all spades, of one suit, of any: each with its share of them."""
        spades, suits, plain = ids.BY_SUITS[three]
        shoe, paid = self.shoe, self.paid
        shares = (
            (shoe.spade_sevens, shoe.suited_sevens)
            if three == ids.SEVENS
            else (shoe.spade_run, shoe.suited_run)
        )
        black = shares[0] if spades in paid else Fraction(0)
        one = shares[1] - black if suits in paid else Fraction(0)
        return (spades, black), (suits, one), (plain, 1 - black - one)

    def three_pay(self, three: str) -> Fraction | None:
        """Returns what three cards are paid on average, suits considered; none where they are played on."""
        if three not in self.paid:
            return None
        return sum((share * self.paid[row] for row, share in self.by_suits(three) if share), Fraction(0))

    def most_hands(self, value: int) -> int:
        """Returns how many hands a pair of a value may become."""
        rules = self.rules
        if value == TEN and rules.split_tens == SplitTens.NEVER:
            return 1
        return rules.ace_hands if value == ACE else rules.split_hands

    def doubles(self, total: int, soft: bool, cards: int, split: bool) -> bool:
        """Returns whether a hand may be doubled."""
        rule = self.rules.double
        if rule == ids.Doubling.NEVER or (split and not self.rules.double_after_split):
            return False
        if rule == ids.Doubling.ANY_CARDS:
            return True
        return cards == 2 and (not rule.totals or (total in rule.totals and not soft))


def shoe_of(piece: Equipment) -> Shoe:
    """Returns a shoe, or an endless deck, as values."""
    by_suit = dict(zip(piece.faces, piece.copies, strict=True))
    tens = summed(
        (face.partition(" of ")[0], copies) for face, copies in by_suit.items() if value_of(face) == TEN
    )
    endless = piece.kind == Kind.WHEEL
    return Shoe(
        counts_of(piece), endless, tuple(tens.values()), _suited_naturals(by_suit),
        *_suited_sevens(by_suit, endless), *_suited_run(by_suit),
    )  # fmt: skip


def _of_value(by_face: dict[str, int], value: int) -> dict[str, int]:
    return summed(
        (face.partition(" of ")[2], copies) for face, copies in by_face.items() if value_of(face) == value
    )


def _suited_naturals(by_face: dict[str, int]) -> Fraction:
    aces, tens = _of_value(by_face, ACE), _of_value(by_face, TEN)
    whole = sum(aces.values()) * sum(tens.values())
    return Fraction(sum(aces[suit] * tens.get(suit, 0) for suit in aces if suit), whole or 1)


def _suited_sevens(by_face: dict[str, int], endless: bool) -> tuple[Fraction, Fraction]:
    """Returns which share of three sevens are of one suit, and which are spades."""
    sevens = _of_value(by_face, SEVEN)

    def drawn(count: int) -> int:
        return count**3 if endless else perm(count, 3)

    whole = drawn(sum(sevens.values())) or 1
    suited = sum(drawn(count) for suit, count in sevens.items() if suit)
    return Fraction(suited, whole), Fraction(drawn(sevens.get("spades", 0)), whole)


def _suited_run(by_face: dict[str, int]) -> tuple[Fraction, Fraction]:
    """Returns which share of six, seven and eight are of one suit, and which are spades."""
    cards = [_of_value(by_face, value) for value in RUN]
    whole = prod(sum(suits.values()) for suits in cards) or 1
    ways = {suit: prod(suits.get(suit, 0) for suits in cards) for suit in cards[0] if suit}
    return Fraction(sum(ways.values()), whole), Fraction(ways.get("spades", 0), whole)


def terms_of(game: Game) -> BlackjackGame:
    """Returns what decides the figures of a game."""
    paytable = game.wager(ids.MAIN).paytable
    stated = set(paytable.ids)

    def pay(row: str) -> Fraction | None:
        return paytable.pays(row) if row in stated else None

    plain = Pays()
    pays = Pays(
        natural=paytable.pays(ids.NATURAL),
        suited_natural=pay(ids.SUITED_NATURAL),
        win=paytable.pays(ids.WIN),
        charlie=pay(ids.CHARLIE) or plain.charlie,
        sevens=pay(ids.SEVENS),
        insurance=pay(ids.INSURED) or plain.insurance,
        others=tuple((row, paytable.pays(row)) for row in _OTHERS if row in stated),
    )
    return BlackjackGame(shoe_of(game.equipment[0]), rules_of(game), pays)
