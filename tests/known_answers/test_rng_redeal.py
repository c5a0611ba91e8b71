"""The frozen byte-consumption rule: golden vectors, and a program of its own that deals the same decks."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rng.shuffle import deal_decks, shuffle
from rng.streams import stream, stream_seed

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "fixtures/vectors/redeal/golden-v1.json").read_text())["vectors"]
PROGRAM = ROOT / "docs" / "redeal.py"


def load_program():
    spec = importlib.util.spec_from_file_location("redeal", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REDEAL = load_program()


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda v: f"{v['purpose']}-{v['cards']}-{v['deck_number']}")
def test_against_golden_vectors(vector):
    seed, index = bytes.fromhex(vector["master_seed"]), int(vector["index"])
    assert stream_seed(seed, vector["purpose"], index).hex() == vector["stream_seed"]
    words = stream(seed, vector["purpose"], index)
    assert [f"{words.word():016x}" for _ in range(4)] == vector["first_words"]
    source = stream(seed, vector["purpose"], index)
    decks = deal_decks(source, vector["deck_number"] + 1, vector["cards"])
    assert decks[-1].tolist() == vector["deck"]


def test_plain_shuffle_gives_the_golden_first_deck():
    for vector in (v for v in GOLDEN if v["deck_number"] == 0):
        source = stream(bytes.fromhex(vector["master_seed"]), vector["purpose"], int(vector["index"]))
        assert list(shuffle(source, vector["cards"])) == vector["deck"]


@pytest.mark.parametrize(("purpose", "index"), [("simulation-decks", 5), ("evidence-sample", 2**63)])
def test_the_program_of_its_own_deals_the_same_decks(purpose, index):
    seed = bytes(range(100, 164))
    theirs = REDEAL.redeal(seed, purpose, index, 0, 3000)
    assert deal_decks(stream(seed, purpose, index), 3000, 40).tolist() == theirs


def test_the_program_runs_without_the_product():
    text = PROGRAM.read_text()
    assert "import rng" not in text
    assert "from rng" not in text
    assert "certify" not in text
    done = subprocess.run(
        [sys.executable, "-I", str(PROGRAM), bytes(32).hex(), "export", "0", "1", "2"],
        capture_output=True,
        text=True,
        check=True,
    )
    decks = [[int(card) for card in line.split()] for line in done.stdout.splitlines()]
    assert decks == deal_decks(stream(bytes(32), "export", 0), 3, 40).tolist()[1:]
