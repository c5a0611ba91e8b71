"""Three card poker: published figures, legs that agree, rules that are read, faults that are noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from representatives import firsts

from certify.analysis.hands import kinds
from certify.analysis.hands.deals import deals_of
from certify.analysis.hands.deck import CountedDeck, deck_of_piece, label, labelled
from certify.analysis.hands.strength import three_cards
from certify.certification.audit import audit_decks
from certify.certification.legs import agreement
from certify.errors import InputError, NothingCheckedError, SubmissionError
from certify.exact import parse_percent
from certify.families.driver import play
from certify.families.one_decision import text as one_decision
from certify.families.one_decision.exact import counted
from certify.families.one_decision.kernel import cells_of
from certify.families.one_decision.three_cards import PRINTED_RULE, PlayedHands, hands, play_from
from certify.families.registry import family_of
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.second import settle
from certify.families.three_card_poker.text import ThreeCardPoker, text_of
from certify.families.witnesses import reachable_rows, witnesses
from certify.mathematics import analyze
from certify.mathematics.of_game import analyze_table, engine_of, explain, exposure, identify
from certify.model.equipment import shoe
from certify.model.game import Game
from certify.model.paytable import PaytableRow
from certify.model.stages import pays_of
from certify.simulation import StreamDecks
from certify.submission.reader import parse_game, read_game

PATH = Path("fixtures/games/three-card-poker/game.toml")
TEXT = PATH.read_text("utf-8")
GAME = read_game(PATH)


def paying(game: Game, wager: str, pays: Mapping[str, int]) -> Game:
    """Returns a game in which a wager has these rows."""
    rows = tuple(PaytableRow(row, row, Fraction(pay)) for row, pay in pays.items())
    entry = game.wager(wager)
    changed = replace(entry, paytable=replace(entry.paytable, rows=rows))
    return replace(game, wagers=tuple(changed if one.id == wager else one for one in game.wagers))


PAIR_PLUS = {"straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 3, "pair": 1}
MINI = paying(
    paying(GAME, ids.PAIR_PLUS, {"mini-royal": 50, **PAIR_PLUS}),
    ids.ANTE,
    {"mini-royal": 9, "straight-flush": 5, "straight": 2, "unqualified": 1, "win": 1, "push": 0},
)
"""Mini royals paid by themselves, and no bonus for three of a kind."""


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


def some(game: Game, chosen: int) -> PlayedHands:
    """Returns the strategy that plays some hands of a deck, one bit each."""
    faces = range(deck_of(game).size)
    labels = sorted({label(deck_of(game).of(hand)) for hand in combinations(faces, 3)})
    played = frozenset(one for place, one in enumerate(labels) if chosen >> place % 61 & 1)
    return PlayedHands("some", "some hands", played)


def decks(key: bytes, rounds: int) -> NDArray[np.uint8]:
    """Returns shuffled decks."""
    generator = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))
    return generator.permuted(np.tile(np.arange(52, dtype=np.uint8), (rounds, 1)), axis=1)


def test_the_ante_has_the_published_fraction_and_the_printed_rule_costs_nothing() -> None:
    analysis = analyze(GAME)
    figures_ = analysis.wager(ids.ANTE)
    assert figures_.expectation == Fraction(-686689, 20358520)
    assert analyze(GAME, PRINTED_RULE).wagers == analysis.wagers
    # 2.01 % of all that is wagered: casinocitytimes.com, "Three Card Poker Dissected"; see sources.md of the game.
    assert figures_.return_on_total_wagered is not None
    assert parse_percent("2.01 %").stands_for(1 - figures_.return_on_total_wagered)
    boundary = {one.hand: one.best for one in analysis.decisions}
    assert (boundary["Q-6-4"], boundary["Q-6-3"]) == ("play", "fold")
    assert sum(one.probability for one in analysis.decisions) == 1


@pytest.mark.parametrize(("strategy", "edge"), [("play-from-Q", "3.45 %"), ("always:play", "7.65 %")])
def test_simpler_rules_cost_what_is_printed(strategy: str, edge: str) -> None:
    # Printed by casinocitytimes.com, "Three Card Poker Dissected"; see sources.md of the game.
    assert parse_percent(edge).stands_for(analyze(GAME, strategy).wager(ids.ANTE).house_edge)


def test_hands_are_as_many_as_published_and_the_dealer_qualifies_as_often() -> None:
    found = counted(text_of(GAME).terms)
    ways = np.bincount(found.kinds, weights=found.weights).astype(int).tolist()
    # The project's table of known figures, from wizardofodds.com/games/three-card-poker.
    assert ways == [16440, 3744, 1096, 720, 52, 44, 4]
    assert found.total == 22_100 * 18_424
    passed = sum(
        weight * int(met[: kinds.KINDS].sum())
        for weight, met in zip(found.weights.tolist(), found.met, strict=True)
    )
    # Printed by casinocitytimes.com, "Win more at Three Card Poker".
    assert parse_percent("69.6 %").stands_for(1 - Fraction(passed, found.total))


@pytest.mark.parametrize(
    ("pays", "edge"),
    [
        ({**PAIR_PLUS, "flush": 4}, "2.32 %"),
        (PAIR_PLUS, "7.28 %"),
        ({"mini-royal": 50, **PAIR_PLUS}, "7.10 %"),
    ],
)
def test_pair_plus_keeps_the_printed_edge(pays: Mapping[str, int], edge: str) -> None:
    # Printed by tunicatravel.com, "Mini royal payoffs in Three Card Poker", and wizardofodds.com.
    assert parse_percent(edge).stands_for(
        analyze(paying(GAME, ids.PAIR_PLUS, pays)).wager(ids.PAIR_PLUS).house_edge
    )


def test_the_bonus_on_six_cards_keeps_the_printed_edges() -> None:
    figures_ = analyze(GAME).wager(ids.SIX_CARDS)
    ways = [outcome.probability * 20_358_520 for outcome in figures_.outcomes]
    assert ways == [188, 1656, 14664, 165984, 205792, 361620, 732160, 18876456]
    # "Just over 8.5 %" and "slightly over 7.2 %": mypokercoaching.com.
    assert Fraction("0.085") < figures_.house_edge < Fraction("0.086")
    assert Fraction("0.072") < figures_.hit_frequency < Fraction("0.073")
    low = {"royal-flush": 1000, "straight-flush": 200, "four-of-a-kind": 50, "full-house": 25}
    low |= {"flush": 20, "straight": 10, "three-of-a-kind": 5}
    edge = analyze(paying(GAME, ids.SIX_CARDS, low)).wager(ids.SIX_CARDS).house_edge
    # table-games-online.com prints 10.23 %, which is this figure rounded up.
    assert edge == Fraction(15306, 149695)


@pytest.mark.parametrize(
    ("ranks", "suits", "loses", "lowest"),
    [
        ("2 Q A", 4, False, 12),
        ("A 2 3 4 5", 2, True, 0),
        pytest.param("2 3 Q A", 4, False, 10, marks=pytest.mark.slow),
        pytest.param("10 J Q K A", 2, False, 11, marks=pytest.mark.slow),
        pytest.param("10 J Q K A", 3, False, 11, marks=pytest.mark.slow),
    ],
)
def test_counting_and_the_walk_of_the_round_agree_on_small_decks(
    ranks: str, suits: int, loses: bool, lowest: int
) -> None:
    game = ruled(small(MINI, ranks, suits), fold_loses_all=loses, lowest=lowest)
    chosen = int.from_bytes(hashlib.sha256(ranks.encode()).digest()[:8], "big")
    strategy = some(game, chosen)
    own, walked = analyze_table(game, strategy), engine_of(family_of(game)).analyze_table(game, strategy)
    for one, other in zip(own.wagers, walked.wagers, strict=True):
        found = {(o.id, o.pays, o.staked): o.probability for o in one.outcomes if o.probability}
        assert found == {(o.id, o.pays, o.staked): o.probability for o in other.outcomes if o.probability}
        assert one.total_wagered == other.total_wagered or one.total_wagered in (None, 1)
    best = engine_of(family_of(game)).analyze(game, "main-optimal").wager(ids.ANTE).expectation
    assert analyze(game).wager(ids.ANTE).expectation == best >= own.wager(ids.ANTE).expectation


@settings(max_examples=max(2, settings.default.max_examples // 30))
@given(st.integers(0, 2**61 - 1), st.binary(max_size=8), st.booleans(), st.sampled_from([0, 9, 10, 12]))
def test_reference_kernel_and_twin_settle_every_deck_alike(
    chosen: int, key: bytes, loses: bool, lowest: int
) -> None:
    game, rows = ruled(MINI, fold_loses_all=loses, lowest=lowest), decks(key, 300)
    strategy = some(game, chosen)
    assert not agreement(game, strategy, rows).differences
    volume = family_of(game).volume
    assert volume is not None
    ends = {wager.id: {end.id: end for end in text_of(game).rows(wager)} for wager in game.wagers}
    for row in rows[:40].tolist():
        for result in play(family_of(game).reference(game), row, strategy).results:
            end = ends[result.wager][result.outcome]
            assert volume.net(game, result.wager, result.outcome) == result.net == end.pays
            assert result.staked == end.staked


@pytest.mark.parametrize("loses", [False, True])
def test_no_card_depends_on_what_is_bet(loses: bool) -> None:
    game, seed = ruled(GAME, fold_loses_all=loses), b"a" * 32
    rows = StreamDecks.of(game, seed).deal(0, 200)
    found, _ = audit_decks(game, play_from(PRINTED_RULE), seed, rows, 60)
    assert found.stake_runs > 40
    assert (found.stake_differences, found.replay_differences) == (0, 0)


def test_rare_hands_are_settled_alike_by_every_leg() -> None:
    rows = np.array(
        [one.deck for game in (GAME, MINI) for one in witnesses(game, reachable_rows(game))], dtype=np.uint8
    )
    for game in (GAME, MINI):
        assert not agreement(game, play_from("play-from-2"), rows).differences


def test_a_changed_rule_of_the_text_is_noticed_by_the_play_through(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, rule = decks(b"rows", 3000), play_from(PRINTED_RULE)
    whole = cells_of(text_of(GAME), rule, rows)
    assert (cells_of(text_of(ruled(GAME, lowest=11)), rule, rows) != whole).any()
    assert (cells_of(text_of(GAME), play_from("play-from-Q"), rows) != whole).any()
    assert not agreement(GAME, rule, rows[:400]).differences
    own = ThreeCardPoker.outcome
    for name, wrong in (
        ("shared", 2),
        ("least", property(lambda self: 1 << 12)),
        ("outcome", lambda self, wager, kind, end, six: own(self, wager, 3 if kind == 2 else kind, end, six)),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(ThreeCardPoker, name, wrong)
            assert agreement(GAME, rule, rows[:400]).differences, name


def settled_apart(game: Game, row: list[int], option: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Returns the outcomes of a round by the reference round and by the second text, which pays it alike."""
    one = play(family_of(game).reference(game), row, [option])
    other = settle(game.rules, pays_of(game.wagers), one.draws, one.decisions)
    outcomes = {wager: outcome for wager, (outcome, _) in other.items()}
    if outcomes == one.outcomes:
        assert {wager: net for wager, (_, net) in other.items()} == one.net
    return one.outcomes, outcomes


