"""Meters of jackpots: won by a row, or by an amount that they must hit by; against rounds taken one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from small_slots import LINES, small

from certify.evidence.analysis import SupplementaryTable
from certify.families.slot.exact.meters import break_even, chance_at, long_run, paid_at
from certify.families.slot.purchases import Jackpot
from certify.families.slot.sheets import SlotSections
from certify.mathematics import analyze

NONE = Fraction(0)


def must_hit(seed: str, by: str, increment: str) -> Jackpot:
    return Jackpot("major", "", Fraction(seed), Fraction(increment), Fraction(by))


def round_by_round(jackpot: Jackpot, meter: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Returns for each round from a meter on the chance that it wins, and what it then pays on average."""
    assert jackpot.must_hit_by is not None
    found, end = [], jackpot.must_hit_by
    at = meter
    while at < end:
        then = min(at + jackpot.increment, end)
        found.append(((then - at) / (end - meter), (at + then) / 2))
        at = then
    return found


@pytest.mark.parametrize(
    "jackpot", [must_hit("10", "14", "1/2"), must_hit("10", "14", "3/7"), must_hit("0", "5", "2")]
)
def test_the_long_run_is_that_of_a_cycle_round_by_round(jackpot: Jackpot) -> None:
    rounds = round_by_round(jackpot, jackpot.seed)
    assert sum(chance for chance, _ in rounds) == 1
    mean = sum(number * chance for number, (chance, _) in enumerate(rounds, start=1))
    paid = sum(chance * much for chance, much in rounds)
    assert long_run(jackpot, NONE) == (1 / mean, paid / mean)


@pytest.mark.parametrize("meter", ["10", "11", "27/2", "279/20"])
def test_the_next_round_is_the_first_from_a_meter(meter: str) -> None:
    jackpot, at = must_hit("10", "14", "1/2"), Fraction(meter)
    chance, much = round_by_round(jackpot, at)[0]
    assert chance_at(jackpot, at, NONE) == chance
    assert paid_at(jackpot, at, NONE) == chance * much


@pytest.mark.parametrize("returned", ["0.88", "0.95", "1.01"])
def test_at_the_break_even_meter_the_next_round_returns_its_stake(returned: str) -> None:
    jackpot, own = must_hit("350", "400", "0.002"), Fraction(returned)
    even = break_even(jackpot, own, NONE)
    if own < 1:
        assert own + paid_at(jackpot, even, NONE) == 1
        assert jackpot.seed < even < 400
    else:
        assert even == jackpot.seed


@pytest.mark.parametrize(("by", "rise"), [("50", "0.0045"), ("400", "0.002")])
@pytest.mark.parametrize("edge", ["0.06", "0.1", "0.14"])
def test_the_break_even_meter_is_the_published_target_point(by: str, rise: str, edge: str) -> None:
    """t = m (h + r) / (h + 2 r), h the edge less the rise: Wizard of Odds, Mystery Progressives on Ainsworth Slots.

    It takes the meter for one that rises by itself; a round takes half an increment more, at the most.
    """
    m, r, h = Fraction(by), Fraction(rise), Fraction(edge)
    even = break_even(must_hit("20", by, rise), 1 - h - r, NONE)
    assert 0 < m * (h + r) / (h + 2 * r) - even < r / 2


def test_a_meter_that_a_row_wins_is_even_where_it_pays_what_the_round_lacks() -> None:
    jackpot, times = Jackpot("grand", "a-3", Fraction(1000), Fraction(1, 100)), Fraction(1, 20_000)
    even = break_even(jackpot, Fraction(9, 10), times)
    assert Fraction(9, 10) + paid_at(jackpot, even, times) == 1
    assert long_run(jackpot, times) == (times, Fraction(1, 20) + Fraction(1, 100))


METERS = """
[[jackpots]]
id = "grand"
row = "a-3"
seed = "1000"
increment = "1/100"
meter = "1500"

[[jackpots]]
id = "major"
seed = "350"
increment = "0.002"
must_hit_by = "400"
meter = "390"
"""
LEAN = LINES.replace("multiplier = 3", "multiplier = 1").replace("[slot]", "[slot]\ncost = 20")


def tables(text: str) -> dict[str, SupplementaryTable]:
    game = small(text)
    found = SlotSections().evidence(game, {"main-optimal": analyze(game, "main-optimal")})
    return {one.id: one for one in found.supplementary_tables or ()}


def test_the_return_at_a_stated_meter_is_told() -> None:
    game = small(LEAN)
    figures = analyze(game, "main-optimal").wagers[0]
    times = sum(award.times for award in figures.awards if award.row == "a-3")
    grand, major = tables(LEAN + METERS)["meters"].rows
    assert grand.figures["returned"].low == figures.return_to_player + 1500 * times
    assert major.figures["chance"].low == Fraction(2, 10_000)
    assert major.figures["returned"].low == figures.return_to_player + Fraction(2, 10_000) * Fraction(
        390_001, 1000
    )
    assert "meters" not in tables(LEAN + METERS.replace('meter = "1500"', "").replace('meter = "390"', ""))


REFUSED = [
    ('must_hit_by = "400"', 'must_hit_by = "350"', "above the seed"),
    ('increment = "0.002"', 'increment = "0"', "expected an increment"),
    ('must_hit_by = "400"', 'must_hit_by = "400"\nrow = "a-3"', "expected either the row"),
    ('row = "a-3"', "", "expected either the row"),
    ('meter = "390"', 'meter = "400"', "from the seed, below must_hit_by"),
    ('meter = "390"', 'meter = "349"', "from the seed, below must_hit_by"),
    ('must_hit_by = "400"', 'must_hit_by = "soon"', '"soon"'),
]
"""What is stated, what in its place, and with which words that is refused."""
