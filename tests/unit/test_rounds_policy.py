"""Rounds in time and money: terms to the second, payouts that do not divide, totals, games without decisions."""

import math
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np
import pytest
from cli_support import GAME, refuses
from computing_again import TINY, Silent
from engine_rounds import DiceRound
from rounds_game import TERMS, game, paytable, wager

from certify.certification.evidence import regime_evidence
from certify.certification.request import RunRequest
from certify.certification.round_narratives import recalled_rounds
from certify.certification.run import exercise_terms
from certify.clauses import regime_of
from certify.clock import SteppedClock
from certify.errors import InputError, MissingPartError, OperationError
from certify.model import (
    AwardTotal,
    CellTotal,
    JointCounts,
    Kind,
    Limits,
    Outcome,
    RoundTable,
    Totals,
    Verdict,
    WagerFigures,
    strip,
)
from certify.rounds import (
    NOT_OFFERED,
    Account,
    AfterSettlement,
    AtStake,
    CardsDealt,
    DayCount,
    Edition,
    Event,
    Machine,
    Phase,
    Play,
    Policy,
    Posting,
    Rounding,
    RoundResumed,
    Seat,
    Vault,
    calmest,
    deck_commitment,
    extreme_returns,
    funds_for,
    missing_fields,
    record_of,
    return_at_stake,
    returns_by_stake,
    transfer,
    view_of,
)
from certify.simulation import Campaign, ChunkResult, ChunkStore, PlayedPoint, _wrong_totals, again_of
from certify.submission import read_game

ROME = Policy(day_count=DayCount.CALENDAR, zone="Europe/Rome")


