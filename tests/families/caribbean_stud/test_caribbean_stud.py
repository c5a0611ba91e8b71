"""Caribbean stud: published counts, legs that agree, rules that are read, faults that are noticed."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from representatives import firsts, only

from certify.analysis.hands.deals import deals_of, hand_of
from certify.analysis.hands.strength import CountedDeck, best_five, deck_of_piece, label, labelled
from certify.certification.cross_checks import agreement
from certify.certification.exact import exact_results
from certify.clauses import regime_of
from certify.clauses.registry import checks
from certify.clauses.status import applicabilities
from certify.errors import InputError, NothingCheckedError, SubmissionError
from certify.exact import parse_percent
from certify.families import play, reachable_rows, witnesses
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.family import SIMPLER, best
from certify.families.caribbean_stud.rules import BY_SUITS, PRINTED, named, rules_of
from certify.families.caribbean_stud.second import settle
from certify.families.caribbean_stud.text import charted, parse_rules, text_of
from certify.families.one_decision import text as one_decision
from certify.families.one_decision.exact import counted
from certify.mathematics import analyze, analyze_table, engine_of, explain, exposure, identify
from certify.model import Applicability, Game, PaytableRow, Strategy, Witness, pays_of, shoe
from certify.simulation import StreamDecks
from certify.submission import parse_game, read_game

PATH = Path("fixtures/games/caribbean-stud/game.toml")
TEXT = PATH.read_text("utf-8")
GAME = read_game(PATH)
DEALS = 19_933_230_517_200

LOSSES = {
    "main-optimal": 1_041_372_912_372,
    "three-rules": 1_041_417_758_724,
    "raise-from-A-K-J-8-3": 1_059_715_400_580,
    "matching-rank": 1_063_176_931_284,
    "raise-from-pair": 1_090_272_101_460,
    "raise-from-A-K": 1_132_600_203_540,
    "always:raise": 3_310_360_338_060,
}
"""Units lost over all deals by strategy: toho-talent.com and the project's table of known figures; see sources.md."""

ENDS = {
    "royal-flush": 16_759_740,
    "straight-flush": 156_929_720,
    "four-of-a-kind": 2_832_435_800,
    "full-house": 16_624_475_280,
    "flush": 21_856_990_280,
    "straight": 43_805_516_100,
    "three-of-a-kind": 234_242_908_320,
    "two-pair": 488_012_139_360,
    "win": 2_343_248_003_808,
    "unqualified": 4_532_514_033_720,
    "push": 321_623_100,
    "lose": 2_726_592_727_512,
    "fold": 9_523_005_974_460,
}
"""Deals by how they end under best play: casinoadvisor.com, "Caribbean Stud Poker Probability"; see sources.md."""


def paying(game: Game, wager: str, pays: Mapping[str, int | Fraction]) -> Game:
    """Returns a game in which a wager has these rows."""
    rows = tuple(PaytableRow(row, row, Fraction(pay)) for row, pay in pays.items())
    entry = game.wager(wager)
    changed = replace(entry, paytable=replace(entry.paytable, rows=rows))
    return replace(game, wagers=tuple(changed if one.id == wager else one for one in game.wagers))


def deck_of(game: Game) -> CountedDeck:
    """Returns the deck of a game."""
    return deck_of_piece(game.equipment[0])


def ruled(game: Game, **changed: object) -> Game:
    """Returns a game under other rules."""
    return replace(game, rules=replace(game.rules, **changed))  # type: ignore[type-var]


def small(game: Game, ranks: str, suits: int) -> Game:
    """Returns a game dealt from fewer cards."""
    names = ("diamonds", "hearts", "spades", "clubs")[:suits]
    return replace(game, equipment=(shoe("deck", ranks.split(), names),))


NO_ROYAL = paying(
    GAME,
    ids.ANTE,
    {row.id: row.pays for row in GAME.wager(ids.ANTE).paytable.rows if row.id != "royal-flush"},
)
"""Royal flushes paid as the straight flushes that they are."""


