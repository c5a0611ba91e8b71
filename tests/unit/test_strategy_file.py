"""One reader and writer of strategy files for every family: mistakes are told alike, what is written is read again."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.analysis.strategy_file import SCHEMA, StrategyFile, strategy_text, written
from certify.errors import InputError
from certify.mathematics import analyze
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
