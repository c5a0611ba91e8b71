"""Rules of 7 e Mezzo and rows of games with an open card: what can occur, shown by a round, and what cannot."""

import itertools
import pickle
from dataclasses import asdict, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import cast

import pytest
from cli_support import refuses
from representatives import firsts

from certify.errors import InputError, SubmissionError
from certify.exact import decimal_text
from certify.families import families, family, play, reachable_rows, witness, witnesses
from certify.families.declared_rules import with_rules
from certify.families.open_card.chances import deal_of, player_ways, true_chances, why_never
from certify.families.open_card.family import printed_verdicts
from certify.families.open_card.printed import COLUMNS, Printing
from certify.families.open_card.text import ANY_NUMBER, OpenCardRules, OpenCardTie, rules_of
from certify.families.sette_e_mezzo import second
from certify.families.sette_e_mezzo.rules import (
    PairCondition,
    SetteEMezzoRules,
    Tie,
    rules_of as rules_of_another,
    with_push,
)
from certify.families.sette_e_mezzo.text import POINTS, best_total, combination, text
from certify.families.seven_and_a_half.cards import DECK_SIZE, card_name, class_of, rank_of, suit_of
from certify.families.stage_machine import StagedRound
from certify.mathematics import analyze
from certify.model import Paytable
from certify.simulation.inference import net_pay
from certify.submission import parse_game, printed_share, read_game

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
            rules.row_of(play(CASINO.port.reference(changed), one.deck, one.decisions).outcome("ante"))
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
    played = play(CASINO.port.reference(changed), found.deck, found.decisions)
    assert played.outcome("ante") == "push"
    assert {hand.total for hand in played.hands} == {"7½"}


def test_what_no_hand_can_do_has_no_witness():
    refuses(
        InputError,
        ("no round of ante falls in the row 'fold'", lambda: witness(HOME, "ante", "fold")),
        ("has no wager 'main': expected one of ante", lambda: witness(HOME, "main", "win")),
        ("no wager", lambda: family(HOME.family).rules.paid_rows(HOME, "main")),
        ("works for 'sette-e-mezzo' only", lambda: rules_of_another(HOME)),
        (
            'no round of sept-et-demi ends bet in "x"',
            lambda: net_pay(read_game(GAMES / "sept-et-demi/game.toml"), "bet", "x"),
        ),
    )


def test_a_decision_that_the_rules_do_not_allow_is_refused():
    deck = (25, 21, *(card for card in range(40) if card not in (25, 21)))
    with pytest.raises(InputError, match="expected one of fold, stand-1"):
        play(CASINO.port.reference(CASINO), deck, ("stand",))


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


def test_unknown_wagers_and_families_are_named():
    refuses(
        InputError,
        ("ante", lambda: FAMILY.rules.reachable_rows(under(SetteEMezzoRules()), "ante")),
        ("pachisi", lambda: family("pachisi")),
    )
    assert {"sette-e-mezzo", "seven-and-a-half-open-card"} <= set(families())


CARDS = {card_name(card): card for card in range(DECK_SIZE)}
RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)


def cards(text):
    return [CARDS[name] for name in text.split(", ")]


def deck_of(text):
    first = cards(text)
    return [*first, *(card for card in range(DECK_SIZE) if card not in first)]


@pytest.mark.parametrize(
    ("hand", "half_points"),
    [
        ("A of Denari", 2),
        ("7 of Coppe, J of Spade", 15),
        ("K of Coppe, K of Spade", 2),
        ("K of Denari", 14),
        ("K of Denari, 7 of Denari", 15),  # the matta counts ½
        ("K of Denari, J of Denari", 15),  # the matta counts 7
        ("K of Denari, 5 of Denari", 14),  # the matta counts 2: no value makes 7½
        ("K of Denari, 5 of Denari, J of Denari", 15),
        ("K of Denari, 7 of Denari, J of Denari", 16),  # bust even at ½
        ("K of Denari, 5 of Denari, 4 of Denari", 19),
        ("7 of Denari, 7 of Coppe", 28),
    ],
)
def test_hand_values(hand, half_points):
    kinds = [class_of(card) for card in cards(hand)]
    assert best_total(sum(POINTS[kind] for kind in kinds), 8 in kinds) == half_points
    assert second.points(hand.split(", ")) == half_points


