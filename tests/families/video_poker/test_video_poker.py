"""Video poker against published figures, printed lists of holds, a walk of its round, and its play-through."""

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from cli_support import refuses
from hypothesis import given, strategies as st
from representatives import firsts, only

from certify.analysis.hands import holds
from certify.analysis.hands.deals import deals_of, hand_of, number as number_of
from certify.analysis.hands.holds import HOLD_IDS, HOLD_OF, arranged, equal_hand
from certify.analysis.hands.strength import RANKS, WILD
from certify.analysis.pay_search import FOR_ONE
from certify.certification.cross_checks import agreement_of_rounds
from certify.errors import InputError, SubmissionError
from certify.exact import parse_percent
from certify.families import play, reachable_rows, witnesses
from certify.families.video_poker import figures, text, text as ids
from certify.families.video_poker.family import smaller
from certify.families.video_poker.figures import enumerated, return_of_best, returns_of
from certify.families.video_poker.hold_list import parse_hold_list, read_hold_list
from certify.families.video_poker.second import settle
from certify.families.video_poker.text import ROWS_OF_KIND, State, deck_of, reference
from certify.mathematics import analyze, engine_of, exact_of, identify
from certify.mathematics.of_game import strategy_classes
from certify.model import ChoiceTable, Game, pays_of
from certify.simulation import StreamDecks, volume_of
from certify.submission import read_game, row_never_reached
from rng.streams import stream

GAMES = Path(__file__).parents[3] / "fixtures/games"

SMALL = ("jacks-or-better-9-6", "deuces-wild-full-pay", "joker-poker-kings")
"""Games that are tried on ten cards."""


def game_of(name: str) -> Game:
    """Returns a submission of the fixtures."""
    return read_game(GAMES / name / "game.toml")


def small_game(name: str) -> Game:
    """Returns a game of the fixtures on the small deck that its family names."""
    (small,) = smaller(game_of(name))
    assert small.equipment[0].size == 10
    return small


# Games that the tests of video poker share.


@pytest.fixture(scope="session")
def jacks() -> Game:
    """Full pay Jacks or Better."""
    return game_of("jacks-or-better-9-6")


@pytest.fixture(scope="session", params=only(SMALL, "deuces-wild-full-pay"))
def small(request: pytest.FixtureRequest) -> Game:
    """Each game on its small deck: one with wild cards, and in a slow run the others."""
    return small_game(request.param)


# Video poker against published figures, and its enumeration against a walk of its reference round.


JACKS_RETURN = Fraction(1653526326983, 1661102543100)


def ways(game: Game, row: str) -> Fraction:
    """Returns how many of all orders of deal and draw end in a row, under the best play."""
    found = {one.id: one.probability for one in analyze(game).wagers[0].outcomes}
    return found[row] * enumerated(game).total


@pytest.mark.slow
def test_the_best_play_of_jacks_or_better_returns_the_known_fraction(jacks: Game) -> None:
    # Ethier, The Doctrine of Chances, 17.1; 99.544 %: jazbo.com/videopoker/jacks96.html.
    best = analyze(jacks).wagers[0]
    assert best.return_to_player == JACKS_RETURN
    assert sum(one.probability for one in best.outcomes) == 1
    # 19.5: 888casino.com, Strategy tips on how to play and win at Jacks or Better.
    assert round(float(best.variance), 1) == 19.5


def test_two_hands_on_one_deal_have_the_published_covariance(jacks: Game) -> None:
    # wizardofodds.com, Video Poker, Appendix 3: variance 19.51, covariance 1.966.
    table = exact_of(jacks).analyze(jacks, "main-optimal").strategy
    assert round(float(figures.covariance(jacks, text.hold_table(table))), 3) == 1.966


def test_the_covariance_of_two_hands_is_that_of_all_pairs_of_draws(small: Game) -> None:
    played = reference(small)
    table = figures.table_of(small, "main-optimal")
    first, both, deals = Fraction(0), Fraction(0), list(combinations(range(10), 5))
    for deal in deals:
        hand = arranged(played.deck, deal)
        kept = [face for place, face in enumerate(hand) if HOLD_OF[table.choose(hand, HOLD_IDS)] >> place & 1]
        draws = list(combinations(sorted({*range(10)} - {*deal}), 5 - len(kept)))
        rows = [played.outcome((*kept, *draw)) for draw in draws]
        returned = [0 if row == text.LOSE else 1 + small.wagers[0].paytable.pays(row) for row in rows]
        first += Fraction(sum(returned), len(draws))
        both += Fraction(sum(one * other for one, other in product(returned, returned)), len(draws) ** 2)
    assert figures.covariance(small, table) == both / len(deals) - (first / len(deals)) ** 2 != 0


