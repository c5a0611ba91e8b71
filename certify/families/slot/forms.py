"""The tables of a slot in ``game.toml``: their keys, still as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from certify.families.port import TableForm


@dataclass(frozen=True, slots=True)
class SubmittedSlot:
    """Table ``[slot]``: window, lines or ways, and what a round costs."""

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
    """One ``[[strips]]``: a text a reel, symbols from the first; bar:3 is a stop of weight 3, bar*3 three stops."""

    id: str
    reels: list[str]
    fill: str = "strip"
    heights: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedStage:
    """One ``[[stages]]``: a kind of spin."""

    id: str
    strips: str
    multiplier: int = 1
    full_window: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedWild:
    """One ``[[wilds]]``: a symbol that stands for others, those of scatters and triggers left out."""

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
    """One ``[[line_pays]]``: so many of a kind on a line or in ways; coins for one, two, three of them."""

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
    """One ``[[scatter_pays]]``: symbols that pay wherever they stand; total bets for one, two, three of them."""

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
    """One ``[[free_games]]``: a series of spins without a stake; games for one, two, three of the symbol."""

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
    """One ``[[bonuses]]``: a wheel, picks or a ladder."""

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


@dataclass(frozen=True, slots=True)
class SubmittedRespin:
    """One ``[[respins]]``: reels that are held while the others spin again."""

    id: str
    symbol: str
    reels: list[int]
    stages: list[str] = field(default_factory=lambda: ["base"])


@dataclass(frozen=True, slots=True)
class SubmittedCascade:
    """One ``[[cascades]]``: wins vanish and the window fills again."""

    multipliers: list[int]
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
    """One ``[[jackpots]]``: a meter that a row wins beside its pay."""

    id: str
    row: str
    seed: str
    increment: str


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
    "cascades": TableForm(SubmittedCascade, many=True),
    "gamble": TableForm(SubmittedGamble),
    "purchases": TableForm(SubmittedPurchase, many=True),
    "bet_levels": TableForm(SubmittedLevel, many=True),
    "jackpots": TableForm(SubmittedJackpot, many=True),
    "variants": TableForm(SubmittedVariant, many=True),
}
