"""The player's best answer to any bank, best answers as charts, and the equilibrium that charts of both sides prove."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import lcm
from operator import itemgetter
from typing import Final

import numpy as np

from certify import result_cache
from certify.analysis.engine.stored import digest_of_parts
from certify.array_types import Floats, Marks
from certify.by_key import gathered, summed
from certify.errors import InputError
from certify.executors import environment
from certify.families.free_bank.chart_files import parse_chart
from certify.families.free_bank.charts import BankChart, ChartLine, Lying, OpenTotal, OwnHandBank, PlayerChart
from certify.families.free_bank.exact.best_bank import (
    BankPlans,
    PlayedConduct,
    bank_best_response,
    bank_plans,
    best_plan,
    played,
    requesting_player,
    situations,
)
from certify.families.free_bank.exact.hands import (
    BUST,
    FIRST,
    PLAIN,
    BankHands,
    BankPlan,
    BankTerms,
    Cards,
    End,
    OwnHands,
    View,
    bank_hands,
    cards_of,
    own_hands,
    removed,
    shown,
    stood,
)
from certify.families.free_bank.exact.linear_program import UNREACHED, BankSide, Programme
from certify.families.free_bank.rules import total
from certify.families.free_bank.strategy import BANK, PLAYER, Conduct, HandEnd, OpenSeat
from certify.families.seven_and_a_half.cards import Hand
from certify.model import EQUILIBRIUM, Bracket


@dataclass(frozen=True, eq=False)
class AgainstBank:
    """What each end of a player's hand is worth against a bank that plays in a given way.

    Args:
        terms: Deck, rules and pays.
        plans: How the bank answers what it sees.
    """

    terms: BankTerms
    plans: BankPlans

    def worth(self, view: View, gone: Hand, end: End) -> Fraction:
        """Returns the exact expected net result of a hand that has ended.

        Args:
            view: What the bank sees of it.
            gone: Cards of the player by class, one given up included.
            end: How it ended.
        """
        if end == BUST:
            return self.terms.net(BUST, BUST)
        return self._worth(self.plans.plan(view), gone, end)

    @cached_property
    def _worth(self) -> Callable[[BankPlan, Hand, End], Fraction]:
        return cache(self._against)

    @cached_property
    def _nets(self) -> Callable[[End], tuple[Mapping[End, int], int]]:
        return cache(self._whole_nets)

    def _against(self, plan: BankPlan, gone: Hand, end: End) -> Fraction:
        counts, over = self.plans.counted(plan, gone)
        nets, pays = self._nets(end)
        return Fraction(sum(nets[bank] * count for bank, count in counts.items()), over * pays)

    def _whole_nets(self, end: End) -> tuple[Mapping[End, int], int]:
        """Returns what a hand gets for each end of the bank's, in whole numbers over a denominator."""
        nets = {bank: self.terms.net(end, bank) for bank in range(1, BUST + 1)}
        pays = lcm(*(net.denominator for net in nets.values()))
        return {bank: int(net * pays) for bank, net in nets.items()}, pays

    def drawn(self, cards: Cards, given_up: int, end: End) -> Fraction:
        """Returns the worth of a hand that a card has just ended, by 7½ or beyond it."""
        return self.worth(shown(cards, given_up), removed(cards, given_up), end)


@dataclass(frozen=True, slots=True)
class PlayerWorth:
    """What each decision on a hand is worth, in stakes, when everything after it is played best.

    Args:
        stand: Standing.
        hit: Drawing; nothing where no card is left to draw.
        swap: Swapping; nothing where the rules allow none.
    """

    stand: Fraction
    hit: Fraction | None
    swap: Fraction | None = None

    @property
    def best(self) -> Fraction:
        """The worth of the best decision."""
        return max(worth for worth in (self.stand, self.hit, self.swap) if worth is not None)


@dataclass(frozen=True)
class PlayerAnswer:
    """The player's best answer and what it brings.

    Args:
        own: The hands.
        value: Exact expected net result of the round, in stakes.
        worths: Worth of each decision on each hand.
        plays: A best way of playing: where decisions are worth the same it stands, and keeps its first card.
    """

    own: OwnHands
    value: Fraction
    worths: tuple[PlayerWorth, ...]
    plays: PlayedConduct


