"""Outcome ids of 7 e Mezzo and the small integers that the kernel counts them by."""

from __future__ import annotations

from typing import Final

MAIN_OUTCOMES: Final = ("king-of-denari-seven-and-a-half", "win", "push", "lose", "bust")
PARTITA_OUTCOMES: Final = ("pair-of-sevens", "pair-of-faces", "pair-ace-to-six", "not-uncovered", "lose")
MANO_OUTCOMES: Final = (
    "royal-flush",
    "straight-flush",
    "three-of-a-kind",
    "flush",
    "straight",
    "no-second-card",
    "lose",
)

OUTCOMES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("main", MAIN_OUTCOMES),
    ("partita-perfetta", PARTITA_OUTCOMES),
    ("mano-di-poker", MANO_OUTCOMES),
)
"""Wagers in the order of the kernel's columns, each with its outcomes in the order of their codes."""

WAGERS: Final = tuple(wager for wager, _ in OUTCOMES)
JOINT_SHAPE: Final = tuple(len(outcomes) for _, outcomes in OUTCOMES)
"""Shape of the joint counts: main × Partita Perfetta × Mano di Poker."""

CELLS: Final = len(MAIN_OUTCOMES) * len(PARTITA_OUTCOMES) * len(MANO_OUTCOMES)
"""Number of joint outcomes."""

MAIN_KING, MAIN_WIN, MAIN_PUSH, MAIN_LOSE, MAIN_BUST = range(len(MAIN_OUTCOMES))
PAIR_SEVENS, PAIR_FACES, PAIR_LOW, PAIR_NOT_UNCOVERED, PAIR_LOSE = range(len(PARTITA_OUTCOMES))
(
    MANO_ROYAL_FLUSH,
    MANO_STRAIGHT_FLUSH,
    MANO_THREE_OF_A_KIND,
    MANO_FLUSH,
    MANO_STRAIGHT,
    MANO_NO_SECOND_CARD,
    MANO_LOSE,
) = range(len(MANO_OUTCOMES))

INDEPENDENT: Final = (
    "hand totals and the matta: volume.settlement",
    "dealer's rule and settlement of the wagers: volume.settlement, volume.tables",
    "play: volume.kernel and its twin volume.twin",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""
