"""Words that other people's spreadsheets of slots use for their parts, columns and settings."""

import re
from typing import Final

from certify.model import HIT_FREQUENCY, MAXIMUM_AWARD, RETURN

NAMES: Final = ("symbol", "symbols", "combination", "name")
"""Headings of the column that names what pays."""

SUMS: Final = ("total", "totals", "sum", "stops", "all")
"""Names of a row below the others that sums them up."""

NUMBERS: Final = frozenset(
    ("", "stop", "stops", "line", "no", "nr", "number", "position", "index", "unnamed_0")
)
"""Headings of columns that count their rows: they state nothing."""

FEATURES: Final = frozenset(
    {
        *("free", "spins", "games", "bonus", "bonuses", "feature", "features", "trigger", "triggers"),
        *("respin", "respins", "retrigger", "retriggers", "jackpot", "jackpots", "multiplier", "multipliers"),
    }
)
"""Words of a title under which symbols and numbers need not be pays: ten free games are no ten coins."""

SETTINGS: Final = {
    **dict.fromkeys(("rows", "heights", "window", "window_height"), "heights"),
    **dict.fromkeys(("cost", "coins", "total_bet", "cost_in_coins", "bet"), "cost"),
    **dict.fromkeys(("line_bet", "coins_per_line"), "line_bet"),
    **dict.fromkeys(("lines", "paylines", "number_of_lines"), "lines"),
    **dict.fromkeys(("direction", "pays_from"), "direction"),
    **dict.fromkeys(("ways", "all_ways"), "ways"),
    **dict.fromkeys(("wild", "wilds", "wild_symbol"), "wild"),
    **dict.fromkeys(("scatter", "scatters", "scatter_symbol"), "scatter"),
    **dict.fromkeys(("scatter_pays", "scatter_pay", "scatters_pay"), "per"),
    **dict.fromkeys(("return", "rtp", "return_to_player", "payback"), RETURN),
    **dict.fromkeys(("hit_frequency", "hit_rate", "hit_freq"), HIT_FREQUENCY),
    **dict.fromkeys(("max_win", "maximum_win", "max_award", "maximum_award"), MAXIMUM_AWARD),
    **dict.fromkeys(("title", "game", "game_title", "game_name"), "title"),
    **dict.fromkeys(("denomination", "denom", "coin_value", "credit_value"), "denomination"),
}

PER: Final = {
    **dict.fromkeys(("bet", "total_bet", "total_bets"), "bet"),
    **dict.fromkeys(("line", "line_bet", "line_bets", "coins"), "line"),
}
"""What pays of a scatter are multiples of, as sheets say it."""

PARTS: Final = frozenset(
    {
        *(
            "reel",
            "reels",
            "strip",
            "strips",
            "pay",
            "pays",
            "paytable",
            "symbol",
            "symbols",
            "line",
            "lines",
        ),
        *(
            "paylines",
            "setting",
            "settings",
            "parameters",
            "scatter",
            "scatters",
            "wild",
            "wilds",
            "base",
            "game",
        ),
        *("count", "counts", "weights", "walzen", "rulli", "rodillos", "rouleaux", "par", "sheet"),
    }
    | FEATURES
)
"""Words of the title of a part of a sheet: what stands first and holds none of them is the title of the game."""

MONEY: Final = re.compile(r"([A-Z]{3})?\s*(\d{1,9}(?:[.,]\d{1,2})?)\s*([A-Z]{3})?")

HEADINGS: Final = frozenset(("setting", "settings", "name", "item", "key", "parameter", "property"))
"""Names of the first column of settings."""

DIRECTIONS: Final = {
    **dict.fromkeys(("left", "left_to_right", "from_left", "from_the_left", "from_left_to_right"), "left"),
    **dict.fromkeys(
        ("right", "right_to_left", "from_right", "from_the_right", "from_right_to_left"), "right"
    ),
    **dict.fromkeys(("both", "both_ways", "both_ends", "both_sides", "both_directions"), "both"),
    **dict.fromkeys(("adjacent", "neighbours", "neighbors"), "adjacent"),
}

WAYS: Final = {**dict.fromkeys(("yes", "true", "1"), True), **dict.fromkeys(("no", "false", "0"), False)}
