"""What play-through shares with enumeration, as printed in the evidence."""

from __future__ import annotations

from typing import Final

SHARED_CODE: Final = (
    "the strategy (what is seen, with what is decided then)",
    "the nouns of certify.model: equipment, ids of what it shows, rules as parameters, paytables",
)
"""All that play-through shares with enumeration, where a family brings both."""

DRAWS: Final = (
    "draws: taken from rng's streams for the play-through, counted without drawing by the enumeration"
)
