"""What decides the figures of a game of blackjack: the shoe by value, the rules and the pays.

Pairs that are split: cards that come are exchangeable. What one hand, the dealer and the second cards of other hands
are does not depend on the order in which they are dealt. So second cards may be dealt first. Each ends its hand's
chance of being split again, or is one more of the pair and makes one more hand. Each hand then is one and the same
hand, less the cards of the pair that others hold, while the second cards of some others are known to be none of the
pair. That last is taken out one by one: what holds where a card is none of the pair is what holds where it is any
card, less what holds where it is one. What is left are values of a single hand with so many further cards of the pair
gone, and nothing is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from math import perm
from typing import Any, Final, Protocol

from certify.families.blackjack import rules as ids
from certify.families.blackjack.rules import BlackjackRules, Peek, SplitTens, rules_of
from certify.families.blackjack.side_bets import ACE, TEN, Counts, counts_of, value_of
from certify.model.equipment import Equipment, Kind
from certify.model.game import Game

Value = Any
"""A worth: a fraction, a float, or a row of floats; everything here adds, subtracts and takes shares of them."""

Chance = Callable[[int], Any]
"""Chance that the next card is one of the pair, with so many further ones gone."""


class Convention(StrEnum):
    """By what the hands of a split pair are played; each is exact for what it states."""

    AS_UNSPLIT = "CDZ-"
    """As the same cards would be played had they not come of a split."""
    FIRST = "CDP1"
    """As is best for the first hand, before a further card of the pair is seen."""
    PAIRS = "CDP"
    """As is best with the number of hands that there are."""


@dataclass(frozen=True, slots=True)
class SplitEnding:
    """How splitting may end.

    Args:
        pairs: Further cards of the pair that came, each of which made one more hand.
        closed: Hands with a second card that is none of the pair.
        free: Hands whose second card may be any, for no more hands are allowed.
    """

    pairs: int
    closed: int
    free: int


def endings(most: int) -> Mapping[SplitEnding, int]:
    """Returns how splitting a pair may end, with the number of orders that lead there.

    Args:
        most: Most hands.

    >>> [(one.pairs, one.closed, one.free, orders) for one, orders in endings(3).items()]
    [(1, 0, 3, 1), (1, 1, 2, 1), (0, 2, 0, 1)]
    """
    return Counter(_endings(most, 0, 0, 2))


def _endings(most: int, pairs: int, closed: int, waiting: int) -> Iterator[SplitEnding]:
    if waiting == 0 or pairs + 2 == most:
        yield SplitEnding(pairs, closed, waiting)
        return
    yield from _endings(most, pairs + 1, closed, waiting + 1)
    yield from _endings(most, pairs, closed + 1, waiting - 1)


class OneHand(Protocol):
    """Values of one hand of a split pair under one way of playing, the dealer's hand included."""

    def any_card(self, gone: int) -> Value:
        """Returns what it is worth with so many further cards of the pair gone, whatever its second card is."""
        ...

    def pair(self, gone: int) -> Value:
        """Returns the part of it where the second card is one of the pair."""
        ...


def split_value(most: int, chance: Chance, hand: Callable[[int], OneHand], nothing: Value) -> Value:
    """Returns what a pair is worth that is split, and split again as often as is allowed.

    Args:
        most: Most hands.
        chance: Chance that the next card is one of the pair, with so many further ones gone.
        hand: Values of one hand, as it is played where so many further cards of the pair came.
        nothing: Zero.
    """
    total = nothing
    for ending, orders in endings(most).items():
        reached = nothing + orders
        for gone in range(ending.pairs):
            reached *= chance(gone)
        if not reached:
            continue
        known = Known(chance, hand(ending.pairs))
        worth = nothing
        if ending.closed:
            worth += ending.closed * known.other(ending.pairs, ending.closed - 1)
        if ending.free:
            worth += ending.free * known.any_card(ending.pairs, ending.closed)
        total += reached * worth
    return total


class Known:
    """Values of one hand while second cards of others are known to be none of the pair."""

    def __init__(self, chance: Chance, hand: OneHand) -> None:
        self._chance, self._hand = chance, hand
        self.any_card = cache(self._any_card)
        self.other = cache(self._other)

    def _any_card(self, gone: int, others: int) -> Value:
        if not others:
            return self._hand.any_card(gone)
        return self._less(self.any_card, gone, others)

    def _other(self, gone: int, others: int) -> Value:
        if not others:
            return self._hand.any_card(gone) - self._hand.pair(gone)
        return self._less(self.other, gone, others)

    def _less(self, worth: Callable[[int, int], Value], gone: int, others: int) -> Value:
        fewer, chance = worth(gone, others - 1), self._chance(gone)
        return fewer - chance * worth(gone + 1, others - 1) if chance else fewer


SEVEN: Final = 6
"""Place of the sevens among the values."""

MOST_CARDS: Final = 48
"""More cards than one hand, its split hands and the dealer ever hold together."""