def test_there_are_134_459_classes_of_deals(jacks: Game) -> None:
    # arXiv:1602.04171.
    deals = deals_of(deck_of(jacks), 5)
    assert (len(deals.numbers), int(deals.weights.sum())) == (134_459, 2_598_960)


def test_the_lower_paytable_returns_its_printed_figure() -> None:
    game = game_of("jacks-or-better-8-5")
    best = return_of_best(game)
    assert parse_percent("97.2984 %").stands_for(best)
    assert all(claim.printed.stands_for(best) for claim in game.claims)


def test_a_claim_that_no_play_reaches_is_below_every_bound_of_it(jacks: Game) -> None:
    lowered = with_pays(jacks, {ids.FULL_HOUSE: 8, ids.FLUSH: 5})
    best = return_of_best(lowered)
    low, _ = parse_percent("99 %").interval
    assert best < low
    assert best == Fraction(1616226757427, 1661102543100)


def with_pays(game: Game, pays: dict[str, int]) -> Game:
    """Returns a game in which rows return so much for one."""
    wager = game.wagers[0]
    rows = tuple(
        replace(row, pays=Fraction(pays[row.id] - 1)) if row.id in pays else row
        for row in wager.paytable.rows
    )
    return replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=rows)),))


@pytest.mark.slow
def test_full_pay_deuces_wild_has_the_published_combinations() -> None:
    # https://wizardofodds.com/games/video-poker/tables/deuces-wild/: one hand can be played two ways of equal worth,
    # so that rows which these ways exchange lie between our calmest and wildest choices.
    game = game_of("deuces-wild-full-pay")
    assert analyze(game).wagers[0].return_to_player == Fraction(32187682693, 31944279675)
    published = {
        ids.ROYAL: 440_202_756, ids.FOUR_DEUCES: 4_060_462_824, ids.WILD_ROYAL: 35_796_957_696,
        ids.FIVE: 63_818_309_856, ids.FOUR: 1_294_427_430_576, ids.FULL_HOUSE: 423_165_297_240,
    }  # fmt: skip
    assert {row: ways(game, row) for row in published} == published
    exchanged = {
        ids.STRAIGHT_FLUSH: 83_087_969_280, ids.FLUSH: 334_561_280_724, ids.STRAIGHT: 1_117_664_265_756,
        ids.THREE: 5_674_784_779_512,
    }  # fmt: skip
    counted = enumerated(game)
    pays = holds.pays_of_kinds(counted, returns_of(game))
    wildest = holds.kinds_reached(counted, holds.best_holds(counted, pays, calm=False))
    for row, number in exchanged.items():
        other = sum(reached for kind, reached in enumerate(wildest) if figures.row_of_kind(game, kind) == row)
        low, high = sorted((int(ways(game, row)), other))
        assert low <= number <= high


@pytest.mark.slow
def test_joker_poker_has_the_published_return_and_royal_flushes() -> None:
    # wizardofvegas.com, Joker Poker; "1 in 41,214": polyva.mystrikingly.com, How to play double joker poker.
    game = game_of("joker-poker-kings")
    best = analyze(game).wagers[0]
    assert all(claim.printed.stands_for(best.return_to_player) for claim in game.claims)
    royal = next(one.probability for one in best.outcomes if one.id == ids.ROYAL)
    assert round(1 / royal) == 41_214


@pytest.mark.slow
def test_enumeration_and_walk_of_a_small_deck_agree_on_the_best_play(small: Game) -> None:
    own = analyze(small).wagers[0].return_to_player
    walked = engine_of(small.port).analyze(small, "main-optimal").wagers[0].return_to_player
    assert own == walked


@pytest.mark.parametrize("strategy", ["main-optimal", "hold-list", "as-dealt"])
def test_enumeration_and_walk_of_a_small_deck_agree_on_every_outcome(small: Game, strategy: str) -> None:
    own = analyze(small, strategy)
    walked = engine_of(small.port).analyze_table(small, own.strategy).wagers[0]
    reached = {one.id: one.probability for one in walked.outcomes if one.probability}
    assert {one.id: one.probability for one in own.wagers[0].outcomes if one.probability} == reached


