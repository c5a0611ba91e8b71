"""The reference round of a game of one draw: turn after turn until every wager is settled."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from certify.errors import InputError
from certify.families.port import Chance, Hand, Node, Settled, WagerResult
from certify.families.single_draw.rulebook import net_of, settled
from certify.families.single_draw.rules import FIRST, SingleDrawRules, all_rules_of
from certify.model.equipment import Equipment, Kind
from certify.model.game import Game
from certify.model.paytable import Paytable

HOW = {
    Kind.WHEEL: "spins",
    Kind.REEL: "stops",
    Kind.DICE: "throws",
    Kind.BALLS: "draws",
    Kind.SHOE: "is dealt",
}


@dataclass(frozen=True, slots=True)
class TurnState:
    """A round between two draws.

    Args:
        stages: For each wager the stage in which it waits; empty in the first one and once it is settled.
        rows: For each wager the row in which it ended; empty while it waits.
        shown: Faces of the turn so far, by piece.
        before: Faces of earlier turns, by piece.
    """

    stages: tuple[str, ...]
    rows: tuple[str, ...]
    shown: tuple[tuple[int, ...], ...]
    before: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class DrawnRound:
    """One game of one draw.

    Args:
        game: The submission.
    """

    game: Game

    @cached_property
    def rules(self) -> SingleDrawRules:
        """The rules of the game as submitted: which wagers are bet on changes no draw."""
        return all_rules_of(self.game)

    @cached_property
    def paytables(self) -> Mapping[str, Paytable]:
        """Paytables of the wagers that are offered."""
        return {wager.id: wager.paytable for wager in self.game.wagers}

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is drawn from."""
        return self.game.equipment

    def start(self) -> TurnState:
        """Returns the state before anything is drawn."""
        wagers, nothing = len(self.rules.wagers), ((),) * len(self.rules.draws)
        return TurnState((FIRST,) * wagers, ("",) * wagers, nothing, nothing)

    def node(self, state: TurnState) -> Node:
        """Returns what the round waits for: the next draw of the turn, or the results."""
        if all(state.rows):
            return Settled(
                tuple(
                    WagerResult(terms.wager, row, net_of(row, terms, self.paytables[terms.wager]))
                    for terms, row in zip(self.rules.wagers, state.rows, strict=True)
                    if terms.wager in self.paytables
                )
            )
        piece = self.equipment[self.rules.draws[self._place(state)][0]]
        return Chance(piece.id, self._holder(piece), HOW[piece.kind])

    def drawn(self, state: TurnState, face: int) -> TurnState:
        """Returns the state after a draw; the last draw of a turn settles what it decides."""
        place = self._place(state)
        shown = _with(state.shown, place, face)
        whole = all(len(faces) == count for faces, (_, count) in zip(shown, self.rules.draws, strict=True))
        if not whole:
            return TurnState(state.stages, state.rows, shown, state.before)
        stages, rows = list(state.stages), list(state.rows)
        for number, terms in enumerate(self.rules.wagers):
            if not rows[number]:
                rows[number], stages[number] = settled(terms.stage(stages[number]), shown)
        before = tuple((*earlier, *faces) for earlier, faces in zip(state.before, shown, strict=True))
        return TurnState(tuple(stages), tuple(rows), ((),) * len(shown), before)

    def decided(self, state: TurnState, option: str) -> TurnState:
        """Refuses: nothing is decided in a game of one draw."""
        raise InputError(f"{option!r} was decided, but nothing is decided in {self.game.id}")

    def alike(self, state: TurnState, face: int) -> Hashable:
        """Returns all that the conditions can tell of a face of the next draw."""
        return self._kinds[self._place(state)][face]

    def matters(self, state: TurnState) -> Hashable:
        """Returns stages, rows and, of the faces of the turn, what the conditions can tell of them."""
        seen = []
        for place, faces in enumerate(state.shown):
            kinds = [self._kinds[place][face] for face in faces]
            seen.append(tuple(kinds if place in self._ordered else sorted(kinds)))
        return (state.stages, state.rows, tuple(seen))

    def hands(self, state: TurnState) -> tuple[Hand, ...]:
        """Returns what each piece showed, earlier turns first."""
        return tuple(
            Hand(self._holder(self.equipment[piece]), (*state.before[place], *state.shown[place]))
            for place, (piece, _) in enumerate(self.rules.draws)
        )

    def _holder(self, piece: Equipment) -> str:
        return "table" if len(self.equipment) == 1 else piece.id

    def _place(self, state: TurnState) -> int:
        return next(
            place for place, (_, count) in enumerate(self.rules.draws) if len(state.shown[place]) < count
        )

    @cached_property
    def _ordered(self) -> frozenset[int]:
        """Pieces of which some condition asks for one draw by its place."""
        return frozenset(test.measure.piece for test in self.rules.tests if test.measure.place)

    @cached_property
    def _kinds(self) -> tuple[tuple[int, ...], ...]:
        """For each piece and face a number; faces of which every condition reads the same have the same."""
        measures = tuple(dict.fromkeys(test.measure for test in self.rules.tests))
        return tuple(
            _numbered(
                [
                    tuple(measure.numbers[face] for measure in measures if measure.piece == place)
                    for face in range(len(self.equipment[piece].faces))
                ]
            )
            for place, (piece, _) in enumerate(self.rules.draws)
        )


def _numbered(read: list[tuple[int, ...]]) -> tuple[int, ...]:
    known: dict[tuple[int, ...], int] = {}
    return tuple(known.setdefault(numbers, len(known)) for numbers in read)


def _with(shown: tuple[tuple[int, ...], ...], place: int, face: int) -> tuple[tuple[int, ...], ...]:
    return (*shown[:place], (*shown[place], face), *shown[place + 1 :])
