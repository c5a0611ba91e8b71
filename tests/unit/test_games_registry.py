"""Every row that a family calls reachable is proved by a round; every other row is refused."""

import itertools
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import cast

import pytest
from representatives import firsts

from certify.errors import InputError, SubmissionError
from certify.families.driver import play
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules, OpenCardTie, rules_of
from certify.families.registry import families, family, family_of
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.sette_e_mezzo.rules import rules_of as rules_of_another
from certify.families.witnesses import reachable_rows, witness, witnesses
from certify.submission import parse_game, read_game
from certify.submission.printed import printed_share

GAMES = Path(__file__).parents[2] / "fixtures/games"
TEXT = (GAMES / "us5632489-casino/game.toml").read_text("utf-8")
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")


def test_both_games_read_with_their_rules():
    assert rules_of(CASINO) == OpenCardRules()
    assert rules_of(HOME) == OpenCardRules(
        final_bets=(), player_maximum_cards=ANY_NUMBER, dealer_maximum_cards=ANY_NUMBER
    )
    assert [wager.id for wager in CASINO.wagers] == ["ante"]
    assert CASINO.wager("ante").paytable.pays("king-of-diamonds") == Fraction(3)


def test_printed_cells_are_kept_as_printed():
    seven = next(row for row in CASINO.printed_rows if row.label == "SEVEN")
    assert seven.share("tie").text == "6.22 (51/821)"
    assert seven.share("tie").ways == (51, 821)
    assert printed_share("27.69** (player bust %)").ways is None
    assert printed_share("*****").percent is None
    two_and_a_half = printed_share("2.5").percent
    assert two_and_a_half is not None
    assert two_and_a_half.places == 1


MISTAKES = {
    "another banker": ('banked_by = "house"', 'banked_by = "nobody"', '"house" or "player"'),
    "another suit": ('"diamonds", "hearts"', '"Denari", "hearts"', "suits of this family are diamonds"),
    "another matta": ('card = "K of diamonds"', 'card = "Q of diamonds"', "is the K of diamonds"),
    "a final bet unknown": ('value = "1 or 2 antes"', 'value = "3 antes"', "expected one of none, 1 ante"),
    "final bet and many cards": (
        'id = "player-maximum-cards"\nvalue = "2"',
        'id = "player-maximum-cards"\nvalue = "any number"',
        "a final bet is placed once",
    ),
    "a rule of the other family": ('id = "dealer-always-draws"', 'id = "pair-condition"', "unknown rule"),
    "the other wager": ('id = "ante"', 'id = "main"', 'unknown wager "main": expected one of ante'),
    "a row that loses": ('id = "push"', 'id = "bust"', "loses the stake"),
    "a count of nothing": ('of = "two-card-hands"', 'of = "hands"', "expected one of two-card-hands"),
    "a count without figure": ('ways = "6"', 'ways = ""', 'either "ways" or "share"'),
    "a count in other digits": ('ways = "6"', 'ways = "²"', "expected a whole number"),
    "a card that is none": ('hand = ["A", "A"]', 'hand = ["A", "8"]', 'no card "8"'),
    "a hand of three": ('hand = ["A", "A"]', 'hand = ["A", "A", "A"]', "a hand of 3 cards"),
    "no denominator": ("(92/820)", "(92/0)", "without a denominator"),
    "an unknown source": (
        'player_wins = "60.48"\nsource = "patent"',
        'player_wins = "60.48"\nsource = "hearsay"',
        "not listed",
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_each_mistake_is_named_near_its_line(old, new, expected):
    assert old in TEXT
    with pytest.raises(SubmissionError) as caught:
        parse_game(TEXT.replace(old, new, 1).encode(), "game.toml")
    found = [problem for problem in caught.value.problems if expected in problem.message]
    assert found, [str(problem) for problem in caught.value.problems]
    changed = TEXT[: TEXT.index(old)].count("\n") + 1
    assert abs(found[0].line - changed) <= 10


@pytest.mark.parametrize("game", firsts([CASINO, HOME]), ids=["casino", "home"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tie": OpenCardTie.LOSE},
        {"dealer_always_draws": True, "dealer_maximum_cards": ANY_NUMBER},
        {"dealer_stands_on": 13, "dealer_maximum_cards": ANY_NUMBER},
        {"player_may_stand_on_first_card": False},
    ],
)
def test_every_row_has_a_round_that_the_engine_replays(game, changes):
    changed = replace(game, rules=replace(rules_of(game), **changes))
    rules = family(game.family).rules
    found = witnesses(changed, reachable_rows(changed))
    assert [one.row for one in found] == list(rules.reachable_rows(changed, "ante"))
    for one in found:
        assert (
            rules.row_of(play(family_of(CASINO).reference(changed), one.deck, one.decisions).outcome("ante"))
            == one.row
        )


def rule_sets():
    """Every combination of rules of the home game: 1,800 of them."""
    for stands, first, always, player, dealer, tie in itertools.product(
        range(1, 16), (True, False), (True, False), (1, 2, 3, 4, ANY_NUMBER), (2, ANY_NUMBER), OpenCardTie
    ):
        yield OpenCardRules((), player, first, stands, dealer, always, tie)


AFFECTED = [
    rules
    for rules in rule_sets()
    if rules.dealer_stands_on == 15 and ANY_NUMBER == rules.player_maximum_cards == rules.dealer_maximum_cards
]


@pytest.mark.parametrize("number", firsts(range(12)))
def test_a_dealer_who_stands_on_seven_and_a_half_can_be_tied_with(number):
    # No recipe showed a push there, so that the games were refused: 7 and a face against 7 and a face.
    assert len(AFFECTED) == 12
    changed = replace(HOME, rules=AFFECTED[number])
    found = witness(changed, "ante", "push")
    played = play(family_of(CASINO).reference(changed), found.deck, found.decisions)
    assert played.outcome("ante") == "push"
    assert {hand.total for hand in played.hands} == {"7½"}


@pytest.mark.slow
def test_every_rule_set_shows_a_round_for_every_row_that_is_reachable_or_says_which_is_not():
    unreachable = {}
    for rules in rule_sets():
        changed = replace(HOME, rules=rules)
        for row in family(HOME.family).rules.reachable_rows(changed, "ante"):
            try:
                witness(changed, "ante", row)
            except InputError as error:
                unreachable.setdefault(row, []).append((rules, str(error)))
    # A player who may hold one card never exceeds 7½; nothing else is out of reach.
    assert set(unreachable) <= {"bust", "push", "win"}
    assert all(
        "no round of ante falls in the row" in said for found in unreachable.values() for _, said in found
    )
    assert all(rules.player_maximum_cards == 1 for rules, _ in unreachable.get("bust", ()))


def test_what_no_hand_can_do_has_no_witness():
    with pytest.raises(InputError, match="no round of ante falls in the row 'fold'"):
        witness(HOME, "ante", "fold")
    with pytest.raises(InputError, match="has no wager 'main': expected one of ante"):
        witness(HOME, "main", "win")
    with pytest.raises(InputError, match="no wager"):
        family(HOME.family).rules.paid_rows(HOME, "main")
    with pytest.raises(InputError, match="works for 'sette-e-mezzo' only"):
        rules_of_another(HOME)


def test_a_decision_that_the_rules_do_not_allow_is_refused():
    deck = (25, 21, *(card for card in range(40) if card not in (25, 21)))
    with pytest.raises(InputError, match="expected one of fold, stand-1"):
        play(family_of(CASINO).reference(CASINO), deck, ("stand",))


GAME = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))
FAMILY = family("sette-e-mezzo")
VALUES = [
    list(Tie),
    [False, True],
    [12, 2, 5, 6, 7, 15],
    [False, True],
    [False, True],
    [False, True],
    list(PairCondition),
]
EVERY_RULE = [SetteEMezzoRules(*values) for values in product(*VALUES)]
# The published game, of which other tests of a run keep the walk, and each value of each rule once beside the first
# ones of the others; a walk with its proof takes ten seconds.
EACH_RULE = list(
    dict.fromkeys(
        [
            cast(SetteEMezzoRules, GAME.rules),
            *(
                SetteEMezzoRules(
                    *(value if place == changed else first for place, (first, *_) in enumerate(VALUES))
                )
                for changed, values in enumerate(VALUES)
                for value in values
            ),
        ]
    )
)