@pytest.mark.parametrize(
    ("hand", "row"),
    [
        ("K of Denari, Q of Denari, J of Denari", "royal-flush"),  # the example printed by the source
        ("4 of Bastoni, 5 of Bastoni, 6 of Bastoni", "straight-flush"),  # printed
        ("Q of Coppe, Q of Spade, Q of Bastoni", "three-of-a-kind"),  # printed
        ("2 of Coppe, 5 of Coppe, Q of Coppe", "flush"),  # printed
        ("2 of Denari, 3 of Spade, 4 of Coppe", "straight"),  # printed
        ("J of Denari, Q of Spade, K of Coppe", "straight"),
        ("6 of Denari, 7 of Spade, J of Coppe", "lose"),  # printed: no straight
        ("7 of Denari, J of Spade, Q of Coppe", "lose"),  # printed: no straight
        ("K of Denari, A of Spade, 2 of Coppe", "lose"),  # printed: no straight
        ("K of Coppe, A of Coppe, 2 of Coppe", "flush"),
        ("K of Denari, 3 of Spade, 4 of Coppe", "lose"),  # the King of Denari is a King here
    ],
)
def test_against_the_examples_of_the_rules_screen(hand, row):
    three = cards(hand)
    ranks, suited = tuple(map(rank_of, three)), len(set(map(suit_of, three))) == 1
    assert combination(ranks, suited) == combination(ranks[::-1], suited) == row
    assert second.three_row(hand.split(", ")) == row


def played_out(deck, decisions, rules=RULES, *, win=1):
    main, *side_bets = GAME.wagers
    rows = tuple(replace(row, pays=Fraction(win)) if row.id == "win" else row for row in main.paytable.rows)
    wagers = (replace(main, paytable=Paytable(rows)), *side_bets)
    return play(StagedRound(text(with_push(replace(GAME, rules=rules, wagers=wagers)))), deck, decisions)


def main_outcome(text, *decisions, rules=RULES):
    return played_out(deck_of(text), decisions, rules).outcome("main")


def test_the_king_row_against_a_dealer_seven_and_a_half_is_a_rule():
    deck = "K of Denari, 7 of Coppe, 7 of Denari, J of Coppe"
    assert main_outcome(deck) == "king-of-denari-seven-and-a-half"
    assert main_outcome(deck, rules=SetteEMezzoRules()) == "lose"
    assert main_outcome(deck, rules=SetteEMezzoRules(tie=Tie.PUSH)) == "push"


def test_seven_and_a_half_in_three_cards_with_the_matta_is_a_plain_win():
    assert main_outcome("5 of Denari, 4 of Coppe, J of Coppe, K of Denari, 7 of Coppe", "hit", "hit") == "win"


def test_the_dealer_draws_below_three_and_stands_on_three():
    stands = played_out(deck_of("5 of Denari, 3 of Coppe, 7 of Coppe"), ("stand",))
    draws = played_out(deck_of("5 of Denari, 2 of Coppe, J of Coppe, J of Spade"), ("stand",))
    assert stands.faces("dealer") == tuple(cards("3 of Coppe"))
    assert draws.faces("dealer") == tuple(cards("2 of Coppe, J of Coppe, J of Spade"))


