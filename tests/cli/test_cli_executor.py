"""Executors from the command line: the same answer, one chunk replayed, workers asked by the doctor."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_support import GAME, ROOT, SEED, Called
from representatives import firsts

Certify = Callable[..., Called]
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
    replayed = json.loads(certify(*JOB, "--chunk", "2").out)
    assert (replayed["chunk"], replayed["of"], replayed["rounds"]) == (2, 3, 50_000)
    assert replayed["sha256"] == kept["sha256"]
    assert sum(replayed["wagers"]["ante"].values()) == 50_000


def test_a_chunk_that_a_campaign_has_not_is_refused(certify):
    called = certify(*JOB, "--chunk", "3")
    assert (called.code, called.out.startswith("{")) == (2, True)
    assert "the campaign has 3 chunks" in called.err + called.out


@pytest.mark.parametrize("command", ["run", "simulate", "doctor"])
def test_an_executor_of_no_known_form_is_a_wrong_call(certify: Certify, command: str, tmp_path: Path) -> None:
    arguments = {
        "run": ("run", GAME, "--out", tmp_path / "pack"),
        "simulate": ("simulate", GAME, "--rounds", "1"),
        "doctor": ("doctor",),
    }
    certify(*arguments[command], "--executor", "dask:tcp://node:8786").expect(
        2, err="expected tls://node:8786"
    )
    assert not list(tmp_path.iterdir())


def test_the_doctor_asks_every_worker_for_its_software(certify):
    called = certify("doctor", "--executor", "processes:2", "--format", "json")
    (part,) = [part for part in json.loads(called.out)["parts"] if part["name"] == "executor"]
    assert part["present"]
    assert part["detail"].startswith("ran on processes:2: 2 workers, ")
