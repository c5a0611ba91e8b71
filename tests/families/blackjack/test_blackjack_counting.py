"""Blackjack counted: against every path of small shoes, published figures and the settlement of single rounds."""

import math
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import perm, prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from representatives import firsts, only

from certify.errors import InputError
from certify.families.blackjack.exact import kernels, shoes
from certify.families.blackjack.exact.rounds import Result, Together, begun, law_of
from certify.families.blackjack.exact.search import against
from certify.families.blackjack.exact.shoes import near, rule
from certify.families.blackjack.exact.strategies import BestPlay, Counted, card_of, plans
from certify.families.blackjack.exact.terms import BlackjackGame, Convention, Pays, Shoe, terms_of
from certify.families.blackjack.figures import EXACT, CountedStrategy, main_figures
from certify.families.blackjack.reference import reference
from certify.families.blackjack.rules import BlackjackRules, Doubling, Peek, Surrender, Taken
from certify.families.blackjack.strategy import parse_card
from certify.families.blackjack.volume.tables import DEALER_ENDS, DEALER_NATURAL, Settlement
from certify.kit.subject import counted, differences, figures_of, walked_figures
from certify.mathematics import analyze
from certify.model import FRENCH_RANKS, FRENCH_SUITS, Equipment, Game, Kind, shoe
from certify.submission import parse_game
from tests.families.blackjack.rounds import BONUSES, PLAIN, dice_of, game_of, searched, six_decks, whole_decks

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
    "twenty-two pushes": ((3, 0, 0, 0, 0, 3, 0, 0, 0, 8), BlackjackRules(insurance=False, pushes_22=True)),
    "twenty-one wins": (
        (3, 0, 0, 0, 0, 4, 0, 0, 0, 8),
        BlackjackRules(insurance=False, peek=Peek.NEVER, draw_to_aces=True, wins_21=True),
    ),
    "a dealer who looks, and twenty-one wins": (
        (3, 0, 0, 0, 0, 3, 0, 0, 0, 8),
        BlackjackRules(insurance=False, pushes_22=True, wins_21=True),
    ),
    "six, seven and eight by suits": (
        (0, 0, 0, 0, 0, 2, 2, 2, 0, 4), BlackjackRules(pushes_22=True, wins_21=True, double=Doubling.ANY_CARDS)
    ),
    "long twenty-ones": ((0, 3, 5, 0, 0, 0, 0, 0, 0, 5), BlackjackRules(insurance=False, hits_soft_17=True)),
}  # fmt: skip


QUICK = ("a dealer who looks", "no hole card", "a dealer who looks, and twenty-one wins")
THREE_HANDS = (*QUICK[:2], "bets of splits are lost, split aces are drawn to")
"""Of the other two a walk of three hands has too many states."""


def small(name: str, hands: int) -> Game:
    """Returns a game of so few cards that every path of it is walked."""
    counts, rules = SMALL[name]
    by_suit = "hearts", "spades"
    held = {
        f"{rank} of {suit}": count // 2 if name.endswith("suits") else count
        for rank, count in zip(FRENCH_RANKS, counts, strict=False)
        for suit in by_suit[: 2 if name.endswith("suits") else 1]
        if count
    }
    shows = tuple(place for place, count in enumerate(held.values()) for _ in range(count))
    ranks = tuple(dict.fromkeys(face.split()[0] for face in held))
    suits = tuple(dict.fromkeys(face.split()[-1] for face in held))
    piece = Equipment("shoe", Kind.SHOE, tuple(held), shows, len(shows), ranks, suits)
    rules = replace(rules, split_hands=hands, ace_hands=min(rules.ace_hands, hands))
    return game_of(rules, piece, {"main": BONUSES if "six, seven" in name or "long" in name else PLAIN})


