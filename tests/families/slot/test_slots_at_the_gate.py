"""A slot at the gate: figures kept read back whole, and a changed pay moves what it must."""

from __future__ import annotations

from dataclasses import replace

from small_slots import LINES, small

from certify.families.slot.rules import SlotRules, rules_of
from certify.gate.basis import basis_of
from certify.gate.figure_changes import compare_figures, top_award
from certify.gate.figures import count_figures, figures_document, figures_from

GAME = small(LINES)
BASIS = basis_of(GAME)
FIGURES = count_figures(BASIS)


def test_figures_that_were_kept_are_those_that_were_counted() -> None:
    """Classes of rounds, awards and single results included."""
    assert figures_from(figures_document(FIGURES, GAME), BASIS).wagers == FIGURES.wagers


def test_a_changed_pay_moves_return_variance_and_top_award() -> None:
    """The last pay of the first row, doubled."""
    rules: SlotRules = rules_of(GAME)
    first = rules.line_pays[0]
    raised = replace(
        first, pays=(*first.pays[:-1], 40 * max(pay for row in rules.line_pays for pay in row.pays))
    )
    changed = replace(GAME, rules=replace(rules, line_pays=(raised, *rules.line_pays[1:])))
    after = count_figures(basis_of(changed))
    (delta,) = compare_figures(FIGURES, after).wagers
    assert delta.before is not None
    assert delta.after is not None
    assert delta.delta is not None
    assert delta.delta > 0
    assert delta.after.variance > delta.before.variance
    assert delta.after.hit_frequency == delta.before.hit_frequency
    assert top_award(delta.after).pays > top_award(delta.before).pays
