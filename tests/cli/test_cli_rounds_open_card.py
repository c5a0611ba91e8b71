"""``certify rounds`` on the games with an open dealer's card, as a caller sees it, and over HTTP."""

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from representatives import firsts
from rounds_faulty import faulty
from rounds_game import decks
from rounds_open_card_game import CASINO, CASINO_FILE, HOME_FILE, ForgetsFinalBetOnMalfunction

from certify.cli.rounds import rounds
from certify.rounds.conformance.client import system_factory
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.server import serving
from certify.rounds.play import edition_of
from certify.rounds.system import reference_system
from certify.rounds.table import Command, SeatAction, command_for

SEED = ("--seed", "5a" * 32)
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
BOTH = pytest.mark.parametrize("file", firsts([str(CASINO_FILE), str(HOME_FILE)]), ids=["casino", "home"])


def call(*arguments):
    return CliRunner().invoke(rounds, arguments, standalone_mode=False)


@BOTH
def test_exercise_reports_every_situation(file):
    result = call("exercise", file, "--decks", "2", *SEED, "--format", "json")
    document = json.loads(result.stdout)
    assert result.return_value == 0
    assert document["verdict"] == "satisfied"
    ids = {entry["id"] for entry in document["situations"]}
    assert "open-faces-shown" in ids
    assert ("bets-added-accepted" in ids) is (file == str(CASINO_FILE))
    assert call("exercise", file, "--decks", "1", "--jurisdiction", "ontario", *SEED).return_value == 0


@BOTH
def test_rounds_are_played_shown_and_closed(file, tmp_path):
    key = tmp_path / "key.hex"
    key.write_text("0f" * 32 + "\n")
    key.chmod(0o600)
    files = ("--ledger", str(tmp_path / "rounds.db"), "--deck-key", str(key))
    played = call("play", file, "--rounds", "6", *files, *SEED, "--format", "json")
    assert played.return_value == 0, played.exception
    assert json.loads(played.stdout)["rounds"] == 6
    for number in range(1, 7):
        record = json.loads(call("show", f"seat-{number:06d}", file, *files, "--format", "json").stdout)[0]
        assert record["status"] == "complete"
        assert record["shown_at_deal"].split(" of ")[1] in ("diamonds", "hearts", "spades", "clubs")
        assert f"; {record['shown_at_deal']}" in record["hands"]
        if file == str(CASINO_FILE):
            raised = "stand-1" in record["player_choices"]
            assert record["stakes_added"] == ("ante 900" if raised else "none")
            assert record["total_wagered"] == ("1800" if raised else "900")
    assert "stakes added: " in call("show", "seat-000001", file, *files).stdout
    assert json.loads(call("expire", file, *files, "--format", "json").stdout)["count"] == 0


@pytest.mark.slow
def test_conform_tells_the_story_of_a_forgotten_final_bet():
    passed = call(
        "conform",
        str(CASINO_FILE),
        "--target",
        "certify.rounds.system:reference_system",
        "--stories",
        "30",
        *SEED,
    )
    assert passed.return_value == 0
    with serving(faulty(ForgetsFinalBetOnMalfunction), edition_of(CASINO)) as url:
        failed = call("conform", str(CASINO_FILE), "--target", url, "--stories", "100", "--decks", "3", *SEED)
    assert failed.return_value == 1
    assert "a malfunction returns the stake of every wager" in failed.stdout
    assert "    4. malfunction" in failed.stdout
    assert "decide " in failed.stdout


def test_a_round_with_a_final_bet_over_http():
    with serving(reference_system, edition_of(CASINO)) as url:
        system = system_factory(url)(edition_of(CASINO), 2_700, START)
        system.set_deck(decks(1)[0])
        assert system.perform(Command(SeatAction.PLACE, "ante", 900)).done
        dealt = system.perform(Command(SeatAction.DEAL)).view
        assert dict(dealt.hands)["dealer"] == (decks(1)[0][1],)
        refused = system.perform(Command(SeatAction.DECIDE, decision="hit-9"))
        assert (refused.done, refused.view) == (False, dealt)
        for _ in range(2):
            raised = system.perform(command_for("stand-2"), "k")
            assert (raised.done, raised.view.balance, raised.view.held) == (True, 0, 2_700)
        assert raised.view.stakes == (("ante", 900), ("ante-added", 1_800))
        report = conform(system_factory(url), edition_of(CASINO), decks(3), START, count=8, fixed=False)
        assert report.breach is None
