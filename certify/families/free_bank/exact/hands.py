"""What a pair of final hands pays, and every hand of the bank and of a player that is come to.

All are apart from the reference round and from play-through.

A way of playing is a chance of drawing for each hand of the bank. How often the bank comes to a hand *by its own
choice* does not depend on what is left in the deck, and what is left does not depend on choices: the number of
ordered deals that end in a hand is the product of the two. So one way of playing is followed once, and every deck
that it meets costs one row of products.

The hands of a player are in the order of their cards: the bank sees the open cards in the order in which they came,
and what it may believe of the hidden one depends on where the player could have stood before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import lcm, perm
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from certify.by_key import gathered, reached
from certify.errors import InputError
from certify.families.free_bank.rules import SWAPPED, FreeBankRules, is_reale, rules_of, total
from certify.families.free_bank.strategy import HandEnd as Ended, OpenHand, OpenSeat, Own
from certify.families.seven_and_a_half.cards import (
    MATTA,
    NO_CARDS,
    RANK_FIRST_FACE,
    RANKS,
    SEVEN_AND_A_HALF,
    Hand,
    card_name,
    plus,
)
from certify.model import Equipment, Game

PLAIN: Final = SEVEN_AND_A_HALF
"""The end of a hand with 7½ that is no reale; lower numbers are ends of hands that stood on that total."""

REALE: Final = PLAIN + 1
BUST: Final = PLAIN + 2

End = int
"""How a hand ended: its total in half points below 7½, or one of the three above."""

Cards = tuple[int, ...]
"""Cards by class in the order dealt."""


@dataclass(frozen=True, slots=True)
class BankTerms:
    """Everything that a round of one seat against the bank is counted by.

    Args:
        rules: Rules of play.
        win: Net pay of a hand below 7½ that wins, in stakes.
        seven_and_a_half: Net pay of 7½.
        reale: Net pay of a reale.
        deck: Cards of each class; the deck of the rules where left out. Smaller ones serve to deal every deal.
    """

    rules: FreeBankRules
    win: Fraction = Fraction(1)
    seven_and_a_half: Fraction = Fraction(1)
    reale: Fraction = Fraction(1)
    deck: Hand = field(default=())

    def __post_init__(self) -> None:
        """Takes the deck of the rules where none is given."""
        if not self.deck:
            object.__setattr__(self, "deck", self.rules.deck)

    @property
    def size(self) -> int:
        """Cards in the deck."""
        return sum(self.deck)

    @property
    def of_hands(self) -> "BankTerms":
        """The terms as far as it depends on them which hands there are and how they end: pays are left out."""
        rules = self.rules
        kept = FreeBankRules(matta=rules.matta, swap=rules.swap, reale=rules.reale)
        return BankTerms(kept, deck=self.deck)

    def end(self, hand: Cards) -> End:
        """Returns how a hand ends if nothing more is drawn to it."""
        points = total(hand)
        if points > SEVEN_AND_A_HALF:
            return BUST
        if points == SEVEN_AND_A_HALF and self.rules.reale and is_reale(hand):
            return REALE
        return points

    def pay(self, player: End) -> Fraction:
        """Returns what a hand is paid when it wins."""
        if player < PLAIN:
            return self.win
        return self.reale if player == REALE else self.seven_and_a_half

    def net(self, player: End, bank: End) -> Fraction:
        """Returns the net result of a player's hand against the bank's, in stakes of that hand."""
        outcome = outcome_of(player, bank)
        if outcome in PAID:
            return self.pay(player)
        if outcome == ROW_BANK:
            return Fraction(-self.rules.bank_collects)
        return Fraction(-self.rules.bank_collects_from_seven_and_a_half if outcome == ROW_BOTH else -1)


ROW_WIN: Final = "win"
ROW_SEVEN_AND_A_HALF: Final = "seven-and-a-half"
ROW_REALE: Final = "reale"
ROW_LOSE: Final = "lose"
ROW_BUST: Final = "bust"
ROW_BANK: Final = "bank-seven-and-a-half"
ROW_BOTH: Final = "both-seven-and-a-half"
ROW_BOTH_REALE: Final = "both-reale"

PAID: Final = (ROW_REALE, ROW_SEVEN_AND_A_HALF, ROW_WIN)
"""Outcomes that the bank pays."""


def outcome_of(player: End, bank: End) -> str:
    """Returns how a hand ended against the bank's, as the paytable and the house name it.

    A player's hand that exceeds 7½ has lost whatever the bank does, ties are the bank's, and a reale loses to a reale
    alone.
    """
    if player == BUST:
        return ROW_BUST
    if player == REALE:
        return ROW_BOTH_REALE if bank == REALE else ROW_REALE
    if bank in (PLAIN, REALE):
        return ROW_BOTH if player == PLAIN else ROW_BANK
    if player == PLAIN:
        return ROW_SEVEN_AND_A_HALF
    return ROW_WIN if bank == BUST or player > bank else ROW_LOSE


@lru_cache(maxsize=64)
def terms_of(game: Game) -> BankTerms:
    """Returns the terms of a game of this family, pays from its paytable.

    Raises:
        InputError: The game is of another family, or a row without which it cannot be counted is missing.
    """
    rules = rules_of(game)
    pays = {row.id: row.pays for row in game.wagers[0].paytable.rows}
    needed = (ROW_WIN, ROW_SEVEN_AND_A_HALF, *((ROW_REALE,) if rules.reale else ()))
    missing = [row for row in needed if row not in pays]
    if missing:
        raise InputError(f"{game.path}: no pay for {', '.join(missing)}: expected one for each")
    plain, best = pays[ROW_WIN], pays[ROW_SEVEN_AND_A_HALF]
    return BankTerms(rules, plain, best, pays.get(ROW_REALE, Fraction(0)), _deck(game.equipment[0], rules))


def _deck(deck: Equipment, rules: FreeBankRules) -> Hand:
    """Returns the cards of each class in a deck, which may lack some of the forty."""
    held = [deck.name_of(item) for item in range(deck.size)]
    ranks = [card.partition(" of ")[0] for card in held]
    numbers, faces = RANKS[:RANK_FIRST_FACE], RANKS[RANK_FIRST_FACE:]
    mattas = held.count(card_name(MATTA, deck.suits)) if rules.matta else 0
    return (*map(ranks.count, numbers), sum(map(ranks.count, faces)) - mattas, mattas)


NOTHING_GIVEN: Final = -1


def cards_of(hand: Hand) -> Cards:
    """Returns the cards of a hand that is counted by class, sorted by class."""
    return tuple(card for card, held in enumerate(hand) for _ in range(held))


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class BankPlan:
    """One way for the bank to play on in one situation: chances by hand, in the order of ``BankHands.nodes``.

    Plans are distinguished as objects: comparing hundreds of fractions would cost more than following them.

    Args:
        hits: Chance of drawing.
    """

    hits: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Flow:
    """How often a plan stops in each hand and comes to it, whatever is left, over one denominator.

    Args:
        stops: How often it stops there, by hand.
        comes: How often it comes there.
        over: The denominator of both.
    """

    stops: NDArray[Any]
    comes: NDArray[Any]
    over: int


@dataclass(frozen=True, eq=False)
class BankHands:
    """The hands of the bank under some terms, each after all from which it is reached.

    Args:
        terms: Deck and rules, without pays.
        nodes: The hands, cards counted by class; the first is the empty one.
        ends: How each ends if nothing more is drawn.
        draws: For each hand, (class, hand that follows) of the cards that do not exceed 7½.
    """

    terms: BankTerms
    nodes: tuple[Hand, ...]
    ends: tuple[End, ...]
    draws: tuple[tuple[tuple[int, int], ...], ...]
    _flows: WeakKeyDictionary[BankPlan, Flow] = field(default_factory=WeakKeyDictionary, repr=False)

    @cached_property
    def index(self) -> Mapping[Hand, int]:
        """The place of each hand."""
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """Cards that the bank has drawn at each hand."""
        return tuple(sum(node) for node in self.nodes)

    @cached_property
    def deepest(self) -> int:
        """Most cards that the bank draws without exceeding 7½."""
        return max(self.dealt)

    @cached_property
    def by_end(self) -> Mapping[End, NDArray[np.int64]]:
        """Places of the hands that end in the same way, for hands with a card."""
        found = gathered((end, place) for place, end in enumerate(self.ends) if place)
        return {end: np.array(places) for end, places in sorted(found.items())}

    @cached_property
    def choosing(self) -> tuple[bool, ...]:
        """Whether the bank may stand or draw at each hand: neither on no card nor on 7½."""
        return tuple(place > 0 and end < PLAIN for place, end in enumerate(self.ends))

    @cached_property
    def follows(self) -> tuple[tuple[int, ...], ...]:
        """For each hand, those that a card leads to."""
        return tuple(tuple(after for _, after in drawn) for drawn in self.draws)

    def left(self, removed: Hand) -> int:
        """Returns how many cards are left when some are out of play."""
        return self.terms.size - sum(removed)

    def common(self, removed: Hand) -> int:
        """Returns the number of ordered deals over which a row of :meth:`ways` counts."""
        return perm(self.left(removed), min(self.deepest, self.left(removed)))

    @cached_property
    def ways(self) -> Callable[[Hand], NDArray[Any]]:
        """In how many ordered deals each hand comes in one given order, by the cards that are out of play.

        Deals are counted as long as the longest hand, so that all hands of a row count over :meth:`common`.
        """
        return cache(self._ways)

    def _ways(self, removed: Hand) -> NDArray[Any]:
        left = [there - gone for there, gone in zip(self.terms.deck, removed, strict=True)]
        cards = sum(left)
        longest = min(self.deepest, cards)
        row = np.zeros(len(self.nodes), dtype=object)
        products = [1] * len(self.nodes)
        for place, (before, card, taken) in enumerate(self.last):
            if before >= 0:
                products[place] = products[before] * (left[card] - taken)
            dealt = self.dealt[place]
            row[place] = products[place] * perm(cards - dealt, longest - dealt) if dealt <= longest else 0
        return row

    @cached_property
    def last(self) -> tuple[tuple[int, int, int], ...]:
        """For each hand: the one before it, the class of the card that came, and of how many."""
        found = [(-1, 0, 0)] * len(self.nodes)
        for place, node in enumerate(self.nodes):
            for card, follows in self.draws[place]:
                found[follows] = (place, card, node[card])
        return tuple(found)

    def flow(self, plan: BankPlan) -> Flow:
        """Returns how often a plan stops in each hand by its own choice."""
        found = self._flows.get(plan)
        if found is None:
            found = self._flows[plan] = self._flow(plan)
        return found

    def _flow(self, plan: BankPlan) -> Flow:
        # Chances are whole numbers over one denominator; a hand of n cards has passed at most n + 1 of them.
        every = {id(chance): chance for chance in plan.hits}
        over = lcm(*(chance.denominator for chance in every.values()))
        whole = {at: chance.numerator * (over // chance.denominator) for at, chance in every.items()}
        hits = [whole[id(chance)] for chance in plan.hits]
        most = self.deepest + 1
        comes, stops = [0] * len(self.nodes), [0] * len(self.nodes)
        comes[0] = over**most
        choosing, follows = self.choosing, self.follows
        for place, came in enumerate(comes):
            if not came:
                continue
            hit = hits[place] if choosing[place] else 0 if place else over
            drawn = came if hit == over else came * hit // over
            stops[place] = came - drawn
            if drawn:
                for after in follows[place]:
                    comes[after] += drawn
        return Flow(column(stops), column(comes), over**most)

    def counted(self, plan: BankPlan, removed: Hand) -> tuple[Mapping[End, int], int]:
        """Returns in how many ordered deals the bank's hand ends in each way, and of how many; the rest exceeds 7½.

        Args:
            plan: How it plays on.
            removed: Cards out of play, the player's included.
        """
        flow, row = self.flow(plan), self.ways(removed)
        stops, left = flow.stops, self.left(removed)
        if left <= self.deepest:  # the deck may run out: whoever would draw stands
            out = np.array([dealt >= left for dealt in self.dealt])
            stops = np.where(out, flow.comes, stops)
        found = {end: int(np.dot(stops[places], row[places])) for end, places in self.by_end.items()}
        over = flow.over * self.common(removed)
        found[BUST] = over - sum(found.values())
        return {end: count for end, count in found.items() if count}, over

    def ended(self, plan: BankPlan, removed: Hand) -> Mapping[End, Fraction]:
        """Returns the chance of each end of the bank's hand, as :meth:`counted` counts it."""
        found, over = self.counted(plan, removed)
        return {end: Fraction(count, over) for end, count in found.items()}