def test_an_altered_count_of_what_is_thrown_away_is_noticed_by_the_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = small_game("deuces-wild-full-pay")
    counted = enumerated(game)
    altered = counted.within.copy()
    altered[-1] = altered[-1][::-1]
    figures._best.cache_clear()
    monkeypatch.setattr(figures, "enumerated", lambda game: replace(counted, within=altered))
    walked = engine_of(game.port).analyze(game, "main-optimal").wagers[0].return_to_player
    noticed = figures.return_of_best(game) != walked
    figures._best.cache_clear()
    assert noticed


def kind_row(game: Game, hand: tuple[int, ...]) -> str:
    """Returns the row of a hand by the table of the exact figures."""
    return figures.row_of_kind(game, int(enumerated(game).kinds[number_of(hand)]))


def second_row(game: Game, hand: tuple[int, ...]) -> str:
    """Returns the row of a hand by the second text."""
    faces = [game.equipment[0].faces[face] for face in hand]
    return settle(game.rules, pays_of(game.wagers), faces, ("hold-12345",))[ids.BET][0]


@pytest.mark.parametrize(
    "name", firsts(["jacks-or-better-9-6", "deuces-wild-full-pay", "joker-poker-kings"], 2)
)
def test_the_second_text_settles_every_strength_of_hands_as_the_reference_round_does(name: str) -> None:
    game = game_of(name)
    deck, own, random = deck_of(game), reference(game), Random(name)  # noqa: S311
    deals = deals_of(deck, 5)
    _, first = np.unique(deals.strengths, return_index=True)
    faces = game.equipment[0].faces
    for held in first[:: 36 if name.startswith("jacks") else 24].tolist():
        hand = hand_of(held, 5, deck.size)
        row = [*hand, *random.sample([face for face in range(deck.size) if face not in hand], deck.size - 5)]
        for hold in (HOLD_IDS[0], random.choice(HOLD_IDS)):
            drawn = 5 - sum(str(place) in hold for place in range(1, 6))
            seen = [faces[face] for face in row[: 5 + drawn]]
            ended = play(own, row, [hold])
            said = settle(game.rules, pays_of(game.wagers), seen, (hold,))
            assert said == {one.wager: (one.outcome, one.net) for one in ended.results}, (seen, hold)


