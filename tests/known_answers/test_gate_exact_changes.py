"""Differences of returns against figures that can be had without the gate."""

from fractions import Fraction

import pytest
from gate_support import KING, LOWERED, change, compared, edited, published

from certify.gate.policy import GatePolicy


def delta(before, after, wager):
    figure_changes = compared(before, after).figure_changes
    (found,) = (d.delta for d in figure_changes.wagers if d.wager == wager)
    assert found is not None
    return found


def test_a_pay_lowered_by_a_half_costs_half_its_probability():
    # The two-card 7½ with the King of Denari comes with probability 1/60; best play is the same with both pays.
    assert delta(published(), edited((KING, LOWERED)), "main") == Fraction(-1, 2) * Fraction(1, 60)


def test_a_pair_of_sevens_by_counting_two_cards():
    # Both first cards are sevens with probability 4/40 · 3/39.
    text = edited(('pays = "40 to 1"', 'pays = "39 to 1"'))
    assert delta(published(), text, "partita-perfetta") == -Fraction(4, 40) * Fraction(3, 39)


def test_a_royal_flush_by_counting_three_cards():
    # Any order of J, Q, K in one of four suits, when the second card is always taken.
    text = edited(('pays = "400 to 1"', 'pays = "380 to 1"'))
    assert delta(published(), text, "mano-di-poker") == -20 * Fraction(4 * 6, 40 * 39 * 38)


@pytest.mark.parametrize(
    ("printed", "stale"), [("99.54 %", False), ("99.53 %", True), ("99.6 %", True), ("99.5 %", False)]
)
def test_a_claim_is_judged_at_the_precision_it_is_printed_at(printed, stale):
    found = compared(
        published(),
        edited(('printed = "99.54 %"', f'printed = "{printed}"'), ('version = "1.0.0"', 'version = "1.0.1"')),
    )
    assert any(c.kind.id == "claim-stale" for c in found.changes) is stale


def test_a_floor_that_is_crossed_and_one_that_was_below_before():
    # 1/13 · 15 less: pairs A to 6 pay 5 to 1 with probability 6/10 · 3/39.
    policy = GatePolicy(floors={"GLI-19": Fraction(3, 4), "strict": Fraction(97, 100)})
    low = edited(('pays = "5 to 1"', 'pays = "0 to 1"'))
    found = compared(published(), low, policy)
    assert change(found, "floor-crossed").subject == "partita-perfetta/GLI-19"
    assert "partita-perfetta/strict" in {
        c.subject for c in found.changes if c.kind.id == "below-floor-before"
    }
