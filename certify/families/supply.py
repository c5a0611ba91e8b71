"""How many draws a round needs before it of what is put back: longer rounds are all but impossible."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from certify.analysis.engine.automaton import least
from certify.analysis.engine.stage_points import TARGET, walked
from certify.errors import InputError
from certify.model import Choose, End, Equipment, NextDraw, RoundText

LONGER: Final = 1e-15
"""Chance with which a round needs more draws than it has before it, at most."""

RARE: Final = 1e-9
"""Chance of such a round that a submission may leave itself by stating the draws, at most."""

MOST_DRAWS: Final = 2_000
MOST_WALKED: Final = 50_000
"""Moments of a round that are looked at to count its draws, at most; beyond, the submission states them."""


def check_stated(text: RoundText, straight: Mapping[str, int] | None) -> None:
    """Refuses stated draws that rounds of a play-through would run out of.

    Args:
        text: The game.
        straight: The most draws of each piece where no turn leads back; none where one does.

    Raises:
        InputError: A round may need more of a piece than are stated.
    """
    stated = {piece.id: piece.supply for piece in text.equipment if piece.replaced and piece.supply > 1}
    least_draws: Mapping[str, int] = straight or {}
    if stated and straight is None and len(text.equipment) == 1:
        try:
            least_draws = dict.fromkeys(stated, needed(text, RARE))
        except InputError:
            return  # Too many moments or no end in sight: what is stated is used.
    for piece, draws in stated.items():
        if draws < least_draws.get(piece, 0):
            raise InputError(
                f"{draws} draws of {piece} are stated: a whole round may need {least_draws[piece]}; expected as many, "
                "or none stated, so that they are counted"
            )


def with_draws(text: RoundText) -> tuple[Equipment, ...]:
    """Returns the equipment of a text with the draws that its rounds need, where none are stated.

    Raises:
        InputError: They cannot be counted, a round may go on without end, or fewer are stated than rounds need.
    """
    check_stated(text, None)
    if not any(piece.replaced and piece.supply == 1 for piece in text.equipment):
        return text.equipment
    draws = needed(text)
    return tuple(
        replace(piece, supply=draws) if piece.replaced and piece.supply == 1 else piece
        for piece in text.equipment
    )


def needed(text: RoundText, longer: float = LONGER) -> int:
    """Returns the draws after which all but so few rounds are over, whatever is decided."""
    automaton = least(walked(text, MOST_WALKED))
    chance = {0: 1.0}
    for draws in range(1, MOST_DRAWS):
        after: dict[int, float] = {}
        waiting = list(chance.items())
        while waiting:
            state, weight = waiting.pop()
            here = automaton.waiting[state]
            if isinstance(here, Choose):
                # Every option counts in full: whatever is decided, a round has draws enough.
                waiting += [(arrow & TARGET, weight) for arrow in dict.fromkeys(automaton.rows[state])]
            elif isinstance(here, NextDraw):
                piece = text.equipment[text.piece_of(here)]
                for arrow, copies in zip(automaton.rows[state], piece.copies, strict=True):
                    to = arrow & TARGET
                    if arrow >= 0 and not isinstance(automaton.waiting[to], End):
                        after[to] = after.get(to, 0.0) + weight * copies / piece.size
        chance = after
        if sum(chance.values()) <= longer:
            return draws
    raise InputError(
        f"a round may need more than {MOST_DRAWS:,} draws: expected draws of the equipment, or turns that end"
    )
