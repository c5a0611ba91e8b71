"""Blackjack counted against every order of small shoes dealt out, and against published figures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import perm, prod
from random import Random

import pytest
from dealt_out import DealtOut, counts, searched, whole_decks
from representatives import firsts, only

from certify.errors import InputError
from certify.families.blackjack.exact import kernels, residues, rounds
from certify.families.blackjack.exact.counting import Counted
from certify.families.blackjack.exact.rounds import begun, law_of
from certify.families.blackjack.exact.search import against, shown
from certify.families.blackjack.exact.shoes import near, rule
from certify.families.blackjack.exact.strategies import BestPlay, DrawsTo, card_of, plans
from certify.families.blackjack.exact.terms import BlackjackGame, Convention, Pays, Shoe
from certify.families.blackjack.figures import CountedStrategy, main_figures
from certify.families.blackjack.rules import BlackjackRules, Peek, Surrender, Taken
from certify.families.blackjack.strategy import parse_card
from certify.model.strategy import Strategy

SMALL = {
    "a dealer who looks": ((3, 0, 0, 0, 0, 0, 0, 5, 0, 8), BlackjackRules(insurance=False)),
    "aces split again and late surrender": (
        (4, 0, 0, 0, 0, 2, 0, 0, 2, 8),
        BlackjackRules(insurance=False, ace_hands=4, surrender=Surrender.LATE),
    ),
    "no hole card": (
        (1, 0, 0, 0, 0, 0, 3, 4, 0, 8),
        BlackjackRules(insurance=False, peek=Peek.NEVER, double_after_split=False),
    ),
    "bets of splits are lost, split aces are drawn to": (
        (4, 0, 0, 0, 0, 0, 0, 4, 0, 8),
        BlackjackRules(
            insurance=False, peek=Peek.NEVER, natural_takes=Taken.ORIGINAL_AND_SPLIT, hits_soft_17=True,
            draw_to_aces=True, ace_hands=3,
        ),
    ),
    "original bets only, early surrender, five cards win": (
        (4, 0, 0, 0, 0, 4, 0, 0, 0, 8),
        BlackjackRules(
            insurance=False, peek=Peek.ACE, natural_takes=Taken.ORIGINAL, surrender=Surrender.EARLY, charlie=5
        ),
    ),
}  # fmt: skip


def returned(terms: BlackjackGame, strategy: Strategy) -> Fraction:
    chosen = plans(terms, strategy)
    return sum(
        (chance * Counted(against(terms, up), chosen[up]).expected() for up, chance in shown(terms)),
        Fraction(0),
    )


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("best", [True, False], ids=["by cards", "by totals"])
def test_counting_comes_to_what_every_order_of_a_small_shoe_comes_to(name: str, best: bool) -> None:
    counts, rules = SMALL[name]
    terms = BlackjackGame(Shoe(counts), rules)
    strategy: Strategy = BestPlay("best", terms) if best else card_of(terms)
    assert returned(terms, strategy) == DealtOut(terms, strategy).expected()


@pytest.mark.parametrize(
    ("name", "hands"),
    only(
        [(name, hands) for name in SMALL for hands in (2, 3, 4)],
        ("aces split again and late surrender", 2),
        ("no hole card", 2),
    ),
)
def test_what_every_order_of_a_small_shoe_ends_in_lies_within_the_bounds(name: str, hands: int) -> None:
    # Some twenty cards, where each that is gone tells the most.
    counts, rules = SMALL[name]
    terms = BlackjackGame(
        Shoe(counts), replace(rules, split_hands=hands, ace_hands=min(rules.ace_hands, hands))
    )
    strategy = card_of(terms)
    figures = main_figures(*CountedStrategy(terms, strategy).ended())
    assert figures.off < Fraction(1, 20)
    for net in {one.pays for one in figures.outcomes}:
        found = sum((one.probability for one in figures.outcomes if one.pays == net), Fraction(0))
        dealt_out = DealtOut(terms, strategy, lambda other, _, net=net: Fraction(other == net)).expected()
        assert abs(found - dealt_out) <= figures.off, net
    squared = DealtOut(terms, strategy, lambda net, _: net * net).expected()
    assert abs(figures.variance + figures.expectation**2 - squared) <= figures.variance_off


def test_bounds_meet_at_what_every_order_of_a_small_shoe_ends_in(monkeypatch: pytest.MonkeyPatch) -> None:
    # Where hardly a level is left out, hardly anything of the shoe is.
    monkeypatch.setattr(rounds, "cut", lambda _: 9)
    terms = BlackjackGame(
        Shoe((0, 0, 0, 0, 0, 0, 4, 4, 0, 8)), BlackjackRules(insurance=False, split_hands=3)
    )
    strategy = card_of(terms)
    figures = main_figures(*CountedStrategy(terms, strategy).ended())
    assert 0 < figures.off < Fraction(1, 10**9)
    for net in {one.pays for one in figures.outcomes if abs(one.pays) > 2}:
        found = sum((one.probability for one in figures.outcomes if one.pays == net), Fraction(0))
        dealt_out = DealtOut(terms, strategy, lambda other, _, net=net: Fraction(other == net)).expected()
        assert abs(found - dealt_out) <= figures.off, net


@pytest.mark.parametrize(("decks", "most"), firsts([(0, 11), (1, 6), (2, 7), (6, 9), (8, 9)]))
def test_no_chance_of_whole_decks_is_off_by_more_than_this(decks: int, most: int) -> None:
    # A pair of eights against a ten: by so much at most, as a power of a tenth; an endless deck is counted itself.
    terms = BlackjackGame(whole_decks(decks), BlackjackRules())
    counted = Counted(against(terms, 9), plans(terms, card_of(terms))[9])
    (start,) = (one for one in begun(counted) if one.hand.index(max(one.hand)) == 7 and 2 in one.hand)
    law = law_of(counted, start, split=True)
    assert sum(law.chances.values()) == 1
    assert 0 < start.chance * law.off < Fraction(1, 10**most)


@pytest.mark.parametrize("many", [*range(1, 33), 96, 128])
def test_rules_of_endless_decks_lie_above_and_below_the_ways_in_turn(many: int) -> None:
    for level in range(4):
        off = [
            sum((weight * deck**cards for deck, weight in rule(many, level).items()), Fraction(0))
            - perm(many, cards)
            for cards in range(60)
        ]
        assert not any(off[: 2 * level + 2])
        assert max(one * (-1) ** (level + 1) for one in off) <= 0


@pytest.mark.parametrize("level", [1, 3])
def test_endless_decks_never_come_to_more_than_the_shoe_does(level: int) -> None:
    left = (4, 3, 0, 8, 16)
    found, numbers = near(left, (9,) * 5, level), Random(11)  # noqa: S311 - any numbers will do
    less = 0
    for _ in range(500):
        cards = [numbers.randrange(6) for _ in left]
        # More of a value than there are come in no way, and are counted in less than none.
        exact = Fraction(prod(map(perm, left, cards)), perm(sum(left), sum(cards)))
        counted = (found.decks**cards).prod(axis=1) @ found.weights
        counted *= (found.shares * found.sizes ** sum(cards)).sum()
        assert counted <= float(exact) + 1e-12
        less += counted < float(exact) - 1e-12
    assert less


def test_the_second_round_of_a_shoe_returns_what_the_first_does() -> None:
    # Whatever the first round looked at: so a fixed number of rounds a shoe has no effect of a cut card.
    terms = BlackjackGame(
        Shoe((2, 0, 0, 0, 0, 4, 0, 4, 0, 6)), BlackjackRules(insurance=False, split_hands=1, ace_hands=1)
    )
    strategy = DrawsTo("to seventeen", 17, 18)

    @cache
    def second(left: tuple[int, ...]) -> Fraction:
        return DealtOut(replace(terms, shoe=Shoe(left)), strategy).expected()

    first = DealtOut(terms, strategy).expected()
    assert DealtOut(terms, strategy, lambda _, left: second(left)).expected() == first
    assert len({second((2, 0, 0, 0, 0, 4, 0, 4, 0, 1)), second((0, 0, 0, 0, 0, 4, 0, 4, 0, 6)), first}) == 3


def test_a_cut_card_costs_what_is_exact_of_a_small_shoe_and_no_more_than_is_proved() -> None:
    rules, cut = BlackjackRules(insurance=False, split_hands=1, ace_hands=1), 6
    terms, strategy = (
        BlackjackGame(Shoe((2, 0, 0, 0, 0, 4, 0, 4, 0, 6)), rules),
        DrawsTo("to seventeen", 17, 18),
    )
    whole = terms.shoe.size

    @cache
    def rounds(left: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        """Returns the net result of all rounds until so many cards are dealt, and how many those are."""

        def worth(part: int) -> Fraction:
            return DealtOut(
                replace(terms, shoe=Shoe(left)),
                strategy,
                lambda net, after: (
                    (net, Fraction(1))[part] + (rounds(after)[part] if whole - sum(after) < cut else 0)
                ),
            ).expected()

        return worth(0), worth(1)

    net, number = rounds(terms.shoe.counts)
    mean = DealtOut(terms, strategy).expected()
    assert (net / number, mean) == (Fraction(-97717, 1579347), Fraction(-671, 10920))
    assert net / number < mean
    # Only whether the second round is dealt is left to chance: the covariance with that is all of the effect.
    again = DealtOut(terms, strategy, lambda _, after: Fraction(whole - sum(after) < cut)).expected()
    assert number == 1 + again
    spread = DealtOut(terms, strategy, lambda one, _: one * one).expected() - mean**2
    assert (net - number * mean) ** 2 <= spread * again * (1 - again)


@pytest.mark.slow
def test_what_rounds_of_split_hands_end_in_is_named_near_and_no_other() -> None:
    terms = BlackjackGame(Shoe((4, 0, 0, 0, 0, 0, 0, 4, 0, 8)), BlackjackRules(insurance=False))
    figures = main_figures(*CountedStrategy(terms, card_of(terms)).ended())
    named = {outcome.id for outcome in figures.outcomes if outcome.near}
    assert named == {outcome.id for outcome in figures.outcomes if outcome.staked > 1}
    assert {"natural", "win", "push", "lose"}.isdisjoint(named)
    assert figures.near
    assert not replace(
        figures, outcomes=tuple(replace(one, off=Fraction(0)) for one in figures.outcomes)
    ).near


def test_the_distribution_of_a_round_sums_to_one_and_has_the_exact_mean() -> None:
    terms = BlackjackGame(whole_decks(0), BlackjackRules(surrender=Surrender.LATE))
    strategy = card_of(terms)
    chosen, mean = plans(terms, strategy), Fraction(0)
    for up, chance in shown(terms):
        counted = Counted(against(terms, up), chosen[up])
        for start in begun(counted):
            for split in (True, False):
                share = start.split if split else 1 - start.split
                if share:
                    law = law_of(counted, start, split=split).chances
                    assert sum(law.values()) == 1
                    assert min(law.values()) >= 0
                    worth = sum((ended.net * part for (ended, _), part in law.items()), Fraction(0))
                    mean += chance * start.chance * share * worth
    assert mean == returned(terms, strategy)


def test_products_of_remainders_are_those_of_whole_numbers() -> None:
    chance = Random(7)  # noqa: S311 - any numbers will do
    for modulus in residues.primes(180):
        ends = [(modulus - 1, modulus - 1), (0, modulus - 1), (1, modulus - 1)]
        for one, other in ends + [(chance.randrange(modulus), chance.randrange(modulus)) for _ in range(200)]:
            assert kernels.times(one, other, modulus, 1.0 / modulus) == one * other % modulus


def test_conventions_for_split_hands_are_worth_more_the_more_is_known() -> None:
    terms = BlackjackGame(whole_decks(1), BlackjackRules())
    worth = [searched(terms, BestPlay("best", terms, one).plans) for one in Convention]
    assert worth == sorted(worth)
    assert worth[0] < worth[-1]


def test_a_card_that_was_written_is_read_again() -> None:
    card = card_of(BlackjackGame(whole_decks(0), BlackjackRules(surrender=Surrender.LATE)))
    assert parse_card(card.text(), "card.toml").table() == card.table()


def test_every_mistake_of_a_card_is_named_at_once() -> None:
    text = (
        'schema = "certify-strategy/1"\nname = "mine"\ninsurance = "sometimes"\n'
        '[hard]\n"5-19" = "H H H H H H H H H"\n"30" = "S S S S S S S S S S"\n'
        '[soft]\n"13-20" = "H H H H X H H H H H"\n[pairs]\nB = "P P P P P P P P P P"\n'
    )
    with pytest.raises(InputError) as refused:
        parse_card(text, "mine.toml")
    told = str(refused.value)
    for part in (
        "insurance is 'sometimes'",
        "expected ten letters",
        "no hard total 30",
        "no letter X",
        "'B'",
        "20",
    ):
        assert part in told


def test_sevens_that_were_doubled_are_paid_on_both_stakes() -> None:
    # They were counted as a twenty-one that waits for the dealer. Against a two no hand of 7, 7 and one card more is
    # drawn to, so that doubling is worth twice as much as hitting.
    shoe = Shoe((1,) * 9 + (4,), endless=True)
    terms = BlackjackGame(shoe, BlackjackRules(split_hands=1, ace_hands=1), Pays(sevens=Fraction(9, 2)))
    values, plan, hand = against(terms, 1), plans(terms, BestPlay("best", terms))[1], counts(6, 6)
    assert Counted(values, plan).option(hand, kernels.DOUBLE) == 2 * Counted(values, plan).option(
        hand, kernels.HIT
    )
    options = values.worth().options[values.hands.place[hand]]
    assert options[kernels.DOUBLE] == pytest.approx(2 * options[kernels.HIT], abs=1e-13)
    plays = plan.plays.copy()
    plays[values.hands.place[hand]] = kernels.DOUBLE
    doubled = Counted(values, replace(plan, plays=plays))
    (start,) = (one for one in begun(doubled) if one.hand == hand)
    law = law_of(doubled, start, split=False).chances
    assert sum(chance * ended.net for (ended, _), chance in law.items()) == doubled.option(
        hand, kernels.DOUBLE
    )
