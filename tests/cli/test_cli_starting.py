"""Starting and playing a game by a command, and answers the same whoever computes them."""

import importlib
import json
import re
import shutil
import sys
import tomllib
from importlib import metadata
from types import SimpleNamespace

import jsonschema
import pytest
from cli_support import ROOT, SEED
from representatives import firsts, only

from certify.cli import doctor, play as playing
from certify.errors import InputError, MissingPartError
from certify.families import families
from certify.issue.parties import require_submission
from certify.kit import kernels
from certify.kit.starting import SCHEMA_FILE, fixtures, rule_forms, starting_files
from certify.submission import game_schema, parse_game, read_game

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
    assert {source.file for source in started.sources} == set(contents) - {"game.toml", SCHEMA_FILE}
    first, schema = contents["game.toml"].partition("\n")[0], json.loads(contents[SCHEMA_FILE])
    assert first == f"#:schema ./{SCHEMA_FILE}"
    stated = tomllib.loads(contents["game.toml"])
    assert not list(jsonschema.Draft202012Validator(schema).iter_errors(stated))


def test_every_fixture_follows_the_schema_of_games_and_a_misspelt_key_does_not():
    schema = jsonschema.Draft202012Validator(game_schema(families().values()))
    schema.check_schema(schema.schema)
    for path in (ROOT / "fixtures").glob("*/*/game.toml"):
        stated = tomllib.loads(path.read_text("utf-8"))
        assert not list(schema.iter_errors(stated)), path
        stated["wagers"][0]["titel"] = "Bet"
        assert [one.message for one in schema.iter_errors(stated)] == [
            "Additional properties are not allowed ('titel' was unexpected)"
        ]


def test_no_placeholder_is_signed():
    started = starting_files("roulette-single-zero", "my-game")["game.toml"]
    for quoted in (started, started.replace('"Name of the supplier"', "'Name of the supplier'")):
        with pytest.raises(
            InputError,
            match=r"game.toml:\d+:\d+: a placeholder would be signed: expected who supplied(.|\n)*with its own text",
        ):
            require_submission(quoted.encode(), "game.toml")
    supplied = started.replace("Name of the supplier", "A studio")
    with pytest.raises(InputError, match="expected what the source is called, with its own text and digest"):
        require_submission(supplied.encode(), "game.toml")
    require_submission(supplied.replace("Name of the source", "Rules screen").encode(), "game.toml")


def test_every_rule_of_every_family_built_in_says_what_it_may_be():
    for family in families().values():
        assert [one.id for one in rule_forms(family)] == list(family.rules.rule_ids)
        assert all(one.values for one in rule_forms(family))


def test_every_dependency_is_looked_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {dependency.split(">")[0].split("=")[0] for dependency in project["dependencies"]}
    assert {*doctor.PACKAGES, "python-pkcs11"} == named


def test_an_audit_without_its_extra_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    monkeypatch.delitem(sys.modules, "certify.live.log", raising=False)
    with pytest.raises(MissingPartError, match=r"certify audit .* install it with: pip install .*\[audit\]"):
        importlib.import_module("certify.live.log")


def test_the_image_contains_what_the_doctor_looks_for():
    """No builder is at hand where tests run: its files, packages and last step are compared instead."""
    text = (ROOT / "Containerfile").read_text().replace("\\\n", "")
    copied = " ".join(re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE)).split()
    assert {"requirements.lock", "certify", "rng"} <= set(copied)
    assert [name for name in copied if not (ROOT / name).exists()] == []
    packages = set(re.findall(r"--no-install-recommends (.*?)&&", text)[0].split())
    needed = {*doctor._LIBRARIES.values(), *(package for _, package, _ in doctor._PROGRAMS)}
    assert needed - packages == {"coreutils"}
    assert re.findall(r"^RUN (.*)$", text, re.MULTILINE)[-1].startswith("certify doctor")


def test_every_part_is_shown_under_what_it_is_for(certify):
    called = certify("doctor").expect(0)
    parts = doctor.inspect()
    for part in parts:
        line = next(line for line in called.out.splitlines() if f" {part.name} " in f"{line} ")
        assert (part.detail if part.present else part.remedy) in line
    assert called.out.splitlines()[-1].startswith("COMPLETE: everything that certify run needs is there")
    assert certify("doctor", "--format", "json").json["parts"] == [
        {
            name: getattr(part, name)
            for name in ("name", "present", "required", "needed_for", "remedy", "detail")
        }
        for part in parts
    ]


def test_kernels_are_compiled_ahead_for_these_sources_and_all_of_them(certify, tmp_path, monkeypatch):
    def part():
        found = certify("doctor", "--format", "json", "--compile").expect(0).json["parts"]
        return next((one["present"], one["detail"]) for one in found if one["name"] == "kernels")

    monkeypatch.setattr(kernels, "_mark", lambda: tmp_path / "mark")
    monkeypatch.setattr("certify.kit.starting.fixtures", lambda: {"red-dog": RED_DOG})
    # Whatever fails in a process that compiles fails the command, and nothing is noted.
    monkeypatch.setattr(kernels, "keep_planted", abs)
    assert certify("doctor", "--compile").code == 3
    assert not kernels.compiled()
    monkeypatch.setattr(kernels, "keep_planted", dict)
    assert part() == (True, kernels.compiled())
    monkeypatch.setattr(kernels, "source_digest", lambda: "of other sources")
    assert not kernels.compiled()


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
            "; optional parts missing: ",
            "python-pkcs11, pkcs11-module\n",
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


