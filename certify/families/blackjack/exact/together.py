"""How the hands of one split pair end together, with the dealer's hand: counted, or bounded from both sides.

What the hands hold when they are finished says what is left for the dealer, so every way in which they may be finished
together is met with the law of the dealer's hand. Of two hands none is left out, and so the mean square of any number
of hands is right to some 10^-13. Three and four hands are put together of all their twos (Kirkwood's superposition);
how far that may be off is proved: the likeliest ways in which they may be finished are counted, and how probable all
are together is known, so what the others come to lies between nothing and what is missing.

Sums are in floats, of parts that are not below nought: no more than SLACK of any of them is lost.

Source: Kirkwood, Statistical mechanics of fluid mixtures, J. Chem. Phys. 3 (1935), for the superposition.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property, reduce
from itertools import combinations
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.cards import ACE, VALUES
from certify.families.blackjack.exact import kernels, residues
from certify.families.blackjack.exact.counting import Counted
from certify.families.blackjack.exact.dealer import LEAST, NATURAL, dealt
from certify.families.blackjack.exact.finishes import ENDS, Finishes, Side, joined, merged, rows_of, side_of
from certify.families.blackjack.exact.hands import KEYS
from certify.families.blackjack.exact.splits import Ending, endings

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

CLOSED, FREE = "closed", "free"
"""A hand whose second card is none of the pair, and one whose second card may be any."""

SLACK: Final = 1e-8
"""More than what rounding takes of a sum of fewer than 2^25 floats that are not below nought."""

TINY: Final = 1e-15
"""Two hands less probable than this are left out."""

RARE: Final = 1e-9
"""Three and four hands less probable than this are what is missing between two bounds."""


class Result(NamedTuple):
    """How a round of several hands ends.

    Args:
        net: Net result, in units.
        staked: Everything staked, in units.
        natural: Whether the dealer holds a natural.
    """

    net: int
    staked: int
    natural: bool


class Bounds(NamedTuple):
    """What a chance lies between.

    Args:
        least: No more than the chance.
        most: No less.
    """

    least: float
    most: float


class _Finished(NamedTuple):
    """A part of the ways in which one hand ends.

    Args:
        cards: What it holds, as one number.
        kind: How play ended, as in :mod:`residues`.
        stake: What is staked.
        total: What it counts, nought where that does not matter.
        alike: Whether its second card counts what the pair does.
        orders: In how many orders it comes.
    """

    cards: int
    kind: int
    stake: int
    total: int
    alike: bool
    orders: int


class Together:
    """All hands of one split pair under a plan.

    Args:
        counted: The plan against an open card.
        value: The pair.
        alike: How many further cards would make it a pair again.
    """

    def __init__(self, counted: Counted, value: int, alike: int) -> None:
        self._counted, self._value, self._alike = counted, value, alike
        self._less = 0 if counted.endless else 1
        self._size = counted.against.size - 2 * self._less
        pays = counted.terms.pays
        self.unit = lcm(2, pays.win.denominator, pays.charlie.denominator)
        self._lost = (
            self.unit if counted.against.law(split=True) in (kernels.BUSTED_APART, kernels.ORIGINAL) else 0
        )
        self._tree = dealt(counted.plan.up, counted.terms.rules.hits_soft_17).tree

    def law(self) -> tuple[dict[Result, float], float]:
        """Returns the chances of how all hands end, and the mean of the squared net result, in units.

        Where the dealer looked, a natural ended the round before anything was split: it is not among them.
        """
        found, square = dict[Result, float](), 0.0
        for ending, orders in endings(self._counted.terms.most_hands(self._value)).items():
            reached = orders * self._reached(ending.pairs)
            if reached:
                for end in range(NATURAL if self._counted.against.looked else ENDS):
                    for result, chance in self._superposed(ending, end).items():
                        found[result] = found.get(result, 0.0) + reached * chance
                square += reached * self._square(ending)
        return found, square

    def bounds(self, rare: float = RARE) -> dict[Result, Bounds]:
        """Returns what the chance of each way in which all hands may end lies between.

        Args:
            rare: Three and four hands less probable, of all rounds in which the pair is split, are what is missing.
        """
        found, missing = dict[Result, float](), 0.0
        ended = endings(self._counted.terms.most_hands(self._value))
        for pairs in sorted({ending.pairs for ending in ended}):
            if reached := self._reached(pairs):
                some = {ending: orders for ending, orders in ended.items() if ending.pairs == pairs}
                whole = sum(orders * self._all_closed(pairs, one.closed) for one, orders in some.items())
                counted = self._counted_ends(some, rare / reached if pairs else TINY)
                for result, chance in counted.items():
                    found[result] = found.get(result, 0.0) + reached * chance
                missing += reached * max(whole - sum(counted.values()) * (1 - SLACK), 0.0)
        looked = self._counted.against.looked
        return {
            result: Bounds(chance * (1 - SLACK), chance * (1 + SLACK) + missing)
            for result, chance in found.items()
            if not (looked and result.natural)
        }

    def _reached(self, pairs: int) -> float:
        """Returns the chance that so many further cards of the pair come first."""
        reached = 1.0
        for gone in range(pairs):
            reached *= self._chance(gone)
        return reached

    def _chance(self, gone: int) -> float:
        """Returns the chance that the next card is one of the pair, with so many further ones gone."""
        return max(self._alike - self._less * gone, 0) / (self._size - self._less * gone)

    def _like_left(self, gone: int) -> tuple[int, int]:
        """Returns how many cards that make a pair again are left, and how many that count what the pair does."""
        left = self._counted.left_of(self._value) - self._less * (2 + gone)
        return self._alike - self._less * gone, left

    # --- how all hands end -------------------------------------------------------------------------------

    def _counted_ends(self, some: dict[Ending, int], least: float) -> dict[Result, float]:
        """Returns how likely hands end, by every ending with the same number of further cards of the pair."""
        pairs, sides = next(iter(some)).pairs, dict[tuple[str, ...], list[Finishes]]()
        for ending, orders in some.items():
            # Half of the hands on one side, half on the other: of four hands the first two are free in every ending.
            kinds = (FREE,) * ending.free + (CLOSED,) * ending.closed
            many = len(kinds) // 2
            several = self._several(pairs, kinds[many:], least)
            sides.setdefault(kinds[:many], []).append(several.times(orders))
        found = dict[Result, float]()
        for kinds, others in sides.items():
            ours = self._several(pairs, kinds, least)
            for result, chance in self._sides(pairs, ours, joined(others), least).items():
                found[result] = found.get(result, 0.0) + chance
        return found

    def _superposed(self, ending: Ending, end: int) -> dict[Result, float]:
        """Returns how hands end against one end of the dealer's as every two of them do.

        Of more than two no more is taken for known than follows from that.
        """
        kinds = (CLOSED,) * ending.closed + (FREE,) * ending.free
        rows, place = np.unique(self._rows(ending.pairs)[end][:, :2], axis=0, return_inverse=True)
        marks = np.eye(len(rows))[place.ravel()]
        two = {
            (one, other): marks.T
            @ self._two(ending.pairs, kinds[one], kinds[other], ending.closed)[end]
            @ marks
            for one, other in combinations(range(len(kinds)), 2)
        }
        whole = float(two[0, 1].sum())
        if whole <= 0:
            return {}
        single = [two[0, 1].sum(axis=1), *(two[0, other].sum(axis=0) for other in range(1, len(kinds)))]
        chances = _superposition(
            [one / whole for one in single], {pair: part / whole for pair, part in two.items()}
        )
        sums = [reduce(np.add, np.ix_(*[one] * len(kinds))).ravel() for one in rows.T]
        sets, at = np.unique(np.stack(sums, axis=1), axis=0, return_inverse=True)
        merged = np.bincount(at.ravel(), chances.ravel()) * whole
        natural = end == NATURAL
        return {
            Result(net - self._lost * natural, staked, natural): chance
            for (net, staked), chance in zip(sets.tolist(), merged.tolist(), strict=True)
            if chance > 0
        }

    def _all_closed(self, gone: int, many: int) -> float:
        """Returns the chance that so many second cards are none of the pair."""
        chance, like = 1.0, max(self._like_left(gone)[0], 0)
        for drawn in range(many):
            size = self._size - self._less * (gone + drawn)
            chance *= max(size - like, 0) / size if size > 0 else 0.0
        return chance

    def _several(self, came: int, kinds: tuple[str, ...], least: float) -> Finishes:
        """Returns the ways in which hands of some kinds may be finished, of several those that are not too rare."""
        listed = [self._hand(came, kind) for kind in kinds]
        if len(listed) == 1:
            return listed[0]
        one, other = listed
        chances = [listed.orders * self._ways(listed.keys, came) for listed in (one, other)]
        return one.beside(other, least, *chances)

    def _sides(self, gone: int, ours: Finishes, others: Finishes, least: float) -> dict[Result, float]:
        """Returns the chances of how the hands of two sides end."""
        one, other = self._side(ours, gone, least), self._side(others, gone, least)
        like, left = self._like_left(gone)
        # Second cards that count what the pair does and are none of it: tens of another rank.
        unlike = [1.0]
        for drawn in range(4):
            more = max(left - like - self._less * drawn, 0) / max(left - self._less * drawn, 1)
            unlike.append(unlike[-1] * more)
        found = dict[Result, float]()
        for end, chances in enumerate(self._met([gone], one, other, least)[0]):
            rows = (one.rows[end][:, None] + other.rows[end]).reshape(-1, 3)
            sets, place = np.unique(rows, axis=0, return_inverse=True)
            summed = np.bincount(place.ravel(), chances.ravel())
            for (net, staked, alike), chance in zip(sets.tolist(), summed.tolist(), strict=True):
                if chance and unlike[alike]:
                    result = Result(net - self._lost * (end == NATURAL), staked, end == NATURAL)
                    found[result] = found.get(result, 0.0) + chance * unlike[alike]
        return found

    # --- every two hands ---------------------------------------------------------------------------------

    def _square(self, ending: Ending) -> float:
        """Returns the mean of the squared net result, times the chance of the ending."""
        kinds = (CLOSED,) * ending.closed + (FREE,) * ending.free
        total = 0.0
        for end in range(NATURAL if self._counted.against.looked else ENDS):
            won, lost = self._rows(ending.pairs)[end][:, 0], self._lost if end == NATURAL else 0
            two = {
                (one, other): self._two(ending.pairs, kinds[one], kinds[other], ending.closed)[end]
                for one, other in combinations(range(len(kinds)), 2)
            }
            single = [two[0, 1].sum(axis=1), *(two[0, other].sum(axis=0) for other in range(1, len(kinds)))]
            total += 2 * sum(float(won @ part @ won) for part in two.values())
            total += sum(float((won * won - 2 * lost * won) @ one) for one in single)
            total += lost * lost * float(two[0, 1].sum())
        return total

    def _rows(self, came: int) -> tuple[Whole, ...]:
        return rows_of(self._paired(self._played_as(came)))

    def _two(self, came: int, one: str, other: str, closed: int) -> tuple[Floats, ...]:
        """Returns by the dealer's end the chances of how two hands end, while further hands are known to be closed."""
        return self._known(came, came, one, other, closed - (one, other).count(CLOSED))

    @cache  # noqa: B019
    def _known(self, came: int, gone: int, one: str, other: str, others: int) -> tuple[Floats, ...]:
        """Returns them; what is known of others is taken out one by one, as in :mod:`splits`."""
        if not others:
            return self._any(came, gone, one, other)
        fewer, chance = self._known(came, gone, one, other, others - 1), self._chance(gone)
        if not chance:
            return fewer
        more = self._known(came, gone + 1, one, other, others - 1)
        return tuple(left - chance * right for left, right in zip(fewer, more, strict=True))

    @cache  # noqa: B019
    def _any(self, came: int, gone: int, one: str, other: str) -> tuple[Floats, ...]:
        """Returns them where nothing is known of other hands."""
        like, left = self._like_left(gone)
        # Of cards that count what the pair does, these shares make it a pair: of one such card, and of two.
        first = like / max(left, 1)
        second = first * (like - self._less) / max(left - self._less, 1)
        found = []
        tables = self._tables(self._played_as(came))[gone if self._less else 0]
        for rows, table in zip(self._rows(came), tables, strict=True):
            ours, others = (rows[:, 2] * (kind == CLOSED) for kind in (one, other))
            both = ours[:, None] * others
            found.append(table * (1.0 - first * (ours[:, None] + others) + second * both))
        return tuple(found)

    @cache  # noqa: B019
    def _tables(self, came: int) -> dict[int, tuple[Floats, ...]]:
        """Returns the chances of how two hands end by further cards of the pair gone, and the dealer's end."""
        alike = range(self._counted.terms.most_hands(self._value) - 1)
        # The second cards of that many others may turn out to be one more of the pair.
        gone = {one + more for one in alike if self._played_as(one) == came for more in range(one + 1)}
        several = sorted(gone) if self._less else [0]
        listed = self._paired(came)
        side = self._side(listed, several[0], TINY, self._lost_at_once)
        rest = [_rest(rows, lost) for rows, lost in zip(rows_of(listed), self._lost_at_once, strict=True)]
        tables = [
            tuple(_positive(apart @ table @ apart.T) for apart, table in zip(rest, ends, strict=True))
            for ends in self._met(several, side, side, TINY)
        ]
        return dict(zip(several, tables, strict=True))

    @cached_property
    def _lost_at_once(self) -> Whole:
        """Net result and stake of a hand that busts undoubled, by the dealer's end."""
        return np.array([self._result(residues.BUSTS, 1, 0, end) for end in range(ENDS)])

    @cache  # noqa: B019
    def _paired(self, came: int) -> Finishes:
        """Returns the ways in which a hand may be finished, any hand in place of those that bust undoubled.

        What is lost at once is what is left of any hand when all else is taken away.
        """
        hand, lost = self._hand(came, CLOSED), self._lost_at_once
        kept = ~(hand.results == lost).all(axis=(1, 2))[hand.classes]
        seconds = np.arange(VALUES)
        return merged(
            np.concatenate([hand.keys[kept], KEYS]),
            np.concatenate([hand.classes[kept], len(hand.results) + (seconds == self._value)]),
            np.concatenate([hand.orders[kept], np.ones(VALUES)]),
            np.concatenate([hand.results, [lost, lost]]),
            np.concatenate([hand.alike, [0, 1]]),
        )

    # --- cards -------------------------------------------------------------------------------------------

    def _met(self, gone: list[int], one: Side, other: Side, least: float) -> list[tuple[Floats, ...]]:
        """Returns the chances of how hands of two sides end, by the dealer's end; the least probable are left out.

        For every number of further cards of the pair that are gone.
        """
        same = one is other
        slots, keys = kernels.unions(one.keys, one.chances, other.keys, other.chances, least, same)
        met = np.stack([self._chances(keys, more) for more in gone], axis=2)
        many = [max(len(rows) for rows in side.rows) for side in (one, other)]
        found = np.zeros((ENDS, *many, len(gone)))
        kernels.together(*one[:5], *other[:5], least, same, slots, keys, met, found)
        if same:
            found += found.transpose(0, 2, 1, 3).copy()
        return [
            tuple(
                part[: len(ours), : len(others)]
                for part, ours, others in zip(parts, one.rows, other.rows, strict=True)
            )
            for parts in found.transpose(3, 0, 1, 2)
        ]

    def _side(self, listed: Finishes, gone: int, least: float, any_hand: Whole | None = None) -> Side:
        """Returns the ways to be finished that are probable enough, as they are met with others."""
        return side_of(listed, self._ways(np.unique(listed.keys), gone), least, any_hand)

    def _left(self, gone: int) -> Whole:
        """Returns the cards left for the hands and the dealer."""
        left = self._counted.shown_counts
        return np.asarray(left - self._less * (2 + gone) * (np.arange(VALUES) == self._value), np.int64)

    def _ways(self, keys: Whole, gone: int) -> Floats:
        """Returns the chances of cards drawn one after the other, each set as one number."""
        found: Floats = kernels.drawn(_held(keys), self._left(gone), bool(self._counted.endless))
        return found

    def _chances(self, keys: Whole, gone: int) -> Floats:
        """Returns the same together with each end of the dealer's hand."""
        left, endless = self._left(gone), bool(self._counted.endless)
        shoes = left[None, :] if endless else np.maximum(left - _held(keys), 0)
        found: Floats = self._ways(keys, gone)[:, None] * kernels.chances(shoes, *self._tree, endless)
        return found

    # --- one hand ----------------------------------------------------------------------------------------

    def _played_as(self, came: int) -> int:
        """Returns the least number of further cards of the pair with which hands are played as with so many."""
        plan = self._counted.plan
        plays = plan.after_split(self._value, came)
        return min(one for one in range(came + 1) if plan.after_split(self._value, one) is plays)

    def _hand(self, came: int, kind: str) -> Finishes:
        """Returns every way in which a hand may be finished, where so many further cards of the pair came."""
        return self._one(self._played_as(came), kind)

    @cache  # noqa: B019
    def _one(self, came: int, kind: str) -> Finishes:
        finished = list(self._finished(came))
        classes = {(one.kind, one.stake, max(one.total, LEAST), one.alike): 0 for one in finished}
        ended = [
            [self._result(*one[:3], end) for end in range(ENDS)]
            for number, one in enumerate(classes)
            if classes.update({one: number}) is None
        ]
        return merged(
            np.array([one.cards for one in finished]),
            np.array([classes[one.kind, one.stake, max(one.total, LEAST), one.alike] for one in finished]),
            np.array([one.orders for one in finished], np.float64),
            np.array(ended),
            np.array([int(one[3] and kind == CLOSED) for one in classes]),
        )

    @cache  # noqa: B019
    def _result(self, kind: int, stake: int, total: int, end: int) -> tuple[int, int]:
        ended = self._counted.settled(kind, stake, total, end, split=True)
        return int(ended.net * self.unit), int(ended.staked * self.unit)

    def _finished(self, came: int) -> Iterator[_Finished]:
        """Yields the parts of the ways in which a hand ends."""
        whole, terms = self._counted.against.hands, self._counted.terms
        plays = self._counted.plan.after_split(self._value, came)
        if self._value == ACE and not terms.rules.draw_to_aces:
            plays = np.zeros_like(plays)
        for alike in (False, True):
            orders = np.zeros(len(whole.held), np.int64)
            for second in range(VALUES):
                hand = tuple(int(self._value == one) + int(second == one) for one in range(VALUES))
                if hand in whole.place and (second == self._value) is alike:
                    orders[whole.place[hand]] = 1
            for place in range(len(whole.held)):
                if orders[place]:
                    yield from self._played(place, int(plays[place]), alike, orders)

    def _played(self, place: int, play: int, alike: bool, orders: Whole) -> Iterator[_Finished]:
        """Yields how a hand ends that comes in so many orders, and writes in how many it goes on."""
        whole, charlie = self._counted.against.hands, self._counted.terms.rules.charlie
        many, rescued = int(orders[place]), self._counted.plan.rescued
        own, totals, cards = int(whole.keys[place] - KEYS[self._value]), whole.totals, int(whole.cards[place])
        if charlie and cards >= charlie:
            yield _Finished(own, residues.WINS_AT_ONCE, 1, 0, alike, many)
            return
        if play not in (kernels.HIT, kernels.DOUBLE):
            yield _Finished(own, residues.STANDS, 1, int(totals[place]), alike, many)
            return
        stake = 2 if play == kernels.DOUBLE else 1
        for value, then in enumerate(whole.after[place].tolist()):
            held = own + int(KEYS[value])
            if then == -1:
                yield _Finished(held, residues.BUSTS, stake, 0, alike, many)
            elif then >= 0 and play == kernels.HIT:
                orders[then] += many
            elif then >= 0 and charlie and cards + 1 >= charlie:
                yield _Finished(held, residues.WINS_AT_ONCE, 2, 0, alike, many)
            elif then >= 0 and rescued is not None and rescued[then]:
                yield _Finished(held, residues.RESCUED, 2, 0, alike, many)
            elif then >= 0:
                yield _Finished(held, residues.STANDS, 2, int(totals[then]), alike, many)


