"""``certify new-family`` and ``certify check-family``: from nothing to a family that keeps what every family must."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import version

import pytest
from cli_support import ROOT, SEED

from certify.families import families
from certify.kit.code import located

WHEEL = ROOT / "tests/installed"
SEEDED = ("--seed", SEED, "--rounds", "40")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A new family as it is written."""
    from certify.kit.starting import write_package

    folder = tmp_path_factory.mktemp("new") / "penny-dice"
    write_package("penny-dice", folder)
    return folder


def test_a_new_family_keeps_every_law_as_it_stands(certify, package):
    called = certify("check-family", package, *SEEDED, "--format", "json")
    found = json.loads(called.out)
    assert (called.code, found["verdict"], found["games"]) == (0, "satisfied", ["penny-dice-table"]), called
    assert {law["verdict"] for law in found["laws"]} == {"satisfied", "not applicable"}
    faults = found["faults"]
    assert (faults["unnoticed"], faults["planted"]) == ([], faults["noticed"])
    assert faults["planted"] > 15
    assert {part["part"] for part in found["missing"]} >= {"plan", "messages"}
    # Nothing of it stays behind in this process.
    assert "penny-dice" not in families()
    assert not any(name.startswith("penny_dice") for name in sys.modules)


def test_a_new_family_pins_what_its_figures_rest_on(package):
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))
    stated = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
    ]
    pinned = dict(requirement.split("==") for requirement in stated)
    assert pinned == {name: version(name) for name in ("hatchling", "certify", "pytest")}


@pytest.mark.slow
def test_its_own_tests_pass_as_they_stand(package, tmp_path):
    # What `pip install -e .` leaves: the sources on the path, and the entry point beside them.
    information = tmp_path / "penny_dice-0.1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: penny-dice\nVersion: 0.1.0\n")
    (information / "entry_points.txt").write_text("[certify.families]\npenny-dice = penny_dice:FAMILY\n")
    path = os.pathsep.join(map(str, (package / "src", tmp_path, ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=package, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_wide_layouts_are_tried_where_they_are_named_alone():
    with located("single-draw", ()) as found:
        assert set(found.wide) == {"craps-layout", "keno-card", "roulette-layout", "sic-bo-table"}
        assert not {game.id for game in found.games} & set(found.wide)
    with located("single-draw", (ROOT / "fixtures/games/sic-bo-table/game.toml",)) as named:
        assert ([game.id for game in named.games], named.wide) == (["sic-bo-table"], ())


@pytest.mark.slow
@pytest.mark.parametrize("name", [family.id for family in families().values() if family.package == "certify"])
def test_every_family_built_in_keeps_everything_on_all_its_games(certify, name):
    called = certify("check-family", name, "--seed", SEED, "--format", "json")
    found = json.loads(called.out)
    assert (called.code, found["verdict"], found["faults"]["unnoticed"]) == (0, "satisfied", []), called


@pytest.mark.slow
def test_a_family_of_one_leg_stands_under_a_condition_and_is_a_finding(certify, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "wheel-of-numbers"\nversion = "1.2.0"\n'
        '[project.entry-points."certify.families"]\nwheel-of-numbers = "wheel_of_numbers:FAMILY"\n'
    )
    for name in ("wheel_of_numbers", "games"):
        (tmp_path / name).symlink_to(WHEEL / name)
    called = certify(
        "check-family", tmp_path, "--game", WHEEL / "games/wheel.toml", *SEEDED, "--format", "json"
    )
    found = json.loads(called.out)
    assert (called.code, found["verdict"], found["faults"]["unnoticed"]) == (1, "not satisfied", []), called
    (missing,) = (part for part in found["missing"] if part["condition"])
    assert "somebody else must confirm" in missing["cost"]
    assert not [law for law in found["laws"] if law["verdict"] == "not satisfied"]


def test_a_command_runs_where_docstrings_were_taken_out():
    schema = [sys.executable, "-OO", "-m", "certify.evidence"]
    assert json.loads(subprocess.run(schema, capture_output=True, check=True).stdout)["title"]
