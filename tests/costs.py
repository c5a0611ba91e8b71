"""CPU seconds of tests by file: what `pytest --costs FILE.csv` records; files that were not run keep their row."""

import csv
import os
from collections import Counter

import pytest

COLUMNS = ("file", "tests", "cpu_seconds")


def cpu_seconds():
    """CPU seconds of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


class Costs:
    """Measures each step of each test where it runs, and adds them up where the run is told: in one process."""

    def __init__(self, out):
        self.out = out
        self.since = cpu_seconds()
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logstart(self):
        self.since = cpu_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        now = cpu_seconds()
        # An attribute of a report goes from the process of a worker to the one that is told.
        report.cpu_seconds, self.since = now - self.since, now
        return report

    def pytest_runtest_logreport(self, report):
        file = report.nodeid.partition("::")[0]
        # The report of a test that took its worker down with it was made elsewhere.
        self.seconds[file] += getattr(report, "cpu_seconds", 0.0)
        self.tests[file] += report.when == "call"

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workerinput"):
            return
        rows = {}
        if self.out.exists():
            with self.out.open(newline="", encoding="utf-8") as known:
                rows = {row["file"]: row for row in csv.DictReader(known)}
        rows |= {
            file: dict(zip(COLUMNS, (file, self.tests[file], f"{seconds:.1f}"), strict=True))
            for file, seconds in self.seconds.items()
        }
        with self.out.open("w", newline="", encoding="utf-8") as out:
            written = csv.DictWriter(out, COLUMNS, lineterminator="\n")
            written.writeheader()
            written.writerows(
                rows[file] for file in sorted(rows) if (session.config.rootpath / file).exists()
            )