class ByLabel:
    """Raises or folds by a digest of what is seen, one suit of it included."""

    name, strategy_class = "by label", "everything"

    def __init__(self, key: str) -> None:
        self.key = key

    def choose(self, sees: object, options: object) -> str:
        """Returns what the digest says."""
        return ids.OPTIONS[hashlib.sha256(f"{self.key}{sees}".encode()).digest()[0] & 1]

    def table(self) -> object:
        """Returns the key."""
        return [self.key]


def decks(key: bytes, rounds: int) -> NDArray[np.uint8]:
    """Returns shuffled decks."""
    generator = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))
    return generator.permuted(np.tile(np.arange(52, dtype=np.uint8), (rounds, 1)), axis=1)


@pytest.mark.parametrize("strategy", firsts(LOSSES, 2))
def test_best_play_and_every_printed_rule_lose_what_is_published(strategy: str) -> None:
    found = analyze(GAME, strategy).wager(ids.ANTE)
    assert found.expectation * DEALS == -LOSSES[strategy]
    if strategy == "three-rules":
        # The element of risk that is printed: the loss by all that is wagered.
        assert found.return_on_total_wagered is not None
        assert parse_percent("2.554 %").stands_for(1 - found.return_on_total_wagered)


def test_every_end_of_a_round_comes_as_often_as_published() -> None:
    found = analyze(GAME).wager(ids.ANTE)
    assert {end.id: end.probability * DEALS for end in found.outcomes} == ENDS
    assert sum(ENDS.values()) == DEALS


def test_hands_are_as_many_as_any_table_of_poker_says() -> None:
    found = counted(text_of(GAME).terms)
    ways = np.bincount(found.kinds, weights=found.weights).astype(int) // 47
    # 52 cards, five dealt: the counts that every table of poker hands prints; nothing is five of a kind.
    assert ways.tolist() == [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 0, 4]
    assert (len(found.hands), found.total) == (134_459, DEALS)


@pytest.mark.parametrize(
    ("flush", "full", "four", "printed"), [(50, 75, 100, "0.38"), (100, 250, 500, "0.82")]
)
def test_the_progressive_bet_returns_what_is_printed(flush: int, full: int, four: int, printed: str) -> None:
    # usvegas.com, "Caribbean Stud", at a meter of 50,000; pays include the bet.
    pays = {
        "royal-flush": 50_000,
        "straight-flush": 5_000,
        "four-of-a-kind": four,
        "full-house": full,
        "flush": flush,
    }
    game = paying(GAME, ids.PROGRESSIVE, {row: pay - 1 for row, pay in pays.items()})
    exact = analyze(game, "always:raise").wager(ids.PROGRESSIVE).return_to_player
    assert abs(exact - Fraction(printed)) < Fraction("0.005")


def test_the_bonus_on_six_cards_is_the_known_one_on_six_cards() -> None:
    found = analyze(GAME, "always:raise").wager(ids.FIVE_PLUS_ONE)
    # The best five of any six cards, as three card poker's bonus counts them.
    ways = [188, 1656, 14664, 165984, 205792, 361620, 732160, 18876456]
    assert [outcome.probability * 20_358_520 for outcome in found.outcomes] == ways


