"""Games with an open dealer's card: enumeration, brute force, reference engine, kernel and twin must agree."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from dealing import stream_decks
from open_card_rules import CASINO, HOME, KING, dealer_draws, decides, end_of, on_cards, worth
from representatives import firsts

from certify.certification.cross_checks import agreement, agreement_of_rounds
from certify.errors import InputError
from certify.families.driver import play
from certify.families.open_card.rules import ANY_NUMBER, DrawnSeven, OpenCardRules, OpenCardTie, rules_of
from certify.families.registry import family_of
from certify.mathematics import analyze, exposure
from certify.mathematics.of_game import analyze_table

CASINO_RULES = (
    OpenCardRules(),
    OpenCardRules(tie=OpenCardTie.ANTE_RETURNED),
    OpenCardRules(player_may_stand_on_first_card=False, tie=OpenCardTie.LOSE),
)
HOME_RULES = tuple(
    OpenCardRules(
        final_bets=(),
        player_maximum_cards=ANY_NUMBER,
        dealer_maximum_cards=ANY_NUMBER,
        dealer_stands_on=stands_on,
        dealer_always_draws=always,
    )
    for stands_on in (12, 13)
    for always in (False, True)
)

READ_RULES = tuple(
    replace(HOME_RULES[0], player_maximum_cards=most, drawn_seven=drawn)
    for most in (2, ANY_NUMBER)
    for drawn in DrawnSeven
)

# Small decks on which the dealer never runs out of cards: every ordered deal can be gone through.
SMALL = (4, 9, 12, 16, 20, 24, 28, KING)
"""2, 3, 4, 5, 6 and 7, a Jack and the King of diamonds."""


def expectation(rules: OpenCardRules, cards: tuple[int, ...]) -> Fraction:
    """Returns the exact value of best play on a small deck."""
    return analyze(on_cards(rules, cards, CASINO if rules.final_bets else HOME)).wager("ante").expectation


def net(rules: OpenCardRules, end: str, bet: int) -> int:
    """Returns what an end is worth in antes."""
    if end == "win":
        return 1 + bet
    if end == "push" and rules.tie is not OpenCardTie.LOSE:
        return -bet if rules.tie is OpenCardTie.ANTE_RETURNED else 0
    return -1 - bet


def brute_force(rules: OpenCardRules, cards: tuple[int, ...], king: int) -> Fraction:
    """Returns the value of best play by the rules written down again, card by card, over ordered hands.

    The player sees the order of the own cards and the open card's identity; that must not help.
    """

    def dealer(hand: tuple[int, ...], player: tuple[int, ...], bet: int) -> Fraction:
        if dealer_draws(hand, rules):
            left = [card for card in cards if card not in hand and card not in player]
            return sum((dealer((*hand, card), player, bet) for card in left), Fraction(0)) / len(left)
        return Fraction(net(rules, settled(player, hand, rules), bet))

    @cache
    def best(player: tuple[int, ...], shown: int, bet: int) -> Fraction:
        if worth(player) > 15:
            return Fraction(net(rules, "bust", bet))
        if not decides(player, rules):
            return dealer((shown,), player, bet)
        left = [card for card in cards if card != shown and card not in player]
        first = len(player) == 1
        values = [Fraction(-1)] if first and rules.final_bets else []
        for placed in (rules.final_bets or (0,)) if first else (bet,):
            hit = sum((best((*player, card), shown, placed) for card in left), Fraction(0)) / len(left)
            values.append(hit)
            if not first or rules.player_may_stand_on_first_card:
                values.append(dealer((shown,), player, placed))
        return max(values)

    total = Fraction(0)
    for first, shown in permutations(cards, 2):
        if first == KING:
            total += king
        elif shown == KING:
            total -= 1
        else:
            total += best((first,), shown, 0)
    return total / (len(cards) * (len(cards) - 1))


def settled(player: tuple[int, ...], dealer: tuple[int, ...], rules: OpenCardRules) -> str:
    """Returns how a showdown ends; a drawn 7½ may be read to beat no total, or to be lost."""
    end = end_of(player, dealer)
    if worth(player) < 15 or rules.drawn_seven is DrawnSeven.BEST:
        return end
    if rules.drawn_seven is DrawnSeven.LOST or (end == "win" and worth(dealer) <= 15):
        return "lose"
    return end


@pytest.mark.parametrize("rules", CASINO_RULES)
def test_best_play_of_the_casino_version_equals_every_ordered_deal_of_a_small_deck(rules):
    cards = (*SMALL, 8, 29)
    assert expectation(rules, cards) == brute_force(rules, cards, 3)


@pytest.mark.parametrize("rules", firsts(HOME_RULES, 2))
def test_best_play_of_the_home_version_equals_every_ordered_deal_of_a_small_deck(rules):
    assert expectation(rules, SMALL) == brute_force(rules, SMALL, 2)


@pytest.mark.parametrize("rules", firsts(READ_RULES, 3))
def test_passages_that_only_enumeration_reads_equal_every_ordered_deal_too(rules):
    assert expectation(rules, SMALL) == brute_force(rules, SMALL, 2)
    same = expectation(rules, SMALL) == expectation(HOME_RULES[0], SMALL)
    assert same is (rules.drawn_seven is DrawnSeven.BEST and rules.player_maximum_cards != 2)


def test_the_casino_version_dealt_card_by_card_from_the_real_deck():
    """All 2,193,360 ordered deals of four cards, grouped by class, with the best of five decisions by hand."""
    points = [2, 4, 6, 8, 10, 12, 14, 1]
    kinds = [min(card >> 2, 7) for card in range(40) if card != KING]
    counts = [kinds.count(kind) for kind in range(8)]

    def compare(player: int, dealer: int) -> int:
        return -1 if player > 15 else 1 if dealer > 15 or player > dealer else -(player < dealer)

    def final(player: int, shown: int, left: list[int]) -> Fraction:
        if points[shown] >= 12:
            return Fraction(compare(player, points[shown]))
        every = sum(n * compare(player, points[shown] + points[kind]) for kind, n in enumerate(left))
        return Fraction(every, sum(left))

    total = Fraction(3 - 1, 40)
    for first, shown in ((a, b) for a in range(8) for b in range(8)):
        ways = counts[first] * (counts[shown] - (first == shown))
        left = [n - (kind == first) - (kind == shown) for kind, n in enumerate(counts)]
        left[7] += 1  # From here on the King of diamonds is a face.
        stand = final(points[first], shown, left)
        hit = sum(
            (
                Fraction(n, 38)
                * final(points[first] + points[kind], shown, [m - (k == kind) for k, m in enumerate(left)])
                for kind, n in enumerate(left)
                if n
            ),
            Fraction(0),
        )
        total += Fraction(ways, 1560) * max(-1, 2 * stand, 3 * stand, 2 * hit, 3 * hit)
    figures = analyze(CASINO).wager("ante")
    assert figures.expectation == total == Fraction(63949, 137085)
    assert figures.return_to_player == Fraction(201034, 137085)


@pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])
@pytest.mark.parametrize(
    "strategy", firsts(["main-optimal", "time-out", "stand-on:5", "always-second-card"], 2)
)
def test_reference_engine_kernel_and_twin_settle_every_deck_alike(game, strategy):
    decks = stream_decks(bytes(range(32))).deal(7, 600)
    legs = agreement(game, analyze(game, strategy).strategy, decks)
    assert legs.decks == 600
    assert legs.compared == ("ante",)
    assert legs.differences == ()


@pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])
@pytest.mark.parametrize("strategy", firsts(["main-optimal", "stand-on:7"]))
def test_rounds_dealt_card_by_card_are_rounds_on_whole_decks(game, strategy):
    table = analyze(game, strategy).strategy
    source = stream_decks(bytes(range(32)))
    legs = agreement_of_rounds(source, 400, game, table)
    assert (legs.decks, len(legs.legs), legs.differences) == (400, 6, ())


def test_a_strategy_without_a_decision_is_refused():
    table = analyze(HOME).strategy
    holes = replace(table, choices=frozenset(sorted(table.choices)[::2]))
    with pytest.raises(InputError, match="names no decision for"):
        analyze_table(HOME, holes)
    with pytest.raises(InputError, match="names no decision for"):
        agreement_of_rounds(stream_decks(bytes(range(32))), 10, HOME, holes)


def test_a_planted_fault_in_one_leg_is_found():
    decks = stream_decks(bytes(range(32))).deal(7, 500)
    rules = rules_of(CASINO)
    strategy = analyze(CASINO).strategy
    other = family_of(CASINO).reference(replace(CASINO, rules=replace(rules, dealer_stands_on=10)))
    played = [play(other, deck.tolist(), strategy).outcome("ante") for deck in decks]
    right = [
        play(family_of(CASINO).reference(CASINO), deck.tolist(), strategy).outcome("ante") for deck in decks
    ]
    assert 0 < sum(a != b for a, b in zip(played, right, strict=True)) < 250


@pytest.mark.slow
@pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])
def test_the_engine_returns_the_enumerated_frequencies(game):
    """Twenty thousand rounds of the readable engine lie within five standard errors of the exact return."""
    analysis = analyze(game)
    figures = analysis.wager("ante")
    decks = stream_decks(bytes(range(1, 33))).deal(0, 20_000)
    results = [
        play(family_of(CASINO).reference(game), deck.tolist(), analysis.strategy).net["ante"]
        for deck in decks
    ]
    mean = sum(results, Fraction(0)) / len(results)
    assert abs(float(mean - figures.expectation)) < 5 * figures.standard_deviation / 20_000**0.5


def test_every_other_first_decision_costs_what_its_value_says():
    """Deviating once at one first deal and playing best otherwise loses exactly the difference of the values."""
    analysis = analyze(CASINO)
    base = analysis.wager("ante").expectation
    hand, shown = (0, 0, 1, 0, 0, 0, 0, 0), 3
    (values,) = (one.values for one in analysis.decisions if (one.hand, one.dealer) == ("3", "4"))
    assert len(values) == 5
    for decision, value in values.items():
        table = {entry for entry in analysis.strategy.choices if entry[0] != (shown, hand)}
        changed = replace(analysis.strategy, choices=frozenset({*table, ((shown, hand), decision)}))
        worse = analyze_table(CASINO, changed).wager("ante").expectation
        assert base - worse == Fraction(4 * 4, 1560) * (max(values.values()) - value)


def test_no_named_strategy_beats_the_optimal_one():
    for game in (CASINO, HOME):
        best = analyze(game).wager("ante").return_to_player
        for name in ("stand-on:4", "stand-on:5.5", "mimic-dealer", "always-second-card", "time-out"):
            assert analyze(game, name).wager("ante").return_to_player < best


def test_strategies_that_need_several_wagers_are_refused():
    with pytest.raises(InputError, match="one wager"):
        analyze(CASINO, "main-optimal", {"ante": Fraction(1)})
    with pytest.raises(InputError, match="open card"):
        analyze(CASINO, "jointly-optimal")


@pytest.mark.parametrize(
    ("game", "amount"),
    [(CASINO, 7_500), (HOME, 200)],
    ids=["casino", "home"],
)
def test_the_highest_win_is_shown_by_a_deal_that_the_engine_replays(game, amount):
    assert exposure(game).amount == amount
    king = replace(game.wager("ante").paytable.rows[0], pays=Fraction(0))
    paytable = replace(game.wager("ante").paytable, rows=(king, *game.wager("ante").paytable.rows[1:]))
    poorer = replace(game, wagers=(replace(game.wager("ante"), paytable=paytable),))
    for one in (game, poorer):
        highest = exposure(one)
        deck = (*highest.deck, *(card for card in range(40) if card not in highest.deck))
        played = play(family_of(CASINO).reference(one), deck, highest.decisions)
        assert played.net["ante"] * one.wager("ante").limits.maximum == highest.amount
