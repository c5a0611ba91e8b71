"""A round in which nothing is decided and whose graph is too large: how often each step of it is expected.

No graph is kept that tells apart what left the shoe. Draw by draw it is counted in how many orders of classes of faces
a round comes to each state with each content of the shoe. Then contents are forgotten but for the sums: how many
orders of cards come to each state, and how many go on by each class. A graph of states and numbers of draws with these
sums as weights comes to every state, and to every end, exactly as often as the round does.

Large numbers are found by their remainders. After every draw the orders that came to a state are compared with those
that led there, which were counted before it.

Source: H. L. Garner, The Residue Number System, IRE Transactions on Electronic Computers EC-8 (1959), 140-147.
"""

from array import array
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from math import gcd, isqrt, lcm, perm, prod
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array, vstack

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.graph import GraphTooLargeError, Growing, Whole
from certify.analysis.engine.stage_points import IMPOSSIBLE, SHIFT, TARGET
from certify.analysis.engine.walk import CHANCE, NO_MOVE, SETTLED, NumberedValues, RoundGraph
from certify.by_key import summed
from certify.errors import InputError
from certify.model import NextDraw, ReferenceRound

_WAYS: Final = 1 << 26
"""Ways in which a draw goes on from states with their contents of the shoe that are followed, at most."""

_BLOCK: Final = 1 << 13
"""Contents of the shoe that are gone on to at a time."""

Steps = dict[int, list[tuple[int, int, int]]]
"""By state: first face of each class that may come, what it leads to, and its weight."""


