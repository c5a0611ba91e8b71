"""The term to the second, and payouts that do not divide."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from rounds_game import TERMS

from certify.errors import InputError, MissingPartError
from certify.model.figures import Outcome, WagerFigures
from certify.model.game import Limits
from certify.rounds.events import Event, RoundResumed
from certify.rounds.money import (
    Account,
    AtStake,
    Posting,
    Rounding,
    extreme_returns,
    return_at_stake,
    returned_on,
    returns_by_stake,
    transfer,
)
from certify.rounds.policy import AfterSettlement, DayCount, Policy

SECOND = timedelta(seconds=1)
ROME = Policy(day_count=DayCount.CALENDAR, zone="Europe/Rome")


@pytest.mark.parametrize(
    "accepted",
    [
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2024, 1, 15, 23, 59, 59, tzinfo=UTC),  # across 29 February of a leap year
        datetime(2027, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
def test_ninety_days_are_ninety_times_24_hours(accepted):
    policy = Policy()
    due = accepted + timedelta(seconds=90 * 86_400)
    assert policy.deadline(accepted) == due
    assert not policy.is_void(accepted, due - SECOND)
    assert policy.is_void(accepted, due)
    assert policy.is_void(accepted, due + SECOND)


def test_elapsed_days_do_not_follow_summer_time():
    rome_winter = datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert Policy().deadline(rome_winter) == datetime(2026, 4, 1, 11, tzinfo=UTC)
    # The calendar in Rome: noon to noon, an hour less since summer time began on 29 March 2026.
    assert ROME.deadline(rome_winter) == datetime(2026, 4, 1, 10, tzinfo=UTC)


def test_a_time_of_day_that_occurs_twice_falls_due_the_second_time():
    # 90 days before 25 October 2026, when 02:30 occurs twice in Rome: at 00:30 and at 01:30 UTC.
    accepted = datetime(2026, 7, 27, 0, 30, tzinfo=UTC)
    assert ROME.deadline(accepted) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_a_time_of_day_that_does_not_occur_falls_due_after_the_gap():
    # 90 days before 29 March 2026, when 02:30 does not occur in Rome; the later reading is 03:30 local.
    accepted = datetime(2025, 12, 29, 1, 30, tzinfo=UTC)
    assert ROME.deadline(accepted) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


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


@pytest.mark.parametrize(
    ("stake", "rule", "returned"),
    [(1, Rounding.DOWN, 2), (1, Rounding.UP, 3), (1, Rounding.HALF_EVEN, 2), (3, Rounding.HALF_EVEN, 8)],
)
def test_three_to_two_on_odd_stakes(stake, rule, returned):
    assert returned_on(stake, Fraction(3, 2), rule) == returned


def test_no_result_takes_more_than_the_stake():
    assert returned_on(100, Fraction(-1), Rounding.UP) == 0
    with pytest.raises(ValueError, match="-1 or more"):
        returned_on(100, Fraction(-3, 2), Rounding.DOWN)


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
@pytest.mark.parametrize(("least", "most"), [(1, 1), (1, 5), (3, 90), (7, 500), (1, 10**9), (30_000, 40_000)])
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
        limits = Limits(least, most, "EUR")
        every = [
            AtStake(value, stake, limits.currency) for stake, value in returns_by_stake(figures, limits, rule)
        ]
        assert extreme_returns(figures, limits, rule) == (
            min(every, key=lambda one: (one.value, one.stake)),
            max(every, key=lambda one: (one.value, -one.stake)),
        )


def test_an_event_neither_makes_nor_loses_money():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    Event(1, "r", at, RoundResumed(), transfer(5, Account.HOUSE, Account.PLAYER))
    with pytest.raises(ValueError, match="sum to 5"):
        Event(1, "r", at, RoundResumed(), (Posting(Account.PLAYER, 5),))
    with pytest.raises(ValueError, match="not negative"):
        transfer(-5, Account.HOUSE, Account.PLAYER)


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