@lru_cache(maxsize=4)
def player_best_response(terms: BankTerms, bank: Conduct) -> PlayerAnswer:
    """Returns the best answer of a player who never splits to a bank that plays in a given way.

    Args:
        terms: Deck, rules and pays.
        bank: How the bank plays.

    Raises:
        InputError: The bank's conduct has no answer to something that it sees.
    """
    own = own_hands(terms)
    against = AgainstBank(terms, bank_plans(bank_hands(terms), bank))
    worths: list[PlayerWorth] = [PlayerWorth(Fraction(0), None)] * len(own.nodes)
    best = [Fraction(0)] * len(own.nodes)
    for place in reversed(range(len(own.nodes))):
        worths[place] = _worth(own, against, best, place)
        best[place] = worths[place].best
    value = sum(
        (best[place] * own.dealt(node) for place, node in enumerate(own.nodes) if node.before == FIRST),
        Fraction(0),
    )
    swaps = tuple(
        Fraction(worth.swap is not None and worth.swap == worth.best > _kept(worth)) for worth in worths
    )
    hits = tuple(Fraction(worth.hit is not None and worth.hit > worth.stand) for worth in worths)
    return PlayerAnswer(own, value, tuple(worths), played(own, hits, swaps))


def _kept(worth: PlayerWorth) -> Fraction:
    return worth.stand if worth.hit is None else max(worth.stand, worth.hit)


def _worth(own: OwnHands, against: AgainstBank, best: list[Fraction], place: int) -> PlayerWorth:
    node = own.nodes[place]
    stand = against.worth(stood(node), node.removed, node.end)
    hit = swap = None
    lost = against.terms.net(BUST, BUST)
    left = own.terms.size - sum(node.removed)
    if node.follows:
        gained = Fraction(0)
        for follow in node.follows:
            if follow.end == BUST:
                worth = lost
            elif follow.end >= PLAIN:
                worth = against.drawn((*node.cards, follow.card), node.given_up, follow.end)
            else:
                worth = best[follow.to]
            gained += follow.left * worth
        hit = gained / left
    if node.swap:
        swap = sum((own.nodes[to].ways * best[to] for to in node.swap), Fraction(0)) / (node.ways * left)
    return PlayerWorth(stand, hit, swap)


GRAIN: Final = 10**8
"""Chances are rounded to this fraction; the bracket is that of the rounded strategies."""

STANDARD_WIDTH: Final = Fraction(1, 10**5)
FULL_WIDTH: Final = Fraction(1, 10**6)

MOST_TURNS: Final = 60
"""The programme is solved this often at most; each turn takes in what the bank did better."""

EVERYDAY: Final = 10
"""Total from which hands stand where nothing is stated, 5 in half points; such hands never come or never matter."""


@dataclass(frozen=True)
class ProvenPair:
    """Strategies of both sides and what they prove.

    Args:
        player: The player's chart.
        bank: The bank's chart.
        bracket: The proven bracket of the value.
    """

    player: PlayerChart
    bank: BankChart
    bracket: Bracket


def bracket(terms: BankTerms, player: Conduct, bank: Conduct) -> Bracket:
    """Returns the bracket that a pair of strategies proves, as net results in stakes; nothing is solved.

    Whatever the bank does, the player's strategy keeps at least what it gets against the bank's best answer; whatever
    the player does, the bank's strategy gives at most what the player's best answer takes. Both best answers are found
    exactly, so the bracket holds whoever proposed the strategies, and however.

    Raises:
        InputError: One of them has no answer to something that it sees.
    """
    return Bracket(bank_best_response(terms, player).value, player_best_response(terms, bank).value)


Charts = tuple[PlayerChart, BankChart]
"""A chart of each side."""

_OFFERED: dict[BankTerms, Charts] = {}


def offer(terms: BankTerms, texts: Sequence[str], sources: Sequence[str]) -> None:
    """Takes strategies of both sides in place of a search; what they prove is found by exact best answers.

    Args:
        terms: Deck, rules and pays.
        texts: The player's chart and the bank's, as strategy files hold them.
        sources: The names of these files.

    Raises:
        InputError: A text is no chart for the game.
    """
    player, bank = (
        parse_chart(text, source, side, terms.rules)
        for text, source, side in zip(texts, sources, (PLAYER, BANK), strict=True)
    )
    if not isinstance(player, PlayerChart) or not isinstance(bank, BankChart):
        raise InputError(f"{sources[0]}: expected a chart of the player and one of the bank")
    _OFFERED[terms] = (
        replace(player, name=EQUILIBRIUM, looks_at=EQUILIBRIUM),
        replace(bank, name=EQUILIBRIUM, looks_at=EQUILIBRIUM),
    )
    equilibrium.cache_clear()


