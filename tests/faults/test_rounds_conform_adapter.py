"""A system in another language, written from the documents alone, is tried over HTTP: it passes, its fault does not."""

import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from certify.model.finding import Verdict
from certify.rounds.conformance.client import system_factory
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.play import edition_of
from certify.submission import read_game

ADAPTER = Path(__file__).parents[1] / "adapters/big_six.pl"
EDITION = edition_of(read_game(Path(__file__).parents[2] / "fixtures/games/big-six/game.toml"))
START = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def served(tmp_path):
    """Serves the adapter, with a fault where one is named; git needs Perl, so every machine that tests has it."""
    started = []

    def serve(fault=""):
        port = tmp_path / f"port{len(started)}"
        started.append(subprocess.Popen(["perl", ADAPTER, port, fault]))
        for _ in range(200):
            if port.exists():
                return f"http://127.0.0.1:{port.read_text()}"
            time.sleep(0.05)
        raise TimeoutError("the adapter does not serve")

    yield serve
    for process in started:
        process.terminate()
        process.wait()


def judged(url, count, **options):
    rows = tuple((item,) for item in (0, 24, 39, 46, 50, 52, 53))
    return conform(system_factory(url), EDITION, rows, START, count=count, **options)


def test_a_system_in_perl_keeps_every_promise_of_random_stories(served):
    report = judged(served(), 12, fixed=False)
    assert report.verdict is Verdict.SATISFIED, (report.breach, report.script)


@pytest.mark.slow
def test_a_system_in_perl_keeps_every_promise(served):
    report = judged(served(), 20)
    assert report.verdict is Verdict.SATISFIED, (report.breach, report.script)
    assert not [one for one in report.not_tested if "the system offers none" in one]
    assert report.fixed.rows.missed == ()


def test_its_fault_is_found_by_the_row_that_it_pays_short(served):
    report = judged(served("short"), 1)
    assert report.breach.promise is PromiseId.PAID
    assert any("place logo" in line for line in report.script)
