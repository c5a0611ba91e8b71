"""A round with an open dealer's card and a final bet: what it costs, and what ledger and recall keep of it."""

import itertools
import sqlite3
from dataclasses import replace
from fractions import Fraction

import pytest
from cli_support import refuses
from rounds_game import decks, game
from rounds_open_card_game import CASINO, HOME, WINS
from rounds_table import START

from certify.certification.recalled_rounds import recalled_rounds
from certify.clauses.jurisdiction import regime_of
from certify.clock import SteppedClock
from certify.errors import InputError, TrustError
from certify.families.open_card.rules import rules_of
from certify.model.finding import Verdict
from certify.rounds.conformance.client import system_factory
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.server import serving
from certify.rounds.conformance.wire import asked_from_json, asked_to_json
from certify.rounds.events import (
    SessionOpened,
)
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.machine import Machine
from certify.rounds.money import Rounding, returned_on
from certify.rounds.play import Play, calmest, edition_of, funds_for
from certify.rounds.recall import (
    NOT_OFFERED,
    check_recall,
    missing_fields,
    recall,
    to_csv,
    to_text,
    verify_replay,
)
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import Vault
from certify.rounds.system import reference_system
from certify.rounds.table import Command, SeatAction, command_for

OPTIONS = ("fold", "stand-1", "hit-1", "stand-2", "hit-2")


def test_what_a_round_can_cost():
    plays = [edition_of(played).play for played in (CASINO, HOME, game())]
    stakes = ((("ante", 300),), (("ante", 100),), (("main", 300), ("mano-di-poker", 100)))
    assert [funds_for(*each) for each in zip(plays, stakes, strict=True)] == [900, 100, 400]
    assert [calmest(play) for play in plays] == ["stand-1", "stand", "stand"]
    drawing = replace(CASINO, rules=replace(rules_of(CASINO), player_may_stand_on_first_card=False))
    assert calmest(edition_of(drawing).play) == "hit-1"


def test_a_family_without_rounds_is_refused():
    with pytest.raises(InputError, match="unknown family of games 'faro'"):
        edition_of(replace(CASINO, family="faro"))


def test_a_final_bet_is_whole_coins_and_is_not_rounded():
    for rule, returned in ((Rounding.DOWN, 6), (Rounding.UP, 7), (Rounding.HALF_EVEN, 6)):
        # An ante of 1 with a final bet of 1 at 3 to 2 on both: 1 + 1 + 3, and half a coin where pays are odd.
        assert returned_on(1, Fraction(7, 2), rule, 2) == returned
    with pytest.raises(ValueError, match="and what was added: expected -3 or more"):
        returned_on(100, Fraction(-4), Rounding.DOWN, 200)


def test_commands_by_name_travel_over_the_wire():
    for option in (*OPTIONS, "hit", "stand"):
        command = command_for(option)
        assert asked_from_json(asked_to_json(command, "k")) == (command, "k")
    assert "decision" not in asked_to_json(Command(SeatAction.DEAL), "")
    assert asked_to_json(command_for("hit-2"), "")["decision"] == "hit-2"
    refuses(
        InputError,
        ("as text", lambda: asked_from_json({"action": "decide", "decision": 2})),
        ("deal takes no decision", lambda: asked_from_json({"action": "deal", "decision": "hit-2"})),
    )


class Room:
    """A ledger in a folder."""

    def __init__(self, path, played=CASINO, play=None):
        edition = edition_of(played, software="5f" * 32)
        self.edition = edition if play is None else replace(edition, play=play)
        self.clock = SteppedClock(START)
        self.path = path
        self.machine = Machine({edition.sha256: self.edition}, edition.sha256, self.clock)
        self.decks = itertools.cycle((WINS,))
        self.ledger = Ledger(SqliteStore(path), self.machine, Vault(bytes(32)), lambda _: next(self.decks))
        self.ledger.open("a", SessionOpened("p", "session-1", "US", "market"), 100_000)

    def play(self, *commands):
        asked = (Command(SeatAction.PLACE, "ante", 300), Command(SeatAction.DEAL), *commands)
        if self.edition.game is HOME:
            asked = (Command(SeatAction.PLACE, "ante", 100), *asked[1:])
        replies = self.ledger.perform_all(LedgerRequest("a", command) for command in asked)
        assert all(reply.done for reply in replies), replies
        return replies[-1].view


@pytest.fixture
def room(tmp_path):
    made = Room(tmp_path / "ledger.db")
    yield made
    made.ledger.close()


def test_recall_shows_the_final_bet_and_the_open_card(room):
    room.play(command_for("hit-2"), Command(SeatAction.SETTLE))
    record = recall(room.ledger, "a-000001")
    assert (record.shown_at_deal, record.stakes_added) == ("dealer A of diamonds", "ante 600")
    assert (record.stakes, record.total_wagered) == ("ante 300, ante-added 600", "900")
    assert (record.results, record.total_won) == ("ante: win-final-2, net 3, returned 1800", "1800")
    assert record.hands.startswith("player 7 of diamonds, Q of diamonds; dealer A of diamonds")
    assert record.player_choices.endswith("hit-2 of fold/stand-1/hit-1/stand-2/hit-2")
    assert record.intermediate_phases == "bet-placed, cards-dealt, stake-added, round-settled"
    assert int(record.funds_after) - int(record.funds_before) == 900
    assert missing_fields(record) == ()
    assert "shown at deal: dealer A of diamonds\nstakes added: ante 600" in to_text(record)
    assert ",shown_at_deal,stakes_added," in to_csv((record,)).splitlines()[0]


