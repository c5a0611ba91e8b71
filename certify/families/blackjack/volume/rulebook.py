"""Blackjack for volume: what is offered, how a hand goes on and what it nets, written apart from the other legs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack.rules import (
    BlackjackRules,
    Doubling,
    Peek,
    SplitTens,
    Surrender,
    Taken,
    outcome_of,
)
from certify.families.blackjack.side_bets import ROWS
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS
from certify.model.game import Game
from certify.model.paytable import Paytable

Values = tuple[int, ...]
"""Cards of a hand by what they count, aces as one, in rising order."""

ACE, TEN = 1, 10
MOST: Final = 21
STAND, HIT, DOUBLE, SPLIT, SURRENDER = range(len(ids.OPTIONS))
CODES: Final = {option: code for code, option in enumerate(ids.OPTIONS)}
"""What may be decided on a hand, as the kernel knows it."""

LIVE, BUST, PAID, GIVEN_UP = range(4)
"""How a hand is when the dealer plays: held against the dealer's, lost, paid at once, surrendered or rescued."""

SETTLED_ROWS: Final = (
    *(ids.LOSE, ids.PUSH, ids.WIN, ids.SURRENDERED, ids.NATURAL, ids.SUITED_NATURAL),
    *(ids.CHARLIE, ids.SEVENS, ids.SUITED_SEVENS),
)
"""Rows of the main wager, in the order of their codes in the kernel."""

LOST, PUSHED, WON, HALVED, NATURAL, SUITED_NATURAL, CHARLIE, SEVENS, SUITED_SEVENS = range(len(SETTLED_ROWS))


def best(hand: Sequence[int]) -> int:
    """Returns what a hand counts at best.

    >>> best((1, 10)), best((1, 6, 10))
    (21, 17)
    """
    low = sum(hand)
    return low + 10 if ACE in hand and low + 10 <= MOST else low


def is_soft(hand: Sequence[int]) -> bool:
    """Tells whether an ace of the hand counts eleven."""
    return best(hand) != sum(hand)


def looks_under(rules: BlackjackRules, up: int) -> bool:
    """Tells whether the dealer looks for a natural before anybody plays."""
    return (up == ACE and rules.peek != Peek.NEVER) or (up == TEN and rules.peek == Peek.BOTH)


def keeps_half(rules: BlackjackRules, up: int) -> bool:
    """Tells whether a natural leaves half the stake to a player who surrendered."""
    if up == ACE:
        return rules.surrender in (Surrender.EARLY, Surrender.EARLY_ACE)
    return up == TEN and rules.surrender in (Surrender.EARLY, Surrender.EARLY_TEN, Surrender.EARLY_NOT_ACE)


def surrenders_before_the_look(rules: BlackjackRules, up: int) -> bool:
    """Tells whether surrender is decided before the dealer looks."""
    return looks_under(rules, up) and keeps_half(rules, up)


def offered(
    rules: BlackjackRules, hand: Values, up: int, *, pair: bool, split: bool, more: bool
) -> tuple[str, ...]:
    """Returns what may be decided on a hand that is drawn to, the least committing option first.

    Args:
        rules: Rules of play.
        hand: The hand.
        up: What the dealer's open card counts.
        pair: Whether its two cards may be split by their ranks.
        split: Whether it came of a split.
        more: Whether another hand is allowed.
    """
    options = [ids.STAND, ids.HIT]
    if doubles(rules, hand, split=split):
        options.append(ids.DOUBLE)
    if pair and more:
        options.append(ids.SPLIT)
    refused = rules.surrender == Surrender.EARLY_NOT_ACE and up == ACE
    if rules.surrender != Surrender.NONE and not refused and len(hand) == 2 and not split:
        options += [] if surrenders_before_the_look(rules, up) else [ids.SURRENDER]
    return tuple(options)


def doubles(rules: BlackjackRules, hand: Values, *, split: bool) -> bool:
    """Tells whether a hand may be doubled."""
    if rules.double == Doubling.NEVER or (split and not rules.double_after_split):
        return False
    if rules.double == Doubling.ANY_CARDS:
        return True
    least = {Doubling.EIGHT: 8, Doubling.NINE: 9, Doubling.TEN: 10, Doubling.ELEVEN: 11}.get(rules.double, 0)
    return len(hand) == 2 and (not least or (least <= best(hand) <= 11 and not is_soft(hand)))


def tens_pair(rules: BlackjackRules, *, equal: bool) -> bool:
    """Tells whether two tens are a pair, of equal rank or not."""
    return rules.split_tens == SplitTens.VALUE or (equal and rules.split_tens == SplitTens.RANK)


def most_hands(rules: BlackjackRules, value: int) -> int:
    """Returns the most hands that a pair of cards may become."""
    return rules.ace_hands if value == ACE else rules.split_hands


# --- pays --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PaysInParts:
    """What the rows of the main wager pay, in whole parts of a unit.

    Args:
        unit: Parts of a unit.
        rows: What each row of SETTLED_ROWS pays on one unit, in parts; 0 for rows that are not paid.
        insured: What insurance nets where it wins, in parts.
        named: Rows that the paytable names.
    """

    unit: int
    rows: tuple[int, ...]
    insured: int
    named: tuple[str, ...]

    def fraction(self, parts: int) -> Fraction:
        """Returns parts as a fraction of a unit."""
        return Fraction(parts, self.unit)