@pytest.mark.parametrize(("loses", "lowest"), firsts([(False, 10), (True, 12), (False, 0)]))
def test_the_second_text_settles_every_class_of_hands_as_the_reference_round_does(
    loses: bool, lowest: int
) -> None:
    random = Random(lowest)  # noqa: S311
    for game in (ruled(GAME, fold_loses_all=loses, lowest=lowest), ruled(MINI, lowest=lowest)):
        for own in deals_of(deck_of(game), 3).hands[lowest % 5 :: 5].tolist():
            row = [*own, *random.sample([face for face in range(52) if face not in own], 49)]
            for option in ids.OPTIONS if random.randrange(8) == 0 else (ids.PLAY,):
                one, other = settled_apart(game, row, option)
                assert one == other, (row[:6], option)
        for witness in witnesses(game, reachable_rows(game)) if lowest == 10 else ():
            one, other = settled_apart(game, list(witness.deck), ids.PLAY)
            assert one == other


def test_a_straight_from_the_ace_that_is_ranked_wrongly_is_found_by_the_second_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faces = GAME.equipment[0].faces
    names = ["A of hearts", "2 of clubs", "3 of hearts", "2 of hearts", "3 of clubs", "4 of hearts"]
    row = [*map(faces.index, names), *(face for face, name in enumerate(faces) if name not in names)]
    assert settled_apart(GAME, row, ids.PLAY)[0][ids.ANTE] == "straight-lose"
    own = one_decision.three_cards
    low_ace = kinds.THREE_STRAIGHT << kinds.SHIFT | 1

    # Ranked with 2-3-4, as any ranking that forgets the low ace has it.
    monkeypatch.setattr(one_decision, "three_cards", lambda cards: own(cards) + (own(cards) == low_ace))
    one, other = settled_apart(GAME, row, ids.PLAY)
    assert (one[ids.ANTE], other[ids.ANTE]) == ("straight-push", "straight-lose")


