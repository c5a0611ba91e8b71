"""Play-through of a game: its own, or derived from the walk of its text."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.table import round_table
from certify.errors import InputError, require_known
from certify.evidence import DERIVED, SHARED_CODE
from certify.families import Counter, ReferenceRound, Settled, SharingVolume, VolumePort, play
from certify.families.stage_machine import StagedRound
from certify.model import (
    ENDED,
    Axes,
    ByLot,
    Equipment,
    Game,
    JointCounts,
    Kind,
    RoundTable,
    Strategy,
    cell_of,
)
from certify.model.points import walk
from certify.simulation.decks import draw_of
from certify.simulation.table_arrays import TableArrays, compiled
from certify.simulation.table_play import TablePlay, Windows
from rng.draws import draw_one
from rng.lazy_kernels import LazyDeck
from rng.words import WordSource

Ended = dict[str, str]
"""The outcome of each wager."""


def play_one(table: RoundTable, draw: Callable[[int], int]) -> Ended:
    """Plays one round.

    Args:
        table: The round under one strategy.
        draw: Returns the next item of a piece, by the place of the piece.
    """
    state, settled = 0, list(table.settled[table.begun])
    while table.piece[state] != ENDED:
        piece = int(table.piece[state])
        face = table.equipment[piece].shows[draw(piece)]
        settled += table.settled[table.settling[state, face]]
        state = int(table.following[state, face])
    return dict(settled + list(table.settled[table.ended[state]]))


def play_rows(table: RoundTable, rows: Iterable[Sequence[int]]) -> Iterator[Ended]:
    """Plays rows of draws.

    Args:
        table: The round under one strategy.
        rows: The draws of each round, piece after piece; no more of them are looked at than the round asks for.

    Raises:
        InputError: A round asks for more draws than its row holds.
    """
    for number, row in enumerate(rows):
        yield play_one(table, _from_row(table.equipment, row, number))


def _from_row(equipment: Sequence[Equipment], row: Sequence[int], number: int) -> Callable[[int], int]:
    parts, start = [], 0
    for piece in equipment:
        parts.append(map(row.__getitem__, range(start, start + piece.supply)))
        start += piece.supply
    return lambda piece: _next(parts[piece], equipment[piece], number)


def _next(items: Iterator[int], piece: Equipment, number: int) -> int:
    for item in items:
        return item
    raise InputError(
        f"round {number} takes more than the {piece.supply} draws of {piece.id} that a row holds"
    )


INDEPENDENT: Final = (
    "dealing, weights of the draws and sampling: rounds that are really drawn, one after the other",
    "play of the table by compiled code, and again by its readable version from the table itself",
)
"""What play-through of a derived table does by itself; the rules and the settlement are those of the text."""


MOST_KNOWN: Final = 1 << 18
"""Places of which the cell is kept."""


@dataclass(frozen=True, eq=False)
class TableCounter:
    """Plays rounds by a table that was derived from the text of the game.

    Args:
        table: The round under one strategy.
        axes: Wagers with their outcomes, in the order in which joint outcomes are numbered.
    """

    table: RoundTable
    axes: Axes

    @classmethod
    def of(cls, table: RoundTable, wagers: Sequence[str] = ()) -> "TableCounter":
        """Returns what plays a table.

        Args:
            table: The round under one strategy.
            wagers: The wagers in order; as the table names them where left out.

        Raises:
            InputError: The table settles other wagers.
        """
        settled = table.outcomes
        if wagers and set(wagers) != set(settled):
            raise InputError(
                f"the table of the round settles {', '.join(settled)}, expected {', '.join(wagers)}"
            )
        return cls(table, tuple((wager, settled[wager]) for wager in wagers or settled))

    @property
    def card_by_card(self) -> bool:
        """Whether rounds are dealt from one shoe, card by card; else each has the words of a whole row."""
        return len(self.table.equipment) == 1 and self.table.equipment[0].kind is Kind.SHOE

    @cached_property
    def _arrays(self) -> TableArrays:
        return compiled(self.table)

    @cached_property
    def _cells(self) -> dict[int, int]:
        """Cells of the places that came so far, where places are sums."""
        return {}

    def _play(self) -> TablePlay:
        """Returns what plays, of its own for each call: rounds may be played in several threads."""
        return TablePlay.of(self._arrays)

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""
        return self._counted(lambda play: play.rows(rows))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""
        play = self._play()
        return [ended for places, _ in play.rows(rows) for ended in self._named(play, places.tolist())]

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the same by the readable twin."""
        return self._in_order(play_rows(self.table, rows.tolist()))

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream end in each joint outcome."""
        return self._counted(lambda play: self._windows(play, words, rounds))

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the compiled code, and the word with which each began."""
        play, outcomes, starts = self._play(), [], [np.empty(0, dtype=np.int64)]
        for places, begun in self._windows(play, words, rounds):
            outcomes += self._named(play, places.tolist())
            starts.append(begun)
        return outcomes, np.concatenate(starts)

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the draws of the next round: of one shoe card by card, else a whole row."""
        equipment = self.table.equipment
        return (
            LazyDeck(words, equipment[0].size) if self.card_by_card else draw_one(words, draw_of(equipment))
        )

    def _windows(self, play: TablePlay, words: WordSource, rounds: int) -> Windows:
        return play.dealt(words, rounds) if self.card_by_card else play.drawn(words, rounds)

    def _counted(self, windows: Callable[[TablePlay], Windows]) -> JointCounts:
        play = self._play()
        by_cell: dict[int, int] = {}
        for by_place in play.counts(windows):
            cells = (
                self._cells_by_sum(play, by_place)
                if self._arrays.weights
                else self._cells_on_the_way(play, by_place)
            )
            for cell, count in zip(cells, by_place.values(), strict=True):
                by_cell[cell] = by_cell.get(cell, 0) + count
        return JointCounts.of(self.axes, by_cell)

    def _cells_by_sum(self, play: TablePlay, places: Iterable[int]) -> Iterator[int]:
        """Yields the cells of places that are sums, each found once."""
        known = self._cells
        if len(known) > MOST_KNOWN:
            known.clear()
        for place in places:
            cell = known.get(place)
            if cell is None:
                cell = known[place] = cell_of(self.axes, *self._named(play, [place]))
            yield cell

    def _cells_on_the_way(self, play: TablePlay, places: Iterable[int]) -> Iterator[int]:
        """Yields the cells of places that lead back to earlier ones: what is settled at each step is added once."""
        cells, added = self._added
        # So many powers of two add up to all of them only where each is there once.
        once, known = (len(self.axes) + 1 << len(self.axes)) - 1, [0]
        for before, group in play.steps():
            known.append(known[before] + added[group])
        for place in places:
            settled, cell = divmod(known[place], cells)
            if settled != once:
                ended = ", ".join(wager for wager, _ in play.settled(place))
                raise InputError(f"a round settled {ended}: expected every wager of the game once")
            yield cell

    @cached_property
    def _added(self) -> tuple[int, list[int]]:
        """Returns the number of cells, and what each group of settled wagers adds: that they are, and to the cell."""
        weights: dict[tuple[str, str], int] = {}
        cells = prod(len(outcomes) for _, outcomes in self.axes)
        weight = 1
        for place, (wager, outcomes) in enumerate(reversed(self.axes)):
            mark = ((1 << len(self.axes)) + (1 << place)) * cells
            weights |= {(wager, outcome): mark + weight * at for at, outcome in enumerate(outcomes)}
            weight *= len(outcomes)
        return cells, [sum(weights[won] for won in group) for group in self._arrays.groups]

    def _named(self, play: TablePlay, places: Iterable[int]) -> list[tuple[str, ...]]:
        return self._in_order(dict(play.settled(place)) for place in places)

    def _in_order(self, ended: Iterable[dict[str, str]]) -> list[tuple[str, ...]]:
        return [tuple(outcomes[wager] for wager, _ in self.axes) for outcomes in ended]


@dataclass(frozen=True, slots=True)
class ReferenceCounter:
    """Plays rows through the reference round, one after the other.

    Args:
        reference: The rules of the game.
        strategy: The player's strategy.
        axes: Wagers with every outcome that some round has.
    """

    reference: ReferenceRound[Any]
    strategy: Strategy
    axes: Axes

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""
        return JointCounts.of_outcomes(self.axes, self.outcomes(rows))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row."""
        wagers = [wager for wager, _ in self.axes]
        played = (play(self.reference, row, self.strategy).outcomes for row in rows.tolist())
        return [tuple(ended[wager] for wager in wagers) for ended in played]


