"""``import certify``: the page and the notebook that show it run, and its figures are those of the command line."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import certify
from certify.errors import InputError

ROOT = Path(__file__).parents[2]
README, PAGE = (
    re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.S)
    for name in ("README.md", "docs/how-to/python.md")
)
NOTEBOOK = json.loads((ROOT / "docs/how-to/python.ipynb").read_text("utf-8"))
RED_DOG = Fraction(16052, 16575)
"""Return of Red Dog with one deck by best play. Source: Wizard of Odds, Red Dog."""


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    "blocks", [PAGE[:-1], pytest.param(PAGE, marks=pytest.mark.slow)], ids=["page", "pack"]
)
def test_every_block_of_the_page_runs(blocks, capsys):
    space = {}
    for block in blocks:
        exec(block, space)  # noqa: S102
    said = capsys.readouterr().out
    assert "16052/16575" in said
    exec(README[0].replace("my-table", "fixtures/games/red-dog"), {})  # noqa: S102
    assert "Fraction(16052, 16575)" in capsys.readouterr().out
    assert "Unique: exactly one of 28 candidates" in said
    assert space["figures"].returns == {"bet": RED_DOG}
    assert space["played"].verdicts == {"bet": "inconclusive"}
    assert space["wager"].equivalence.rounds_needed > 10**8
    assert space["svg"].startswith("<svg")
    assert space["report"].passes
    if "pack" in space:
        assert (space["pack"].exit_code, certify.verify(space["pack"]).holds) == (0, True)


def test_every_cell_of_the_notebook_runs():
    cells = ["".join(one["source"]) for one in NOTEBOOK["cells"] if one["cell_type"] == "code"]
    space = {}
    for cell in cells:
        exec(cell, space)  # noqa: S102
    assert "<td>three-of-a-kind</td>" in space["figures"]._repr_html_()
    assert repr(space["figures"]) == "Figures({'bet': Fraction(16052, 16575)})"
    assert {"load", "run", "verify"} <= {*dir(certify)}


@pytest.mark.parametrize(
    ("values", "below", "says"),
    [
        ([], None, "decks of 0 cards"),
        ([[1, 2, 3]], None, "decks of 3 cards"),
        ([38], 37, "37"),
        ([[*range(51), 52]], None, "card 52"),
    ],
)
def test_values_that_are_no_sample_are_refused(values, below, says):
    with pytest.raises(Exception, match=says) as refused:
        certify.test_random(values, below)
    assert isinstance(refused.value, InputError) or type(refused.value).__module__.startswith(
        ("certify", "rng")
    )


def test_names_and_wagers_that_are_not_there_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        certify.lode  # noqa: B018
    with pytest.raises(InputError, match="no wager 'side': expected one of bet"):
        certify.load("fixtures/games/red-dog").simulate(1000, seed=bytes(32)).plot("side")


@given(st.lists(st.fixed_dictionaries({"a": st.fractions(), "b": st.text()})))
def test_a_table_keeps_every_fraction_and_escapes_every_text(rows):
    table = certify.Records(rows)
    for row, record in zip(rows, table.records(), strict=True):
        assert Fraction(record["a_exact"]) == row["a"]
        assert record["a"] == float(row["a"])
    assert "<script" not in certify.Records([{"b": "<script>"}])._repr_html_()
