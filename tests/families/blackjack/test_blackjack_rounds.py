"""Rounds of blackjack: two texts and a kernel settle alike, every row is shown, and what is planted is found."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from representatives import firsts

from certify.certification.cross_checks import card_by_card
from certify.errors import InputError, SubmissionError
from certify.families import FindingBasis, PlayedRound, play, reachable_rows, witnesses
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact.search import PLAYS, against
from certify.families.blackjack.exact.strategies import strategy_of
from certify.families.blackjack.exact.terms import terms_of
from certify.families.blackjack.family import RECIPES, findings
from certify.families.blackjack.figures import EXACT
from certify.families.blackjack.reference import BlackjackRound, RoundState, reference
from certify.families.blackjack.rules import BlackjackRules, Doubling, Peek, Surrender, Taken
from certify.families.blackjack.second import settle
from certify.families.blackjack.side_bets import (
    FLUSH,
    QUEENS_AND_NATURAL,
    SUITED_THREE,
    TEN,
    VALUE_NAMES,
    first_deals,
)
from certify.families.blackjack.volume.port import BlackjackVolume, DrawingCounter
from certify.families.second_text import compared, settled_round
from certify.kit.laws import laws
from certify.kit.subject import Subject
from certify.model import (
    FRENCH_RANKS,
    FRENCH_SUITS,
    MAIN_OPTIMAL,
    Game,
    JointCounts,
    Kind,
    Verdict,
    pays_of,
    shoe,
    strip,
)
from certify.rounds.play import FOLLOWED, edition_of
from certify.simulation import PURPOSE
from certify.submission import parse_game, read_game
from rng.streams import stream
from tests.families.blackjack.rounds import (
    BONUSES,
    PLAIN,
    SIDES,
    Anything,
    any_game,
    any_rows,
    dice_of,
    game_of,
    paytable,
    six_decks,
)

if TYPE_CHECKING:
    from certify.model import Analysis


def dealt(round_: BlackjackRound, seed: int, number: int) -> list[PlayedRound]:
    rows = any_rows(dice_of(seed), round_.equipment[0], number)
    return [play(round_, row, Anything(seed)) for row in rows]


def ends(game: Game, cards: str, decisions: Sequence[str]) -> dict[str, tuple[str, Fraction]]:
    """Returns how a round ends by both texts, its cards given as ranks and suits such as ``Ah 10s``."""
    suits = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}
    faces = [f"{card[:-1]} of {suits[card[-1]]}" for card in cards.split()]
    (piece,) = game.equipment
    left = list(range(piece.size))
    row = []
    for face in faces:
        item = next(item for item in left if piece.name_of(item) == face)
        left.remove(item)
        row.append(item)
    played = play(reference(game), [*row, *left], decisions)
    second = settle(game.rules, pays_of(game.wagers), played.draws, decisions)
    assert played.draws == tuple(faces)
    assert second == {result.wager: (result.outcome, result.net) for result in played.results}
    return second


@pytest.mark.parametrize("seed", firsts(range(40), 10))
def test_both_texts_settle_rounds_of_any_rules_alike(seed: int) -> None:
    game = any_game(dice_of(seed))
    rounds = dealt(reference(game), seed, 25)
    agreement = compared(game, settle, map(settled_round, rounds), dealt=True)
    assert agreement.dealt == 25
    assert not agreement.differences


@pytest.mark.parametrize("seed", firsts(range(12), 2))
def test_the_kernel_ends_rounds_as_the_reference_round_does(seed: int) -> None:
    game = any_game(dice_of(1000 + seed))
    (piece,), strategy = game.equipment, Anything(seed)
    rows = any_rows(dice_of(seed), piece, 25)
    counter = BlackjackVolume().counter(game, strategy)
    array = np.array(rows, dtype=np.uint16)
    played = [play(reference(game), row, strategy) for row in rows]
    assert counter.outcomes(array) == [tuple(one.outcomes.values()) for one in played]
    nets = BlackjackVolume().net
    assert all(nets(game, one.wager, one.outcome) == one.net for round_ in played for one in round_.results)
    assert counter.count(array).rounds == 25


@pytest.mark.parametrize("peek", [Peek.NEVER, Peek.ACE])
def test_rounds_drawn_card_by_card_are_rounds_on_the_whole_shoes(peek: Peek) -> None:
    game = six_decks(BlackjackRules(peek=peek, natural_takes=Taken.ORIGINAL), sides=True)
    counter = BlackjackVolume().counter(game, Anything(3))
    assert isinstance(counter, DrawingCounter)
    compiled, plain, again = (stream(bytes(32), PURPOSE, 1) for _ in range(3))
    kernel, starts = counter.play_rounds(compiled, 1_500)
    assert kernel == card_by_card(reference(game), counter, Anything(3), plain, 1_500)
    assert compiled.drawn == plain.drawn
    assert counter.count_rounds(again, 1_500) == JointCounts.of_outcomes(counter.axes, kernel)
    assert (np.diff(starts) > 0).all()


# --- rounds as a dealer would settle them --------------------------------------------------------------------

EUROPE = BlackjackRules(peek=Peek.NEVER, insurance=False)


@pytest.mark.parametrize(
    ("rules", "cards", "decisions", "expected"),
    [
        (BlackjackRules(), "Ah 9s Kh 8d", [], ("natural", Fraction(3, 2))),
        (BlackjackRules(), "Ah As Kh Kd", ["insure"], ("win:1:3/2", Fraction(1))),
        (BlackjackRules(), "9h As 9s Kd", ["decline"], ("lose", Fraction(-1))),
        (BlackjackRules(), "6h 5s 5h 10d 10h 6d", ["double"], ("push:0:2", Fraction(0))),
        (
            BlackjackRules(),
            "8h 6s 8d 10d 3h 10h 10s 10c",
            ["split", "double", "stand"],
            ("win:3:3", Fraction(3)),
        ),
        (BlackjackRules(), "Ah 6s Ad 10d 10h 9h 5s", ["split"], ("lose:-1:2", Fraction(-1))),
        (EUROPE, "10h As 10d 9h 8h Kc", ["split", "stand", "stand"], ("lose:-2:2", Fraction(-2))),
        (
            replace(EUROPE, natural_takes=Taken.ORIGINAL),
            "10h As 10d 9h 8h Kc",
            ["split", "stand", "stand"],
            ("lose:-1:2", Fraction(-1)),
        ),
        (
            replace(EUROPE, natural_takes=Taken.ORIGINAL_AND_BUSTED),
            "8h As 8d 4s 10s 9h Kc",
            ["split", "hit", "stand"],
            ("lose:-2:2", Fraction(-2)),
        ),
        (replace(EUROPE, surrender=Surrender.LATE), "10h As 6d Kc", ["surrender"], ("lose", Fraction(-1))),
        (
            replace(EUROPE, surrender=Surrender.EARLY),
            "10h As 6d Kc",
            ["surrender"],
            ("surrender", Fraction(-1, 2)),
        ),
        (
            BlackjackRules(surrender=Surrender.EARLY, insurance=False),
            "10h As 6d Kc",
            ["surrender"],
            ("surrender", Fraction(-1, 2)),
        ),
        (
            BlackjackRules(double_rescue=True),
            "6h 5s 5h 10d 2h",
            ["double", "rescue"],
            ("lose:-1:2", Fraction(-1)),
        ),
    ],
)
def test_rounds_end_as_the_rules_say(
    rules: BlackjackRules, cards: str, decisions: list[str], expected: tuple[str, Fraction]
) -> None:
    assert ends(six_decks(rules), cards, decisions)[ids.MAIN] == expected


# --- side bets against published figures -----------------------------------------------------------------------


def test_what_is_decided_on_a_second_hand_of_a_split_is_told_of_that_hand() -> None:
    game = six_decks()
    cards = ["9 of hearts", "4 of hearts", "9 of spades", "5 of clubs", "8 of hearts", "3 of spades"]
    (piece,) = game.equipment
    row = [next(item for item in range(piece.size) if piece.name_of(item) == card) for card in cards]
    rest = [item for item in range(piece.size) if item not in row]
    played = play(reference(game), [*row, *rest], (ids.SPLIT, ids.STAND, ids.STAND))
    assert [line for line in played.trace if "decides" in line] == [
        "player decides split on 18", "player decides stand on 17", "player-2 decides stand on 12",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("hand", "best"),
    [
        ("9-9 against 4", "split"),
        ("10-6 against 10", "hit"),
        ("4-4-8 against 10", "stand"),
        ("A-6-5 against 10", "hit"),
    ],
)
def test_what_each_option_on_a_hand_is_worth_is_what_is_searched(hand: str, best: str) -> None:
    game = six_decks()
    found, (cards, _, up) = EXACT.explain(game, hand), hand.partition(" against ")
    whole = against(terms_of(game), VALUE_NAMES.index(up))
    plan = strategy_of(game, MAIN_OPTIMAL).plans[whole.up]  # type: ignore[attr-defined]
    held = tuple(cards.split("-").count(name) for name in VALUE_NAMES)
    options = whole.worth(plays=plan.plays).options[whole.hands.place[held]]
    if whole.looked:
        options = options / float(1 - whole.hidden(held))
    for option, worth in found.values:
        if option in PLAYS:
            assert float(worth) == pytest.approx(options[PLAYS.index(option)], abs=1e-12)
    assert found.best == best


@pytest.mark.parametrize(
    "hand", ["foo", "10-10-5 against 4", "9-9 after a split against 4", "A against 5", "A-A against 1"]
)
def test_what_is_no_hand_is_refused_with_what_was_expected(hand: str) -> None:
    with pytest.raises(InputError, match="expected cards of a hand"):
        EXACT.explain(six_decks(), hand)


def edge(wager: str, pays: dict[str, int], decks: int) -> float:
    """Returns the exact house edge of a side bet in percent."""
    piece = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=decks)
    rows = {row: Fraction(pay) for row, pay in pays.items()}
    game = game_of(BlackjackRules(), piece, {ids.MAIN: PLAIN, wager: rows})
    table, found = paytable(rows), Fraction(0)
    for deal in first_deals(game):
        for ((plain,), _), chance in deal.ends.items():
            found += deal.chance * chance * (table.pays(plain) if plain in pays else -1)
    return -float(found) * 100


@pytest.mark.parametrize(("decks", "printed"), [(2, 22.3301), (8, 4.0964)])
def test_perfect_pairs_has_the_published_edge(decks: int, printed: float) -> None:
    # wizardofodds.com/games/blackjack/side-bets/perfect-pairs, pay table A
    pays = {"perfect-pair": 25, "coloured-pair": 12, "mixed-pair": 6}
    assert round(edge("perfect-pairs", pays, decks), 4) == printed


def test_three_cards_at_nine_to_one_have_the_published_edge() -> None:
    # wizardofodds.com/games/blackjack/appendix/8: 0.032386 with six decks
    pays = dict.fromkeys(("straight-flush", "three-of-a-kind", "straight", "flush"), 9)
    assert round(edge("twenty-one-plus-three", pays, 6), 4) == 3.2386


# --- planted faults --------------------------------------------------------------------------------------------

STRICT = BlackjackRules(
    surrender=Surrender.LATE, double=Doubling.NINE, double_after_split=False, split_hands=3, ace_hands=2
)
SIX = six_decks(STRICT)
ACES = game_of(STRICT, shoe("shoe", ("A", "5", "9", "Q"), FRENCH_SUITS, decks=8), {ids.MAIN: PLAIN})
"""The same rules, with aces split more often."""


class InsuresTens(BlackjackRound):
    """Offers insurance against a ten too."""

    def _insurance_is_open(self, state: RoundState) -> bool:
        up = self.values[state.dealer[0]]
        return super()._insurance_is_open(state) or (state.insured is None and up == TEN)


class LooksLate(BlackjackRound):
    """Lets the player go on, and surrender, where the dealer holds a natural already."""

    def _natural_was_seen(self, state: RoundState) -> bool:
        return False


def changed(**rules: object) -> Callable[[Game], BlackjackRound]:
    """Returns what plays other rules than are submitted."""
    return lambda game: reference(replace(game, rules=replace(game.rules, **rules)))


def paying(**pays: Fraction) -> Callable[[Game], BlackjackRound]:
    """Returns what pays otherwise than is submitted."""
    return lambda game: reference(game_of(game.rules, game.equipment[0], {ids.MAIN: PLAIN | pays}))


def round_of(kind: type[BlackjackRound]) -> Callable[[Game], BlackjackRound]:
    """Returns what plays with a fault in its code."""
    return lambda game: kind(game.rules, reference(game).paytables, game.equipment)


FAULTS: dict[str, Callable[[Game], BlackjackRound]] = {
    "a natural is paid six to five": paying(natural=Fraction(6, 5)),
    "the dealer draws to soft seventeen": changed(hits_soft_17=True),
    "split aces are drawn to": changed(draw_to_aces=True),
    "split aces are split again": changed(ace_hands=4),
    "pairs become four hands": changed(split_hands=4),
    "insurance against a ten": round_of(InsuresTens),
    "surrender after the dealer's natural": round_of(LooksLate),
    "surrender before the dealer looks": changed(surrender=Surrender.EARLY),
    "hands of a split are doubled": changed(double_after_split=True),
    "any two cards are doubled": changed(double=Doubling.ANY_TWO),
    "a push is paid": paying(push=Fraction(1)),
    "insurance is paid three to one": paying(insurance=Fraction(3)),
    "a dealer's twenty-two pushes": changed(pushes_22=True),
    "twenty-one wins": changed(wins_21=True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_second_text_finds_what_is_planted(fault: str) -> None:
    assert differs(FAULTS[fault]), fault


def test_nothing_is_found_where_nothing_is_planted() -> None:
    assert not differs(reference, most=2)


def differs(played: Callable[[Game], BlackjackRound], most: int = 8) -> bool:
    """Tells whether the second text settles some of the rounds that are played otherwise."""
    for seed in range(most):
        game = ACES if seed % 2 else SIX
        rounds = map(settled_round, dealt(played(game), seed, 100))
        if compared(game, settle, rounds, dealt=True).differing:
            return True
    return False


def test_bonuses_are_paid_where_the_paytable_names_them() -> None:
    piece = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=6)
    game = game_of(BlackjackRules(charlie=5), piece, {ids.MAIN: BONUSES})
    assert ends(game, "7h 10s 7h 9d 7h", ["hit"])[ids.MAIN] == ("suited-sevens", Fraction(5))
    assert ends(game, "7h 10s 7d 9d 7h", ["hit"])[ids.MAIN] == ("sevens", Fraction(3))
    assert ends(game, "2h 10s 2d 9d 2h 3h 4h", ["hit"] * 3)[ids.MAIN] == ("charlie", Fraction(2))
    assert ends(game, "Ah 9s Kh 9d", [])[ids.MAIN] == ("suited-natural", Fraction(2))


def test_a_round_that_lacks_a_card_is_refused_by_the_second_text() -> None:
    game = game_of(BlackjackRules(), shoe("shoe", FRENCH_RANKS, FRENCH_SUITS), {ids.MAIN: PLAIN})
    for cards in (["A of hearts"], ["8 of hearts", "9 of spades", "8 of clubs", "9 of clubs"]):
        with pytest.raises(ValueError, match="more cards than were dealt"):
            settle(game.rules, pays_of(game.wagers), cards, ["split", "hit"])


FIXTURE = Path(__file__).parents[3] / "fixtures/games/blackjack-no-hole-card/game.toml"


@pytest.mark.slow
def test_what_a_round_comes_to_is_a_straight_line_in_its_pays() -> None:
    game = read_game(FIXTURE)
    found = Subject(game, bytes(range(32)), 60)
    found.whole = None  # Its walk would be given up anyway, after a while.
    law = next(laws(found))
    assert law.verdict is Verdict.SATISFIED, law.detail


def test_best_play_of_other_rules_is_played_by_the_rules_or_refused() -> None:
    rules, deck = BlackjackRules(split_hands=2), shoe("shoe", FRENCH_RANKS, FRENCH_SUITS)
    best = strategy_of(game_of(rules, deck, {ids.MAIN: PLAIN}), MAIN_OPTIMAL)
    unsplit = game_of(replace(rules, split_hands=1, ace_hands=1), deck, {ids.MAIN: PLAIN})
    assert EXACT.return_alone(unsplit, best, ids.MAIN) == EXACT.return_alone(unsplit, MAIN_OPTIMAL, ids.MAIN)
    never = game_of(replace(rules, double=Doubling.NEVER), deck, {ids.MAIN: PLAIN})
    with pytest.raises(InputError, match="found under other rules: it would double"):
        EXACT.return_alone(never, best, ids.MAIN)


# A round for every row that blackjack pays: by recipes, for the general search gives up on six decks.


STAKE = 100
"""The greatest stake, in minor units."""
PATH = Path("fixtures/games/blackjack-no-hole-card/game.toml")


def shown(game: Game) -> set[tuple[str, str]]:
    rows = set()
    for found in witnesses(game, reachable_rows(game)):
        played = play(reference(game), found.deck, found.decisions)
        rows.add((found.wager, ids.row_of(played.outcome(found.wager))))
    return rows


SPANISH_RANKS = tuple(rank for rank in FRENCH_RANKS if rank != "10")


@pytest.mark.parametrize("ranks", [FRENCH_RANKS, SPANISH_RANKS], ids=["French decks", "Spanish decks"])
@pytest.mark.parametrize("charlie", [5, 6, 7])
def test_every_row_of_a_game_with_all_bonuses_and_side_bets_is_shown(
    charlie: int, ranks: tuple[str, ...]
) -> None:
    piece = shoe("shoe", ranks, FRENCH_SUITS, decks=6)
    game = game_of(BlackjackRules(charlie=charlie), piece, {ids.MAIN: BONUSES} | SIDES)
    assert shown(game) == set(RECIPES) - {(ids.MAIN, row) for row in ids.LONG[charlie - 4 :]}


def test_every_row_of_the_published_game_is_shown() -> None:
    game = read_game(PATH)
    rules = game.port.rules
    assert shown(game) == {
        (wager.id, row) for wager in game.wagers for row in rules.reachable_rows(game, wager.id)
    }


def test_rows_are_shown_without_a_king_too_and_by_an_endless_deck_without_suits() -> None:
    # Both were refused: the general search gives up before it comes to such rounds.
    never, every = BlackjackRules(charlie=7, peek=ids.Peek.NEVER), {ids.MAIN: BONUSES} | SIDES
    fewer = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=3, removed=("K of hearts",))
    assert shown(game_of(never, fewer, every)) == set(RECIPES)
    # Two decks lack three equal cards: a recipe that deals them ended as an internal error.
    two = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=2)
    lacking = {ids.SUITED_SEVENS, ids.SPADE_SEVENS, SUITED_THREE}
    assert shown(game_of(never, two, every)) == {one for one in RECIPES if one[1] not in lacking}
    plain = {row: pays for row, pays in BONUSES.items() if not row.startswith(("suited", "spades"))}
    endless = strip("deck", Kind.WHEEL, FRENCH_RANKS, 60)
    assert (ids.MAIN, ids.CHARLIE) in shown(game_of(never, endless, {ids.MAIN: plain}))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # The exact figures left the row out, which play and second text paid.
        (
            'id = "natural"\n',
            'id = "suited-sevens"\ntitle = "Sevens"\npays = "20 to 1"\n\n[[wagers.paytable]]\nid = "natural"\n',
            'row "suited-sevens" is counted together with a row "sevens" alone',
        ),
        *(
            ("[[rules]]\n", f'[[rules]]\nid = "{rule}"\nvalue = true\ntitle = "T"\n\n[[rules]]\n', missing)
            for rule, missing in ids.NOT_PLAYED.items()
        ),
    ],
)
def test_what_is_not_played_or_not_counted_is_refused_by_name(old: str, new: str, message: str) -> None:
    with pytest.raises(SubmissionError, match=re.escape(message)):
        parse_game(PATH.read_text("utf-8").replace(old, new, 1).encode(), "game.toml")


@pytest.mark.parametrize(
    ("row", "most"),
    [
        # All were told as two stakes: hands were split, doubled and won, and nothing else was tried.
        ({ids.SEVENS: Fraction(50)}, Fraction(100)),
        ({ids.CHARLIE: Fraction(5)}, Fraction(10)),
        ({ids.INSURED: Fraction(9)}, Fraction(9, 2)),
    ],
    ids=["doubled sevens", "five cards on each of two hands", "an insured natural"],
)
def test_the_dearest_round_is_one_that_is_paid_at_once_or_insured_where_that_costs_more(
    row: dict[str, Fraction], most: Fraction
) -> None:
    rules = BlackjackRules(split_hands=2, charlie=5, double_after_split=False)
    pays = {
        ids.NATURAL: Fraction(3, 2),
        ids.CHARLIE: Fraction(1),
        ids.WIN: Fraction(1),
        ids.PUSH: Fraction(0),
    }
    game = game_of(rules, strip("deck", Kind.WHEEL, ("A", "2", "7", "9", "K"), 60), {ids.MAIN: pays | row})
    assert EXACT.exposure(game).amount == most * game.wagers[0].limits.maximum


def test_the_dearest_round_splits_again_and_its_open_card_is_of_the_suit_that_side_bets_need() -> None:
    # Two hands of four were played out, and one open card of each value: 4 stakes, and no flush.
    deck = strip("deck", Kind.WHEEL, ("A", "5", "6", "10"), 60)
    assert EXACT.exposure(game_of(BlackjackRules(), deck, {ids.MAIN: PLAIN})).amount == 8 * STAKE
    dear = {
        ids.LUCKY_LADIES: {QUEENS_AND_NATURAL: Fraction(1000)},
        ids.TWENTY_ONE_THREE: {FLUSH: Fraction(9)},
    }
    queens = shoe("shoe", ("A", "Q"), ("spades", "hearts"), decks=8)
    found = EXACT.exposure(game_of(BlackjackRules(), queens, {ids.MAIN: PLAIN} | dear))
    assert (found.amount, found.attained) == (1009 * STAKE, True)


def test_where_no_round_is_found_that_costs_so_much_a_bound_is_told_that_no_round_exceeds() -> None:
    # Seven cards that do not bust would need aces, of which this deck has none.
    rules = BlackjackRules(charlie=7)
    deck = shoe("shoe", ("6", "10"), FRENCH_SUITS, decks=8)
    game = game_of(rules, deck, {ids.MAIN: PLAIN | {ids.CHARLIE: Fraction(20)}})
    found = EXACT.exposure(game)
    # Four hands at 20 to 1.
    assert (found.amount, found.attained) == (80 * STAKE, False)
    for row in any_rows(dice_of(7), game.equipment[0], 300):
        (main,) = play(reference(game), row, Anything(7)).results
        assert main.net * STAKE <= found.amount


@pytest.mark.parametrize(
    ("hands", "cut", "noted"), [(1, 0, []), (4, 0, ["split-hands"]), (1, 250, ["cut-card"])]
)
def test_split_hands_are_noted_with_their_convention_and_a_cut_card_as_changing_nothing(
    hands: int, cut: int, noted: list[str]
) -> None:
    game = six_decks(BlackjackRules(split_hands=hands, ace_hands=1, cut_card=cut))
    basis = FindingBasis(game, {MAIN_OPTIMAL: cast("Analysis", None)}, {}, {})
    found = list(findings(basis))
    assert [one.title.id for one in found] == [f"blackjack.finding.{one}" for one in noted]


def test_of_a_deck_with_very_many_ends_what_is_offered_anew_is_followed() -> None:
    game = read_game(Path(__file__).parents[3] / "fixtures/games/spanish-21/game.toml")
    life = edition_of(game).play
    (sevens,) = witnesses(game, [("main", "sevens")])
    followed = life.followed(sevens.deck)
    offered = {option for options in followed.values() for option in options}
    assert offered == {*life.decisions} - {ids.INSURE, ids.DECLINE}
    assert FOLLOWED < len(followed) < 4 * FOLLOWED
    # Three hands, each doubled: the most that can be added on this deck.
    assert max(taken.count(ids.DOUBLE) + taken.count(ids.SPLIT) for taken in followed) == 5
    ends = [taken for taken, options in followed.items() if not options]
    assert all(any(end[: len(taken)] == taken for end in ends) for taken in followed)
