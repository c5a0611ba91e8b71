"""How a hand ends against the dealer's."""

from __future__ import annotations

from typing import Final

UNQUALIFIED, WIN, TIE, LOSE, FOLDED = range(5)
"""How a hand ends: the dealer does not qualify, or loses, or ties, or wins; or it was not played."""
ENDS: Final = 5