@given(st.sets(st.integers(0, 51), min_size=3, max_size=3), st.permutations(range(4)))
def test_a_hand_is_called_the_same_whatever_its_suits_are_called(hand: set[int], suits: list[int]) -> None:
    cards = [deck_of(GAME).cards[face] for face in sorted(hand)]
    called = label([(rank, suits[suit]) for rank, suit in reversed(cards)])
    assert called == label(cards) == label(labelled(called)[0])


@pytest.mark.parametrize("name", ["play-from-Q-6-4", "play-from-A", "play-from-2", "play-from-K-Q"])
def test_a_lowest_hand_is_the_one_that_the_rulebook_ranks(name: str) -> None:
    rule = play_from(name)
    least = sum(1 << rank for rank in rule.least)
    for called in (hand.label for hand in hands(text_of(GAME).terms)):
        ranked = three_cards(labelled(called)[0]) >= least
        assert rule.choose(called, ids.OPTIONS) == ("play" if ranked else "fold"), called


def test_every_row_has_a_witness_and_the_costliest_round_is_a_royal_flush() -> None:
    for game in (GAME, MINI):
        rules = family_of(game).rules
        wanted = {(wager.id, row) for wager in game.wagers for row in rules.reachable_rows(game, wager.id)}
        assert {(one.wager, one.row) for one in witnesses(game, reachable_rows(game))} == wanted
    found = exposure(GAME)
    # A straight flush wins 2 + 5 antes of 500.00 and 40 times 100.00; the royal flush 1000 times 25.00.
    assert found.amount == 7 * 50_000 + 40 * 10_000 + 1000 * 2_500
    ended = play(family_of(GAME).reference(GAME), found.deck, found.decisions).outcomes
    assert (ended[ids.ANTE], ended[ids.SIX_CARDS]) == ("straight-flush-win", "royal-flush")


