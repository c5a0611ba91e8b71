"""Tools of the house: dependencies, costs of tests, benchmarks, and modules of packages."""

import importlib.util
import io
import json
import os
import pty
import subprocess
import sys
import tomllib
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError

import pytest
from costs import Costs

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("advisories", ROOT / "tools/advisories.py")
advisories = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(advisories)


@pytest.fixture
def machine(tmp_path):
    """Programs that note how they are called, and install nothing."""
    for name, does in {
        "apt-get": f'echo "apt-get $*" >> {tmp_path}/called',
        "sudo": f'echo sudo >> {tmp_path}/called; "$@"',
        "id": f"cat {tmp_path}/user",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "user").write_text("1000\n")
    return tmp_path


def packages(machine, *named, answer=None, **environment):
    """Runs the tool, at a terminal where there is an answer: its exit code, what it says, and what it called."""
    kept = {name: value for name, value in os.environ.items() if name != "CERTIFY_INSTALL"}
    kept |= {"PATH": f"{machine}:{os.environ['PATH']}", **environment}
    ours, theirs = pty.openpty()
    if answer is not None:
        os.write(ours, f"{answer}\n".encode())
    at_terminal = theirs if answer is not None else subprocess.DEVNULL
    done = subprocess.Popen(
        [ROOT / "tools/packages", *named],
        env=kept,
        stdin=at_terminal,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    code = done.wait(30)
    os.close(theirs)
    told = b""
    try:
        while part := os.read(ours, 65536):
            told += part
    except OSError:  # The other end is closed, and everything read.
        os.close(ours)
    called = machine / "called"
    return code, told.decode(), called.read_text().splitlines() if called.exists() else []


def test_nothing_is_installed_by_sudo_without_a_yes(machine):
    for answer in (None, "n", "", "no"):
        code, told, called = packages(machine, "qpdf", "poppler-utils", answer=answer)
        assert (code, called) == (3, []), told
        assert "sudo env DEBIAN_FRONTEND=noninteractive apt-get install" in told
        assert "qpdf poppler-utils" in told
    assert packages(machine, "--optional", "softhsm2", answer="y")[::2] == (3, []), (
        "nobody is asked for a wish"
    )


@pytest.mark.parametrize("how", ["yes at the terminal", "a variable", "root", "root, a wish"])
def test_what_is_installed_is_named_first(machine, how):
    if how.startswith("root"):
        (machine / "user").write_text("0\n")
    named = ("--optional", "qpdf") if how == "root, a wish" else ("qpdf",)
    given = {"CERTIFY_INSTALL": "yes"} if how == "a variable" else {}
    code, told, called = packages(machine, *named, answer="y" if "terminal" in how else None, **given)
    assert (code, "installing qpdf" in told) == (0, True), told
    assert any("install" in call and call.endswith("qpdf") for call in called)
    assert ("sudo" in called) is not how.startswith("root")


def index(monkeypatch, known):
    """Stands in for the index, which knows advisories by package, or cannot be reached; returns what is asked."""
    asked = []

    def answer(address, timeout):
        asked.append(address)
        if known is None:
            raise URLError("no route to host")
        return io.BytesIO(json.dumps({"vulnerabilities": known.get(address.split("/")[-3], [])}).encode())

    monkeypatch.setattr(advisories.urllib.request, "urlopen", answer)
    return asked


def test_a_locked_version_that_is_affected_fails(monkeypatch, capsys):
    asked = index(
        monkeypatch, {"jinja2": [{"id": "X-1"}], "idna": [{"id": "X-2", "withdrawn": "2026-01-01"}]}
    )
    assert advisories.main() == 1
    told = capsys.readouterr().out
    assert "jinja2 3" in told
    assert "is affected by X-1" in told
    assert "X-2" not in told
    assert len(asked) == len(advisories.pins((ROOT / "requirements.lock").read_text()))
    index(monkeypatch, {})
    assert advisories.main() == 0
    assert "looked at: the list" not in capsys.readouterr().out


def test_a_dated_list_is_looked_at_where_there_is_no_way_and_its_age_is_told(monkeypatch, capsys, tmp_path):
    asked = index(monkeypatch, None)
    day, list_ = advisories.SystemClock().now().date(), tmp_path / "list.toml"
    monkeypatch.setattr(advisories, "FILE", list_)
    cases = ((90, "<1", day), (91, ">=1", None), (0, ">=1", day), (0, ">=1", day - timedelta(1)))
    for days, affected, until in cases:
        entry = f'{{ id = "X-1", package = "jinja2", affected = ["{affected}"] }}'
        text = f"further = [{entry}]\ndate = {day - timedelta(days)}\nadvisories = []\n"
        if until:
            text += f'[[accepted]]\nid = "X-1"\nbecause = "no template is a stranger\'s"\nuntil = {until}\n'
        list_.write_text(text)
        assert advisories.main() == (affected == ">=1" and until != day)
        told = capsys.readouterr().out
        assert ("DAYS OLD" in told) is (days > advisories.OLD)
        assert f"of {day - timedelta(days)}" in told
    assert len(asked) == 4, "one question each time, not a hundred"


def test_the_list_is_taken_from_a_database_and_keeps_what_was_accepted(tmp_path):
    folder = tmp_path / "vulns/jinja2"
    folder.mkdir(parents=True)
    text = "id: X-9\naffected:\n- ranges:\n  - type: ECOSYSTEM\n    events:\n    - introduced: '0'\n    - fixed: 3.10\n"
    (folder / "X-9.yaml").write_text(text)
    (folder / "X-8.yaml").write_text(f"{text}withdrawn: '2026-01-01'\n")
    (tmp_path / "vulns/nobody").mkdir()
    made = tomllib.loads(advisories.written(tmp_path, date(2026, 1, 2), [("jinja2", "3.1.6"), ("idna", "3")]))
    listed = [{"id": "X-9", "package": "jinja2", "affected": ["<3.10"]}]
    assert made == {"date": date(2026, 1, 2), "advisories": listed}


HERE, BESIDE = "tests/unit/test_certification_sbom.py", "tests/unit/test_kept.py"


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


SCRIPTS = sorted(Path("benchmarks").glob("bench_*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_benchmark_starts(script):
    called = subprocess.run(
        [sys.executable, str(script), "--help"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (called.returncode, called.stdout.partition(" ")[0]) == (0, "usage:"), called.stderr
