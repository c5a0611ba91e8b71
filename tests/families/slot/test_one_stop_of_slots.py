"""Which change of one stop explains a printed return: found by a mean that is counted anew for every change."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from representatives import only
from small_slots import HEAD, LINES, WAYS, small

from certify.analysis.pay_bounds import PayBounds
from certify.families.slot.exact.one_stop import explained_by
from certify.families.slot.exact.round import round_figures
from certify.families.slot.identify import SlotIdentify
from certify.families.slot.rules import SlotRules, Strip, rules_of
from certify.model.printed_spread import PrintedClass
from certify.submission import parse_game

WEIGHTED = LINES.replace('"a wild b c star:2"', '"a:3 wild b:2 c star:2"')


def changed(rules: SlotRules, strips: str, reel: int, stop: int, symbol: str) -> SlotRules:
    made = []
    for one in rules.strip_sets:
        if one.id == strips:
            old = one.reels[reel]
            new = Strip((*old.symbols[:stop], symbol, *old.symbols[stop + 1 :]), old.weights)
            one = replace(one, reels=(*one.reels[:reel], new, *one.reels[reel + 1 :]))
        made.append(one)
    return replace(rules, strip_sets=tuple(made))


@pytest.mark.parametrize("tables", only([LINES, WEIGHTED, WAYS], WAYS), ids=["lines", "weighted", "ways"])
def test_every_change_that_is_told_returns_what_is_said_and_none_is_left_out(tables: str) -> None:
    rules = rules_of(small(tables))
    # What every return prints as: what is told is then all there is.
    anything = PrintedClass("any", Fraction(0), None)
    told = {
        (one.strips, one.reel, one.stop, one.instead): one.returned for one in explained_by(rules, anything)
    }
    by_hand = {}
    fixed = {name for row in rules.scatter_pays for name in row.symbols}
    for one in rules.strip_sets:
        for reel, strip in enumerate(one.reels):
            for stop, stated in enumerate(strip.symbols):
                for new in ("a", "b", "c", "wild"):
                    if new == stated or stated in fixed:
                        continue
                    rtp = round_figures(changed(rules, one.id, reel, stop, new), "main").return_to_player
                    by_hand[one.id, reel + 1, stop + 1, new] = rtp
    now = round_figures(rules, "main").return_to_player
    moved = {change: rtp for change, rtp in by_hand.items() if rtp != now}
    assert told == moved
    assert len(told) > 20


def test_identify_tells_the_stop_that_a_wrong_strip_needs() -> None:
    tables = LINES.replace("lines = [", "cost = 150\nlines = [")
    rules = rules_of(small(tables))
    printed = f"{float(100 * round_figures(rules, 'main').return_to_player):.6f} %"
    # Planted: one stop of the free games shows another symbol than where the return was printed.
    wrong = tables.replace('"a b star wild"', '"a c star wild"')
    claim = f'\n[[claims]]\nwager = "main"\nmetric = "return-to-player"\nprinted = "{printed}"\nsource = "rules"\n'
    planted = parse_game((HEAD.replace("claims = []\n", "") + wrong + claim).encode(), "game.toml")
    found = SlotIdentify().identify(planted, "main", PayBounds())
    assert {"free, reel 1, stop 2": "b in place of c"} in [one.reading for one in found.fits]
    assert found.conclusion.startswith("the strips as submitted do not return")