def test_recall_of_folded_undealt_and_voided_rounds(room):
    room.play(command_for("fold"), Command(SeatAction.SETTLE))
    room.play(command_for("stand-1"), Command(SeatAction.MALFUNCTION))
    room.ledger.perform(LedgerRequest("a", Command(SeatAction.PLACE, "ante", 300)))
    folded, voided, undealt = (recall(room.ledger, f"a-00000{number}") for number in (1, 2, 3))
    assert (folded.stakes_added, folded.total_wagered, folded.total_won) == ("none", "300", "0")
    assert (voided.stakes_added, voided.total_wagered, voided.refunded) == ("ante 300", "600", "600")
    assert (undealt.shown_at_deal, undealt.stakes_added) == ("nothing was dealt",) * 2
    assert check_recall((folded, voided, undealt)).verdict is Verdict.SATISFIED


def test_a_game_without_a_final_bet_says_so(tmp_path):
    made = Room(tmp_path / "home.db", HOME)
    made.play(command_for("stand"), Command(SeatAction.SETTLE))
    record = recall(made.ledger, "a-000001")
    assert (record.shown_at_deal, record.stakes_added) == ("dealer A of diamonds", NOT_OFFERED)
    assert missing_fields(record) == ()
    made.ledger.close()


def test_a_record_without_its_open_card_or_final_bet_is_a_failed_check(room):
    room.play(command_for("hit-2"), Command(SeatAction.SETTLE))
    record = recall(room.ledger, "a-000001")
    for name in ("shown_at_deal", "stakes_added"):
        check = check_recall((record, replace(record, **{name: ""})))
        assert check.verdict is Verdict.NOT_SATISFIED
        assert check.observed.startswith(f"missing: {name} (GLI-19 4.14.2")


class HiddenCardPlay(Play):
    """Deals as the rules say, and keeps the dealer's open card to itself."""

    def position(self, row, decisions):
        position = super().position(row, decisions)
        return replace(position, hands=(position.hands[0], ("dealer", ())))


def test_a_ledger_that_hides_the_open_card_is_found(tmp_path):
    hiding = HiddenCardPlay(CASINO, edition_of(CASINO).play.reference)
    made = Room(tmp_path / "hidden.db", CASINO, hiding)
    made.play(command_for("stand-1"), Command(SeatAction.SETTLE))
    # By its own rules the record replays, and lacks the card; by those of the submission it does not replay.
    record = recall(made.ledger, "a-000001")
    assert missing_fields(record) == ("shown_at_deal (GLI-19 4.14.2)",)
    honest = edition_of(CASINO)
    machine = Machine({honest.sha256: honest}, honest.sha256, made.clock)
    with pytest.raises(TrustError, match="event 4 of round a-000001 does not replay"):
        verify_replay(machine, "a", tuple(made.ledger.journal.events("a")), "a-000001")
    made.ledger.close()


def test_the_ledger_takes_no_second_final_bet_for_a_round(room):
    room.play(command_for("stand-1"))
    again = """INSERT INTO record SELECT (SELECT max(number) + 1 FROM record), seat, round, kind, event, sealed,
      '', command, previous, round_previous, digest, mark FROM record WHERE kind = 'stake-added'"""
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        room.ledger.journal.store._connection.execute(again)


def test_a_key_places_its_final_bet_once_across_a_restart(room):
    room.play()
    request = LedgerRequest("a", command_for("hit-2"), "k")
    first = room.ledger.perform(request)
    room.ledger.close()
    room.ledger = Ledger(SqliteStore(room.path), room.machine, Vault(bytes(32)), lambda _: WINS)
    assert room.ledger.perform(request).view == first.view
    assert room.ledger.seat("a").held == 900
    other = room.ledger.perform(LedgerRequest("a", command_for("stand-1"), "k"))
    assert other.refusal.startswith("key 'k' was used for another command")
    assert room.ledger.close_due().paid == 1800


@pytest.mark.parametrize("played", [CASINO, HOME], ids=["casino", "home"])
def test_rounds_of_a_run_are_recalled_with_every_decision(played):
    records = recalled_rounds(played, regime_of(), bytes(32), START)
    assert check_recall(records).verdict is Verdict.SATISFIED
    assert {record.status for record in records} == {"complete", "void"}
    assert records == recalled_rounds(played, regime_of(), bytes(32), START)
    taken = {
        choice.split()[1]
        for record in records
        for choice in record.player_choices.split("; ")
        if " " in choice
    }
    assert taken == set(edition_of(played).play.decisions)
    voided = [record for record in records if record.status == "void"]
    assert all(record.refunded == record.total_wagered for record in voided)
    assert ("ante-added" in "".join(record.stakes for record in voided)) is (played is CASINO)


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
