"""The operations on a round: what each allows, refuses and moves."""

from dataclasses import replace
from datetime import timedelta

import pytest
from rounds_game import deck, deck_from, game
from rounds_table import START, Table, machine_of

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.rounds.events import CardsDealt, MalfunctionDeclared, kind_of
from certify.rounds.machine import Machine
from certify.rounds.play import edition_of
from certify.rounds.policy import AfterSettlement, Policy, VoidStakes
from certify.rounds.state import Phase, replay

SEVEN_WINS = deck_from(24, 0, 4, 8)  # 7 of Denari against A, 2 and 3 of Denari: the hand of 7 wins
LOSES = deck_from(0, 24, 4)  # ace of Denari against 7 of Denari
FACE_FIRST = deck_from(28, 0, 24)


@pytest.fixture
def clock():
    return SteppedClock(START)


@pytest.fixture
def machine(clock):
    return machine_of(game(), clock=clock)


@pytest.fixture
def table(machine):
    return Table(machine)


def test_a_win_pays_stake_and_win(table):
    table.do("place", "main", 1000)
    assert table.seat.balance == 100_000
    table.do("deal", SEVEN_WINS)
    assert (table.seat.balance, table.seat.held, table.seat.round.phase) == (99_000, 1000, Phase.DECISION)
    table.do("decide", "stand")
    assert table.seat.round.phase is Phase.RESOLVED
    table.do("settle")
    assert (table.seat.balance, table.seat.held, table.seat.round.returned) == (101_000, 0, 2000)


def test_a_first_face_draws_by_itself(table):
    table.do("place", "main", 1000)
    table.do("deal", FACE_FIRST)
    assert dict(table.seat.round.hands)["player"] == (28, 24)
    assert table.seat.round.phase is Phase.RESOLVED  # seven and a half leaves no decision


def test_undo_takes_the_last_chips_and_clear_all(table):
    table.do("place", "main", 300)
    table.do("place", "main", 200)
    table.do("place", "mano-di-poker", 100)
    table.do("undo")
    assert table.seat.round.chips == (("main", 300), ("main", 200))
    table.do("clear")
    assert table.seat.round.chips == ()
    table.refuses("undo", match="no chips")
    table.refuses("clear", match="no chips")
    table.refuses("deal", deck(1), match="no bets")


def test_rebet_and_double_repeat_the_previous_bets(table):
    table.refuses("rebet", match="no earlier round")
    table.do("place", "main", 1000)
    table.do("place", "mano-di-poker", 100)
    table.do("deal", SEVEN_WINS)
    table.do("decide", "stand")
    table.do("settle")
    table.do("rebet")
    assert table.seat.round.chips == (("main", 1000), ("mano-di-poker", 100))
    table.refuses("rebet", match="chips already lie")
    table.refuses("deal", deck(1), "rebet-and-deal", match="chips already lie")
    table.do("clear")
    event = table.do("deal", SEVEN_WINS, "double-and-deal")
    assert isinstance(event.body, CardsDealt)
    assert event.body.stakes == (("main", 2000), ("mano-di-poker", 200))
    assert event.body.how == "double-and-deal"


def test_doubling_respects_the_limits_of_the_initial_bet(table):
    table.do("place", "main", 30_000)
    table.do("deal", SEVEN_WINS)
    table.do("decide", "stand")
    table.do("settle")
    table.refuses("deal", deck(1), "double-and-deal", match="above its maximum of 50000")
    table.do("deal", deck(1), "rebet-and-deal")


@pytest.mark.parametrize(
    ("wager", "amount", "message"),
    [
        ("main", 0, "positive"),
        ("main", 50_001, "above its maximum of 50000"),
        ("mano-di-poker", 10_001, "above its maximum of 10000"),
        ("tombola", 100, "no wager 'tombola'"),
    ],
)
def test_bets_outside_the_limits_are_refused(table, wager, amount, message):
    table.refuses("place", wager, amount, match=message)


def test_chips_add_up_to_the_maximum(table):
    table.do("place", "main", 50_000)
    table.refuses("place", "main", 1, match="50001 on main is above")


def test_bets_above_the_balance_are_refused(machine):
    table = Table(machine, balance=500)
    table.do("place", "main", 400)
    table.refuses("place", "main", 101, match="exceed the balance")


def test_side_bets_need_a_main_bet(table):
    table.do("place", "mano-di-poker", 100)
    table.refuses("deal", deck(1), match="no bet on main")


