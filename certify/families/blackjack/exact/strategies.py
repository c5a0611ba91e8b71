"""Strategies of blackjack by their names, what each does with every hand, and the exact figures of a plan.

Every chance of an unsplit round is a whole number of ways over all ways, and so is every chance of one hand of a split
pair together with the end of the dealer's hand: the return is exact, splits included.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import lcm, perm
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from certify.analysis.strategy_file import strategy_text
from certify.array_types import Marks, Whole
from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels, shoes
from certify.families.blackjack.exact.search import (
    PLAYS,
    Ended,
    OpenCardValues,
    Plan,
    PlanValues,
    against,
    best_plans,
    shown,
)
from certify.families.blackjack.exact.terms import BlackjackGame, Convention, terms_of
from certify.families.blackjack.exact.total_dependent import best_card, plan_of
from certify.families.blackjack.side_bets import Counts, Seen, total_of
from certify.families.blackjack.strategy import PrintedCard, parse_card
from certify.families.port import StrategyPlan
from certify.model import CARD, FILE, MAIN_OPTIMAL, Game, Strategy

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


class Finished(NamedTuple):
    """How play of a hand may end, a row each.

    Args:
        cards: Cards of each value.
        ends: How it ended, what is staked, and the total where it stands.
        places: The hand against which the dealer's is held, -1 where that does not matter.
        orders: In how many orders the cards may come, a column each for hands that play may begin with.
    """

    cards: Whole
    ends: Whole
    places: Whole
    orders: Whole


class Counted(PlanValues):
    """Counts one plan against one open card."""

    def __init__(self, against: OpenCardValues, plan: Plan) -> None:
        super().__init__(against, plan)
        self._played, self._won = cache(self._played_of), cache(self._nets_by_prime)
        self.settled = cache(against.settled)
        nets = [net for split in against.nets for net in split.values()]
        self._unit = lcm(*(net.denominator for net in nets))
        ways = self._whole(against.size)
        most = int(max(map(abs, nets)) * self._unit)
        self._moduli = shoes.primes((ways * most).bit_length() + 2)
        number = len(against.hands.held)
        self._rescued = np.zeros(number, np.bool_) if plan.rescued is None else plan.rescued

    # --- ways --------------------------------------------------------------------------------------------

    def _played_of(self, begun: int, came: int) -> _Played:
        """Returns the hands that play comes to.

        Args:
            begun: Value of the card of a split pair that the hand began with, -1 for none.
            came: With how many further cards of the pair the plan reckons.
        """
        whole, plays = self.against.hands, self.plays(begun, came)
        # Every option is requested: play goes on from any three cards, and whatever one more card makes may stand.
        first = (whole.cards == 2) | (whole.cards == 3)
        if begun >= 0:
            first = (whole.cards == 2) & (whole.counts[:, begun] > 0)
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
        possible = (drawn <= self.against.left).all(axis=1) | self.against.endless
        # Next to the dealer's draws: the card that busts, and what may be covered.
        return held + max(2, int(drawn[possible].sum(axis=1).max()))

    def finished(self, first: Whole, plays: Whole, *, split: bool) -> Finished:
        """Returns how play may end of hands that come in so many orders, a column a beginning."""
        orders, rows = first.copy(), list[tuple[Counts, tuple[int, int, int], int, Whole]]()
        at_once = self.against.at_once[split]
        for place in np.nonzero(self.against.hands.cards >= 2)[0].tolist():
            if orders[place].any():
                for one in self._finished(place, int(plays[place]), at_once, orders):
                    rows.append((*one, orders[place]))
        return Finished(*(np.array(column) for column in zip(*rows, strict=True)))

    def _finished(
        self, place: int, play: int, at_once: Whole, orders: Whole
    ) -> Iterator[tuple[Counts, tuple[int, int, int], int]]:
        """Yields how play on a hand ends, and writes in how many orders it goes on."""
        whole, held = self.against.hands, self.against.hands.held[place]
        if at_once[0, place]:
            yield held, (int(at_once[0, place]), 1, 0), -1
        elif play == kernels.STAND:
            yield held, (kernels.STANDS, 1, int(whole.totals[place])), place
        elif play == kernels.SURRENDER:
            yield held, (kernels.GIVEN_UP, 1, 0), -1
        else:
            stake = 2 if play == kernels.DOUBLE else 1
            for value, then in enumerate(whole.after[place].tolist()):
                more = (*held[:value], held[value] + 1, *held[value + 1 :])
                if then == -1:
                    yield more, (kernels.BUSTS, stake, 0), -1
                elif then >= 0 and stake == 1:
                    orders[then] += orders[place]
                elif then >= 0 and at_once[1, then]:
                    yield more, (int(at_once[1, then]), 2, 0), -1
                elif then >= 0 and self._rescued[then]:
                    yield more, (kernels.RESCUED, 2, 0), -1
                elif then >= 0:
                    yield more, (kernels.STANDS, 2, int(whole.totals[then])), then

    @cached_property
    def _unsplit(self) -> Finished:
        """How play may end of each two first cards."""
        first = np.zeros((len(self.against.hands.held), len(self.against.starts)), np.int64)
        for column, hand in enumerate(self.against.starts):
            first[self.against.hands.place[hand], column] = 1 if 2 in hand else 2
        return self.finished(first, self.plan.plays, split=False)

    def ended(self, hand: Counts) -> Chances:
        """Returns how a round of two first cards ends that is played without a split, with the dealer's hand."""
        orders = self._unsplit.orders[:, list(self.against.starts).index(hand)]
        cards, ways, places, orders = (one[orders > 0] for one in (*self._unsplit[:3], orders))
        rows, ends = self._dealer(self._played(-1, 0))
        cells = np.ravel_multi_index(tuple(ways.T), kernels.CELLS[:3])
        counted = np.stack([
            kernels.ended(
                cards, cells, np.where(places < 0, -1, rows[places]), orders, one, self.against.deck(),
                shoes.remainders(modulus),
            )
            for one, modulus in zip(ends, self._moduli, strict=True)
        ]).reshape(-1, *kernels.CELLS)  # fmt: skip
        whole, sums = self._whole(self.against.size), dict[tuple[Ended, int], Whole]()
        for kind, stake, total, end in np.argwhere(counted.any(axis=0)).tolist():
            key = self.settled(kind, stake, total, end, split=False), end
            # Fewer than 2^12 cells end so: the sum of their remainders fits a machine word.
            sums[key] = sums.get(key, 0) + counted[:, kind, stake, total, end]
        return {key: shoes.together(one.tolist(), self._moduli, whole) for key, one in sums.items()}

    def _dealer(self, played: _Played, gone: int = 0) -> tuple[Whole, Whole]:
        """Returns the row of the dealer's chances of each hand, and these by prime and row, where they are needed.

        Args:
            played: The hands.
            gone: How many further cards of the pair came that was split.
        """
        rows = self.against.dealer.rows(played.begun, gone + 1 if played.begun >= 0 else 0)
        return rows, self.against.dealer.by_primes(self._moduli, rows[played.needed])

    def _nets_by_prime(self, split: bool) -> Whole:
        """Returns what is won in each of the cells, in units, by prime."""
        nets = np.zeros(kernels.CELLS, object)
        for cell, net in self.against.nets[split].items():
            nets[cell] = int(net * self._unit)
        return np.stack([(nets % modulus).astype(np.int64) for modulus in self._moduli])

    # --- worths ------------------------------------------------------------------------------------------

    def later_option(self, hand: Counts, play: int) -> Fraction:
        """Returns what a play on a hand of any number of cards is worth, where it comes to it."""
        whole, plays = self.against.hands, self.plan.plays.copy()
        # Play comes to the hand whatever the plan does with fewer of its cards.
        plays[(whole.counts <= np.array(hand)).all(axis=1) & (whole.cards < sum(hand))] = kernels.HIT
        plays[whole.place[hand]] = play
        return Counted(self.against, replace(self.plan, plays=plays)).option(hand, play)

    def option(self, hand: Counts, play: int) -> Fraction:
        """Returns what a play on a hand is worth, where it comes to it; later cards are played by the plan."""
        worth: Fraction = self.unsplit(self.against.hands.place[hand], play)
        return worth / (1 - self.against.hidden(hand)) if self.against.looked else worth

    def worth(self, begun: int = -1, came: int = 0, gone: int = 0) -> Callable[[int, int], Fraction]:
        """Returns what a play on a hand is worth, exactly; of an unsplit one nothing under a natural that was found."""
        played, deck, split = self._played(begun, came), self.against.deck(begun, gone), begun >= 0
        rows, ends = self._dealer(played, gone)
        asked = np.arange(4) == played.plays[:, None] if split else self.against.offered(split=False)
        worths = np.stack([
            kernels.worths(
                self.against.hands.tables, played.places, asked, played.plays, self._rescued, 0, rows,
                ends[number], deck, self.against.paid(self._won(split)[number], split=split),
                shoes.remainders(modulus),
            )
            for number, modulus in enumerate(self._moduli)
        ])  # fmt: skip
        whole = self._whole(int(deck.left.sum()))
        return lambda place, play: (
            shoes.together(worths[:, place, play].tolist(), self._moduli, whole) / self._unit
        )

    def _whole(self, size: int) -> int:
        """Returns in how many ways so many cards may come as are drawn at most, from so many."""
        return size**self._most if self.against.endless else perm(size, min(self._most, size))


