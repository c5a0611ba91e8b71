"""A round with an open dealer's card and a final bet: what each operation allows, refuses, moves and records."""

import itertools
import sqlite3
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest
import rounds_table
from rounds_game import deck_from, game
from rounds_open_card_game import CASINO, DEALER_KING, HOME, KING, LOSES, TIES, WINS
from rounds_table import START, machine_of

from certify.certification.recalled_rounds import recalled_rounds
from certify.clauses.jurisdiction import regime_of
from certify.clock import SteppedClock
from certify.errors import InputError, TrustError
from certify.families.open_card.rules import OpenCardTie, rules_of
from certify.model.finding import Verdict
from certify.rounds.conformance.wire import asked_from_json, asked_to_json
from certify.rounds.events import (
    BetsExpired,
    DecisionTaken,
    MalfunctionDeclared,
    SessionOpened,
    StakeAdded,
)
from certify.rounds.journal import decode, encode
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.machine import Machine
from certify.rounds.money import Rounding, returned_on
from certify.rounds.play import Play, calmest, edition_of, funds_for
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
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
from certify.rounds.state import Phase
from certify.rounds.store import Vault
from certify.rounds.table import Command, SeatAction, command_for, view_of

OPTIONS = ("fold", "stand-1", "hit-1", "stand-2", "hit-2")


class Table(rounds_table.Table):
    """Runs operations on one seat of a game with an ante."""

    def __init__(self, played=CASINO, balance=10_000, policy=None):
        super().__init__(machine_of(played, policy), balance)

    def dealt(self, deck, ante=300):
        self.do("place", "ante", ante)
        return self.do("deal", deck)


def test_the_open_card_and_five_decisions_are_shown_from_the_deal_on():
    table = Table()
    table.dealt(WINS)
    view = view_of(table.seat)
    assert (dict(view.hands)["player"], dict(view.hands)["dealer"], view.options) == ((24,), (0,), OPTIONS)
    assert (view.phase, view.stakes, table.money) == ("decision", (("ante", 300),), (9700, 300))


@pytest.mark.parametrize(
    ("deck", "decision", "outcome", "held", "balance"),
    [
        (WINS, "stand-1", "win-final-1", 600, 10_600),
        (WINS, "stand-2", "win-final-2", 900, 10_900),
        (WINS, "hit-2", "win-final-2", 900, 10_900),
        (WINS, "fold", "fold", 300, 9_700),
        (LOSES, "stand-1", "lose-final-1", 600, 9_400),
        (LOSES, "stand-2", "lose-final-2", 900, 9_100),
        (TIES, "stand-2", "push-final-2", 900, 10_000),
        (TIES, "hit-1", "bust-final-1", 600, 9_400),
    ],
)
def test_ante_and_final_bet_are_settled_together(deck, decision, outcome, held, balance):
    table = Table()
    table.dealt(deck)
    table.do("decide", decision)
    assert table.money == (10_000 - held, held)
    assert table.seat.round.staked == held
    event = table.do("settle")
    (result,) = event.body.results
    assert (result.outcome, table.money) == (outcome, (balance, 0))
    assert result.stake + result.added == held
    # Everything staked, and the net result in antes: nothing else comes back.
    assert result.returned == held + Fraction(result.net) * 300
    assert view_of(table.seat).returned == (("ante", result.returned),)


def test_bet_and_decision_are_one_event():
    table = Table()
    table.dealt(WINS)
    event = table.do("decide", "hit-2")
    assert isinstance(event.body, StakeAdded)
    assert (event.body.number, event.body.added, event.body.decision) == (1, (("ante", 600),), "hit-2")
    assert event.body.offered == OPTIONS
    assert [(posting.account, posting.amount) for posting in event.postings] == [
        ("player", -600),
        ("held", 600),
    ]
    assert decode(encode(event)) == event
    assert view_of(table.seat).stakes == (("ante", 300), ("ante-added", 600))
    folded = Table()
    folded.dealt(WINS)
    event = folded.do("decide", "fold")
    assert isinstance(event.body, DecisionTaken)
    assert (
        event.postings,
        dict(folded.seat.round.hands)["player"],
        dict(folded.seat.round.hands)["dealer"],
    ) == (
        (),
        (24,),
        (0,),
    )


