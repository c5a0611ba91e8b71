"""Described games against printed figures, and best play with every open card seen."""

import csv
import hashlib
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest
from cli_support import ROOT
from representatives import firsts

from certify.certification.cross_checks import agreement, texts_of
from certify.errors import InputError, SubmissionError
from certify.families import play, witnesses_of
from certify.families.described.second import settle
from certify.kit.subject import counted, differences, figures_of, walked_figures
from certify.mathematics import analyze, analyze_table, engine_of
from certify.model import ChoiceTable
from certify.simulation import StreamDecks, volume_of
from certify.submission import parse_game, read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))
FIGURES = Path(__file__).with_name("figures_of_families.csv")


@cache
def read_submission(name):
    return read_game(GAMES / name / "game.toml")


@cache
def analysed(name):
    return analyze(read_submission(name))


@pytest.mark.parametrize(
    ("name", "wager", "returned"),
    [
        ("dragon-tiger", "dragon", 1 - Fraction(31, 830)),
        ("dragon-tiger", "suited-tie", Fraction(51 * 7, 415)),
        # 23 of 311 second cards tie; in the war two units are lost, one won, or two on a further tie.
        ("casino-war", "tie", Fraction(11 * 23, 311)),
        ("casino-war", "bet", Fraction(969885, 993023)),
        ("red-dog", "bet", Fraction(16052, 16575)),
        ("andar-bahar", "bahar", 2 * Fraction(404, 833)),
        pytest.param("let-it-ride", "bet", Fraction(1044937, 1082900), marks=pytest.mark.slow),
        pytest.param("let-it-ride", "three-card-bonus", Fraction(5397, 5525), marks=pytest.mark.slow),
    ],
)
def test_the_return_of_a_wager_is_the_known_fraction(name, wager, returned):
    assert analysed(name).wager(wager).return_to_player == returned


WITH_A_JOKER = (123552, 137280, 20532, 7804, 6552, 3120, 204, 13)
"""Hands of five cards with a joker that is any card, from two pair to five of a kind."""


def test_hands_with_a_joker_are_as_many_as_printed():
    wild, bug = (analysed("joker-five").wager(wager).outcomes for wager in ("wild", "bug"))
    assert tuple(one.probability * 2869685 for one in wild[:-1]) == WITH_A_JOKER
    # What the joker completes in a row or a suit is the same; four aces alone make five of a kind of it.
    assert [two.probability / one.probability for one, two in zip(wild, bug, strict=True)][2:4] == [1, 1]
    assert bug[-2].probability * 2869685 == 1


@pytest.mark.parametrize(
    "name", ["baccarat-ez", "baccarat-no-commission", "baccarat-punto-banco", "craps", "three-card-poker"]
)
def test_figures_are_those_that_a_family_in_code_counted(name):
    """Returns, variances and hit frequencies as two texts in code gave them, which the house had until 0.2."""
    stated = [one for one in csv.DictReader(FIGURES.read_text("utf-8").splitlines()) if one["game"] == name]
    assert [one["wager"] for one in stated] == [one.id for one in read_submission(name).wagers]
    for one in stated:
        found = analysed(name).wager(one["wager"])
        figures = found.return_to_player, found.variance, found.hit_frequency
        assert figures == tuple(Fraction(one[figure]) for figure in ("return", "variance", "hit_frequency"))


def test_full_odds_lower_the_edge_of_the_line_as_printed():
    # wizardofodds.com: 3-4-5x odds, 0.374 % on the pass line and 0.273 % on don't pass, of everything staked.
    offered = engine_of(read_submission("craps").port).counted(read_submission("craps")).offered()
    full = ChoiceTable(
        "full odds", "a card", frozenset((sees, options[-1]) for sees, options in offered.items())
    )
    figures = analyze_table(read_submission("craps"), full)
    on_total = [figures.wager(name).return_on_total_wagered for name in ("pass-line", "dont-pass")]
    assert on_total == [Fraction(1863, 1870), Fraction(1097, 1100)]