BEST_CARD: Final = "total-dependent"
MIMIC_DEALER: Final = "mimic-dealer"
NEVER_BUST: Final = "never-bust"
AFTER_SPLIT: Final = "after-split:"
"""The prefix of the convention by which split hands are played, other than as the same hands unsplit."""

NAMES: Final = (
    MAIN_OPTIMAL,
    BEST_CARD,
    MIMIC_DEALER,
    NEVER_BUST,
    *(f"{AFTER_SPLIT}{one.value}" for one in Convention),
    f"{FILE}PATH.toml",
)


@dataclass(frozen=True)
class BestPlay:
    """Best play by the cards of a hand, whatever other hands of the round hold.

    Args:
        name: Name of the strategy.
        terms: What decides the figures of the game.
        convention: How hands of a split pair are played.
    """

    name: str
    terms: BlackjackGame = field(repr=False)
    convention: Convention = Convention.AS_UNSPLIT

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return f"composition-dependent, split hands by {self.convention.value}"

    @property
    def plans(self) -> Mapping[int, Plan]:
        """The play on every hand, by open card."""
        return best_plans(self.terms, self.convention)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the best option for a hand.

        Raises:
            InputError: The hand is none of blackjack, or split hands are played by what is not seen.
        """
        if len(options) == 1:
            return options[0]
        if not isinstance(sees, Seen):
            raise InputError(f"{self.name} plays hands of blackjack: expected one, got {sees!r}")
        plan = self.plans[sees.up]
        place = against(self.terms, sees.up).hands.place[sees.hand]
        if ids.INSURE in options:
            return ids.INSURE if place in plan.insured else ids.DECLINE
        if ids.DECLINE in options:
            return ids.SURRENDER if place in plan.early else ids.DECLINE
        if ids.RESCUE in options:
            return ids.RESCUE if plan.rescued is not None and plan.rescued[place] else ids.STAND
        if ids.SURRENDER in options and place in plan.early:
            return ids.SURRENDER
        if ids.SPLIT in options and sees.hand.index(2) in plan.splits:
            return ids.SPLIT
        plays = plan.plays
        if sees.split:
            if self.convention != Convention.AS_UNSPLIT:
                raise InputError(f"{self.name}: split hands are played by cards that a round does not show")
            plays = next(iter(plan.split_plays.values()))
        play = PLAYS[int(plays[place])]
        if play in options:
            return play
        if ids.HIT not in options:
            return ids.STAND  # Split aces that came as a pair again and are not split once more.
        allowed = ", ".join(options)
        raise InputError(
            f"{self.name} was found under other rules: it would {play} on {sees}, allowed are {allowed}"
        )

    def table(self) -> object:
        """Returns every play by open card."""
        return [
            [up, plan.plays.tolist(), sorted(plan.splits), sorted(plan.early), sorted(plan.insured)]
            for up, plan in sorted(self.plans.items())
        ]


@dataclass(frozen=True, slots=True)
class DrawsTo:
    """A pattern that draws to every hand below a total and stands on all others; it neither doubles nor splits.

    Args:
        name: Name of the pattern.
        hard: Least hard total that stands.
        soft: Least soft total that stands.
    """

    name: str
    hard: int
    soft: int

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return "pattern"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is drawn to."""
        if not isinstance(sees, Seen) or ids.HIT not in options:
            return options[0]
        total, soft = total_of(sees.hand)
        return ids.STAND if total >= (self.soft if soft else self.hard) else ids.HIT

    def table(self) -> object:
        """Returns the totals."""
        return [self.hard, self.soft]