def test_elapsed_days_do_not_follow_summer_time():
    rome_winter = datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert Policy().deadline(rome_winter) == datetime(2026, 4, 1, 11, tzinfo=UTC)
    # The calendar in Rome: noon to noon, an hour less since summer time began on 29 March 2026.
    assert ROME.deadline(rome_winter) == datetime(2026, 4, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("accepted", "due"),
    [
        # 90 days before 25 October 2026, when 02:30 occurs twice in Rome: at 00:30 and at 01:30 UTC.
        (datetime(2026, 7, 27, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
        # 90 days before 29 March 2026, when 02:30 does not occur in Rome; the later reading is 03:30 local.
        (datetime(2025, 12, 29, 1, 30, tzinfo=UTC), datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
    ],
)
def test_a_time_of_day_that_occurs_twice_or_never_falls_due_the_second_time_or_after_the_gap(accepted, due):
    assert ROME.deadline(accepted) == due


def test_an_unknown_zone_is_named():
    with pytest.raises(MissingPartError, match="Europe/Atlantis"):
        Policy(day_count=DayCount.CALENDAR, zone="Europe/Atlantis").deadline(datetime(2026, 1, 1, tzinfo=UTC))


def test_a_term_of_no_days_is_refused():
    with pytest.raises(ValueError, match="one day or more"):
        Policy(void_after_days=0)


def test_the_jurisdiction_decides_what_a_malfunction_does_to_pays():
    assert Policy.of(TERMS).after_settlement is AfterSettlement.REVERSE
    assert Policy.of(TERMS, "ontario").after_settlement is AfterSettlement.BETTER_OF
    assert Policy.of(replace(TERMS, unresolved_void_after_days=30)).void_after_days == 30
    with pytest.raises(InputError, match="unknown jurisdiction 'atlantis'"):
        Policy.of(TERMS, "atlantis")


def test_the_return_knows_the_rounding_rule():
    figures = WagerFigures(
        "main",
        (Outcome("win", Fraction(3, 2), Fraction(2, 5)), Outcome("lose", Fraction(-1), Fraction(3, 5))),
    )
    assert figures.return_to_player == 1
    assert return_at_stake(figures, 2, Rounding.DOWN) == 1
    assert return_at_stake(figures, 1, Rounding.DOWN) == Fraction(4, 5)
    assert return_at_stake(figures, 1, Rounding.UP) == Fraction(6, 5)
    with pytest.raises(ValueError, match="positive"):
        return_at_stake(figures, 0, Rounding.DOWN)


@pytest.mark.parametrize("rule", list(Rounding))
@pytest.mark.parametrize(
    ("least", "most"), [(1, 1), (1, 5), (3, 91), (10, 500), (7, 10**9), (30_000, 40_000)]
)
def test_the_extremes_are_those_of_every_stake_tried_one_by_one(rule, least, most):
    for pays in [
        (Fraction(3, 2), Fraction(1, 3)),
        (Fraction(19, 20), Fraction(6, 5)),
        (Fraction(2), Fraction(1)),
    ]:
        figures = WagerFigures(
            "main",
            (
                Outcome("win", pays[0], Fraction(1, 5)),
                Outcome("small", pays[1], Fraction(2, 7)),
                Outcome("lose", Fraction(-1), Fraction(18, 35)),
            ),
        )
        limits = Limits(least, most, "EUR", step=math.gcd(least, most))
        every = [
            AtStake(value, stake, limits.currency) for stake, value in returns_by_stake(figures, limits, rule)
        ]
        assert all(one.stake in limits.stakes for one in every)
        assert extreme_returns(figures, limits, rule) == (
            min(every, key=lambda one: (one.value, one.stake)),
            max(every, key=lambda one: (one.value, -one.stake)),
        )


def test_an_event_neither_makes_nor_loses_money():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    Event(1, "r", at, RoundResumed(), transfer(5, Account.HOUSE, Account.PLAYER))
    refuses(
        ValueError,
        ("sum to 5", lambda: Event(1, "r", at, RoundResumed(), (Posting(Account.PLAYER, 5),))),
        ("not negative", lambda: transfer(-5, Account.HOUSE, Account.PLAYER)),
    )


@pytest.mark.parametrize("rule", list(Rounding))
def test_the_return_at_every_stake_is_that_of_each_stake_by_itself(
    rule,
):
    figures = WagerFigures(
        "main",
        (
            Outcome("win", Fraction(3, 2), Fraction(1, 5)),
            Outcome("small", Fraction(1, 3), Fraction(2, 7)),
            Outcome("lose", Fraction(-1), Fraction(18, 35)),
        ),
    )
    limits = Limits(3, 90, "EUR")
    for stake, value in returns_by_stake(figures, limits, rule):
        assert value == return_at_stake(figures, stake, rule)
    # Stakes far beyond are no further off, so that nobody can make the harness count to the end of them.
    endless = replace(limits, maximum=10**30)
    assert sum(1 for _ in returns_by_stake(figures, endless, rule)) < 21_000


START = datetime(2026, 1, 1, 12, tzinfo=UTC)
THROWS = 4
DICE = replace(
    game(),
    id="seven-before-eleven",
    wagers=(wager("seven", 500, paytable(made=1)),),
    equipment=DiceRound(THROWS).equipment,
)


@pytest.fixture
def machine():
    edition = Edition(DICE, Play(DICE, DiceRound(THROWS)), Policy.of(TERMS))
    return Machine({edition.sha256: edition}, edition.sha256, SteppedClock(START))


def dealt(machine, row):
    seat, first = machine.deposit(Seat("s"), 1000)
    seat, second = machine.place(seat, "seven", 100)
    seat, third = machine.deal(seat, machine.stakes_to_accept(seat, "deal"), row, "deal")
    return seat, [first, second, third]


def test_a_round_without_decisions_is_resolved_by_its_deal_and_settled(machine):
    seat, events = dealt(machine, (1, 2, 3, 2))  # 2 and 3, then 4 and 3
    assert seat.round.phase is Phase.RESOLVED
    assert view_of(seat).hands == (("table", (1, 2, 3, 2)),)
    assert isinstance(events[-1].body, CardsDealt)
    seat, settled = machine.settle(seat)
    assert (settled.body.results[0].outcome, seat.balance) == ("made", 1100)
    record = record_of("s", [*events, settled], "s-000001", machine.edition.play)
    assert record.hands == "table 2, 3, 4, 3"
    assert (record.shown_at_deal, record.stakes_added) == (NOT_OFFERED, NOT_OFFERED)
    # No session was opened here, and no software is named.
    missing = {name.split()[0] for name in missing_fields(record)}
    assert missing == {"session_id", "player_id", "location", "software_sha256"}


def test_a_round_whose_row_runs_out_is_refused_with_the_reason(machine):
    with pytest.raises(OperationError, match="cannot deal: the round takes more than the 4 draws of die"):
        dealt(machine, (0, 0, 0, 0))


def test_nothing_is_decided_and_nothing_is_added(machine):
    play = machine.edition.play
    assert (play.decisions, play.adds_stakes, play.shows_others, calmest(play)) == ((), False, False, "")
    assert funds_for(play, (("seven", 100),)) == 100
    assert list(play.lines((1, 2, 3, 2))) == [()]


def test_a_commitment_to_items_above_255_differs_from_every_one_of_bytes():
    assert deck_commitment("s", (1, 0, 44)) != deck_commitment("s", (300,))
    assert (
        deck_commitment("s", (0, 0, 1, 44)) != deck_commitment("s", (65_536,)) != deck_commitment("s", (1, 0))
    )
    assert deck_commitment("s-000001", tuple(range(40))).startswith("8e8d44d1b779687d")


def test_rows_of_several_decks_are_sealed():
    vault = Vault(bytes(32))
    for row in (tuple(range(416)), (5_999_999, 3), ()):
        assert vault.open("s", vault.seal("s", row)) == row


AXES = (("main", ("nothing", "lines", "free-games")),)
ONE = JointCounts(
    AXES,
    ((0, 7), (1, 2)),
    (
        Totals(
            "main",
            20,
            (CellTotal(0, -140, 2800, -20), CellTotal(1, 30, 500, 20)),
            (AwardTotal("base", "bar", 3, 70),),
        ),
    ),
)
OTHER = JointCounts(
    AXES, ((1, 1), (2, 1)), (Totals("main", 20, (CellTotal(1, 5, 25, 5), CellTotal(2, 900, 810_000, 900))),)
)


def test_sums_of_parts_are_those_of_the_whole():
    """Chunks may come in any order."""
    both = ONE + OTHER
    assert both == OTHER + ONE
    totals = both.totals_of("main")
    assert (totals.net, totals.highest) == (Fraction(-140 + 35 + 900, 20), 45)
    assert totals.squares == Fraction(2800 + 525 + 810_000, 400)
    assert JointCounts(AXES) + ONE == ONE


FORGED = {
    "squares below what the sum allows": {
        "cells": (CellTotal(0, -140, 2799, -20), CellTotal(1, 30, 500, 20))
    },
    "a highest below the mean": {"cells": (CellTotal(0, -140, 2800, -21), CellTotal(1, 30, 500, 20))},
    "cells that were not counted": {"cells": (CellTotal(0, -140, 2800, -20),)},
    "cells out of order": {"cells": ONE.totals[0].cells[::-1]},
    "no whole number": {"cells": (CellTotal(0, -140.0, 2800, -20), CellTotal(1, 30, 500, 20))},  # type: ignore[arg-type]
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_sums_that_no_rounds_can_have_come_to_are_refused(change):
    """A worker's result is looked at before it is added."""
    with pytest.raises(InputError):
        again_of(AXES, JointCounts(AXES, ONE.cells, (replace(ONE.totals[0], **change),)))


def test_sums_are_kept_and_found_again(tmp_path):
    """A campaign that was broken off goes on with them; a changed sum is found by its digest."""
    store, result = ChunkStore(tmp_path, "ab", AXES), ChunkResult(0, 9, ONE, (PlayedPoint(9, ONE),))
    store.save(result)
    assert store.load(0) == result
    path = next(tmp_path.iterdir())
    path.write_text(path.read_text().replace("2800", "2801"))
    with pytest.raises(InputError, match="do not match their digest"):
        store.load(0)


def test_a_result_above_the_most_of_its_outcome_is_found():
    """Planted: one round of a band came to more than the band reaches to."""
    outcomes = (
        Outcome("nothing", Fraction(-1), Fraction(7, 10)),
        Outcome(
            "lines",
            Fraction(3, 4),
            Fraction(2, 10),
            variance=Fraction(1),
            least=Fraction(0),
            most=Fraction(1),
        ),
        Outcome("free-games", Fraction(5), Fraction(1, 10), variance=Fraction(900), least=Fraction(0)),
    )
    figures = WagerFigures("main", outcomes)

    def campaign(joint):
        return Campaign("game", "optimal", 9, 9, 1, "", "", "", joint, ())

    assert list(_wrong_totals(campaign(ONE), ONE.totals[0], figures)) == []
    above = replace(ONE.totals[0], cells=(ONE.totals[0].cells[0], CellTotal(1, 30, 1000, 22)))
    joint = JointCounts(AXES, ONE.cells, (above,))
    assert list(_wrong_totals(campaign(joint), above, figures)) == [
        "lines came to 11/10 net, analysed with 1 at most"
    ]


DIE = strip("die", Kind.DICE, "123456", 1)


def high_or_low():
    """Four and more wins."""
    return RoundTable(
        equipment=(DIE,),
        piece=np.array([0, -1], dtype=np.int8),
        following=np.array([[1] * 6, [0] * 6], dtype=np.int32),
        settling=np.array([[1, 1, 1, 2, 2, 2], [0] * 6], dtype=np.int32),
        ended=np.zeros(2, dtype=np.int32),
        settled=((), (("main", "lose"),), (("main", "win"),)),
    )


def test_a_table_knows_its_states_and_what_each_wager_can_come_to():
    assert high_or_low().states == 2
    assert high_or_low().outcomes == {"main": ("lose", "win")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"piece": np.array([1, -1], dtype=np.int8)}, "piece leads outside"),
        ({"following": np.array([[2] * 6, [0] * 6], dtype=np.int32)}, "following leads outside"),
        ({"settling": np.full((2, 6), 3, dtype=np.int32)}, "settling leads outside"),
        ({"ended": np.array([0, 3], dtype=np.int32)}, "ended leads outside"),
        ({"ended": np.zeros(3, dtype=np.int32)}, "arrays of"),
        ({"settled": ((("main", "lose"),), (), ())}, "must be empty"),
        ({"begun": 3}, "settled at first"),
    ],
)
def test_a_table_that_leads_outside_itself_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(high_or_low(), **changes)  # type: ignore[arg-type]


SEED = bytes(range(32))


def test_the_terms_are_exercised_and_recalled_under_the_jurisdiction():
    game = read_game(GAME)
    ontario, moment = regime_of(["ontario"]), datetime(2026, 11, 21, tzinfo=UTC)
    exercised = exercise_terms(RunRequest(game, TINY, SEED, moment, regime=ontario), Silent())
    assert dict(exercised.policy)["after_settlement"] == "better-of"
    assert {item.verdict for item in exercised.situations if item.id.startswith("malfunction")} == {
        Verdict.SATISFIED
    }
    assert regime_evidence(ontario, game).policy == dict(exercised.policy)
    recalled = recalled_rounds(game, ontario, SEED, moment)
    assert {record.jurisdiction for record in recalled} == {"ontario"}
    assert recalled == recalled_rounds(game, ontario, SEED, moment)