@pytest.mark.parametrize(
    ("deck", "outcome", "balance"),
    [(KING, "king-of-diamonds", 10_900), (DEALER_KING, "dealer-king-of-diamonds", 9_700)],
)
def test_a_king_of_diamonds_first_ends_the_round_without_a_decision(deck, outcome, balance):
    table = Table()
    table.dealt(deck)
    assert table.seat.round.phase is Phase.RESOLVED
    for decision in OPTIONS:
        table.refuses("decide", decision, match="is resolved, expected decision")
    (result,) = table.do("settle").body.results
    assert (result.outcome, result.added, table.seat.balance) == (outcome, 0, balance)


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ("stand", "cannot stand: round s-000001 offers fold, stand-1, hit-1, stand-2, hit-2"),
        ("hit-3", "cannot hit-3: round s-000001 offers fold"),
        ("stand-0", "cannot stand-0: round"),
        ("", "cannot decide: round"),
    ],
)
def test_decisions_that_are_not_offered_are_refused(decision, message):
    table = Table()
    table.dealt(WINS)
    table.refuses("decide", decision, match=message)
    table.refuses("decide", "hit", match="cannot hit: round s-000001 offers fold")
    assert table.money == (9700, 300)


def test_a_decision_is_taken_once_and_only_by_a_connected_player():
    table = Table()
    table.dealt(WINS)
    table.do("disconnect")
    table.refuses("decide", "stand-2", match="disconnected, expected resume first")
    table.do("resume")
    table.do("decide", "stand-2")
    for decision in OPTIONS:
        table.refuses("decide", decision, match="is resolved")
    assert table.money == (9100, 900)


def test_the_deal_demands_cover_for_the_largest_final_bet():
    table = Table(balance=899)
    table.do("place", "ante", 300)
    table.refuses(
        "deal", WINS, match="bets of 300 and up to 600 that decisions may add exceed the balance of 899"
    )
    table.do("deposit", 1)
    table.do("deal", WINS)
    table.do("decide", "hit-2")
    assert table.money == (0, 900)


def test_repeated_bets_are_antes_and_need_cover_too():
    table = Table(balance=2_700)
    table.dealt(LOSES, 600)
    table.do("decide", "stand-2")
    table.do("settle")
    assert table.seat.balance == 900
    table.refuses("deal", WINS, "rebet-and-deal", match="exceed the balance of 900")
    table.refuses("deal", WINS, "double-and-deal", match="exceed the balance of 900")
    table.do("deposit", 2_700)
    event = table.do("deal", WINS, "double-and-deal")
    assert event.body.stakes == (("ante", 1_200),)
    table.do("decide", "stand-2")
    table.do("settle")
    table.do("rebet")
    assert table.seat.round.chips == (("ante", 1_200),)


def test_limits_hold_for_the_ante_and_not_for_the_final_bet():
    table = Table()
    table.refuses("place", "ante", 2_501, match="above its maximum of 2500")
    table.dealt(WINS, 2_500)
    table.do("decide", "stand-2")
    assert table.money == (2_500, 7_500)


def test_a_final_bet_that_a_shared_wallet_no_longer_holds_is_refused_and_a_fold_is_not():
    table = Table(balance=900)
    table.dealt(LOSES)
    table.seat = replace(table.seat, balance=500)  # another game spent it
    table.refuses("decide", "hit-2", match="the 600 that it adds exceed the balance of 500")
    table.refuses("decide", "stand-2", match="the 600 that it adds")
    table.machine.decide(table.seat, "hit-1")
    table.seat = replace(table.seat, balance=0)
    table.refuses("decide", "hit-1", match="the 300 that it adds exceed the balance of 0")
    table.do("decide", "fold")
    assert table.seat.round.phase is Phase.RESOLVED


