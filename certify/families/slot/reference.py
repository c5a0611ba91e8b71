"""The round of a slot as it is played: one spin, bonus or choice of a stage after the other, each from its draws.

A step is a plain function that takes draws one by one; what is between steps is all that a round keeps. So a round
can stop after any draw, be shown, kept and continued, a series of free games as well as a single spin.
"""

from collections import Counter
from collections.abc import Generator, Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from certify.by_key import summed_pairs
from certify.families.port import Chance, Hand, Node, ReferenceRound, Settled, WagerResult
from certify.families.slot.purchases import Jackpot, Purchase
from certify.families.slot.random_elements import (
    boxes_of,
    events_of,
    factor_piece,
    pieces_of,
    prize_piece,
    reel_piece,
    rows_piece,
    stage_piece,
    stop_of,
)
from certify.families.slot.rows import LIMIT, MULTIPLIED, outcome_of, row_ids
from certify.families.slot.rulebook import (
    Window,
    WindowCell,
    fallen,
    held_by,
    starts_of,
    struck_by,
    times_of,
    wins_of,
)
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Fill,
    FreeGames,
    PrizeDraws,
    SlotRules,
    SpinKind,
    Wild,
    rules_of,
    unit_in,
    wilds_in,
)
from certify.model import Award, Equipment, Game, Row

Asks = Generator[str, str, "Done"]
"""A step: it yields the piece that it asks, is sent the name of the face, and returns what came of it."""


@dataclass(frozen=True, slots=True)
class Series:
    """A series of free games under way.

    Args:
        feature: Id of the feature.
        stage: Stage that its games are played in.
        left: Games left, the one that is played included.
        granted: Games granted so far.
        again: Times that games were granted again.
    """

    feature: str
    stage: str
    left: int
    granted: int
    again: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """Something that is still to be played.

    Args:
        kind: ``spin``, ``stage`` (in which a series is played) or ``bonus``.
        stage: Stage of the spin, or in which the bonus was begun.
        series: The series that a spin belongs to, or that waits for its stage.
        bonus: Id of the bonus.
        held: Places of hold and win that are held at first.
    """

    kind: str
    stage: str
    series: Series | None = None
    bonus: str = ""
    held: int = 0


