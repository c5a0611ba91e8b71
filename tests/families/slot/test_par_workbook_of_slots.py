"""The spreadsheet of a slot: its standard deviation counts how results differ within a class of rounds."""

from __future__ import annotations

import math

import pytest
from small_slots import LINES, small

from certify.analysis.par_cells import Formula
from certify.mathematics.of_game import analyze
from certify.mathematics.par_tables import par_tables


def test_the_standard_deviation_of_the_sheet_is_computed_with_the_variance_within_classes() -> None:
    """What the cells that its formula names come to, one by one."""
    game = small(LINES)
    analysis = analyze(game)
    (figures,) = analysis.wagers
    tables = {table.name: table for table in par_tables(game, [analysis])}
    assert tables["combinations"].header[-1] == "variance_within"
    *classes, total = tables["combinations"].rows
    assert total[-1] == ""
    of = [
        (float(one.pays), float(one.probability), float(str(cells[-1])))
        for one, cells in zip(figures.outcomes, classes, strict=True)
    ]
    mean = sum(net * chance for net, chance, _ in of)
    squares = sum((net**2 + within) * chance for net, chance, within in of)
    assert math.sqrt(squares - mean**2) == pytest.approx(figures.standard_deviation)
    stated = tables["volatility"].rows[0][2]
    assert isinstance(stated, Formula)
    last = len(classes) + 1
    assert stated.text == (
        f"=SQRT(SUMPRODUCT(combinations!E2:E{last},combinations!E2:E{last},combinations!H2:H{last})"
        f"+SUMPRODUCT(combinations!N2:N{last},combinations!H2:H{last})-(combinations!J{last + 1}-1)^2)"
    )
    assert any(within for _, _, within in of)
