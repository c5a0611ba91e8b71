"""``certify families``: what is at hand, and what each family brings."""

import json
import subprocess
import sys

import pytest

from certify.cli.main import run


def test_a_command_runs_where_docstrings_were_taken_out() -> None:
    schema = [sys.executable, "-OO", "-m", "certify.evidence"]
    assert json.loads(subprocess.run(schema, capture_output=True, check=True).stdout)["title"]


def test_each_family_built_in_is_listed_with_what_it_brings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["families", "--format", "json"]) == 0
    listed = {family["id"]: family for family in json.loads(capsys.readouterr().out)["families"]}
    assert {"sette-e-mezzo", "seven-and-a-half-open-card"} <= listed.keys()
    for family in listed.values():
        assert {"rules", "reference"} <= set(family["brings"])
    assert "printed" in listed["seven-and-a-half-open-card"]["brings"]
    assert "printed" not in listed["sette-e-mezzo"]["brings"]