@dataclass(frozen=True, slots=True)
class Won:
    """What one row won in one step.

    Args:
        part: Stage in which it won.
        row: Row of the paytable, or id of the bonus.
        times: How often.
        coins: What it paid.
        line: Number of the line, 0 for none.
    """

    part: str
    row: str
    times: int
    coins: Fraction
    line: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one step.

    Args:
        told: What a player saw, sentence by sentence.
        won: What was won.
        tasks: What is to be played next.
        starts: Features that a spin began, with how often; of free games with how many.
        window: What the reels show, where they were spun.
    """

    told: tuple[str, ...]
    won: tuple[Won, ...] = ()
    tasks: tuple[Task, ...] = ()
    starts: tuple[tuple[str, int], ...] = ()
    window: Window = ()

    @property
    def begun(self) -> tuple[str, ...]:
        """Features that a spin began."""
        return tuple(name for name, _ in self.starts)


@dataclass(frozen=True, slots=True)
class RoundInPlay:
    """A round between two steps, and what the step under way has drawn.

    Args:
        tasks: What is to be played, the next first.
        won: Everything that was won.
        begun: Features that the paid spin began.
        window: What the reels show.
        told: What the last step reported.
        faces: Names of the faces that the step under way has drawn.
        steps: Steps that are over.
        asks: The piece that the step under way asks next, once it is known.
        waits: Whether it waits for the player to go on.
        tries: Times that the win was staked again.
        lost: Whether it was lost so.
        taken: Whether it was collected.
        staked: Whether the win is staked and not yet decided.
    """

    tasks: tuple[Task, ...] = (Task("spin", BASE),)
    won: tuple[Won, ...] = ()
    begun: tuple[str, ...] = ()
    window: Window = ()
    told: tuple[str, ...] = ()
    faces: tuple[str, ...] = ()
    steps: int = 0
    asks: str = ""
    waits: bool = False
    tries: int = 0
    lost: bool = False
    taken: bool = False
    staked: bool = False


@dataclass(frozen=True)
class SlotRound:
    """The reference round of a slot.

    Args:
        rules: Rules of the slot.
        wager: Id of the wager.
        bought: The feature that the round buys; none where it is a paid spin.
        meters: What the meters hold when the round is accepted, with each; none where the round pays none of them.
    """

    rules: SlotRules
    wager: str
    bought: Purchase | None = None
    meters: tuple[tuple[Jackpot, Fraction], ...] = ()

    @classmethod
    def of(cls, game: Game) -> "SlotRound":
        """Returns the reference round of a game."""
        return cls(rules_of(game), game.wagers[0].id if game.wagers else "")

    @cached_property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is drawn from."""
        return pieces_of(self.rules)

    @property
    def events(self) -> tuple[tuple[Equipment, ...], ...]:
        """Kinds of steps, with what each is drawn from: a step takes nothing from what another one left."""
        return events_of(self.rules)

    @cached_property
    def _faces(self) -> dict[str, tuple[str, ...]]:
        return {piece.id: piece.faces for piece in self.equipment}

    @property
    def cost(self) -> Fraction:
        """Coins that the round costs."""
        return self.rules.cost * (Fraction(1) if self.bought is None else self.bought.price)

    @property
    def decides(self) -> bool:
        """Nothing is decided in a round; and its windows are too many to be walked."""
        return False

    @property
    def lived(self) -> tuple[str, ...]:
        """The first row of the paytable, and every feature."""
        return (*row_ids(self.rules)[:1], *(one.id for one in self.rules.features))

    def showing(self, row: str) -> Row | None:
        """Returns draws of a round that wins a row, or begins a feature; nothing where none was found."""
        from certify.families.slot.witnesses import Seeker  # Loaded here: it plays this round.

        return Seeker(self).showing(row)

    def paced(self) -> ReferenceRound[Any]:
        """Returns the round as its player lives it: each step after the first begins when the player goes on."""
        from certify.families.slot.witnesses import PacedRound  # Loaded here: it plays this round.

        return PacedRound(self.rules, self.wager, self.bought, self.meters)

    def start(self) -> RoundInPlay:
        """Returns the state before anything is drawn."""
        if self.bought is None:
            return RoundInPlay()
        begun = tuple(self._begun(BASE, self.bought.feature, self.bought.starts))
        return RoundInPlay(begun, begun=(self.bought.feature,), steps=1)

    def node(self, state: RoundInPlay) -> Node:
        """Returns what the round waits for."""
        if not state.tasks:
            return Settled((self._result(state),) if self.wager else ())
        return Chance(self._piece(state), state.tasks[0].stage, "shows")

    def drawn(self, state: RoundInPlay, face: int) -> RoundInPlay:
        """Returns the state after a draw."""
        shown = self._faces[self._piece(state)][face]
        after = replace(state, faces=(*state.faces, shown), told=(), asks="")
        came = self._asked(after)
        while isinstance(came, Done):
            after = self._ended(after, came)
            if not after.tasks:
                return after
            came = self._asked(after)
        return replace(after, asks=came)

    def decided(self, state: RoundInPlay, option: str) -> RoundInPlay:
        """Refuses: nothing is decided in a round."""
        raise ValueError(f"{option!r} was decided: a round of a slot has no decision")

    def alike(self, state: RoundInPlay, face: int) -> Hashable:
        """Returns the face itself."""
        return face

    def matters(self, state: RoundInPlay) -> Hashable:
        """Returns the state itself."""
        return state

    def hands(self, state: RoundInPlay) -> tuple[Hand, ...]:
        """Returns the window, and what was won so far, for views and records."""
        won = sum((one.coins for one in state.won), Fraction(0))
        return (Hand("window", (), (), picture(state.window)), Hand("won", (), (), _coins(won)))

    def told(self, before: RoundInPlay, after: RoundInPlay) -> tuple[str, ...]:
        """Returns what a player saw at a draw: whole steps, once they are over."""
        return after.told

    # --- steps ---

    def _piece(self, state: RoundInPlay) -> str:
        """Returns the piece that the round waits for."""
        asked = state.asks or self._asked(state)
        if isinstance(asked, Done):
            raise ValueError("a step that needs no draw was not ended")
        return asked

    def _asked(self, state: RoundInPlay) -> str | Done:
        """Returns the piece that the step under way asks next, or what came of it."""
        step = self._step(state.tasks[0])
        try:
            asked = next(step)
            for face in state.faces:
                asked = step.send(face)
        except StopIteration as ended:
            done: Done = ended.value
            return done
        return asked

    def spin(self, stage: str) -> Asks:
        """Returns a spin of a stage by itself, as a step."""
        return self._spin(Task("spin", stage))

    def _step(self, task: Task) -> Asks:
        if task.kind == "stage":
            return self._choose_stage(task)
        return self._bonus(task) if task.kind == "bonus" else self._spin(task)

    def _ended(self, state: RoundInPlay, done: Done) -> RoundInPlay:
        first = state.steps == 0
        return RoundInPlay(
            (*done.tasks, *state.tasks[1:]),
            (*state.won, *done.won),
            done.begun if first else state.begun,
            done.window or state.window,
            (*state.told, *done.told),
            (),
            state.steps + 1,
        )

    def _spin(self, task: Task) -> Asks:
        stage = self.rules.stage(task.stage)
        window, stops = yield from self._window(stage)
        told = [f"{_title(task)}: reels stop at {' '.join(stops)}"]
        won: list[Won] = []
        begun = Counter[str]()
        held: frozenset[int] = frozenset()
        falls = 0
        while True:
            told += self._paid(stage, window, falls, won, begun)
            new = held_by(self.rules, stage, window) - held
            struck = struck_by(self.rules, stage, window)
            if new:
                held |= new
                numbers = ", ".join(str(reel + 1) for reel in sorted(held))
                window, stops = yield from self._window(stage, held)
                told.append(f"reels {numbers} are held, the others stop at {' '.join(stops)}")
            elif struck:
                falls += 1
                tops = [int(one) - 1 for one in stops]
                window, tops = fallen(self.rules, stage, window, tops, struck)
                stops = [str(top + 1) for top in tops]
                told.append(f"{len(struck)} symbols vanish, the strips go on to {' '.join(stops)}")
            else:
                starts = tuple((one.id, begun[one.id]) for one in self.rules.features if one.id in begun)
                return Done(tuple(told), tuple(won), tuple(self._follow(task, starts)), starts, window)

    def _paid(
        self, stage: SpinKind, window: Window, falls: int, won: list[Won], begun: Counter[str]
    ) -> Iterator[str]:
        """Adds what a window wins, and the features that it starts; yields what a player sees of it."""
        wins = wins_of(self.rules, stage, window)
        yield from _rows(window)
        yield from (_win_words(win.row, win.line, win.coins, win.times) for win in wins)
        won += [Won(stage.id, win.row, win.times, Fraction(win.coins), win.line) for win in wins]
        times = times_of(self.rules, stage, window, falls)
        runs = sum(win.coins for win in wins if win.run)
        if times > 1 and runs:
            yield f"the window multiplies its {'ways' if self.rules.ways else 'lines'} by {times}"
            won.append(Won(stage.id, MULTIPLIED, 1, Fraction(runs * (times - 1))))
        for name, number in starts_of(self.rules, stage, window):
            yield f"{name} starts: {number}"
            begun[name] += number

    def _follow(self, task: Task, starts: tuple[tuple[str, int], ...]) -> Iterator[Task]:
        """Yields what a spin leads to: features that it began, then the rest of its series."""
        series = task.series
        own = 0
        for name, times in starts:
            if series is not None and series.feature == name:
                own = times
            else:
                yield from self._begun(task.stage, name, times)
        if series is not None:
            after = _goes_on(
                next(one for one in self.rules.free_games if one.id == series.feature), series, own
            )
            if after.left:
                yield Task("spin", after.stage, after)

    def _begun(self, stage: str, feature: str, times: int) -> Iterator[Task]:
        """Yields what a feature leads to that begins in a stage."""
        free = next((one for one in self.rules.free_games if one.id == feature), None)
        if free is not None:
            yield from _begin(free, times)
            return
        bonus = next(one for one in self.rules.bonuses if one.id == feature)
        several, held = bonus.begun(times)
        yield from (Task("bonus", stage, bonus=feature, held=held) for _ in range(several))

    def _choose_stage(self, task: Task) -> Asks:
        if task.series is None:
            raise ValueError("a stage is chosen for a series of free games")
        name = yield stage_piece(task.series.feature)
        told = (f"{task.series.feature}: {task.series.left} games are played as {name}",)
        return Done(told, tasks=(Task("spin", name, replace(task.series, stage=name)),))

    def _window(
        self, stage: SpinKind, held: frozenset[int] = frozenset()
    ) -> Generator[str, str, tuple[Window, list[str]]]:
        """Draws what the reels of a stage show; those that are held are covered by the symbol that holds them."""
        respin = self.rules.respin(stage.id)
        strips = self.rules.strip_set(stage.strips)
        heights = []
        for reel, shapes in enumerate(strips.heights):
            rows = shapes[0].rows
            if len(shapes) > 1:
                rows = int((yield rows_piece(stage.id, reel)))
            heights.append(rows)
        columns, stops = [], []
        for reel, rows in enumerate(heights):
            strip = strips.reels[reel].symbols
            if respin is not None and reel in held:
                shown = [respin.symbol] * rows
                stops.append("-")
            elif strips.fill is Fill.CELLS:
                shown = []
                for _ in range(rows):
                    shown.append((yield reel_piece(stage.id, reel)))
                stops.append("-")
            else:
                face = yield reel_piece(stage.id, reel)
                stop = stop_of(face)
                stops.append(str(stop + 1))
                shown = [strip[(stop + row) % len(strip)] for row in range(rows)]
            columns.append(shown)
        window = []
        for reel, shown in enumerate(columns):
            window.append(
                tuple(map(WindowCell, shown)) if reel in held else (yield from self._with_wilds(stage, shown))
            )
        return tuple(window), stops

    def _with_wilds(self, stage: SpinKind, shown: list[str]) -> Generator[str, str, tuple[WindowCell, ...]]:
        """Covers a reel with a wild that expands, and draws the factor of each wild that it shows."""
        here = [wild for wild in wilds_in(self.rules, stage) if wild.symbol in shown]
        cover = next((wild for wild in here if wild.expands), None)
        factors = {}
        for wild in here if cover is None else [cover]:
            factors[wild.symbol] = yield from _factor(stage, wild)
        if cover is not None:
            return tuple(WindowCell(cover.symbol, factors[cover.symbol], symbol) for symbol in shown)
        return tuple(WindowCell(symbol, factors.get(symbol, 1)) for symbol in shown)

    def _bonus(self, task: Task) -> Asks:
        bonus = next(one for one in self.rules.bonuses if one.id == task.bonus)
        paid, told = Fraction(0), []
        if bonus.draws is PrizeDraws.LADDER:
            for step, prize in enumerate(bonus.prizes):
                face = yield prize_piece(bonus, step)
                told.append(f"{bonus.id}: step {step + 1} {face}")
                if face != "up":
                    break
                paid = prize.pays
        elif bonus.draws is PrizeDraws.WHEEL:
            for _ in range(bonus.times):
                face = yield prize_piece(bonus, 0)
                prize = bonus.prizes[stop_of(face)]
                paid += prize.pays
                told.append(f"{bonus.id}: {prize.id}")
        elif bonus.draws is PrizeDraws.HOLD:
            paid = yield from _hold(bonus, task.held, told)
        else:
            boxes = list(boxes_of(bonus))
            for step in range(len(boxes) if bonus.draws is PrizeDraws.PICK_UNTIL else bonus.times):
                face = yield prize_piece(bonus, step)
                prize = boxes.pop(int(face) - 1)
                paid += prize.pays
                told.append(f"{bonus.id}: {prize.id} is picked")
                if bonus.draws is PrizeDraws.PICK_UNTIL and prize.ends:
                    break
        coins = paid * unit_in(self.rules, bonus, self.rules.stage(task.stage))
        told.append(f"{bonus.id} pays {_coins(coins)}")
        return Done(tuple(told), (Won(task.stage, bonus.id, 1, coins),))

    def _result(self, state: RoundInPlay) -> WagerResult:
        cost = self.cost
        summed = summed_pairs(((one.part, one.row), (one.times, one.coins)) for one in state.won)
        total = sum((coins for _, coins in summed.values()), Fraction(0))
        most = self.rules.most
        if most is not None and total > most * self.rules.cost:
            summed["", LIMIT] = (1, most * self.rules.cost - total)
            total = most * self.rules.cost
        for meter, held in self.meters:
            times = sum(one.times for one in state.won if one.row == meter.row)
            if meter.must_hit_by is not None:
                times = 1
            if times:
                # Won once at what it holds, and at every further line as its seed; what must hit by an amount, once.
                coins = (held + (times - 1) * meter.seed) * self.rules.cost
                summed["", meter.id] = (times, coins)
                total += coins
        awards = (
            Award(row, Fraction(times), coins / cost, part) for (part, row), (times, coins) in summed.items()
        )
        outcome = outcome_of(total / cost, state.begun)
        return WagerResult(self.wager, outcome, total / cost - 1, awards=tuple(awards))


