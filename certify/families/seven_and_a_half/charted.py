"""Where a hand stands in a chart of decisions: by its total, apart where the matta takes part."""

from __future__ import annotations

from typing import Final

from certify.exact import format_half_points
from certify.model.figures import Decision

_POINTS: Final = (2, 4, 6, 8, 10, 12, 14, 1, 0)
"""Half points of the classes of cards, in the order of a composition; the matta counts what its holder wants."""

_LAST: Final = 100
"""Half points no total of a hand has: hands with the matta stand below the others."""


def charted_by_total(decision: Decision) -> tuple[int, str]:
    """Returns place and name of the row of a chart for a hand: the total of its cards, with the matta beside it.

    >>> charted_by_total(Decision("3+matta", (0, 0, 1, 0, 0, 0, 0, 0, 1), None, "stand", {}))
    (106, '3 + matta')
    """
    *_, matta = decision.composition
    total = sum(count * points for count, points in zip(decision.composition, _POINTS, strict=True))
    parts = ([format_half_points(total)] if total or not matta else []) + (["matta"] if matta else [])
    return total + _LAST * bool(matta), " + ".join(parts)
