"""The tables of a slot in ``game.toml``: their keys, still as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from certify.families.port import TableForm


@dataclass(frozen=True, slots=True)
class SubmittedSlot:
    """Table ``[slot]``: window, lines or ways, and what a round costs.

    Args:
        heights: Rows of the window on each reel.
        lines: The row of each line on each reel, 1 at the top, such as "22122"; none where ways are paid.
        ways: true where symbols on neighbouring reels pay wherever they stand.
        direction: left, right, both, or adjacent (neighbouring reels anywhere on a line).
        line_wins: best (the highest win of a line), "each end", or all.
        cost: Coins that a round costs, the unit of every return; lines times line_bet where left out.
        line_bet: Coins on a line.
        most: What a round pays at most, in total bets; no limit where left out.
    """

    heights: list[int]
    lines: list[str] = field(default_factory=list)
    ways: bool = False
    direction: str = "left"
    line_wins: str = "best"
    cost: int = 0
    line_bet: int = 1
    most: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedStrips:
    """One ``[[strips]]``: a strip set, for the base game, for free games or for a variant.

    Args:
        id: Its id; "base" is what paid rounds spin.
        reels: A text a reel, symbols from the first stop; bar:3 is a stop of weight 3, bar*3 three stops.
        fill: strip (the reel stops at one place), or cells (each cell is drawn by itself).
        heights: Windows that change, a text a reel: "2-7", or "2:1 3:4" with weights; as in [slot] where left out.
    """

    id: str
    # In a spreadsheet a reel is a column with a stop in each row, weights in a column of their own.
    reels: list[str] = field(metadata={"stops": "weights"})
    fill: str = "strip"
    heights: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedStage:
    """One ``[[stages]]``: a kind of spin, such as free games; "base" need not be stated.

    Args:
        id: Its id.
        strips: Its strip set.
        multiplier: What its wins are multiplied by.
        expanding: Symbol that covers every reel on which it shows, after the other wins, and pays on every line.
    """

    id: str
    strips: str
    multiplier: int = 1
    expanding: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedWild:
    """One ``[[wilds]]``: a symbol that stands for others.

    Args:
        symbol: The wild.
        replaces: What it stands for; what pays on lines where left out, scatters and triggers not among it.
        but_not: Symbols that are left out of that.
        multiplies: "2", or factors with their chances "2:1/2 3:1/2": of wins that it helps to make.
        together: What several do in one win: once (the highest), multiply, add.
        expands: true where it covers its reel.
        alone: false where a win needs the symbol itself at least once.
        stages: Stages in which it is wild; all where left out.
    """

    symbol: str
    replaces: list[str] = field(default_factory=list)
    but_not: list[str] = field(default_factory=list)
    multiplies: str = "1"
    together: str = "once"
    expands: bool = False
    alone: bool = True
    stages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedDoubled:
    """One ``[[doubled]]``: a symbol that counts as another one, several times."""

    symbol: str
    stands_for: str
    times: int = 2


@dataclass(frozen=True, slots=True)
class SubmittedLinePay:
    """One ``[[line_pays]]``: so many of a kind on a line, or in ways.

    Args:
        pays: Coins for one, two, three … of them, for one coin on the line.
        symbol: The symbol.
        id: Id of the row; the symbol where left out.
        symbols: In place of symbol: several that may be mixed, such as any bar.
        anywhere: true where they may stand anywhere on the line.
        multiplied: false where the multiplier of the stage does not apply.
        stages: Stages in which it pays; all where left out.
    """

    pays: list[int]
    symbol: str = ""
    id: str = ""
    symbols: list[str] = field(default_factory=list)
    anywhere: bool = False
    multiplied: bool = True
    stages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedPattern:
    """One ``[[pattern_pays]]``: given symbols on given reels of a line."""

    id: str
    cells: list[str]
    pays: int
    multiplied: bool = True
    stages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedScatter:
    """One ``[[scatter_pays]]``: symbols that pay wherever they stand in the window.

    Args:
        pays: Total bets for one, two, three … of them; more than listed pay as the last.
        symbol: The symbol.
        id: Id of the row; the symbol where left out.
        symbols: In place of symbol: several that count together.
        counted: symbols, reels (that show it), or "reels from the left".
        per: What a pay is a multiple of: bet, line, or "every line".
        multiplied: false where the multiplier of the stage does not apply.
        wilds: true where wilds count.
        stages: Stages in which it pays; all where left out.
    """

    pays: list[int]
    symbol: str = ""
    id: str = ""
    symbols: list[str] = field(default_factory=list)
    counted: str = "symbols"
    per: str = "bet"
    multiplied: bool = True
    wilds: bool = False
    stages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedFreeGames:
    """One ``[[free_games]]``: a series of spins without a stake.

    Args:
        id: Its id.
        games: Games for one, two, three … of the symbol.
        symbol: What starts it.
        symbols: In place of symbol: several that count together.
        stage: The stage that is played.
        stages: In place of stage: several, one of which is drawn for the series, as "free-a 1/3".
        expanding: Symbols, one of which is drawn to expand in the series.
        counted: symbols, reels, or "reels from the left".
        on_line: true where so many of a kind on a line start it.
        wilds: true where wilds count.
        again: Games that the same grants within the series; as games where left out.
        retriggers: false where nothing is granted again.
        begins_in: Stages in which it begins.
        most_games: Games of one series at most; no limit where left out.
        most_again: Times that games are granted again at most; no limit where left out.
    """

    id: str
    games: list[int]
    symbol: str = ""
    symbols: list[str] = field(default_factory=list)
    stage: str = ""
    stages: list[str] = field(default_factory=list)
    expanding: list[str] = field(default_factory=list)
    counted: str = "symbols"
    on_line: bool = False
    wilds: bool = False
    again: list[int] = field(default_factory=list)
    retriggers: bool = True
    begins_in: list[str] = field(default_factory=lambda: ["base"])
    most_games: int = 0
    most_again: int = -1


@dataclass(frozen=True, slots=True)
class SubmittedBonus:
    """One ``[[bonuses]]``: a wheel, picks, a ladder, or hold and win.

    Args:
        id: Its id.
        draws: wheel, pick, "pick until", ladder, or hold.
        prizes: What it draws; of hold what one place shows, "0 x60" where it stays open.
        starts: For one, two, three … of the symbol how often it is played; of hold how many places are held at first.
        symbol: What starts it.
        symbols: In place of symbol: several that count together.
        times: Draws of a wheel, or picks; of hold the draws without a new prize that end it.
        counted: symbols, reels, or "reels from the left".
        on_line: true where so many of a kind on a line start it.
        wilds: true where wilds count.
        begins_in: Stages in which it begins.
        per: What prizes are multiples of: bet, line, or "every line".
        multiplied: true where the multiplier of the stage applies.
        places: Of hold: its places.
        full: Of hold: what all places pay beside once they are held.
    """

    id: str
    draws: str
    prizes: list[str]
    starts: list[int]
    symbol: str = ""
    symbols: list[str] = field(default_factory=list)
    times: int = 1
    counted: str = "symbols"
    on_line: bool = False
    wilds: bool = False
    begins_in: list[str] = field(default_factory=lambda: ["base"])
    per: str = "bet"
    multiplied: bool = False
    places: int = 0
    full: str = "0"


@dataclass(frozen=True, slots=True)
class SubmittedRespin:
    """One ``[[respins]]``: reels that are held while the others spin again."""

    id: str
    symbol: str
    reels: list[int]
    stages: list[str] = field(default_factory=lambda: ["base"])


@dataclass(frozen=True, slots=True)
class SubmittedFullReels:
    """One ``[[full_reels]]``: reels full of one symbol multiply what the lines of the window win.

    Args:
        symbols: Symbols that a reel may be full of.
        times: What line wins are multiplied by, for one, two, three … such reels.
        counted: "from the left", "through the middle" (neighbours of the middle reel, and itself), or anywhere.
        wilds: true where a wild counts as the symbol that it stands for.
        stages: Stages in which it holds; all where left out.
    """

    symbols: list[str]
    times: list[int]
    counted: str = "from the left"
    wilds: bool = False
    stages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedCascade:
    """One ``[[cascades]]``: symbols that won vanish, those above fall, and the window pays again.

    Args:
        multipliers: What line wins of the first window, the second … are multiplied by.
        refill: What fills the window again: "strip above" (the strip goes on above what it showed).
        stages: Stages that cascade.
    """

    multipliers: list[int]
    refill: str
    stages: list[str] = field(default_factory=lambda: ["base"])


@dataclass(frozen=True, slots=True)
class SubmittedGamble:
    """Table ``[gamble]``: the choice to stake a win again."""

    chance: str
    multiplies: str
    steps: int


@dataclass(frozen=True, slots=True)
class SubmittedPurchase:
    """One ``[[purchases]]``: a feature that can be bought."""

    id: str
    feature: str
    starts: int
    price: str


@dataclass(frozen=True, slots=True)
class SubmittedLevel:
    """One ``[[bet_levels]]``: how many lines, at how many coins."""

    id: str
    lines: int
    coins: int
    cost: int
    pays: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SubmittedJackpot:
    """One ``[[jackpots]]``: a meter that a row wins beside its pay, or that must hit by an amount.

    Args:
        id: Its id.
        seed: What it begins with, in total bets.
        increment: Part of every bet that it grows by.
        row: The row that wins it.
        must_hit_by: In place of row: total bets by which it is won; the amount is drawn evenly between seed and this.
        meter: A meter, in total bets, at which the return is told.
    """

    id: str
    seed: str
    increment: str
    row: str = ""
    must_hit_by: str = ""
    meter: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedVariant:
    """One ``[[variants]]``: the same game on other strips."""

    id: str
    title: str
    strips: dict[str, str]
    printed: str = ""


TABLES: Final[Mapping[str, TableForm]] = {
    "slot": TableForm(SubmittedSlot, required=True),
    "strips": TableForm(SubmittedStrips, many=True, required=True),
    "stages": TableForm(SubmittedStage, many=True),
    "wilds": TableForm(SubmittedWild, many=True),
    "doubled": TableForm(SubmittedDoubled, many=True),
    "line_pays": TableForm(SubmittedLinePay, many=True),
    "pattern_pays": TableForm(SubmittedPattern, many=True),
    "scatter_pays": TableForm(SubmittedScatter, many=True),
    "free_games": TableForm(SubmittedFreeGames, many=True),
    "bonuses": TableForm(SubmittedBonus, many=True),
    "respins": TableForm(SubmittedRespin, many=True),
    "full_reels": TableForm(SubmittedFullReels, many=True),
    "cascades": TableForm(SubmittedCascade, many=True),
    "gamble": TableForm(SubmittedGamble),
    "purchases": TableForm(SubmittedPurchase, many=True),
    "bet_levels": TableForm(SubmittedLevel, many=True),
    "jackpots": TableForm(SubmittedJackpot, many=True),
    "variants": TableForm(SubmittedVariant, many=True),
}
