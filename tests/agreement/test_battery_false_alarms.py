"""What the tests state of themselves: false alarms, detectable effects and the table of docs/methods/power.md."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from representatives import only
from scipy import stats

from benchmarks import power_table
from benchmarks.power_table import KINDS, is_one_deck
from rng.battery import (
    TestResult,
    cards,
    conclude,
    from_bytes,
    goodness,
    sequences,
    sp800_22,
)
from rng.battery.planted import tables
from rng.battery.planted.fault import PlantedFault
from rng.battery.planted.good import aes_ctr
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.sp800_22.walks import detectable_drift
from tests.battery_campaign import ALPHA, Cell, alarms, cells
from tests.battery_subtle_campaign import subtle_cells


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "share"),
    [
        pytest.param(cell, share, id=f"{cell.kind}, {cell.amount}")
        for every, share in ((cells(), 8), (subtle_cells(), 4))
        for cell in every
    ],
)
def test_neither_a_kind_of_input_nor_a_test_of_subtle_faults_has_more_false_alarms_than_stated(
    cell: Cell, share: int
) -> None:
    samples = max(2, cell.samples // share)
    found = alarms(cell, samples)
    # So many or more alarms come by chance at the stated rate once in a hundred thousand such cells.
    assert stats.binom.sf(found - 1, samples, ALPHA) > 1e-5, (found, samples)


# The smallest detectable effects that the tests print are found as often as stated.


SAMPLES = 200
# Found with 95 % power: in 200 samples 190 on average, and 178 to 198 but once in ten thousand.
FEWEST, MOST = 178, 198


def found(numbers: np.ndarray, below: int, test: str) -> bool:
    (result,) = sequences.run(numbers, below, [test])
    assert isinstance(result, TestResult)
    return result.p_values[0] < goodness.DETECTION_LEVEL


def test_detectable_deviation_is_detected_as_often_as_stated() -> None:
    size = 10_000
    deviation = math.sqrt(goodness.detectable_noncentrality(39) / size)
    assert f"{100 * deviation:.3g} %" in goodness.describe_deviation(39, size)
    # Twenty of forty values are likelier, twenty less likely, by that much each.
    bounds = np.cumsum(np.where(np.arange(40) % 2, 1 - deviation, 1 + deviation) / 40)
    hits = 0
    for seed in range(SAMPLES):
        uniform = aes_ctr(seed, size) / 2.0**32
        hits += found(np.searchsorted(bounds, uniform).clip(max=39).astype(np.uint8), 40, "frequency")
    assert FEWEST <= hits <= MOST


def test_detectable_shift_is_detected_as_often_as_stated() -> None:
    size = 10_000
    shift = goodness.detectable_shift(size)
    hits = 0
    for seed in range(SAMPLES):
        ones = aes_ctr(seed, size) / 2.0**32 < (1 + shift) / 2
        hits += found(ones.astype(np.uint8), 2, "frequency")
    assert FEWEST <= hits <= MOST


@pytest.mark.parametrize("test", ["frequency", "cumulative-sums"])
def test_detectable_share_of_ones_is_detected_as_often_as_stated(test: str) -> None:
    size = 10_000
    share = (
        goodness.detectable_shift(1) / (2 * math.sqrt(size))
        if test == "frequency"
        else detectable_drift(size)
    )
    hits = 0
    for seed in range(SAMPLES):
        ones = aes_ctr(seed, size) / 2.0**32 < 0.5 + share
        (result,) = sp800_22.run(from_bytes(np.packbits(ones).tobytes()), tests=[test])
        assert isinstance(result, TestResult)
        assert f"{share:.3g}" in result.detectable
        assert goodness.POWER_WORDS in result.detectable
        hits += result.p_values[0] < goodness.DETECTION_LEVEL
    # The walk's farthest point is at least as far out as its end, so that the cumulative sums find it oftener.
    assert FEWEST <= hits <= (MOST if test == "frequency" else SAMPLES)


def test_the_detection_level_fails_in_the_family_of_every_suite() -> None:
    decks = fisher_yates(aes_ctr, 1, 2_000)
    results = [r for r in cards.run(decks) if isinstance(r, TestResult)]
    assert len(cards.NAMES) + len(sp800_22.TESTS) + len(sequences.NAMES) <= 100
    assert max(len(r.p_values) for r in results) > goodness.MOST_OF_A_TEST
    for result in results:
        # One p-value at its level, in a family as large as it may be: every other is one.
        found = goodness.detection_level(len(result.p_values)) * (1 - 1e-9)
        hit = replace(result, p_values=(found, *(1.0,) * (len(result.p_values) - 1)), deciding=())
        others = [replace(result, test=str(i), p_values=(1.0,), deciding=(), labels=()) for i in range(99)]
        assert conclude([hit, *others]).word == "not satisfied"


def test_detectable_number_of_returns_is_detected_as_often_as_stated() -> None:
    size = 1_000
    (result,) = cards.run(fisher_yates(aes_ctr, 1, size), ["lagged-places"])
    assert isinstance(result, TestResult)
    more = float(result.detectable.split(" ")[0]) - size / 40
    # Cards brought to the first place come on top of those that lie there by chance.
    one_in = round(size / (more / (1 - 1 / 40)))
    hits = 0
    for seed in range(60):
        decks = tables.copied(one_in, 3, 20, 0)(aes_ctr, seed, size)
        (result,) = cards.run(decks, ["lagged-places"])
        assert isinstance(result, TestResult)
        hits += result.p_values[-1] < goodness.DETECTION_LEVEL
    # 57 of 60 on average, and fewer than 50 but once in a thousand.
    assert hits >= 50


# The table of docs/methods/power.md says what is so: faults, tests and the sizes at which both find them.


ROOT = Path(__file__).parents[2]
FAULTS = {fault.name: fault for fault in KINDS}


def rows() -> dict[str, power_table.Row]:
    """The rows of the table in the documentation."""
    table = {}
    for line in (ROOT / "docs" / "methods" / "power.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0] in FAULTS:
            sizes = [int(cell.replace(",", "")) for cell in cells[3:5]]
            table[cells[0]] = power_table.Row(cells[0], cells[1], cells[2], *sizes, cells[5] == "yes")
    return table


ROWS = rows()
LONG = {"java-next-int-of-37", "java-next-int-of-52", "msvc-rand-of-six"}
"""Faults that take half a second and more, where the test that finds them finds one like it in a tenth of that."""
SMALL = [name for name, row in ROWS.items() if row.size <= 8_192 and not is_one_deck(FAULTS[name])]


def test_the_table_has_every_planted_fault_with_its_test_and_at_least_twenty_five() -> None:
    unlisted = [fault.name for fault in KINDS if fault.name not in ROWS]
    assert not unlisted, (
        "docs/methods/power.md lacks what is measured by: python -m benchmarks.power_table "
        + " ".join(unlisted)
    )
    assert len(ROWS) == len(KINDS) >= 25
    for fault in KINDS:
        row = ROWS[fault.name]
        assert (row.defect, row.test) == (fault.defect, fault.found_by)
        assert row.size <= fault.sample or is_one_deck(fault) or row.size < 2 * fault.sample


@pytest.mark.parametrize("name", only(SMALL, *(name for name in SMALL if name not in LONG)))
def test_a_fault_is_found_at_the_size_of_the_table(name: str) -> None:
    fault, row = FAULTS[name], ROWS[name]
    assert power_table.found(fault, row.size, 2)
    assert power_table.directed_finds(fault, row.directed, 2)


@pytest.mark.slow
@pytest.mark.parametrize("fault", KINDS, ids=lambda fault: fault.name)
def test_the_table_is_what_the_script_measures(fault: PlantedFault) -> None:
    assert power_table.row(fault) == ROWS[fault.name]


def test_most_of_the_faults_are_not_seen_by_the_older_tests() -> None:
    unseen = [name for name, row in ROWS.items() if not row.older]
    assert len(unseen) >= 25
    for name in set(unseen) & set(SMALL):
        assert not power_table.others_find(FAULTS[name], ROWS[name].size), name