_USUAL: Final = {ids.NATURAL: Fraction(1), ids.WIN: Fraction(1)}


def pays_of(paytable: Paytable) -> PaysInParts:
    """Returns what a paytable pays; a row that it leaves out pays what is usual."""
    named = {row.id: row.pays for row in paytable.rows}
    rows = [named.get(row, _USUAL.get(row, Fraction(0))) for row in SETTLED_ROWS]
    insured = named.get(ids.INSURED, Fraction(2)) / 2
    unit = lcm(2, insured.denominator, *(pay.denominator for pay in rows))
    return PaysInParts(unit, tuple(int(pay * unit) for pay in rows), int(insured * unit), tuple(named))


def pays_of_game(game: Game) -> PaysInParts:
    """Returns what the main wager of a game pays."""
    return pays_of(game.wager(ids.MAIN).paytable)


_OPEN: Final = "open"
"""A hand whose stake a natural does not take: one original bet is lost for all of them."""


# --- what a round may come to --------------------------------------------------------------------------------


def possible(rules: BlackjackRules, pays: PaysInParts) -> tuple[str, ...]:
    """Returns every outcome that the main wager may have, some of which no round may reach."""
    plain: dict[tuple[str, int, int], None] = {}
    for hands in range(1, rules.split_hands + 1):
        for ends in combinations_with_replacement(_hand_ends(rules, pays), hands):
            staked = sum(stake for _, _, stake in ends)
            left = any(row == _OPEN for row, _, _ in ends)
            net = sum(net for _, net, _ in ends) - (pays.unit if left else 0)
            plain[ends[0][0] if hands == 1 and not left else _by_sign(net), net, staked] = None
    found: dict[str, None] = {}
    for row, net, staked in plain:
        found[outcome_of(row, pays.fraction(net), Fraction(staked))] = None
    if rules.insurance:
        half = pays.unit // 2
        for (_, net, staked), insured in ((one, end) for one in plain for end in (pays.insured, -half)):
            total = net + insured
            found[outcome_of(_by_sign(total), pays.fraction(total), staked + Fraction(1, 2))] = None
    return tuple(sorted(found))


def _hand_ends(rules: BlackjackRules, pays: PaysInParts) -> Iterator[tuple[str, int, int]]:
    """Yields how one hand may end: its row, its net result and its stake."""
    stakes = (1,) if rules.double == Doubling.NEVER else (1, 2)
    for stake in stakes:
        yield ids.LOSE, -stake * pays.unit, stake
        for code, row in enumerate(SETTLED_ROWS):
            if row in (ids.PUSH, ids.WIN) or (row in pays.named and code >= NATURAL):
                yield row, stake * pays.rows[code], stake
    yield ids.NATURAL, pays.rows[NATURAL], 1
    if rules.surrender != Surrender.NONE:
        yield ids.SURRENDERED, -pays.unit // 2, 1
    if rules.natural_takes in (Taken.ORIGINAL, Taken.ORIGINAL_AND_BUSTED):
        yield from ((_OPEN, 0, stake) for stake in stakes)
    if (rules.double_rescue or rules.natural_takes == Taken.ORIGINAL_AND_SPLIT) and 2 in stakes:
        yield ids.LOSE, -pays.unit, 2


def _by_sign(net: int) -> str:
    return ids.WIN if net > 0 else ids.LOSE if net < 0 else ids.PUSH


# --- side bets ---------------------------------------------------------------------------------------------

_HEARTS, _QUEEN = FRENCH_SUITS.index("hearts"), FRENCH_RANKS.index("Q")
_RED: Final = (FRENCH_SUITS.index("diamonds"), _HEARTS)

Card = tuple[int, int]
"""Places of rank and suit among French cards."""


def side_row(wager: str, named: Sequence[str], cards: Sequence[Card], *, natural: bool) -> int:
    """Returns the place, among the rows that a side bet pays, of the first that a deal fits; their number if none.

    Args:
        wager: Id of the side bet.
        named: Rows that it pays, the highest first.
        cards: The player's two cards and the dealer's open one.
        natural: Whether the dealer has a natural.
    """
    (one, suit), (two, other), (third, last) = cards
    pair = one == two
    if wager == ids.PERFECT_PAIRS:
        fits = (pair and suit == other, pair and (suit in _RED) == (other in _RED), pair)
    elif wager == ids.TWENTY_ONE_THREE:
        flush = suit == other == last
        low, middle, high = sorted((one, two, third))
        run = (low + 1 == middle and middle + 1 == high) or (low, middle, high) == (0, 11, 12)
        equal = low == high
        fits = (equal and flush, run and flush, equal, run, flush)  # type: ignore[assignment]
    else:
        twenty = best((min(one + 1, TEN), min(two + 1, TEN))) == 20
        queens = pair and one == _QUEEN and suit == other == _HEARTS
        fits = (
            queens and natural,
            queens,
            twenty and pair and suit == other,
            twenty and suit == other,
            twenty,
        )  # type: ignore[assignment]
    hit = [row for row, holds in zip(ROWS[wager], fits, strict=True) if holds and row in named]
    return named.index(hit[0]) if hit else len(named)
