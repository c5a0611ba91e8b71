"""Three cards against three in the language alone: figures of the family, both readings, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from certify.certification.texts import texts_of
from certify.errors import SubmissionError
from certify.families.described import showdown
from certify.families.driver import play
from certify.families.registry import family_of
from certify.families.several_draws import submitted
from certify.families.witnesses import reachable_witnesses
from certify.mathematics import analyze
from certify.model.game import Game
from certify.simulation import StreamDecks
from certify.simulation.of_game import volume_of
from certify.submission import parse_game, read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
WORDS = (GAMES / "three-card-bonuses/game.toml").read_text("utf-8")
SEED = bytes(range(32))


def game() -> Game:
    return parse_game(WORDS.encode(), "game.toml")


def test_every_wager_has_the_figures_of_the_family_of_three_card_poker() -> None:
    described, written = analyze(game()), analyze(read_game(GAMES / "three-card-poker/game.toml"))
    assert len(WORDS.splitlines()) <= 150
    for mine, theirs in zip(described.wagers, written.wagers, strict=True):
        assert mine.return_to_player == theirs.return_to_player
        assert mine.variance == theirs.variance
        assert mine.hit_frequency == theirs.hit_frequency
    assert [one.best for one in described.decisions] == [one.best for one in written.decisions]


def test_the_second_reading_settles_dealt_rounds_and_every_row_alike() -> None:
    found = texts_of(game(), SEED, analyze(game()).strategy, 300)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())
    assert {(one.wager, one.row) for one in reachable_witnesses(game())} >= {
        (wager.id, row) for wager in game().wagers for row in wager.paytable.ids
    }


def test_play_through_and_its_twin_end_as_the_reference_round() -> None:
    counter = volume_of(game()).counter(game(), analyze(game()).strategy)
    rows = StreamDecks.of(game(), SEED).deal(0, 3_000)
    assert counter.outcomes(rows) == counter.twin(rows)
    assert len({outcome for outcomes in counter.outcomes(rows) for outcome in outcomes}) > 12


def test_what_is_bet_on_changes_nothing_that_is_dealt() -> None:
    whole, nothing = game(), replace(game(), wagers=())
    strategy, row = analyze(whole).strategy, tuple(range(52))
    one, other = (play(family_of(game).reference(game), row, strategy) for game in (whole, nothing))
    assert (one.draws, one.decisions, other.outcomes) == (other.draws, other.decisions, {})


def test_a_dealer_who_always_qualifies_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    submitted._scene.cache_clear()
    showdown.table_of.cache_clear()
    monkeypatch.setattr(showdown, "_least", lambda compiler, readings: 0)
    # Where no hand is too low, the row of one that is stands for no end any more.
    found = analyze(game())
    monkeypatch.undo()
    submitted._scene.cache_clear()
    assert found.wager("ante").return_to_player != analyze(game()).wager("ante").return_to_player


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    [
        ('"3 to dealer covered"', '"4 to dealer covered"', "expected one whole deck, a turn that deals three cards"),
        ("is pair\"", 'is pair of J to A"', "told apart within one kind"),
        ('when = "hand of player with dealer is flush"', 'when = "sum of player by aces-low is 9"', "is read"),
        ("dealer by three-card is at least Q", "dealer by three-card is at least K", "told apart at 2 places"),
        ('{ at = "deal", option = "fold", wager = "ante", row = "lose" },', "", "expected one decision"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused_by_name(said: str, instead: str, message: str) -> None:
    assert said in WORDS
    with pytest.raises(SubmissionError, match=message):
        parse_game(WORDS.replace(said, instead, 1).encode(), "game.toml")
