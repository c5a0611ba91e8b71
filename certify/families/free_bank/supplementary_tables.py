"""Tables next to the returns: by whom the bank is taken, what it can lose, and what each of several seats gets."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Final

import numpy as np

from certify.by_key import reached
from certify.errors import InputError
from certify.evidence import (
    Basis,
    SupplementaryColumn,
    SupplementaryFigure,
    SupplementaryRow,
    SupplementaryTable,
    Unit,
)
from certify.families.free_bank import rulebook
from certify.families.free_bank.chart_files import cards_text
from certify.families.free_bank.exact.hands import terms_of
from certify.families.free_bank.exact.names import STAND_ON, SWAP_THEN_STAND_ON, conduct, solved
from certify.families.free_bank.exact.passing import (
    chance_of_passing,
    first_to_take,
    joint,
    most_cards,
    passing_rules,
    shares,
    two_at_the_table,
)
from certify.families.free_bank.rules import (
    BET,
    FAMILY_ID,
    MOST_SEATS,
    FreeBankRules,
    Passing,
    is_reale,
    rules_of,
    total,
)
from certify.families.free_bank.strategy import COVER, HIT, SPLIT, STAND, Cards, StandOn
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES, DECK_SIZE, SEVEN_AND_A_HALF
from certify.messages import say, worded
from certify.model import Game, Message, Parameter, Paytable

MOST_CARDS: Final = 4
"""Cards of a hand that are looked at: a longer one takes more of the deck and pays no more than a shorter one."""


@dataclass(frozen=True, slots=True)
class WorstRound:
    """The round that costs a bank most, where every seat stakes one unit.

    Args:
        amount: What the bank loses, in units.
        hands: Final hands of each seat by class, split hands behind the first, in the order of play.
        bank: Final hand of the bank.
    """

    amount: int
    hands: tuple[tuple[Cards, ...], ...]
    bank: Cards

    @property
    def deal(self) -> tuple[Cards, tuple[str, ...]]:
        """The classes of the cards in dealing order, and what is decided: seat by seat, then the bank."""
        seats = [tuple(_from_face(hand) for hand in hands) for hands in self.hands]
        draws: list[int] = []
        decisions: list[str] = []
        for place, hands in enumerate((*seats, (self.bank,))):
            decisions += [COVER] if place < len(seats) else []
            for _ in hands[1:]:
                draws.append(CLASS_FACE)
                decisions += [HIT, SPLIT]
            for hand in hands:
                draws += hand[1:]
                decisions += [HIT] * (len(hand) - 1)
                decisions += [STAND] if total(hand) < SEVEN_AND_A_HALF else []
        return (*(hands[0][0] for hands in seats), self.bank[0], *draws), tuple(decisions)


def worst_round(rules: FreeBankRules, paytable: Paytable) -> WorstRound:
    """Returns the round that costs a bank most, where every seat stakes one unit.

    Args:
        rules: Rules of play, with the number of seats.
        paytable: What the bet pays.
    """
    found = (_programme(rules, paytable, end) for end in (*range(1, SEVEN_AND_A_HALF), _OVER))
    return max((one for one in found if one is not None), key=lambda one: one.amount)


_OVER: Final = 16
"""Represents every total above 7½."""


@lru_cache(maxsize=4)
def _compositions(deck: Cards) -> tuple[Cards, ...]:
    """Returns every hand of a few cards that a hand can grow to, in an order in which it is played."""

    def grown(hand: Cards) -> Iterator[Cards]:
        if len(hand) < MOST_CARDS and total(hand) < SEVEN_AND_A_HALF:
            for card in range(len(CLASSES)):
                if hand.count(card) < deck[card]:
                    yield tuple(sorted((*hand, card), reverse=True))

    nothing: Cards = ()
    return tuple(reached([nothing], grown)[1:])


def _programme(rules: FreeBankRules, paytable: Paytable, end: int) -> WorstRound | None:
    """Returns the costliest round in which the bank ends so; none where the deck does not allow it."""
    every = _compositions(rules.deck)
    banks = [hand for hand in every if min(total(hand), _OVER) == end]
    pays = {hand: _pays(hand, end, rules, paytable) for hand in every if total(hand) <= SEVEN_AND_A_HALF}
    standing = [hand for hand, pay in pays.items() if pay > 0]
    if not banks or not standing:
        return None
    hands = (*banks, *standing)
    own = np.arange(len(hands)) >= len(banks)
    face = own & np.array([_begins_with_face(hand) for hand in hands])
    # The deck, one hand of the bank, one or more of each seat; the last column counts the seats whose hands begin with
    # a face, of which there may be several.
    rows = [
        *([*(hand.count(card) for hand in hands), 0] for card in range(len(CLASSES))),
        *([*~own, 0], [*(own & ~face), 1], [*face, -1], [*face, -rules.hands]),
    ]
    low = [*(0 for _ in CLASSES), 1, rules.seats, 0, -np.inf]
    high = [*rules.deck, 1, rules.seats, np.inf, 0]
    gains = np.array([*(0.0 for _ in banks), *(float(pays[hand]) for hand in standing), 0.0])
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved = milp(
        -gains,
        constraints=LinearConstraint(np.array(rows, dtype=np.float64), low, high),
        integrality=np.ones(len(gains), dtype=np.int64),
        bounds=Bounds(0, rules.hands * rules.seats),
    )
    if not solved.success:
        return None
    taken = np.rint(solved.x).astype(int).tolist()
    bank, *held = (hand for hand, times in zip(hands, taken, strict=False) for _ in range(times))
    amount = sum((pays[hand] for hand in held), Fraction(0))
    if -solved.mip_dual_bound >= float(amount) + 1:
        raise InputError("the costliest round was not proven: expected a bound within one unit")
    single = [(hand,) for hand in held if not _begins_with_face(hand)]
    faces = [hand for hand in held if _begins_with_face(hand)]
    splitting = rules.seats - len(single)
    seated = [*(tuple(faces[place::splitting]) for place in range(splitting)), *single]
    return WorstRound(-(-amount.numerator // amount.denominator), tuple(reversed(seated)), bank)


def _begins_with_face(hand: Cards) -> bool:
    """Returns whether a hand can be played from a face without a second one, so that none was to be split off."""
    return hand.count(CLASS_FACE) == 1


def _pays(hand: Cards, end: int, rules: FreeBankRules, paytable: Paytable) -> Fraction:
    """Returns what the bank pays a hand where it ends on a total, without a reale of its own."""
    own = total(hand)
    if own == SEVEN_AND_A_HALF:
        reale = rules.reale and is_reale(hand)
        return paytable.pays(rulebook.REALE if reale else rulebook.SEVEN_AND_A_HALF_WINS)
    return paytable.pays(rulebook.WIN) if end == _OVER or own > end else Fraction(0)


def _from_face(hand: Cards) -> Cards:
    """Returns a hand with a face at its head, where it holds one."""
    if CLASS_FACE not in hand:
        return hand
    rest = list(hand)
    rest.remove(CLASS_FACE)
    return (CLASS_FACE, *rest)


FIVE: Final = StandOn(f"{STAND_ON}5", 10)
"""How seats and bank play where they are no equilibrium."""

AT_THE_TABLE: Final = 3
"""People of the table at which it is counted who takes the bank, the banker among them."""

COVERED_SEATS: Final = (1, 2, 3, 5, 8, 11)
"""Numbers of seats for which the costliest round is printed."""

ROUNDS: Final = 25_000
"""Rounds played for each number of seats; every number plays the same rows."""

SEED: Final = bytes(range(32))
"""Master seed of these rounds: published, so that whoever verifies plays the same."""

PURPOSE: Final = "further-campaign-decks"

CONFIDENCE: Final = 0.99
NORMAL: Final = 2.5758293035489004
"""Quantile of the normal distribution that leaves half a percent above it."""

GRAIN: Final = 10**6
"""Ends of intervals are rounded to this part of a stake."""


def passing_tables(game: Game) -> tuple[SupplementaryTable, ...]:
    """Returns how often the bank passes under each rule, and who takes it; exactly."""
    return (
        _table("passing", ("passes", "lasts", "share", "net"), _passing(game)),
        _table("takers", ("takes", "share"), _takers(game)),
    )


def tables_of_several_seats(game: Game) -> tuple[SupplementaryTable, ...]:
    """Returns what one to eleven seats can cost the bank, and what each gets in play-through."""
    return (
        _table("cover", ("costs",), _cover(game)),
        _table("seats", ("first-seat", "last-seat", "bank", "ran-out"), _played(game)),
    )


def _passing(game: Game) -> Iterator[SupplementaryRow]:
    """Yields each rule by which the bank may pass: how often it does, and what playing better is then worth."""
    terms, found = terms_of(game), solved(game)
    both = joint(terms, found.player, found.bank)
    first, second = joint(terms, FIVE, found.bank), joint(terms, found.player, FIVE)
    for rules in passing_rules(terms.rules):
        at = replace(terms, rules=rules)
        passes = chance_of_passing(at, both)
        share, net = two_at_the_table(at, first, second)
        figures = {
            "passes": _exact(passes, Unit.CHANCE),
            "lasts": _exact(1 / passes, Unit.ROUNDS),
            "share": _exact(share, Unit.CHANCE),
            "net": _exact(net, Unit.STAKES),
        }
        of = _said(f"row.passes-{rules.passing}{'' if rules.passes_when_bank_has_it else '-if-it-won'}")
        yield _row(_said("adopted", of=(of,)) if rules == terms.rules else of, figures)


def _takers(game: Game) -> Iterator[SupplementaryRow]:
    """Yields who takes the bank at a table where all stand on 5, and the share of rounds that each banks."""
    terms, passing = terms_of(game), rules_of(game).passing
    rules = replace(
        terms.rules,
        passing=Passing.SEVEN_AND_A_HALF if passing is Passing.NEVER else passing,
        passes_when_bank_has_it=True,
    )
    taken = first_to_take(replace(terms, rules=rules), FIVE.least, AT_THE_TABLE - 1)
    ring = (1 - sum(taken, Fraction(0)), *taken)
    matrix = [[ring[(at - banker) % len(ring)] for at in range(len(ring))] for banker in range(len(ring))]
    for place, (one, share) in enumerate(zip(ring, shares(matrix), strict=True)):
        figures = {"takes": _exact(one, Unit.CHANCE), "share": _exact(share, Unit.CHANCE)}
        yield _row(_said("row.seat", number=place) if place else _said("row.banker"), figures)


def _cover(game: Game) -> Iterator[SupplementaryRow]:
    """Yields what the bank can lose in one round with one unit of each seat, and a deal that loses it."""
    paytable = game.wager(BET).paytable
    for seats in COVERED_SEATS:
        worst = worst_round(replace(rules_of(game), seats=seats), paytable)
        cards, decisions = worst.deal
        taken = [one for one in decisions if one != COVER or rulebook.cover(rules_of(game))]
        detail = f"{cards_text(cards)}: {', '.join(taken)}"
        costs = _exact(Fraction(worst.amount), Unit.STAKES)
        yield _row(_said("row.seats", seats=seats), {"costs": costs}, detail)


def _played(game: Game) -> Iterator[SupplementaryRow]:
    """Yields what play-through shows of every number of seats, all standing on 5 as the bank does."""
    from certify.families.free_bank.volume.port import DECKS, nets_of, play
    from rng.draws import Permutation, Product, draw_many
    from rng.streams import stream

    deck = Permutation(game.equipment[0].size)
    rows = draw_many(stream(SEED, PURPOSE, 0), Product((deck,) * DECKS), ROUNDS)
    pair = conduct(game, f"{SWAP_THEN_STAND_ON if rules_of(game).swap else STAND_ON}5", FIVE.name)
    pays = {one.id: one.pays for one in game.wager(BET).paytable.rows}
    for seats in range(1, MOST_SEATS + 1):
        rules = replace(rules_of(game), seats=seats)
        nets = nets_of(pays, rules)
        found = play(rows, pair, rules, nets)
        lasts = most_cards(rules, FIVE.least, FIVE.least) <= DECK_SIZE
        figures = {
            "first-seat": _interval(*found.mean(0, nets)),
            "last-seat": _interval(*found.mean(seats - 1, nets)),
            "bank": _interval(*found.bank()),
            "ran-out": _exact(Fraction(0), Unit.CHANCE) if lasts else _share(found.ran_out),
        }
        yield _row(_said("row.seats", seats=seats), figures)


def _said(message: str, **parameters: Parameter) -> Message:
    return say(f"{FAMILY_ID}.table.{message}", **parameters)


def _table(name: str, columns: Iterable[str], rows: Iterable[SupplementaryRow]) -> SupplementaryTable:
    return SupplementaryTable(
        id=name,
        columns=tuple(SupplementaryColumn(id=one, **worded(title=_said(f"column.{one}"))) for one in columns),
        rows=tuple(rows),
        **worded(title=_said(name), remark=_said(f"{name}.remark")),
    )


def _row(of: Message, figures: Mapping[str, SupplementaryFigure], detail: str = "") -> SupplementaryRow:
    return SupplementaryRow(figures=figures, detail=detail, **worded(of=of))


def _exact(value: Fraction, unit: Unit) -> SupplementaryFigure:
    return SupplementaryFigure(value, value, unit, Basis.EXACT)


def _interval(mean: float, error: float) -> SupplementaryFigure:
    """Returns the interval of 99 % confidence of a mean in stakes, from its standard error."""
    return _outwards(mean - NORMAL * error, mean + NORMAL * error, Unit.STAKES)


def _share(rounds: int) -> SupplementaryFigure:
    """Returns how often something came, with the exact interval of Clopper and Pearson."""
    from scipy.stats import binomtest

    found = binomtest(rounds, ROUNDS).proportion_ci(CONFIDENCE, "exact")
    return _outwards(float(found.low), float(found.high), Unit.CHANCE)


def _outwards(low: float, high: float, unit: Unit) -> SupplementaryFigure:
    """Returns an interval whose ends are whole grains, rounded outwards."""
    ends = Fraction(floor(low * GRAIN), GRAIN), Fraction(ceil(high * GRAIN), GRAIN)
    return SupplementaryFigure(*ends, unit, Basis.PLAYED)