CASINO_WAR = ROOT / "fixtures/games/casino-war/game.toml"
RED_DOG = ROOT / "fixtures/games/red-dog/game.toml"
BLACKJACK = ROOT / "fixtures/games/blackjack-no-hole-card"


def test_whoever_sits_at_the_terminal_is_asked_and_told_the_cost(certify, monkeypatch):
    """Decisions typed in: what is offered is asked for, and answered with its cost."""
    asked = []

    def typed(text, **said):
        asked.append((text.strip(), tuple(said["type"].choices), said["default"]))
        return "raise"

    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(playing.click, "prompt", typed)
    called = certify("play", RED_DOG, "--rounds", 2, "--seed", SEED)
    assert set(asked) == {("decide", ("call", "raise"), "call")}
    assert called.out.count("; raise costs ") == len(asked)


def test_input_that_ends_ends_the_play_without_a_traceback(certify, monkeypatch):
    """The terminal is closed while a decision is asked for: nothing is decided, and no round is told as played."""
    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    called = certify("play", RED_DOG, "--rounds", 2, "--seed", SEED)
    assert called.code not in (0, None)
    assert "decide" in called.out
    assert "settles" not in called.out
    assert "Traceback" not in called.out + called.err


def test_cards_are_told_before_a_decision_is_asked_for(certify, monkeypatch):
    """The tie of Casino War, the question after it, what each answer is worth after that, and the war."""
    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(playing.click, "prompt", lambda *_, **named: "surrender")
    lines = certify("play", CASINO_WAR, "--round", 8, "--seed", "11" * 32).out.splitlines()
    told = [line.strip() for line in lines]
    dealt, asked, worth, decided = (
        next(place for place, line in enumerate(told) if said in line)
        for said in (
            "dealer is dealt Q of spades",
            "sees",
            "surrender is worth -0.500000",
            "player decides surrender",
        )
    )
    assert dealt < asked < worth
    assert asked < decided


@pytest.mark.slow
def test_what_was_dealt_is_told_before_a_decision_is_asked_for(certify, monkeypatch, tmp_path):
    """Open cards and the question after them; a card face down is named when its holder draws, not before."""
    text = (BLACKJACK / "game.toml").read_text("utf-8")
    text = text.replace('id = "dealer-peeks"\nvalue = "never"', 'id = "dealer-peeks"\nvalue = "ace and ten"')
    text = text.replace('id = "surrender"\nvalue = "none"', 'id = "surrender"\nvalue = "early"')
    (tmp_path / "game.toml").write_text(text.replace("decks = 6", "decks = 8"), "utf-8")
    (tmp_path / "sources.md").write_bytes((BLACKJACK / "sources.md").read_bytes())
    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(playing.click, "prompt", lambda *_, **named: "stand")
    lines = certify("play", tmp_path / "game.toml", "--round", 4, "--seed", "11" * 32).out.splitlines()
    told = [line.strip() for line in lines]
    covered, asked = (
        told.index("dealer is dealt, face down, one card"),
        told.index("the player sees 4-6 against 9"),
    )
    worth = next(place for place, line in enumerate(told) if "surrender is worth -0.500000" in line)
    named = next(
        place for place, line in enumerate(told) if line.startswith("dealer is dealt, face down, 5 of")
    )
    drawn = next(place for place, line in enumerate(told) if line.startswith("dealer draws"))
    assert told.index("player is dealt 4 of hearts: total 4") < covered < asked < worth < named < drawn


CASINO = ROOT / "fixtures/games/us5632489-casino/game.toml"
"""A game that each process counts and begins to play at once."""
JOB = ("simulate", CASINO, "--rounds", "450000", "--seed", SEED, "--format", "json")


@pytest.mark.parametrize("executor", firsts(["threads:2", "processes:2"]))
def test_a_simulation_prints_the_same_whoever_plays_it_and_each_chunk_can_be_replayed(
    certify, tmp_path, executor
):
    alone = certify(*JOB)
    assert certify(*JOB, "--executor", executor, "--resume", tmp_path).out == alone.out
    kept = json.loads((tmp_path / "chunk-000002.json").read_text())
    replayed = certify(*JOB, "--chunk", "2").json
    assert (replayed["chunk"], replayed["of"], replayed["rounds"]) == (2, 3, 50_000)
    assert replayed["sha256"] == kept["sha256"]
    assert sum(replayed["wagers"]["ante"].values()) == 50_000


def test_the_doctor_asks_every_worker_for_its_software(certify):
    called = certify("doctor", "--executor", "processes:2", "--format", "json")
    (part,) = [part for part in json.loads(called.out)["parts"] if part["name"] == "executor"]
    assert part["present"]
    assert part["detail"].startswith("ran on processes:2: 2 workers, ")