def test_a_bust_player_forfeits_the_pair_but_not_the_poker_hand():
    deck = deck_of("7 of Denari, 7 of Coppe, 7 of Spade")
    bust = played_out(deck, ("hit",))
    assert dict(bust.outcomes) == {
        "main": "bust",
        "partita-perfetta": "not-uncovered",
        "mano-di-poker": "three-of-a-kind",
    }
    unconditional = SetteEMezzoRules(pair_condition=PairCondition.UNCONDITIONAL)
    turned = played_out(deck, ("hit",), unconditional)
    assert turned.outcome("partita-perfetta") == "pair-of-sevens"
    # The dealer neither draws nor uncovers the first card; where a pair wins whatever happens, it is uncovered.
    assert "player ends on 14, bust" in bust.trace
    assert "dealer ends on 7, 1 of 1 face down" in bust.trace
    assert "dealer ends on 7" in turned.trace


def test_a_round_explains_itself_and_pays():
    deck = deck_of("2 of Denari, 3 of Denari, 4 of Coppe")
    played = played_out(deck, ("hit", "stand"))
    assert played.trace == (
        "player is dealt 2 of Denari: total 2",
        "dealer is dealt, face down, 3 of Denari: total 3",
        "player decides hit on 2",
        "player draws 4 of Coppe: total 6",
        "player decides stand on 6",
        "player ends on 6",
        "dealer ends on 3",
        "main settles as win, 1 net",
        "partita-perfetta settles as lose, -1 net",
        "mano-di-poker settles as straight, 5 net",
    )
    assert played.net["main"] == 1
    assert played_out(deck, played.decisions) == played


def test_what_is_no_deck_and_no_decision_is_refused():
    refuses(
        InputError,
        ("39 draws were recorded for a round, expected 40", lambda: played_out(list(range(39)), ("stand",))),
        ("drawn twice", lambda: played_out([0] * 40, ("stand",))),
        ("'fold'", lambda: played_out(list(range(40)), ("fold",))),
        ("one more", lambda: played_out(list(range(40)), ())),
    )


ON_THREE = with_rules(CASINO, dealer_stands_on=6)
LOST = {"THREE-THREE", "THREE-FOUR"}
"""What a dealer who stands on three never ends on."""


def hand(*names):
    kinds = ("A", "2", "3", "4", "5", "6", "7", "face", "K")
    return tuple(kinds.index(name) for name in names)


def test_a_row_that_no_deal_produces_has_a_verdict_and_the_others_keep_theirs():
    counts, rows = printed_verdicts(ON_THREE)
    assert (len(counts), len(rows)) == (26, 23)
    by_label = {entry.label: entry for entry in rows}
    assert {label for label, entry in by_label.items() if not entry.conditional} == LOST
    lost = by_label["THREE-FOUR"]
    assert lost.as_probability == Printing.NO_PROBABILITY
    assert lost.reason == (
        "no deal produces this hand: in no order of 3+4, 7, does the dealer draw up to the last card "
        "(stands on 3, holds at most 2 cards)"
    )
    # What the source counted is still held against its own fractions.
    assert lost.under_implied_reading == Printing.HOLDS
    assert lost.ways == asdict(player_ways(deal_of(CASINO), hand("3", "4")))
    kept = {entry.label: entry for entry in printed_verdicts(CASINO)[1]}
    assert {label for label in kept if "no deal" in kept[label].reason} == set()
    assert {
        label
        for label in by_label
        if by_label[label].under_implied_reading != kept[label].under_implied_reading
    } == set()


