"""A family that lives beside the house, found by its entry point, goes through every job without a line knowing it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from cli_support import ROOT, SEED, Called
from computing_again import TINY

from certify.cli.main import run
from certify.families.registry import families, family

Certify = Callable[..., Called]

INSTALLED = ROOT / "tests/installed"
WHEEL = INSTALLED / "games/wheel.toml"
ROUNDS_SEED = "5a" * 32


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Iterator[None]:
    """Makes the stranger's package known as an installed one is: by its place on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(INSTALLED))
        # Rounds without compiled code are played by worker processes, which find packages for themselves.
        patch.setenv("PYTHONPATH", str(INSTALLED))
        patch.setattr("certify.certification.profile.profile_named", lambda name: TINY)
        patch.setattr("certify.issue.recorded.profile_named", lambda name: TINY)
        families.cache_clear()
        yield
    invalidate_caches()
    families.cache_clear()
    for name in [name for name in sys.modules if name.startswith("wheel_of_numbers")]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory, _installed: None) -> Path:
    """The one run of this module."""
    out = tmp_path_factory.mktemp("wheel") / "pack"
    code = run(["run", str(WHEEL), "--out", str(out), "--profile", "quick", "--seed", SEED])
    # It stands on one implementation of its rules, and that is a finding.
    assert code == 1
    return out


def evidence_of(pack: Path) -> dict[str, Any]:
    return dict(json.loads((pack / "evidence.json").read_bytes()))


def test_the_family_is_found_by_its_entry_point_with_its_package() -> None:
    found = family("wheel-of-numbers")
    assert (found.package, found.version) == ("wheel-of-numbers", "1.2.0")


def test_its_submission_is_read(certify: Certify, tmp_path: Path) -> None:
    called = certify("lint", WHEEL)
    assert (called.code, "0 mistakes" in called.out + called.err) == (0, True)
    spoilt = tmp_path / "game.toml"
    spoilt.write_text(WHEEL.read_text().replace('kind = "wheel"', 'kind = "sphere"'))
    refused = certify("lint", spoilt)
    assert refused.code != 0
    assert "sphere" in refused.out + refused.err


def test_its_figures_are_exact_and_no_decisions_are_announced(certify: Certify) -> None:
    document = json.loads(certify("analyze", WHEEL, "--format", "json").out)
    assert {wager: found["return"] for wager, found in document["wagers"].items()} == {
        "red": "36/37",
        "straight-up": "36/37",
    }
    assert "best decisions" not in certify("analyze", WHEEL).out


def test_a_lost_pay_is_searched_for_and_a_printed_one_is_not(certify: Certify, tmp_path: Path) -> None:
    plain = certify("identify", WHEEL, "--wager", "red")
    assert (plain.code, "every pay of red is printed" in plain.err) == (5, True)
    lost = tmp_path / "game.toml"
    lost.write_text(
        WHEEL.read_text().replace(
            'pays = "1 to 1"',
            'pays = "1 to 1"\nprovenance = "recovered"\nby = "claim/red/return-to-player"\nunique = true',
        )
    )
    found = certify("identify", lost, "--wager", "red")
    assert (found.code, "1 to 1" in found.out) == (0, True), found


def test_it_is_played(certify: Certify) -> None:
    called = certify("simulate", WHEEL, "--rounds", "5000", "--seed", SEED)
    assert "5,000 rounds" in called.out
    assert called.code in {0, 4}


def test_a_pack_with_report_evidence_and_par_files_is_made(pack: Path) -> None:
    assert (pack / "report.pdf").read_bytes().startswith(b"%PDF")
    html = (pack / "report.html").read_text("utf-8")
    assert "Wheel of thirty-seven" in html
    assert not [word for word in ("Denari", "final bet", "antes") if word in html]
    assert [path.name for path in (pack / "data").glob("par*.csv")]
    assert [path.name for path in (pack / "data").glob("par*.xlsx")]
    evidence = evidence_of(pack)
    figures = evidence["analysis"]["main-optimal"]["wagers"]
    assert {wager: found["return"] for wager, found in figures.items()} == {
        "red": "36/37",
        "straight-up": "36/37",
    }
    assert [f["title"] for f in evidence["findings"] if f["severity"] in {"major", "critical"}] == [
        "The game stands on one implementation of its rules"
    ]


def test_the_pack_verifies_and_a_changed_figure_is_found(
    certify: Certify, pack: Path, tmp_path: Path
) -> None:
    assert certify("verify", pack, "--trust", pack / "certs/root.pem").code == 0
    copy = Path(shutil.copytree(pack, tmp_path / "pack"))
    path = copy / "evidence.json"
    path.write_bytes(path.read_bytes().replace(b"36/37", b"35/37", 1))
    assert certify("verify", copy).code != 0


@pytest.mark.slow
def test_the_whole_run_is_repeated_and_gives_the_same(certify: Certify, pack: Path) -> None:
    called = certify("verify", pack, "--trust", pack / "certs/root.pem", "--replay", "--format", "json")
    document = json.loads(called.out)
    assert (called.code, document["verified"]) == (0, True), called.out
    assert {step["outcome"] for step in document["steps"] if step["id"] in {"rerun", "replay"}} == {"holds"}


def test_the_gate_sees_a_changed_pay_and_a_changed_wheel(
    certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CERTIFY_CACHE", str(tmp_path / "cache"))
    assert certify("gate", WHEEL, WHEEL).code == 0
    after = tmp_path / "game.toml"
    after.write_text(WHEEL.read_text().replace('pays = "35 to 1"', 'pays = "34 to 1"'))
    document = json.loads(certify("gate", WHEEL, after, "--format", "json").out)
    assert {"paytable-row-changed", "return-changed"} <= {change["id"] for change in document["changes"]}
    assert document["games"][0]["wagers"]["straight-up"]["return"]["delta"] == "-1/37"
    # One stop less: nothing is said anew but the equipment, and the returns are counted anew.
    after.write_text(WHEEL.read_text().replace(', "36"]', "]"))
    document = json.loads(certify("gate", WHEEL, after, "--format", "json").out)
    assert {"deck-changed", "return-changed"} <= {change["id"] for change in document["changes"]}
    assert document["games"][0]["wagers"]["straight-up"]["return"]["delta"] == "1/37"


def test_the_life_of_its_rounds_is_exercised(certify: Certify) -> None:
    called = certify("rounds", "exercise", WHEEL, "--decks", "2", "--seed", ROUNDS_SEED, "--format", "json")
    document = json.loads(called.out)
    assert (called.code, document["verdict"]) == (0, "satisfied")
    assert document["situations"]
