"""Candidates for an equilibrium in floating point: a linear programme that grows by the bank's answers.

The player's way of playing is a point of a polytope (the sequence form: for each hand, the share of choices that
draw on it). Against each thing that the bank sees, what the player secures is the least over the bank's plans, a
concave function of that point which is bounded by one inequality per plan. The programme begins with the plans that
stand on one total and takes in the bank's best plan wherever it is worse for the player than the programme thought,
until nothing is. The multipliers of the inequalities are then the bank's mixture of plans.

Nothing here is proof: what comes out is rounded to fractions and judged by exact best answers of both sides.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from certify.array_types import Floats, Marks, Whole
from certify.by_key import gathered
from certify.families.free_bank.exact.hands import (
    BUST,
    FIRST,
    PLAIN,
    BankTerms,
    End,
    View,
    bank_hands,
    own_hands,
    standing_plan,
)
from certify.families.seven_and_a_half.cards import Hand, plus

EPSILON: Final = 1e-13
"""Below this, two worths or shares are taken for equal."""

UNREACHED: Final = 1e-9
"""A share of the player's own choices below this is taken for none."""

_TIGHT: Final[Any] = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

FIRST_TOTAL: Final = 10
"""Total in half points on which the bank stands in the plans that the programme begins with."""


@dataclass(frozen=True)
class Found:
    """What the programme found, in floating point.

    Args:
        hits: Player's chance of drawing on each hand; not a number where its own choices never lead there.
        swaps: Player's chance of swapping each hand.
        mixtures: For each view, shares of the bank's plans with the hands on which each draws.
    """

    hits: Floats
    swaps: Floats
    mixtures: dict[View, list[tuple[float, Marks]]]


class BankSide:
    """The bank in floating point, against many situations at once.

    Args:
        terms: Deck, rules and pays.
        held: Every (cards of the player, end) that it may meet.
    """

    def __init__(self, terms: BankTerms, held: list[tuple[Hand, End]]) -> None:
        self.terms, self.hands = terms, bank_hands(terms)
        self._nets: dict[End, Floats] = {}
        self.stops = np.array([self._stops(gone, end) for gone, end in held])
        """For each hand of the player (rows) what each stop of the bank is worth to it, less a bust of the bank."""

    def _stops(self, gone: Hand, end: End) -> Floats:
        hands = self.hands
        chances = (hands.ways(gone) / hands.common(gone)).astype(np.float64)
        if end not in self._nets:
            base = self.terms.net(end, BUST)
            self._nets[end] = np.array([float(self.terms.net(end, bank) - base) for bank in hands.ends])
        worth: Floats = chances * self._nets[end]
        return worth

    def best(self, stops: Floats) -> tuple[Floats, Marks]:
        """Returns the least worth in each situation, and the hands on which the bank draws for it.

        Args:
            stops: For each situation (rows) what each stop is worth.
        """
        stops = np.ascontiguousarray(stops.T)
        best, hits = np.zeros_like(stops), np.zeros(stops.shape, dtype=bool)
        for place in reversed(range(len(stops))):
            drawn = np.zeros(stops.shape[1])
            for _, to in self.hands.draws[place]:
                drawn += best[to]
            if place == 0:
                best[place], hits[place] = drawn, True
            elif self.hands.choosing[place]:
                hits[place] = drawn < stops[place] - EPSILON
                best[place] = np.where(hits[place], drawn, stops[place])
            else:
                best[place] = stops[place]
        return best[0], hits.T

    def flows(self, hits: Marks) -> tuple[Floats, Floats]:
        """Returns in how many orders each hand is come to, and stopped on, for many plans (rows)."""
        comes = np.zeros(hits.T.shape)
        comes[0] = 1.0
        for place, draws in enumerate(self.hands.draws):
            going = comes[place] * hits[:, place]
            for _, to in draws:
                comes[to] += going
        return comes.T, comes.T * ~hits


class _Cut(NamedTuple):
    """An inequality of one plan of the bank: what the player secures against it where the bank sees one thing.

    Args:
        view: What the bank sees.
        columns: Variables that it binds.
        values: Their factors.
        limit: What they may come to.
        hits: Hands on which the plan draws.
    """

    view: int
    columns: Whole
    values: Floats
    limit: float
    hits: Marks