@pytest.mark.parametrize(
    ("name", "hands"),
    only([(name, 2) for name in SMALL] + [(name, 3) for name in THREE_HANDS], *((name, 2) for name in QUICK)),
)
def test_counting_comes_to_what_every_path_of_a_small_shoe_comes_to(name: str, hands: int) -> None:
    """Some twenty cards, where each that is gone tells the most; chances of split rounds within their bounds."""
    game = small(name, hands)
    walked = counted(game)
    assert walked is not None
    for strategy in ("main-optimal", "total-dependent"):
        own = EXACT.analyze(game, strategy)
        figures = walked_figures(walked, own.strategy)
        assert not differences(figures_of(own), figures, "own counting", "the engine")
        assert 0 < own.wager("main").off < Fraction(1, 20)
        exact = own.wager("main").return_to_player
        assert exact == 1 + sum(net * chance for _, net, _, chance, *_ in figures["main"])
        (first, *rest) = figures["main"]
        moved = {"main": ((*first[:3], first[3] + Fraction(1, 20), *first[4:]), *rest)}
        assert differences(figures_of(own), moved, "own counting", "the engine")


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


def test_products_of_remainders_are_those_of_whole_numbers() -> None:
    chance = Random(7)  # noqa: S311 - any numbers will do
    for modulus in shoes.primes(180):
        ends = [(modulus - 1, modulus - 1), (0, modulus - 1), (1, modulus - 1)]
        for one, other in ends + [(chance.randrange(modulus), chance.randrange(modulus)) for _ in range(200)]:
            assert kernels.times(one, other, modulus, 1.0 / modulus) == one * other % modulus


def test_conventions_for_split_hands_are_worth_more_the_more_is_known() -> None:
    terms = BlackjackGame(whole_decks(1), BlackjackRules())
    worth = [searched(terms, BestPlay("best", terms, one).plans) for one in Convention]
    assert worth == sorted(worth)
    assert worth[0] < worth[-1]


# Published for many decks; a pair is given up as hands of its total are, but for eights that may be split instead.
PAIRS = {
    "A": "P P P P P P P P P P", "2": "P P P P P P H H H H", "3": "P P P P P P H H H H", "4": "H H H P P H H H H H",
    "5": "Dh Dh Dh Dh Dh Dh Dh Dh H H", "6": "P P P P P H H H H H", "7": "P P P P P P H H H H",
    "8": "P P P P P P P P P P", "9": "P P P P P S P P S S", "10": "S S S S S S S S S S",
}  # fmt: skip
GIVEN_UP_EARLY = {
    "3": "P P P P P P H H H Rh", "6": "P P P P P H H H H Rh", "7": "P P P P P P H H Rh Rh",
    "8": "P P P P P P P P Rp Rp",
}  # fmt: skip


@pytest.mark.parametrize(
    ("surrender", "soft_17", "given"),
    [(Surrender.LATE, True, {"8": "P P P P P P P P P Rp"}), (Surrender.EARLY, False, GIVEN_UP_EARLY)],
)
def test_a_card_gives_up_the_published_pairs_and_is_read_again_as_written(
    surrender: Surrender, soft_17: bool, given: dict[str, str]
) -> None:
    rules = BlackjackRules(hits_soft_17=soft_17, surrender=surrender)
    card = card_of(BlackjackGame(whole_decks(0), rules))
    assert parse_card(card.text(), "card.toml").table() == card.table()
    assert tomllib.loads(card.text())["pairs"] == PAIRS | given


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
    values, plan, hand = against(terms, 1), plans(terms, BestPlay("best", terms))[1], (*[0] * 6, 2, 0, 0, 0)
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


# Rounds of blackjack played in volume come as often as was counted: each outcome, by one chi-square.


def test_a_law_of_split_hands_that_is_wrong_by_little_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # As an earlier way of counting was wrong of whole decks: three stakes are lost too often, four won too rarely.
    counted = Together.law

    def planted(one: Together) -> dict[Result, Fraction]:
        law = counted(one)
        wrong = {key: Fraction(6, 5) if key[:2] == (-3, 3) else Fraction(1) for key in law}
        return {
            key: chance * (wrong[key] - (key[:2] == (4, 4)) * Fraction(1, 5)) for key, chance in law.items()
        }

    monkeypatch.setattr(Together, "law", planted)
    terms = terms_of(six_decks(BlackjackRules(hits_soft_17=True, peek=Peek.NEVER)))
    threes = Counted(against(terms, 5), plans(terms, card_of(terms))[5])
    (start,) = (one for one in begun(threes) if one.hand[2] == 2)
    with pytest.raises(ValueError, match="cannot be made to fit the exact mean"):
        law_of(threes, start, split=True)


