"""The best card that looks at totals alone, and the plan that any strategy comes to."""

from collections.abc import Callable
from typing import Final

import numpy as np

from certify.array_types import Floats, Marks, Whole
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels
from certify.families.blackjack.exact.search import (
    PLAYS,
    AfterSplit,
    HandValues,
    OpenCardValues,
    Plan,
    PlanValues,
    against,
    shown,
)
from certify.families.blackjack.exact.terms import BlackjackGame
from certify.families.blackjack.side_bets import ACE, VALUES, Counts, Seen
from certify.families.blackjack.strategy import Line, PrintedCard
from certify.model import Strategy

_NUMBERS: Final = {play: number for number, play in enumerate(PLAYS)}


def plan_of(against: OpenCardValues, strategy: Strategy) -> Plan:
    """Returns what a strategy does with every hand against one open card."""
    values = [value for value in range(VALUES) if against.may_split(value)]
    after = _plays(against, strategy, split=True)
    splits, early, insured = set[int](), set[int](), set[int]()
    for hand in against.starts:
        place = against.hands.place[hand]
        value = int(against.hands.pairs[place])
        seen = Seen(against.up, hand, value in values)
        offered = against.up == ACE and against.terms.rules.insurance
        if offered and strategy.choose(seen, (ids.DECLINE, ids.INSURE)) == ids.INSURE:
            insured.add(place)
        if against.hands.totals[place] == 21:
            continue
        if against.early and strategy.choose(seen, (ids.DECLINE, ids.SURRENDER)) == ids.SURRENDER:
            early.add(place)
        elif value in values:
            options = (*_options(against, place, split=False), ids.SPLIT)
            if strategy.choose(seen, options) == ids.SPLIT:
                splits.add(value)
    return Plan(
        against.up,
        _plays(against, strategy, split=False),
        {AfterSplit(value, came): after for value in values for came in range(3)},
        frozenset(splits),
        frozenset(early),
        frozenset(insured),
        _rescued(against, strategy),
    )


def _options(against: OpenCardValues, place: int, *, split: bool) -> tuple[str, ...]:
    """Returns what may be decided on a hand, but for a split."""
    options = [ids.STAND, ids.HIT]
    if against.doubles[split][place]:
        options.append(ids.DOUBLE)
    if not split and against.surrenders[place]:
        options.append(ids.SURRENDER)
    return tuple(options)


def _plays(against: OpenCardValues, strategy: Strategy, *, split: bool) -> Whole:
    found = np.zeros(len(against.hands.held), np.int64)
    for place, hand in enumerate(against.hands.held):
        if sum(hand) >= 2 and against.hands.totals[place] < 21:
            options = _options(against, place, split=split)
            pair = int(against.hands.pairs[place])
            seen = Seen(against.up, hand, pair >= 0 and against.may_split(pair), split)
            found[place] = _NUMBERS[strategy.choose(seen, options)]
    return found


def _rescued(against: OpenCardValues, strategy: Strategy) -> Marks | None:
    if not against.terms.rules.double_rescue:
        return None
    options = (ids.STAND, ids.RESCUE)
    return np.array(
        [
            sum(hand) > 2 and strategy.choose(Seen(against.up, hand), options) == ids.RESCUE
            for hand in against.hands.held
        ]
    )


# --- the best card -----------------------------------------------------------------------------------------


def best_card(terms: BlackjackGame, name: str) -> PrintedCard:
    """Returns the best card that looks at totals alone.

    Every line is improved against one open card by what all hands of a total that come up gain together, until none
    gains; then each pair is split where that is worth more.
    """
    columns = {up: _Column(against(terms, up)) for up, _ in shown(terms)}
    for column in columns.values():
        column.improve()

    def lines(keys: range, letter: Callable[[_Column, int], str]) -> tuple[tuple[int, Line], ...]:
        return tuple(
            (key, tuple(letter(columns[up], key) if up in columns else "S" for up in range(VALUES)))
            for key in keys
        )

    return PrintedCard(
        name,
        lines(range(4, 22), lambda column, total: column.letter(total, False)),
        lines(range(12, 22), lambda column, total: column.letter(total, True)),
        lines(range(VALUES), _Column.pair_letter),
        rescued=frozenset((total, up) for up, column in columns.items() for total in column.rescued_totals()),
    )


