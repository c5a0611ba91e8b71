"""Play-through of baccarat: the round, the derived table and the second text on the same cards."""

from __future__ import annotations

from pathlib import Path

import pytest
from representatives import firsts

from certify.certification.legs import agreement, agreement_of_rounds
from certify.families.baccarat import second
from certify.mathematics import analyze
from certify.simulation.decks import StreamDecks
from certify.simulation.volume import volume_of
from certify.submission import read_game
from rng.streams import stream

GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))


@pytest.mark.slow
@pytest.mark.parametrize("game", firsts(["baccarat-punto-banco", "baccarat-ez", "baccarat-no-commission"]))
def test_reference_table_and_second_text_agree_card_by_card_and_on_whole_shoes(game: str) -> None:
    submission = read_game(GAMES / game / "game.toml")
    strategy = analyze(submission).strategy
    found = agreement_of_rounds(StreamDecks.of(submission, SEED), 250, submission, strategy)
    assert (found.decks, found.differences) == (250, ())
    assert "second text" in found.legs


def test_an_altered_tableau_of_the_second_text_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = read_game(GAMES / "baccarat-ez/game.toml")
    rows, strategy = StreamDecks.of(game, SEED).deal(0, 400), analyze(game).strategy
    assert not agreement(game, strategy, rows).differences
    monkeypatch.setitem(second.DRAWS, 5, "")
    assert agreement(game, strategy, rows).differences


def test_counts_do_not_depend_on_how_a_campaign_is_cut() -> None:
    game = read_game(GAMES / "baccarat-punto-banco/game.toml")
    counter = volume_of(game).counter(game, analyze(game).strategy)
    whole, parts = stream(SEED, "simulation-decks", 0), stream(SEED, "simulation-decks", 0)
    at_once = counter.count_rounds(whole, 30_000)  # type: ignore[attr-defined]
    first, second, third = (counter.count_rounds(parts, rounds) for rounds in (1, 9_999, 20_000))  # type: ignore[attr-defined]
    assert at_once == first + second + third
    assert at_once.rounds == 30_000
