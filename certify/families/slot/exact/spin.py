"""The law of one spin: every win with its chance, together with the features that it starts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from math import lcm, prod

import numpy as np

from certify.array_types import Values, Whole
from certify.by_key import summed, summed_pairs
from certify.families.slot.exact.cascade import CountedWin, fall
from certify.families.slot.exact.cycle import CycleReels, count_cycle
from certify.families.slot.exact.lines import LineTable, automaton, line_table
from certify.families.slot.exact.ways import count_ways, shown_to, ways_rows
from certify.families.slot.exact.windows import (
    Counts,
    Shown,
    WindowTally,
    added,
    at,
    multiplied,
    scatter_coins,
    seen,
    tally_of,
    windows_of,
)
from certify.families.slot.rows import MULTIPLIED
from certify.families.slot.rules import (
    Cascade,
    Respin,
    SlotRules,
    SpinKind,
    SymbolCount,
    Trigger,
    scatters_in,
    starts_in,
)

_Part = tuple[Counts, tuple[int, ...], Mapping[int, int]]
"""What was counted over the window, starts by lines, and weight of every win in coins."""

Starts = tuple[int, ...]
"""How often each feature starts: series of free games in their order, then bonuses."""


Shares = dict[str, tuple[Fraction, Fraction]]
"""Of each row of the paytable how often one spin wins it on average, and the coins that it then pays."""


@dataclass(frozen=True, slots=True)
class SpinLaw:
    """The law of one spin.

    Args:
        total: Number of combinations, weights counted.
        wins: For each way of starting features the weight of every win in coins.
        shares: What each row of the paytable contributes.
    """

    total: int
    wins: Mapping[Starts, Mapping[int, int]]
    shares: Shares

    def sums(self, wins: Mapping[int, int]) -> tuple[Fraction, Fraction, Fraction]:
        """Returns the chance of wins of given weights, and the mean and second moment on it."""
        one = sum(win * weight for win, weight in wins.items())
        two = sum(win * win * weight for win, weight in wins.items())
        return (
            Fraction(sum(wins.values()), self.total),
            Fraction(one, self.total),
            Fraction(two, self.total),
        )

    def moments(self) -> dict[Starts, tuple[Fraction, Fraction, Fraction]]:
        """Returns for each way of starting features its chance, and the mean and second moment of the win on it."""
        return {starts: self.sums(wins) for starts, wins in self.wins.items()}

    @property
    def distribution(self) -> dict[int, Fraction]:
        """Chance of every win of the spin by itself, in coins."""
        found = summed(one for wins in self.wins.values() for one in wins.items())
        return {win: Fraction(weight, self.total) for win, weight in sorted(found.items())}


def spin_law(rules: SlotRules, stage_id: str) -> SpinLaw:
    """Returns the law of a spin in a stage, by complete counting.

    Raises:
        InputError: It cannot be counted within bounds.
    """
    # What is offered with a round changes no spin: without it a law is counted once, whoever asks.
    return counted_law(
        replace(rules, variants=(), purchases=(), bet_levels=(), jackpots=(), gamble=None), stage_id
    )


@lru_cache(maxsize=64)
def counted_law(rules: SlotRules, stage_id: str) -> SpinLaw:
    """Returns the law of a spin of a round that nothing is offered with."""
    stage = rules.stage(stage_id)
    cascade = rules.cascade(stage_id)
    law = _Spin(rules, stage).law() if cascade is None else _Spin(rules, stage).fallen(cascade)
    respin = rules.respin(stage_id)
    if respin is not None:
        law = _respun(rules, stage, respin, law)
    return law


def _respun(rules: SlotRules, stage: SpinKind, respin: Respin, first: SpinLaw) -> SpinLaw:
    """Returns the law of a spin whose held reels, by their places in the respin, let the others spin again."""
    reels = len(respin.reels)

    @cache
    def whole(held: frozenset[int]) -> SpinLaw:
        """Returns the law of a window where some reels are held, with all windows that follow it."""
        one = _Spin(rules, stage, frozenset(respin.reels[n] - 1 for n in held)).law() if held else first
        after: dict[Starts, SpinLaw | None] = {}
        for key in one.wins:
            new = frozenset(n for n in range(reels) if key[len(key) - reels + n])
            after[key] = whole(held | new) if new else None
        return _joined(one, after, reels)

    return whole(frozenset())


def _joined(first: SpinLaw, after: Mapping[Starts, SpinLaw | None], reels: int) -> SpinLaw:
    """Returns the law of a window with what follows it, by what it starts and which of so many reels it holds anew."""
    common = lcm(*(one.total for one in after.values() if one))
    wins: dict[Starts, Counter[int]] = defaultdict(Counter)
    shares = list(first.shares.items())
    for key, group in first.wins.items():
        then, starts = after[key], key[: len(key) - reels]
        scale = common // then.total if then else common
        for more, others in then.wins.items() if then else [((0,) * len(starts), {0: 1})]:
            into = wins[tuple(a + b for a, b in zip(starts, more, strict=True))]
            for win, weight in group.items():
                for other, much in others.items():
                    into[win + other] += weight * much * scale
        chance = Fraction(sum(group.values()), first.total)
        further = then.shares.items() if then else ()
        shares += [(row, (chance * times, chance * coins)) for row, (times, coins) in further]
    return SpinLaw(first.total * common, wins, summed_pairs(shares))


class _Spin:
    """Counts one spin."""

    def __init__(self, rules: SlotRules, stage: SpinKind, held: frozenset[int] = frozenset()) -> None:
        self.rules, self.stage = rules, stage
        respin = rules.respin(stage.id)
        self.windows = windows_of(rules, stage, held, respin.symbol if respin else "")
        self.total = prod(reel.total for reel in self.windows)
        self.scatters = scatters_in(rules, stage)
        self.features = rules.features
        self.starts = [starts_in(one, stage) for one in self.features]
        window_triggers = [
            n for n, one in enumerate(self.features) if self.starts[n] and not one.trigger.on_line
        ]
        self.on_line = [n for n, one in enumerate(self.features) if self.starts[n] and one.trigger.on_line]
        self.tallies: list[WindowTally] = [
            tally_of(rules, stage, one, len(one.pays)) for one in self.scatters
        ]
        self.tallies += [
            tally_of(rules, stage, self.features[n].trigger, len(self.starts[n])) for n in window_triggers
        ]
        self.window_triggers = window_triggers
        self.scattered = len(self.tallies)
        if respin is not None:
            # Reels that are held already are never held anew.
            names = frozenset({respin.symbol})
            self.tallies += [
                WindowTally(frozenset() if reel - 1 in held else names, SymbolCount.SYMBOLS, 1, reel - 1)
                for reel in respin.reels
            ]

    def law(self) -> SpinLaw:
        """Returns the law of the spin."""
        if self.rules.ways:
            counted = count_ways(self.rules, self.stage, self.windows, self.tallies)
            found = self._gathered(
                (counts, (0,) * len(self.on_line), wins) for counts, wins in counted.items()
            )
            rows = self._ways_shares()
        else:
            found, rows = self._lines()
        return SpinLaw(self.total, found, rows | self._scatter_shares())

    def fallen(self, cascade: Cascade) -> SpinLaw:
        """Returns the law of a spin whose wins fall."""
        gives = [
            tuple(scatter_coins(self.rules, self.stage, one, count) for count in range(len(one.pays) + 1))
            for one in self.scatters
        ]
        gives += [(0, *self.starts[n]) for n in self.window_triggers]
        names = [*(one.id for one in self.scatters), *("" for _ in self.window_triggers)]
        places = [*(-1 for _ in self.scatters), *self.window_triggers]
        whole = zip(names, self.tallies, gives, places, strict=True)
        seen = [CountedWin(name, one.symbols, one.counted, some, place) for name, one, some, place in whole]
        wins, rows = fall(self.rules, self.stage, cascade, seen)
        shares = {
            row: (Fraction(times, self.total), Fraction(coins, self.total))
            for row, (times, coins) in rows.items()
        }
        return SpinLaw(self.total, wins, shares)

    def _gathered(self, parts: Iterable[_Part]) -> Mapping[Starts, Mapping[int, int]]:
        """Returns the wins by what starts."""
        found: dict[Starts, Counter[int]] = defaultdict(Counter)
        for counts, lines, wins in parts:
            coins = sum(
                scatter_coins(self.rules, self.stage, one, count)
                for one, count in zip(self.scatters, counts, strict=False)
            )
            starts = [0] * len(self.features)
            for n, count in zip(self.window_triggers, counts[len(self.scatters) :], strict=False):
                starts[n] = at(self.starts[n], count)
            for n, number in zip(self.on_line, lines, strict=True):
                starts[n] = number
            starts += counts[self.scattered :]
            found[tuple(starts)].update({win + coins: weight for win, weight in wins.items()})
        return found

    # --- lines ---

    def _lines(self) -> tuple[Mapping[Starts, Mapping[int, int]], Shares]:
        symbols = [
            list(dict.fromkeys(cell for one in reel.windows for cell in one.cells)) for reel in self.windows
        ]
        triggers = [self._on_line_trigger(n) for n in self.on_line]
        table = line_table(self.rules, self.stage, symbols, triggers)
        reels, states = self._arrays(symbols)
        most = [len(self.rules.lines) * int(part.max(initial=0)) + 1 for part in table.triggers]
        radix = [len(states) * prod(most[:n]) for n in range(len(most))]
        line, groups = automaton(table), len(states) * prod(most)

        def part(group: int, wins: Mapping[int, int]) -> _Part:
            rest, place = divmod(group, len(states))
            numbers = []
            for size in most:
                rest, number = divmod(rest, size)
                numbers.append(number)
            return states[place], tuple(numbers), wins

        counted = count_cycle(reels, self.rules.lines, line, groups, radix)
        shares = self._line_shares(table, symbols)
        full = self.rules.full(self.stage.id)
        if full is None:
            return self._gathered(part(*one) for one in counted.items()), shares
        parts, times, more = [], 0, 0
        for by, places in multiplied(self.rules, self.stage, full, self.windows):
            some = count_cycle(reels.of(places), self.rules.lines, line, groups, radix)
            for group, wins in some.items():
                parts.append(part(group, {by * win: weight for win, weight in wins.items()}))
                for win, weight in wins.items():
                    counted[group][win] -= weight
                    times += weight * (win > 0)
                    more += weight * win * (by - 1)
        for group, wins in counted.items():
            left = {win: weight for win, weight in wins.items() if weight}
            parts += [part(group, left)] if left else []
        shares[MULTIPLIED] = Fraction(times, self.total), Fraction(more, self.total)
        return self._gathered(parts), shares

    def _on_line_trigger(self, feature: int) -> Trigger:
        trigger = self.features[feature].trigger
        return Trigger(trigger.symbols, self.starts[feature], trigger.counted, True, trigger.wilds)

    def _arrays(self, symbols: Sequence[Sequence[Shown]]) -> tuple[CycleReels, list[Counts]]:
        sizes = [len(reel.windows) for reel in self.windows]
        rows = max(len(one.cells) for reel in self.windows for one in reel.windows)
        cells = np.zeros((len(sizes), max(sizes), rows), dtype=np.int64)
        weights = np.zeros((len(sizes), max(sizes)), dtype=np.int64)
        codes = np.zeros((len(sizes), max(sizes)), dtype=np.int64)
        per_reel: list[list[Counts]] = []
        for place, reel in enumerate(self.windows):
            names: dict[Counts, int] = {}
            for n, window in enumerate(reel.windows):
                cells[place, n, : len(window.cells)] = [symbols[place].index(cell) for cell in window.cells]
                weights[place, n] = window.weight
                codes[place, n] = names.setdefault(
                    tuple(seen(one, window) for one in self.tallies), len(names)
                )
            per_reel.append(list(names))
        return self._counted_over(np.array(sizes, dtype=np.int64), cells, weights, codes, per_reel)

    def _counted_over(
        self, sizes: Whole, cells: Whole, weights: Whole, codes: Whole, per_reel: Sequence[Sequence[Counts]]
    ) -> tuple[CycleReels, list[Counts]]:
        states: dict[Counts, int] = {(0,) * len(self.tallies): 0}
        layers: list[dict[tuple[int, int], int]] = []
        now = [(0,) * len(self.tallies)]
        for place, names in enumerate(per_reel):
            layer: dict[tuple[int, int], int] = {}
            after: dict[Counts, bool] = {}
            for counts in now:
                for code, more in enumerate(names):
                    then = added(self.tallies, counts, more, place)
                    layer[states[counts], code] = states.setdefault(then, len(states))
                    after[then] = True
            layers.append(layer)
            now = list(after)
        steps = np.zeros((len(per_reel), len(states), max(len(names) for names in per_reel)), dtype=np.int64)
        for reel, layer in enumerate(layers):
            for (state, code), following in layer.items():
                steps[reel, state, code] = following
        return CycleReels(sizes, cells, weights, codes, steps), list(states)

    def _line_shares(self, table: LineTable, symbols: Sequence[Sequence[Shown]]) -> Shares:
        """Returns what each row contributes over all lines: the law of one line follows from its cells alone."""
        law: dict[tuple[int, ...], Shares] = {}
        shares: list[tuple[str, tuple[Fraction, Fraction]]] = []
        for line in self.rules.lines:
            weights = [self._cell_weights(place, row, symbols[place]) for place, row in enumerate(line)]
            key = tuple(weight for reel in weights for weight in reel)
            if key not in law:
                law[key] = summed_pairs(_expected(table, weights, self.total))
            shares += law[key].items()
        return summed_pairs(shares)

    def _cell_weights(self, reel: int, row: int, symbols: Sequence[Shown]) -> tuple[int, ...]:
        found = dict.fromkeys(symbols, 0)
        for window in self.windows[reel].windows:
            found[window.cells[row]] += window.weight
        return tuple(found.values())

    # --- ways and scatters ---

    def _ways_shares(self) -> Shares:
        rows = ways_rows(self.rules, self.stage)
        seen_by = [
            [(shown_to(self.rules, self.stage, rows, one.cells), one.weight) for one in reel.windows]
            for reel in self.windows
        ]
        made: Shares = {}
        for place, row in enumerate(rows.rows):
            some = [sum(w * face[place][0] for face, w in reel) for reel in seen_by]
            wild = [sum(w * face[place][1] for face, w in reel) for reel in seen_by]
            none = [sum(w for face, w in reel if not face[place][0]) for reel in seen_by]
            for length in range(1, min(len(self.windows), len(row.pays)) + 1):
                ways = prod(some[:length]) - (0 if rows.alone else prod(wild[:length]))
                if length < len(self.windows):
                    ways *= none[length] * prod(reel.total for reel in self.windows[length + 1 :])
                coins = rows.pays[place][length]
                if coins:
                    times = Fraction(ways, self.total)
                    made[f"{row.id}-{length}"] = times, times * coins
        return made

    def _scatter_shares(self) -> Shares:
        made: Shares = {}
        for tally, scatter in zip(self.tallies, self.scatters, strict=False):
            law: dict[Counts, int] = {(0,): 1}
            for place, reel in enumerate(self.windows):
                law = summed(
                    (added([tally], counts, (seen(tally, one),), place), weight * one.weight)
                    for counts, weight in law.items()
                    for one in reel.windows
                )
            for (count,), weight in sorted(law.items()):
                coins = scatter_coins(self.rules, self.stage, scatter, count)
                if coins:
                    chance = Fraction(weight, self.total)
                    made[f"{scatter.id}-{count}"] = chance, chance * coins
        return made


def _expected(
    table: LineTable, weights: Sequence[Sequence[int]], total: int
) -> Iterator[tuple[str, tuple[Fraction, Fraction]]]:
    """Yields for each row the share of all rows of symbols that win it, and their coins."""
    bound = prod(sum(one) for one in weights) * max(1, int(table.coins.max(initial=0)))
    # Beyond 62 bits whole numbers of Python take the place of the machine's.
    kind: type = np.int64 if bound < 1 << 62 else object
    shown: Values = np.ones((), dtype=kind)
    for one in weights:
        shown = np.multiply.outer(shown, np.array(one, dtype=kind))
    shown = shown.reshape(-1)
    for part in table.paid:
        which, coins = part.which.reshape(-1), part.coins.reshape(-1)
        order = np.argsort(which, kind="stable")
        firsts = np.searchsorted(which[order], np.arange(len(part.rows) + 1))
        for place, row in enumerate(part.rows):
            some = order[firsts[place] : firsts[place + 1]]
            if place and len(some):
                paid = int((shown[some] * coins[some].astype(kind)).sum())
                yield row, (Fraction(int(shown[some].sum()), total), Fraction(paid, total))