def test_bets_below_the_minimum_are_not_dealt(table):
    table.do("place", "main", 100)
    table.do("place", "mano-di-poker", 99)
    table.refuses("deal", deck(1), match="below its minimum of 100")


@pytest.mark.parametrize("broken", [(), tuple(range(39)), (*range(39), 0), tuple(range(41))])
def test_a_deck_that_is_not_whole_is_not_dealt(table, broken):
    table.do("place", "main", 100)
    table.refuses("deal", broken, match="not whole")


def test_no_round_starts_before_the_old_one_is_complete(table):
    table.do("place", "main", 100)
    table.do("deal", SEVEN_WINS)
    table.refuses("place", "main", 100, match="is decision, expected betting")
    table.do("decide", "stand")
    table.refuses("place", "main", 100, match="is resolved, expected betting")
    table.do("settle")
    table.do("place", "main", 100)
    assert table.seat.round.id == "s-000002"


def test_a_disconnected_player_decides_nothing(table):
    table.do("place", "main", 100)
    table.do("deal", SEVEN_WINS)
    table.do("disconnect")
    for decision in ("hit", "stand"):
        table.refuses("decide", decision, match="disconnected")
    table.refuses("disconnect", match="already disconnected")
    before = table.seat.round
    table.do("resume")
    table.refuses("resume", match="is connected")
    assert table.seat.round == before


def test_rules_in_force_at_acceptance_settle_the_bet(clock):
    old, new = edition_of(game(main=2)), edition_of(game(main=5, sha256="cd" * 32))
    king_and_seven = deck_from(36, 0, 24, 4)
    machine = Machine({old.sha256: old}, old.sha256, clock)
    table = Table(machine)
    table.do("place", "main", 100)
    table.do("deal", king_and_seven)
    table.machine = Machine({each.sha256: each for each in (old, new)}, new.sha256, clock)
    table.do("settle")
    assert table.seat.round.returned == 300
    table.do("deal", king_and_seven, "rebet-and-deal")
    assert table.seat.round.rules.submission_sha256 == new.sha256
    table.do("settle")
    assert table.seat.round.returned == 600


def test_bets_below_a_minimum_that_was_raised_are_not_repeated(clock):
    old, new = edition_of(game()), edition_of(with_minimum(game(sha256="cd" * 32), 200))
    machine = Machine({old.sha256: old}, old.sha256, clock)
    table = Table(machine)
    table.do("place", "main", 100)
    table.do("deal", SEVEN_WINS)
    table.do("decide", "stand")
    table.do("settle")
    table.machine = Machine({each.sha256: each for each in (old, new)}, new.sha256, clock)
    table.refuses("deal", SEVEN_WINS, "rebet-and-deal", match="below its minimum of 200")
    table.do("deal", SEVEN_WINS, "double-and-deal")
    assert table.seat.round.stakes == (("main", 200),)


def with_minimum(changed, minimum):
    main, *sides = changed.wagers
    return replace(changed, wagers=(replace(main, limits=replace(main.limits, minimum=minimum)), *sides))


def test_rules_that_are_not_loaded_settle_nothing(clock):
    old, new = edition_of(game()), edition_of(game(sha256="cd" * 32))
    table = Table(Machine({old.sha256: old}, old.sha256, clock))
    table.do("place", "main", 100)
    table.do("deal", FACE_FIRST)
    table.machine = Machine({new.sha256: new}, new.sha256, clock)
    table.refuses("settle", match="not loaded")


def test_a_malfunction_records_reason_and_who(table):
    table.do("place", "main", 100)
    table.do("place", "mano-di-poker", 200)
    table.do("deal", SEVEN_WINS)
    event = table.do("malfunction", "power failure", "shift manager")
    assert event.body == MalfunctionDeclared(
        "power failure", "shift manager", (("main", 100), ("mano-di-poker", 200)), 300, 0, 0
    )
    assert table.seat.balance == 100_000
    table.refuses("malfunction", "again", "x", match="is void")
    table.refuses("settle", match="is void")


@pytest.mark.parametrize(
    ("policy", "balance", "flagged"),
    [
        (AfterSettlement.REVERSE, 100_000, 0),
        (AfterSettlement.FLAG, 101_000, 1000),
        (AfterSettlement.BETTER_OF, 101_000, 0),
    ],
)
def test_a_malfunction_after_a_win(clock, policy, balance, flagged):
    table = Table(machine_of(game(), Policy(after_settlement=policy), clock))
    table.do("place", "main", 1000)
    table.do("deal", SEVEN_WINS)
    table.do("decide", "stand")
    table.do("settle")
    event = table.do("malfunction", "r", "w")
    assert (table.seat.balance, event.body.flagged) == (balance, flagged)


