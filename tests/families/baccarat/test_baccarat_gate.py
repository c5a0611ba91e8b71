"""The gate on a card game: a changed pay is told with its exact effect."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_support import ROOT, Called

from certify.mathematics import analyze
from certify.submission import read_game

EZ = ROOT / "fixtures/games/baccarat-ez"


@pytest.mark.slow
def test_two_units_less_for_a_dragon_cost_two_dragons_exactly(
    certify: Callable[..., Called], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(EZ, tmp_path / "baccarat-ez")
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for command in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "as printed")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    changed = tmp_path / "baccarat-ez/game.toml"
    text = changed.read_text("utf-8")
    assert text.count('"40 to 1"') == 1
    changed.write_text(text.replace('"40 to 1"', '"38 to 1"'), "utf-8")
    monkeypatch.chdir(tmp_path)
    called = certify("gate", "git:HEAD", ".", "--isolated", "--no-cache", "--format", "json")
    dragon = analyze(read_game(EZ / "game.toml")).wager("dragon-7")
    won = next(one.probability for one in dragon.outcomes if one.id == "win")
    assert called.code == 1
    assert str(-2 * won) in called.out
    kinds = {one["id"] for one in json.loads(called.out)["changes"]}
    assert {"paytable-row-changed", "return-changed", "claim-stale", "version-not-bumped"} <= kinds
