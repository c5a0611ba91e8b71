"""What is collected: modules with examples, and tests that a quick run leaves to slow ones.

`CONTRIBUTING.md` says how those in `exhaustive.csv` were chosen.
"""

import csv
from functools import cache
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

LIST = Path(__file__).with_suffix(".csv")


@cache
def listed():
    """The tests of the list: one case of a test, or a test with all its cases."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return frozenset(row["test"] for row in csv.DictReader(file))


def is_listed(test):
    """Tells whether a test stands in the list, by itself or with all cases."""
    return test in listed() or test.partition("[")[0] in listed()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks listed tests as slow, before tests are chosen by their marks."""
    for item in items:
        if is_listed(item.nodeid):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Looks for examples where a file writes one: four modules in five have none, and are gone through name by name."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule) or b">>>" in file_path.read_bytes()]