@lru_cache(maxsize=16)
def equilibrium(terms: BankTerms, width: Fraction = STANDARD_WIDTH) -> ProvenPair:
    """Returns strategies of both sides whose bracket is no wider than requested.

    Args:
        terms: Deck, rules and pays; the player does not split.
        width: Widest bracket in stakes.

    Raises:
        InputError: Strategies that were offered prove less than is requested.
        RuntimeError: The programme did not come that near.
    """
    if terms in _OFFERED:
        player, bank = _OFFERED[terms]
        proven = bracket(terms, player, bank)
        if proven.width > width:
            raise InputError(
                f"the strategies offered leave a bracket {float(proven.width):.2e} wide: "
                f"expected at most {float(width):.2e}"
            )
        return ProvenPair(player, bank, proven)
    key = digest_of_parts([repr(environment()), repr((terms, width))]) if result_cache.keeping() else ""
    known = result_cache.find(EQUILIBRIUM, key)
    if known is not None:
        proven = bracket(terms, known[0], known[1])
        if proven.width <= width:
            return ProvenPair(known[0], known[1], proven)
    player, bank = _searched(terms, width)
    proven = bracket(terms, player, bank)
    if proven.width > width:
        raise RuntimeError(
            f"the bracket is {float(proven.width):.2e} wide, expected at most {float(width):.2e}"
        )
    result_cache.keep(EQUILIBRIUM, key, (player, bank))
    return ProvenPair(player, bank, proven)


def _searched(terms: BankTerms, width: Fraction) -> Charts:
    """Returns strategies of both sides that a linear programme finds in floats."""
    programme = Programme(terms)
    found = programme.grow(float(width) / 4, MOST_TURNS)
    hits = (None if np.isnan(hit) else rounded(hit) for hit in found.hits.tolist())
    player = player_chart(programme.own, hits, map(rounded, found.swaps.tolist()))
    lines = {
        view: line_of(programme.bank.hands, reached, chances)
        for view, (reached, chances) in behaviours(programme.bank, found.mixtures).items()
    }
    return player, bank_chart(lines, dict(zip(programme.views, programme.weight, strict=True)))


def rounded(chance: float) -> Fraction:
    """Returns a chance as a fraction of whole grains."""
    return Fraction(round(min(max(chance, 0.0), 1.0) * GRAIN), GRAIN)


def player_chart(
    own: OwnHands,
    hits: Iterable[Fraction | None],
    swaps: Iterable[Fraction | None],
    name: str = EQUILIBRIUM,
    looks_at: str = EQUILIBRIUM,
) -> PlayerChart:
    """Returns a player's strategy as a chart: single hands where it differs from its general line.

    Args:
        own: The player's hands.
        hits: Chance of drawing on each; none where its own choices never lead there.
        swaps: Chance of swapping each; none where that is not stated.
        name: Name of the chart.
        looks_at: What it looks at.
    """
    lines, given = [], []
    for node, hit, swap in zip(own.nodes, hits, swaps, strict=True):
        if node.swap and swap is not None:
            given.append((node.cards[0], swap))
        if hit is not None and node.follows and hit != (total(node.cards) < EVERYDAY):
            lines.append(((node.given_up, node.cards), hit))
    return PlayerChart(name, looks_at, EVERYDAY, by_cards=tuple(sorted(lines)), swaps=tuple(given))


def bank_chart(
    lines: Mapping[View, ChartLine],
    weights: Mapping[View, float],
    name: str = EQUILIBRIUM,
    looks_at: str = EQUILIBRIUM,
) -> BankChart:
    """Returns a bank's strategy as a chart: a line for each open total, and one for single open cards.

    Args:
        lines: The line against each hand that stood; what it never meets falls to the general lines.
        weights: What each counts for in the general line of its open total.
        name: Name of the chart.
        looks_at: What it looks at.
    """
    by_total = general_lines(lines, weights)
    special = (
        (Lying(view.hands[0].cards, view.swapped), line)
        for view, line in lines.items()
        if line != by_total.get(open_total(view))
    )
    return BankChart(name, looks_at, ChartLine(EVERYDAY), tuple(by_total.items()), tuple(special))


def open_total(view: OpenSeat) -> OpenTotal:
    """Returns what a general line looks at."""
    return OpenTotal(view.swapped, total(view.hands[0].cards))


def general_lines(
    lines: Mapping[View, ChartLine], weights: Mapping[View, float]
) -> dict[OpenTotal, ChartLine]:
    """Returns for each open total the plain line that serves most rounds."""
    plain = ((view, line) for view, line in lines.items() if not line.draws and not line.totals)
    served = summed(((open_total(view), line), weights[view]) for view, line in plain)
    counted = gathered((key, (weight, -line.least, line)) for (key, line), weight in served.items())
    order = sorted(counted, key=lambda key: (key.swapped, key.total))
    return {key: max(counted[key], key=itemgetter(0, 1))[2] for key in order}


