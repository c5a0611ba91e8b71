"""Games with an open dealer's card by second ways: every ordered deal, and changed pays, rules and strategies."""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import perm
from pathlib import Path

import pytest
from open_card_rules import CASINO, HOME, KING, counted, dealer_draws, decides, end_of, on_cards
from representatives import firsts

from certify.errors import InputError
from certify.evidence.encode import plain
from certify.exact import decimal_text, parse_percent
from certify.families.open_card.chances import (
    ENDS,
    OpenDeal,
    PlainDeck,
    TrueChances,
    deal_of,
    joint_chances,
    true_chances,
)
from certify.families.open_card.family import reading_grid
from certify.families.open_card.readings import evaluated_readings
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules, rules_of
from certify.families.open_card.strategies import named
from certify.families.seven_and_a_half.cards import CLASS_FACE
from certify.families.seven_and_a_half.counting import plus, single
from certify.mathematics import (
    analyze,
    identify,
    pay_sensitivities,
    rule_sensitivities,
    strategy_classes,
)
from certify.mathematics.of_game import analyze_table
from certify.model.game import Claim
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
KING_OF_DIAMONDS = 36
POINTS = (2, 4, 6, 8, 10, 12, 14, 1)
DECK = (4, 4, 4, 4, 4, 4, 4, 12)


def kind(card):
    """Class of a card: A to 7, or a face, among them the King of diamonds wherever it is not first."""
    return min(card >> 2, 7)


def chosen_by(analysis):
    return dict(analysis.strategy.choices)


def count_of(*kinds):
    return tuple(kinds.count(one) for one in range(8))


def ended(player, dealer):
    if player > 15:
        return "bust"
    if dealer > 15 or player > dealer:
        return "win"
    return "push" if player == dealer else "lose"


def outcomes_of(analysis):
    return {end.id: end.probability for end in analysis.wager("ante").outcomes if end.probability}


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy",
    ["main-optimal", "always-second-card", "stand-on:5"],
)
def test_all_2193360_ordered_deals_of_four_cards_of_the_casino_version(strategy):
    """No round of the casino version needs a fifth card, so this is every deal that there is."""
    analysis = analyze(read_game(GAMES / "us5632489-casino/game.toml"), strategy)
    chosen = chosen_by(analysis)
    found = Counter()
    for first, shown in permutations(range(40), 2):
        deals = perm(38, 2)
        if KING_OF_DIAMONDS in (first, shown):
            found["king-of-diamonds" if first == KING_OF_DIAMONDS else "dealer-king-of-diamonds"] += deals
            continue
        move, _, bet = chosen[kind(shown), count_of(kind(first))].partition("-")
        if move == "fold":
            found["fold"] += deals
            continue
        own, his = POINTS[kind(first)], POINTS[kind(shown)]
        rest = [POINTS[kind(card)] for card in range(40) if card not in (first, shown)]
        for third, fourth in permutations(rest, 2):
            player, following = (own + third, fourth) if move == "hit" else (own, third)
            dealer = his + following if his < 12 and player <= 15 else his
            found[f"{ended(player, dealer)}-final-{bet}"] += 1
    whole = perm(40, 4)
    assert sum(found.values()) == whole == 2_193_360
    assert {end: Fraction(ways, whole) for end, ways in found.items()} == outcomes_of(analysis)


CARDS = (0, 4, 5, 8, 9, 16, 24, 28, KING)
"""A, 2, 2, 3, 3, 5, 7, a Jack and the King of diamonds: a dealer who stands on 5 or below never runs out of them."""

HOMES = {
    f"stands on {stands_on / 2}, {'always draws' if always else 'may stand at once'}": OpenCardRules(
        final_bets=(),
        player_maximum_cards=ANY_NUMBER,
        dealer_maximum_cards=ANY_NUMBER,
        dealer_stands_on=stands_on,
        dealer_always_draws=always,
    )
    for stands_on, always in ((8, False), (8, True), (10, False))
}
RULES = {
    **HOMES,
    "any number of cards for the player alone": OpenCardRules(final_bets=(), player_maximum_cards=ANY_NUMBER),
    "any number of cards for the dealer alone": OpenCardRules(
        dealer_stands_on=8, dealer_maximum_cards=ANY_NUMBER
    ),
    "three cards each": OpenCardRules(final_bets=(), player_maximum_cards=3, dealer_maximum_cards=3),
    "casino": OpenCardRules(),
    "no card for anyone": OpenCardRules(final_bets=(), player_maximum_cards=1, dealer_maximum_cards=1),
}


