"""Rounds that show what a slot wins: a row of its paytable, a feature; sought by spinning the reference round.

Nothing found here is believed: whoever asks plays the round again. What is not found is reported as not found.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final, TypeVar

from certify.by_key import gathered
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.slot.random_elements import (
    GAMBLE,
    LOST,
    reel_piece,
    stage_piece,
    stop_of,
)
from certify.families.slot.reference import Done, RoundInPlay, SlotRound, name_of
from certify.families.slot.rows import outcome_of
from certify.families.slot.rulebook import WindowCell
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Fill,
    FreeGames,
    LinePay,
    ScatterPay,
    SlotRules,
)
from certify.model import Award, Equipment, Row

GO_ON: Final = "go-on"
COLLECT: Final = "collect"
STAKE_WIN: Final = "gamble"

WON: Final = "coins won"
LEFT: Final = "games left"


@dataclass(frozen=True)
class PacedRound(SlotRound):
    """The reference round of a slot that waits for its player between two steps."""

    @property
    def decides(self) -> bool:
        """Whether some round waits for its player."""
        return bool(self.rules.features) or self.rules.gamble is not None

    def node(self, state: RoundInPlay) -> Node:
        """Returns what the round waits for."""
        if state.waits:
            return Choice("player", (Option(GO_ON),), self.hands(state))
        if state.staked:
            return Chance(GAMBLE, "table", "shows")
        inner = super().node(state)
        if not isinstance(inner, Settled) or not inner.results:
            return inner
        if self._offered(state):
            options = (Option(COLLECT), Option(STAKE_WIN))
            return Choice("player", options, self.hands(state))
        return Settled(tuple(self._gambled(state, result) for result in inner.results))

    def drawn(self, state: RoundInPlay, face: int) -> RoundInPlay:
        """Returns the state after a draw."""
        if state.staked:
            lost = self._faces[GAMBLE][face] == LOST
            return replace(state, staked=False, tries=state.tries + 1, lost=lost)
        after = super().drawn(state, face)
        return replace(after, waits=after.steps > state.steps and bool(after.tasks))

    def decided(self, state: RoundInPlay, option: str) -> RoundInPlay:
        """Returns the state after a decision."""
        if state.waits:
            return replace(state, waits=False)
        return replace(state, taken=True) if option == COLLECT else replace(state, staked=True)

    def hands(self, state: RoundInPlay) -> tuple[Hand, ...]:
        """Returns what the reels show from the top, what was won so far in coins, and how many free games are left.

        A symbol is the number of its place among all that the game shows; coins that are no whole number are reported
        as numerator and denominator.
        """
        reels = [
            Hand(f"reel {place}", tuple(self._numbers[name_of(cell)] for cell in reel))
            for place, reel in enumerate(state.window, start=1)
        ]
        won = self._won(state)
        coins = (won.numerator,) if won.denominator == 1 else (won.numerator, won.denominator)
        left = sum(task.series.left for task in state.tasks if task.series is not None)
        return (*reels, Hand(WON, coins), *([Hand(LEFT, (left,))] if left else []))

    def named(self, holder: str, face: int) -> str:
        """Returns a face of a holder in words: a symbol on a reel, a number elsewhere."""
        shown = holder.startswith("reel ") and 0 <= face < len(self._numbers)
        return [*self._numbers][face] if shown else str(face)

    # --- parts ---

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Everything that a cell can show by its number: symbols as strips first name them, then wilds with factors."""
        factors = (WindowCell(one.symbol, factor) for one in self.rules.wilds for factor, _ in one.multiplies)
        shown = dict.fromkeys([*self.rules.symbols, *map(name_of, factors)])
        return {name: number for number, name in enumerate(shown)}

    def _offered(self, state: RoundInPlay) -> bool:
        """Returns whether the win may be staked again."""
        gamble, most = self.rules.gamble, self.rules.most
        won = self._won(state) / self.rules.cost
        below = most is None or won < most
        return gamble is not None and not state.taken and won > 0 and below and state.tries < gamble.steps

    def _won(self, state: RoundInPlay) -> Fraction:
        """Returns the coins won so far: never above the limit of a round."""
        rules, coins = self.rules, sum((one.coins for one in state.won), Fraction(0))
        if state.lost:
            return Fraction(0)
        most = coins if rules.most is None else rules.most * rules.cost
        times = rules.gamble.multiplies**state.tries if rules.gamble is not None else Fraction(1)
        won = min(coins, most) * times
        return won if rules.most is None else min(won, most)

    def _gambled(self, state: RoundInPlay, result: WagerResult) -> WagerResult:
        """Returns a result with what staking the win again added or took."""
        if not state.tries:
            return result
        # What a meter pays is not staked again.
        changed = self._won(state) - self._won(replace(state, tries=0, lost=False))
        more = Award(GAMBLE, Fraction(1), changed / self.cost)
        net = result.net + more.contribution
        outcome = outcome_of(net + 1, state.begun)
        return replace(result, outcome=outcome, net=net, awards=(*result.awards, more))