@pytest.mark.parametrize(
    ("rules", "cards", "words"),
    [
        ({}, hand("3", "4"), ""),
        ({}, hand("face", "K"), ""),
        ({"dealer_stands_on": 13}, hand("6"), "on 6, 6, the dealer draws another card (stands on 6½"),
        ({"dealer_always_draws": True}, hand("7"), "always draws a second card"),
        ({"dealer_maximum_cards": 1}, hand("A", "A"), "in no order of A+A, 2, does the dealer draw"),
        ({"dealer_maximum_cards": 1}, hand("A"), ""),
        ({"dealer_maximum_cards": ANY_NUMBER}, hand("A", "A"), "on A+A, 2, the dealer draws another card"),
        ({"dealer_maximum_cards": ANY_NUMBER}, hand("A", "A", "4"), ""),
        ({}, hand("K", "7"), "in no order of 7+"),
        ({}, hand("K", "K"), "the deck does not hold"),
        ({}, hand("A", "A", "A", "A", "A"), "the deck does not hold A+A+A+A+A"),
    ],
)  # fmt: skip
def test_why_a_dealer_never_ends_on_a_hand(rules, cards, words):
    game = with_rules(CASINO, **rules)
    tree = deal_of(game)
    found = why_never(tree, cards)
    assert words in found
    assert bool(words) == bool(found)
    if words:
        with pytest.raises(InputError, match="never ends"):
            true_chances(tree, analyze(game).strategy, cards)


def with_row(game, cards, *printed):
    shares = map(printed_share, printed)
    row = replace(CASINO.printed_rows[0], label="?", total=None, hand=cards)
    row = replace(
        row,
        shares=tuple(zip(COLUMNS, (*shares, *list(dict(row.shares).values())[len(printed) :]), strict=True)),
    )
    return replace(game, printed_rows=(row,), printed_counts=())


def test_the_king_drawn_later_is_a_half():
    """A row of five and the King of diamonds: 5½, and neither a certain win nor the row of any face."""
    for cards in (hand("5", "K"), hand("K", "5")):
        (entry,) = printed_verdicts(with_row(CASINO, cards))[1]
        assert entry.conditional
        king, face = (
            entry.conditional["main-optimal"],
            printed_verdicts(with_row(CASINO, hand("5", "face")))[1][0],
        )
        assert 0 < king["dealer_wins"].probability < 1
        assert king != face.conditional["main-optimal"]
    ways = player_ways(deal_of(CASINO), hand("5", "K"))
    # The King of diamonds alone would be 7½; with the dealer it is among nobody's hands.
    assert (ways.lone_faces, ways.total) == (11, 38 + 38 * 37 // 2)


def test_a_dealer_who_is_bust_loses_to_every_hand_that_is_not():
    ways = player_ways(deal_of(CASINO), hand("5", "5"))
    assert (ways.below, ways.equal) == (0, 0)
    (entry,) = printed_verdicts(with_row(CASINO, hand("5", "5")))[1]
    optimal = entry.conditional["main-optimal"]
    assert optimal["tie"].probability == 0
    assert optimal["player_wins"].probability > Fraction(1, 2)


@pytest.mark.parametrize("cards", [hand("face"), hand("5", "5")], ids=["a lone face", "a bust"])
def test_hands_over_one_denominator_hold_where_a_lone_face_ties_and_where_the_dealer_is_bust(cards):
    """A lone ½ ties with a lone ½, which no other hand does, and beats a dealer who is bust."""
    game = with_rules(CASINO, dealer_maximum_cards=len(cards))
    ways = player_ways(deal_of(game), cards)
    tie = ways.lone_faces if len(cards) == 1 else 0
    assert (ways.below, ways.equal) == (0, 0)
    shares = [Fraction(n, ways.total) for n in (ways.bust, tie, ways.total - ways.bust - tie)]
    printed = [decimal_text(100 * value, 4) for value in shares]
    (entry,) = printed_verdicts(with_row(game, cards, *printed))[1]
    assert (entry.as_probability, entry.reason) == (
        Printing.HOLDS,
        "it is the same hands over one denominator",
    )


@pytest.mark.parametrize("name", ["us5632489-casino", "casino-holdem", "slot-lines"])
def test_a_game_that_another_process_receives_is_the_same_game_with_the_code_of_its_family(name):
    game = read_game(GAMES / name / "game.toml")
    received = pickle.loads(pickle.dumps(game))  # noqa: S301
    assert received == game
    assert received.port is game.port
    assert replace(game, port=replace(game.port)) != game
