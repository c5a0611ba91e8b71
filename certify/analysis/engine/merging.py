"""What a family merges must be mergeable: faces that are alike, and states that matter alike, are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from certify.analysis.engine.walk import Drawn, chances
from certify.errors import InputError
from certify.model.round import Chance, Choice, ReferenceRound

Signature = tuple[Hashable, ...]


class _Check:
    """The first signature of everything that matters."""

    def __init__(self, reference: ReferenceRound[Any]) -> None:
        self.reference = reference
        self.pieces = {piece.id: piece for piece in reference.equipment}
        self.copies = {piece.id: piece.copies for piece in reference.equipment}
        self.known: dict[Hashable, Signature] = {}
        self.compared = 0

    def look(self, state: Any, drawn: Drawn) -> None:
        """Compares a state with the first one that is said to matter alike."""
        key = self.reference.matters(state)
        signature = self._signature(state, drawn)
        self.compared += 1
        if key not in self.known:
            self.known[key] = signature
        elif self.known[key] != signature:
            raise InputError(
                f"states that are said to matter alike ({key}) are not alike: from one follows {self.known[key]}, "
                f"from another {signature}. matters() of the reference round forgets something"
            )

    def _signature(self, state: Any, drawn: Drawn) -> Signature:
        """Returns what a state waits for and what follows, one step on."""
        reference = self.reference
        node = reference.node(state)
        if isinstance(node, Choice):
            following = tuple(reference.matters(reference.decided(state, option)) for option in node.ids)
            return ("choice", node.seat, node.options, node.sees, following)
        if not isinstance(node, Chance):
            return ("settled", node.results)
        weights: dict[Hashable, int] = {}
        for items, face in chances(reference, self.pieces, self.copies, state, node, drawn):
            key = reference.matters(reference.drawn(state, face))
            weights[key] = weights.get(key, 0) + items
        self._require_alike(state, node, drawn)
        return ("chance", node.equipment, node.to, frozenset(weights.items()))

    def _require_alike(self, state: Any, node: Chance, drawn: Drawn) -> None:
        led: dict[Hashable, Hashable] = {}
        piece = self.pieces[node.equipment]
        for face in range(len(piece.faces)):
            taken = sum(entry == (piece.id, face) for entry in drawn)
            if not piece.replaced and taken >= self.copies[piece.id][face]:
                continue
            alike = self.reference.alike(state, face)
            key = self.reference.matters(self.reference.drawn(state, face))
            if led.setdefault(alike, key) != key:
                raise InputError(
                    f"faces of {piece.id} that are said to be alike ({alike}) lead to states that do not matter "
                    f"alike: {led[alike]} and {key}. alike() of the reference round tells too little apart"
                )


def check_some(reference: ReferenceRound[Any], visited: Iterable[tuple[Any, Drawn]]) -> int:
    """Compares states that some rounds came to, one step on, and returns how many were compared.

    Two states that are said to matter alike must wait for the same thing, offer and show the same, settle alike, and
    lead with the same weights to states that matter alike again. Faces that are said to be alike must lead to states
    that matter alike.

    Args:
        reference: The round.
        visited: States, each with what had been drawn from equipment that puts nothing back.

    Raises:
        InputError: Something merged is not alike.
    """
    check = _Check(reference)
    for state, drawn in visited:
        check.look(state, drawn)
    return check.compared