@lru_cache(maxsize=8)
def card_of(terms: BlackjackGame) -> PrintedCard:
    """Returns the best card that looks at totals alone."""
    return best_card(terms, BEST_CARD)


def strategy_of(game: Game, name: str) -> Strategy:
    """Returns a named strategy.

    Raises:
        InputError: No such strategy, or a file that states none.
    """
    terms = terms_of(game)
    if name == MAIN_OPTIMAL:
        return BestPlay(name, terms)
    if name == BEST_CARD:
        return card_of(terms)
    if name == MIMIC_DEALER:
        return DrawsTo(name, 17, 18 if terms.rules.hits_soft_17 else 17)
    if name == NEVER_BUST:
        return DrawsTo(name, 12, 18)
    for convention in Convention:
        if name == f"{AFTER_SPLIT}{convention.value}":
            return BestPlay(name, terms, convention)
    if name.startswith(CARD):
        for card in game.strategy_cards:
            if f"{CARD}{card.id}" == name:
                return read_card(game, card.text, card.id)
    if name.startswith(FILE):
        path = Path(name.removeprefix(FILE))
        return parse_card(strategy_text(path), str(path), _reserved)
    raise InputError(f"no strategy {name!r}: expected {', '.join(NAMES)}")


def read_card(game: Game, text: str, source: str) -> Strategy:
    """Returns the strategy that a printed card states."""
    return parse_card(text, source, _reserved)


def _reserved(name: str) -> bool:
    return name in NAMES or name.startswith((FILE, CARD, AFTER_SPLIT))


def plans(terms: BlackjackGame, strategy: Strategy) -> Mapping[int, Plan]:
    """Returns what a strategy does with every hand, by open card; best play of other rules comes hand by hand."""
    if isinstance(strategy, BestPlay) and strategy.terms == terms:
        return strategy.plans
    return {up: plan_of(against(terms, up), strategy) for up, _ in shown(terms)}


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of blackjack."""
    return StrategyPlan(
        names=NAMES,
        analysed=(MAIN_OPTIMAL, BEST_CARD),
        played=(MAIN_OPTIMAL, BEST_CARD),
        simpler=lambda _: (BEST_CARD, MIMIC_DEALER, NEVER_BUST),
    )
