"""Exact figures of a plan: how a round ends against one open card, counted.

Every chance of an unsplit round is a whole number of ways over all ways, and so is every chance of one hand of a split
pair together with the end of the dealer's hand: the return is exact, splits included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import lcm, perm, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels, residues
from certify.families.blackjack.exact.kernels import LEAST, NATURAL
from certify.families.blackjack.exact.search import OpenCardValues, Plan
from certify.families.blackjack.exact.terms import SEVEN, split_value
from certify.families.blackjack.rules import SplitTens
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts

Whole = NDArray[np.int64]
Marks = NDArray[np.bool_]
Zero: Final = Fraction(0)


class Ended(NamedTuple):
    """How a hand, or a round, ended.

    Args:
        row: Row of the paytable, or how else it ended.
        net: Net result in units of the initial stake.
        staked: Everything staked, in the same.
    """

    row: str
    net: Fraction
    staked: Fraction


Chances = Mapping[tuple[Ended, int], Fraction]
"""Chances of how a hand ends together with the dealer's hand."""


@dataclass(frozen=True)
class _Played:
    """Hands that play of one hand comes to.

    Args:
        plays: The play on each hand.
        places: Those that it comes to, with more cards first.
        needed: Those on which the dealer's hand is looked at.
        begun: Value of the card of a split pair that the hand began with, -1 for none.
    """

    plays: Whole
    places: Whole
    needed: Whole
    begun: int = -1


class _Settled:
    """What counted cells are settled as, how the hand ended and the dealer's end, by one number a class."""

    def __init__(self, settled: Callable[[int, int, int, int], tuple[Ended, int]]) -> None:
        self._settle = settled
        self._known = np.full(prod(residues.CELLS), -1, np.int64)
        self._place: dict[tuple[Ended, int], int] = {}
        self.classes: list[tuple[Ended, int]] = []

    def of(self, cells: Whole) -> Whole:
        """Returns the class of each of some cells."""
        for cell in cells[self._known[cells] < 0].tolist():
            ended = self._settle(*(int(one) for one in np.unravel_index(cell, residues.CELLS)))
            if ended not in self._place:
                self._place[ended] = len(self.classes)
                self.classes.append(ended)
            self._known[cell] = self._place[ended]
        return np.asarray(self._known[cells])