TRIED: Final = 24
"""Spins that are tried for each choice of reels that show a row's symbols."""

T = TypeVar("T")

Given = Mapping[str, Sequence[Sequence[str]]]
"""Faces among which each draw of a piece is chosen, draw after draw."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A spin with the draws that give it: (piece, face) in the order drawn."""

    faces: tuple[tuple[str, str], ...]
    done: Done


@dataclass(frozen=True)
class Seeker:
    """Spins the reels of a slot until they show what is wanted.

    Args:
        round: The reference round.
    """

    round: SlotRound

    @property
    def rules(self) -> SlotRules:
        """Rules of the slot."""
        return self.round.rules

    @cached_property
    def _pieces(self) -> Mapping[str, Equipment]:
        return {piece.id: piece for piece in self.round.equipment}

    # --- rounds ---

    def showing(self, row: str) -> Row | None:
        """Returns draws of a round that wins a row, or begins a feature; nothing where none was found."""
        features = {one.id: one for one in self.rules.features}
        for stage, led in self._ways_to_stages():
            found = None
            begins = row in features and stage in features[row].begins_in
            symbols = self._symbols_of(row)
            if begins:
                found = self._spin_that_starts(stage, features[row])
            elif symbols:
                found = self._found(stage, symbols, lambda done: any(won.row == row for won in done.won))
            if found is not None:
                return self.row([*led, found])
        return None

    def row(self, spins: Sequence[Drawn]) -> Row:
        """Returns the row of draws of a round that begins with some spins; what follows them starts nothing."""
        drawn = gathered((name, self._item(name, face)) for spin in spins for name, face in spin.faces)
        quiet = self._quiet
        return tuple(
            item
            for piece in self.round.equipment
            for known in (drawn.get(piece.id, []),)
            for item in (*known, *([quiet.get(piece.id, 0)] * (piece.supply - len(known))))
        )

    def _item(self, name: str, face: str) -> int:
        """Returns the first item of a piece that shows a face."""
        piece = self._pieces[name]
        return piece.shows.index(piece.faces.index(face))

    @cached_property
    def _quiet(self) -> Mapping[str, int]:
        """For each reel an item with which it shows nothing that starts a feature, where it has one."""
        starting = {symbol for one in self.rules.features for symbol in one.trigger.symbols}
        calm = {
            name: self._faces(stage.id, n, rows, starting, shown=False)
            for stage in self.rules.stages
            for n, rows in enumerate(self._rows(stage.id))
            if (name := reel_piece(stage.id, n)) in self._pieces
        }
        return {name: self._item(name, faces[0]) for name, faces in calm.items() if faces}

    def _ways_to_stages(self) -> Iterator[tuple[str, tuple[Drawn, ...]]]:
        """Yields each stage with spins that lead to it, the paid spin alone first."""
        reached: dict[str, tuple[Drawn, ...]] = {BASE: ()}
        waiting = [BASE]
        while waiting:
            stage = waiting.pop(0)
            yield stage, reached[stage]
            for feature in self.rules.free_games:
                missing = [name for name, _ in feature.stages if name not in reached]
                if stage not in feature.begins_in or not missing:
                    continue
                begun = self._spin_that_starts(stage, feature)
                for name in missing if begun else ():
                    chosen = Drawn(((stage_piece(feature.id), name),), Done(()))
                    spins = [begun, chosen] if len(feature.stages) > 1 else [begun]
                    reached[name] = (*reached[stage], *filter(None, spins))
                    waiting.append(name)

    def _spin_that_starts(self, stage: str, feature: FreeGames | BonusPrizes) -> Drawn | None:
        return self._found(stage, feature.trigger.symbols, lambda done: feature.id in done.begun)

    def _symbols_of(self, row: str) -> tuple[str, ...]:
        """Returns the symbols that a row counts."""
        kinds: tuple[LinePay | ScatterPay, ...] = (*self.rules.line_pays, *self.rules.scatter_pays)
        own = next((one.symbols for one in kinds if row.rpartition("-")[0] == one.id), ())
        cells = (one.cells for one in self.rules.patterns if one.id == row)
        return own or tuple(dict.fromkeys(symbol for some in cells for cell in some for symbol in cell))

    def _found(self, stage: str, symbols: Sequence[str], wanted: Callable[[Done], bool]) -> Drawn | None:
        """Returns a spin that is as wanted, among those of which some reels show the symbols and the others do not."""
        helping = {
            *symbols,
            *(one.symbol for one in self.rules.wilds),
            *(one.symbol for one in self.rules.doubled),
        }
        rows, strips = self._rows(stage), self.rules.strip_set(self.rules.stage(stage).strips)
        bare = [self._faces(stage, n, some, helping, shown=False) for n, some in enumerate(rows)]
        for places in _reels(len(rows)):
            for turn in range(TRIED):
                # On the cells of a line in turn, or anywhere.
                lines = self.rules.lines if turn % 4 else ()
                line = lines[turn // 2 % len(lines)] if lines else ()
                given = {}
                for n, some in enumerate(rows):
                    cells = [line[n]] if line else some
                    shows = self._faces(stage, n, cells, symbols, shown=True) if n in places else bare[n]
                    # Where every cell is drawn, one of them shows it, or at some turns all.
                    one, drawn = _one(cells, turn, n), some if strips.fill is Fill.CELLS else some[:1]
                    given[reel_piece(stage, n)] = [
                        shows if len(drawn) == 1 or row == one or turn % 4 == 0 else bare[n] for row in drawn
                    ]
                spun = self._spun(stage, given, turn)
                if wanted(spun.done):
                    return spun
        return None

    # --- spins ---

    def _rows(self, stage: str) -> list[range]:
        """Returns the rows of each reel's window where it is highest."""
        strips = self.rules.strip_set(self.rules.stage(stage).strips)
        return [range(max(one.rows for one in heights)) for heights in strips.heights]

    def _faces(
        self, stage: str, reel: int, rows: Sequence[int], symbols: Collection[str], *, shown: bool
    ) -> list[str]:
        """Returns the faces of a reel with which some rows show one of some symbols, or those with which none does."""
        strips = self.rules.strip_set(self.rules.stage(stage).strips)
        strip, found = strips.reels[reel].symbols, []
        for face in self._pieces[reel_piece(stage, reel)].faces:
            cells = [face]
            if strips.fill is Fill.STRIP:
                cells = [strip[(stop_of(face) + row) % len(strip)] for row in rows]
            found += [face] if shown is not set(symbols).isdisjoint(cells) else []
        return found

    def _spun(self, stage: str, given: Given, turn: int) -> Drawn:
        """Spins: reels stop as given, and of what else is drawn the highest comes, or another one at each turn."""
        left = {piece: list(some) for piece, some in given.items()}
        step = self.round.spin(stage)
        asked: list[tuple[str, str]] = []
        try:
            piece = next(step)
            while True:
                faces = self._pieces[piece].faces
                face = faces[turn % len(faces)]
                if left.get(piece):
                    face = _one(left[piece].pop(0) or faces, turn, len(asked))
                elif turn % 2 == 0:
                    face = max(faces, key=lambda one: int(one) if one.isdecimal() else 0)
                asked.append((piece, face))
                piece = step.send(face)
        except StopIteration as ended:
            return Drawn(tuple(asked), ended.value)


def _reels(number: int) -> Iterator[tuple[int, ...]]:
    """Yields sets of reels, runs from either end first."""
    runs = [tuple(range(size)) for size in range(1, number + 1)]
    runs += [tuple(range(number - size, number)) for size in range(1, number)]
    every = (some for size in range(1, number) for some in combinations(range(number), size))
    yield from dict.fromkeys((*runs, *every))


def _one(some: Sequence[T], turn: int, number: int) -> T:
    """Returns one of some, another one at each turn: hashes of numbers look like any others, the same every time."""
    return some[hash((turn, number)) % len(some)]