def test_an_option_that_stakes_otherwise_elsewhere_is_refused():
    # The life of a round knows what an option stakes by its id: two meanings took more than the stake.
    text = (GAMES / "craps/game.toml").read_text("utf-8").replace('"odds-5-9", stakes', '"odds-4-10", stakes')
    with pytest.raises(SubmissionError, match='"odds-4-10" stakes otherwise elsewhere'):
        parse_game(text.encode(), "game.toml")


WORDS = (GAMES / "three-card-bonuses/game.toml").read_text("utf-8")


@cache
def meeting():
    return parse_game(WORDS.encode(), "game.toml")


@cache
def analysed_layout(which):
    """The game, or the same from the fewest cards, with its exact figures, counted once for all that is asked."""
    asked = meeting() if which == "whole" else smaller(meeting())[0]
    return asked, analyze(asked)


SMALL_AND_WHOLE = pytest.mark.parametrize("which", firsts(["small", "whole"]))


def smaller(whole):
    """The game dealt from fewer cards, in every way that its family has."""
    decks = whole.port.checks.smaller
    assert decks is not None
    return list(decks(whole))


@pytest.mark.slow
@SMALL_AND_WHOLE
def test_a_round_is_found_for_every_row_that_is_ever_met(which):
    asked, analysis = analysed_layout(which)
    # An outcome is named by the rows that it falls in, and by what is staked.
    met = {
        (one.wager, row)
        for one in analysis.wagers
        for outcome in one.outcomes
        for row in outcome.id.partition("-on-")[0].split("-and-")
    }
    rows = {(wager.id, row) for wager in asked.wagers for row in wager.paytable.ids}
    assert set(witnesses_of(asked, sorted(rows))) == met & rows
    assert (met >= rows) == (which == "whole")


@SMALL_AND_WHOLE
def test_play_through_and_second_reading_end_as_the_reference_round(which):
    asked, analysis = analysed_layout(which)
    counter = volume_of(asked).counter(asked, analysis.strategy)
    found = texts_of(asked, SEED, analysis.strategy, 300)
    assert (found.differing, found.shared) == (0, ())
    rows = StreamDecks.of(asked, SEED).deal(0, 300 if which == "small" else 3_000)
    assert not agreement(asked, analysis.strategy, rows).differences
    assert len({outcome for outcomes in counter.outcomes(rows) for outcome in outcomes}) > (
        10 if which == "small" else 12
    )


def test_what_is_bet_on_changes_nothing_that_is_dealt():
    some, analysis = analysed_layout("small")
    nothing, row = replace(some, wagers=()), tuple(range(some.equipment[0].supply))
    one, other = (play(game.port.reference(game), row, analysis.strategy) for game in (some, nothing))
    assert (one.draws, one.decisions, other.outcomes) == (other.draws, other.decisions, {})


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    firsts([
        ('"3 to dealer covered"', '"4 to dealer covered"', "larger hands are counted in two forms alone"),
        ("hand of player by three-card is pair\"", "draw 2 of player by aces-low is 9\"", "is read: expected"),
        ("is pair\"", "is pair or count of {clubs} in player is 3\"", "conditions 7 and 8 of .* hold at once"),
        ("player with dealer is flush", "player with dealer is flush of K", "distinguished within one kind"),
        ("hand of player with dealer is flush", "spread of player with dealer by aces-low is 9", "is read of both"),
        ("may_decide = [", 'may_decide = [{ at = "deal", option = "wait", stakes = ["2 on play"] },', "one decision"),
        ('row = "lose" }', 'row = "push" }', '"fold" does not lose ante'),
        ("is pair\"", "is pair and count of {clubs} in player is at most 1\"", ""),
    ], 3),
)  # fmt: skip
def test_what_cannot_be_counted_is_refused_by_name(said, instead, message):
    assert said in WORDS
    words = WORDS.replace(said, instead, 1).encode()
    if not message:
        # Beside the first wager names of suits may decide: of two cards of one rank one at most is of clubs.
        told, untold = (smaller(one)[0] for one in (parse_game(words, "game.toml"), meeting()))
        hits = [analyze(one).wager("pair-plus").hit_frequency for one in (told, untold)]
        assert 0 < hits[0] < hits[1]
        return
    with pytest.raises(InputError, match=message):
        analyze(parse_game(words, "game.toml"))


