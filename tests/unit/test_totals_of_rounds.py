"""Campaigns of a wager whose net result varies within its outcomes: sums that add up, travel, and are compared."""

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.errors import InputError
from certify.model.figures import Outcome, WagerFigures
from certify.model.joint_counts import AwardTotal, CellTotal, JointCounts, Totals
from certify.simulation.campaign import again_of
from certify.simulation.inference import _wrong_totals
from certify.simulation.store import Campaign, ChunkResult, ChunkStore, PlayedPoint

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
    assert totals is not None
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
