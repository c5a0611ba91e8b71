"""What a slot is, as parameters: strips and windows, what pays, what leads to a feature, what a feature plays."""

from dataclasses import MISSING, dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.families.declared_rules import own_rules
from certify.families.slot.keys import STAGE, SYMBOL, key, tables_of
from certify.families.slot.purchases import BetLevel, Gamble, Jackpot, Purchase, SlotVariant

FAMILY_ID: Final = "slot"
"""Id of the family, as submissions name it."""

BASE: Final = "base"
"""Id of the stage that a paid round begins with."""

ANY: Final = "any"
"""In a pattern on a line: whatever the reel shows there."""


class Fill(StrEnum):
    """How the window of a reel comes about."""

    STRIP = "strip"
    """The reel stops at one place of its strip; neighbours stand beneath each other, and the first follows the last."""
    CELLS = "cells"
    """Every cell is drawn by itself from the weighted symbols."""


class Direction(StrEnum):
    """From where symbols of a line are counted."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"
    ADJACENT = "adjacent"
    """Neighbouring reels anywhere on the line."""


class LineWins(StrEnum):
    """Which wins of one line are paid."""

    BEST = "best"
    """The highest one."""
    EACH_END = "each end"
    """The highest from the left and the highest from the right, each from all cells; a win over all reels once."""
    UNLESS_WHOLE = "each end unless whole"
    """The same, but nothing from the right where the win from the left is over all reels."""

    @property
    def by_end(self) -> bool:
        """Whether each end of a line has a win of its own."""
        return self in (LineWins.EACH_END, LineWins.UNLESS_WHOLE)

    ALL = "all"
    """Every row of the paytable that the line shows."""


class WildProduct(StrEnum):
    """What several multiplying wilds in one win make."""

    ONCE = "once"
    """The highest of them, however many there are."""
    MULTIPLY = "multiply"
    ADD = "add"


class SymbolCount(StrEnum):
    """What of a symbol is counted over the window."""

    SYMBOLS = "symbols"
    REELS = "reels"
    """Reels that show it."""
    RUN = "reels from the left"
    """Reels that show it, one after the other from the first."""


class Per(StrEnum):
    """What an award is a multiple of."""

    BET = "bet"
    """The total bet."""
    LINE = "line"
    """The bet on a line."""
    LINES = "every line"
    """The bet on a line, paid on each line that is played: as if the symbols stood on every line."""


class Adjacency(StrEnum):
    """How reels that show one symbol alone are counted."""

    LEFT = "from the left"
    MIDDLE = "through the middle"
    """Neighbours of the middle reel, which is one of them."""
    ANYWHERE = "anywhere"


class PrizeDraws(StrEnum):
    """How prizes of a bonus are drawn."""

    WHEEL = "wheel"
    """Each time from all of them."""
    PICK = "pick"
    """What was picked is not put back."""
    PICK_UNTIL = "pick until"
    """Picks without putting back until a prize says that it ends the bonus."""
    LADDER = "ladder"
    """Step after step, each won with a chance of its own; what the last step won says is paid."""
    HOLD = "hold"
    """Places that show a prize are held, all others are drawn again; each new one grants all draws anew."""


def number_of(word: StrEnum) -> int:
    """Returns the place of a word among those of its kind, which is how compiled code knows it.

    >>> number_of(SymbolCount.REELS)
    1
    """
    return [*type(word)].index(word)


@dataclass(frozen=True, slots=True)
class Strip:
    """What one reel can show.

    Args:
        symbols: Symbols in the order of the stops, from the top.
        weights: How often each stop comes up, relative to the others; empty where all are equal.
    """

    symbols: tuple[str, ...]
    weights: tuple[int, ...] = ()

    def weight(self, stop: int) -> int:
        """Returns how often a stop comes up, relative to the others."""
        return self.weights[stop] if self.weights else 1

    @property
    def total(self) -> int:
        """Sum of the weights of all stops."""
        return sum(self.weights) if self.weights else len(self.symbols)


@dataclass(frozen=True, slots=True)
class Height:
    """A height that the window of a reel may have, and how often it has it."""

    rows: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class StripSet:
    """The reels of one kind of spin.

    Args:
        id: Id of the set.
        reels: The reels from left to right.
        heights: For each reel the heights that its window may have.
        fill: How a window comes about.
    """

    id: str
    reels: tuple[Strip, ...] = field(metadata=key(form=list[str], stops="weights"))
    heights: tuple[tuple[Height, ...], ...] = field(metadata=key(form=list[str], otherwise=()))
    fill: Fill = Fill.STRIP


@dataclass(frozen=True, slots=True)
class Wild:
    """A symbol that replaces others.

    Args:
        symbol: The wild.
        replaces: Symbols that it replaces.
        but_not: Symbols of lines that it does not replace.
        multiplies: What a win is multiplied by that it helps to make, each factor with its chance, for the reel and
            the spin; a win of the wild itself is not multiplied.
        together: What several multiplying wilds in one win make.
        expands: Whether it covers its whole reel once it shows, for lines and ways; scatters and triggers are counted
            on the symbols at which the reels stopped.
        alone: Whether wilds alone count as a symbol that they replace; otherwise a win needs that symbol once.
        stages: Stages in which it is wild; empty for all.
    """

    symbol: str = field(metadata=key(names=SYMBOL))
    replaces: tuple[str, ...] = field(metadata=key(otherwise=(), beside=(("but_not", list[str], ()),)))
    multiplies: tuple[tuple[int, Fraction], ...] = field(
        default=((1, Fraction(1)),), metadata=key(form=str, otherwise="1")
    )
    together: WildProduct = WildProduct.ONCE
    expands: bool = False
    alone: bool = True
    stages: tuple[str, ...] = field(default=(), metadata=key(names=STAGE))


@dataclass(frozen=True, slots=True)
class Doubled:
    """A symbol that counts as another one, several times: two of it in one cell.

    Args:
        symbol: What the cell shows.
        stands_for: What it counts as.
        times: How often.
    """

    symbol: str = field(metadata=key(names=SYMBOL))
    stands_for: str = field(metadata=key(names=SYMBOL))
    times: int = field(default=2, metadata=key(what="times", low=1, high=10))


@dataclass(frozen=True, slots=True)
class LinePay:
    """So many of a kind on a line, or in ways.

    Args:
        id: Id of the row; ``id-N`` is the row of N of a kind.
        symbols: Symbols that count for it: one, or several that may be mixed (any bar).
        pays: Coins for one, two, three … of them; each for one coin on the line, or in ways for one way.
        anywhere: Whether they may stand anywhere on the line instead of in a run.
        multiplied: Whether the multiplier of the stage applies.
        stages: Stages in which it pays; empty for all.
    """

    id: str = field(metadata=key(otherwise=""))
    symbols: tuple[str, ...] = field(metadata=key(either=SYMBOL))
    pays: tuple[int, ...]
    anywhere: bool = False
    multiplied: bool = True
    stages: tuple[str, ...] = field(default=(), metadata=key(names=STAGE))


@dataclass(frozen=True, slots=True)
class PatternPay:
    """A line that shows given symbols at given reels.

    Args:
        id: Id of the row.
        cells: Symbols that fit on each reel, from the left; none where anything does.
        pays: Coins for one coin on the line.
        multiplied: Whether the multiplier of the stage applies.
        stages: Stages in which it pays; empty for all.
    """

    id: str
    cells: tuple[tuple[str, ...], ...] = field(metadata=key(form=list[str]))
    pays: int = field(metadata=key(what="the pay", low=1))
    multiplied: bool = True
    stages: tuple[str, ...] = field(default=(), metadata=key(names=STAGE))


@dataclass(frozen=True, slots=True)
class ScatterPay:
    """Symbols that pay wherever they stand in the window.

    Args:
        id: Id of the row; ``id-N`` is the row of N of them.
        symbols: Symbols that count for it.
        pays: What one, two, three … of them pay; more than listed pay as the last.
        counted: What is counted.
        per: What the pay is a multiple of.
        multiplied: Whether the multiplier of the stage applies.
        wilds: Whether wilds count for it.
        stages: Stages in which it pays; empty for all.
    """

    id: str = field(metadata=key(otherwise=""))
    symbols: tuple[str, ...] = field(metadata=key(either=SYMBOL))
    pays: tuple[int, ...] = field(metadata=key(most=240))
    counted: SymbolCount = SymbolCount.SYMBOLS
    per: Per = Per.BET
    multiplied: bool = True
    wilds: bool = False
    stages: tuple[str, ...] = field(default=(), metadata=key(names=STAGE))


@dataclass(frozen=True, slots=True)
class SpinKind:
    """One kind of spin.

    Args:
        id: Id of the stage; the first one is what a round begins with.
        strips: Id of its strip set.
        multiplier: What its wins are multiplied by.
        expanding: Symbol that, after the other wins, covers every reel on which it shows and pays its line pay for so
            many reels on every line; empty where there is none.
    """

    id: str
    strips: str
    multiplier: int = field(default=1, metadata=key(what="the multiplier", low=1, high=10_000))
    expanding: str = field(default="", metadata=key(names=SYMBOL))


@dataclass(frozen=True, slots=True)
class Trigger:
    """What starts a feature.

    Args:
        symbols: Symbols that are counted.
        counted: What is counted.
        starts: For one, two, three … of them: how often the feature is started (free games: how many of them).
        on_line: Whether so many of a kind on a line start it, each line by itself, instead of the window.
        wilds: Whether wilds count for it.
    """

    symbols: tuple[str, ...] = field(metadata=key(either=SYMBOL))
    starts: tuple[int, ...] = field(metadata=key(most=240, zeros="nothing ever starts it"))
    counted: SymbolCount = SymbolCount.SYMBOLS
    on_line: bool = False
    wilds: bool = False


@dataclass(frozen=True, slots=True)
class FreeGames:
    """A series of spins without a stake.

    Args:
        id: Id of the feature.
        stages: Stages, one of which is drawn for the whole series with its chance.
        trigger: What starts it, and how many games it grants.
        begins_in: Stages in which the trigger counts; where a stage of its own is among them, the series goes on.
        again: Games that the same trigger grants within the series, by count; as at the start where empty.
        most_games: Games of one series at most; 0 where there is no limit.
        most_again: Times that games are granted again at most; -1 where there is no limit.
        expanding: Symbols, one of which is drawn for the series and covers its reels.
        expanding_only: Whether the drawn symbol pays in no other way in the series.
        retriggers: Whether the trigger grants games again within the series.
    """

    id: str
    stages: tuple[tuple[str, Fraction], ...] = field(
        metadata=key(
            form=list[str],
            either=STAGE,
            beside=(
                ("expanding", list[str], ()),
                ("expanding_only", bool, False),
                ("retriggers", bool, True),
            ),
        )
    )
    trigger: Trigger = field(metadata=key(name="games"))
    begins_in: tuple[str, ...] = field(metadata=key(names=STAGE, otherwise=(BASE,)))
    again: tuple[int, ...] = ()
    most_games: int = field(default=0, metadata=key(what="games", high=100_000))
    most_again: int = field(default=-1, metadata=key(what="times", low=-1, high=1000))


@dataclass(frozen=True, slots=True)
class Prize:
    """One prize of a bonus.

    Args:
        id: Id of the prize.
        pays: Multiples of the total bet, or of the line bet.
        weight: How often it comes, relative to the others; of a ladder none.
        chance: Chance of the step of a ladder.
        ends: Whether it ends picking.
    """

    id: str
    pays: Fraction
    weight: int = 1
    chance: Fraction = Fraction(1)
    ends: bool = False


@dataclass(frozen=True, slots=True)
class BonusPrizes:
    """A wheel, picks or a ladder: prizes with declared weights.

    Args:
        id: Id of the feature.
        draws: How prizes are drawn.
        times: How many are drawn; of hold and win, draws of the open places since the last new prize.
        prizes: The prizes; of hold and win those of one place, nothing where it stays open.
        trigger: What starts it.
        begins_in: Stages in which the trigger counts.
        per: What prizes are multiples of.
        multiplied: Whether the multiplier of the stage applies.
        places: Places of hold and win, those that are held at first among them.
        full: What it pays in addition, once all of them are held.
    """

    id: str
    draws: PrizeDraws
    times: int = field(metadata=key(what="draws", low=1, high=50, otherwise=1))
    prizes: tuple[Prize, ...] = field(metadata=key(form=list[str]))
    trigger: Trigger
    begins_in: tuple[str, ...] = field(metadata=key(names=STAGE, otherwise=(BASE,)))
    per: Per = Per.BET
    multiplied: bool = False
    places: int = 0
    full: Fraction = Fraction(0)

    def begun(self, starts: int) -> tuple[int, int]:
        """Returns how often so many starts play it, and with how many places held: of hold and win once, with all."""
        return (min(starts, 1), starts) if self.draws is PrizeDraws.HOLD else (starts, 0)


@dataclass(frozen=True, slots=True)
class Respin:
    """Reels that show a symbol are held, covered by it, and the others spin again, as long as new ones come.

    Args:
        id: Id of the feature.
        symbol: The symbol that holds its reel.
        reels: Reels on which it does, counted from 1.
        stages: Stages in which it does.
    """

    id: str
    symbol: str = field(metadata=key(names=SYMBOL))
    reels: tuple[int, ...]
    stages: tuple[str, ...] = field(metadata=key(names=STAGE, otherwise=(BASE,)))


@dataclass(frozen=True, slots=True)
class FullReels:
    """Reels full of one symbol multiply what the lines of the window win.

    Args:
        symbols: Symbols that a reel may be full of.
        times: What line wins are multiplied by, for one, two, three … such reels of one symbol.
        counted: Which of these reels count.
        wilds: Whether a wild that replaces the symbol fills a reel with it.
        stages: Stages in which it holds; empty for all.
    """

    symbols: tuple[str, ...] = field(metadata=key(names=SYMBOL))
    times: tuple[int, ...]
    counted: Adjacency = Adjacency.LEFT
    wilds: bool = False
    stages: tuple[str, ...] = field(default=(), metadata=key(names=STAGE))


@dataclass(frozen=True, slots=True)
class Cascade:
    """Symbols that won vanish, those above fall, and the strip goes on above them; the window pays again.

    Args:
        multipliers: What line wins of the first window, the second … are multiplied by; the last one for all after it.
        stages: Stages that cascade.
        refill: How cells that are left empty are filled.
    """

    multipliers: tuple[int, ...] = field(
        metadata=key(what="a multiplier", low=1, high=10_000, most=100, beside=(("refill", str, MISSING),))
    )
    stages: tuple[str, ...] = field(metadata=key(names=STAGE, otherwise=(BASE,)))


@dataclass(frozen=True, slots=True)
class SlotRules:
    """Rules of a slot.

    Args:
        strip_sets: Every strip set.
        stages: Kinds of spins, the base game first.
        heights: Rows of the window on each reel.
        lines: Row of the window on each reel, for each line, 1 at the top in ``game.toml``; none where ways are paid.
        ways: Whether symbols on neighbouring reels pay wherever they stand, each combination of cells by itself.
        direction: From where symbols of a line, or ways, are counted.
        line_wins: Which wins of a line are paid.
        cost: Coins that a round costs: the unit in which returns are expressed.
        line_bet: Coins on a line.
        wilds: Symbols that replace others.
        doubled: Symbols that count several times.
        line_pays: Runs and counts on lines, or ways.
        patterns: Given symbols on given reels of a line.
        scatter_pays: Symbols that pay wherever they stand.
        free_games: Series of free games.
        bonuses: Wheels, picks and ladders.
        respins: Reels that are held.
        full_reels: Reels of one symbol that multiply.
        cascades: Stages whose wins fall.
        most: What one round pays at most, in multiples of the total bet; none without a limit.
        gamble: The choice to stake a win again.
        purchases: Features that can be bought.
        bet_levels: Ways of betting; none where there is one.
        jackpots: Meters.
        variants: The same game on other strips.
    """

    strip_sets: tuple[StripSet, ...] = field(default=(), metadata=key(name="strips", required=True))
    stages: tuple[SpinKind, ...] = ()
    lines: tuple[tuple[int, ...], ...] = field(
        default=(), metadata=key(form=list[str], beside=(("heights", list[int], MISSING),))
    )
    ways: bool = False
    direction: Direction = Direction.LEFT
    line_wins: LineWins = LineWins.BEST
    cost: int = field(default=1, metadata=key(form=int | None, otherwise=None))
    line_bet: int = field(default=1, metadata=key(what="coins on a line", low=1))
    wilds: tuple[Wild, ...] = ()
    doubled: tuple[Doubled, ...] = ()
    line_pays: tuple[LinePay, ...] = ()
    patterns: tuple[PatternPay, ...] = field(default=(), metadata=key(name="pattern_pays"))
    scatter_pays: tuple[ScatterPay, ...] = ()
    free_games: tuple[FreeGames, ...] = ()
    bonuses: tuple[BonusPrizes, ...] = ()
    respins: tuple[Respin, ...] = ()
    full_reels: tuple[FullReels, ...] = ()
    cascades: tuple[Cascade, ...] = ()
    most: Fraction | None = None
    gamble: Gamble | None = None
    purchases: tuple[Purchase, ...] = ()
    bet_levels: tuple[BetLevel, ...] = ()
    jackpots: tuple[Jackpot, ...] = ()
    variants: tuple[SlotVariant, ...] = ()

    def __hash__(self) -> int:
        """A hash of a few fields: what is kept of a game is looked up at every line of every spin."""
        return hash((self.cost, self.line_bet, len(self.lines), len(self.line_pays), len(self.strip_sets)))

    def strip_set(self, set_id: str) -> StripSet:
        """Returns a strip set by its id."""
        return next(one for one in self.strip_sets if one.id == set_id)

    def stage(self, stage_id: str) -> SpinKind:
        """Returns a stage by its id."""
        return next(stage for stage in self.stages if stage.id == stage_id)

    def respin(self, stage_id: str) -> Respin | None:
        """Returns how a stage holds its reels and spins the others again, or nothing where it does not."""
        return next((one for one in self.respins if stage_id in one.stages), None)

    def full(self, stage_id: str) -> FullReels | None:
        """Returns the reels of one symbol that multiply in a stage, or nothing."""
        return next((one for one in self.full_reels if stage_id in (one.stages or (stage_id,))), None)

    def cascade(self, stage_id: str) -> Cascade | None:
        """Returns how the wins of a stage fall, or nothing where they stay."""
        return next((one for one in self.cascades if stage_id in one.stages), None)

    @property
    def features(self) -> tuple[FreeGames | BonusPrizes, ...]:
        """Series of free games, then bonuses: the order in which starts are counted."""
        return (*self.free_games, *self.bonuses)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol that a strip shows, in the order in which they first come."""
        shown = (name for one in self.strip_sets for reel in one.reels for name in reel.symbols)
        return tuple(dict.fromkeys(shown))