# Tables of the play-through are the reference round's settlement, hand by hand and of several hands together.


RULES = BlackjackRules(peek=Peek.NEVER, charlie=5, double_rescue=True)


@pytest.mark.parametrize("taken", Taken)
def test_several_hands_net_what_each_nets_less_what_is_lost_once(taken: Taken) -> None:
    settlement = Settlement(reference(six_decks(replace(RULES, natural_takes=taken))))
    lost_once, dice = 0, dice_of(7)
    for up, dealer in product((0, 5, 9), range(DEALER_ENDS)):
        for _ in range(40):
            codes = [dice.randrange(len(settlement.ends)) for _ in range(dice.randint(2, 4))]
            hands = tuple(settlement.ends[code] for code in codes)
            once = [lost for code in codes if (lost := settlement.once[up, dealer, code])]
            together = sum(settlement.singles[up, dealer, code].net for code in codes) - sum(once[1:])
            assert together == settlement.main_end(hands, up, dealer).net
            lost_once += len(once) > 1
    assert bool(lost_once) == (taken in (Taken.ORIGINAL, Taken.ORIGINAL_AND_BUSTED))


def test_every_outcome_that_rounds_may_have_is_among_those_of_the_axes() -> None:
    settlement = Settlement(reference(six_decks(BlackjackRules(insurance=True))))
    possible = settlement.outcomes()
    assert {"natural", "win", "push", "lose", "win:2:2", "lose:-3/2:3/2"} <= set(possible)
    assert settlement.main_end((settlement.ends[2 * 20],), 0, DEALER_NATURAL).net == -1


# Blackjack against published figures, each by the convention that its source states.


FIXTURE = Path("fixtures/games/blackjack-no-hole-card")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decks", "hits_soft_17", "double_after_split", "printed"),
    [
        (1, False, True, 0.001839),
        (1, False, False, 0.000423),
        (1, True, True, -0.000072),
        (1, True, False, -0.001513),
        (2, True, True, -0.003797),
        (2, True, False, -0.005252),
        (5, True, True, -0.005918),
        (5, True, False, -0.007366),
    ],
)
def test_expected_returns_of_appendix_nine(
    decks: int, hits_soft_17: bool, double_after_split: bool, printed: float
) -> None:
    # Its splits reckon with the number of hands alone, by a recursion that is near, not equal, to the exact one here.
    rules = BlackjackRules(hits_soft_17=hits_soft_17, double_after_split=double_after_split)
    terms = BlackjackGame(whole_decks(decks), rules)
    found = searched(terms, BestPlay("best", terms, Convention.PAIRS).plans)
    assert found == pytest.approx(printed, abs=1e-5)


SPANISH = tuple(rank for rank in FRENCH_RANKS if rank != "10")
SPANISH_PAYS = {row: pay for row, pay in BONUSES.items() if row not in ("suited-natural", "charlie")} | {
    "natural": Fraction(3, 2), "spades-sevens": Fraction(3), "suited-sevens": Fraction(2), "sevens": Fraction(3, 2),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decks", "hits", "changed", "printed"),
    [
        (6, True, {}, "0.78"),
        (8, True, {}, "0.80"),
        (6, False, {}, "0.37"),
        (8, False, {}, "0.38"),
        (6, True, {"surrender": Surrender.NONE}, "0.798"),
        (6, True, {"draw_to_aces": False}, "1.06"),
    ],
)
def test_spanish_21_has_its_published_edge(
    decks: int, hits: bool, changed: dict[str, Any], printed: str
) -> None:
    """Best play by the values of cards; the published one looks at the suits of six, seven and eight too."""
    rules = BlackjackRules(
        hits_soft_17=hits, wins_21=True, double=Doubling.ANY_CARDS, double_rescue=True, draw_to_aces=True, ace_hands=4,
        surrender=Surrender.LATE,
    )  # fmt: skip
    piece = shoe("shoe", SPANISH, FRENCH_SUITS, decks=decks)
    game = game_of(replace(rules, **changed), piece, {"main": SPANISH_PAYS})
    edge = 100 - 100 * EXACT.return_alone(game, "main-optimal", "main")
    assert abs(edge - Fraction(printed)) < Fraction(1, 100)


