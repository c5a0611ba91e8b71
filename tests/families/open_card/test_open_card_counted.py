"""Games with an open dealer's card: two texts, the engine's walk, every deal of a small deck."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from cli_support import refuses
from dealing import stream_decks
from open_card_rules import CASINO, HOME, KING, counted, dealer_draws, decides, end_of, on_cards
from representatives import firsts

from certify.analysis.engine.deals import deals
from certify.certification.cross_checks import agreement_of_rounds
from certify.errors import InputError
from certify.evidence import plain
from certify.exact import decimal_text, parse_percent
from certify.families import play
from certify.families.open_card.chances import (
    ENDS,
    OpenDeal,
    PlainDeck,
    TrueChances,
    deal_of,
    joint_chances,
    true_chances,
)
from certify.families.open_card.readings import evaluated_readings
from certify.families.open_card.second import settle
from certify.families.open_card.strategies import named
from certify.families.open_card.text import (
    ANY_NUMBER,
    DrawnSeven,
    OpenCardPrice,
    OpenCardRules,
    OpenCardTie,
    text,
)
from certify.families.second_text import TextAgreement, compared, settled
from certify.families.seven_and_a_half.cards import CLASS_FACE, plus, single
from certify.families.stage_machine import StagedRound
from certify.kit.subject import Subject, differences, figures_of, walked_figures
from certify.mathematics import (
    analyze,
    analyze_table,
    exposure,
    identify,
    pay_sensitivities,
    plan_of,
    rule_sensitivities,
    strategy_classes,
)
from certify.model import Claim, Game, RoundText

FEWER = (0, 4, 9, 12, 16, 20, 24, 28, 29, 36)
"""A, 2, 2, 3, 4, 5, 6, 7, two faces and the King of diamonds among them."""


def agreement(game: Game, changed: Callable[[RoundText], RoundText] = lambda one: one) -> TextAgreement:
    """How far the second text settles a game as the first one does, a fault planted in the first."""
    played = StagedRound(changed(text(game)))
    every = deals(played.proven.automaton, played.graph())
    return compared(game, settle, settled(played.text, every))


@pytest.mark.parametrize(
    "rules",
    [
        OpenCardRules(tie=OpenCardTie.ANTE_RETURNED),
        OpenCardRules(tie=OpenCardTie.LOSE, player_may_stand_on_first_card=False),
        OpenCardRules((1,), dealer_always_draws=True),
        OpenCardRules((), 3, dealer_stands_on=13, dealer_maximum_cards=3),
        OpenCardRules((), 3, False, 10, ANY_NUMBER, True),
    ],
    ids=["ante returned", "ties lose", "one ante", "three cards", "both must draw"],
)
def test_the_texts_agree_under_other_rules(rules: OpenCardRules) -> None:
    found = agreement(on_cards(rules, FEWER, CASINO if rules.final_bets else HOME))
    assert found.deals > 100
    assert (found.differing, found.differences) == (0, ())


def _table(**changes: object) -> Callable[[RoundText], RoundText]:
    def changed(one: RoundText) -> RoundText:
        return replace(one, table=replace(one.table, **changes))

    return changed


def _paid(tie: OpenCardTie) -> Callable[[RoundText], RoundText]:
    def changed(one: RoundText) -> RoundText:
        assert isinstance(one.price, OpenCardPrice)
        return replace(one, price=replace(one.price, tie=tie))

    return changed


@pytest.mark.parametrize(
    "fault",
    [
        _table(dealer_stands_on=10),
        _table(dealer_always_draws=True),
        _table(dealer_maximum_cards=3),
        _table(player_maximum_cards=3),
        _table(drawn_seven=DrawnSeven.BEATS_NOTHING),
        _paid(OpenCardTie.LOSE),
        _paid(OpenCardTie.ANTE_RETURNED),
    ],
    ids=[
        "the dealer stands on five",
        "the dealer always draws",
        "the dealer may hold three cards",
        "the player may hold three cards",
        "a drawn seven and a half beats nothing",
        "a tie loses",
        "a tie returns the ante alone",
    ],
)
def test_a_fault_in_rules_settlement_or_pays_of_the_first_text_is_found_by_the_second(
    fault: Callable[[RoundText], RoundText],
) -> None:
    found = agreement(CASINO, fault)
    assert found.differing > 0
    assert found.differences


# The engine's walk of the games with an open card, under the family's own tables.


@pytest.fixture(scope="module")
def subject() -> Subject:
    return Subject(HOME, b"walk of the home version, 32 byte")


@pytest.mark.parametrize("name", plan_of(HOME).analysed)
def test_a_table_of_the_hands_that_a_strategy_comes_to_is_walked_without_asking_for_others(
    subject: Subject, name: str
) -> None:
    own = subject.analyses[name]
    (walked,) = subject.walked
    assert differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine") == []


def test_every_strategy_that_is_offered_by_name_is_one_of_the_game() -> None:
    offered = [name for name in plan_of(HOME).names if name == name.lower()]
    for name in offered:
        assert analyze(HOME, name).wagers[0].return_to_player > 0
    with pytest.raises(InputError, match="only found where the player may hold two cards"):
        analyze(HOME, "best-by-own-card")
    assert "best-by-own-card" not in offered


def test_a_strategy_without_a_decision_is_refused():
    table = analyze(HOME).strategy
    holes = replace(table, choices=frozenset(sorted(table.choices)[::2]))
    refuses(
        InputError,
        ("names no decision for", lambda: analyze_table(HOME, holes)),
        (
            "names no decision for",
            lambda: agreement_of_rounds(stream_decks(bytes(range(32))), 10, HOME, holes),
        ),
    )


def test_strategies_that_need_several_wagers_are_refused():
    refuses(
        InputError,
        ("one wager", lambda: analyze(CASINO, "main-optimal", {"ante": Fraction(1)})),
        ("open card", lambda: analyze(CASINO, "jointly-optimal")),
    )


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
        played = play(CASINO.port.reference(one), deck, highest.decisions)
        assert played.net["ante"] * one.wager("ante").limits.maximum == highest.amount


# Games with an open dealer's card by second ways: every ordered deal, and changed pays, rules and strategies.


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


def test_the_best_table_by_the_own_card_alone_returns_what_every_other_table_was_found_below():
    """Counted once over every first card with every other decision, each through the tables that are played."""
    best = analyze(CASINO, "best-by-own-card")
    chosen = {hand: move for (_, hand), move in best.strategy.choices}
    assert len(chosen) == 8, "the open card changes no decision"
    assert decimal_text(100 * best.wager("ante").return_to_player, 4) == "126.7515"
    assert list(dict(sorted(chosen.items(), reverse=True)).values()) == [
        *("hit-1", "hit-1", "stand-1", "stand-1", "stand-2", "stand-2", "stand-2", "hit-1")
    ]


@pytest.mark.parametrize("game", firsts([CASINO, HOME]), ids=["casino", "home"])
def test_one_card_is_its_total_so_that_totals_lose_nothing_in_the_casino_version(game):
    assert (strategy_classes(game)[1].cost > 0) is (game is HOME)
    assert strategy_classes(game)[1].cost >= 0


def printing(game, *texts, truncated=False):
    """The game as if its source printed these returns."""
    claims = tuple(
        Claim("ante", "return-to-player", text, parse_percent(text, truncated=truncated), "patent")
        for text in texts
    )
    return replace(game, claims=claims)


def test_the_figure_of_the_adopted_game_is_found_and_the_conclusion_says_how_far_it_goes():
    found = identify(printing(CASINO, "146.6492 %"), "ante")
    document = plain(found)
    assert (document["candidates_tried"], document["fits_count"]) == (16 * 500, 1)
    assert document["fits"][0]["pays"] == {"king-of-diamonds": "3 to 1", "win": "1 to 1"}
    assert document["fits"][0]["reading"] == {
        "player-may-stand-on-first-card": "yes",
        "final-bet": "1 or 2 antes",
        "tie": "push",
    }
    assert document["conclusion"].startswith("Unique within the bounds")
    assert plain(identify(printing(CASINO, "200 %"), "ante"))["conclusion"].startswith("Ambiguous")
    impossible = identify(printing(CASINO, "146.6492 %"), "ante", by_row={"king-of-diamonds": [4]})
    assert impossible.conclusion.startswith("Impossible")
    assert "the nearest returns" in impossible.conclusion


def test_several_figures_of_one_wager_are_taken_together():
    assert identify(printing(CASINO, "147 %"), "ante", maximum=10).fits_count > 1
    assert identify(printing(CASINO, "147 %", "146.65 %"), "ante", maximum=10).fits_count == 1
    with pytest.raises(InputError, match="cannot mean one value"):
        identify(printing(CASINO, "146 %", "148 %"), "ante")


def test_rows_that_the_rules_fix_are_no_unknowns():
    with pytest.raises(InputError, match="fixed by the rules"):
        identify(printing(CASINO, "147 %"), "ante", by_row={"push": [0, 1]})