class Programme:
    """The linear programme of one game, grown by the bank's answers.

    Args:
        terms: Deck, rules and pays.
    """

    def __init__(self, terms: BankTerms) -> None:
        self.terms, self.own = terms, own_hands(terms)
        nodes = self.own.nodes
        kinds: dict[tuple[Hand, End], int] = {}
        self.kind = np.array([kinds.setdefault((node.removed, node.end), len(kinds)) for node in nodes])
        self.bank = BankSide(terms, list(kinds))
        self.dealt = np.array([float(self.own.dealt(node)) for node in nodes])
        self.views = list(self.own.views)
        self.places = [np.array(self.own.views[view]) for view in self.views]
        self.view = np.zeros(len(nodes), dtype=np.int64)
        for view, places in enumerate(self.places):
            self.view[places] = view
        # The worth of a view is counted per round in which its cards come: rare ones weigh as much as others.
        self.weight = np.bincount(self.view, self.dealt)
        self.swappers = [place for place, node in enumerate(nodes) if node.swap]
        self.cuts: list[_Cut] = []
        self.known: set[tuple[int, bytes]] = set()
        self._layout()

    def _layout(self) -> None:
        """Lays out the variables: a share of draws per hand, of swaps per first card, and a worth per view."""
        nodes = self.own.nodes
        self.swap_at = {place: len(nodes) + k for k, place in enumerate(self.swappers)}
        self.view_at = len(nodes) + len(self.swap_at)
        self.size = self.view_at + len(self.views)
        # What comes to a hand by choice is a constant plus one signed variable.
        self.base, self.from_at, self.sign = (
            np.zeros(len(nodes)),
            np.zeros(len(nodes), dtype=np.int64),
            np.zeros(len(nodes)),
        )
        for place, node in enumerate(nodes):
            if node.before == FIRST:
                self.base[place] = 1.0
                if node.swap:
                    self.from_at[place], self.sign[place] = self.swap_at[place], -1.0
            else:
                self.from_at[place] = self.swap_at[node.before] if node.by_swap else node.before
                self.sign[place] = 1.0

    @cached_property
    def ending(self) -> Floats:
        """Returns what drawing on each hand brings by ending it, over all rounds in which its cards come."""
        draw_on = standing_plan(self.bank.hands, PLAIN)
        shown: dict[tuple[Hand, End], float] = {}
        worth = np.zeros(len(self.own.nodes))
        for place, node in enumerate(self.own.nodes):
            gone, each = node.removed, node.ways / self.own.deals(node, 1)
            for follow in node.follows:
                if follow.end == BUST:
                    worth[place] += each * follow.left * float(self.terms.net(BUST, BUST))
                elif follow.end >= PLAIN:
                    key = plus(gone, follow.card), follow.end
                    if key not in shown:
                        ends = self.bank.hands.ended(draw_on, key[0])
                        net = sum(chance * self.terms.net(follow.end, bank) for bank, chance in ends.items())
                        shown[key] = float(net)
                    worth[place] += each * follow.left * shown[key]
        return worth

    def take(self, views: Whole, hits: Marks) -> int:
        """Takes in one plan of the bank for each of some views; returns how many were new."""
        comes, stops = self.bank.flows(hits)
        new = 0
        for row, view in enumerate(views):
            # Only what is done on hands that the plan comes to tells two plans apart.
            key = int(view), np.packbits(hits[row] & (comes[row] > 0)).tobytes()
            if key not in self.known:
                self.known.add(key)
                places = self.places[view]
                worth = self.bank.stops[self.kind[places]] @ stops[row]
                weights = worth * self.dealt[places] / self.weight[view]
                columns = np.concatenate([[self.view_at + view], self.from_at[places], places])
                values = np.concatenate([[1.0], -weights * self.sign[places], weights])
                limit = float(weights @ self.base[places])
                self.cuts.append(_Cut(int(view), columns, values, limit, hits[row]))
                new += 1
        return new

    def solve(self) -> tuple[Floats, Floats]:
        """Returns the variables and the multipliers of the bank's plans of the programme as it is."""
        nodes = len(self.own.nodes)
        gain = np.zeros(self.size)
        pays = np.array([float(self.terms.pay(node.end)) for node in self.own.nodes])
        # A share that comes and is not drawn on stands: worth its pay against a bust, and the view's worth on top.
        standing = self.dealt * pays
        np.add.at(gain, self.from_at, self.sign * standing)
        gain[:nodes] += self.ending - standing
        gain[self.view_at :] = self.weight
        every = np.arange(nodes)
        lengths = [len(cut.columns) for cut in self.cuts]
        rows = [every, every, np.repeat(np.arange(nodes, nodes + len(self.cuts)), lengths)]
        columns = [every, self.from_at, *(cut.columns for cut in self.cuts)]
        values = [np.ones(nodes), -self.sign, *(cut.values for cut in self.cuts)]
        limits = np.concatenate([self.base, [cut.limit for cut in self.cuts]])
        # Loaded here: whoever reads submissions of other games needs no solver.
        from scipy.optimize import linprog
        from scipy.sparse import coo_array

        matrix: Any = coo_array(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
            shape=(len(limits), self.size),
        ).tocsr()
        bounds = [(0.0, 1.0)] * self.view_at + [(-np.inf, 0.0)] * len(self.views)
        result: Any = linprog(-gain, A_ub=matrix, b_ub=limits, bounds=bounds, method="highs", options=_TIGHT)
        if result.status != 0:
            raise RuntimeError(f"the linear programme was not solved: {result.message}")
        shares = -result.ineqlin.marginals[nodes:]
        shares /= self.weight[[cut.view for cut in self.cuts]]
        return result.x, shares

    def standing(self, variables: Floats) -> Floats:
        """Returns the share of rounds in which the player stands on each hand."""
        nodes = len(self.own.nodes)
        comes = self.base + self.sign * variables[self.from_at]
        shares: Floats = np.maximum(comes - variables[:nodes], 0.0) * self.dealt
        return shares

    def met(self, shares: Floats) -> Floats:
        """Returns for each view (rows) what each stop of the bank is worth over all its rounds."""
        from scipy.sparse import csr_array

        weights = csr_array((shares, (self.view, self.kind)), shape=(len(self.views), len(self.bank.stops)))
        stops: Floats = weights @ self.bank.stops
        return stops

    def start(self) -> None:
        """Takes in the plan that stands on one total, against everything that the bank sees."""
        hits = np.repeat((np.array(self.bank.hands.ends) < FIRST_TOTAL)[None, :], len(self.views), axis=0)
        hits[:, 0] = True
        self.take(np.arange(len(self.views)), hits)

    def grow(self, tolerance: float, most: int) -> Found:
        """Solves until the bank's best answers are no further below the programme's value than a tolerance."""
        self.start()
        for _ in range(most):
            variables, shares = self.solve()
            best, hits = self.bank.best(self.met(self.standing(variables)))
            thought = variables[self.view_at :] * self.weight
            gap = float(np.sum(thought - best))
            worse = np.flatnonzero(thought - best > tolerance / (10 * len(self.views)))
            if gap <= tolerance or not self.take(worse, hits[worse]):
                break
        return self._found(variables, shares)

    def _found(self, variables: Floats, shares: Floats) -> Found:
        nodes = len(self.own.nodes)
        comes = self.base + self.sign * variables[self.from_at]
        with np.errstate(invalid="ignore", divide="ignore"):
            hits = np.where(comes > UNREACHED, variables[:nodes] / comes, np.nan)
        swaps = np.zeros(nodes)
        for place, at in self.swap_at.items():
            swaps[place] = variables[at]
        # Plans taken in after the programme was last solved have no multiplier yet.
        mixtures = gathered(
            (self.views[cut.view], (float(share), cut.hits))
            for share, cut in zip(shares, self.cuts, strict=False)
            if share > EPSILON
        )
        return Found(hits, swaps, mixtures)