def test_names_of_suits_decide_on_no_first_wager():
    red = WORDS.replace(
        "not hand of dealer by three-card is at least Q high", "count of {hearts} in dealer is 0"
    )
    with pytest.raises(SubmissionError, match="decides on the first wager and goes by names of suits"):
        parse_game(red.encode(), "game.toml")


@pytest.mark.parametrize("name", firsts(["two-hands", "teen-patti", "teen-patti-20-20", "three-card-prime"]))
def test_on_small_decks_what_is_counted_is_what_every_path_comes_to(name):
    whole = read_game(Path(__file__).parent / f"strangers/{name}.toml")
    decks = smaller(whole)
    for less in decks:
        walked, found = counted(less), analyze(less)
        assert walked is not None
        assert not list(
            differences(figures_of(found), walked_figures(walked, found.strategy), "counted", "walked")
        )
        assert not agreement(less, found.strategy, StreamDecks.of(less, SEED).deal(0, 150)).differences
    assert len(decks) == 2


HOLDEM = (GAMES / "casino-holdem/game.toml").read_text("utf-8")


@pytest.mark.parametrize("deck", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["casino-holdem", "texas-holdem-bonus", "ultimate-texas-holdem"])
def test_hands_that_share_a_board_are_counted_as_every_path_comes_to_them(name, deck):
    less = smaller(read_submission(name))[deck]
    walked, streams = counted(less), StreamDecks.of(less, SEED)
    for strategy in less.port.strategies.plan(less).analysed:
        found = analyze(less, strategy)
        assert not list(
            differences(figures_of(found), walked_figures(walked, found.strategy), "counted", "walked")
        )
        assert not agreement(less, found.strategy, streams.deal(0, 200)).differences
        counter = volume_of(less).counter(less, found.strategy)
        assert streams.rounds(0, 200).count(counter, 200) == counter.count(streams.deal(0, 200))
        assert texts_of(less, SEED, found.strategy, 60).differing == 0
        reached = "flop-bet" if name == "texas-holdem-bonus" else "check"
        checked = sum(one.probability for one in found.decisions if one.chosen == reached)
        assert checked == sum(one.probability for one in found.decisions if one.hand[:5] == "flop:")
    # The best play of the walk is found without the counting.
    assert 1 + walked.solution().value == analyze(less).wager("ante").return_to_player


@pytest.mark.slow
def test_casino_holdem_returns_what_is_printed_of_it():
    # https://casinoaurum.com/guides/casino-holdem-explained/ prints an edge of 2.16 %; about 82 % of hands are called.
    ante = analysed("casino-holdem").wager("ante")
    assert ante.return_to_player == 1 - Fraction(1363917077, 63213204600)
    assert next(one.probability for one in ante.outcomes if one.id == "lose") == Fraction(2868, 15925)


@pytest.mark.slow
def test_ultimate_texas_holdem_returns_what_is_printed_of_it():
    # The pages that the fixture names print 2.18 % of the ante, 0.53 % of everything staked, and 3.50 % of trips.
    ante, trips = map(analysed("ultimate-texas-holdem").wager, ("ante", "trips"))
    assert ante.return_to_player == 1 - Fraction(1215447575352, 55627620048000)
    assert round(100 * (1 - ante.return_on_total_wagered), 2) == Fraction("0.53")
    assert round(100 * (1 - trips.return_to_player), 2) == Fraction("3.50")


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    [
        ('"2 to player"', '"3 to player"', "or two cards each and a board of five"),
        ("hand of player with board is flush", "hand of player with board by three-card is flush", "is read: two"),
        (
            'stakes = ["2 on call"]',
            'stakes = ["2 on call"], when = "hand of player with board is at least pair of 4 to A"',
            "what may be decided, or when a round ends, depends on the hands",
        ),
    ],
)  # fmt: skip
def test_a_board_that_cannot_be_counted_is_refused_by_name(said, instead, message):
    assert said in HOLDEM
    with pytest.raises(InputError, match=message):
        analyze(parse_game(HOLDEM.replace(said, instead, 1).encode(), "game.toml"), "always:call")


