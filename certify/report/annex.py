"""Long fractions are set in an annex; the tables show a decimal and where to find them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.report.formats import INLINE_FRACTION, digit_groups, is_short, within
from certify.report.layout import PageCell, note


def off_of(off: Mapping[str, Fraction] | None, name: str) -> Fraction:
    """Returns how far a figure may be off by what its noun says; nought where all of it is exact."""
    return (off or {}).get(name, Fraction(0))


@dataclass(frozen=True, slots=True)
class LongFraction:
    """A fraction too long for a column.

    Args:
        label: Its number in the annex, such as ``F3``.
        quantities: What it is, once or more than once.
        numerator: Digits in groups of ten.
        denominator: Digits in groups of ten.
    """

    label: str
    quantities: tuple[str, ...]
    numerator: str
    denominator: str


class Annex:
    """Collects the long fractions while the chapters are built, each value once."""

    __slots__ = ("_quantities",)

    def __init__(self) -> None:
        self._quantities: dict[Fraction, list[str]] = {}

    def cell(
        self, value: Fraction, quantity: str, longest: int = INLINE_FRACTION, *, off: Fraction = Fraction(0)
    ) -> PageCell:
        """Returns the fraction itself where its column holds it, otherwise a reference to the annex.

        Args:
            value: The fraction.
            quantity: What it is.
            longest: Characters that the column holds.
            off: How far it may be off, where it lies between bounds: those are set, and no fraction of it ever is.
        """
        if off:
            return note(within(value, off))
        if is_short(str(value), longest):
            return PageCell(str(value), "mono")
        quantities = self._quantities.setdefault(value, [])
        if quantity not in quantities:
            quantities.append(quantity)
        label = self._label(value)
        return PageCell(label, "link", target=f"fraction-{label}")

    def _label(self, value: Fraction) -> str:
        return f"F{list(self._quantities).index(value) + 1}"

    def fractions(self) -> tuple[LongFraction, ...]:
        """Returns what was collected, in order of first mention."""
        return tuple(
            LongFraction(
                self._label(value),
                tuple(quantities),
                digit_groups(str(value.numerator)),
                digit_groups(str(value.denominator)),
            )
            for value, quantities in self._quantities.items()
        )
