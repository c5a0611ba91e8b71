"""Submitted strategy tables against an open dealer's card: complete and unambiguous, or refused."""

import re
from pathlib import Path

import pytest
from representatives import firsts

from certify.errors import InputError
from certify.evidence.encode import plain
from certify.exact import parse_fraction
from certify.families.open_card.strategies import OPEN_CARDS, played, read_card
from certify.families.open_card.text import listed
from certify.mathematics import analyze
from certify.mathematics.figures_evidence import analysis_evidence
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")

HEAD = 'schema = "certify-strategy/1"\nname = "a card"\n'
STAND_ON_FOUR = (
    HEAD
    + """
[totals]
hit = ["½", "1", "1½", "2", "2½", "3", "3½"]
stand = ["4", "4½", "5", "5½", "6", "6½", "7"]
"""
)
CASINO_CARD = (
    HEAD
    + """
[totals]
hit-1 = ["½", "1", "2", "3"]
stand-1 = ["4", "5", "6", "7"]

[against.6.totals]
fold = ["1", "2", "3", "4", "5"]
hit-1 = ["½"]
stand-2 = ["6", "7"]
"""
)


def table(text, game):
    return read_card(game, text, "card.toml")


def written(game, strategy):
    """Returns a strategy as a text with every hand against every open card named."""
    chosen = dict(strategy.choices)
    lines = [HEAD]
    for shown, card in enumerate(OPEN_CARDS):
        lines.append(f"[against.{card}.hands]")
        for one in played(game).solution.decided:
            # Hands that the strategy never comes to may be decided in any way that is allowed.
            if one.sees[0] == shown:
                lines.append(f'"{listed(one.sees).hand}" = "{chosen.get(one.sees, one.options[0])}"')
    return "\n".join(lines)


@pytest.mark.parametrize("game", firsts([CASINO, HOME]), ids=["casino", "home"])
def test_the_optimal_table_written_out_returns_the_optimum(game, tmp_path):
    best = analyze(game)
    path = tmp_path / "best.toml"
    path.write_text(written(game, best.strategy), "utf-8")
    found = analyze(game, f"file:{path}")
    assert found.strategy.name == "a card"
    assert found.strategy.choices == best.strategy.choices
    assert found.wagers == best.wagers


def test_totals_alone_are_the_threshold_of_the_same_name(tmp_path):
    assert table(STAND_ON_FOUR, HOME).choices == analyze(HOME, "stand-on:4").strategy.choices


def test_a_section_of_its_own_holds_alone():
    chosen = {(OPEN_CARDS[shown], hand): move for (shown, hand), move in table(CASINO_CARD, CASINO).choices}
    assert len(chosen) == 64
    six = (0, 0, 0, 0, 0, 1, 0, 0)
    assert (chosen["6", six], chosen["5", six]) == ("stand-2", "stand-1")


def test_a_file_is_read_anew_each_time(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(CASINO_CARD, "utf-8")
    before = analyze(CASINO, f"file:{path}").wager("ante").return_to_player
    path.write_text(CASINO_CARD.replace("fold", "hit-2"), "utf-8")
    assert analyze(CASINO, f"file:{path}").wager("ante").return_to_player != before


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (HOME, STAND_ON_FOUR.replace('"3½"', '"3"'), "decided twice"),
        (HOME, STAND_ON_FOUR.replace(', "7"', ""), "nothing is decided in the general part on the total 7"),
        (HOME, STAND_ON_FOUR.replace("stand =", "fold ="), "'fold': expected stand, hit"),
        (HOME, STAND_ON_FOUR + '[hands]\n"7+face" = "hit"', "7+face leaves the player no decision"),
        (HOME, STAND_ON_FOUR + '[hands]\n"A+2" = "hit"\n"2+A" = "stand"', "A+2 is decided twice"),
        (HOME, STAND_ON_FOUR + '[against.8.totals]\nhit = ["1"]', "no open card 8"),
        (HOME, STAND_ON_FOUR + '[against.A]\nhit = ["1"]', "something else"),
        (HOME, STAND_ON_FOUR + '[against.A.totals]\nhit = ["1"]', "nothing is decided against A"),
        (HOME, STAND_ON_FOUR.replace("a card", "main-optimal"), "built-in"),
        (HOME, STAND_ON_FOUR.replace("strategy/1", "strategy/2"), "schema"),
        (HOME, "name = ", "not TOML"),
        (HOME, "against = 1\n" + STAND_ON_FOUR, "no table of open cards"),
        (HOME, "bets = 1\n" + STAND_ON_FOUR, "unknown keys bets"),
        (
            CASINO,
            CASINO_CARD.replace('fold = ["1", ', "fold = ["),
            "nothing is decided against 6 on the total 1",
        ),
        (CASINO, CASINO_CARD.replace("stand-2", "stand-3"), "'stand-3': expected fold, stand-1"),
        (CASINO, CASINO_CARD.replace("stand-2", "stand"), "'stand': expected fold, stand-1"),
        (
            CASINO,
            CASINO_CARD.replace('"6", "7"]\n\n', '"6", "6½", "7"]\n\n'),
            "no hand with a decision totals 6½",
        ),
    ],
)
def test_what_is_not_complete_and_unambiguous_is_refused(game, text, message):
    with pytest.raises(InputError, match=r"card\.toml: ") as caught:
        table(text, game)
    assert message in str(caught.value)


def test_all_mistakes_are_named_at_once():
    with pytest.raises(InputError) as caught:
        table(HEAD.replace("a card", ""), CASINO)
    assert len(str(caught.value).splitlines()) == 1 + 8


@pytest.mark.parametrize("strategy", ["time-out", "stand-on:5", "mimic-dealer"])
@pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])
def test_deviations_cost_what_the_strategy_loses_in_all(game, strategy):
    """What each decision costs against best play from there on, times how often it is made, adds up to the loss."""
    document = plain(analysis_evidence(analyze(game, strategy), game))
    lost = sum(
        parse_fraction(entry["costs"][entry["chosen"]]) * parse_fraction(entry["probability"])
        for entry in document["decisions"]
    )
    best = analyze(game).wager("ante").return_to_player
    assert lost == best - analyze(game, strategy).wager("ante").return_to_player > 0


def test_the_tables_of_the_documentation_are_read(tmp_path):
    """Both tables that docs/methods/strategies.md prints are complete for the games that it prints them for."""
    text = (Path(__file__).parents[2] / "docs/methods/strategies.md").read_text("utf-8")
    printed = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    seven = read_game(GAMES / "playtech-7-e-mezzo/game.toml")
    for game, table_text in zip((seven, CASINO), printed, strict=True):
        path = tmp_path / f"{game.id}.toml"
        path.write_text(table_text, "utf-8")
        assert analyze(game, f"file:{path}").strategy.name == "card of the house"
