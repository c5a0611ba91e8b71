"""Splitting on a small deck: the counted worth is that of trying every decision on every card, one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from certify.errors import InputError
from certify.families.free_bank.charts import BankChart, ChartLine, OpenTotal
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.names import with_splits
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.exact.split_lattice import ROUNDING
from certify.families.free_bank.exact.splitting import split_answer, split_figures, split_worth
from certify.families.free_bank.rules import FreeBankRules
from certify.families.free_bank.strategy import Conduct, Own, PlayerSees, StandOn
from certify.model.figures import Bracket

POINTS = (2, 4, 6, 8, 10, 12, 14, 1)
RULES = FreeBankRules(bank_collects=2, bank_collects_from_seven_and_a_half=4, hands=3)
DECK = (0, 0, 0, 2, 0, 2, 3, 5, 0)
TERMS = BankTerms(RULES, seven_and_a_half=Fraction(2), deck=DECK)
BANK = StandOn("b", 9)


def less(deck, card):
    return (*deck[:card], deck[card] - 1, *deck[card + 1 :])


def draws(deck):
    cards = sum(deck)
    for card, held in enumerate(deck):
        if held:
            yield card, less(deck, card), Fraction(held, cards)


@cache
def bank_ends(deck, points, least):
    if points >= least:
        return {points: Fraction(1)}
    found = {}
    for card, rest, chance in draws(deck):
        for end, more in bank_ends(rest, points + POINTS[card], least).items():
            found[min(end, 16)] = found.get(min(end, 16), 0) + chance * more
    return found


def settled(ended, deck, least):
    """Nets of all hands together, the bank dealt last, everything that lies open counted."""
    worth = Fraction(0)
    for end, chance in bank_ends(deck, 0, least).items():
        for total in ended:
            if total > 15:
                net = -1
            elif end > 15:
                net = 2 if total == 15 else 1
            elif total == 15:
                net = -4 if end == 15 else 2
            elif end == 15:
                net = -2
            else:
                net = 1 if total > end else -1
            worth += chance * net
    return worth


@cache
def best(deck, total, single, hands, waiting, ended, least, split):
    """Best worth of everything when the hand with this total goes on, ``ended`` hands being done."""

    def on(done, rest):
        after = tuple(sorted((*ended, done)))
        if waiting:
            return best(rest, 1, False, hands, waiting - 1, after, least, split)
        return settled(after, rest, least)

    drawn = Fraction(0)
    for card, rest, chance in draws(deck):
        grown = total + POINTS[card]
        if grown >= 15:
            drawn += chance * on(grown, rest)
            continue
        stay = best(rest, grown, False, hands, waiting, ended, least, split)
        if split and single and card == 7 and hands < RULES.hands:
            stay = max(stay, best(rest, 1, True, hands + 1, waiting + 1, ended, least, split))
        drawn += chance * stay
    return max(drawn, on(total, deck))


@pytest.mark.parametrize("least", [8, 11])
def test_counted_worth_is_that_of_every_decision_tried(least: int) -> None:
    found = split_worth(TERMS, StandOn("b", least))
    after_face = less(DECK, 7)
    first = [
        best(rest, POINTS[card], False, 1, 0, (), least, False) * chance for card, rest, chance in draws(DECK)
    ]
    without = player_best_response(TERMS, StandOn("b", least)).value
    assert without == sum(first)
    split, kept = (best(after_face, 1, may, 1, 0, (), least, may) for may in (True, False))
    assert found.value - without == Fraction(DECK[7], sum(DECK)) * (split - kept)
    assert found.at_most - found.value == ROUNDING


def test_the_answer_says_when_to_split_and_its_mean_makes_the_whole() -> None:
    found = split_worth(TERMS, BANK)
    chart = split_answer(TERMS, BANK, "split-best-response")
    came = PlayerSees(Own(((7,),), 0, face_came=True))
    assert chart.chances(came, ("stay", "split")) == (("split" if found.splits else "stay", Fraction(1)),)
    waiting = PlayerSees(Own(((7, 6), (7,)), 1))
    assert chart.chances(waiting, ("stand", "hit"))[0][1] == 1


MATTA = replace(TERMS, rules=replace(RULES, matta=True), deck=(*DECK[:7], DECK[7] - 1, 1))


@pytest.mark.parametrize(
    ("terms", "bank", "why"),
    [
        (TERMS, BankChart("looks", "", ChartLine(9, draws=(((3,), -1, Fraction(1, 2)),))), "its own total"),
        (replace(TERMS, rules=replace(RULES, hands=1)), BANK, "splitting is counted where the rules know it"),
        (MATTA, BANK, "a deck with a matta"),
    ],
)
def test_splits_that_are_not_counted_are_refused_with_the_cause(
    terms: BankTerms, bank: Conduct, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        split_worth(terms, bank)


def test_a_bank_that_looks_at_one_hand_is_answered_with_splits_and_at_least_as_well_as_without() -> None:
    """Two hands are worth what they are against a bank that stands on the same total; one hand is met by the chart."""
    looks = BankChart(
        "looks",
        "",
        ChartLine(9),
        ((OpenTotal(False, 1), ChartLine(12)), (OpenTotal(False, 8), ChartLine(11))),
    )
    found, blind = split_worth(TERMS, looks), split_worth(TERMS, BANK)
    assert found.two.value == blind.two.value
    assert player_best_response(TERMS, looks).value <= found.value
    figures = split_figures(TERMS, split_answer(TERMS, looks, "split-best-response"), looks)
    ends, split = figures
    one = sum(ends.terms.net(*pair) * chance for pair, chance in ends.chances.items())
    assert one + split.pays * split.probability == found.value


def test_planted_a_bank_that_gives_away_more_against_several_hands_raises_the_upper_end() -> None:
    chart = BankChart("chart", "", ChartLine(9), ((OpenTotal(False, 1), ChartLine(12)),))
    generous = replace(chart, otherwise=ChartLine(1))
    proven = Bracket(Fraction(-1), player_best_response(TERMS, chart).value)
    assert with_splits(TERMS, proven, generous).upper > with_splits(TERMS, proven, chart).upper > proven.upper
