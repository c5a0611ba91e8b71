"""Bonuses, limits, bet levels, purchases and meters of small slots."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from small_slots import LINES, small

from certify.families.slot.exact.meters import level_rules
from certify.families.slot.exact.round import round_figures
from certify.families.slot.purchases import BetLevel
from certify.families.slot.rules import BonusPrizes, Prize, PrizeDraws, Trigger, rules_of
from certify.families.slot.sheets import SlotSections
from certify.mathematics import analyze

PRIZES = (Prize("a", Fraction(2), 2), Prize("b", Fraction(5)), Prize("c", Fraction(0), ends=True))
STAR = Trigger(("star",), (0, 1))
PLAIN = replace(rules_of(small(LINES)), free_games=(), wilds=())


def test_a_bonus_adds_its_mean_as_often_as_it_begins() -> None:
    with_bonus = replace(PLAIN, bonuses=(BonusPrizes("extra", PrizeDraws.WHEEL, 1, PRIZES, STAR, ("base",)),))
    alone, both = round_figures(PLAIN, "main"), round_figures(with_bonus, "main")
    begins = sum(one.probability for one in both.outcomes if one.id == "extra")
    assert both.return_to_player - alone.return_to_player == begins * Fraction(9, 4)


def test_a_limit_takes_away_what_lies_above_it_and_says_so() -> None:
    limited = round_figures(replace(PLAIN, most=Fraction(5)), "main")
    free = round_figures(PLAIN, "main")
    (taken,) = [award for award in limited.awards if award.row == "limit"]
    assert taken.contribution == limited.return_to_player - free.return_to_player < 0
    assert max(net for net, _ in limited.net) == 4


def test_a_bet_level_has_its_own_lines_cost_and_pays() -> None:
    one = level_rules(PLAIN, BetLevel("one", 1, 1, 1))
    twice = level_rules(PLAIN, BetLevel("twice", 1, 2, 2))
    # Scatters pay on the total bet, lines per coin: twice the coins at twice the cost is the same game.
    assert round_figures(one, "main").return_to_player == round_figures(twice, "main").return_to_player
    more = level_rules(PLAIN, BetLevel("more", 1, 2, 2, (("a-3", 1000),)))
    assert round_figures(more, "main").return_to_player > round_figures(twice, "main").return_to_player


def test_what_is_asked_of_a_slot_stands_in_tables() -> None:
    game = small(
        LINES
        + """
[[purchases]]
id = "buy"
feature = "free-games"
starts = 4
price = "20"

[gamble]
chance = "1/2"
multiplies = "2"
steps = 2

[[bet_levels]]
id = "one-line"
lines = 1
coins = 1
cost = 1
"""
    )
    analysis = analyze(game, "main-optimal")
    tables = SlotSections().evidence(game, {"main-optimal": analysis}).supplementary_tables or ()
    assert [table.id for table in tables] == [
        "split",
        "award-bands",
        "features",
        "bet-levels",
        "purchases",
        "gamble",
        "near-misses",
    ]
    split = sum((row.figures["contribution"].low for row in tables[0].rows), Fraction(0))
    assert split == analysis.wagers[0].return_to_player