@pytest.mark.parametrize(("decks", "printed"), [(1, 0.073362), (6, 0.073536), (8, 0.073544)])
def test_a_dealer_who_always_draws_comes_to_twenty_two_as_often_as_printed(
    decks: int, printed: float
) -> None:
    counts, found = whole_decks(decks).counts, 0.0
    for up, count in enumerate(counts):
        left = np.array([counts]) - (np.arange(10) == up)
        tree = kernels.dealt(up, True, True).tree
        ends = kernels.chances(left, tree, False, shoes.FLOATS)
        found += count / sum(counts) * ends[0, kernels.TWENTY_TWO]
    assert round(found, 6) == printed


def test_an_endless_deck_returns_what_is_published_of_it() -> None:
    terms = BlackjackGame(whole_decks(0), BlackjackRules(split_hands=2, double_after_split=False))
    assert searched(terms, BestPlay("best", terms).plans) == pytest.approx(-0.00690223, abs=2e-7)


@pytest.mark.parametrize(
    ("decks", "rules", "natural", "convention", "printed"),
    [
        (1, {"double_after_split": False, "split_hands": 2}, Fraction(6, 5), "CDP1", -1.369981922),
        pytest.param(
            8,
            {
                "hits_soft_17": True,
                "double": Doubling.NINE,
                "double_after_split": False,
                "ace_hands": 4,
                "surrender": Surrender.LATE,
            },
            Fraction(3, 2),
            "CDP",
            -0.723617565,
            marks=pytest.mark.slow,
        ),
        (2, {"hits_soft_17": True, "surrender": Surrender.LATE}, Fraction(3, 2), "CDP1", -0.314081159),
        (2, {"split_hands": 2}, Fraction(3, 2), "CDZ-", -0.223169932),
    ],
)
def test_returns_are_those_of_another_analyser(
    decks: int, rules: dict[str, Any], natural: Fraction, convention: str, printed: float
) -> None:
    """Four of the sets of rules on which the analyser of E. Farmer, version 7.6, was run (docs/blackjack.md)."""
    stated = BlackjackGame(whole_decks(decks), replace(BlackjackRules(), peek=Peek.BOTH, **rules))
    terms = replace(stated, pays=replace(stated.pays, natural=natural))
    found = searched(terms, BestPlay("best", terms, Convention(convention)).plans)
    assert 100 * found == pytest.approx(printed, abs=2e-9)


@pytest.mark.slow
def test_the_standard_deviation_is_that_of_another_analyser() -> None:
    """Two decks, the dealer looks and stands on soft 17, pairs split once, played as the same cards unsplit."""
    text = (FIXTURE / "game.toml").read_text()
    text = text[: text.index('[[wagers]]\nid = "perfect-pairs"')] + text[text.index("[terms]") :]
    text = text.replace("decks = 6", "decks = 2")
    for stated, value in (
        ("dealer-on-soft-17", '"stands"'),
        ("dealer-peeks", '"ace and ten"'),
        ("hands-by-splitting", '"2"'),
    ):
        text = re.sub(rf'(id = "{stated}"\nvalue = ).*', rf"\g<1>{value}", text)
    game = parse_game(text.encode(), str(FIXTURE / "game.toml"))
    (main,) = analyze(game, "main-optimal").wagers
    assert 100 * float(main.expectation) == pytest.approx(-0.223169932, abs=1e-9)
    # How split rounds end is known between two ends; the other analyser's figure lies within, and near the middle.
    low, high = main.deviation_between
    assert low < Fraction("1.15025124451") < high < low + Fraction(1, 10_000)
    assert 100 * math.sqrt(main.variance) == pytest.approx(115.025124451, abs=2e-6)
