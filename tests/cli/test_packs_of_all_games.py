"""Packs of all games as make and CI make them, and the tutorial as it is printed."""

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from cli_support import ROOT, SEED
from representatives import firsts
from seal_support import evidence, lay, pack

from certify.kit.code import located
from certify.kit.starting import write_package

GAME = "playtech-7-e-mezzo"


def _load():
    specification = importlib.util.spec_from_file_location("packs", ROOT / "tools/packs.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules["packs"] = module
    specification.loader.exec_module(module)
    return module


packs = _load()


@pytest.fixture
def games(tmp_path, monkeypatch):
    """One game and its row."""
    folder = tmp_path / "games"
    (folder / GAME).mkdir(parents=True)
    shutil.copy(ROOT / "fixtures/games" / GAME / "game.toml", folder / GAME)
    row(folder, f"{GAME},0,it holds")
    monkeypatch.setattr(packs, "GAMES", folder)
    monkeypatch.setattr(packs, "OUTCOMES", folder / "outcomes.csv")
    return folder


def row(folder, *rows):
    (folder / "outcomes.csv").write_text("\n".join(("game,exit,because", *rows)) + "\n")


class Software:
    """Stands in for certify: writes a small pack and ends as told, and remembers what it was asked."""

    def __init__(self, run=0, verify=0, proof=None, check=0):
        self.codes = {"run": run, "verify": verify, "check": check}
        self.proof = {"findings": [], **(proof or evidence())}
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, *words):
        asked = tuple(map(str, words))
        self.asked.append(asked)
        if asked[0] == "run" and self.codes["run"] in packs.WITH_A_PACK:
            lay(Path(asked[asked.index("--out") + 1]), pack(proof=self.proof))
        return self.codes[asked[0]]


def made(software, out, monkeypatch, *options):
    monkeypatch.setattr(packs, "certify", software)
    monkeypatch.setattr(packs, "checked", lambda pack: software("check", pack))
    return int(packs.main(["--out", str(out), *options]))


def test_every_game_of_the_fixtures_has_its_row():
    outcomes = packs.expected(packs.GAMES, packs.OUTCOMES)
    assert set(outcomes) == {path.parent.name for path in (ROOT / "fixtures/games").glob("*/game.toml")}
    assert (outcomes[GAME].code, outcomes[GAME].statement) == (1, "satisfied on conditions")


def test_a_pack_is_made_verified_and_computed_again(games, tmp_path, monkeypatch):
    software = Software()
    assert made(software, tmp_path / "out", monkeypatch, "--trust", "root.pem", "--", "--issuer", "A") == 0
    run, verify, check = software.asked
    assert run[:2] == ("run", str(games / GAME / "game.toml"))
    assert run[run.index("--profile") + 1] == "quick"
    assert run[run.index("--issuer") + 1] == "A"
    assert len(run[run.index("--seed") + 1]) == 64
    assert verify == ("verify", str(tmp_path / "out" / GAME), "--replay", "--trust", "root.pem")
    assert check == ("check", str(tmp_path / "out" / GAME))
    # Of the same commit the same packs; the pack of an earlier run is replaced.
    again = Software()
    assert made(again, tmp_path / "out", monkeypatch, "--", "--seed", "5e77" * 16) == 0
    assert again.asked[0].count("--seed") == 1


def test_one_run_of_every_third_family_is_repeated_and_with_the_commit_every_game_comes_up(
    games, tmp_path, monkeypatch
):
    monkeypatch.undo()
    names = sorted(path.parent.name for path in packs.GAMES.glob("*/game.toml"))
    family = packs.families_of(names)
    turns = [packs.repeated(family, f"commit {place}") for place in range(400)]
    third = -(-len(set(family.values())) // 3)
    assert all(len(turn) == third == len({family[name] for name in turn}) for turn in turns)
    assert frozenset().union(*turns) == set(names) == packs.repeated(family, "")


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5])
def test_another_exit_code_than_expected_is_never_swallowed(
    code,
    games,
    tmp_path,
    monkeypatch,
    capsys,
):
    assert made(Software(run=code), tmp_path / "out", monkeypatch) == 1
    assert f"WRONG {GAME}: certify run ended with {code}, expected 0: it holds" in capsys.readouterr().out


FINDING = {
    "id": "F-01",
    "severity": "critical",
    "title": "The player has the edge",
    "detail": "More comes back than was staked.",
    "clauses": [],
    "reproduce": "certify analyze game.toml",
    "required_action": "Change the pays.",
    "who": "supplier",
    "check": "",
    "messages": {},
}


def test_a_pack_that_does_not_verify_or_is_not_there_is_wrong(games, tmp_path, monkeypatch, capsys):
    assert made(Software(verify=1), tmp_path / "out", monkeypatch) == 1
    assert "certify verify --replay ended with 1" in capsys.readouterr().out
    assert made(Software(check=1), tmp_path / "out", monkeypatch) == 1
    assert "check.py ended with 1" in capsys.readouterr().out
    # The pack of the last run lies there; a run that writes none must not be covered by it.
    assert made(Software(run=2), tmp_path / "out", monkeypatch) == 1
    assert not (tmp_path / "out" / GAME).exists()
    monkeypatch.setattr(packs, "certify", lambda *words: 0)
    assert packs.main(["--out", str(tmp_path / "out")]) == 1
    assert "certify run wrote no report" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], f"{GAME}: no row for this game"),
        ([f"{GAME},0,it holds", "another,0,it holds"], "another: there is no such game"),
        ([f"{GAME},2,a wrong call is no outcome"], "expected the exit code of a run that writes a pack"),
        ([f"{GAME},1,"], "and why"),
    ],
)
def test_a_table_that_does_not_fit_the_games_is_refused(rows, reason, games):
    row(games, *rows)
    with pytest.raises(SystemExit, match=reason):
        packs.main([])


