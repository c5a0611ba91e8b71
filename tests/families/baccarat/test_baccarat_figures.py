"""Baccarat against published counts, and on small shoes against a listing of every deal by the second text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import perm
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from representatives import firsts

from certify.errors import InputError, SubmissionError
from certify.families.baccarat.second import settle
from certify.families.driver import play
from certify.families.registry import family_of
from certify.families.witnesses import reachable_rows, witnesses
from certify.mathematics import analyze
from certify.mathematics.of_game import exact_of, identify
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, completed, shoe
from certify.model.game import Game
from certify.model.stages import pays_of
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
SOURCE = (GAMES / "baccarat-punto-banco/game.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def punto_banco() -> Game:
    return read_game(GAMES / "baccarat-punto-banco/game.toml")


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
    piece = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=decks)
    game = replace(read_game(GAMES / "baccarat-ez/game.toml"), equipment=(piece,))
    figures, orders = analyze(game).wager("player"), perm(52 * decks, 6)
    chances = {one.id: one.probability * orders for one in figures.outcomes}
    assert (chances["win"], chances["lose"], chances["push"]) == (player, banker, tie)


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
    total = perm(416, 6)
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
    game: str,
) -> None:
    submission = read_game(GAMES / game / "game.toml")
    figures = analyze(submission)
    assert all(
        claim.printed.stands_for(figures.wager(claim.wager).return_to_player) for claim in submission.claims
    )
    rows = {(witness.wager, witness.row) for witness in witnesses(submission, reachable_rows(submission))}
    rules = family_of(submission).rules
    assert rows == {
        (wager.id, row) for wager in submission.wagers for row in rules.reachable_rows(submission, wager.id)
    }


@pytest.mark.parametrize(
    ("game", "ranks", "suits", "decks"),
    firsts(
        [
            ("baccarat-no-commission", ("A", "2", "4", "5", "6", "8", "9"), 1, 1),
            ("baccarat-ez", ("A", "2", "3", "4", "7", "K"), 1, 1),
            ("baccarat-punto-banco", ("2", "5", "J", "Q"), 1, 2),
            ("baccarat-punto-banco", ("A", "3", "6", "K"), 2, 1),
        ]
    ),
)
def test_every_deal_of_a_small_shoe_listed_by_the_second_text_gives_the_joint_distribution(
    game: str, ranks: tuple[str, ...], suits: int, decks: int
) -> None:
    small = shrunken(read_game(GAMES / game / "game.toml"), ranks, suits, decks)
    assert listed(small) == {
        outcomes: chance
        for outcomes, chance in exact_of(small).joint(small, "main-optimal").probabilities.items()
        if chance
    }


def listed(game: Game) -> dict[tuple[str, ...], Fraction]:
    """Returns the joint distribution by listing every order of six cards."""
    pays = pays_of(game.wagers)
    found: Counter[tuple[str, ...]] = Counter()
    (piece,) = game.equipment
    for items in permutations(range(piece.size), 6):
        names = [piece.name_of(item) for item in items]
        for cards in (4, 5, 6):
            try:
                settled = settle(game.rules, pays, names[:cards], ())
            except (ValueError, StopIteration):
                continue
            found[tuple(outcome for outcome, _ in settled.values())] += 1
            break
    return {outcomes: Fraction(times, found.total()) for outcomes, times in found.items()}


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(st.sets(st.sampled_from(FRENCH_RANKS), min_size=2, max_size=3), st.integers(2, 3))
def test_listing_and_walking_agree_on_any_small_shoe(ranks: set[str], decks: int) -> None:
    game = read_game(GAMES / "baccarat-ez/game.toml")
    small = shrunken(game, tuple(sorted(ranks, key=FRENCH_RANKS.index)), 1, max(decks, 6 // len(ranks)))
    walked = exact_of(small).joint(small, "main-optimal").probabilities
    assert listed(small) == {outcomes: chance for outcomes, chance in walked.items() if chance}


def test_removed_cards_are_walked_card_by_card_and_agree(punto_banco: Game) -> None:
    uneven = shoe("shoe", ("A", "2", "3", "8"), FRENCH_SUITS[:1], decks=2, removed=())
    small = replace(punto_banco, equipment=(replace(uneven, shows=uneven.shows[:-1], supply=7),))
    walked = exact_of(small).joint(small, "main-optimal").probabilities
    assert listed(small) == {outcomes: chance for outcomes, chance in walked.items() if chance}


def test_the_exposure_is_shown_by_a_deal_of_the_reference_round(punto_banco: Game) -> None:
    highest = exact_of(punto_banco).exposure(punto_banco)
    played = play(
        family_of(punto_banco).reference(punto_banco), completed(punto_banco.equipment, highest.deck), ()
    )
    won = sum(played.net[wager] * stake for wager, stake in highest.stakes)
    assert won == highest.amount == sum(amount for _, amount in highest.wins)


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
