"""``certify new-game`` and ``certify families NAME``: where a new user begins."""

import json
import shutil
import tomllib
from collections.abc import Callable
from importlib import metadata

import pytest
from cli_support import ROOT, Called
from representatives import only

from certify.cli import doctor
from certify.errors import InputError
from certify.families.registry import families
from certify.issue.parties import require_submission
from certify.kit.described import rule_forms
from certify.kit.starting import fixtures, starting_files
from certify.submission import parse_game, read_game

Certify = Callable[..., Called]
QUICK = ("caribbean-stud", "craps", "keno-card", "playtech-7-e-mezzo", "red-dog", "sic-bo", "slot-ways")
"""Games with several rules, wagers without rows, sources beside them, strategies, described rules and reels."""


def test_every_fixture_is_a_game_to_start_from():
    folders = ("games", "slots")
    stated = [path.parent.name for one in folders for path in (ROOT / "fixtures" / one).glob("*/game.toml")]
    assert sorted(fixtures()) == sorted(stated)


@pytest.mark.parametrize("like", only(sorted(fixtures()), *QUICK))
def test_a_fixture_gives_a_submission_to_start_from_that_is_the_same_game(like):
    contents = starting_files(like, "my-game")
    started, fixture = parse_game(contents["game.toml"].encode(), "game.toml"), read_game(fixtures()[like])
    assert started.id == "my-game"
    assert (started.rules, started.equipment) == (fixture.rules, fixture.equipment)
    pays = [[(row.id, row.pays) for row in wager.paytable.rows] for wager in started.wagers]
    assert pays == [[(row.id, row.pays) for row in wager.paytable.rows] for wager in fixture.wagers]
    assert {source.file for source in started.sources} == set(contents) - {"game.toml"}


def test_no_placeholder_is_signed():
    started = starting_files("roulette-single-zero", "my-game")["game.toml"]
    with pytest.raises(
        InputError, match=r"game.toml:\d+: a placeholder would be signed: expected who supplied"
    ):
        require_submission(started.encode(), "game.toml")
    supplied = started.replace("Name of the supplier", "A studio")
    with pytest.raises(InputError, match="expected the SHA-256 of the file of a source"):
        require_submission(supplied.encode(), "game.toml")
    (digest,) = {source.sha256 for source in parse_game(started.encode(), "game.toml").sources}
    require_submission(supplied.replace(digest, "ab" * 32).encode(), "game.toml")


def test_what_is_written_passes_lint_and_says_what_each_rule_may_be(certify, tmp_path):
    made = certify("new-game", "--like", "caribbean-stud", "--out", tmp_path / "mine", "--format", "json")
    assert (made.code, json.loads(made.out)["files"]) == (0, ["game.toml", "figures.txt"])
    certify("lint", tmp_path / "mine").expect(0)
    text = (tmp_path / "mine/game.toml").read_text("utf-8")
    assert '# "settled" or "lost"\n[[rules]]\nid = "side-bets-after-fold"' in text
    assert (
        "# Rows that a paytable must pay: royal-flush, straight-flush, four-of-a-kind, full-house, flush.\n"
        in text
    )


@pytest.mark.parametrize(
    ("like", "name", "said"),
    [
        ("no-such-game", "mine", 'no game "no-such-game" to start from: expected one of andar-bahar, '),
        ("blackjack", "mine", "expected one of blackjack-no-hole-card\n"),
        ("craps", "My Game", 'id "My Game": expected lower-case words with hyphens'),
    ],
)
def test_nothing_is_written_where_the_call_is_wrong(certify, tmp_path, like, name, said):
    certify("new-game", "--like", like, "--id", name, "--out", tmp_path / "new").expect(2, err=(said,))
    assert not (tmp_path / "new").exists()


