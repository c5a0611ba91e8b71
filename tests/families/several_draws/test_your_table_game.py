"""The page "your table game in half an hour" is run, and its game counted by looking at every deal."""

import hashlib
import json
import re
from fractions import Fraction
from itertools import permutations

import pytest
from cli_support import ROOT

from certify.families.described.second import settle
from certify.submission import parse_game

PRINTED = b"One card each. The dealer needs a five to qualify. House edge 3.62 %.\n"


def whole():
    """Returns the submission of the page."""
    text = (ROOT / "docs/your-table-game.md").read_text("utf-8")
    (found,) = re.findall(r"^```toml\n(schema = .*?)^```$", text, re.S | re.M)
    assert hashlib.sha256(PRINTED).hexdigest() in found
    return str(found)


@pytest.fixture
def game(tmp_path):
    (tmp_path / "rules.txt").write_bytes(PRINTED)
    file = tmp_path / "game.toml"
    file.write_text(whole(), "utf-8")
    return file


def by_hand():
    """Returns the return of best play, found by looking at every pair of cards."""
    total = Fraction(0)
    cards = [rank for rank in range(2, 15) for _ in range(4)]
    played = {}
    for player, dealer in permutations(range(52), 2):
        mine, theirs = cards[player], cards[dealer]
        net = 1 if theirs <= 4 else 2 * ((mine > theirs) - (mine < theirs))
        played[mine] = played.get(mine, 0) + net
    for net in played.values():
        total += max(Fraction(net, 52 * 51), Fraction(-4 * 51, 52 * 51))
    return 1 + total


def test_the_game_of_the_page_is_counted_as_every_deal_says(certify, game):
    called = certify("lint", game)
    assert called.code == 0, called.out
    document = certify("analyze", game, "--format", "json").json
    assert Fraction(document["wagers"]["ante"]["return"]) == by_hand()
    assert [claim["holds"] for claim in document["wagers"]["ante"]["claims"]] == [True]


