"""An evening by the command line: played on a ledger file, listed, told to each person, refused where it must be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_support import SEED, Called
from free_bank_tables import ROOT, path_of

Certify = Callable[..., Called]
GAME = path_of("sept-et-demi")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str | Path, ...]:
    (tmp_path / "key.hex").write_text("5a" * 32)
    return ("--ledger", tmp_path / "rounds.db", "--deck-key", tmp_path / "key.hex")


def test_an_evening_is_played_listed_and_told_to_each_person(
    certify: Certify, files: tuple[str | Path, ...]
) -> None:
    asked = ("rounds", "play", GAME, "--people", "3", "--rounds", "2", "--seat", "friday", "--seed", SEED)
    played = json.loads(certify(*asked, *files, "--format", "json").out)
    assert sum(played["balances"].values()) == sum(played["funds"].values())
    listed = json.loads(certify("rounds", "list", files[1], "--format", "json").out)
    assert [one["round"] for one in listed["rounds"]] == ["@table/friday-000001", "@table/friday-000002"]
    assert {one["status"] for one in listed["rounds"]} == {"settled"}
    shown = certify("rounds", "show", "@table/friday-000002", GAME, *files, "--format", "json")
    told = json.loads(shown.out)
    assert shown.code == 0
    assert [one["player_id"] for one in told] == list(played["funds"])
    assert [one["funds_after"] for one in told] == [str(has) for has in played["balances"].values()]
    one = certify("rounds", "show", "@table/friday-000001", GAME, *files, "--person", "person-2")
    assert "player id: person-2" in one.out
    assert "person-1 " in one.out  # whose hands lay open too
    assert "player id: person-1" not in one.out
    assert "adopted" in one.out
    history = certify(
        "rounds", "show", "@table/friday", GAME, *files, "--person", "person-2", "--format", "csv"
    ).out
    assert history.count("@table/friday-") == 2
    assert certify("rounds", "verify", files[1], "--head", played["head"], *files[2:]).code == 0
    assert certify("rounds", "expire", GAME, *files).out.startswith("0 rounds void")


def test_what_makes_no_evening_is_refused_and_nothing_is_written(
    certify: Certify, files: tuple[str | Path, ...]
) -> None:
    one_player = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
    for asked, complaint in (
        ((one_player, "--people", "3"), "plays no rounds of several people"),
        ((GAME, "--people", "13"), "expected 2 to 12"),
    ):
        called = certify("rounds", "play", *asked, "--seed", SEED, *files)
        assert called.code == 2
        assert complaint in called.err
        assert not Path(files[1]).exists()
    assert certify("rounds", "play", GAME, "--people", "2", "--seed", SEED, *files).code == 0
    again = certify("rounds", "play", GAME, "--people", "2", "--seed", SEED, *files)
    assert again.code == 2
    assert "people did before" in again.err
    nobody = certify("rounds", "show", "@table/seat-000001", GAME, *files, "--person", "Zoe")
    assert nobody.code == 2
    assert "expected one of person-1, person-2" in nobody.err
    nowhere = certify("rounds", "show", "@table/seat-000009", GAME, *files)
    assert nowhere.code == 2
    assert "nobody sat down at table 'seat-000009'" in nowhere.err