def _positive(chances: Floats) -> Floats:
    """Returns chances without what rounding leaves of those that are nought."""
    return np.where(chances < TINY, 0.0, chances)


def _rest(rows: Whole, lost: Whole) -> Floats:
    """Returns what makes of any hand those that end in what is lost: all else with such a second card taken away."""
    found = np.eye(len(rows))
    for place in np.nonzero((rows[:, :2] == lost).all(axis=1))[0].tolist():
        found[place] -= (rows[:, 2] == rows[place, 2]) & (np.arange(len(rows)) != place)
    return found


def _superposition(single: list[Floats], two: dict[tuple[int, int], Floats]) -> Floats:
    """Returns how probably hands end together as every two of them do."""
    if len(single) == 2:
        return two[0, 1]
    apart = reduce(np.multiply, np.ix_(*single))
    chances = apart
    for (one, other), part in two.items():
        alone = np.outer(single[one], single[other])
        ratio = np.divide(part, alone, out=np.ones_like(part), where=alone > 0)
        shape = [len(ends) if place in (one, other) else 1 for place, ends in enumerate(single)]
        chances = chances * np.maximum(ratio, 0.0).reshape(shape)
    whole = chances.sum()
    # Of a shoe so small that no three hands fit every two of them, nothing better is known than hands apart.
    return chances / whole if whole > 0 else apart


def _held(keys: Whole) -> Whole:
    """Returns cards by value, a row for each number that says them."""
    return np.asarray(keys[:, None] // KEYS % KEYS[1])
