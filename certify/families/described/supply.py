"""How many draws a round of a described game needs: the most of its turns where none leads back, else counted."""

from __future__ import annotations

from dataclasses import replace

from certify.errors import InputError
from certify.families.described.reading import Described
from certify.families.supply import check_stated, with_draws
from certify.model.equipment import Equipment
from certify.model.stages import RoundText


def supplied(found: Described, text: RoundText) -> tuple[Equipment, ...]:
    """Returns the equipment with the draws of what is put back that a round needs, where none are stated.

    Raises:
        InputError: They cannot be counted, a round may go on without end, or fewer are stated or there than it needs.
    """
    straight = _straight(found)
    for piece in text.equipment:
        dealt = (straight or {}).get(piece.id, 0)
        if not piece.replaced and dealt > piece.size:
            raise InputError(
                f"a round may deal {dealt} of {piece.id}: expected at most {piece.size}, as are there"
            )
    if not any(piece.replaced for piece in text.equipment):
        return text.equipment
    if straight is None:
        return with_draws(text)
    check_stated(text, straight)
    return tuple(
        replace(piece, supply=max(1, straight.get(piece.id, 1)))
        if piece.replaced and piece.supply == 1
        else piece
        for piece in text.equipment
    )


def _straight(found: Described) -> dict[str, int] | None:
    """Returns the most draws of each piece where no turn leads back; none where one does."""
    most: dict[int, dict[str, int]] = {}

    def ahead(turn: int, above: frozenset[int]) -> dict[str, int] | None:
        if turn in above:
            return None
        if turn not in most:
            own: dict[str, int] = {}
            for to in found.turns[turn].following:
                after = ahead(to, above | {turn})
                if after is None:
                    return None
                own = {piece: max(own.get(piece, 0), after.get(piece, 0)) for piece in {*own, *after}}
            for _, piece in found.turns[turn].draws:
                own[piece] = own.get(piece, 0) + 1
            most[turn] = own
        return most[turn]

    return ahead(0, frozenset())