class ReferenceVolume:
    """Play-through by the reference round: it shares the rules and the settlement with it."""

    independent_code: tuple[str, ...] = ()

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rows of a game under a strategy."""
        return ReferenceCounter(game.port.reference(game), strategy, axes_of(game))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome, as the reference round settles it.

        Raises:
            InputError: No round ends so.
        """
        nets = ends_of(game)[wager]
        require_known(f"no round of {wager} ends in {outcome!r}", outcome, nets)
        return nets[outcome]


@lru_cache(maxsize=16)
def ends_of(game: Game) -> Mapping[str, Mapping[str, Fraction]]:
    """Returns the net result of every outcome that some round has, by wager, found by walking the reference round.

    Raises:
        InputError: An outcome comes with two net results: each needs a name of its own.
    """
    found: dict[str, dict[str, Fraction]] = {wager.id: {} for wager in game.wagers}
    for reached in walk(game.port.reference(game)):
        for result in reached.node.results if isinstance(reached.node, Settled) else ():
            known = found[result.wager].setdefault(result.outcome, result.net)
            if known != result.net:
                raise InputError(
                    f"{result.wager}: the outcome {result.outcome!r} has the net results {known} and {result.net}, "
                    "expected one: outcomes that pay differently have names of their own"
                )
    return {wager: dict(sorted(ends.items())) for wager, ends in found.items()}


