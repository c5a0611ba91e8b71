"""Differences of returns against figures that can be had without the gate."""

from fractions import Fraction

import pytest
from gate_support import KING, LOWERED, compared, edited, published


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


@pytest.mark.parametrize(
    ("printed", "stale"), [("99.54 %", False), ("99.53 %", True), ("99.6 %", True), ("99.5 %", False)]
)
def test_a_claim_is_judged_at_the_precision_it_is_printed_at(printed, stale):
    found = compared(
        published(),
        edited(('printed = "99.54 %"', f'printed = "{printed}"'), ('version = "1.0.0"', 'version = "1.0.1"')),
    )
    assert any(c.kind.id == "claim-stale" for c in found.changes) is stale