@pytest.mark.parametrize(
    ("ranks", "suits", "loses", "lowest"),
    [
        ("A 2 3 4 5", 2, True, ids.ACE),
        pytest.param("A 2 3 4 5 K", 2, False, ids.ACE_KING, marks=pytest.mark.slow),
        pytest.param("9 10 J Q K A", 2, True, ids.ANY, marks=pytest.mark.slow),
        pytest.param("A K Q", 4, False, ids.PAIR, marks=pytest.mark.slow),
    ],
)
def test_counting_and_the_walk_of_the_round_agree_on_small_decks(
    ranks: str, suits: int, loses: bool, lowest: str
) -> None:
    game = ruled(small(NO_ROYAL, ranks, suits), fold_loses_all=loses, lowest=lowest, antes=3)
    strategy = ByLabel(ranks)
    own, walked = analyze_table(game, strategy), engine_of(game.port).analyze_table(game, strategy)
    for one, other in zip(own.wagers, walked.wagers, strict=True):
        found = {(o.id, o.pays, o.staked): o.probability for o in one.outcomes if o.probability}
        assert found == {(o.id, o.pays, o.staked): o.probability for o in other.outcomes if o.probability}
        assert one.total_wagered == other.total_wagered or one.total_wagered in (None, 1)
    best = engine_of(game.port).analyze(game, "main-optimal").wager(ids.ANTE).expectation
    assert analyze(game).wager(ids.ANTE).expectation == best >= own.wager(ids.ANTE).expectation


@settings(max_examples=4)
@given(st.text("ab", max_size=4), st.binary(max_size=8), st.booleans(), st.sampled_from(ids.LOWEST))
def test_reference_and_kernel_settle_every_deck_alike(
    chosen: str, key: bytes, loses: bool, lowest: str
) -> None:
    game, rows = ruled(NO_ROYAL, fold_loses_all=loses, lowest=lowest, antes=1), decks(key, 200)
    strategy: Strategy = ByLabel(chosen) if chosen else PRINTED["three-rules"]
    assert not agreement(game, strategy, rows).differences
    volume = game.port.volume
    assert volume is not None
    counter, streams = volume.counter(game, strategy), StreamDecks.of(game, bytes(32))
    assert streams.rounds(0, 200).count(counter, 200) == counter.count(streams.deal(0, 200))
    ends = {wager.id: {end.id: end for end in text_of(game).rows(wager)} for wager in game.wagers}
    for row in rows[:40].tolist():
        for result in play(game.port.reference(game), row, strategy).results:
            end = ends[result.wager][result.outcome]
            assert result.staked == end.staked
            assert volume.net(game, result.wager, result.outcome) == result.net == end.pays


@lru_cache
def shown(game: Game) -> tuple[Witness, ...]:
    """The rounds that show the rows of a game."""
    return tuple(witnesses(game, reachable_rows(game)))