def column(values: Sequence[int]) -> NDArray[Any]:
    """Returns whole numbers of any size as an array."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def bank_hands(terms: BankTerms) -> BankHands:
    """Returns every hand that the bank can come to without exceeding 7½: the same object whatever is paid."""
    return _bank_hands(terms.of_hands)


@lru_cache(maxsize=16)
def _bank_hands(terms: BankTerms) -> BankHands:
    draws = cache(lambda hand: list(_draws(terms, hand)))
    # Hands are met in the order of their number of cards.
    nodes = reached([NO_CARDS], lambda hand: (follows for _, follows in draws(hand)))
    index = {node: place for place, node in enumerate(nodes)}
    return BankHands(
        terms,
        tuple(nodes),
        tuple(terms.end(cards_of(node)) if any(node) else 0 for node in nodes),
        tuple(tuple((card, index[follows]) for card, follows in draws(node)) for node in nodes),
    )


def _draws(terms: BankTerms, hand: Hand) -> Iterator[tuple[int, Hand]]:
    if any(hand) and terms.end(cards_of(hand)) >= PLAIN:
        return
    for card, (there, held) in enumerate(zip(terms.deck, hand, strict=True)):
        follows = plus(hand, card)
        if there > held and terms.end(cards_of(follows)) != BUST:
            yield (card, follows)


@lru_cache(maxsize=256)
def standing_plan(hands: BankHands, least: int) -> BankPlan:
    """Returns the plan that stands on the first total of ``least`` half points or more, and never swaps."""
    return BankPlan(tuple(Fraction(end < least) for end in hands.ends))


FIRST: Final = -1
"""Where a hand comes from that is dealt: from no other hand."""

View = OpenSeat
"""What the bank sees of a seat."""


@dataclass(frozen=True, slots=True)
class Follow:
    """One card that may come to a hand.

    Args:
        card: Its class.
        left: Cards of the class that are left.
        end: How the hand with it ends, if nothing more is drawn.
        to: Place of the hand with it where the player goes on deciding, else -1.
    """

    card: int
    left: int
    end: End
    to: int


@dataclass(frozen=True, slots=True)
class PlayersHand:
    """A hand of the player below 7½.

    Args:
        cards: Cards in the order dealt, the hidden one first.
        given_up: Class of the card that was swapped away; -1 for none.
        before: Place of the hand without its last card, or of the one that was swapped; FIRST where it was dealt.
        ways: Ordered deals of its cards, the one given up included.
        end: Its total.
        follows: What may come next; nothing where the deck has no card left to draw.
        swap: Places of the hands that follow a swap; empty where it may not be swapped.
    """

    cards: Cards
    given_up: int
    before: int
    ways: int
    end: End
    follows: tuple[Follow, ...]
    swap: tuple[int, ...] = ()

    @property
    def removed(self) -> Hand:
        """Cards out of the deck by class."""
        return removed(self.cards, self.given_up)

    @property
    def own(self) -> Own:
        """What the player sees of the own cards."""
        return Own((self.cards,), 0, self.given_up)

    @property
    def by_swap(self) -> bool:
        """Whether the hand is right after a swap."""
        return self.given_up >= 0 and len(self.cards) == 1


def removed(cards: Cards, given_up: int) -> Hand:
    """Returns cards in the order dealt, and one given up, counted by class."""
    gone = cards if given_up < 0 else (*cards, given_up)
    return tuple(map(gone.count, range(len(NO_CARDS))))


@dataclass(frozen=True, eq=False)
class OwnHands:
    """The hands below 7½ of a player under some terms, each after the one from which it is reached.

    Args:
        terms: Deck and rules.
        nodes: The hands.
    """

    terms: BankTerms
    nodes: tuple[PlayersHand, ...]

    @cached_property
    def index(self) -> Mapping[Own, int]:
        """The place of each hand by what its player sees."""
        return {node.own: place for place, node in enumerate(self.nodes)}

    @cached_property
    def views(self) -> Mapping[View, tuple[int, ...]]:
        """For everything that the bank can see of a hand that stood: the places of the hands that look so."""
        found = gathered((stood(node), place) for place, node in enumerate(self.nodes))
        return {view: tuple(places) for view, places in found.items()}

    def deals(self, node: PlayersHand, more: int = 0) -> int:
        """Returns the number of ordered deals over which the ways of a hand, with further cards, are counted."""
        return perm(self.terms.size, len(node.cards) + (node.given_up >= 0) + more)

    def dealt(self, node: PlayersHand) -> Fraction:
        """Returns the chance that the cards of a hand come, whatever the player decides."""
        return Fraction(node.ways, self.deals(node))


def stood(node: PlayersHand) -> View:
    """Returns what the bank sees of a hand that stood."""
    return OpenSeat((OpenHand(node.cards[1:], Ended.STOOD),), node.given_up >= 0)


def shown(cards: Cards, given_up: int) -> View:
    """Returns what the bank sees of a hand of 7½."""
    return OpenSeat((OpenHand(cards, Ended.SEVEN_AND_A_HALF, first_shown=True),), given_up >= 0)


_Next = tuple[Cards, int, int, int]
"""A hand that is still to be looked at: its cards, the one given up, the hand before it, and its ordered deals."""


def own_hands(terms: BankTerms) -> OwnHands:
    """Returns every hand below 7½ that a player can come to, without splitting: the same object whatever is paid."""
    return _own_hands(terms.of_hands)


@lru_cache(maxsize=16)
def _own_hands(terms: BankTerms) -> OwnHands:
    nodes: list[PlayersHand] = []
    queue: list[_Next] = [
        ((card,), NOTHING_GIVEN, FIRST, held) for card, held in enumerate(terms.deck) if held
    ]
    # The queue grows while it is walked: places are given in its order, so a hand knows those that follow it.
    for place, (cards, given_up, before, ways) in enumerate(queue):
        left = [there - gone for there, gone in zip(terms.deck, removed(cards, given_up), strict=True)]
        # The bank's first card is dealt before anybody draws, so one card of the deck is never to be had.
        may_draw = sum(left) > 1
        follows, swap = [], []
        for card, there in enumerate(left if may_draw else ()):
            if there:
                end, to = terms.end((*cards, card)), -1
                if end < PLAIN:
                    to = len(queue)
                    queue.append(((*cards, card), given_up, place, ways * there))
                follows.append(Follow(card, there, end, to))
        swaps = terms.rules.swap and given_up == NOTHING_GIVEN and len(cards) == 1 and cards[0] in SWAPPED
        for card, there in enumerate(left if may_draw and swaps else ()):
            if there:
                swap.append(len(queue))
                queue.append(((card,), cards[0], place, ways * there))
        nodes.append(
            PlayersHand(cards, given_up, before, ways, terms.end(cards), tuple(follows), tuple(swap))
        )
    return OwnHands(terms, tuple(nodes))
