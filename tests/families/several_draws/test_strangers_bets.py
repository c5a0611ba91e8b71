"""Bets that a stranger writes down from public rules, with the figures that pages print of them.

Crown and anchor: as chuck-a-luck, 7.87 %. Lucky Ladies from six decks, 24.71 %: https://www.betfirm.com/lucky-ladies/
Aces Up of Four Card Poker, the best four of five cards at 50, 40, 8, 5, 4, 3 and 1 to 1, 3.89 %: wizardofodds.com
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from representatives import firsts

from certify.certification.texts import texts_of
from certify.errors import SubmissionError
from certify.exact import parse_percent
from certify.mathematics import analyze
from certify.submission import parse_game

CHUCK_A_LUCK = (Path(__file__).parents[3] / "docs/single-draw.md").read_text("utf-8").split("```toml\n")[2]
DICE = 'labels = ["crown", "anchor", "heart", "diamond", "spade", "club"]'
ANCHOR = CHUCK_A_LUCK.split("```")[0].replace("sides = 6", DICE).replace("{6}", "{anchor}")

ONE_CARD = (Path(__file__).parents[3] / "docs/your-table-game.md").read_text("utf-8").split("```toml\n")[1]
PAYS = {"both": 1000, "pair": 125, "matched": 19, "suited": 9, "any": 4}
QUEENS, BLACKJACK = "count of {Q of hearts} in player is 2", "(dealer shows {A} and sum of dealer is 21)"
TWENTY = "sum of player is 20 and different suits in player"
WHEN = {
    "both": f"{QUEENS} and {BLACKJACK}",
    "pair": f"{QUEENS} and not {BLACKJACK}",
    "matched": f"{TWENTY} is 1 and different in player is 1 and not {QUEENS}",
    "suited": f"{TWENTY} is 1 and different in player is 2",
    "any": f"{TWENTY} is 2",
}
ROWS = ", ".join(f'{{ id = "{row}", title = "{row}", pays = "{pays} to 1" }}' for row, pays in PAYS.items())
ENDS = ", ".join(f'{{ wager = "ladies", when = "{when}", row = "{row}" }}' for row, when in WHEN.items())
LADIES = f"""schema = "certify-game/1"
rules = []
readings = []
each_turn = [{{ id = "deal", deals = ["2 to player", "2 to dealer"] }}]
face_worth = [
  {{ piece = "deck", faces = ["A"], counts = "11" }}, {{ piece = "deck", faces = ["J", "Q", "K"], counts = "10" }},
]
settled_by = [{ENDS}]
[game]{ONE_CARD.split("[game]")[1].split("[[wagers]]")[0].replace("decks = 1", "decks = 6")}
[[wagers]]
id = "ladies"
title = "Lucky Ladies"
description = "A hand of twenty"
limits = {{ minimum = "1.00", maximum = "25.00", currency = "USD" }}
paytable = [{ROWS}]
[terms]{ONE_CARD.split("[terms]")[1].split("```")[0]}"""


BEST_FOUR = {
    "four-of-a-kind": 50, "straight-flush": 40, "three-of-a-kind": 8, "flush": 5, "straight": 4, "two-pair": 3,
    "pair of A": 1,
}  # fmt: skip
ACES_UP = (
    LADIES.replace(
        ROWS,
        ", ".join(
            f'{{ id = "{row.replace(" of A", "")}", title = "{row}", pays = "{pays} to 1" }}'
            for row, pays in BEST_FOUR.items()
        ),
    )
    .replace(
        ENDS,
        ", ".join(
            f'{{ wager = "ladies", when = "hand of player by four-card is {row}", row = "{row.replace(" of A", "")}" }}'
            for row in BEST_FOUR
        ),
    )
    .replace('"2 to player", "2 to dealer"', '"5 to player"')
    .replace("decks = 6", "decks = 1")
)


def best_four(cards):
    """Returns the best of the seven kinds that four of some cards are, counted without the language."""
    kinds = []
    for hand in combinations(cards, 4):
        ranks, suited = sorted(rank for rank, _ in hand), len({suit for _, suit in hand}) == 1
        shape = sorted(Counter(ranks).values())
        run = ranks in ([low, low + 1, low + 2, low + 3] for low in range(10)) or ranks == [0, 1, 2, 12]
        kinds.append(
            "four-of-a-kind" if shape == [4] else "straight-flush" if run and suited else "three-of-a-kind"
            if shape == [1, 3] else "flush" if suited else "straight" if run else "two-pair" if shape == [2, 2]
            else "pair of A" if ranks[2:] == [12, 12] else ""
        )  # fmt: skip
    return min(kinds, key=(*BEST_FOUR, "").index)


def test_the_best_four_of_five_cards_are_found_on_a_deck_that_can_be_counted_by_hand():
    ranks = {"A": 12, "2": 0, "3": 1, "4": 2, "5": 3}
    shoe = 'ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]'
    assert shoe in ACES_UP
    worth = "face_worth" + ACES_UP.partition("face_worth")[2].partition("settled_by")[0]
    small = ACES_UP.replace(worth, "").replace(shoe, f"ranks = {list(ranks)}".replace("'", '"'))
    game = parse_game(small.encode(), "game.toml")
    deck = [(rank, suit) for rank in ranks.values() for suit in "dhsc"]
    counted = Counter(best_four(hand) for hand in combinations(deck, 5))
    analysis = analyze(game)
    outcomes = {one.id: one.probability for one in analysis.wagers[0].outcomes}
    for row in BEST_FOUR:
        assert outcomes[row.replace(" of A", "")] == Fraction(counted[row], 15_504), row
    found = texts_of(game, bytes(range(32)), analysis.strategy, 100)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())


@pytest.mark.parametrize(
    ("words", "printed"), firsts([(ANCHOR, "7.87 %"), (LADIES, "24.71 %"), (ACES_UP, "3.89 %")])
)
def test_the_printed_edge_holds_and_both_readings_agree(words, printed):
    game = parse_game(words.encode(), "game.toml")
    analysis = analyze(game)
    assert parse_percent(printed).stands_for(1 - analysis.wagers[0].return_to_player)
    found = texts_of(game, bytes(range(32)), analysis.strategy, 100)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())


def test_every_hand_of_twenty_is_counted():
    # The dealer's two cards decide of a pair of queens alone what it pays: they are left out here.
    alone = LADIES.replace('"2 to player", "2 to dealer"', '"2 to player"')
    for said, instead in ((ROWS, ROWS.partition(", {")[2]), (ENDS, ENDS.partition(", {")[2])):
        alone = alone.replace(said, "{" + instead)
    alone = alone.replace(f" and not {BLACKJACK}", "")
    outcomes = {
        one.id: one.probability for one in analyze(parse_game(alone.encode(), "g")).wagers[0].outcomes
    }
    assert outcomes["any"] + outcomes["suited"] == 2 * Fraction(
        # Ten-valued cards with another of a face of its own, and aces with nines.
        (96 * (96 - 6) // 2) + 24 * 24,
        312 * 311,
    )


def test_dice_with_sides_and_labels_are_refused():
    with pytest.raises(SubmissionError, match="sides and labels: expected a number of sides, or what each"):
        parse_game(ANCHOR.replace("labels", "sides = 6\nlabels").encode(), "game.toml")