def behaviours(
    side: BankSide, mixtures: Mapping[View, list[tuple[float, Marks]]]
) -> Mapping[View, tuple[Floats, Floats]]:
    """Returns how often each mixture of plans comes to each hand, and its chance of drawing there."""
    views = list(mixtures)
    owner = np.array([row for row, view in enumerate(views) for _ in mixtures[view]])
    shares = np.array([share for view in views for share, _ in mixtures[view]])
    masks = np.array([mask for view in views for _, mask in mixtures[view]])
    shares = shares / np.bincount(owner, shares)[owner]
    comes, _ = side.flows(masks)
    weighed = comes * shares[:, None]
    reached, drawn = np.zeros((len(views), masks.shape[1])), np.zeros((len(views), masks.shape[1]))
    np.add.at(reached, owner, weighed)
    np.add.at(drawn, owner, weighed * masks)
    chances = np.divide(drawn, reached, out=np.zeros_like(drawn), where=reached > UNREACHED)
    return {view: (reached[row], chances[row]) for row, view in enumerate(views)}


def line_of(hands: BankHands, reached: Floats, chances: Floats) -> ChartLine:
    """Returns a short line that plays so on all hands that are come to."""
    places = np.flatnonzero(hands.choosing & (reached > UNREACHED))
    ends, drawn = np.array(hands.ends)[places], np.rint(chances[places] * GRAIN).astype(np.int64)
    # On each total what most hands do; the plain rule is the one that says most of that.
    usual = {int(end): Counter(drawn[ends == end].tolist()).most_common(1)[0][0] for end in np.unique(ends)}
    least = min(
        range(1, PLAIN + 1), key=lambda stand: sum((end < stand) * GRAIN != at for end, at in usual.items())
    )
    totals = tuple(
        (end, Fraction(grains, GRAIN)) for end, grains in usual.items() if (end < least) * GRAIN != grains
    )
    draws = tuple(
        (cards_of(hands.nodes[place]), -1, Fraction(int(grains), GRAIN))
        for place, end, grains in zip(places, ends, drawn, strict=True)
        if usual[int(end)] != grains
    )
    return ChartLine(least, totals, draws)


COMPOSITION: Final = "composition-dependent"
"""What a best answer of a player looks at."""

EVERYTHING: Final = "everything that the bank sees"
"""What a best answer of the bank looks at."""


@lru_cache(maxsize=32)
def player_answer(terms: BankTerms, bank: Conduct, name: str) -> PlayerChart:
    """Returns the best answer of a player who never splits, as a chart."""
    return answer_chart(player_best_response(terms, bank), name)


def answer_chart(answer: PlayerAnswer, name: str) -> PlayerChart:
    """Returns a best answer as a chart, single hands where it differs from its general line."""
    swaps = (swap or None for swap in answer.plays.swaps)
    return player_chart(answer.own, answer.plays.hits, swaps, name, COMPOSITION)


@lru_cache(maxsize=32)
def bank_answer(terms: BankTerms, player: Conduct, name: str) -> BankChart:
    """Returns the best answer of the bank as a chart: a line for each open total, and one for single open cards.

    What it never meets falls to the general lines.
    """
    hands = bank_hands(terms)
    stood = {
        view: plan_line(hands, plan)
        for view, plan in bank_best_response(terms, player).plans.items()
        if view.hands[0].end is HandEnd.STOOD
    }
    return bank_chart(stood, dict.fromkeys(stood, 1.0), name, EVERYTHING)


@lru_cache(maxsize=32)
def own_hand_answer(terms: BankTerms, player: Conduct, name: str) -> OwnHandBank:
    """Returns the best answer of a bank that looks at its own hand alone.

    Against several seats that play the same, each by its own cards, it is the best one too, as long as the deck
    lasts: the law of one seat's hand and the bank's is that of a table of one seat, and what the bank gives away is the
    sum.
    """
    own, hands = own_hands(terms), bank_hands(terms)
    met = situations(own, requesting_player(own, player))[1].values()
    every = summed(one for situation in met for one in situation.items())
    return OwnHandBank(name, plan_line(hands, best_plan(terms, hands, every)[1]))


def plan_line(hands: BankHands, plan: BankPlan) -> ChartLine:
    """Returns a plan without lots as a line of a chart."""
    comes = hands.flow(plan).comes.astype(np.float64)
    chances = np.array([float(hit) for hit in plan.hits])
    return line_of(hands, comes, chances)
