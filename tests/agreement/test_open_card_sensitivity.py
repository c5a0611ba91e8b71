"""Changed pays, changed rules and simpler strategies of games with an open dealer's card, by second ways."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from open_card_rules import CASINO, HOME, KING, on_cards
from representatives import firsts

from certify.errors import InputError
from certify.evidence.encode import plain
from certify.exact import decimal_text
from certify.families.open_card.readings import evaluated_readings
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules, rules_of
from certify.families.open_card.strategies import named
from certify.mathematics import (
    analyze,
    pay_sensitivities,
    rule_sensitivities,
    strategy_classes,
)
from certify.mathematics.of_game import analyze_table

BOTH = pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])


@cache
def pays(game):
    return {entry.subject: entry for entry in pay_sensitivities(game)}


@pytest.mark.parametrize("game", firsts([CASINO, HOME]), ids=["casino", "home"])
def test_a_unit_on_a_row_is_worth_how_often_it_is_paid_and_to_whom_it_is_paid(game):
    """The player who goes on as before gains the unit on each bet that the row pays, ante and final bet alike."""
    base = analyze(game).wager("ante")
    assert set(pays(game)) == {"king-of-diamonds", "win", "push"}
    for subject, entry in pays(game).items():
        ends = [end for end in base.outcomes if end.id.partition("-final-")[0] == subject]
        paid = [(1 + int(end.id.partition("-final-")[2] or 0)) * end.probability for end in ends]
        assert entry.same_strategy == base.return_to_player + sum(paid, Fraction(0))
        assert entry.after >= entry.same_strategy > entry.before == base.return_to_player
    # Nothing is decided on the King of diamonds, so nothing adapts to its pay.
    assert pays(game)["king-of-diamonds"].delta == Fraction(1, 40)
    assert pays(game)["win"].after > pays(game)["win"].same_strategy


def test_the_change_of_a_rule_is_the_return_of_the_game_so_played():
    changes = {entry.change: entry for entry in rule_sensitivities(CASINO)}
    alone = {entry.reading: entry.return_ for entry in evaluated_readings(CASINO)[1:]}
    assert alone.items() <= {words: entry.after for words, entry in changes.items()}.items()
    assert changes["the player must draw or fold"].delta == Fraction(67293, 91390) - Fraction(201034, 137085)
    assert {entry.subject for entry in changes.values()} >= {"dealer-stands-on", "dealer-maximum-cards"}
    assert all(row["same_strategy"] is None for row in plain(tuple(changes.values())))


def test_no_other_table_by_the_own_card_alone_is_better():
    """Every first card with every other decision, counted through the tables that are played."""
    best = analyze(CASINO, "best-by-own-card")
    returned = best.wager("ante").return_to_player
    chosen = {hand: move for (_, hand), move in best.strategy.choices}
    assert len(chosen) == 8, "the open card changes no decision"
    for hand in chosen:
        others = {entry for entry in best.strategy.choices if entry[0][1] != hand}
        shown = [entry[0][0] for entry in best.strategy.choices if entry[0][1] == hand]
        for move in ("fold", "stand-1", "hit-1", "stand-2", "hit-2"):
            table = replace(
                best.strategy, choices=frozenset(others | {((card, hand), move) for card in shown})
            )
            other = analyze_table(CASINO, table).wager("ante").return_to_player
            assert other < returned or move == chosen[hand]
    assert decimal_text(100 * returned, 4) == "126.7515"
    assert list(dict(sorted(chosen.items(), reverse=True)).values()) == [
        *("hit-1", "hit-1", "stand-1", "stand-1", "stand-2", "stand-2", "stand-2", "hit-1")
    ]


def test_one_card_decides_nothing_where_more_cards_may_be_taken():
    with pytest.raises(InputError, match="two cards"):
        analyze(HOME, "best-by-own-card")


@pytest.mark.parametrize("game", firsts([CASINO, HOME]), ids=["casino", "home"])
def test_one_card_is_its_total_so_that_totals_lose_nothing_in_the_casino_version(game):
    assert (strategy_classes(game)[1].cost > 0) is (game is HOME)
    assert strategy_classes(game)[1].cost >= 0


SMALL = (0, 8, 12, 20, 24, 28, KING)
"""A, 3, 4, 6, 7, a Jack and the King of diamonds."""


def test_thresholds_are_the_best_of_all_tables_by_total_of_a_small_deck():
    """Every way to give each open card one total to stand on, counted by the tables that are played."""
    rules = OpenCardRules(final_bets=(), player_maximum_cards=ANY_NUMBER, dealer_maximum_cards=3)
    game = on_cards(rules, SMALL)

    def worth(table):
        return analyze_table(game, table).wager("ante").expectation

    tables = {t: named(game, f"stand-on:{t / 2:g}") for t in range(1, 16)}
    shown = sorted({entry[0][0] for entry in tables[1].choices})
    by_card = {
        card: max(
            worth(replace(tables[1], choices=frozenset(kept | own)))
            for own in ({e for e in tables[t].choices if e[0][0] == card} for t in tables)
            for kept in ({e for e in tables[1].choices if e[0][0] != card},)
        )
        - worth(tables[1])
        for card in shown
    }
    best = worth(named(game, "stand-on-by-open-card"))
    assert best == worth(tables[1]) + sum(by_card.values())
    assert best <= worth(named(game, "main-optimal"))


def test_a_planted_reading_of_the_casino_version_is_told_from_the_adopted_one():
    changed = replace(CASINO, rules=replace(rules_of(CASINO), dealer_stands_on=14))
    planted = evaluated_readings(changed)
    assert planted[0].return_ != analyze(CASINO).wager("ante").return_to_player
