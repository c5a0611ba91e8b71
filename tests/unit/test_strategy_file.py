"""Strategy files: one reader and writer for every family, and those of games with an open dealer's card."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from representatives import firsts

from certify.analysis.strategy_file import SCHEMA, StrategyFile, strategy_text, written
from certify.errors import InputError
from certify.evidence import plain
from certify.exact import parse_fraction
from certify.families.open_card.strategies import OPEN_CARDS, played, read_card
from certify.families.open_card.text import listed
from certify.kit.check import EVERY_LEG, KitReport, Planted
from certify.kit.faults import RULE, WHATEVER, alive_elsewhere
from certify.kit.rule_values import altered_rules
from certify.mathematics import analyze
from certify.mathematics.figures_evidence import analysis_evidence
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
HEAD = f'schema = "{SCHEMA}"\nname = "card"\n'
SCHEMAS = {
    "three-card-poker": SCHEMA,
    "caribbean-stud": "certify-raise-rules/1",
    "jacks-or-better-8-5": "certify-hold-list/1",
    "playtech-7-e-mezzo": SCHEMA,
    "us5632489-casino": SCHEMA,
}
"""A game of each family that reads files of its own, by the schema of its files."""


def read(text, *keys):
    """Returns a text as a strategy file."""
    return StrategyFile.parsed(text, "card.toml", keys or ("schema", "name", "choices"))


@pytest.mark.parametrize("game", SCHEMAS)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda head: "[[", r"not TOML: line 1"),
        (lambda head: head.replace("/1", "/9"), r"/9'.*expected \"certify-"),
        (lambda head: head.replace('"card"', "3"), "no name: expected a text"),
    ],
)
def test_every_family_refuses_a_broken_head_by_file_and_expectation(game, change, expected, tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(change(HEAD.replace(SCHEMA, SCHEMAS[game])), "utf-8")
    with pytest.raises(InputError, match=expected) as caught:
        analyze(read_game(GAMES / game / "game.toml"), f"file:{path}")
    assert all(line.startswith(str(path)) for line in str(caught.value).splitlines())


def test_every_mistake_is_told_at_once():
    found = read('name = ""\ncolour = 1\nchoices = 3\n')
    assert (found.name(), found.texts("choices")) == ("", {})
    with pytest.raises(InputError) as caught:
        found.check()
    assert str(caught.value).splitlines() == [
        "card.toml: unknown keys colour: expected schema, name, choices",
        f'card.toml: schema is None: expected "{SCHEMA}"',
        "card.toml: no name: expected a text",
        "card.toml: [choices] is no table of texts",
    ]


def test_a_name_of_our_own_and_an_entry_given_twice_are_mistakes():
    found = read(HEAD)
    assert found.name(lambda name: name == "card") == "card"
    into = {3: "hit"}
    found.gather("[totals] 3", into, 3, found.attempt("[totals] x", "stand", int_of, "x"))
    assert found.problems == [
        "the name 'card' is that of a built-in strategy: expected another one",
        "[totals] x: 'x' is no number",
        "[totals] 3: decided twice",
    ]
    read(HEAD).check()


def int_of(text):
    """Refuses a text."""
    raise InputError(f"{text!r} is no number")


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4), st.text(min_size=1, max_size=9))
def test_what_is_written_is_read_again(entries, name):
    text = written({"name": name}, [("choices", list(entries.items()))])
    assert tomllib.loads(text) == {"schema": SCHEMA, "name": name, "choices": entries}
    found = read(text)
    assert (found.name(), found.texts("choices")) == (name, entries)
    found.check()


def test_a_file_that_is_too_large_or_no_text_is_refused(tmp_path):
    path = tmp_path / "card.toml"
    path.write_bytes(b"#" * 20)
    with pytest.raises(InputError, match="larger than 9 bytes: expected a strategy"):
        strategy_text(path, 9)
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="the strategy cannot be read"):
        strategy_text(path)


CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")

CARD = 'schema = "certify-strategy/1"\nname = "a card"\n'
STAND_ON_FOUR = (
    CARD
    + """
[totals]
hit = ["½", "1", "1½", "2", "2½", "3", "3½"]
stand = ["4", "4½", "5", "5½", "6", "6½", "7"]
"""
)
CASINO_CARD = (
    CARD
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


def entries_of(game, strategy):
    """Returns a strategy as a text with every hand against every open card named."""
    chosen = dict(strategy.choices)
    lines = [CARD]
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
    path.write_text(entries_of(game, best.strategy), "utf-8")
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
        table(CARD.replace("a card", ""), CASINO)
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


SIETE = Path(__file__).parents[2] / "fixtures/games/siete-y-media/game.toml"


def test_a_rule_altered_so_that_it_pays_a_row_of_its_own_has_that_row():
    game = read_game(SIETE)
    altered = {words: other for _, words, other in altered_rules(game)}["rule reale is yes"]
    (bet,) = altered.wagers
    assert "reale" not in game.wagers[0].paytable.ids
    assert set(game.port.rules.paid_rows(altered, bet.id)) <= set(bet.paytable.ids)
    assert bet.paytable.pays("reale") > max(row.pays for row in game.wagers[0].paytable.rows)


def test_a_game_with_a_rule_altered_states_what_it_was_altered_to():
    game = read_game(SIETE)
    before = {rule.id: rule.value for rule in game.rule_values}
    altered = list(altered_rules(game))
    assert before.keys() & {name for name, _, _ in altered}
    for name, words, other in altered:
        after = {rule.id: rule.value for rule in other.rule_values}
        assert {key for key in before if after[key] != before[key]} == before.keys() & {name}
        assert name not in before or words == f"rule {name} is {after[name]}"


def report(planted):
    return KitReport("small", "1", "small", ("one", "two"), (), (), (), planted)


DEAD = Planted("one", EVERY_LEG, f"{RULE}swap{WHATEVER}", noticed=False, dead=True)
SEEN = Planted("two", "exact", f"{RULE}swap is yes", noticed=True)


def test_a_rule_that_no_round_depends_on_is_inconclusive_and_never_a_pass():
    judged = report(tuple(alive_elsewhere((DEAD,))))
    assert (judged.verdict.value, judged.unnoticed, judged.dead) == ("inconclusive", (), (DEAD,))


def test_a_rule_that_counts_in_another_game_of_the_run_is_idle_in_this_one():
    judged = report(tuple(alive_elsewhere((DEAD, SEEN))))
    assert (judged.verdict.value, judged.dead) == ("satisfied", ())
    assert judged.idle == (replace(DEAD, idle=True, dead=False),)


def test_another_rule_that_counts_revives_nothing():
    other = replace(SEEN, alteration=f"{RULE}swap-twice is yes")
    assert report(tuple(alive_elsewhere((DEAD, other)))).dead == (DEAD,)