def called(cards, king):
    """Classes of a hand, low first; the King of diamonds by name, or one of the faces."""
    return tuple(sorted(min(card >> 2, CLASS_FACE) + (king and card == KING) for card in cards))


def table_of(rules, strategy):
    """The strategy found on the small deck."""
    return named(on_cards(rules, CARDS, CASINO if rules.final_bets else HOME), strategy)


def dealt(rules, strategy):
    """Every ordered deal by the readable rules: how rounds end, by the classes of the dealer's final hand.

    The player's cards come before the dealer's, and the dealer takes cards whatever became of the player.
    """
    chosen = dict(table_of(rules, strategy).choices)
    found = defaultdict(lambda: defaultdict(Fraction))

    def plays(player, shown, chance):
        if not decides(player, rules):
            yield player, False, chance
            return
        move = chosen[min(shown >> 2, CLASS_FACE), counted(player)].partition("-")[0]
        if move != "hit":
            yield player, move == "fold", chance
            return
        left = [card for card in CARDS if card != shown and card not in player]
        for card in left:
            yield from plays((*player, card), shown, chance / len(left))

    def draws(dealer, gone, chance):
        if not dealer_draws(dealer, rules):
            yield dealer, chance
            return
        left = [card for card in CARDS if card not in dealer and card not in gone]
        for card in left:
            yield from draws((*dealer, card), gone, chance / len(left))

    firsts = [
        (first, shown) for first in CARDS for shown in CARDS if first != shown and KING not in (first, shown)
    ]
    for first, shown in firsts:
        for player, folded, chance in plays((first,), shown, Fraction(1)):
            for dealer, weight in draws((shown,), player, chance):
                end = "fold" if folded else end_of(player, dealer)
                for king in {False, KING in dealer}:
                    found[called(dealer, king)][end] += weight
    return found


@cache
def both(name, strategy):
    """By the dealer's final hand: the chances by dealing every hand, and those that are counted."""
    deal, table = OpenDeal(PlainDeck(CARDS), RULES[name]), table_of(RULES[name], strategy)
    compared = {}
    for hand, ends in dealt(RULES[name], strategy).items():
        whole = sum(ends.values())
        lost = ends["lose"] + ends["bust"]
        parts = (lost, ends["push"], ends["win"], ends["fold"])
        compared[hand] = (
            TrueChances(*(part / whole for part in parts)),
            true_chances(deal, table, hand),
        )
    return compared


@pytest.mark.parametrize("strategy", firsts(["main-optimal", "always-second-card"]))
@pytest.mark.parametrize("name", RULES)
def test_chances_equal_every_ordered_deal_of_a_small_deck(name, strategy):
    for hand, (by_dealing, found) in both(name, strategy).items():
        assert found == by_dealing, hand


def test_hands_of_every_length_are_among_those_compared():
    """Dealers with one to four cards, busts, hands with the King of diamonds; players with more than two cards."""
    hands = set(both("stands on 4.0, may stand at once", "main-optimal"))
    assert {len(hand) for hand in hands} == {1, 2, 3, 4}
    assert any(8 in hand for hand in hands)
    assert any(sum(2 * kind + 2 if kind < 7 else 1 for kind in hand) > 15 for hand in hands)


def final_hands(deal):
    """Every hand on which the dealer of the real deck ends, by classes."""
    level, ended = {single(first) for first in range(CLASS_FACE + 1)}, set()
    while level:
        going = {hand for hand in level if deal.dealer_draws(hand)}
        ended |= level - going
        level = {
            plus(hand, kind)
            for hand in going
            for kind, cards in enumerate(deal.deck.class_counts)
            if hand[kind] < cards
        }
    return {tuple(kind for kind, held in enumerate(hand) for _ in range(held)) for hand in ended}


