"""Strategies as printed lists: the first line that fits is held, and what that costs is exact."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from certify.analysis.hands.held import HOLD_IDS, arranged, equal_hand
from certify.errors import InputError
from certify.exact import parse_percent
from certify.families.video_poker.hold_list import parse_hold_list, read_hold_list
from certify.families.video_poker.text import deck_of
from certify.mathematics import analyze
from certify.mathematics.sensitivity import strategy_classes
from certify.model.game import Game

SIMPLE = Path(__file__).parents[3] / "fixtures/games/jacks-or-better-9-6/simple-strategy.toml"


def held(game: Game, strategy: str, cards: str) -> str:
    """Returns the cards that a strategy holds of a hand in short, such as ``AhKh``."""
    ranks = {"T": "10"}
    suits = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}
    named = [cards[at : at + 2] for at in range(0, 10, 2)]
    faces = game.equipment[0].faces
    hand = [faces.index(f"{ranks.get(name[0], name[0])} of {suits[name[1]]}") for name in named]
    deck = deck_of(game)
    places = arranged(deck, hand)
    option = analyze(game, strategy).strategy.choose(equal_hand(deck, hand), HOLD_IDS)
    kept = [places[int(place) - 1] for place in option.removeprefix("hold-") if place.isdigit()]
    return "".join(name for name, face in zip(named, hand, strict=True) if face in kept)


def test_the_printed_simple_strategy_costs_what_its_source_says(jacks: Game) -> None:
    best = analyze(jacks).wagers[0].return_to_player
    simple = analyze(jacks, f"file:{SIMPLE}").wagers[0].return_to_player
    # "an expected return of 99.46 %", "mistakes in the simple strategy will cost 0.08 %".
    assert parse_percent("99.46 %").stands_for(simple)
    assert parse_percent("0.08 %").stands_for(best - simple)


def test_the_derived_list_costs_less_than_the_printed_one_and_never_nothing(jacks: Game) -> None:
    costs = {found.strategy: found.cost for found in strategy_classes(jacks)}
    assert costs["main-optimal"] == 0
    assert 0 < costs["hold-list"] < Fraction(1, 10_000)
    assert costs["as-dealt"] > Fraction(1, 2)


@pytest.mark.parametrize(
    ("hand", "best", "simple"),
    [
        ("AhKhQhJh2s", "AhKhQhJh", "AhKhQhJh"),
        ("ThJhQhKh2h", "ThJhQhKh", "ThJhQhKh"),
        ("9h9s3h5h7h", "3h5h7h9h", "3h5h7h9h"),
        ("JhJs3h5h7h", "JhJs", "JhJs"),
        ("3h3s6h9cQd", "3h3s", "3h3s"),
        ("ThAh3s5c7d", "Ah", "Ah"),
        ("2h4s6c8d9h", "", ""),
    ],
)
def test_hands_are_held_as_players_know_them(jacks: Game, hand: str, best: str, simple: str) -> None:
    def parts(cards: str) -> set[str]:
        return {cards[at : at + 2] for at in range(0, len(cards), 2)}

    assert parts(held(jacks, "main-optimal", hand)) == parts(best)
    assert parts(held(jacks, f"file:{SIMPLE}", hand)) == parts(simple)


def test_decisions_are_an_ordered_list_that_covers_every_deal(jacks: Game) -> None:
    decisions = analyze(jacks).decisions
    assert sum(decision.probability for decision in decisions) == 1
    assert all(decision.values[decision.best] == max(decision.values.values()) for decision in decisions)
    returned = sum(decision.probability * decision.values["hold"] for decision in decisions)
    assert 1 + returned == analyze(jacks).wagers[0].return_to_player
    named = [decision.hand for decision in decisions]
    assert named.index("Four to a royal flush") < named.index("Dealt a flush") < named.index("High pair")
    assert named[-1] == "Nothing"


HEAD = 'schema = "certify-hold-list/1"\nname = "card"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not toml", "not TOML"),
        (HEAD.replace("hold-list/1", "hold-list/9"), "schema"),
        (HEAD, r"\[\[lines\]\]"),
        (HEAD + '[[lines]]\nhold = "pair"', "no title"),
        (HEAD + '[[lines]]\ntitle = "x"\nhold = "triplet"', "triplet"),
        (HEAD + '[[lines]]\ntitle = "x"\nhold = "pair"\ncolour = 1', "colour"),
        (HEAD + '[[lines]]\ntitle = "x"\nhold = "pair"\nhigh = 7', "high"),
        (HEAD + '[[lines]]\ntitle = "x"\nhold = "pair"\nten = 1', "true or false"),
        (HEAD + '[[lines]]\ntitle = "x"\nhold = "pair"\ncards = 3', "can never be held"),
        (HEAD + '[[lines]]\ntitle = "x"\nhold = "dealt"\nrows = ["full-boat"]', "rows"),
    ],
)
def test_a_list_that_says_something_else_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_hold_list(text, "card.toml")


def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_hold_list(tmp_path / "none.toml")
    long = tmp_path / "long.toml"
    long.write_text("#" * 300_000)
    with pytest.raises(InputError, match="larger than"):
        read_hold_list(long)


def test_an_unknown_strategy_is_named_with_those_there_are(jacks: Game) -> None:
    with pytest.raises(InputError, match="hold-list"):
        analyze(jacks, "stand-on:4")