def test_a_hand_is_explained_by_both_options() -> None:
    found = dict(explain(GAME, "Q of clubs, 6 of hearts, 4 of hearts").values)
    assert found == {"fold": -1, "play": Fraction(-18325, 18424)}
    with pytest.raises(InputError, match="expected three different cards"):
        explain(GAME, "Q of clubs, Q of clubs, 4 of hearts")


def test_a_strategy_of_a_file_plays_what_it_lists(tmp_path: Path) -> None:
    listed = tmp_path / "card.toml"
    head = 'schema = "certify-strategy/1"\nname = "card"\notherwise = "fold"\n[choices]\n'
    listed.write_text(head + '"Aa Ka Qa" = "play"\n', "utf-8")
    staked = analyze(GAME, f"file:{listed}").wager(ids.ANTE).total_wagered
    assert staked == 1 + Fraction(4, 22_100)
    listed.write_text(head + '"Aa Kb Qa" = "play"\n"Aa Aa Aa" = "play"\n', "utf-8")
    with pytest.raises(InputError, match="nothing is decided on it"):
        analyze(GAME, f"file:{listed}")


def test_a_lost_pay_is_found_from_the_printed_return() -> None:
    row = 'title = "Three of a kind"\npays = "30 to 1"'
    assert row in TEXT
    lost = f'{row}\nprovenance = "recovered"\nby = "identify/pair-plus"'
    game = parse_game(TEXT.replace(row, lost, 1).encode(), "game.toml")
    (search,) = identify(game, ids.PAIR_PLUS, order="any").readings
    assert [dict(fit.pays)["three-of-a-kind"] for fit in search.fits] == [30]
    with pytest.raises(NothingCheckedError):
        identify(GAME, ids.PAIR_PLUS)


@pytest.mark.parametrize(
    "name", ["play-from-", "play-from-4-6", "play-from-Q-6-4-2", "always:raise", "mimic"]
)
def test_a_strategy_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected"):
        analyze(GAME, name)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('value = "queen high"', 'value = "ten high"', "expected one of any hand, jack high"),
        ('value = "settled"', 'value = "kept"', "expected one of settled, lost"),
        ('"J", "Q", "K"]', '"J", "Q"]', "one deck of 52 cards"),
        ("decks = 1", "decks = 2", "one deck of 52 cards"),
        ('id = "pair"', 'id = "two-pair"', "pair"),
        ('id = "unqualified"', 'id = "mini-royal"', "unqualified"),
        ('pays = "0 to 1"', 'pays = "1 to 1"', "a push returns the stake alone"),
        ('id = "ante-play"', 'id = "ante"', "ante-play"),
    ],
)
def test_a_submission_that_is_not_three_card_poker_is_refused(old: str, new: str, expected: str) -> None:
    assert old in TEXT
    with pytest.raises(SubmissionError) as caught:
        parse_game(TEXT.replace(old, new, 1).encode(), "game.toml")
    assert any(expected in problem.message and problem.line for problem in caught.value.problems)


def test_printed_returns_hold_and_the_sources_are_those_submitted() -> None:
    for claim in GAME.claims:
        assert claim.printed.stands_for(
            analyze(GAME, claim.strategy or "main-optimal").wager(claim.wager).return_to_player
        )
    assert GAME.sources[0].sha256 == hashlib.sha256((PATH.parent / "sources.md").read_bytes()).hexdigest()


@pytest.mark.slow
def test_where_every_hand_qualifies_no_row_is_asked_for_a_dealer_who_does_not() -> None:
    game = ruled(GAME, lowest=0)
    rules = family_of(game).rules
    assert ids.UNQUALIFIED not in {*rules.paid_rows(game, ids.ANTE), *rules.reachable_rows(game, ids.ANTE)}
    wanted = {(wager.id, row) for wager in game.wagers for row in rules.reachable_rows(game, wager.id)}
    assert {(one.wager, one.row) for one in witnesses(game, reachable_rows(game))} == wanted
