"""``certify analyze --explain`` and the whole stake, as a caller sees them."""

import json
from pathlib import Path

from click.testing import CliRunner

from certify.cli.analyze import analyze

GAME = str(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def call(*arguments):
    return CliRunner().invoke(analyze, [GAME, *arguments], standalone_mode=False)


def test_explain_prints_the_tree_of_a_hand():
    result = call("--explain", "4", "--format", "json")
    found = json.loads(result.output)
    assert (found["best"], found["stand"], found["hit"]) == (
        "hit",
        "-4421119/9787869",
        "-11219906/29363607",
    )
    assert call("--explain", "4", "--format", "text").output.splitlines()[-1] == "best: hit"


def test_stakes_add_the_figures_of_the_whole_stake():
    stakes = "main=1,mano-di-poker=1/2"
    document = json.loads(
        call("--strategy", "jointly-optimal", "--stakes", stakes, "--format", "json").output
    )
    assert document["joint"]["stakes"] == {"main": "1", "partita-perfetta": "0", "mano-di-poker": "1/2"}
    assert "whole stake: return" in call("--stakes", stakes, "--format", "text").output
