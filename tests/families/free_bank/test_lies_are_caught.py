"""The five lies about these games, each told to a check that catches it; the slow tests tell some of them at length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import faulty_tables
import pytest
from free_bank_tables import game_of, row_of
from representatives import firsts

from certify.errors import InputError
from certify.families.free_bank.chart_files import bank_text, player_text
from certify.families.free_bank.exact import equilibrium
from certify.families.free_bank.exact.equilibrium import bracket
from certify.families.free_bank.exact.port import BANK_FILE, PLAYER_FILE, _offer
from certify.model.finding import Verdict
from certify.rounds import exercise as exercising
from certify.rounds import play
from certify.rounds.conformance.judge import tell
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.conformance.story import Ask, Story
from certify.rounds.play import edition_of
from certify.rounds.system import reference_system
from certify.rounds.table import Command, SeatAction, SystemFactory, command_for
from tests.families.free_bank.test_exact_on_small_decks import SETTE

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def story(*decisions: str) -> Story:
    asked = (Command(SeatAction.PLACE, "bet", 100), Command(SeatAction.DEAL), *map(command_for, decisions))
    return Story(tuple(Ask(one) for one in (*asked, Command(SeatAction.SETTLE))))


@pytest.fixture
def quick_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learns what a game offers at its shortest rounds, and keeps it for nobody else."""
    monkeypatch.setattr(play, "SURVEYED_STAKES", 1_000)
    monkeypatch.setattr(play, "SURVEYED", 100)
    monkeypatch.setattr(play, "_surveyed", cache(play._surveyed.__wrapped__))


LIES = {
    "shows_the_covered_card": ("sept-et-demi", "2 5 3 6", "hit", PromiseId.CARDS, "bank 16"),
    "returns_ties": ("sept-et-demi", "6 6 2 2", "stand stand", PromiseId.PAID, "returned bet 100"),
    "swaps_after_a_hit": ("sette-e-mezzo", "4 7 2 7 7", "cover hit", PromiseId.OPTIONS, "hit, swap"),
    "splits_half_the_bet": ("siete-y-media", "J 7 Q 7 7 7", "cover hit split", PromiseId.ADDED, "held 750"),
}
"""By system: a game, cards and decisions by which it shows, the promise that is broken, and what is seen."""

SITUATIONS = {
    "shows_the_covered_card": "open-faces-shown",
    "returns_ties": "settlement",
    "swaps_after_a_hit": "open-faces-shown",
    "splits_half_the_bet": "bets-accepted",
}


# Learning what the last two offer takes a walk over many points.
@pytest.mark.parametrize("lie", firsts(LIES, 2))
def test_a_table_that_breaks_a_rule_is_found_by_the_exercise_and_a_sound_one_is_not(
    lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play.Play, "witnesses", lambda self, decks: ())
    situations = exercising.situations_of
    monkeypatch.setattr(
        exercising,
        "situations_of",
        lambda play: [one for one in situations(play) if one.id == SITUATIONS[lie]],
    )
    cards = "7 7 7 7" if lie in list(LIES)[:2] else LIES[lie][1]
    cheating: SystemFactory = getattr(faulty_tables, lie)
    for under_test, verdict in (
        (cheating, Verdict.NOT_SATISFIED),
        (lambda *given: reference_system(*given), Verdict.SATISFIED),
    ):
        report = exercising.exercise(game_of(LIES[lie][0]), [row_of(cards)], START, system=under_test)
        assert report.verdict is verdict


@pytest.mark.usefixtures("quick_look")
@pytest.mark.parametrize("lie", LIES)
def test_a_table_that_lies_is_caught_in_one_round_and_a_sound_one_is_not(lie: str) -> None:
    name, cards, decisions, promise, seen = LIES[lie]
    edition, told = edition_of(game_of(name)), story(*decisions.split())
    lying: SystemFactory = getattr(faulty_tables, lie)
    assert tell(told, reference_system, edition, [row_of(cards)], START, 10_000) is None
    breach = tell(told, lying, edition, [row_of(cards)], START, 10_000)
    assert breach is not None
    assert breach.promise is promise
    assert seen in breach.observed
    assert seen not in breach.expected


def offered(files: Mapping[str, bytes]) -> equilibrium.ProvenPair:
    """Proves the strategies of a pack, on a small deck, without searching."""
    _offer(SETTE, files, PLAYER_FILE, BANK_FILE)
    return equilibrium.equilibrium(SETTE, WIDTH)


WIDTH = equilibrium.STANDARD_WIDTH


def test_a_certificate_with_one_strategy_altered_has_another_bracket_or_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = equilibrium.equilibrium.__wrapped__(SETTE, WIDTH)
    sound = {
        PLAYER_FILE: player_text(found.player, "mine").encode(),
        BANK_FILE: bank_text(found.bank, "its").encode(),
    }
    monkeypatch.setattr(equilibrium, "_OFFERED", {})
    monkeypatch.setattr(equilibrium, "Programme", None)  # nothing can be searched for
    equilibrium.equilibrium.cache_clear()
    try:
        assert offered(sound).bracket == found.bracket
        for side, text, altered in (
            (PLAYER_FILE, player_text, replace(found.player, by_cards=found.player.by_cards[1:], least=1)),
            (BANK_FILE, bank_text, replace(found.bank, by_cards=(), by_total=())),
        ):
            equilibrium.equilibrium.cache_clear()
            pair = (altered, found.bank) if side == PLAYER_FILE else (found.player, altered)
            assert bracket(SETTE, *pair) != found.bracket
            with pytest.raises(InputError, match="leave a bracket"):
                offered(sound | {side: text(altered, "altered").encode()})
    finally:
        equilibrium.equilibrium.cache_clear()
