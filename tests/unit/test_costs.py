"""What is recorded of the cost of tests."""

from pathlib import Path
from types import SimpleNamespace

from costs import Costs

ROOT = Path(__file__).parents[2]
HERE, BESIDE = "tests/unit/test_costs.py", "tests/unit/test_kept.py"


def test_files_that_ran_have_a_new_row_others_keep_theirs_and_those_that_went_lose_it(tmp_path):
    out = tmp_path / "costs.csv"
    out.write_text(f"file,tests,cpu_seconds\ntests/gone.py,1,9.0\n{HERE},8,8.0\n{BESIDE},2,0.5\n")
    costs = Costs(out)
    for when, seconds in (("setup", 1.0), ("call", 0.25), ("teardown", 0.0)):
        costs.pytest_runtest_logreport(SimpleNamespace(nodeid=f"{HERE}::a", when=when, cpu_seconds=seconds))
    worker = SimpleNamespace(config=SimpleNamespace(workerinput={}, rootpath=ROOT))
    costs.pytest_sessionfinish(worker)
    assert "gone" in out.read_text()
    costs.pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace(rootpath=ROOT)))
    assert out.read_text() == f"file,tests,cpu_seconds\n{HERE},1,1.2\n{BESIDE},2,0.5\n"
