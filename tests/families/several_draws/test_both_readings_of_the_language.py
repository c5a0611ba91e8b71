"""Everything that the language of described games can say: both readings of it agree, and planted faults are seen."""

from pathlib import Path

import pytest
from representatives import firsts

from certify.certification.cross_checks import texts_of
from certify.families.described import stages, strengths, submitted
from certify.families.stage_machine import proven
from certify.mathematics import analyze
from certify.submission import parse_game

SEED = bytes(range(32))

WORDS = (Path(__file__).parent / "everything.toml").read_bytes()


def game():
    return parse_game(WORDS, "game.toml")


@pytest.fixture(autouse=True)
def read_anew():
    kept = (proven, strengths.strength, stages._after, submitted._text)
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


@pytest.fixture(scope="module")
def best():
    return analyze(game()).strategy


def differing(best):
    found = texts_of(game(), SEED, best, 200)
    assert found.shared == ()
    return found.differing


def test_both_readings_agree_on_every_state_and_dealt_rounds(best):
    assert differing(best) == 0


def _no_run(ranks, length):
    return -1


@pytest.mark.parametrize(
    ("owner", "name", "fault"),
    firsts(
        [
            (stages, "_won", lambda program, wager, row, values: ((program.wagers[wager], "lose"),)),
            (strengths, "run_of", _no_run),
            (submitted.DescribedPrice, "_net", lambda price, wager, row: price.paytables[wager].pays("win")),
        ]
    ),
    ids=["everything loses", "no straights", "every row pays as a win"],
)
def test_a_fault_in_the_first_reading_is_seen_by_the_second(monkeypatch, best, owner, name, fault):
    monkeypatch.setattr(owner, name, fault)
    assert differing(best) > 0
