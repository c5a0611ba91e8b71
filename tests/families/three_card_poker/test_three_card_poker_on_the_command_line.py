"""Three card poker at the desk: the gate, the life of rounds, and a pack made and verified again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_support import ROOT, SEED, Called

from certify.certification.conditions import _unnamed_strategies
from certify.model.finding import FindingDraft
from certify.model.game import Claim
from certify.submission import read_game

Certify = Callable[..., Called]
GAME = ROOT / "fixtures/games/three-card-poker/game.toml"


def test_the_gate_sees_a_lower_pay_and_another_dealer(
    certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CERTIFY_CACHE", str(tmp_path / "cache"))
    after, text = tmp_path / "game.toml", GAME.read_text("utf-8")
    for old, new in (
        ('title = "Flush"\npays = "4 to 1"', 'title = "Flush"\npays = "3 to 1"'),
        ('value = "queen high"', 'value = "king high"'),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    after.write_text(text, "utf-8")
    document = json.loads(certify("gate", GAME, after, "--format", "json").out)
    found = document["games"][0]["wagers"]
    assert found["pair-plus"]["return"]["delta"] == "-274/5525"
    assert found["ante-play"]["return"]["delta"].lstrip("-") not in {"", "0"}
    assert "return-changed" in {change["id"] for change in document["changes"]}


@pytest.mark.slow
def test_a_pack_is_made_its_rounds_exercised_and_its_whole_run_repeated(
    certify: Certify, tmp_path: Path
) -> None:
    out = tmp_path / "pack"
    made = certify("run", GAME, "--out", out, "--profile", "quick", "--seed", SEED)
    # The bet limits are adopted: somebody must confirm them.
    assert made.code == 1, made.out
    called = certify("verify", out, "--trust", out / "certs/root.pem", "--replay", "--format", "json")
    assert (called.code, json.loads(called.out)["verified"]) == (0, True), called.out


def test_a_strategy_that_another_claim_of_the_source_names_is_no_condition() -> None:
    game = read_game(GAME)
    read = {"ante-play": "play-from-Q-6-4", "pair-plus": "main-optimal"}

    def told(claims: tuple[Claim, ...]) -> list[FindingDraft]:
        results = SimpleNamespace(game=replace(game, claims=claims), strategy_of=read)
        return list(_unnamed_strategies(results))  # type: ignore[arg-type]  # it reads no more than these

    assert [claim.strategy for claim in game.claims] == ["", "play-from-Q-6-4", ""]
    assert told(game.claims) == []
    (draft,) = told(tuple(claim for claim in game.claims if not claim.strategy))
    assert draft.status == "condition"
