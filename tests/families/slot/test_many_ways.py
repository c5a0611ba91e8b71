"""Ways of very many states, counted as arrays, against the same states one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from slot_rules import EVERY

from certify.errors import InputError
from certify.families.slot.exact import many_ways, ways
from certify.families.slot.exact.spin import SpinLaw, spin_law
from certify.families.slot.rules import Counted, Height, SlotRules, StripSet

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
RUNS = replace(PLAIN, scatter_pays=tuple(replace(one, counted=Counted.RUN) for one in PLAIN.scatter_pays))


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    spin_law.cache_clear()
    yield
    spin_law.cache_clear()


def law(rules: SlotRules, few: int, monkeypatch: pytest.MonkeyPatch) -> SpinLaw:
    spin_law.cache_clear()
    monkeypatch.setattr(ways, "FEW", few)
    return spin_law(rules, "base")


@pytest.mark.parametrize("rules", [LARGE, ALONE, RUNS], ids=["beyond 62 bits", "wilds need others", "runs"])
def test_arrays_hold_the_states_one_by_one(rules: SlotRules, monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one, as_arrays = (law(rules, few, monkeypatch) for few in (10**9, 1))
    assert as_arrays.wins == one_by_one.wins
    assert sum(sum(wins.values()) for wins in as_arrays.wins.values()) == as_arrays.total
    # What each row contributes comes from the symbols of each cell alone: a second way to the mean.
    mean = sum(one for _, one, _ in as_arrays.moments().values())
    assert mean == sum(share.coins for share in as_arrays.rows)


def test_a_wrong_prime_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: fewer primes than the weights need."""
    one_by_one = law(LARGE, 10**9, monkeypatch)
    kept = many_ways.ManyWays.weights

    def short(self: many_ways.ManyWays, exact: list[int]) -> object:
        self.primes = self.primes[:1]
        return kept(self, exact)

    monkeypatch.setattr(many_ways.ManyWays, "weights", short)
    assert law(LARGE, 1, monkeypatch).wins != one_by_one.wins


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_ways, "MOST_STATES", 100)
    with pytest.raises(InputError, match="ways stand in more than 100 states"):
        law(PLAIN, 1, monkeypatch)