def _hold(bonus: BonusPrizes, held: int, told: list[str]) -> Generator[str, str, Fraction]:
    """Plays hold and win: what is held, then draws of the open places until none is left or no draw."""
    shown = []
    for _ in range(held):
        shown.append(bonus.prizes[stop_of((yield prize_piece(bonus, 0)))].pays)
    told.append(f"{bonus.id}: {held} of {bonus.places} places are held: {_amounts(shown)}")
    left = bonus.times
    while left and len(shown) < bonus.places:
        new = []
        for _ in range(bonus.places - len(shown)):
            new.append(bonus.prizes[stop_of((yield prize_piece(bonus, 1)))].pays)
        new = [one for one in new if one]
        shown += new
        left = bonus.times if new else left - 1
        told.append(f"{bonus.id}: {_amounts(new)} held anew, {len(shown)} in all, {left} draws left")
    if len(shown) == bonus.places:
        told.append(f"{bonus.id}: all places are held, {bonus.full} in addition")
        shown.append(bonus.full)
    return sum(shown, Fraction(0))


def _amounts(prizes: list[Fraction]) -> str:
    return " + ".join(map(str, prizes)) or "nothing"


def _begin(feature: FreeGames, games: int) -> Iterator[Task]:
    games = min(games, feature.most_games) if feature.most_games else games
    name = feature.stages[0][0]
    series = Series(feature.id, name, games, games)
    yield Task("spin" if len(feature.stages) == 1 else "stage", name, series)


