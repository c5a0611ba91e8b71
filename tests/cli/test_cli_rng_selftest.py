"""`certify rng selftest`, and the help of the whole group."""

import subprocess
import sys
from dataclasses import replace

import pytest
from cli_rng_support import Certify
from cli_support import ROOT

from rng.battery import calibration, cards
from rng.battery.planted.catalogue import FAULTS
from rng.battery.planted.good import SOURCES, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates

COMMANDS = ("kat", "test", "generate", "replay", "selftest")
QUICK = tuple(fault for fault in FAULTS if fault.sample <= 2_000)[:6]


@pytest.fixture
def certify(capsys, monkeypatch):
    """The command on a small share of the self-test; the whole of it is the battery's own slow test."""
    monkeypatch.setattr(
        calibration.Material,
        "__call__",
        lambda of, item: cards.run(
            fisher_yates(SOURCES[item[0]], item[1], of.count), ["inversions", "fixed-points"]
        ),
    )
    monkeypatch.setitem(calibration.AMOUNTS, "quick", (2, 1, (calibration.Material("decks", 200),)))
    monkeypatch.setattr(calibration, "FAULTS", QUICK)
    monkeypatch.setattr(calibration.equipment, "FAULTS", ())
    return Certify(capsys, monkeypatch)


def test_planted_faults_are_listed_with_what_caught_them(certify):
    made = certify.json("selftest", "--budget", "quick")
    assert made["verdict"] == "satisfied"
    assert made["missed"] == []
    assert [fault["fault"] for fault in made["faults"]] == [fault.name for fault in QUICK]
    assert all(fault["caught"] and max(fault["p_values"]) < 1e-6 for fault in made["faults"])
    assert [item["bits"] for item in made["counted"]] == [8, 16, 32, 64]
    assert made["calibrations"]
    assert "6 of 6 planted faults caught" in certify("selftest").out


def test_a_missed_fault_fails_the_battery(certify, monkeypatch):
    # A fault that is none cannot be caught: the self-test must say so.
    blameless = replace(
        QUICK[0],
        name="no-fault-at-all",
        kind="numbers",
        below=40,
        caught_by="frequency",
        sample=20_000,
        make=lambda source, seed, count: uniform_numbers(source, seed, 40, count),
    )
    monkeypatch.setattr(calibration, "FAULTS", (*QUICK, blameless))
    made = certify.json("selftest", code=1)
    assert made["missed"] == ["no-fault-at-all"]
    assert made["verdict"] == "not satisfied"
    assert "MISSED  no-fault-at-all" in certify("selftest").out


def test_an_empty_selftest_is_never_a_pass(certify, monkeypatch):
    monkeypatch.setattr(calibration, "FAULTS", ())
    assert certify("selftest").code == 5


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(certify: Certify, command: str) -> None:
    call = certify(command, "--help").expect(0)
    assert f"certify rng {command}" in call.out
    assert "Example" in call.out


@pytest.mark.parametrize("words", [[], ["rng", "test"], ["families"], ["import-par"]])
def test_help_loads_nothing_heavy(words):
    heavy = ["numba", "scipy", "matplotlib", "weasyprint", *([] if words else ["numpy", "pyhanko"])]
    code = (
        f"import sys; from certify.cli.main import run; run({[*words, '--help']});"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.rstrip().endswith("[]")
