"""Baccarat against published counts, and its own counting against a walk of its reference round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.analysis import analyze
from certify.analysis.of_game import engine_of, exact_of, identify
from certify.errors import InputError, SubmissionError
from certify.families.baccarat.exact import counting
from certify.families.baccarat.exact.counting import End, counted
from certify.families.baccarat.rulebook import banker_draws
from certify.families.baccarat.volume.settlement import DRAWS, NO_THIRD
from certify.families.driver import play
from certify.families.port import Chance
from certify.families.registry import family_of
from certify.families.walk import walk
from certify.families.witnesses import reachable_witnesses
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, shoe
from certify.model.game import Game
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
SOURCE = (GAMES / "baccarat-punto-banco/game.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def punto_banco() -> Game:
    return read_game(GAMES / "baccarat-punto-banco/game.toml")


def ways_of(decks: int, wanted: Callable[[End], bool]) -> int:
    """Returns the orders of six cards of a shoe behind the ends that are wanted."""
    found = counted(shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=decks))
    return sum(ways for end, ways in found.ways.items() if wanted(end))


def shrunken(game: Game, ranks: tuple[str, ...], suits: int, decks: int) -> Game:
    """Returns a game on a small shoe."""
    return replace(game, equipment=(shoe("shoe", ranks, FRENCH_SUITS[:suits], decks=decks),))


# https://wizardofodds.com/games/baccarat/appendix/3/ and https://www.casinoexploit.com/baccarat.html
@pytest.mark.parametrize(
    ("decks", "player", "banker", "tie"),
    [
        (8, 2_230_518_282_592_256, 2_292_252_566_437_888, 475_627_426_473_216),
        (6, 392_220_492_728_832, 403_095_751_234_560, 83_552_962_932_288),
    ],
)
def test_orders_of_a_shoe_are_those_published(decks: int, player: int, banker: int, tie: int) -> None:
    assert ways_of(decks, lambda end: end.player > end.banker) == player
    assert ways_of(decks, lambda end: end.banker > end.player) == banker
    assert ways_of(decks, lambda end: end.player == end.banker) == tie


# https://wizardofodds.com/games/baccarat/appendix/5/
DRAGON_BONUS = {
    "player-dragon-bonus": (
        812_685_054_124_032, 89_325_908_267_520, 18_409_431_764_992, 34_097_645_543_424, 89_590_261_473_280,
        141_238_897_317_888, 166_169_165_987_840, 186_780_352_174_080,
    ),
    "banker-dragon-bonus": (
        812_685_054_124_032, 89_325_908_267_520, 15_390_342_909_952, 28_305_092_784_128, 79_517_099_278_336,
        119_200_072_366_080, 157_275_882_332_160, 201_147_167_287_296,
    ),
}  # fmt: skip


@pytest.mark.parametrize("wager", DRAGON_BONUS)
def test_dragon_bonus_has_the_published_combinations(punto_banco: Game, wager: str) -> None:
    figures = analyze(punto_banco).wager(wager)
    total = counted(punto_banco.equipment[0]).total
    assert tuple(one.probability * total for one in figures.outcomes[:-1]) == DRAGON_BONUS[wager]


def test_perfect_pairs_have_the_published_combinations(punto_banco: Game) -> None:
    # https://wizardofodds.com/games/baccarat/side-bets/perfect-pairs-ver2/
    two, one, _ = (entry.probability for entry in analyze(punto_banco).wager("perfect-pair").outcomes)
    assert (two * 7_379_583_120, one * 7_379_583_120) == (2_101_008, 244_747_776)


# Computed by an enumeration of its own and equal to the published figures named beside the games.
@pytest.mark.parametrize(
    ("game", "wager", "edge"),
    [
        ("baccarat-punto-banco", "player", Fraction(241149546272, 19524993263685)),
        ("baccarat-punto-banco", "banker", Fraction(114753351728, 10847218479825)),
        ("baccarat-punto-banco", "tie", Fraction(103841353768, 723147898655)),
        ("baccarat-punto-banco", "player-pair", Fraction(43, 415)),
        ("baccarat-punto-banco", "banker-pair", Fraction(43, 415)),
        ("baccarat-no-commission", "banker", Fraction(284694798368, 19524993263685)),
        ("baccarat-ez", "banker", Fraction(66274384744, 6508331087895)),
        ("baccarat-ez", "dragon-7", Fraction(64613588827, 848912750595)),
        ("baccarat-ez", "panda-8", Fraction(153010345753, 1501922558745)),
    ],
)
def test_house_edges_are_the_known_fractions(game: str, wager: str, edge: Fraction) -> None:
    assert analyze(read_game(GAMES / game / "game.toml")).wager(wager).house_edge == edge


@pytest.mark.parametrize("game", ["baccarat-punto-banco", "baccarat-no-commission", "baccarat-ez"])
def test_every_printed_return_holds_and_every_row_is_shown(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = read_game(GAMES / game / "game.toml")
    figures = analyze(submission)
    assert all(
        claim.printed.stands_for(figures.wager(claim.wager).return_to_player) for claim in submission.claims
    )
    # Every row has a recipe that shows it, so that nothing is walked for.
    monkeypatch.setattr("certify.families.witnesses.walk", lambda reference: iter(()))
    rows = {(witness.wager, witness.row) for witness in reachable_witnesses(submission)}
    rules = family_of(submission).rules
    assert rows == {
        (wager.id, row) for wager in submission.wagers for row in rules.reachable_rows(submission, wager.id)
    }


@pytest.mark.parametrize(
    ("game", "ranks", "suits", "decks"),
    [
        ("baccarat-punto-banco", ("A", "3", "6", "K"), 2, 2),
        ("baccarat-punto-banco", ("2", "5", "J", "Q"), 1, 3),
        ("baccarat-ez", ("A", "2", "3", "4", "7", "K"), 1, 2),
        ("baccarat-no-commission", ("A", "2", "4", "5", "6", "8", "9"), 2, 1),
    ],
)
def test_counting_and_walking_a_small_shoe_give_the_same_joint_distribution(
    game: str, ranks: tuple[str, ...], suits: int, decks: int
) -> None:
    small = shrunken(read_game(GAMES / game / "game.toml"), ranks, suits, decks)
    own = exact_of(small).joint(small, "main-optimal")
    walked = engine_of(family_of(small)).joint(small, "main-optimal")
    assert own.wagers == walked.wagers
    assert {outcomes: chance for outcomes, chance in own.probabilities.items() if chance} == dict(
        walked.probabilities
    )
    assert sum(own.probabilities.values()) == 1


@pytest.mark.slow
def test_counting_and_walking_the_whole_shoe_give_the_same_joint_distribution(punto_banco: Game) -> None:
    own = exact_of(punto_banco).joint(punto_banco, "main-optimal")
    walked = engine_of(family_of(punto_banco)).joint(punto_banco, "main-optimal")
    assert {outcomes: chance for outcomes, chance in own.probabilities.items() if chance} == dict(
        walked.probabilities
    )


def test_an_altered_tableau_is_noticed_by_the_walk(
    punto_banco: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = shrunken(punto_banco, ("A", "3", "6", "K"), 2, 2)
    walked = engine_of(family_of(small)).joint(small, "main-optimal").probabilities
    altered = list(counting._LAST_TOTAL_DRAWN)
    altered[6] = 5
    monkeypatch.setattr(counting, "_LAST_TOTAL_DRAWN", tuple(altered))
    counted.cache_clear()
    found = exact_of(small).joint(small, "main-optimal").probabilities
    counted.cache_clear()
    assert {outcomes: chance for outcomes, chance in found.items() if chance} != dict(walked)


def test_the_three_tableaus_are_one() -> None:
    for banker, third in product(range(8), range(10)):
        own = banker <= counting._LAST_TOTAL_DRAWN[third]
        assert own == bool(DRAWS[banker][third]) == banker_draws(banker, third)
    assert [bool(DRAWS[banker][NO_THIRD]) for banker in range(8)] == [
        banker_draws(banker, None) for banker in range(8)
    ]


@settings(max_examples=10, deadline=None)
@given(st.sets(st.sampled_from(FRENCH_RANKS), min_size=2, max_size=4), st.integers(3, 6))
def test_counting_and_walking_agree_on_any_small_shoe(ranks: set[str], decks: int) -> None:
    game = read_game(GAMES / "baccarat-ez/game.toml")
    small = shrunken(game, tuple(sorted(ranks, key=FRENCH_RANKS.index)), 1, decks)
    own, walked = analyze(small), engine_of(family_of(small)).analyze(small, "main-optimal")
    assert [one.return_to_player for one in own.wagers] == [one.return_to_player for one in walked.wagers]


def test_removed_cards_are_walked_card_by_card_and_agree(punto_banco: Game) -> None:
    uneven = shoe("shoe", ("A", "2", "3", "8"), FRENCH_SUITS[:2], decks=2, removed=("3 of hearts",))
    small = replace(punto_banco, equipment=(uneven,))
    own = exact_of(small).joint(small, "main-optimal").probabilities
    walked = engine_of(family_of(small)).joint(small, "main-optimal").probabilities
    assert {outcomes: chance for outcomes, chance in own.items() if chance} == dict(walked)


def test_the_exposure_is_shown_by_a_deal_of_the_reference_round(punto_banco: Game) -> None:
    highest = exact_of(punto_banco).exposure(punto_banco)
    played = play(family_of(punto_banco).reference(punto_banco), highest.deck, ())
    won = sum(played.net[wager] * stake for wager, stake in highest.stakes)
    assert won == highest.amount == sum(amount for _, amount in highest.wins)


def test_no_round_looks_at_more_cards_than_the_family_says(punto_banco: Game) -> None:
    looked_at = family_of(punto_banco).looked_at
    assert looked_at is not None
    (shoe_seen,) = looked_at(punto_banco)
    small = shrunken(read_game(GAMES / "baccarat-ez/game.toml"), ("A", "3", "6", "K"), 1, 4)
    walked = walk(family_of(small).reference(small))
    longest = max(len(reached.drawn) + isinstance(reached.node, Chance) for reached in walked)
    assert (shoe_seen.size, shoe_seen.supply, longest) == (416, 6, 6)


@pytest.mark.slow
def test_a_lost_pay_is_found_again(tmp_path: Path) -> None:
    lost = tmp_path / "game.toml"
    text = (GAMES / "baccarat-ez/game.toml").read_text("utf-8")
    lost.write_text(
        text.replace(
            'pays = "40 to 1"',
            'pays = "40 to 1"\nprovenance = "recovered"\nby = "claim/dragon-7/return-to-player"\nunique = true',
        )
    )
    found = identify(read_game(lost), "dragon-7")
    assert [dict(fit.pays) for fit in found.fits] == [{"win": 40}]


def test_other_strategies_and_explanations_are_refused(punto_banco: Game) -> None:
    with pytest.raises(InputError, match="nothing is decided"):
        analyze(punto_banco, "worst")
    with pytest.raises(InputError, match="nothing is decided"):
        exact_of(punto_banco).explain(punto_banco, "4")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("decks = 8", 'decks = 8\njokers = ["joker"]', "without jokers"),
        ('"J", "Q", "K"', '"J", "Q", "Roi"', "French cards"),
        ('ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]', 'ranks = ["A"]', ""),
        ('id = "win-by-nine"', 'id = "win-by-ten"', "win-by-nine"),
        ('value = "none"', 'value = "five"', "total of six"),
    ],
)
def test_what_does_not_fit_baccarat_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    spoilt = tmp_path / "game.toml"
    text = SOURCE.replace(old, new)
    spoilt.write_text(text.replace("decks = 8", "decks = 1") if not message else text)
    with pytest.raises(SubmissionError, match=message or "at least 6"):
        read_game(spoilt)
