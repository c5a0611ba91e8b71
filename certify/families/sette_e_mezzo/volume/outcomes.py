"""Outcome ids of each family and the small integers that the kernels count them by."""

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

ANTE: Final = "ante"
FINAL_BETS: Final = (0, 1, 2)
"""Final bets in antes that the kernel of games with an open dealer's card can count; 0 where there is none."""

OPEN_CARD_ENDS: Final = ("win", "push", "lose", "bust")
OPEN_CARD_OUTCOMES: Final = (
    "king-of-diamonds",
    "dealer-king-of-diamonds",
    "fold",
    *(f"{end}-final-{bet}" if bet else end for bet in FINAL_BETS for end in OPEN_CARD_ENDS),
)
"""Outcomes of the ante in games with an open dealer's card, in the order of their codes."""

OPEN_KING, OPEN_DEALER_KING, OPEN_FOLD, OPEN_FIRST_END = range(4)

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

SHARED_CODE: Final = (
    "the strategy table (hands counted by class, with the hands on which the player draws)",
    "the nouns of certify.model: ids of cards, rules as parameters, paytables",
)
"""All that play-through shares with enumeration; printed in the evidence."""

_DECKS: Final = "decks: shuffled by rng for the play-through, counted without shuffling by the enumeration"
_INDEPENDENT: Final = {
    "sette-e-mezzo": (
        "hand totals and the matta: certify.families.sette_e_mezzo.volume.settlement",
        "dealer's rule and settlement of the wagers: certify.families.sette_e_mezzo.volume.settlement, certify.families.sette_e_mezzo.volume.tables",
        "play: certify.families.sette_e_mezzo.volume.kernel and its twin certify.families.sette_e_mezzo.volume.twin",
        _DECKS,
    ),
    "seven-and-a-half-open-card": (
        "hand totals and the King of diamonds: certify.families.open_card.volume.settlement",
        "dealer's rule and settlement: certify.families.open_card.volume.settlement, certify.families.open_card.volume.tables",
        "play: certify.families.open_card.volume.kernel and its twin certify.families.open_card.volume.twin",
        _DECKS,
    ),
}


def independent_code(family: str) -> tuple[str, ...]:
    """Returns what play-through of a family of games does by itself, as printed in the evidence."""
    return _INDEPENDENT[family]