# The page "your table game in half an hour" is run, and its game counted by looking at every deal.


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


QUALIFIES = "highest of dealer by aces-high is at most 4"
BOTH = '"1 to player", "1 to dealer covered"'
SECOND = '{ id = "second", deals = ["1 to dealer covered"] },\n  { id = "showdown"'
PLAY = 'option = "play", stakes'
TURNED = 'shows = ["dealer"]'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('deals = ["1 to player"', 'deals = ["player"', 'expected such as "2 to player"'),
        ('shows = ["dealer"]', 'shows = ["player"]', "nothing is covered there, expected dealer"),
        ('stakes = ["1 on play"]', 'stakes = ["1/2 on play"]', "expected whole units of the first stake"),
        (
            'stakes = ["1 on play"]',
            "stakes = 1",
            'expected a list of texts such as ["first", "second"], got 1',
        ),
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
            "nothing is open at dealer by then",
        ),
        (
            "highest of dealer by aces-high is at most 4",
            "dealer draw 2 shows {K}",
            "at most 1 are there by then",
        ),
        (
            "highest of dealer by aces-high is at most 4",
            "hand of player with dealer is flush",
            "at most 2 are there by then: expected 5 or more",
        ),
        # An option that nobody is ever offered, and a turn that never comes, went without a word.
        *(
            (
                'option = "play"',
                f'option = "play", when = "{never}"',
                f"no draw fulfils this condition: {said}",
            )
            for never, said in (
                (
                    "highest of player by aces-high is at least 77",
                    '"highest of player by aces-high" is 2 to 14',
                ),
                (
                    "player shows {K} and lowest of player by aces-low is 0",
                    '"lowest of player by aces-low" is 1 to 13 after',
                ),
                ("draws in player is 2", '"draws in player" is 0 to 1 after turn "deal"'),
            )
        ),
        # The noughth card was any card, a sum modulo 0 the sum, and a name twice a name once, without a word.
        (QUALIFIES, "dealer draw 0 shows {K}", '"0" after "dealer draw": expected a whole number from 1'),
        (QUALIFIES, "draw 0 of dealer by aces-high is 4", '"0" after "draw": expected a whole number from 1'),
        (
            QUALIFIES,
            "sum of dealer modulo 0 by aces-high is 4",
            '"0" after "of dealer modulo": expected a whole number from 2',
        ),
        (
            QUALIFIES,
            "highest of dealer with dealer by aces-high is 4",
            '"dealer" after "of dealer with": expected another place',
        ),
        (QUALIFIES, "dealer shows {K, K}", '"K" is named twice in {K, K}'),
        # Best play did not look at the player's own card, and was called that of who sees everything.
        (
            f"deals = [{BOTH}] }}",
            f'deals = [{BOTH}], sees = ["dealer"] }}',
            'who decides sees an open card at "player": expected "player" too',
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(certify, game, old, new, said):
    assert old in whole()
    game.write_text(whole().replace(old, new, 1), "utf-8")
    called = certify("lint", game).expect(2)
    told = called.out + called.err
    line = next(number for number, text in enumerate(game.read_text("utf-8").split("\n"), 1) if new in text)
    assert f"game.toml:{line}:" in told
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
            '"decided fold" is required, but nothing',
        ),
        (
            {'["play returned"]': '["play returned", "play lost"]'},
            '"play" ends in two ways: returned and lost',
        ),
        ({'["1 on play"]': '["1 on play", "2 on play"]'}, '"play" is staked on twice by one option'),
        ({", " + TURNED: ""}, "nothing is open at dealer by then"),
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
            "expected one whole deck, three",
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
    row = "highest of dealer by aces-high is at least {} and highest of player by aces-high equals"
    assert row.format(5) in whole()
    game.write_text(whole().replace(row.format(5), row.format(15)), "utf-8")
    called = certify("analyze", game, "--strategy", "always:play", "--format", "json")
    assert called.code == 0, called.err
    ends = called.json["wagers"]["ante"]["outcomes"]
    assert {one["probability"] for one in ends if "push" in one["outcome"]} <= {"0"}
    assert "push" not in {one["row"] for one in called.json["witnesses"]}
