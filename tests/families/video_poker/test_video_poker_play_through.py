"""Play-through of video poker: reference round and compiled code on the same cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from certify.certification.cross_checks import agreement, agreement_of_rounds
from certify.errors import InputError
from certify.families.video_poker import text
from certify.mathematics import analyze
from certify.model.game import Game
from certify.model.strategy import ChoiceTable
from certify.simulation.decks import StreamDecks
from certify.simulation.volume import volume_of
from rng.streams import stream

SEED = bytes(range(32))


@pytest.mark.parametrize("strategy", ["main-optimal", "hold-list"])
def test_reference_and_kernel_agree_on_small_decks(small: Game, strategy: str) -> None:
    played = analyze(small, strategy).strategy
    found = agreement_of_rounds(StreamDecks.of(small, SEED), 150, small, played)
    assert (found.decks, found.differences, len(found.legs)) == (150, (), 5)


@pytest.mark.slow
def test_reference_and_kernel_agree_on_the_whole_deck(jacks: Game) -> None:
    played = analyze(jacks).strategy
    found = agreement_of_rounds(StreamDecks.of(jacks, SEED), 100, jacks, played)
    assert (found.decks, found.differences) == (100, ())


@pytest.mark.slow
def test_an_altered_rule_of_the_family_is_noticed_by_the_second_text(
    jacks: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = analyze(jacks).strategy
    rows = StreamDecks.of(jacks, SEED).deal(0, 200)
    assert not agreement(jacks, played, rows).differences
    own = text.kind_of
    # Two pair told as three of a kind.
    monkeypatch.setattr(text, "kind_of", lambda *hand: 4 if own(*hand) == 3 else own(*hand))
    assert agreement(jacks, played, rows).differences


def test_counts_do_not_depend_on_how_a_campaign_is_cut(small: Game) -> None:
    counter = volume_of(small).counter(small, analyze(small).strategy)
    whole, parts = stream(SEED, "simulation-decks", 0), stream(SEED, "simulation-decks", 0)
    at_once = counter.count_rounds(whole, 20_000)  # type: ignore[attr-defined]
    first, second, third = (counter.count_rounds(parts, rounds) for rounds in (1, 9_999, 10_000))  # type: ignore[attr-defined]
    assert at_once == first + second + third


def test_strategies_and_rows_of_other_decks_are_refused(jacks: Game, small: Game) -> None:
    with pytest.raises(InputError, match="another deck"):
        volume_of(jacks).counter(jacks, analyze(small).strategy)
    with pytest.raises(InputError, match="another family"):
        volume_of(jacks).counter(jacks, ChoiceTable("main-optimal", "none", frozenset()))
    counter = volume_of(small).counter(small, analyze(small).strategy)
    with pytest.raises(InputError, match="expected"):
        counter.count(np.zeros((1, 70), dtype=np.uint8))


def test_a_hold_that_names_no_hand_is_refused(small: Game) -> None:
    strategy = analyze(small).strategy
    with pytest.raises(InputError, match="five cards"):
        strategy.choose((0, 0, 1, 2, 3), ())
    assert replace(strategy, name="other") != strategy  # type: ignore[type-var]