def test_no_games_are_no_success(games):
    shutil.rmtree(games / GAME)
    row(games)
    with pytest.raises(SystemExit, match="there are no games, and nothing was certified"):
        packs.main([])


def test_nothing_but_packs_is_removed(games, tmp_path, monkeypatch, capsys):
    (tmp_path / "out" / GAME).mkdir(parents=True)
    (tmp_path / "out" / GAME / "thesis.tex").write_text("mine")
    software = Software()
    assert made(software, tmp_path / "out", monkeypatch) == 1
    assert "not those of a pack" in capsys.readouterr().out
    assert software.asked == []
    assert (tmp_path / "out" / GAME / "thesis.tex").read_text() == "mine"


def test_the_evidence_stands_for_an_exit_code():
    def code(verdict, *findings):
        proof = {"report": {"statement": {"verdict": verdict}}}
        listed = [{"status": status, "severity": severity} for status, severity in findings]
        return int(packs.code_of(proof | {"findings": listed}))

    assert code("satisfied", ("open", "minor"), ("accepted", "critical")) == 0
    assert code("satisfied", ("open", "major")) == 1
    assert code("satisfied on conditions", ("condition", "major")) == 1
    assert code("not satisfied") == 1
    assert code("inconclusive") == 4


def test_make_pack_ends_well_where_the_outcome_is_the_one_expected_and_says_the_verdict(
    games, tmp_path, capsys
):
    (games / "outcomes.csv").write_text(
        f"game,exit,because,statement\n{GAME},1,pays must be confirmed,satisfied on conditions\n"
    )
    told = {**FINDING, "severity": "major", "status": "condition"}
    proof = {**evidence(verdict="satisfied on conditions"), "findings": [told]}
    out = lay(tmp_path / "pack", pack(proof=proof))
    words = ["--game", str(games / GAME / "game.toml"), "--out", str(out), "--ended"]
    assert packs.main([*words, "1"]) == 0
    assert "SATISFIED ON CONDITIONS" in capsys.readouterr().out
    # Another exit code, another statement, no pack: each is told and none is swallowed.
    assert packs.main([*words, "4"]) == 4
    (games / "outcomes.csv").write_text(f"game,exit,because,statement\n{GAME},1,it is wrong,not satisfied\n")
    assert packs.main([*words, "1"]) == 1
    assert "expected 'not satisfied'" in capsys.readouterr().out
    assert packs.main([*words, "2"]) == 2


def test_each_command_is_run_in_a_process_of_its_own_by_one_that_has_loaded_what_a_run_needs(capsys):
    assert packs.certify("--version") == 0
    loaded = packs.SERVER.process.pid
    assert packs.certify("verify", "no-pack") == 2
    with packs.SERVER.process as process:
        assert process.pid == loaded
    printed = capsys.readouterr().out
    assert "certify, version" in printed
    assert "Path 'no-pack' does not exist" in printed
    assert [phase for phase, seconds in packs.USED[-2:] if seconds > 0] == ["--version", "verify"]
    assert process.returncode == 0
    del packs.SERVER.process


def test_ci_makes_the_packs_and_templates_publish_them():
    steps = (ROOT / ".ci/run").read_text().splitlines()
    assert [line for line in steps if line.startswith("make")] == [
        "make budget",
        "make advisories",
        "make --jobs=2 --output-sync=line lint docs try-wheel",
        "make test",
        "make packs",
    ]
    told = subprocess.run(
        ["make", "-n", "packs"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert any("tools/packs.py --out build/packs --profile quick" in line for line in told)
    workflow = yaml.safe_load((ROOT / "integrations/github/packs.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert any(step.get("run") == "make packs" for step in job["steps"])
    (upload,) = (step for step in job["steps"] if "upload-artifact" in step.get("uses", ""))
    assert upload["with"]["path"] == "build/packs/"
    assert upload["with"]["if-no-files-found"] == "error"
    (gitlab,) = yaml.safe_load((ROOT / "integrations/gitlab/certify-packs.yml").read_text()).values()
    assert "make packs" in gitlab["script"]
    assert gitlab["artifacts"]["paths"] == ["build/packs/"]
    assert json.dumps(workflow).count("secrets.") == 0


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
    assert "printed 20 to 1 (maximum-award): WRONG" in said


@pytest.mark.parametrize(
    ("file", "sound", "lie", "law"),
    firsts([
        ("__init__", "if low < card.value < high", "if low <= card.value < high", "second-text"),
        ("__init__", "Price(2 * price.net, Fraction(2))", "Price(price.net, Fraction(2))", "second-text"),
        ("second", "stake = 2 if", "stake = 1 if", "second-text"),
    ]),
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