@pytest.mark.parametrize("policy", list(AfterSettlement))
def test_a_malfunction_after_a_loss_returns_the_stake(clock, policy):
    table = Table(machine_of(game(), Policy(after_settlement=policy), clock))
    table.do("place", "main", 1000)
    table.do("deal", LOSES)
    table.do("decide", "stand")
    table.do("settle")
    assert table.seat.balance == 99_000
    table.do("malfunction", "r", "w")
    assert table.seat.balance == 100_000


def test_the_better_of_refund_and_win_before_settlement(clock):
    table = Table(machine_of(game(), Policy(after_settlement=AfterSettlement.BETTER_OF), clock))
    table.do("place", "main", 1000)
    table.do("deal", SEVEN_WINS)
    table.do("decide", "stand")
    table.do("malfunction", "r", "w")
    assert (table.seat.balance, table.seat.held) == (101_000, 0)


def test_terms_that_do_not_void_refuse_a_malfunction(clock):
    table = Table(machine_of(game(), Policy(malfunction_voids_all=False), clock))
    table.do("place", "main", 1000)
    table.refuses("malfunction", "r", "w", match="do not void")


@pytest.mark.parametrize(("stakes", "balance"), [(VoidStakes.RETURN, 100_000), (VoidStakes.FORFEIT, 99_000)])
def test_stakes_of_expired_bets(clock, stakes, balance):
    table = Table(machine_of(game(), Policy(void_stakes=stakes), clock))
    table.do("place", "main", 1000)
    table.do("deal", SEVEN_WINS)
    clock.advance(timedelta(days=90))
    table.do("expire")
    assert (table.seat.balance, table.seat.held) == (balance, 0)
    table.refuses("expire", match="is expired")


def test_the_term_falls_due_at_the_instant_and_not_before(table, clock):
    table.do("place", "main", 1000)
    table.do("deal", SEVEN_WINS)
    clock.advance(timedelta(days=90) - timedelta(microseconds=1))
    table.refuses("expire", match="expected 90 days to have passed")
    table.machine.decide(table.seat, "stand")
    clock.advance(timedelta(microseconds=1))
    for decision in ("hit", "stand"):
        table.refuses("decide", decision, match="are void since 2026-04-01T12:00:00")
    table.refuses("malfunction", "r", "w", match="are void since")
    table.machine.expire(table.seat)


def test_the_term_runs_from_the_deal_and_not_from_the_chips(table, clock):
    table.do("place", "main", 1000)
    clock.advance(timedelta(days=89))
    table.do("deal", SEVEN_WINS)
    clock.advance(timedelta(days=89))
    table.machine.decide(table.seat, "stand")


def test_a_clock_set_back_revives_nothing(table, clock):
    table.do("place", "main", 1000)
    table.do("deal", SEVEN_WINS)
    clock.advance(timedelta(days=90))
    table.do("disconnect")
    clock.advance(timedelta(days=-10))
    event = table.do("resume")
    assert event.clock_behind
    assert event.at == START + timedelta(days=90)
    table.refuses("decide", "stand", match="are void since")


def test_an_unavailable_game_deals_nothing_until_restored(table):
    table.do("place", "main", 100)
    table.do("suspend", "generator failed its health test", "monitor")
    table.refuses("deal", SEVEN_WINS, match="generator failed")
    table.refuses("suspend", "again", "x", match="already unavailable")
    table.do("restore", "replaced", "engineer")
    table.refuses("restore", "again", "x", match="is available")
    table.do("deal", SEVEN_WINS)


def test_the_state_is_the_fold_of_its_events(table):
    table.do("place", "main", 1000)
    table.do("deal", SEVEN_WINS)
    table.do("disconnect")
    table.do("resume")
    table.do("decide", "stand")
    table.do("settle")
    table.do("malfunction", "r", "w")
    assert replay("s", table.events) == table.seat
    assert [event.kind for event in table.events][1:3] == ["bet-placed", "cards-dealt"]
    assert kind_of(CardsDealt) == "cards-dealt"


def test_operations_need_a_round(table):
    for operation in (("undo",), ("decide", "hit"), ("settle",), ("expire",)):
        table.refuses(*operation, match="no round was started")
    with pytest.raises(OperationError, match="positive"):
        table.machine.deposit(table.seat, 0)
