"""Bets that a stranger writes down from public rules, with the figures that pages print of them.

Crown and anchor: as chuck-a-luck, 7.87 %. Lucky Ladies from six decks, 24.71 %: https://www.betfirm.com/lucky-ladies/
"""

from __future__ import annotations

from fractions import Fraction
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


@pytest.mark.parametrize(("words", "printed"), firsts([(ANCHOR, "7.87 %"), (LADIES, "24.71 %")]))
def test_the_printed_edge_holds_and_both_readings_agree(words: str, printed: str) -> None:
    game = parse_game(words.encode(), "game.toml")
    analysis = analyze(game)
    assert parse_percent(printed).stands_for(1 - analysis.wagers[0].return_to_player)
    found = texts_of(game, bytes(range(32)), analysis.strategy, 100)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())


def test_every_hand_of_twenty_is_counted() -> None:
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


def test_dice_with_sides_and_labels_are_refused() -> None:
    with pytest.raises(SubmissionError, match="sides and labels: expected a number of sides, or what each"):
        parse_game(ANCHOR.replace("labels", "sides = 6\nlabels").encode(), "game.toml")