def test_a_straight_from_the_ace_that_is_ranked_wrongly_is_found_by_the_second_text(
    jacks: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["A of hearts", "2 of clubs", "3 of hearts", "4 of clubs", "5 of hearts"]
    hand = tuple(map(jacks.equipment[0].faces.index, names))
    assert reference(jacks).outcome(hand) == second_row(jacks, hand) == ids.STRAIGHT
    own = text.best_five
    monkeypatch.setattr(text, "best_five", lambda cards: 0 if own(cards) == 4 << 26 | 3 else own(cards))
    assert (reference(jacks).outcome(hand), second_row(jacks, hand)) == (ids.LOSE, ids.STRAIGHT)


def test_bonus_rows_split_four_of_a_kind(jacks: Game) -> None:
    wager = jacks.wagers[0]
    four = next(row for row in wager.paytable.rows if row.id == ids.FOUR)
    extra = tuple(replace(four, id=row) for row in ids.BONUS_ROWS)
    table = replace(wager.paytable, rows=(*wager.paytable.rows, *extra))
    game = replace(jacks, wagers=(replace(wager, paytable=table),))
    faces = game.equipment[0].faces
    for names, row in {
        "A A A A 3": ids.ACES_WITH_KICKER, "A A A A 9": ids.FOUR_ACES, "3 3 3 3 A": ids.LOW_WITH_KICKER,
        "3 3 3 3 2": ids.LOW_WITH_KICKER, "4 4 4 4 9": ids.FOUR_LOW, "9 9 9 9 A": ids.FOUR,
    }.items():  # fmt: skip
        left = {rank: [face for face in range(52) if faces[face].startswith(f"{rank} ")] for rank in RANKS}
        hand = tuple(left[rank].pop() for rank in names.split())
        assert reference(game).outcome(hand) == row
        assert second_row(game, hand) == row
        assert kind_row(game, hand) == row


def test_the_hands_of_a_deck_are_of_each_kind_as_often_as_every_book_says(jacks: Game) -> None:
    import numpy as np

    found = np.bincount(enumerated(jacks).kinds, minlength=len(ROWS_OF_KIND))
    by_row: dict[str, int] = {}
    for kind, number in enumerate(found.tolist()):
        row = (ROWS_OF_KIND[kind] or (ids.LOSE,))[-1]
        by_row[row] = by_row.get(row, 0) + number
    assert by_row == {
        ids.LOSE: 2_062_860, ids.HIGH_PAIR: 337_920, ids.TWO_PAIR: 123_552, ids.THREE: 54_912,
        ids.STRAIGHT: 10_200, ids.FLUSH: 5_108, ids.FULL_HOUSE: 3_744, ids.FOUR: 624,
        ids.STRAIGHT_FLUSH: 36, ids.ROYAL: 4, ids.FIVE: 0, ids.WILD_ROYAL: 0, ids.FOUR_DEUCES: 0,
    }  # fmt: skip


def test_every_row_is_shown_and_the_exposure_is_real(jacks: Game) -> None:
    rows = {witness.row for witness in witnesses(jacks, reachable_rows(jacks))}
    assert rows == {*jacks.wagers[0].paytable.ids, ids.LOSE}
    highest = exact_of(jacks).exposure(jacks)
    played = play(jacks.port.reference(jacks), highest.deck, highest.decisions)
    assert played.net[ids.BET] * jacks.wagers[0].limits.maximum == highest.amount


def test_a_hand_is_explained_by_the_value_of_every_hold(jacks: Game) -> None:
    found = exact_of(jacks).explain(jacks, "A of hearts, K of hearts, Q of hearts, J of hearts, 2 of spades")
    assert (found.best, len(found.values)) == ("hold-1234", 32)
    with pytest.raises(InputError, match="five different cards"):
        exact_of(jacks).explain(jacks, "A of hearts")


def test_a_lost_pay_is_found_again_by_solving_every_candidate(tmp_path: Path) -> None:
    text = (GAMES / "jacks-or-better-9-6/game.toml").read_text("utf-8")
    lost = tmp_path / "game.toml"
    mark = 'provenance = "recovered"\nby = "claim/bet/return-to-player"\nunique = true'
    lost.write_text(text.replace('pays = "9 for 1"', f'pays = "9 for 1"\n{mark}'))
    found = identify(read_game(lost), "bet", minimum=5, maximum=12, order="any")
    assert [dict(fit.pays) for fit in found.fits] == [{ids.FULL_HOUSE: 8}]
    lost.write_text(text.replace('pays = "1 for 1"', f'pays = "1 for 1"\n{mark}'))
    # A pair for 1 gives the stake back: no pay to 1 from 1 on returns the figure.
    to_one, for_one = identify(read_game(lost), "bet", maximum=3).readings
    assert (to_one.fits_count, for_one.customary_count) == (0, 1)
    assert [(dict(fit.reading), dict(fit.pays)) for fit in for_one.fits] == [
        (dict([FOR_ONE]), {ids.HIGH_PAIR: 0})
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("decks = 1", "decks = 2", "one deck"),
        ('wild-cards"\nvalue = "none"', 'wild-cards"\nvalue = "jokers"', "0 jokers"),
        ('id = "full-house"', 'id = "full-boat"', 'covers the hand "full-house"'),
        ('id = "two-pair"', 'id = "four-aces"', "two-pair"),
        ('value = "1"', 'value = "2"', "draws"),
        (
            "[[rules]]",
            '[[rules]]\nid = "hands"\nvalue = "5"\ntitle = "Five"\n\n[[rules]]',
            "several hands on one deal",
        ),
        ("decks = 1", 'decks = 1\nremoved = ["2 of clubs"]', "cards removed"),
    ],
)
def test_what_does_not_fit_video_poker_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    spoilt = tmp_path / "game.toml"
    text = (GAMES / "jacks-or-better-9-6/game.toml").read_text("utf-8")
    assert old in text
    spoilt.write_text(text.replace(old, new, 1))
    with pytest.raises(SubmissionError, match=message):
        read_game(spoilt)


