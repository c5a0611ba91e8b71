"""The text that plays a game and the one written apart: they agree, and a fault planted in either is seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from representatives import firsts, only

from certify.certification.cross_checks import texts_of
from certify.clauses.checks.playthrough import two_texts
from certify.families.caribbean_stud.text import CaribbeanStud
from certify.families.described import stages
from certify.families.described.submitted import DescribedPrice
from certify.families.open_card import second as open_card_second
from certify.families.second_text import shared_code
from certify.families.stage_machine import proven
from certify.mathematics import analyze
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
SEED = bytes(range(32))


@pytest.fixture(autouse=True)
def walked_anew() -> None:
    proven.cache_clear()


def submitted(name: str) -> Game:
    return read_game(GAMES / name / "game.toml")


def verdict_of(game: Game, rounds: int = 300) -> Verdict:
    class Found:
        texts = texts_of(game, SEED, analyze(game).strategy, rounds)

    (answer,) = two_texts(Found())  # type: ignore[arg-type]
    return answer.verdict


@pytest.mark.parametrize(
    "name",
    only(
        ["baccarat-ez", "baccarat-no-commission", "craps", "us5632489-casino"],
        "baccarat-ez",
        "craps",
        "us5632489-casino",
    ),
)
def test_both_texts_settle_every_state_and_dealt_rounds_alike(name: str) -> None:
    game = submitted(name)
    found = texts_of(game, SEED, analyze(game).strategy, 300)
    assert found is not None
    assert (found.differing, found.dealt, found.shared) == (0, 300, ())
    assert found.deals >= found.merging.states - 1
    assert verdict_of(game) is Verdict.SATISFIED


def test_a_wrong_rule_of_the_text_that_plays_is_seen_by_the_second_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = stages._added
    # A sum of three does not take up the next card.
    monkeypatch.setattr(stages, "_added", lambda *read: read[1] if read[1] == 3 else right(*read))
    found = texts_of(submitted("baccarat-ez"), SEED, analyze(submitted("baccarat-ez")).strategy, 10)
    assert found is not None
    assert found.merging.arrows
    assert found.differing > 0
    assert verdict_of(submitted("baccarat-ez"), 10) is Verdict.NOT_SATISFIED


def test_a_wrong_price_of_the_text_that_plays_is_seen_by_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    right = DescribedPrice._net
    monkeypatch.setattr(DescribedPrice, "_net", lambda *end: right(*end) * (1 + (end[2] == "lay-5-9")))
    game = submitted("craps")
    found = texts_of(game, SEED, analyze(game, "always:lay").strategy, 50)
    assert found is not None
    assert all("dont-pass" in one for one in found.differences)
    assert found.differing > 0


def test_a_fault_of_the_second_text_is_seen_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_card_second, "BEST", 7)
    assert verdict_of(submitted("us5632489-casino"), 10) is Verdict.NOT_SATISFIED


TABLE = {"first": 1}


def reads_one(card: str) -> int:
    return TABLE[card]


def reads_other(card: str) -> int:
    return len(card) + TABLE["first"]


def test_a_table_that_both_texts_name_is_shared() -> None:
    assert shared_code(reads_one, reads_other) == (f"{__name__}.TABLE",)


def looks_at_its_caller(card: str) -> int:
    return int(sys._getframe(1).f_locals["one"])


def around(told: Callable[[str], int]) -> Callable[[str], int]:
    def asks(card: str) -> int:
        return told(card)

    return asks


def left_out(card: str, told: Callable[[str], int] = reads_one) -> int:
    return told(card)


class Called:
    """A second text that is no function."""

    def __call__(self, card: str) -> int:
        """Asks the first."""
        return reads_one(card)


FIRST = f"{__name__}.reads_one"


@pytest.mark.parametrize(
    ("second", "named"),
    [
        (looks_at_its_caller, f"{__name__}.looks_at_its_caller, by _getframe, f_locals"),
        (around(reads_one), FIRST),
        (left_out, FIRST),
        (partial(lambda told, card: told(card), reads_one), FIRST),
        (Called(), FIRST),
        (Called().__call__, FIRST),
    ],
    ids=["frames", "a function around it", "what is left out", "a part", "an object", "a method"],
)
def test_a_second_text_that_comes_to_the_first_by_a_side_door_is_named(
    second: Callable[..., object], named: str
) -> None:
    assert named in shared_code(reads_one, second)


@pytest.mark.parametrize("name", firsts(["three-card-poker", "caribbean-stud", "deuces-wild-full-pay"]))
def test_games_that_are_not_in_stages_have_both_texts_named_and_compared(name: str) -> None:
    game = submitted(name)
    found = texts_of(game, SEED, analyze(game).strategy, 2_000)
    assert found is not None
    assert found.second is not None
    assert found.merging is None
    assert (found.dealt, found.differing, found.shared) == (200, 0, ())


def test_a_wrong_price_of_a_game_that_is_not_in_stages_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CaribbeanStud, "adds", Fraction(1))
    game = submitted("caribbean-stud")
    assert verdict_of(game, 1_000) is Verdict.NOT_SATISFIED
