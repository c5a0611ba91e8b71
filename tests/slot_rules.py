"""Slots made up for tests: small strips, every mechanic at least once."""

import random
from dataclasses import replace
from fractions import Fraction

from certify.families.slot.purchases import Gamble
from certify.families.slot.rules import (
    Adjacency,
    BonusPrizes,
    Cascade,
    Direction,
    Doubled,
    Fill,
    FreeGames,
    FullReels,
    Height,
    LinePay,
    LineWins,
    PatternPay,
    Per,
    Prize,
    PrizeDraws,
    Respin,
    ScatterPay,
    SlotRules,
    SpinKind,
    Strip,
    StripSet,
    SymbolCount,
    Trigger,
    Wild,
    WildProduct,
)

SYMBOLS = ("seven", "plum", "bell", "cherry", "star", "wild")
FRUIT = SYMBOLS[:4]
LINES = ((1, 1, 1, 1, 1), (0, 0, 0, 0, 0), (2, 2, 2, 2, 2), (0, 1, 2, 1, 0), (2, 1, 0, 1, 2))


def strips(name, seed, stops, reels=5, rows=3):
    """Returns strips of random symbols, the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - made-up strips
    made = (Strip(tuple(dice.choices(SYMBOLS, weights=(2, 7, 6, 8, 2, 1), k=stops))) for _ in range(reels))
    return StripSet(name, tuple(made), ((Height(rows),),) * reels)


GAMES = FreeGames(
    "free-games", (("free", Fraction(1)),), Trigger(("star",), (0, 0, 3, 4, 5)), ("base", "free")
)
PLAIN = SlotRules(
    strip_sets=(strips("base", 2, 24), strips("free", 3, 24)),
    stages=(SpinKind("base", "base"), SpinKind("free", "free", 3)),
    lines=LINES,
    cost=5,
    wilds=(Wild("wild", FRUIT),),
    line_pays=(
        LinePay("seven", ("seven",), (0, 2, 20, 100, 500)),
        LinePay("plum", ("plum",), (0, 0, 3, 10, 40)),
        LinePay("bell", ("bell",), (0, 0, 4, 15, 50)),
        LinePay("cherry", ("cherry",), (0, 1, 2, 8, 30)),
        LinePay("wild", ("wild",), (0, 5, 40, 200, 1000)),
    ),
    scatter_pays=(ScatterPay("star", ("star",), (0, 0, 2, 10, 50)),),
    free_games=(GAMES,),
)
BONUSES = SlotRules(
    strip_sets=(strips("base", 7, 20, reels=3),),
    stages=(SpinKind("base", "base"),),
    lines=tuple(line[:3] for line in LINES),
    cost=5,
    wilds=(Wild("wild", FRUIT, ((2, Fraction(1)),), WildProduct.MULTIPLY),),
    line_pays=(
        LinePay("seven", ("seven",), (0, 0, 100)),
        LinePay("any-fruit", FRUIT[1:], (0, 0, 2)),
        LinePay("loose", ("star",), (0, 2, 30), anywhere=True),
    ),
    patterns=(PatternPay("bell-any-bell", (("bell",), (), ("bell",)), 7),),
    bonuses=(
        BonusPrizes(
            "wheel",
            PrizeDraws.WHEEL,
            2,
            (Prize("ten", Fraction(10), 3), Prize("fifty", Fraction(101, 2))),
            Trigger(("star",), (0, 1)),
            ("base",),
        ),
        BonusPrizes(
            "picks",
            PrizeDraws.PICK,
            2,
            (Prize("one", Fraction(1), 3), Prize("five", Fraction(5), 2)),
            Trigger(("seven",), (0, 0, 1)),
            ("base",),
            Per.LINE,
        ),
        BonusPrizes(
            "until",
            PrizeDraws.PICK_UNTIL,
            0,
            (
                Prize("three", Fraction(3), 3),
                Prize("eight", Fraction(8), 2),
                Prize("end", Fraction(0), 2, ends=True),
            ),
            Trigger(("bell",), (0, 0, 0, 1)),
            ("base",),
            Per.LINES,
        ),
        BonusPrizes(
            "ladder",
            PrizeDraws.LADDER,
            0,
            (
                Prize("first", Fraction(2), chance=Fraction(3, 4)),
                Prize("top", Fraction(20), chance=Fraction(1, 3)),
            ),
            Trigger(("plum",), (0, 0, 0, 1)),
            ("base",),
        ),
    ),
)
_FACTORS = (
    Wild("wild", FRUIT, ((2, Fraction(1, 2)), (3, Fraction(1, 2))), WildProduct.MULTIPLY, stages=("free",)),
    Wild("wild", FRUIT, stages=("base",)),
)
_CHANGING = tuple(
    replace(one, heights=((Height(2, 1), Height(3, 2)),) * 5)
    for one in (strips("base", 5, 12), strips("free", 3, 24))
)

_STACKED = tuple(
    replace(
        one,
        reels=tuple(Strip(tuple(name for name in reel.symbols[:8] for _ in range(3))) for reel in one.reels),
    )
    for one in PLAIN.strip_sets
)
_TEN = (replace(GAMES, most_games=10),)

EVERY = {
    "lines": PLAIN,
    "both ways": replace(PLAIN, direction=Direction.BOTH),
    "each end": replace(PLAIN, direction=Direction.BOTH, line_wins=LineWins.EACH_END),
    "each end unless whole": replace(PLAIN, direction=Direction.BOTH, line_wins=LineWins.UNLESS_WHOLE),
    "each end, plums double": replace(
        PLAIN,
        direction=Direction.BOTH,
        line_wins=LineWins.EACH_END,
        doubled=(Doubled("plum", "bell"),),
        line_pays=(*PLAIN.line_pays[:2], LinePay("bell", ("bell",), (0, 0, 4, 15, 50, 55, 60, 65, 70, 75))),
    ),
    "all wins": replace(PLAIN, line_wins=LineWins.ALL),
    "adjacent": replace(PLAIN, direction=Direction.ADJACENT),
    "ways": replace(PLAIN, lines=(), ways=True),
    "changing heights": replace(PLAIN, lines=(), ways=True, strip_sets=_CHANGING),
    "expanding wilds": replace(PLAIN, wilds=(Wild("wild", FRUIT, expands=True),)),
    "factors of wilds": replace(PLAIN, wilds=_FACTORS),
    "games at most": replace(PLAIN, free_games=(replace(GAMES, most_games=5),)),
    "once again": replace(PLAIN, free_games=(replace(GAMES, most_again=1, again=(0, 0, 2, 2, 2)),)),
    "cells by themselves": replace(
        PLAIN, strip_sets=(replace(strips("base", 3, 9), fill=Fill.CELLS), PLAIN.strip_sets[1])
    ),
    "begun on a line": replace(
        PLAIN,
        free_games=(
            replace(GAMES, trigger=Trigger(("cherry",), (0, 0, 1, 2), on_line=True), begins_in=("base",)),
        ),
    ),
    "one of two stages": replace(
        PLAIN,
        stages=(*PLAIN.stages, SpinKind("gold", "free", 2, expanding="plum")),
        free_games=(
            replace(GAMES, stages=(("free", Fraction(2, 3)), ("gold", Fraction(1, 3))), begins_in=("base",)),
        ),
    ),
    "bonuses": BONUSES,
    "a win staked again": replace(BONUSES, gamble=Gamble(Fraction(1, 3), Fraction(2), 4)),
    "reels held": replace(
        PLAIN,
        wilds=(replace(_FACTORS[0], stages=()), Wild("bell", ("plum",), expands=True, stages=("free",))),
        respins=(Respin("held", "wild", (2, 3, 4), ("base",)), Respin("covered", "bell", (1, 4), ("free",))),
        free_games=_TEN,
    ),
    "a limit on the win": replace(PLAIN, most=Fraction(40)),
    "a limit on ways, ten games at most": replace(
        PLAIN, lines=(), ways=True, most=Fraction(25), free_games=_TEN
    ),
    "hold and win": replace(
        PLAIN,
        bonuses=(
            BonusPrizes(
                "hold",
                PrizeDraws.HOLD,
                3,
                (
                    Prize("open", Fraction(0), 20),
                    Prize("one", Fraction(1), 5),
                    Prize("five", Fraction(5), 2),
                    Prize("big", Fraction(41, 2)),
                ),
                Trigger(("plum",), (0, 0, 0, 0, 0, 2, 3, 4)),
                ("base", "free"),
                Per.LINE,
                multiplied=True,
                places=6,
                full=Fraction(100),
            ),
        ),
        free_games=_TEN,
    ),
    "full reels": replace(
        PLAIN,
        strip_sets=_STACKED,
        full_reels=(
            FullReels(("plum", "cherry", "bell"), (1, 2, 3, 4, 5), wilds=True, stages=("base",)),
            FullReels(("plum", "cherry"), (1, 2, 4), Adjacency.MIDDLE, stages=("free",)),
        ),
        free_games=_TEN,
    ),
    "ways that fall": replace(
        PLAIN,
        lines=(),
        ways=True,
        strip_sets=(strips("base", 2, 15), strips("free", 4, 15)),
        wilds=(Wild("wild", FRUIT, ((2, Fraction(1)),), alone=False),),
        cascades=(Cascade((1, 2, 3), ("base",)), Cascade((2, 5), ("free",))),
        free_games=_TEN,
    ),
    "wins that fall": replace(
        PLAIN,
        strip_sets=(strips("base", 2, 15), strips("free", 4, 15)),
        line_wins=LineWins.ALL,
        full_reels=(FullReels(("plum", "cherry"), (1, 7), Adjacency.ANYWHERE, stages=("free",)),),
        scatter_pays=(ScatterPay("star", ("star",), (0, 0, 2), SymbolCount.REELS, wilds=True),),
        cascades=(Cascade((1, 2, 3), ("base",)), Cascade((2, 5), ("free",))),
        free_games=_TEN,
    ),
}
"""A game of each mechanic by its name."""
