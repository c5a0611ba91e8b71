"""Charts that a person can keep in mind, drawn from an equilibrium, and what they cost against best answers."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.families.free_bank.charts import BankChart, ChartLine, OpenTotal, OwnTotal, PlayerChart
from certify.families.free_bank.exact.bank_hands import bank_hands
from certify.families.free_bank.exact.conduct import asked_player, bank_plans
from certify.families.free_bank.exact.equilibrium import EVERYDAY, ProvenPair, bracket, open_total
from certify.families.free_bank.exact.own_hands import own_hands
from certify.families.free_bank.exact.settlement import PLAIN, BankTerms
from certify.families.free_bank.rules import total
from certify.families.free_bank.strategy import Conduct
from certify.families.seven_and_a_half.cards import CLASS_MATTA
from certify.families.seven_and_a_half.counting import NO_CARDS, single

TENTHS: Final = 10
"""Chances of a simple chart are tenths: a glance at a clock's seconds is lot enough."""

ALONE: Final = 0
"""In place of a total: the matta alone."""

NAME: Final = "simple chart"


@lru_cache(maxsize=8)
def simple_charts(terms: BankTerms, player: Conduct, bank: Conduct) -> ProvenPair:
    """Returns simple charts that come near a pair of strategies, and what they secure.

    Args:
        terms: Deck, rules and pays.
        player: The player's strategy, such as that of an equilibrium.
        bank: The bank's.
    """
    mine, its = simple_player(terms, player), simple_bank(terms, player, bank)
    return ProvenPair(mine, its, bracket(terms, mine, its))


def tenths(chance: Fraction) -> Fraction:
    """Returns a chance rounded to tenths."""
    return Fraction(round(chance * TENTHS), TENTHS)


def simple_player(terms: BankTerms, player: Conduct) -> PlayerChart:
    """Returns for each hidden card and total of the open ones how often a strategy draws, over all its rounds."""
    own = own_hands(terms)
    plays = asked_player(own, player)
    comes: dict[OwnTotal, Fraction] = defaultdict(Fraction)
    draws: dict[OwnTotal, Fraction] = defaultdict(Fraction)
    swaps = {}
    for place, node in enumerate(own.nodes):
        key = OwnTotal(node.given_up >= 0, node.cards[0], total(node.cards[1:]))
        dealt = own.dealt(node)
        comes[key] += (plays.stands(place) + plays.draws(place)) * dealt
        draws[key] += plays.draws(place) * dealt
        if node.swap:
            swaps[node.cards[0]] = tenths(plays.swaps[place])
    chances = {
        key: tenths(draws[key] / comes[key])
        for key in sorted(comes, key=lambda at: (at.swapped, at.hidden, at.open))
        if comes[key]
    }
    return PlayerChart(
        NAME, NAME, EVERYDAY, by_total=tuple(chances.items()), swaps=tuple(sorted(swaps.items()))
    )


def simple_bank(terms: BankTerms, player: Conduct, bank: Conduct) -> BankChart:
    """Returns for each total of the open cards and each own total how often the bank draws, over all its rounds."""
    own, hands = own_hands(terms), bank_hands(terms)
    plays, plans = asked_player(own, player), bank_plans(hands, bank)
    comes: dict[OpenTotal, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    draws: dict[OpenTotal, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    ways = hands.ways(NO_CARDS)
    for view, places in own.views.items():
        share = sum((plays.stands(at) * own.dealt(own.nodes[at]) for at in places), Fraction(0))
        if view is None or not share:
            continue
        plan = plans.plan(view)
        flow, key = hands.flow(plan), open_total(view)
        came: dict[int, int] = defaultdict(int)
        drew: dict[int, Fraction | int] = defaultdict(int)
        for place, end in enumerate(hands.ends):
            if hands.choosing[place] and flow.comes[place]:
                # The matta alone counts 7 and loses nothing by a card: it has an entry of its own.
                held = ALONE if hands.nodes[place].hand == single(CLASS_MATTA) else end
                deals, hit = int(flow.comes[place] * ways[place]), plan.hits[place]
                came[held] += deals
                if hit:
                    drew[held] += deals if hit == 1 else deals * hit
        for held, deals in came.items():
            comes[key][held] += share * Fraction(deals, flow.over)
            draws[key][held] += share * Fraction(drew[held]) / flow.over
    # Where the player never stands, a player who departs from it is met as the bank's own chart says in general.
    general = dict(bank.by_total) if isinstance(bank, BankChart) else {}
    lines = {key: line for key, line in general.items() if key not in comes}
    lines |= {
        key: simple_line({end: tenths(draws[key][end] / met) for end, met in sorted(comes[key].items())})
        for key in sorted(comes, key=lambda at: (at.swapped, at.total))
    }
    return BankChart(NAME, NAME, ChartLine(EVERYDAY), tuple(lines.items()))


def simple_line(chances: dict[int, Fraction]) -> ChartLine:
    """Returns the line that draws on each total with a chance, and on the matta alone."""
    by_total = {end: chance for end, chance in chances.items() if end != ALONE}
    least = min(
        range(1, PLAIN + 1), key=lambda at: sum(chance != (end < at) for end, chance in by_total.items())
    )
    totals = tuple((end, chance) for end, chance in by_total.items() if chance != (end < least))
    return ChartLine(least, totals, (((CLASS_MATTA,), -1, chances[ALONE]),) if ALONE in chances else ())