@pytest.mark.parametrize("strategy", firsts(["main-optimal", "always-second-card"]))
@pytest.mark.parametrize(
    ("game", "hands"), firsts([(CASINO, 2 + 21 + 12), (HOME, 457)]), ids=["casino", "home"]
)
def test_over_all_hands_of_the_dealer_the_chances_add_up_to_the_figures_of_the_game(game, hands, strategy):
    """The law of total probability on the real deck: what is counted by the dealer's hand, and without it.

    In the casino version these are a 6, a 7, and a first card of six classes with another of them or a 6 or 7.
    """
    deal, analysis = deal_of(game), analyze(game, strategy)
    found = dict.fromkeys(ENDS, Fraction(0))
    finals = final_hands(deal)
    for dealer in finals:
        for end, chance in joint_chances(deal, analysis.strategy, dealer).items():
            found[end] += chance
    assert len(finals) == hands
    counted = defaultdict(Fraction)
    for outcome in analysis.wager("ante").outcomes:
        counted[outcome.id.partition("-final-")[0]] += outcome.probability
    assert found["tie"] == counted["push"]
    assert found["player"] == counted["win"]
    assert found["dealer"] == counted["lose"] + counted["bust"]
    assert found["fold"] == counted["fold"]


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


CASINO_GAME = read_game(GAMES / "us5632489-casino/game.toml")


def printing(game, *texts, truncated=False):
    """The game as if its source printed these returns."""
    claims = tuple(
        Claim("ante", "return-to-player", text, parse_percent(text, truncated=truncated), "patent")
        for text in texts
    )
    return replace(game, claims=claims)


def paying(game, king, win=1):
    wager = game.wager("ante")
    pays = {"king-of-diamonds": Fraction(king), "win": Fraction(win)}
    rows = tuple(replace(row, pays=pays.get(row.id, row.pays)) for row in wager.paytable.rows)
    return replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=rows)),))


@cache
def every_return(game, kings, wins):
    """Every reading, every pay: each a game that is enumerated by itself."""
    return {
        (entry.reading, king, win): analyze(paying(entry.game, king, win)).wager("ante").return_to_player
        for entry in reading_grid(game)
        for king in kings
        for win in wins
    }


def by_brute_force(game, claim, kings, wins=(1,)):
    """The readings and pays that a printed figure can stand for, of all there are."""
    returns = every_return(replace(game, claims=()), tuple(kings), wins)
    return {one for one, value in returns.items() if claim.stands_for(value)}


def found_by(game, **options):
    found = identify(game, "ante", limit=10_000, **options)
    fits = {
        (tuple(fit.reading.items()), dict(fit.pays)["king-of-diamonds"], dict(fit.pays)["win"])
        for fit in found.fits
    }
    assert len(fits) == found.fits_count
    return fits


@pytest.mark.parametrize("text", ["146.65 %", "20.00 %"])
def test_no_candidate_of_the_casino_version_is_missed(text):
    none_is_missed(text, range(2, 5))


def none_is_missed(text, pays):
    game = printing(CASINO_GAME, text)
    expected = by_brute_force(game, game.claims[0].printed, pays)
    assert found_by(game, minimum=pays[0], maximum=pays[-1]) == expected
    assert bool(expected) == (text != "20.00 %")


def test_the_figure_of_the_adopted_game_is_found_and_the_conclusion_says_how_far_it_goes():
    found = identify(printing(CASINO_GAME, "146.6492 %"), "ante")
    document = plain(found)
    assert (document["candidates_tried"], document["fits_count"]) == (16 * 500, 1)
    assert document["fits"][0]["pays"] == {"king-of-diamonds": "3 to 1", "win": "1 to 1"}
    assert document["fits"][0]["reading"] == {
        "player-may-stand-on-first-card": "yes",
        "final-bet": "1 or 2 antes",
        "tie": "push",
    }
    assert document["conclusion"].startswith("Unique within the bounds")
    assert plain(identify(printing(CASINO_GAME, "200 %"), "ante"))["conclusion"].startswith("Ambiguous")
    impossible = identify(printing(CASINO_GAME, "146.6492 %"), "ante", by_row={"king-of-diamonds": [4]})
    assert impossible.conclusion.startswith("Impossible")
    assert "the nearest returns" in impossible.conclusion


def test_several_figures_of_one_wager_are_taken_together():
    assert identify(printing(CASINO_GAME, "147 %"), "ante", maximum=10).fits_count > 1
    assert identify(printing(CASINO_GAME, "147 %", "146.65 %"), "ante", maximum=10).fits_count == 1
    with pytest.raises(InputError, match="cannot stand for one value"):
        identify(printing(CASINO_GAME, "146 %", "148 %"), "ante")


def test_rows_that_the_rules_fix_are_no_unknowns():
    with pytest.raises(InputError, match="fixed by the rules"):
        identify(printing(CASINO_GAME, "147 %"), "ante", by_row={"push": [0, 1]})
