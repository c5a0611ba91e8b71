"""Good output of any make, kind and amount is rejected no more often than is stated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from scipy import stats

from rng.battery.result import NotRun, TestResult
from rng.words import WordSource
from tests.battery_campaign import ALPHA, Cell, alarms, campaign, cells, interval, kept_in, table
from tests.battery_subtle_campaign import subtle_cells


@pytest.mark.slow
@pytest.mark.parametrize("cell", list(cells()), ids=lambda cell: f"{cell.kind}, {cell.amount}")
def test_no_kind_of_input_has_more_false_alarms_than_stated(cell: Cell) -> None:
    samples = max(2, cell.samples // 8)
    found = alarms(cell, samples)
    # So many or more alarms come by chance at the stated rate once in a hundred thousand such cells.
    assert stats.binom.sf(found - 1, samples, ALPHA) > 1e-5, (found, samples)


@pytest.mark.slow
@pytest.mark.parametrize("cell", list(subtle_cells()), ids=lambda cell: f"{cell.kind}, {cell.amount}")
def test_tests_of_subtle_faults_alone_raise_no_more_alarms_than_stated(cell: Cell) -> None:
    samples = cell.samples // 4
    found = alarms(cell, samples)
    assert stats.binom.sf(found - 1, samples, ALPHA) > 1e-5, (found, samples)


def test_the_interval_is_that_of_clopper_and_pearson() -> None:
    assert interval(0, 240) == pytest.approx((0.0, 1 - 0.025 ** (1 / 240)))
    low, high = interval(5, 600)
    assert stats.binom.sf(4, 600, low) == pytest.approx(0.025)
    assert stats.binom.cdf(5, 600, high) == pytest.approx(0.025)


def test_the_campaign_covers_what_it_says() -> None:
    every = list(cells())
    assert {cell.kind.partition(" ")[0] for cell in every} == {"numbers", "bits", "decks", "rows"}
    amounts = {cell.amount for cell in every if cell.kind == "bits"}
    assert any(amount.startswith("1 ×") for amount in amounts)
    assert any(amount.startswith("10,000 ×") for amount in amounts)
    assert {"numbers below 2", "numbers below 2^63"} <= {cell.kind for cell in every}


def test_a_campaign_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    tried = []

    def run(source: WordSource) -> Sequence[TestResult | NotRun]:
        tried.append(source)
        if len(tried) == 4:
            raise KeyboardInterrupt
        return [TestResult((1e-9 if len(tried) == 2 else 0.5,), suite="sequences", test="frequency")]

    cell = Cell("numbers", "8", 6, 8, run)
    file = tmp_path / "verdicts"
    with pytest.raises(KeyboardInterrupt):
        campaign(file, [cell], 1)
    campaign(file, [cell], 1)
    found = kept_in(file)
    assert len(tried) == 7
    assert [(each.number, each.word) for each in found if each.word != "satisfied"] == [(1, "not satisfied")]
    assert sorted(each.number for each in found) == list(range(6))
    assert list(table(found))[-1].startswith("| **all** |  | 6 | 1 |")
