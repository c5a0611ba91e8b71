"""Play-through of baccarat: reference round, compiled code and twin on the same cards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from certify.certification.legs import agreement, agreement_of_rounds
from certify.errors import InputError
from certify.families.baccarat.exact.port import NO_DECISIONS
from certify.families.baccarat.volume import kernel, settlement, twin
from certify.families.baccarat.volume.settlement import DRAWS
from certify.simulation.decks import StreamDecks
from certify.simulation.of_game import volume_of
from certify.submission import read_game
from rng.lazy_rounds import whole_decks
from rng.shuffle import shuffle
from rng.streams import stream

GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))


@pytest.mark.parametrize("game", ["baccarat-punto-banco", "baccarat-ez", "baccarat-no-commission"])
def test_reference_kernel_and_twin_agree_card_by_card_and_on_whole_shoes(game: str) -> None:
    submission = read_game(GAMES / game / "game.toml")
    found = agreement_of_rounds(StreamDecks.of(submission, SEED), 250, submission, NO_DECISIONS)
    assert (found.decks, found.differences) == (250, ())
    assert len(found.legs) == 5


def test_an_altered_tableau_of_the_twin_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = read_game(GAMES / "baccarat-ez/game.toml")
    rows = StreamDecks.of(game, SEED).deal(0, 400)
    assert not agreement(game, NO_DECISIONS, rows).differences
    altered = (*DRAWS[:5], (0,) * 11, *DRAWS[6:])
    monkeypatch.setattr(twin, "DRAWS", altered)
    assert agreement(game, NO_DECISIONS, rows).differences


def test_counts_do_not_depend_on_how_a_campaign_is_cut() -> None:
    game = read_game(GAMES / "baccarat-punto-banco/game.toml")
    counter = volume_of(game).counter(game, NO_DECISIONS)
    whole, parts = stream(SEED, "simulation-decks", 0), stream(SEED, "simulation-decks", 0)
    at_once = counter.count_rounds(whole, 30_000)  # type: ignore[attr-defined]
    cut = sum(counter.count_rounds(parts, rounds) for rounds in (1, 9_999, 20_000))  # type: ignore[attr-defined]
    assert np.array_equal(at_once, cut)
    assert at_once.sum() == 30_000


def test_every_code_of_an_end_has_one_outcome_in_each_wager() -> None:
    game = read_game(GAMES / "baccarat-punto-banco/game.toml")
    for wager in game.wagers:
        known = settlement.outcomes_of(wager.id, game.rules)  # type: ignore[arg-type]
        for code in range(settlement.ENDS):
            assert settlement.settled(code, wager.id, game.rules) in known  # type: ignore[arg-type]


def test_rows_of_another_shoe_are_refused() -> None:
    game = read_game(GAMES / "baccarat-ez/game.toml")
    with pytest.raises(InputError, match="expected 6 cards"):
        kernel.play(np.zeros((1, 5), dtype=np.uint8), settlement.tables_of(game.equipment[0]))


def test_whole_decks_of_any_size_are_those_of_the_shuffle() -> None:
    starts = np.array([0, 70, 200], dtype=np.int64)
    dealt = whole_decks(stream(SEED, "export", 3), starts, 416)
    for row, start in zip(dealt, starts.tolist(), strict=True):
        words = stream(SEED, "export", 3)
        words.skip_to(start)
        assert tuple(row.tolist()) == shuffle(words, 416)