@dataclass(frozen=True)
class Shoe:
    """Cards by value, in the law by which they are dealt.

    Args:
        counts: Cards of each value; of an endless deck, in how many parts of it each comes.
        endless: Whether every card comes as if the shoe were whole.
        tens: Cards of each rank that counts ten.
        suited_naturals: Share of the aces with tens that are of one suit.
        suited_sevens: Share of three sevens that are of one suit.
    """

    counts: Counts
    endless: bool = False
    tens: tuple[int, ...] = ()
    suited_naturals: Fraction = Fraction(0)
    suited_sevens: Fraction = Fraction(0)

    @property
    def size(self) -> int:
        """Number of cards."""
        return sum(self.counts)

    @cached_property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """Ways to draw so many cards of each value one after the other, by value and number."""
        return tuple(self._drawn(count) for count in self.counts)

    @cached_property
    def all_ways(self) -> tuple[int, ...]:
        """Ways to draw so many cards one after the other, by number."""
        return self._drawn(self.size)

    def _drawn(self, count: int) -> tuple[int, ...]:
        if self.endless:
            return tuple(count**drawn for drawn in range(MOST_CARDS))
        return tuple(perm(count, drawn) for drawn in range(MOST_CARDS))


@dataclass(frozen=True)
class Pays:
    """What is paid, in units of the stake.

    Args:
        natural: An ace and a ten on the first two cards.
        suited_natural: The same of one suit; none where it is paid as any other.
        win: A hand that beats the dealer.
        charlie: A hand of so many cards that did not bust.
        sevens: The first three cards are sevens; none where nothing is paid for that.
        suited_sevens: They are of one suit.
        insurance: Insurance, per unit insured.
    """

    natural: Fraction = Fraction(3, 2)
    suited_natural: Fraction | None = None
    win: Fraction = Fraction(1)
    charlie: Fraction = Fraction(1)
    sevens: Fraction | None = None
    suited_sevens: Fraction | None = None
    insurance: Fraction = Fraction(2)


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
    def sevens_pay(self) -> Fraction | None:
        """What three sevens are paid on average, suits considered; none where they are played on."""
        plain, suited = self.pays.sevens, self.pays.suited_sevens
        if plain is None or suited is None:
            return plain
        share = self.shoe.suited_sevens
        return share * suited + (1 - share) * plain

    def peeked(self, up: int) -> bool:
        """Tells whether the dealer looks for a natural under an open card before anybody plays."""
        return (up == ACE and self.rules.peek != Peek.NEVER) or (up == TEN and self.rules.peek == Peek.BOTH)

    def most_hands(self, value: int) -> int:
        """Returns how many hands a pair of a value may become."""
        rules = self.rules
        if value == TEN and rules.split_tens == SplitTens.NEVER:
            return 1
        return rules.ace_hands if value == ACE else rules.split_hands

    def doubles(self, total: int, soft: bool, cards: int, split: bool) -> bool:
        """Tells whether a hand may be doubled."""
        rule = self.rules.double
        if rule == ids.Doubling.NEVER or (split and not self.rules.double_after_split):
            return False
        if rule == ids.Doubling.ANY_CARDS:
            return True
        return cards == 2 and (not rule.totals or (total in rule.totals and not soft))


def shoe_of(piece: Equipment) -> Shoe:
    """Returns a shoe, or an endless deck, as values."""
    by_suit = dict(zip(piece.faces, piece.copies, strict=True))
    tens: dict[str, int] = {}
    for face, copies in by_suit.items():
        if value_of(face) == TEN:
            rank = face.partition(" of ")[0]
            tens[rank] = tens.get(rank, 0) + copies
    endless = piece.kind == Kind.WHEEL
    return Shoe(
        counts_of(piece), endless, tuple(tens.values()), _suited_naturals(by_suit),
        _suited_sevens(by_suit, endless),
    )  # fmt: skip


def _of_value(by_face: dict[str, int], value: int) -> dict[str, int]:
    suits: dict[str, int] = {}
    for face, copies in by_face.items():
        if value_of(face) == value:
            suit = face.partition(" of ")[2]
            suits[suit] = suits.get(suit, 0) + copies
    return suits


def _suited_naturals(by_face: dict[str, int]) -> Fraction:
    aces, tens = _of_value(by_face, ACE), _of_value(by_face, TEN)
    whole = sum(aces.values()) * sum(tens.values())
    return Fraction(sum(aces[suit] * tens.get(suit, 0) for suit in aces if suit), whole or 1)


def _suited_sevens(by_face: dict[str, int], endless: bool) -> Fraction:
    sevens = _of_value(by_face, SEVEN)

    def drawn(count: int) -> int:
        return count**3 if endless else perm(count, 3)

    return Fraction(
        sum(drawn(count) for suit, count in sevens.items() if suit), drawn(sum(sevens.values())) or 1
    )


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
        suited_sevens=pay(ids.SUITED_SEVENS),
        insurance=pay(ids.INSURED) or plain.insurance,
    )
    return BlackjackGame(shoe_of(game.equipment[0]), rules_of(game), pays)