def speaks_of(stages: tuple[str, ...], stage: SpinKind) -> bool:
    """Returns whether a row or feature that names stages, or none for all, is one of a stage."""
    return not stages or stage.id in stages


@lru_cache(maxsize=256)
def wilds_in(rules: SlotRules, stage: SpinKind) -> tuple[Wild, ...]:
    """Returns the wilds of a stage."""
    return tuple(one for one in rules.wilds if speaks_of(one.stages, stage))


def scatters_in(rules: SlotRules, stage: SpinKind) -> tuple[ScatterPay, ...]:
    """Returns the scatter pays of a stage; a symbol that expands pays its line pay on every line."""
    rows = tuple(one for one in rules.scatter_pays if speaks_of(one.stages, stage))
    own = [one for one in rules.line_pays if stage.expanding and one.symbols == (stage.expanding,)][:1]
    name = f"{stage.expanding.lower()}-expanded"
    return (*rows, *(ScatterPay(name, one.symbols, one.pays, SymbolCount.REELS, Per.LINES) for one in own))


def starts_in(feature: FreeGames | BonusPrizes, stage: SpinKind) -> tuple[int, ...]:
    """Returns how often a feature starts for one, two, three … of its symbols in a stage; nothing where it does not."""
    if stage.id not in feature.begins_in:
        return ()
    again = feature.again if isinstance(feature, FreeGames) and stage.id in dict(feature.stages) else ()
    return again or feature.trigger.starts


def award_unit(rules: SlotRules, per: Per) -> int:
    """Returns the coins that one unit of a pay is, for the total bet, a line, or every line."""
    if per is Per.BET:
        return rules.cost
    return rules.line_bet * (len(rules.lines) if per is Per.LINES else 1)


def unit_in(rules: SlotRules, one: ScatterPay | BonusPrizes, stage: SpinKind) -> int:
    """Returns the coins that one unit of a pay is in a stage, its multiplier included where that applies."""
    return award_unit(rules, one.per) * (stage.multiplier if one.multiplied else 1)


rules_of: Final = own_rules(SlotRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another one is refused."""

TABLES: Final = tables_of(SlotRules, FAMILY_ID)
"""The tables of ``game.toml`` that state a slot."""