def test_a_submission_may_split_four_of_a_kind_into_rows_of_their_own(tmp_path: Path) -> None:
    text = (GAMES / "jacks-or-better-9-6/game.toml").read_text("utf-8")
    first = '[[wagers.paytable]]\nid = "four-of-a-kind"'
    extra = "".join(
        f'[[wagers.paytable]]\nid = "{row}"\ntitle = "{row}"\npays = "80 for 1"\n\n' for row in ids.BONUS_ROWS
    )
    split = tmp_path / "game.toml"
    split.write_text(text.replace(first, extra + first, 1))
    game = read_game(split)
    rules = game.port.rules
    assert set(rules.paid_rows(game, ids.BET)) == set(game.wagers[0].paytable.ids) >= set(ids.BONUS_ROWS)
    # A row that is no hand of the game is read, and said to be reached by none.
    split.write_text(text.replace(first, extra.replace("four-aces", "four-nines") + first, 1))
    strange = read_game(split)
    reached = strange.port.rules.reachable_rows(strange, ids.BET)
    assert [row for row in strange.wagers[0].paytable.ids if row not in reached] == [
        row.replace("four-aces", "four-nines") for row in ids.BONUS_ROWS if "four-aces" in row
    ]


@given(st.randoms(use_true_random=False), st.permutations(range(4)))
def test_rounds_that_differ_in_the_names_of_suits_matter_alike(random: Random, names: list[int]) -> None:
    game = game_of("deuces-wild-full-pay")
    round_, deck = reference(game), deck_of(game)
    cards = [(deck.cards[face], face) for face in range(len(game.equipment[0].faces))]
    exchanged = {
        face: next((other for (r, s), other in cards if rank != WILD and (r, s) == (rank, names[suit])), face)
        for (rank, suit), face in cards
    }
    # Few ranks, so that suits are often held alike and split differently between what is kept and what is gone.
    few = [face for (rank, _), face in cards if rank in {3, 9, WILD}]
    faces = random.sample(few, 5 + random.randrange(1, 5))
    dealt, drawn = faces[:5], faces[5:]
    held = set(random.sample(dealt, 5 - len(drawn)))

    def matters(names: dict[int, int]) -> Hashable:
        hand = tuple(names[face] for face in dealt)
        kept = {names[face] for face in held}
        bits = sum(1 << place for place, face in enumerate(arranged(deck, hand)) if face in kept)
        return round_.matters(State(hand, bits, tuple(names[face] for face in drawn[:-1])))

    assert matters(exchanged) == matters({face: face for _, face in cards})


# Strategies as printed lists: the first line that fits is held, and what that costs is exact.


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


# Play-through of video poker: reference round and compiled code on the same cards.


SEED = bytes(range(32))


@pytest.mark.parametrize("strategy", ["main-optimal", "hold-list"])
def test_reference_and_kernel_agree_on_small_decks(small: Game, strategy: str) -> None:
    played = analyze(small, strategy).strategy
    found = agreement_of_rounds(StreamDecks.of(small, SEED), 150, small, played)
    assert (found.decks, found.differences, len(found.legs)) == (150, (), 5)


def test_counts_do_not_depend_on_how_a_campaign_is_cut(small: Game) -> None:
    counter = volume_of(small).counter(small, analyze(small).strategy)
    whole, parts = stream(SEED, "simulation-decks", 0), stream(SEED, "simulation-decks", 0)
    at_once = counter.count_rounds(whole, 20_000)  # type: ignore[attr-defined]
    first, second, third = (counter.count_rounds(parts, rounds) for rounds in (1, 9_999, 10_000))  # type: ignore[attr-defined]
    assert at_once == first + second + third


def test_strategies_and_rows_of_other_decks_are_refused(jacks: Game, small: Game) -> None:
    refuses(
        InputError,
        ("another deck", lambda: volume_of(jacks).counter(jacks, analyze(small).strategy)),
        (
            "another family",
            lambda: volume_of(jacks).counter(jacks, ChoiceTable("main-optimal", "none", frozenset())),
        ),
    )
    counter = volume_of(small).counter(small, analyze(small).strategy)
    with pytest.raises(InputError, match="expected"):
        counter.count(np.zeros((1, 70), dtype=np.uint8))


def test_a_row_that_no_hand_is_paid_by_comes_with_the_rows_of_nearly_its_name(jacks: Game) -> None:
    said = row_never_reached(jacks, jacks.wager("bet"), "aces")
    assert said.endswith("high-pair; rows of nearly this name are four-aces-with-two-to-four, four-aces")


def test_a_hold_that_names_no_hand_is_refused(small: Game) -> None:
    strategy = analyze(small).strategy
    with pytest.raises(InputError, match="five cards"):
        strategy.choose((0, 0, 1, 2, 3), ())
    assert replace(strategy, name="other") != strategy  # type: ignore[type-var]