def axes_of(game: Game) -> Axes:
    """Returns the wagers of a game with every outcome that some round has."""
    return tuple((wager, tuple(ends)) for wager, ends in ends_of(game).items())


class DerivedVolume:
    """Play-through of the table that was derived from the text of a game.

    It tests dealing, weights and sampling. The rules and the settlement are those of the text; what checks them is the
    second implementation.
    """

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game under a strategy."""
        if isinstance(strategy, ByLot):
            # A table decides in the same way in equal states; what is decided by lot is played round by round.
            return ReferenceVolume().counter(game, strategy)
        return _counter(game, strategy)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        return _round_of(game).text.price(wager, outcome).net


@lru_cache(maxsize=8)
def _counter(game: Game, strategy: Strategy) -> TableCounter:
    played = _round_of(game)
    table = round_table(
        played.proven.automaton, strategy, cache(lambda: frozenset(played.graph().automaton_states))
    )
    return TableCounter.of(table, played.text.wagers)


def _round_of(game: Game) -> StagedRound:
    reference = game.port.reference(game)
    if not isinstance(reference, StagedRound):
        raise InputError(
            f"{game.family} is not written in stages: expected an implementation from which a table can be computed"
        )
    return reference


def volume_of(game: Game) -> VolumePort:
    """Returns what plays the rounds of a game in volume."""
    return game.port.volume or (DerivedVolume() if game.port.text is not None else ReferenceVolume())


def has_own_volume(game: Game) -> bool:
    """Returns whether the rounds of a game are played in volume by compiled code next to its reference round."""
    return game.port.volume is not None or game.port.text is not None


DRAWS: Final = (
    "draws: taken from rng's streams for the play-through, counted without drawing by the enumeration"
)

SECOND_TEXT: Final = (
    "rules and settlement, written independently and compared with the implementation that plays: "
    "the second implementation"
)
"""What checks the text that both rest on."""


def shared_code(game: Game) -> tuple[str, ...]:
    """Returns what the play-through of a game shares with its exact figures."""
    volume = volume_of(game)
    shares = volume.shares if isinstance(volume, SharingVolume) else ()
    derived = game.port.text is not None and game.port.volume is None
    return (*((DERIVED,) if derived else shares), *SHARED_CODE)


def independent_code(game: Game) -> tuple[str, ...]:
    """Returns what the play-through of a game, and what checks both, do by themselves."""
    second = (SECOND_TEXT,) if game.port.second is not None else ()
    return (*volume_of(game).independent_code, DRAWS, *second)