def _goes_on(feature: FreeGames, series: Series, more: int) -> Series:
    """Returns a series after one game that granted so many more, as far as its limits let it."""
    if feature.most_again >= 0 and series.again >= feature.most_again:
        more = 0
    if feature.most_games:
        more = min(more, feature.most_games - series.granted)
    return replace(
        series, left=series.left - 1 + more, granted=series.granted + more, again=series.again + (more > 0)
    )


def _factor(stage: SpinKind, wild: Wild) -> Generator[str, str, int]:
    if len(wild.multiplies) == 1:
        return wild.multiplies[0][0]
    face = yield factor_piece(stage.id, wild.symbol)
    return int(face)


# --- as a player sees it -----------------------------------------------------------------------------------


def _title(task: Task) -> str:
    if task.series is None:
        return f"{task.stage} game"
    number = task.series.granted - task.series.left + 1
    return f"{task.series.feature}, game {number} of {task.series.granted} so far"


def _win_words(row: str, line: int, coins: int, times: int) -> str:
    where = f"line {line}: " if line else ""
    often = f"{times} ways of " if times > 1 else ""
    return f"{where}{often}{row} pays {_coins(coins)}"


def _coins(amount: Fraction | int) -> str:
    return f"{amount} coin{'' if amount == 1 else 's'}"


def name_of(cell: WindowCell) -> str:
    """Returns what a cell shows: its symbol, and the factor of a wild that multiplies."""
    return cell.symbol if cell.factor == 1 else f"{cell.symbol} x{cell.factor}"


def _rows(window: Window) -> Iterator[str]:
    """Yields the rows of a window from the top; reels that are lower leave their place empty."""
    width = max(len(name_of(cell)) for reel in window for cell in reel)
    for row in range(max(map(len, window))):
        cells = (name_of(reel[row]) if row < len(reel) else "" for reel in window)
        yield "  " + " ".join(cell.ljust(width) for cell in cells).rstrip()


def picture(window: Window) -> str:
    """Returns a window in one line, reel by reel.

    >>> picture(((WindowCell("bar"), WindowCell("seven")), (WindowCell("wild", 2), WindowCell("bar"))))
    'bar seven | wild x2 bar'
    """
    return " | ".join(" ".join(map(name_of, reel)) for reel in window)