SECOND = '{ id = "second", deals = ["1 to dealer covered"] },\n  { id = "showdown"'
PLAY = 'option = "play", stakes'
QUALIFIES = "highest of dealer by aces-high is at most 4"
BOTH = '"1 to player", "1 to dealer covered"'
TURNED = 'shows = ["dealer"]'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('deals = ["1 to player"', 'deals = ["player"', 'expected such as "2 to player"'),
        ('shows = ["dealer"]', 'shows = ["player"]', "nothing lies covered there, expected dealer"),
        ('stakes = ["1 on play"]', 'stakes = ["1/2 on play"]', "expected whole units of the first stake"),
        ('to = "end"', 'to = "nowhere"', 'no turn "nowhere": expected one of deal, showdown, end'),
        (
            'besides = ["play returned"]',
            'besides = ["raise returned"]',
            "of the further stakes of ante (play)",
        ),
        ("is at most 4", "is at most seven", '"seven" after "is at most": expected a whole number'),
        ("highest of dealer by aces-high is at most", "highest of dealer is at most", "counts is not stated"),
        (
            'when = "highest of dealer by aces-high is at most 4"',
            'when = "highest of dealer by"',
            'the end after "of dealer by": expected a table of what faces count',
        ),
        ('row = "push"', 'row = "tie"', 'the row "tie" is not in the paytable of ante'),
        ("highest of dealer by aces-high is at most 4", "hand of player by two-card is pair", "a ranking ("),
        ('row = "push"', 'row = "lose", returns = "1/2"', 'the row "lose" returns nothing'),
        ('option = "play", stakes', 'option = "fold", stakes', '"fold" is offered twice at "deal"'),
        # What nobody turned up is not drawn: a condition on it held or failed of an empty place without a word.
        (
            'option = "play"',
            'option = "play", when = "dealer shows {K}"',
            "nothing lies open at dealer by then",
        ),
        (
            "highest of dealer by aces-high is at most 4",
            "dealer draw 2 shows {K}",
            "at most 1 lie there by then",
        ),
        (
            "highest of dealer by aces-high is at most 4",
            "hand of player with dealer is flush",
            "at most 2 lie there by then: expected 5 or more",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(certify, game, old, new, said):
    assert old in whole()
    game.write_text(whole().replace(old, new, 1), "utf-8")
    called = certify("lint", game).expect(2)
    told = called.out + called.err
    line = next(number for number, text in enumerate(game.read_text("utf-8").split("\n"), 1) if new in text)
    assert f"game.toml:{line}: " in told
    assert said in told


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        # A full house that a ranking forgot was a high card, below the pair that it holds, without a word.
        (
            {
                "readings = []": 'hand_rankings = [{ id = "mine", cards = "5", order = ["high-card", "pair"] }]\n'
                "readings = []"
            },
            "three-of-a-kind, four-of-a-kind, full-house: expected in the order",
        ),
        ({QUALIFIES: "dealer shows {2}}"}, '"}" after "dealer shows {2}"'),
        # Five aces were a high card without a word.
        (
            {
                "decks = 1": "decks = 2",
                '"1 to player"': '"5 to player"',
                QUALIFIES: "hand of player is high-card",
            },
            "a hand of 5 cards of deck: expected one deck of which none is put back",
        ),
        # The dealer was shown a card that is dealt on the other way alone.
        (
            {
                '{ id = "showdown"': SECOND,
                PLAY: 'option = "more", to = "second" },\n  { at = "deal", option = "play", to = "showdown", stakes',
            },
            '1 or 2 cards lie covered at dealer when turn "showdown" begins',
        ),
        (
            {PLAY: 'option = "play", when = "decided fold", stakes'},
            '"decided fold" is asked for, but nothing',
        ),
        (
            {'["play returned"]': '["play returned", "play lost"]'},
            '"play" ends in two ways: returned and lost',
        ),
        ({'["1 on play"]': '["1 on play", "2 on play"]'}, '"play" is staked on twice by one option'),
        ({", " + TURNED: ""}, "nothing lies open at dealer by then"),
        (
            {f"deals = [{BOTH}] }},": f'deals = [{BOTH}], then = "showdown" }},\n  {{ id = "never" }},'},
            'nothing leads to the turn "never"',
        ),
        (
            {'"1 to player"': '"52 to player"'},
            "a round may deal 53 of deck: expected at most 52, as are there",
        ),
        # What would be walked for hours.
        (
            {
                BOTH: '"3 to player", "3 to dealer"',
                TURNED: "shows = []",
                QUALIFIES: "hand of player by three-card is above hand of dealer by three-card",
            },
            "6 cards lie there, expected at most 5",
        ),
        (
            {
                BOTH: '"2 to player", "5 to dealer"',
                TURNED: "shows = []",
                QUALIFIES: "hand of player with dealer is flush",
            },
            "the best 5 of 7 cards",
        ),
    ],
)
def test_what_makes_no_sense_together_is_refused(certify, game, changes, said):
    text = whole()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    game.write_text(text, "utf-8")
    called = certify("lint", game).expect(2)
    assert said in called.out + called.err


def test_cards_that_were_put_away_covered_are_not_turned_up_with_those_dealt_after_them(certify, game):
    # The dealer was shown both cards, without a word, and both readings agreed on it.
    deal, then = (
        '"1 to dealer covered"] },',
        ' { id = "new", clears = ["dealer"], deals = ["1 to dealer covered"] },',
    )
    text = whole().replace(deal, deal + then, 1)
    game.write_text(
        text.replace(', at = "deal"', ', at = "new"').replace('{ at = "deal"', '{ at = "new"'), "utf-8"
    )
    document = certify("analyze", game, "--format", "json").json
    assert Fraction(document["wagers"]["ante"]["return"]) == by_hand()
    pays = {"ante": {"unqualified": Fraction(1), "win": Fraction(1), "push": Fraction(0)}}
    rules = parse_game(game.read_bytes(), "game.toml").rules
    assert settle(rules, pays, ["K of hearts", "Q of hearts"], ["play"]) == {
        "ante": ("win-on-2", Fraction(2))
    }


def test_a_row_that_no_round_reaches_comes_never_and_refuses_nothing(certify, game):
    never = "highest of dealer by aces-high is at least 15 and highest of player by aces-high equals"
    text = whole().replace(
        "highest of dealer by aces-high is at least 5 and highest of player by aces-high equals", never
    )
    assert text != whole()
    game.write_text(text, "utf-8")
    called = certify("analyze", game, "--strategy", "always:play", "--format", "json")
    assert called.code == 0, called.err
    document = json.loads(called.out)
    assert {
        one["probability"] for one in document["wagers"]["ante"]["outcomes"] if "push" in one["outcome"]
    } <= {"0"}
    assert "push" not in {one["row"] for one in document["witnesses"]}
