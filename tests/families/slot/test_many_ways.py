"""Ways of very many states, counted as arrays, against what each cell adds by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from slot_rules import EVERY

from certify.errors import InputError
from certify.families.slot.exact import ways
from certify.families.slot.exact.spin import SpinLaw, spin_law
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


def law(rules: SlotRules) -> SpinLaw:
    spin_law.cache_clear()
    return spin_law(rules, "base")


def adds_up(rules: SlotRules) -> bool:
    """Tells whether the weights are those of all windows, and the mean that of the symbols of each cell alone."""
    found = law(rules)
    mean = sum((one for _, one, _ in found.moments().values()), Fraction(0))
    total = sum(sum(wins.values()) for wins in found.wins.values())
    return total == found.total and mean == sum((share.coins for share in found.rows), Fraction(0))


@pytest.mark.parametrize("rules", [LARGE, ALONE, RUNS], ids=["beyond 62 bits", "wilds need others", "runs"])
def test_states_in_arrays_come_to_the_mean_of_each_cell(rules: SlotRules) -> None:
    assert adds_up(rules)


def test_a_wrong_prime_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: fewer primes than the weights need."""
    kept = ways.ManyWays.weights

    def short(self: ways.ManyWays, exact: list[int]) -> object:
        self.primes = self.primes[:1]
        return kept(self, exact)

    monkeypatch.setattr(ways.ManyWays, "weights", short)
    assert not adds_up(LARGE)


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "MOST_STATES", 100)
    with pytest.raises(InputError, match="ways stand in more than 100 states"):
        law(PLAIN)
