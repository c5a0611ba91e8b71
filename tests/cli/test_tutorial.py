"""The tutorial is run as it stands: its files are written, its commands called, its figures found."""

import hashlib
import re
import shutil
from fractions import Fraction

import pytest
from cli_support import ROOT, SEED

from certify.kit.located import located
from certify.kit.starting import write_package

TEXT = (ROOT / "docs/tutorial.md").read_text("utf-8")
FILES = re.findall(r"^```(?:python|toml|text)\n# (\S+)\n(.*?)^```$", TEXT, re.S | re.M)
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.S | re.M)
    for line in block.splitlines()
    if line.startswith("certify ")
]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package as the tutorial leaves it."""
    folder = tmp_path_factory.mktemp("tutorial") / "red-dog"
    write_package("red-dog", folder)
    for place, text in FILES:
        assert (folder / place).is_file(), (
            f"{place}: the tutorial replaces a file that new-family does not write"
        )
        (folder / place).write_text(text, "utf-8")
    game = folder / "games/game.toml"
    digest = hashlib.sha256((folder / "games/rules.txt").read_bytes()).hexdigest()
    game.write_text(game.read_text("utf-8").replace("0" * 64, digest), "utf-8")
    return folder


@pytest.fixture
def installed(package, monkeypatch):
    """The package as `pip install -e .` leaves it, and its folder as the present one."""
    monkeypatch.chdir(package)
    with located(str(package), ()):
        yield package


def test_the_tutorial_replaces_every_file_that_names_the_first_game():
    assert [place for place, _ in FILES] == [
        "src/red_dog/__init__.py",
        "src/red_dog/second.py",
        "games/game.toml",
        "games/rules.txt",
        "tests/test_family.py",
    ]
    assert COMMANDS[0] == "certify new-family red-dog --out red-dog"


def test_the_game_of_the_tutorial_returns_what_it_says(certify, installed):
    assert certify("lint", "games").code == 0
    found = certify("analyze", "games/game.toml", "--format", "json").json
    bet = found["wagers"]["bet"]
    assert f"**{bet['return']}**" in TEXT
    assert bet["return_percent"] in TEXT
    assert Fraction(bet["house_edge"]) == Fraction(523, 16575)
    assert [claim["holds"] for claim in bet["claims"]] == [True] * 6, bet["claims"]
    raised = [one["hand"] for one in found["decisions"] if one["best"] == "raise"]
    assert raised == ["7", "8", "9", "10", "11"]


def test_the_lies_that_the_tutorial_proposes_are_found(certify, installed):
    game = (installed / "games/game.toml").read_text("utf-8")
    lying = installed / "games/lying.toml"
    lying.write_text(game.replace('printed = "11 to 1"', 'printed = "20 to 1"'), "utf-8")
    try:
        said = certify("analyze", lying).out
    finally:
        lying.unlink()
    assert "printed 20 to 1 (maximum-award): DOES NOT HOLD, IMPOSSIBLE" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "sound", "lie", "law"),
    [
        ("__init__", "if low < card.value < high", "if low <= card.value < high", "second-text"),
        ("__init__", "Price(2 * price.net, Fraction(2))", "Price(price.net, Fraction(2))", "second-text"),
        ("second", "stake = 2 if", "stake = 1 if", "second-text"),
    ],
)  # fmt: skip
def test_the_lies_in_the_code_are_found_by_the_kit(certify, package, tmp_path, file, sound, lie, law):
    copy = tmp_path / "red-dog"
    shutil.copytree(package, copy)
    path = copy / f"src/red_dog/{file}.py"
    text = path.read_text("utf-8")
    assert sound in text
    path.write_text(text.replace(sound, lie), "utf-8")
    found = (
        certify("check-family", copy, "--seed", SEED, "--rounds", "100", "--format", "json").expect(1).json
    )
    assert law in {one["law"] for one in found["laws"] if one["verdict"] == "not satisfied"}


@pytest.mark.slow
def test_every_command_of_the_tutorial_ends_as_it_says(certify, installed):
    for line in COMMANDS:
        _, *words = line.split()
        if words[0] == "new-family":
            continue
        if words[0] == "run":
            words += ["--seed", SEED]
        if words[0] == "check-family":
            words += ["--seed", SEED]
        called = certify(*words)
        assert called.code == 0, (line, called.out[-2000:], called.err[-2000:])
        if words[0] == "check-family":
            assert called.out.rstrip().endswith("verdict: satisfied")
    assert (installed / "build/pack/report.pdf").read_bytes().startswith(b"%PDF")