class Counted:
    """Counts one plan against one open card."""

    def __init__(self, against: OpenCardValues, plan: Plan) -> None:
        self.against, self.plan, self.terms = against, plan, against.terms
        # Kept here, and let go with this: caches of a class keep all its objects for good.
        self._played, self.split_hand = cache(self._played_of), cache(self._split_hand)
        self._won = cache(self._nets_by_prime)
        self._nets = {split: self._nets_of(split=split) for split in (False, True)}
        self._unit = lcm(*(net.denominator for nets in self._nets.values() for net in nets.values()))
        self.endless = self.terms.shoe.endless
        number = len(against.hands.held)
        self._shown = self._left()
        ways = self._whole(self.against.size)
        most = int(max(abs(net) for nets in self._nets.values() for net in nets.values()) * self._unit)
        self._moduli = residues.primes((ways * most).bit_length() + 2)
        self._rescued = np.zeros(number, np.int64) if plan.rescued is None else plan.rescued.astype(np.int64)

    # --- ways --------------------------------------------------------------------------------------------

    @property
    def _hole(self) -> int:
        """Value that makes a natural of the open card, -1 where none does."""
        return {ACE: TEN, TEN: ACE}.get(self.plan.up, -1)

    def _left(self, begun: int = -1, gone: int = 0) -> Whole:
        """Returns the cards left: of a split pair so many further ones gone beside its two."""
        left = np.array(self.terms.shoe.counts, np.int64)
        if not self.endless:
            left[self.plan.up] -= 1
            if begun >= 0:
                left[begun] -= 2 + gone
        return left

    def _played_of(self, begun: int, came: int) -> _Played:
        """Returns the hands that play comes to.

        Args:
            begun: Value of the card of a split pair that the hand began with, -1 for none.
            came: With how many further cards of the pair the plan reckons.
        """
        whole = self.against.hands
        if begun < 0:
            # Every option is asked for: play goes on from any three cards, and whatever one more card makes may stand.
            first, plays = (whole.cards == 2) | (whole.cards == 3), self.plan.plays
        else:
            first = (whole.cards == 2) & (whole.counts[:, begun] > 0)
            plays = self.plan.after_split(begun, came)
            if begun == ACE and not self.terms.rules.draw_to_aces:
                plays = np.zeros_like(plays)
        reached = self._reached(first, plays)
        needed = self._needed(reached, plays) | (first if begun < 0 else False)
        return _Played(plays, np.nonzero(reached)[0][::-1].copy(), np.nonzero(needed)[0], begun)

    def _needed(self, reached: Marks, plays: Whole) -> Marks:
        """Returns whether the dealer's hand is looked at on each hand, of those that play comes to."""
        needed: Marks = reached & (plays == kernels.STAND)
        doubled = self.against.hands.after[reached & (plays == kernels.DOUBLE)]
        needed[doubled[doubled >= 0]] = True
        return needed

    def _reached(self, first: Marks, plays: Whole) -> Marks:
        """Returns whether play comes to each hand."""
        whole, reached = self.against.hands, first.copy()
        for number in range(1, int(whole.cards.max()) + 1):
            after = whole.after[reached & (whole.cards == number) & (plays == kernels.HIT)]
            reached[after[after >= 0]] = True
        return reached

    @cached_property
    def _most(self) -> int:
        """Cards that a hand and the dealer draw together at most, so that all ways are ways to draw so many."""
        whole = self.against.hands
        first = (whole.cards == 2) | (whole.cards == 3)
        plays = {id(one): one for one in (self.plan.plays, *self.plan.split_plays.values())}
        needed = [self._needed(self._reached(first, one), one) for one in plays.values()]
        held = max(int(whole.cards[one].max()) for one in needed)
        drawn = self.against.dealer.dealt.drawn
        possible = (drawn <= self._shown).all(axis=1) | self.endless
        # Beside the dealer's draws: the card that busts, and what may lie covered.
        return held + max(2, int(drawn[possible].sum(axis=1).max()))

    def ended(self, hand: Counts) -> Chances:
        """Returns how a round of two first cards ends that is played without a split, with the dealer's hand."""
        place = self.against.hands.place[hand]
        first = np.zeros(len(self.against.hands.held), np.int64)
        first[place] = 1 if 2 in hand else 2
        played = self._played(-1, 0)
        rows, ends = self._dealer(played)
        cells = [self._cells(first, played.plays, rows, *one) for one in zip(ends, self._moduli, strict=True)]
        counted = np.stack(cells).reshape(len(self._moduli), -1)
        reached = np.nonzero(counted.any(axis=0))[0]
        classes, whole = self._settled.of(reached), self._whole(self.against.size)
        found: dict[tuple[Ended, int], Fraction] = {}
        for place in np.unique(classes).tolist():
            # Fewer than 2^12 cells: the sum of their remainders fits a machine word.
            remainders = counted[:, reached[classes == place]].sum(axis=1).tolist()
            found[self._settled.classes[place]] = residues.together(remainders, self._moduli, whole)
        return found

    def _dealer(self, played: _Played, gone: int = 0) -> tuple[Whole, Whole]:
        """Returns the row of the dealer's chances of each hand, and these by prime and row, where they are needed.

        Args:
            played: The hands.
            gone: How many further cards of the pair came that was split.
        """
        rows = self.against.dealer.rows(played.begun, gone + 1 if played.begun >= 0 else 0)
        return rows, self.against.dealer.by_primes(self._moduli, rows[played.needed])

    def _cells(self, first: Whole, plays: Whole, rows: Whole, ends: Whole, modulus: int) -> Whole:
        whole, cells = self.against.hands, np.zeros(residues.CELLS, np.int64)
        residues.walk(
            whole.counts, whole.after, whole.totals, plays, first, rows, ends, self._shown,
            self._hole, residues.inverse(modulus), modulus, self.endless, self.terms.rules.charlie,
            self._sevens(split=False), self._rescued, cells,
        )  # fmt: skip
        return cells

    def _sevens(self, *, split: bool) -> int:
        """Returns the place of three sevens where they are paid, else -1."""
        paid = self.terms.pays.sevens is not None and not split
        hand = tuple(3 * int(value == SEVEN) for value in range(VALUES))
        return self.against.hands.place.get(hand, -1) if paid else -1

    # --- settlement --------------------------------------------------------------------------------------

    @cached_property
    def _settled(self) -> _Settled:
        return _Settled(
            lambda kind, stake, total, end: (self.settled(kind, stake, total, end, split=False), end)
        )

    def _nets_by_prime(self, split: bool) -> Whole:
        """Returns what is won in each of the cells, in units, by prime."""
        nets = np.zeros(residues.CELLS, object)
        for cell, net in self._nets[split].items():
            nets[cell] = int(net * self._unit)
        return np.stack([(nets % modulus).astype(np.int64) for modulus in self._moduli])

    def _nets_of(self, *, split: bool) -> dict[tuple[int, int, int, int], Fraction]:
        """Returns what is won by how play of a hand ended; nothing where the dealer found a natural before play."""
        found = {}
        for kind, stake, end in product(range(residues.CELLS[0]), (1, 2), range(residues.CELLS[3])):
            if end == NATURAL and self.against.looked:
                continue
            for total in range(residues.CELLS[2]) if kind == residues.STANDS else (0,):
                ended = self.settled(kind, stake, total, end, split=split)
                paid = stake * (self.terms.sevens_pay or Zero) if ended.row == ids.SEVENS else ended.net
                found[kind, stake, total, end] = paid
        return found

    def settled(self, kind: int, stake: int, total: int, end: int, *, split: bool) -> Ended:
        """Returns how a hand ends: how play of it ended, stake, total where it stands, end of the dealer's hand."""
        if end != NATURAL:
            return self._plain(kind, stake, total, end)
        return self._natural(self.against.law(split=split), kind, stake)

    def _plain(self, kind: int, stake: int, total: int, end: int) -> Ended:
        """Returns how a hand ends against a dealer without a natural."""
        pays, many = self.terms.pays, Fraction(stake)
        if kind == residues.STANDS:
            if end == 0 or total > end + LEAST:
                return Ended(ids.WIN, many * pays.win, many)
            return Ended(ids.PUSH, Zero, many) if total == end + LEAST else Ended(ids.LOSE, -many, many)
        if kind == residues.BUSTS:
            return Ended(ids.LOSE, -many, many)
        if kind == residues.WINS_AT_ONCE:
            return Ended(ids.CHARLIE, many * pays.charlie, many)
        if kind == residues.SEVENS:
            return Ended(ids.SEVENS, Zero, many)
        if kind == residues.GIVEN_UP:
            return Ended(ids.SURRENDERED, Fraction(-1, 2), many)
        return Ended(ids.LOSE, Fraction(-1), many)

    def _natural(self, law: int, kind: int, stake: int) -> Ended:
        """Returns how a hand ends against a dealer's natural."""
        if law == kernels.LOOKED:
            return Ended(ids.LOSE, Fraction(-1), Fraction(1))
        staked, bust = Fraction(stake), kind == residues.BUSTS
        if kind in (residues.WINS_AT_ONCE, residues.SEVENS):
            return self._plain(kind, stake, 0, NATURAL)
        if kind in (residues.GIVEN_UP, residues.RESCUED):
            return Ended(ids.LOSE, Fraction(-1), staked)
        if law == kernels.WHOLE or (bust and law in (kernels.BUSTED, kernels.BUSTED_APART)):
            return Ended(ids.LOSE, -staked, staked)
        # The one stake that a split round loses as a whole is no matter of a hand of it.
        whole = law in (kernels.BUSTED_APART, kernels.ORIGINAL)
        return Ended(ids.LOSE, Fraction(0 if whole else -1), staked)

    # --- the round ---------------------------------------------------------------------------------------

    @cached_property
    def starts(self) -> tuple[tuple[Counts, Fraction], ...]:
        """Every two first cards with their chance."""
        counts, size = self._shown.tolist(), self.against.size
        less = 0 if self.endless else 1
        found = []
        for one in range(VALUES):
            for other in range(one, VALUES):
                ways = counts[one] * (counts[other] - less * (one == other)) * (1 if one == other else 2)
                hand = tuple(int(one == value) + int(other == value) for value in range(VALUES))
                if ways > 0:
                    found.append((hand, Fraction(ways, size * (size - less))))
        return tuple(found)

    @property
    def shown_counts(self) -> Whole:
        """Cards left by value, the open card gone."""
        return self._shown

    def left_of(self, value: int) -> int:
        """Returns how many cards of a value are left, the open card gone."""
        return int(self._shown[value])

    def hidden(self, hand: Counts) -> Fraction:
        """Returns the chance of a dealer's natural with the cards of a hand gone."""
        if self._hole < 0:
            return Zero
        count = self.terms.shoe.counts[self._hole]
        if self.endless:
            return Fraction(count, self.against.size)
        return Fraction(count - hand[self._hole], self.against.size - sum(hand))

    def insurance(self, hand: Counts) -> Fraction:
        """Returns what insuring half the stake is worth with the cards of a hand gone, in stakes."""
        return (self.hidden(hand) * (self.terms.pays.insurance + 1) - 1) / 2

    @property
    def splits_by_rank(self) -> bool:
        """Whether cards that count ten are a pair only where their ranks are the same."""
        return self.terms.rules.split_tens == SplitTens.RANK

    def share(self, value: int) -> Fraction:
        """Returns which share of two cards of a value are a pair."""
        return sum((share for share, _ in self.against.pair_shares[value]), Zero)

    def share_split(self, value: int) -> Fraction:
        """Returns which share of two cards of a value are a pair that is split under the plan."""
        return self.share(value) if value in self.plan.splits else Zero

    def later_option(self, hand: Counts, play: int) -> Fraction:
        """Returns what a play on a hand of any number of cards is worth, where it comes to it."""
        whole, plays = self.against.hands, self.plan.plays.copy()
        # Play comes to the hand whatever the plan does with fewer of its cards.
        plays[(whole.counts <= np.array(hand)).all(axis=1) & (whole.cards < sum(hand))] = kernels.HIT
        plays[whole.place[hand]] = play
        return Counted(self.against, replace(self.plan, plays=plays)).option(hand, play)

    def option(self, hand: Counts, play: int) -> Fraction:
        """Returns what a play on a hand is worth, where it comes to it; later cards are played by the plan."""
        place = self.against.hands.place[hand]
        worth = self._worth_of(self._options[:, place, play], self._shown)
        return worth / (1 - self.hidden(hand)) if self.against.looked else worth

    @cached_property
    def _options(self) -> Whole:
        """What every play on every hand that was not split is worth, by prime; nothing under a natural found."""
        return self._worths(self._played(-1, 0))

    def _worths(self, played: _Played, gone: int = 0) -> Whole:
        whole, split = self.against.hands, played.begun >= 0
        (rows, ends), left = self._dealer(played, gone), self._left(played.begun, gone)
        nets = self._won(split)
        return np.stack([
            residues.worths(
                played.places, whole.counts, whole.after, whole.totals, played.plays, not split,
                rows, ends[number], left, played.begun, self._hole,
                residues.inverse(modulus), modulus, self.endless, self.terms.rules.charlie, self._sevens(split=split),
                self._rescued, nets[number],
            )
            for number, modulus in enumerate(self._moduli)
        ])  # fmt: skip

    def _whole(self, size: int) -> int:
        """Returns in how many ways so many cards may come as are drawn at most, from so many."""
        return int(size) ** self._most if self.endless else perm(int(size), min(self._most, int(size)))

    def _worth_of(self, remainders: Whole, left: Whole) -> Fraction:
        whole = self._whole(left.sum())
        return residues.together(remainders.tolist(), self._moduli, whole) / self._unit

    def _split_hand(self, value: int, came: int, gone: int) -> tuple[Fraction, Fraction]:
        """Returns what one hand of a split pair is worth, and the part of it where its second card is one of the pair.

        Args:
            value: The pair.
            came: How many further cards of the pair the plan reckons with.
            gone: How many further cards of the pair are gone.
        """
        whole, alike = self.against.hands, self.plan.first_alike(value, came)
        if alike < came:
            return self.split_hand(value, alike, gone)
        played, left = self._played(value, came), self._left(value, gone)
        worths = self._worths(played, gone)
        parts = []
        for second in range(VALUES):
            hand = tuple(int(value == one) + int(second == one) for one in range(VALUES))
            place = whole.place.get(hand)
            if place is not None and left[second] > 0:
                chance = Fraction(int(left[second]), int(left.sum()))
                parts.append((second, chance * self._worth_of(worths[:, place, played.plays[place]], left)))
        return sum((part for _, part in parts), Zero), sum(
            (part for one, part in parts if one == value), Zero
        )

    def splitting(self, value: int) -> Fraction:
        """Returns what splitting a pair is worth, but for a stake that the round loses as a whole."""
        cases = self.against.pair_shares[value]
        whole = sum(share for share, _ in cases)
        return sum((share * self._splitting(value, alike) for share, alike in cases), Zero) / whole

    def _splitting(self, value: int, alike: int) -> Fraction:
        less = 0 if self.endless else 1
        size = self.against.size - 2 * less
        left = self.left_of(value) - 2 * less

        def chance(gone: int) -> Fraction:
            return Fraction(max(alike - less * gone, 0), size - less * gone)

        def hand(came: int) -> _OneHand:
            # Tens of another rank are no pair, though they count the same.
            return _OneHand(
                self, value, came, lambda gone: Fraction(alike - less * gone, left - less * gone or 1)
            )

        return Fraction(split_value(self.terms.most_hands(value), chance, hand, Zero))

    def expected(self) -> Fraction:
        """Returns the net result of a round, in initial stakes."""
        return sum((chance * self._begun(hand) for hand, chance in self.starts), Zero)

    def _begun(self, hand: Counts) -> Fraction:
        """Returns the net result of a round of two first cards."""
        place, hidden = self.against.hands.place[hand], self.hidden(hand)
        insured = self.insurance(hand) if place in self.plan.insured else Zero
        if place in self.plan.early:
            return insured - Fraction(1, 2)
        if self.against.hands.totals[place] == 21:
            return insured + (1 - hidden) * self.terms.natural_pays
        share = self.share_split(hand.index(2)) if 2 in hand else Zero
        total = insured
        if share:
            total += share * (self.splitting(hand.index(2)) - self.apart(hand))
        if share < 1:
            whole = self._worth_of(self._options[:, place, self.plan.plays[place]], self._shown)
            total += (1 - share) * (whole - hidden if self.against.looked else whole)
        return total

    def apart(self, hand: Counts) -> Fraction:
        """Returns the stake that a natural costs a split round as a whole."""
        whole = (kernels.LOOKED, kernels.BUSTED_APART, kernels.ORIGINAL)
        return self.hidden(hand) if self.against.law(split=True) in whole else Zero


class _OneHand:
    """Values of one hand of a split pair, exactly."""

    def __init__(self, counted: Counted, value: int, came: int, alike: Callable[[int], Fraction]) -> None:
        self._counted, self._value, self._came, self._alike = counted, value, came, alike

    def any_card(self, gone: int) -> Fraction:
        """Returns what the hand is worth with so many further cards of the pair gone, whatever its second card is."""
        return self._counted.split_hand(self._value, self._came, gone)[0]

    def pair(self, gone: int) -> Fraction:
        """Returns the part of it where the second card is one of the pair."""
        return self._alike(gone) * self._counted.split_hand(self._value, self._came, gone)[1]