def averaged(automaton: Automaton, reference: ReferenceRound[Any]) -> RoundGraph:
    """Returns a graph that comes to every state, and to every end, exactly as often as the round does.

    Args:
        automaton: The least automaton of a text that can be averaged.
        reference: The round that the same text plays, kept with the graph.

    Raises:
        InputError: Too many contents of the shoe remain, a stage failed on a draw that is possible, or the round takes
            more cards than there are.
    """
    own = Growing(automaton, reference)
    counted = _Counted(automaton, own)
    steps = [*counted.steps()]
    rows: list[tuple[int, int, int, int]] = []
    edges: list[tuple[int, int, int]] = []
    offsets, numbers = array("q", [0]), NumberedValues[tuple[int, int]]()
    numbers[0, 0]
    for drawn, node in numbers.listed:  # Grows meanwhile.
        state, won = counted.nodes.listed[node]
        own.chosen(state)
        on = steps[drawn].get(node, [])
        shared, whole = gcd(*(weight for _, _, weight in on)), sum(weight for _, _, weight in on)
        rows.append((CHANCE, whole // shared, 0, state) if on else (SETTLED, own.ended(won), NO_MOVE, state))
        edges += [(numbers[drawn + 1, to], weight // shared, face) for face, to, weight in on]
        offsets.append(len(edges))
    kinds, details, pieces, states = zip(*rows, strict=True)
    targets, weights, moves = zip(*edges, strict=True)
    return RoundGraph(
        reference,
        bytes(kinds),
        details,
        offsets,
        array("q", targets),
        weights,
        array("q", moves),
        array("q", [NO_MOVE, *np.unique(targets, return_index=True)[1].tolist()]),
        (),
        own.ends(),
        array("q", pieces),
        array("q", states),
        counted.drawn_as,
    )


class _Counted:
    """Orders of classes in which a round comes to each state with each content of the shoe, draw by draw."""

    def __init__(self, automaton: Automaton, own: Growing) -> None:
        (self.piece,) = automaton.text.equipment
        self.nodes: NumberedValues[tuple[int, int]] = NumberedValues()
        self.nodes[0, own.add(0, automaton.walked.begun)]
        rows: list[list[int]] = []
        for state, won in self.nodes.listed:  # Grows meanwhile.
            draws = type(automaton.waiting[state]) is NextDraw
            rows.append([self.after(own, won, one) for one in automaton.rows[state]] if draws else [])
        self.live = np.array([*map(bool, rows), False])
        apart = {automaton.partition[self.nodes.listed[to][0]] for row in rows for to in row if self.live[to]}
        names = automaton.classes[sorted(apart)]
        _, self.first, of = np.unique(names, axis=1, return_index=True, return_inverse=True)
        self.drawn_as: list[int] = self.first[of].tolist()
        self.counts = np.bincount(of, weights=self.piece.copies).astype(np.int64)
        if prod((self.counts + 1).tolist()) >> 62:
            raise GraphTooLargeError
        self.bases: Whole = np.cumprod([1, *(self.counts[:-1] + 1)], dtype=np.int64)
        self.codes = self.bases
        self.led = np.array([row or [IMPOSSIBLE] * len(of) for row in rows])[:, self.first]
        # What tells the first card alone apart from its class has a share of the class.
        shares = [*map(Fraction, self.piece.copies, self.counts[of].tolist())]
        self.scale = lcm(*(share.denominator for share in shares))
        begun = zip(range(len(of)), rows[0], self.piece.copies, strict=True)
        self.begun: Steps = {0: [(face, to, copies * self.scale) for face, to, copies in begun]}
        ways = [int(share * self.scale) for share in shares] * self.live[rows[0]]
        self.ways = csr_array((ways, (of, rows[0])), (len(self.codes), len(rows)))

    def after(self, own: Growing, won: int, arrow: int) -> int:
        """Returns what an arrow leads to: a state with what is settled by then."""
        return IMPOSSIBLE if arrow < 0 else self.nodes[arrow & TARGET, own.add(won, arrow >> SHIFT)]

    def steps(self) -> Iterator[Steps]:
        """Yields what follows on each state, draw by draw.

        Raises:
            InputError: Too many contents of the shoe remain, or no card.
        """
        steps, drawn = self.begun, 0
        while steps:
            yield steps
            drawn += 1
            if self.ways.nnz and drawn >= self.piece.supply:
                raise InputError(
                    f"the round takes more than {self.piece.supply} draws from {self.piece.id}: it holds no more"
                )
            orders = int(self.ways.sum(axis=1).max(initial=0)) * len(self.counts)
            if self.ways.nnz * len(self.counts) > _WAYS or orders >> 62:
                raise GraphTooLargeError
            left: Whole = self.counts - self.codes[:, None] // self.bases % (self.counts + 1)
            found = self.orders(left, self.scale * perm(self.piece.size, drawn) * self.piece.size)
            led = summed((to, much) for on in steps.values() for _, to, much in on if to < 0 or self.live[to])
            if led != {node: often for node, (often, *_) in enumerate(found) if often}:
                raise AssertionError(
                    f"after {drawn} draws another number of orders is counted than led there"
                )
            steps = {
                node: [
                    one
                    for one in zip(self.first.tolist(), self.led[node].tolist(), on, strict=True)
                    if one[2]
                ]
                for node, (often, *on) in enumerate(found)
                if often
            }
            if self.ways.nnz:
                self.draw(left)
        yield steps

    def orders(self, left: Whole, most: int) -> list[list[int]]:
        """Returns how many orders of cards come to each state, and how many of these go on by each class.

        Args:
            left: Cards left of each class, a line for each content of the shoe.
            most: No number is larger.
        """
        found, modulus = np.zeros((), object), 1
        # Products of two remainders and of cards left are added in 63 bits.
        odd = count(2 ** ((62 - len(left).bit_length() - int(self.counts.max()).bit_length()) // 2) - 1, -2)
        primes = (one for one in odd if all(one % other for other in range(3, isqrt(one) + 1, 2)))
        while modulus <= most:
            prime = next(primes)
            weight = np.ones(len(left), np.int64)
            for copies, column in zip(self.counts.tolist(), left.T, strict=True):
                falling = [perm(copies, copies - one) % prime for one in range(copies + 1)]
                weight = weight * np.array(falling)[column] % prime
            each = np.column_stack([np.ones_like(weight), left]) * weight[:, None]
            ways: Any = csr_array(
                (self.ways.data % prime, self.ways.indices, self.ways.indptr), self.ways.shape
            )
            rest = np.asarray(ways.T @ each % prime, object)
            found = found + (rest - found) * pow(modulus, -1, prime) % prime * modulus
            modulus *= prime
        return [*found.tolist()]

    def draw(self, left: Whole) -> None:
        """Goes on to the contents with one card more: all orders that lead to each of them are added."""
        line, one = (left > 0).nonzero()
        codes = self.codes[line] + self.bases[one]
        order = np.argsort(codes, kind="stable")
        codes, starts = np.unique(codes[order], return_index=True)
        parts = []
        for begin in range(0, len(codes), _BLOCK):
            first = starts[begin : begin + _BLOCK + 1]
            own = order[first[0] : first[-1] if len(first) > _BLOCK else None]
            before = self.ways[line[own]]
            led = self.led[before.indices, np.repeat(one[own], np.diff(before.indptr))]
            came = np.where(self.live[led], before.data, 0)
            ends = np.append(first[:_BLOCK] - first[0], len(own))
            pick = csr_array((np.ones_like(own), np.arange(len(own)), ends), (len(ends) - 1, len(own)))
            parts.append(pick @ csr_array((came, led, before.indptr), before.shape))
        after = vstack(parts, "csr")
        some = np.diff(after.indptr) > 0
        self.codes, self.ways = codes[some], after[some]