def under(rules):
    return replace(GAME, rules=rules)


@pytest.mark.parametrize("rules", firsts(EACH_RULE))
def test_every_reachable_row_has_a_witness_under_each_rule(rules):
    wanted = {(w.id, row) for w in GAME.wagers for row in FAMILY.rules.reachable_rows(under(rules), w.id)}
    shown = witnesses(under(rules), reachable_rows(under(rules)))
    assert {(found.wager, found.row) for found in shown} == wanted
    for found in shown:
        played = play(FAMILY.reference(under(rules)), found.deck, found.decisions)
        assert played.outcome(found.wager) == found.row
        assert played.decisions == found.decisions


def test_a_tie_that_is_pushed_and_a_pair_that_may_bust_reach_the_rows_that_others_do_not():
    """Fifteen rows under every rule, and two more under half of them."""
    rows = [
        sum(len(FAMILY.rules.reachable_rows(under(rules), w.id)) for w in GAME.wagers) for rules in EVERY_RULE
    ]
    assert sum(rows) == len(EVERY_RULE) * (4 + 4 + 7) + len(EVERY_RULE) // 2 * 2


def test_rows_to_cover_are_the_reachable_rows_that_return_something():
    rules = FAMILY.rules
    plain = under(SetteEMezzoRules())
    assert rules.paid_rows(plain, "main") == ("king-of-denari-seven-and-a-half", "win")
    assert rules.paid_rows(under(SetteEMezzoRules(tie=Tie.PUSH)), "main") == (
        "king-of-denari-seven-and-a-half",
        "win",
        "push",
    )
    assert rules.paid_rows(plain, "partita-perfetta") == (
        "pair-of-sevens",
        "pair-of-faces",
        "pair-ace-to-six",
    )
    assert len(rules.paid_rows(plain, "mano-di-poker")) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wager", "row"), [("main", "push"), ("main", "pair-of-sevens"), ("main", "royal-flush")]
)
def test_a_row_that_no_hand_reaches_has_no_witness(wager, row):
    plain = under(SetteEMezzoRules())
    assert row not in FAMILY.rules.reachable_rows(plain, wager)
    with pytest.raises(InputError, match=row):
        witness(plain, wager, row)


def test_unknown_wagers_and_families_are_named():
    with pytest.raises(InputError, match="ante"):
        FAMILY.rules.reachable_rows(under(SetteEMezzoRules()), "ante")
    with pytest.raises(InputError, match="pachisi"):
        family("pachisi")
    assert {"sette-e-mezzo", "seven-and-a-half-open-card"} <= set(families())
