"""Ways of very many states, counted as arrays, against the same states one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from slot_rules import EVERY

from certify.errors import InputError
from certify.families.slot.exact import many_ways
from certify.families.slot.exact.spin import SpinLaw, _Spin, spin_law
from certify.families.slot.exact.ways import count_ways, shown_to, ways_rows
from certify.families.slot.exact.windows import Counts, added, seen
from certify.families.slot.rules import Height, SlotRules, StripSet, SymbolCount

PLAIN = EVERY["changing heights"]
# Weights of heights that bring the cycle beyond 62 bits, so that remainders to primes are kept.
LARGE = replace(
    PLAIN,
    strip_sets=tuple(
        StripSet(one.id, one.reels, ((Height(2, 999_983), Height(3, 99_991), Height(4, 7)),) * 5)
        for one in PLAIN.strip_sets
    ),
)
ALONE = replace(PLAIN, wilds=tuple(replace(one, alone=False) for one in PLAIN.wilds))
RUNS = replace(PLAIN, scatter_pays=tuple(replace(one, counted=SymbolCount.RUN) for one in PLAIN.scatter_pays))


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    spin_law.cache_clear()
    yield
    spin_law.cache_clear()


Law = dict[Counts, dict[int, int]]


def law(rules: SlotRules) -> SpinLaw:
    spin_law.cache_clear()
    return spin_law(rules, "base")


def one_by_one(rules: SlotRules) -> Law:
    """Returns the weight of every win by what is counted, from states in plain Python, reel after reel."""
    spin = _Spin(rules, rules.stage("base"))
    rows = ways_rows(rules, spin.stage)
    everything = tuple((row, 1, 1) for row in range(len(rows.rows)))
    states: dict[Any, int] = {(everything, 0, (0,) * len(spin.tallies)): 1}

    def paid(row: int, length: int, many: int, wild: int) -> int:
        pays = rows.pays[row]
        return (pays[length] if length < len(pays) else 0) * (many if rows.alone else many - wild)

    for place, reel in enumerate(spin.windows):
        faces: dict[Any, int] = {}
        for window in reel.windows:
            shown = shown_to(rules, spin.stage, rows, window.cells)
            face = (shown, tuple(seen(one, window) for one in spin.tallies))
            faces[face] = faces.get(face, 0) + window.weight
        after: dict[Any, int] = {}
        for (alive, won, counts), weight in states.items():
            for (shown, more), much in faces.items():
                kept, gain = [], won
                for row, many, wild in alive:
                    count, stands = shown[row]
                    if count:
                        kept.append((row, many * count, wild * stands))
                    else:
                        gain += paid(row, place, many, wild)
                key = (tuple(kept), gain, added(spin.tallies, counts, more, place))
                after[key] = after.get(key, 0) + weight * much
        states = after
    found: Law = {}
    for (alive, won, counts), weight in states.items():
        group = found.setdefault(counts, {})
        win = won + sum(paid(row, len(spin.windows), many, wild) for row, many, wild in alive)
        group[win] = group.get(win, 0) + weight
    return found


def counted(rules: SlotRules) -> Law:
    """Returns the same as it is counted in arrays."""
    spin = _Spin(rules, rules.stage("base"))
    return count_ways(rules, spin.stage, spin.windows, spin.tallies)


@pytest.mark.parametrize("rules", [LARGE, ALONE, RUNS], ids=["beyond 62 bits", "wilds need others", "runs"])
def test_arrays_hold_the_states_one_by_one(rules: SlotRules) -> None:
    assert counted(rules) == one_by_one(rules)
    as_arrays = law(rules)
    assert sum(sum(wins.values()) for wins in as_arrays.wins.values()) == as_arrays.total
    # What each row contributes comes from the symbols of each cell alone: a second way to the mean.
    mean = sum(one for _, one, _ in as_arrays.moments().values())
    assert mean == sum(share.coins for share in as_arrays.rows)


def test_a_wrong_prime_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: fewer primes than the weights need."""
    kept = many_ways.ManyWays.weights

    def short(self: many_ways.ManyWays, exact: list[int]) -> object:
        self.primes = self.primes[:1]
        return kept(self, exact)

    monkeypatch.setattr(many_ways.ManyWays, "weights", short)
    assert counted(LARGE) != one_by_one(LARGE)


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_ways, "MOST_STATES", 100)
    with pytest.raises(InputError, match="ways stand in more than 100 states"):
        law(PLAIN)