@pytest.mark.parametrize("after", list(AfterSettlement))
@pytest.mark.parametrize("deck", [WINS, LOSES, TIES])
def test_a_malfunction_returns_ante_and_final_bet(after, deck):
    table = Table(policy=Policy(after_settlement=after))
    table.dealt(deck)
    table.do("decide", "stand-2")
    event = table.do("malfunction", "r", "w")
    assert isinstance(event.body, MalfunctionDeclared)
    assert event.body.stakes == (("ante", 300), ("ante-added", 600))
    better = after is AfterSettlement.BETTER_OF and deck is WINS
    assert table.money == (10_900 if better else 10_000, 0)


@pytest.mark.parametrize(
    ("after", "won", "lost"),
    [
        (AfterSettlement.REVERSE, 10_000, 10_000),
        (AfterSettlement.FLAG, 10_900, 10_000),
        (AfterSettlement.BETTER_OF, 10_900, 10_000),
    ],
)
def test_a_malfunction_found_after_settlement_redresses_both_bets(after, won, lost):
    for deck, balance in ((WINS, won), (LOSES, lost)):
        table = Table(policy=Policy(after_settlement=after))
        table.dealt(deck)
        table.do("decide", "stand-2")
        table.do("settle")
        event = table.do("malfunction", "r", "w")
        assert table.money == (balance, 0)
        flagged = 900 if after is AfterSettlement.FLAG and deck is WINS else 0
        assert event.body.flagged == flagged


@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_after_the_term_both_bets_are_void(stakes):
    table = Table(policy=Policy(void_stakes=stakes, known_results=KnownResults.VOID))
    table.dealt(WINS)
    table.clock.advance(timedelta(days=89))
    table.do("decide", "stand-2")
    # The term runs from the deal: the final bet does not begin it anew.
    table.clock.advance(timedelta(days=1))
    table.refuses("settle", match="are void since")
    event = table.do("expire")
    assert isinstance(event.body, BetsExpired)
    assert event.body.stakes == (("ante", 300), ("ante-added", 600))
    returned = 900 if stakes is VoidStakes.RETURN else 0
    assert (event.body.refunded, event.body.forfeited) == (returned, 900 - returned)
    assert table.money == (9_100 + returned, 0)


def test_a_known_result_stands_past_the_term():
    table = Table()
    table.dealt(WINS)
    table.do("decide", "stand-2")
    table.clock.advance(timedelta(days=400))
    table.refuses("expire", match="its result stands; expected settle")
    table.do("settle")
    assert table.money[0] > 10_000


def test_nobody_folds_in_the_name_of_a_player_who_stays_away():
    table = Table()
    table.dealt(LOSES)
    table.do("disconnect")
    table.clock.advance(timedelta(days=90))
    table.do("resume")
    for decision in OPTIONS:
        table.refuses("decide", decision, match="are void since")
    table.do("expire")
    assert table.money == (10_000, 0)


def test_a_tie_that_returns_the_ante_alone_keeps_the_final_bet():
    rules = replace(rules_of(CASINO), tie=OpenCardTie.ANTE_RETURNED)
    table = Table(replace(CASINO, rules=rules))
    table.dealt(TIES)
    table.do("decide", "stand-2")
    (result,) = table.do("settle").body.results
    assert (result.net, result.returned, table.money) == ("-2", 300, (9_400, 0))


def test_the_home_game_has_one_bet_and_any_number_of_cards():
    table = Table(HOME)
    table.dealt(deck_from(28, 4, 29, 30, 24, 25), 100)
    assert table.seat.round.options == ("stand", "hit")
    for taken in range(2):
        table.do("decide", "hit")
        assert len(dict(table.seat.round.hands)["player"]) == 2 + taken
    assert table.seat.round.options == ("stand", "hit")
    table.do("decide", "stand")
    assert dict(table.seat.round.hands)["dealer"][0] == 4
    table.do("settle")
    assert table.seat.round.added == ()
    one_chip = Table(HOME, balance=100)
    one_chip.dealt(WINS, 100)
    assert one_chip.money == (0, 100)


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
    with pytest.raises(InputError, match="as text"):
        asked_from_json({"action": "decide", "decision": 2})
    with pytest.raises(InputError, match="deal takes no decision"):
        asked_from_json({"action": "deal", "decision": "hit-2"})


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
        verify_replay(machine, "a", tuple(made.ledger.events("a")), "a-000001")
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