def settled_apart(game: Game, row: list[int], option: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Returns the outcomes of a round by the reference round and by the second text, which pays it alike."""
    one = play(game.port.reference(game), row, [option])
    other = settle(game.rules, pays_of(game.wagers), one.draws, one.decisions)
    outcomes = {wager: outcome for wager, (outcome, _) in other.items()}
    if outcomes == one.outcomes:
        assert {wager: net for wager, (_, net) in other.items()} == one.net
    return one.outcomes, outcomes


@pytest.mark.parametrize(
    ("lowest", "apart"),
    [
        (ids.ACE_KING, 60),
        *(
            pytest.param(lowest, 12 if lowest == ids.ACE_KING else 40, marks=pytest.mark.slow)
            for lowest in ids.LOWEST
        ),
    ],
)
def test_the_second_text_settles_every_strength_of_hands_as_the_reference_round_does(
    lowest: str, apart: int
) -> None:
    random = Random(lowest)  # noqa: S311
    game = ruled(
        GAME if lowest == ids.ACE_KING else NO_ROYAL, lowest=lowest, fold_loses_all=lowest == ids.ACE
    )
    deals = deals_of(deck_of(game), 5)
    # A hand of every strength against any, and some against one of their own.
    _, first = np.unique(deals.strengths, return_index=True)
    for own in (hand_of(int(number), 5, 52) for number in first[::apart]):
        left = [face for face in range(52) if face not in own]
        same = [face + 13 * (1 - 2 * (face % 26 >= 13)) for face in own]
        other = same if not set(same) & set(own) and random.randrange(4) == 0 else random.sample(left, 5)
        row = [*own, *other, *(face for face in left if face not in other)]
        for option in ids.OPTIONS if random.randrange(8) == 0 else (ids.RAISE,):
            one, two = settled_apart(game, row, option)
            assert one == two, (row[:10], option)
    for witness in shown(game):
        one, two = settled_apart(game, list(witness.deck), ids.RAISE)
        assert one == two


def test_a_straight_from_the_ace_that_is_ranked_wrongly_is_found_by_the_second_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faces = GAME.equipment[0].faces
    names = [
        "A of hearts",
        "2 of clubs",
        "3 of hearts",
        "4 of clubs",
        "5 of hearts",
        "2 of hearts",
        "3 of clubs",
        "4 of hearts",
        "5 of clubs",
        "6 of hearts",
    ]
    row = [*map(faces.index, names), *(face for face, name in enumerate(faces) if name not in names)]
    assert settled_apart(GAME, row, ids.RAISE)[0][ids.ANTE] == "lose"
    own = one_decision.best_five
    monkeypatch.setattr(
        one_decision, "best_five", lambda cards: own(cards) + (9 if own(cards) == 4 << 26 | 3 else 0)
    )
    one, other = settled_apart(GAME, row, ids.RAISE)
    assert (one[ids.ANTE], other[ids.ANTE]) == ("straight", "lose")


@given(st.permutations(range(52)), st.permutations(range(4)))
def test_what_is_seen_is_called_the_same_whatever_the_suits_are_called(
    deal: list[int], suits: list[int]
) -> None:
    *own, up = [deck_of(GAME).cards[face] for face in deal[:6]]
    renamed = [(rank, suits[suit]) for rank, suit in reversed(own)]
    called = label(own, [up])
    assert called == label(renamed, [(up[0], suits[up[1]])]) == label(*labelled(called))


@given(
    st.permutations(range(52)), st.sampled_from(["raise-from-A-K", "raise-from-A-K-J-8-3", "raise-from-Q"])
)
def test_a_lowest_hand_is_the_one_that_the_rulebook_ranks(deal: list[int], name: str) -> None:
    *own, up = [deck_of(GAME).cards[face] for face in deal[:6]]
    rule = named(name)
    assert rule is not None
    assert rule.least is not None
    raised = best_five(own) >= sum(1 << rank for rank in rule.least)
    assert rule.choose(label(own, [up]), ids.OPTIONS) == (ids.RAISE if raised else ids.FOLD)


@pytest.mark.parametrize(
    ("sees", "three", "matching"),
    [
        ("Aa Kb 9c 8d 3a / 8b", "raise", "raise"),
        ("Aa Kb Jc 8d 3a / Kc", "raise", "raise"),
        ("Aa Kb 10c 8d 3a / Kc", "fold", "raise"),
        ("Aa Kb Qc 8d 3a / 7b", "raise", "fold"),
        ("Aa Kb Qc 8d 3a / 9b", "fold", "fold"),
        ("Aa Kb Jc 8d 3a / 2b", "fold", "fold"),
        ("Aa Qb Jc 8d 3a / 8b", "fold", "fold"),
        ("2a 2b Jc 8d 3a / Ab", "raise", "raise"),
        ("7a 6b 5c 4d 3a / Ab", "raise", "raise"),
    ],
)
def test_printed_rules_decide_as_they_are_worded(sees: str, three: str, matching: str) -> None:
    assert PRINTED["three-rules"].choose(sees, ids.OPTIONS) == three
    assert PRINTED["matching-rank"].choose(sees, ids.OPTIONS) == matching


def test_best_play_raises_every_pair_folds_less_than_ace_king_and_looks_at_suits_rarely() -> None:
    found = analyze(GAME)
    assert sum(one.probability for one in found.decisions) == 1
    made = {
        (one.best, one.chosen) for one in found.decisions if charted(one)[1] in ("pair", "two pair", "flush")
    }
    low = {one.chosen for one in found.decisions if one.hand.startswith(("Q", "K", "A-Q", "A-J", "K high"))}
    assert (made, low) == ({("raise", "raise")}, {"fold"})
    assert best(GAME).cells.count(BY_SUITS) == 69
    assert [LOSSES[name] for name in SIMPLER] == sorted(LOSSES[name] for name in SIMPLER)


@pytest.mark.parametrize("lowest", only(ids.LOWEST, ids.ACE_KING))
@pytest.mark.parametrize("paid", firsts([GAME, NO_ROYAL]), ids=["as submitted", "no royal"])
def test_every_row_has_a_witness(paid: Game, lowest: str) -> None:
    game = ruled(paid, lowest=lowest)
    rules = game.port.rules
    wanted = {(wager.id, row) for wager in game.wagers for row in rules.reachable_rows(game, wager.id)}
    assert {(one.wager, one.row) for one in shown(game)} == wanted


def test_the_costliest_round_is_a_royal_flush() -> None:
    found = exposure(GAME)
    # The ante and a hundred times its double, the meter less the bet, a thousand times the bonus, at their maxima.
    assert found.amount == 201 * 10_000 + 49_999 * 100 + 1000 * 2_500
    ended = play(GAME.port.reference(GAME), found.deck, found.decisions).outcomes
    assert set(ended.values()) == {"royal-flush"}


EXPLAINED = "A of clubs, K of clubs, Q of hearts, 10 of spades, 9 of diamonds, J of hearts"


def test_a_hand_is_explained_by_its_better_option() -> None:
    found = explain(GAME, EXPLAINED)
    worth = dict(found.values)
    assert (found.best, worth["fold"]) == ("fold", -1)
    assert worth["raise"] < -1
    with pytest.raises(InputError, match="expected six different cards"):
        explain(GAME, "Q of clubs, Q of clubs, 4 of hearts")


def test_printed_rules_of_a_file_are_the_named_ones(tmp_path: Path) -> None:
    head = 'schema = "certify-raise-rules/1"\nname = "card"\n'
    cases = (
        'least = "A-K"\n[[raise]]\nmatched = true\nup = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q"]\n'
        '[[raise]]\nup = ["K", "A"]\nholds = ["Q", "J"]\n[[raise]]\nmatched = false\nholds = ["Q"]\nabove = 4\n'
    )
    listed = tmp_path / "card.toml"
    listed.write_text(head + cases, "utf-8")
    assert analyze(GAME, f"file:{listed}").wager(ids.ANTE).expectation * DEALS == -LOSSES["three-rules"]
    assert parse_rules(head, "card").when == ()
    assert parse_rules(head, "card").least is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("schema = 1", "certify-raise-rules/1"),
        ('schema = "certify-raise-rules/1"\nname = "three-rules"', "built-in"),
        ('schema = "certify-raise-rules/1"\nname = "x"\nleast = "K-A"', "ranks that fall"),
        ('schema = "certify-raise-rules/1"\nname = "x"\n[[raise]]\nmatched = true', "least"),
        ('schema = "certify-raise-rules/1"\nname = "x"\nleast = "A"\n[[raise]]\nmatched = 1', "matched"),
        (
            'schema = "certify-raise-rules/1"\nname = "x"\nleast = "A"\n[[raise]]\nabove = 9',
            "place from 1 to 5",
        ),
        ('schema = "certify-raise-rules/1"\nname = "x"\nleast = "A"\n[[raise]]\nup = ["1"]', "ranks of 2"),
        ('schema = "certify-raise-rules/1"\nname = "x"\nleast = "A"\nraise = 3', "for each case"),
        ('schema = "certify-raise-rules/1"\nname = "x"\nleast = "A"\nraise = [3]', "for each case"),
        ('schema = "certify-raise-rules/1"\nname = "x"\nother = 1', "unknown keys other"),
        ("[[", "not TOML"),
    ],
)
def test_a_file_that_states_no_rule_is_refused(text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        parse_rules(text, "card.toml")


def test_a_lost_pay_is_found_from_the_printed_return() -> None:
    row = 'title = "Flush"\npays = "100 for 1"'
    assert row in TEXT
    lost = f'{row}\nprovenance = "recovered"\nby = "identify/progressive"'
    game = parse_game(TEXT.replace(row, lost, 1).encode(), "game.toml")
    (search,) = identify(game, ids.PROGRESSIVE, order="any").readings
    # The return is printed to two digits, which several pays give.
    assert 99 in [dict(fit.pays)["flush"] for fit in search.fits]
    with pytest.raises(NothingCheckedError):
        identify(GAME, ids.PROGRESSIVE)


@pytest.mark.parametrize(
    "name", ["raise-from-", "raise-from-4-6", "raise-from-A-K-Q-J-9-8", "always:play", "mimic"]
)
def test_a_strategy_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected"):
        analyze(GAME, name)


def test_pays_too_large_to_be_counted_in_whole_numbers_are_refused() -> None:
    rows = {row.id: row.pays for row in GAME.wager(ids.ANTE).paytable.rows}
    with pytest.raises(InputError, match="too large, or fractions too fine"):
        analyze(paying(GAME, ids.ANTE, {**rows, "win": Fraction(1, 10**9 + 7)}))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('value = "ace king high"', 'value = "ten high"', "expected one of any hand, ace high"),
        ('value = "settled"', 'value = "kept"', "expected one of settled, lost"),
        ('value = "2"', 'value = "9"', "9"),
        ('"J", "Q", "K"]', '"J", "Q"]', "one deck of 52 cards"),
        ("decks = 1", "decks = 2", "one deck of 52 cards"),
        ('id = "two-pair"', 'id = "pair"', "pair"),
        ('id = "unqualified"', 'id = "mini-royal"', "unqualified"),
        ('pays = "0 to 1"', 'pays = "1 to 1"', "a push returns the stake alone"),
        ('id = "ante-raise"', 'id = "ante"', "ante-raise"),
    ],
)
def test_a_submission_that_is_not_caribbean_stud_is_refused(old: str, new: str, expected: str) -> None:
    assert old in TEXT
    with pytest.raises(SubmissionError) as caught:
        parse_game(TEXT.replace(old, new, 1).encode(), "game.toml")
    assert any(expected in problem.message and problem.line for problem in caught.value.problems)


def test_printed_figures_hold_and_the_sources_are_those_submitted() -> None:
    for claim in GAME.claims:
        found = analyze(GAME, claim.strategy or "main-optimal").wager(claim.wager)
        exact = found.house_edge if claim.metric == "house-edge" else found.return_to_player
        assert claim.printed.stands_for(exact)
    assert GAME.sources[0].sha256 == hashlib.sha256((PATH.parent / "sources.md").read_bytes()).hexdigest()
    assert rules_of(GAME).antes == 2


@pytest.mark.parametrize(
    ("value", "verdict"), [("as stated", "inconclusive"), ("at its lowest", "satisfied")]
)
def test_a_floor_is_kept_by_a_progressive_bet_with_its_meter_at_its_lowest_alone(
    value: str, verdict: str
) -> None:
    """The fixture's meter stands at 50,000, where the bet returns 82 %: at 10,000 it returns 71 %."""
    rule = f'[[rules]]\nid = "meter"\nvalue = "{value}"\ntitle = "The meter"\n\n[[wagers]]'
    game = parse_game(PATH.read_text().replace("[[wagers]]", rule, 1).encode(), "game.toml")
    assert Applicability.JACKPOTS in applicabilities(game)
    results = exact_results(game, regime_of(), thorough=False)
    for check in ("returns.floor", "returns.at-every-stake"):
        (seen,) = (one for one in checks()[check].observe(results) if one.subject == ids.PROGRESSIVE)
        assert str(seen.verdict) == verdict
