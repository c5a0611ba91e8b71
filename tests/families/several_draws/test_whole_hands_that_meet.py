"""Three cards against three in the language alone: figures of the family, both readings, and what is refused."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from representatives import firsts

from certify.certification.cross_checks import agreement
from certify.certification.texts import texts_of
from certify.errors import InputError, SubmissionError
from certify.families.described import showdown
from certify.families.driver import play
from certify.families.registry import family_of
from certify.families.several_draws import submitted
from certify.families.witnesses import witnesses_found
from certify.kit.subject import counted, differences, figures_of, walked_figures
from certify.mathematics import analyze
from certify.simulation import StreamDecks
from certify.simulation.volume import volume_of
from certify.submission import parse_game, read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
WORDS = (GAMES / "three-card-bonuses/game.toml").read_text("utf-8")
SEED = bytes(range(32))


@cache
def game():
    return parse_game(WORDS.encode(), "game.toml")


@cache
def analysed(which):
    """The game, or the same from the fewest cards, with its exact figures, counted once for all that is asked."""
    asked = game() if which == "whole" else smaller(game())[0]
    return asked, analyze(asked)


SMALL_AND_WHOLE = pytest.mark.parametrize("which", firsts(["small", "whole"]))


def smaller(whole):
    """The game dealt from fewer cards, in every way that its family has."""
    decks = family_of(whole).checks.smaller
    assert decks is not None
    return list(decks(whole))


@SMALL_AND_WHOLE
def test_the_second_reading_settles_dealt_rounds_alike(which):
    asked, analysis = analysed(which)
    found = texts_of(asked, SEED, analysis.strategy, 300)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())


@pytest.mark.slow
@SMALL_AND_WHOLE
def test_a_round_is_found_for_every_row_that_is_ever_met(which):
    asked, analysis = analysed(which)
    # An outcome is named by the rows that it falls in, and by what is staked.
    met = {
        (one.wager, row)
        for one in analysis.wagers
        for outcome in one.outcomes
        for row in outcome.id.partition("-on-")[0].split("-and-")
    }
    rows = {(wager.id, row) for wager in asked.wagers for row in wager.paytable.ids}
    assert set(witnesses_found(asked, sorted(rows))) == met & rows
    assert (met >= rows) == (which == "whole")


@SMALL_AND_WHOLE
def test_play_through_ends_as_the_reference_round(which):
    asked, analysis = analysed(which)
    counter = volume_of(asked).counter(asked, analysis.strategy)
    rows = StreamDecks.of(asked, SEED).deal(0, 300 if which == "small" else 3_000)
    assert not agreement(asked, analysis.strategy, rows).differences
    assert len({outcome for outcomes in counter.outcomes(rows) for outcome in outcomes}) > (
        10 if which == "small" else 12
    )


def test_what_is_bet_on_changes_nothing_that_is_dealt():
    some, analysis = analysed("small")
    nothing, row = replace(some, wagers=()), tuple(range(some.equipment[0].supply))
    one, other = (play(family_of(game).reference(game), row, analysis.strategy) for game in (some, nothing))
    assert (one.draws, one.decisions, other.outcomes) == (other.draws, other.decisions, {})


def test_a_dealer_who_always_qualifies_is_seen(monkeypatch):
    told = showdown._told

    def blind(*asked):
        found = told(*asked)
        return replace(found, key="blind", other=found.other * 0)

    submitted._scene.cache_clear()
    submitted._showdown.cache_clear()
    showdown.table_of.cache_clear()
    monkeypatch.setattr(showdown, "_told", blind)
    # Where hands of the dealer are not told apart, the first one that is met stands for all.
    *_, fewer = smaller(game())
    found = analyze(fewer)
    monkeypatch.undo()
    submitted._scene.cache_clear()
    submitted._showdown.cache_clear()
    showdown.table_of.cache_clear()
    assert found.wager("ante").return_to_player != analyze(fewer).wager("ante").return_to_player


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    firsts([
        ('"3 to dealer covered"', '"4 to dealer covered"', "expected one whole deck, three cards to one place"),
        ("hand of player by three-card is pair\"", "draw 2 of player by aces-low is 9\"", "is read: expected"),
        ("is pair\"", "is pair or count of {clubs} in player is 3\"", "conditions 7 and 8 of .* hold at once"),
        ("player with dealer is flush", "player with dealer is flush of K", "told apart within one kind"),
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
        told, untold = (smaller(one)[0] for one in (parse_game(words, "game.toml"), game()))
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
        walked, found = counted(family_of(whole), less), analyze(less)
        assert walked is not None
        assert not list(
            differences(figures_of(found), walked_figures(walked, found.strategy), "counted", "walked")
        )
        assert not agreement(less, found.strategy, StreamDecks.of(less, SEED).deal(0, 150)).differences
    assert len(decks) == 2
