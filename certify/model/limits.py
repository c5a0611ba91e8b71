"""Limits that standards set to returns and awards, where a jurisdiction sets none of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

LEAST_RETURN: Final = Fraction(75, 100)
"""Least theoretical return of a house-banked table game. Source: GLI-19 v3.0, 4.7.1."""

RAREST_AWARD: Final = Fraction(1, 100_000_000)
"""Least probability of an advertised top award. Source: GLI-19 v3.0, 4.7.3."""
