"""The text that plays a game and the one written apart: they agree, and a fault planted in either is seen."""

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from inspect import unwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
from representatives import only

from certify.analysis.hands import strength as hands
from certify.certification.cross_checks import texts_of
from certify.certification.play_through import audit_decks
from certify.clauses.checks.playthrough import two_texts
from certify.evidence import Texts
from certify.families.caribbean_stud.text import CaribbeanStud
from certify.families.described import stages, submitted as described
from certify.families.described.submitted import DescribedPrice
from certify.families.open_card import second as open_card_second
from certify.families.second_text import shared_code
from certify.families.stage_machine import proven
from certify.families.video_poker import text as video_poker_text
from certify.mathematics import analyze
from certify.model import Game, Verdict
from certify.simulation import StreamDecks
from certify.submission import read_game

HERE = Path(__file__).parent
GAMES = HERE.parents[1] / "fixtures/games"
SEED = bytes(range(32))


@pytest.fixture(autouse=True)
def read_anew() -> Iterator[None]:
    kept = (proven, hands.strength_of, stages._after, described._text)
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


def submitted(name: str) -> Game:
    """A game of the fixtures, or of a file that tests a family."""
    return read_game(HERE / name if name.endswith(".toml") else GAMES / name / "game.toml")


def verdict_of(found: Texts | None) -> Verdict:
    (answer,) = two_texts(SimpleNamespace(texts=found))  # type: ignore[arg-type]
    return answer.verdict


STAGED = (
    *("baccarat-ez", "baccarat-no-commission", "craps", "us5632489-casino", "dragon-tiger", "casino-war"),
    *("red-dog", "andar-bahar", "let-it-ride", "sic-bo", "roulette-layout", "craps-layout"),
    "several_draws/everything.toml",
)
OTHERS = ("three-card-poker", "caribbean-stud", "deuces-wild-full-pay")
QUICK = ("baccarat-ez", "craps", "us5632489-casino", "dragon-tiger", "sic-bo", STAGED[-1], "caribbean-stud")


@pytest.mark.parametrize("name", only((*STAGED, *OTHERS), *QUICK))
def test_both_texts_settle_every_state_and_dealt_rounds_alike(name: str) -> None:
    game = submitted(name)
    strategy = analyze(game).strategy
    found = texts_of(game, SEED, strategy, 300 if name in STAGED else 2_000)
    assert found is not None
    assert found.second is not None
    assert (found.differing, found.dealt, found.shared) == (0, 300 if name in STAGED else 200, ())
    assert (found.merging is not None) == (name in STAGED)
    assert found.merging is None or found.deals >= found.merging.states - 1
    assert verdict_of(found) is Verdict.SATISFIED
    audit, _ = audit_decks(game, strategy, SEED, StreamDecks.of(game, SEED).deal(0, 30), 20)
    assert audit.stake_runs >= 10
    assert (audit.stake_differences, audit.replay_differences) == (0, 0)


added, net, kind_of = stages._added, DescribedPrice._net, video_poker_text.kind_of
EVERYTHING = ("several_draws/everything.toml", "main-optimal")


@pytest.mark.parametrize(
    ("name", "strategy", "owner", "attribute", "fault"),
    [
        # A sum of three does not take up the next card: the text that plays merges the same states.
        (
            "baccarat-ez",
            "main-optimal",
            stages,
            "_added",
            lambda *read: read[1] if read[1] == 3 else added(*read),
        ),
        ("craps", "always:lay", DescribedPrice, "_net", lambda *end: net(*end) * (1 + (end[2] == "lay-5-9"))),
        # A fault of the second text.
        ("us5632489-casino", "main-optimal", open_card_second, "BEST", 7),
        ("caribbean-stud", "main-optimal", CaribbeanStud, "adds", Fraction(1)),
        ("sic-bo", "main-optimal", stages, "_reduced", lambda register, value: -1),
        (*EVERYTHING, stages, "_won", lambda program, wager, row, values: ((program.wagers[wager], "lose"),)),
        (*EVERYTHING, hands, "run_of", lambda ranks, length: -1),
        (*EVERYTHING, DescribedPrice, "_net", lambda price, wager, row: price.paytables[wager].pays("win")),
        # Two pair told as three of a kind.
        pytest.param(
            *("jacks-or-better-9-6", "main-optimal", video_poker_text, "kind_of"),
            lambda *hand: 4 if kind_of(*hand) == 3 else kind_of(*hand),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_fault_of_either_text_is_seen_by_the_other(
    monkeypatch: pytest.MonkeyPatch, name: str, strategy: str, owner: object, attribute: str, fault: object
) -> None:
    game = submitted(name)
    played = analyze(game, strategy).strategy
    proven.cache_clear()
    # What was looked up before, and what a fault gives, is kept for nobody.
    monkeypatch.setattr(stages, "_reduced", unwrap(stages._reduced))
    monkeypatch.setattr(owner, attribute, fault)
    found = texts_of(game, SEED, played, 50 if name in STAGED else 2_000)
    assert found is not None
    assert found.differing > 0
    assert verdict_of(found) is Verdict.NOT_SATISFIED


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