def test_a_family_is_told_with_rules_values_rows_wagers_and_strategies(certify):
    found = json.loads(certify("families", "sette-e-mezzo", "--format", "json").out)
    assert {"id": "tie", "values": '"lose" or "push"', "otherwise": "lose"} in found["rules"]
    assert found["wagers"] == ["main", "partita-perfetta", "mano-di-poker"]
    games = {game["game"]: game for game in found["games"]}
    paid = ["king-of-denari-seven-and-a-half", "win"]
    assert games["playtech-7-e-mezzo"]["wagers"]["main"] == {"paid": paid, "reached": [*paid, "lose", "bust"]}
    assert "main-optimal" in games["playtech-7-e-mezzo"]["strategies"]
    text = certify("families", "free-bank").out
    assert "  seats: a whole number from 1 to 11; 1 where nothing is stated" in text
    assert "  banks: equilibrium, best-response" in text


def test_every_rule_of_every_family_built_in_says_what_it_may_be():
    for family in families().values():
        assert [one.id for one in rule_forms(family)] == list(family.rules.rule_ids)
        assert all(one.values for one in rule_forms(family))


def test_an_unknown_family_is_refused(certify):
    certify("families", "no-such-family").expect(2, err="unknown family")
    assert certify("families", "--game", ROOT / "fixtures/games/craps/game.toml").code == 2


@pytest.mark.parametrize("name", ["baccarat", "craps", "three-card-poker"])
def test_a_family_whose_games_are_described_now_is_refused_with_what_to_write(certify, tmp_path, name):
    (like,) = (one for one in (name, f"{name}-punto-banco") if (ROOT / "fixtures/games" / one).is_dir())
    text = (ROOT / "fixtures/games" / like / "game.toml").read_text("utf-8")
    (tmp_path / "game.toml").write_text(
        text.replace('family = "several-draws"', f'family = "{name}"'), "utf-8"
    )
    certify("analyze", tmp_path / "game.toml").expect(
        2, err=f'write family = "several-draws", as fixtures/games/{like}/game.toml does'
    )


def test_every_dependency_is_looked_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {dependency.split(">")[0].split("=")[0] for dependency in project["dependencies"]}
    assert {*doctor.PACKAGES, "python-pkcs11"} == named


def test_every_part_is_shown_under_what_it_is_for(certify):
    called = certify("doctor").expect(0)
    parts = doctor.inspect()
    for part in parts:
        line = next(line for line in called.out.splitlines() if f" {part.name} " in f"{line} ")
        assert (part.detail if part.present else part.remedy) in line
    assert called.out.splitlines()[-1].startswith("COMPLETE: everything that certify run needs is there")
    assert json.loads(certify("doctor", "--format", "json").out)["parts"] == [
        {
            name: getattr(part, name)
            for name in ("name", "present", "required", "needed_for", "remedy", "detail")
        }
        for part in parts
    ]


def test_a_missing_library_is_named_with_its_remedy(certify, monkeypatch):
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    called = certify("doctor").expect(
        3, out=("MISSING  libpango-1.0", "apt-get install -y --no-install-recommends libpango-1.0-0")
    )
    assert called.out.splitlines()[-1] == (
        "NOT COMPLETE: certify run needs what is missing: libpango-1.0, libpangoft2-1.0, libharfbuzz-subset"
    )


def test_what_only_some_need_is_absent_and_not_missing(certify, monkeypatch):
    version = metadata.version

    def without_tokens(name):
        if name == "python-pkcs11":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without_tokens)
    monkeypatch.setattr(doctor, "token_modules", list)
    monkeypatch.setattr(shutil, "which", lambda name, path: None)
    certify("doctor").expect(
        0,
        out=(
            "absent   python-pkcs11        make env",
            "absent   pkcs11-module        install the software that came with the token",
            "absent   pdfsig               apt-get install -y --no-install-recommends poppler-utils",
            "python-pkcs11, pkcs11-module can be had, and the main job does without",
        ),
    )


def test_modules_of_tokens_are_found_in_the_usual_places_once(tmp_path):
    (tmp_path / "x86_64-linux-gnu").mkdir()
    module = tmp_path / "x86_64-linux-gnu" / "opensc-pkcs11.so"
    module.write_bytes(b"")
    (tmp_path / "opensc-pkcs11.so").symlink_to(module)
    (tmp_path / "libother.so").write_bytes(b"")
    assert [path.name for path in doctor.token_modules([str(tmp_path)])] == ["opensc-pkcs11.so"]
    assert doctor.token_modules([str(tmp_path / "absent")]) == []
