"""What no test of a round can promise: obligations that remain with the operator."""

from __future__ import annotations

from typing import Final

OBLIGATIONS: Final[tuple[tuple[str, str], ...]] = (
    (
        "GLI-19 A.5.2(c)-(e)",
        "Show players how malfunctions, disconnections and undecided wagers are handled.",
    ),
    (
        "GLI-19 A.6.4 part 2",
        "Inform the regulator of voided rounds, and disable the game where the cause may recur.",
    ),
    ("GLI-19 B.2.1(e)", "Investigate each malfunction and verify integrity before play is restored."),
    ("GLI-19 2.8.1", "Keep the system clock true; a clock set forwards cannot be told from time passing."),
    ("GLI-19 4.4.4(a) part 2", "Keep the key of sealed decks in a key store apart from the ledger."),
    (
        "GLI-19 2.8.8",
        "Report voids with user and reason, and note the ledger's head where it cannot be altered.",
    ),
    ("GLI-19 4.16.2", "Run the ledger on a disk that keeps what it acknowledged when power is lost."),
    (
        "GLI-19 4.16.3",
        "Lead a returning player to the interrupted round, and run settlement and expiry on time.",
    ),
)
"""Clause and obligation, for the report's chapter on malfunction, void and interruption."""