_ROUNDS: Final = 40
"""Most rounds of improvement; five or six are enough."""

_HARDLY: Final = 1e-9
"""Weight of hands that nobody comes to by the card itself: a line is printed for them too."""


class _Column:
    """The best lines against one open card, as they are found."""

    def __init__(self, against: OpenCardValues) -> None:
        self.against = against
        whole = against.hands
        self._cells = whole.totals + 32 * whole.soft
        self._asked = (whole.cards >= 2) & (whole.totals < 21)
        self._starts = {whole.place[hand]: (hand, chance) for hand, chance in against.starts.items()}
        self._first = np.array([place in self._starts for place in range(len(whole.held))])
        # Hits to begin with, on hands that cannot bust.
        self._base = np.where(
            whole.soft & (whole.totals < 18) | (whole.totals < 12), kernels.HIT, kernels.STAND
        )
        self._before = np.zeros(len(whole.held), np.int64)
        self._early = np.array(
            [
                -0.5 + (float(against.hidden(hand)) if against.looked else 0.0) if sum(hand) == 2 else -9.0
                for hand in whole.held
            ]
        )
        self._rescued: Marks | None = None

    @property
    def _plays(self) -> Whole:
        """The play on each hand: what is done first where that is allowed, else what the total says."""
        double = (self._before == kernels.DOUBLE) & self.against.doubles[False]
        given = (self._before == kernels.SURRENDER) & self.against.surrenders
        plays = np.where(double, kernels.DOUBLE, np.where(given, kernels.SURRENDER, self._base))
        return np.where(self._asked, plays, kernels.STAND)

    def improve(self) -> None:
        """Improves the lines until nothing gains."""
        for _ in range(_ROUNDS):
            before = self._base.copy(), self._before.copy()
            self._worth = self._valued()
            self._once(self._worth)
            if all((old == new).all() for old, new in zip(before, (self._base, self._before), strict=True)):
                break
        self._worth = self._valued()

    def _valued(self) -> HandValues:
        if self.against.terms.rules.double_rescue:
            self._rescued = self._rescues(self.against.worth(plays=self._plays))
        return self.against.worth(plays=self._plays, rescued=self._rescued)

    def _once(self, worth: HandValues) -> None:
        # How probably each hand comes up, with a little for those that do not.
        weights = self._reached(self._plays) + _HARDLY * self._reached(np.full_like(self._plays, kernels.HIT))
        options = worth.options
        given = np.where(self.against.early & self._first, self._early, options[:, kernels.SURRENDER])
        for cell in np.unique(self._cells[self._asked]).tolist():
            inside = (self._cells == cell) & self._asked
            based = inside & ~np.isin(self._plays, (kernels.DOUBLE, kernels.SURRENDER))
            asked = weights * (based if based.any() else inside)
            hits = float((asked * (options[:, kernels.HIT] - options[:, kernels.STAND])).sum()) > 0
            base = kernels.HIT if hits else kernels.STAND
            self._base[inside] = base
            gains = {kernels.STAND: 0.0}
            doubled, starts = inside & self.against.doubles[False], inside & self._first
            if doubled.any():
                more = options[:, kernels.DOUBLE] - options[:, base]
                gains[kernels.DOUBLE] = float((weights * doubled * more).sum())
            if (given[starts] > -9).any():
                more = given - options[:, base]
                gains[kernels.SURRENDER] = float((weights * starts * more)[starts].sum())
            self._before[inside] = max(gains, key=gains.__getitem__)

    def _reached(self, plays: Whole) -> Floats:
        whole, against = self.against.hands, self.against
        reached = np.zeros(len(whole.held))
        for place, (_, chance) in self._starts.items():
            if whole.totals[place] < 21:
                reached[place] = chance
        left = against.left.astype(np.float64)
        endless = against.endless
        for cards in range(2, int(whole.cards.max())):
            places = np.nonzero((whole.cards == cards) & (plays == kernels.HIT) & (reached > 0))[0]
            rest = left if endless else left - whole.counts[places]
            steps = reached[places, None] * rest / (against.size if endless else against.size - cards)
            for value in range(VALUES):
                then = whole.after[places, value]
                fine = then >= 0
                np.add.at(reached, then[fine], np.broadcast_to(steps, (len(places), VALUES))[fine, value])
        return reached

    def _rescues(self, worth: HandValues) -> Marks:
        whole = self.against.hands
        weights = self._reached(np.full(len(whole.held), kernels.HIT))
        hidden = np.array(
            [float(self.against.hidden(hand)) if self.against.looked else 0.0 for hand in whole.held]
        )
        gain = weights * (hidden - 1 - 2 * worth.options[:, kernels.STAND]) * (whole.cards > 2)
        sums = np.bincount(whole.totals, gain)
        return np.asarray(sums[whole.totals] > 0)

    def rescued_totals(self) -> list[int]:
        """Returns the totals on which a doubled hand is given up."""
        if self._rescued is None:
            return []
        found = set(self.against.hands.totals[self._rescued].tolist())
        return sorted(total for total in found if 4 <= total <= 21)

    # --- letters -----------------------------------------------------------------------------------------

    def letter(self, total: int, soft: bool) -> str:
        """Returns the letter of a total."""
        inside = np.nonzero((self._cells == total + 32 * soft) & self._asked)[0]
        if not len(inside):
            return "S" if total > 16 else "H"
        base = "H" if self._base[inside[0]] == kernels.HIT else "S"
        return {kernels.DOUBLE: "D", kernels.SURRENDER: "R"}.get(int(self._before[inside[0]]), "") + (
            base if self._before[inside[0]] == kernels.STAND else base.lower()
        )

    def pair_letter(self, value: int) -> str:
        """Returns the letter of a pair."""
        against = self.against
        hand: Counts = tuple(2 * int(value == one) for one in range(VALUES))
        place = against.hands.place.get(hand, -1)
        letter = (
            self.letter(int(against.hands.totals[place]), bool(against.hands.soft[place]))
            if place >= 0
            else "S"
        )
        if place < 0 or place not in self._starts or not against.may_split(value):
            return letter
        options, apart = self._worth.options[place], float(against.hidden(hand) if against.looked else 0)
        played = {"S": options[kernels.STAND] - apart, "H": options[kernels.HIT] - apart}
        if against.doubles[False][place]:
            played["D"] = options[kernels.DOUBLE] - apart
        given = -0.5 if against.early else options[kernels.SURRENDER] - apart
        split = self._splitting(value) - float(against.apart(hand))
        own = max(played, key=played.__getitem__)
        # A pair that is not split is played by its total, unless that says to give it up and the pair is worth more.
        kept = letter[-1].upper() if letter[0] == "R" else letter
        stays = played.get(letter[0], played.get(letter[-1].upper(), played[own]))
        if given > max(split, stays):
            return "Rp" if split > stays else f"R{letter[-1].lower()}"
        return "P" if split > stays else kept

    def _splitting(self, value: int) -> float:
        double = (self._before == kernels.DOUBLE) & self.against.doubles[True]
        after = np.where(self._asked, np.where(double, kernels.DOUBLE, self._base), kernels.STAND)
        split_plays = {AfterSplit(value, came): after for came in range(3)}
        plan = Plan(self.against.up, self._plays, split_plays, frozenset((value,)), rescued=self._rescued)
        return float(PlanValues(self.against, plan).splitting(value))
