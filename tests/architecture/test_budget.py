"""The budget of statements and files holds, and cannot be raised without a word."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

_SPEC = importlib.util.spec_from_file_location("budget", Path(__file__).parents[2] / "tools/budget.py")
assert _SPEC is not None
assert _SPEC.loader is not None
budget = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(budget)

BEFORE: dict[str, Any] = {"rooms": {"certify/seal": [100, 4], "certify/gate": [50, 2], "tests/unit": [70, 3]}}


def test_no_room_exceeds_its_row() -> None:
    assert budget.exceeded(budget.sizes(), budget.versions()[-1]["rooms"]) == []


@pytest.mark.parametrize("more", [(101, 4), (100, 5)])
def test_one_statement_or_file_more_is_found(more: tuple[int, int]) -> None:
    assert "certify/seal" in budget.exceeded({"certify/seal": more}, BEFORE["rooms"])[0]
    assert budget.exceeded({"certify/seal": (100, 4)}, BEFORE["rooms"]) == []


def test_a_room_without_a_row_holds_nothing() -> None:
    assert len(budget.exceeded({"certify/new": (1, 1)}, BEFORE["rooms"])) == 2


def _after(seal: int, gate: int, unit: int = 70, **entries: object) -> dict[str, Any]:
    rooms = {"certify/seal": [seal, 4], "certify/gate": [gate, 2], "tests/unit": [unit, 3]}
    return {"rooms": rooms, **entries}


MOVED = {"to": "certify/seal", "holds": [120, 4], "from": ["certify/gate"], "because": "the reader moved"}
ADDED = {"to": "certify/seal", "holds": [130, 4], "statements": 30, "issue": "r4-3", "because": "new clause"}


@pytest.mark.parametrize(
    ("after", "faults"),
    [
        (_after(99, 50), 0),
        (_after(120, 30), 1),  # the room rose without a word
        (_after(120, 30, moved=[MOVED]), 0),
        (_after(121, 29, moved=[MOVED]), 1),  # by more than was said
        (_after(120, 31, moved=[MOVED]), 1),  # the whole rose
        (_after(120, 30, moved=[MOVED | {"from": []}]), 1),  # nobody gave them
        (_after(130, 50, added=[ADDED]), 0),
        (_after(130, 50, added=[ADDED | {"statements": 29}]), 1),
        (
            _after(120, 30, 75, moved=[MOVED, MOVED | {"to": "tests/unit", "holds": [75, 3]}]),
            1,
        ),  # tests are apart
    ],
)
def test_a_row_rises_only_with_an_account_and_the_whole_never(after: dict[str, Any], faults: int) -> None:
    assert len(budget.risen(BEFORE, after)) == faults


def test_an_entry_of_an_earlier_commit_pays_once() -> None:
    earlier = _after(120, 30, moved=[MOVED])
    assert budget.risen(earlier, _after(121, 29, moved=[MOVED]))


def test_rows_are_lowered_and_never_raised() -> None:
    text = '[rooms]\n"certify/seal" = [100, 4]\n"certify/gone" = [9, 1]\n'
    assert budget.lowered(text, {"certify/seal": (90, 5)}) == '[rooms]\n"certify/seal" = [90, 4]\n'


def _record(seconds: float) -> str:
    return f"file,tests,cpu_seconds\ntests/test_a.py,3,{seconds}\ncertify/b.py,1,0.0\n"


def test_a_record_that_is_slower_by_a_tenth_says_why() -> None:
    assert budget.slower(_record(10), _record(11), "Try more") == []
    assert "12 CPU seconds, 10 before" in budget.slower(_record(10), _record(12), "Try more\n\nSlower:\n")[0]
    assert budget.slower(_record(10), _record(12), "Try more\n\nSlower: each game is tried\n") == []


def test_each_file_of_tests_has_a_row_and_each_row_a_file() -> None:
    files = ["tests/test_a.py", "tests/a_helper.py", "certify/b.py"]
    assert budget.unrecorded(_record(10), files) == []
    found = budget.unrecorded(_record(10), ["tests/test_c.py", "certify/b.py"])
    assert [one.split(" ", 1)[1] for one in found] == [
        "no row of tests/test_c.py: run pytest --costs tests/costs.csv tests/test_c.py",
        "a row of tests/test_a.py, which is gone: take it out",
    ]
