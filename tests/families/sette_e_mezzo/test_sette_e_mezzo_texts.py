"""7 e Mezzo by its texts, its own counting and its play-through: they agree, and planted faults are found and named."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
from cli_support import refuses
from dealing import stream_decks
from numpy.typing import NDArray
from open_card_rules import on_cards
from representatives import firsts, one_each
from whole_decks import WholeDecks

from certify.analysis.engine import best
from certify.analysis.engine.deals import deals
from certify.analysis.engine.distribution import counting_order, decide_by, joint, visits
from certify.analysis.engine.walk import walk
from certify.certification.cross_checks import agreement, compare_legs
from certify.errors import AgreementError, InputError, NothingCheckedError
from certify.evidence import WagerAgreement
from certify.families import play
from certify.families.second_text import TextAgreement, compared, settled
from certify.families.sette_e_mezzo import text as first
from certify.families.sette_e_mezzo.exact.best_play import chances, solve
from certify.families.sette_e_mezzo.exact.figures import jointly_optimal
from certify.families.sette_e_mezzo.rules import (
    HitTable,
    PairCondition,
    SetteEMezzoRules,
    Tie,
    hit_table,
    rules_of,
    with_push,
)
from certify.families.sette_e_mezzo.second import settle
from certify.families.seven_and_a_half.cards import ClassDeck
from certify.families.stage_machine import StagedRound, proven
from certify.mathematics import analyze
from certify.model import Analysis, Game, Paytable, Verdict, Wager
from certify.simulation import (
    StreamDecks,
    compare,
    compare_all,
    covariance,
    rounds_needed,
    run_campaign,
    volume_of,
)
from certify.submission import read_game

GAME = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))

FEWER = (0, 5, 24, 25, 28, 29, 32, 36)
"""A, 2, 7, 7, J, J, Q and the King of Denari."""

RULES = {
    "as submitted": GAME.rules,
    "ties push, the King wins against 7½, pairs need no bust": SetteEMezzoRules(
        Tie.PUSH, True, pair_condition=PairCondition.UNCONDITIONAL
    ),
    "nothing drawn by rule, the dealer stands on five": SetteEMezzoRules(
        dealer_stands_on=10,
        player_draws_on_first_face=False,
        dealer_draws_on_first_face=False,
        dealer_chases_seven_and_a_half=False,
    ),
}


def on_fewer(rules: object = GAME.rules, cards: tuple[int, ...] = FEWER) -> Game:
    """Returns the game under other rules, dealt from some of its cards."""
    return with_push(on_cards(rules, cards, GAME))


def compared_on(game: Game, played: Game | None = None) -> TextAgreement:
    """How far the second text settles a game as the first one does, which may play another one."""
    proven.cache_clear()
    round_ = StagedRound(first.text(played or game))
    return compared(game, settle, settled(round_.text, deals(round_.proven.automaton, round_.graph())))


TWO_SUITS = (16, 17, 20, 21, 24, 25, 28, 29, 36, 37)
"""5, 6, 7, J and K of Denari and of Coppe: joint play needs every rank in the same suits."""

STAKES = (
    {"main": Fraction(1)},
    {"main": Fraction(1), "partita-perfetta": Fraction(3), "mano-di-poker": Fraction(1, 2)},
    {"main": Fraction(5), "mano-di-poker": Fraction(1)},
)


@pytest.mark.parametrize("stakes", STAKES)
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_own_counting_of_a_small_deck_is_what_every_path_comes_to(
    rules: object, stakes: dict[str, Fraction]
) -> None:
    graph = walk(StagedRound(first.text(on_fewer(rules, TWO_SUITS))))
    order, deck = counting_order(graph.offsets, graph.targets), ClassDeck(TWO_SUITS)
    game = replace(GAME, rules=rules)
    own = solve(game, stakes, deck)
    expectation = sum(stake * own.wager_expectation(wager) for wager, stake in stakes.items())
    assert expectation == best.solve(graph, order, stakes).value
    table = jointly_optimal(own)
    walked = joint(graph, visits(graph, order, decide_by(table)), table).probabilities
    for place, found in enumerate(chances(game, table, deck).values()):
        ends = {end: Fraction(0) for end in found}
        for outcomes, chance in walked.items():
            ends[outcomes[place]] += chance
        assert found == ends


def test_joint_play_refuses_decks_that_break_the_symmetry_of_suits() -> None:
    with pytest.raises(InputError, match="same suits"):
        solve(GAME, deck=ClassDeck((0, 1, 5, 9, 28)))


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_texts_agree_on_a_deal_for_every_state(rules: object) -> None:
    found = compared_on(on_fewer(rules))
    assert found.deals > 300
    assert (found.differing, found.differences) == (0, ())


CHANGED = [
    {"tie": Tie.PUSH},
    {"king_wins_against_dealer_seven_and_a_half": not GAME.rules.king_wins_against_dealer_seven_and_a_half},  # type: ignore[attr-defined]
    {"dealer_stands_on": 8},
    {"player_draws_on_first_face": False},
    {"dealer_draws_on_first_face": False},
    {"dealer_chases_seven_and_a_half": False},
    {
        "pair_condition": next(
            one
            for one in PairCondition
            if one is not GAME.rules.pair_condition  # type: ignore[attr-defined]
        )
    },
]


@pytest.mark.parametrize("changed", firsts(CHANGED, 2), ids=[next(iter(one)) for one in CHANGED])
def test_a_rule_played_otherwise_is_found(changed: dict[str, object]) -> None:
    assert compared_on(on_fewer(), on_fewer(replace(GAME.rules, **changed))).differing > 0  # type: ignore[type-var]


RIGHT, ROW, MAIN = first.best_total, first.combination, first.main_row

FAULTS: dict[str, tuple[str, Callable[..., object], str]] = {
    "the matta counts as a plain king": ("best_total", lambda plain, matta: plain + matta, "main"),
    "7½ busts": (
        "best_total",
        lambda plain, matta: RIGHT(plain, matta) + (RIGHT(plain, matta) == 15),
        "main",
    ),
    "8 does not bust": (
        "best_total",
        lambda plain, matta: 15 if plain == 16 and not matta else RIGHT(plain, matta),
        "main",
    ),
    "the matta never counts a half": (
        "best_total",
        lambda plain, matta: 17 if matta and plain == 14 else RIGHT(plain, matta),
        "main",
    ),
    "7, J, Q is a straight": (
        "combination",
        lambda ranks, suited: "straight" if sorted(ranks) == [6, 7, 8] else ROW(ranks, suited),
        "mano-di-poker",
    ),
    "king, ace, two is a straight": (
        "combination",
        lambda ranks, suited: "straight" if sorted(ranks) == [0, 1, 9] else ROW(ranks, suited),
        "mano-di-poker",
    ),
    "a pair of faces is a pair of sevens": (
        "pair_row",
        lambda rank: "pair-of-sevens" if rank >= 6 else "pair-ace-to-six",
        "partita-perfetta",
    ),
}


@pytest.mark.parametrize("fault", one_each(FAULTS, itemgetter(0)))
def test_a_fault_of_the_text_that_plays_is_found_by_the_second(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    name, planted, wager = FAULTS[fault]
    monkeypatch.setattr(first, name, planted)
    found = compared_on(on_fewer())
    assert found.differing > 0
    assert any(one.wager == wager for one in found.differences)
    proven.cache_clear()


@pytest.mark.parametrize(
    ("game", "faces"), firsts([(on_fewer(), (4, 6, 5)), (GAME, (28, 32, 29))]), ids=["fewer", "all cards"]
)
def test_reference_kernel_and_twin_play_a_strategy_that_looks_at_the_first_card(
    game: Game, faces: tuple[int, int, int]
) -> None:
    # Draws on a pair of faces only where a jack came first: both hands are worth one point.
    two_faces = (0, 0, 0, 0, 0, 0, 0, 2, 0)
    by_first = frozenset({(7, 0, two_faces), (7, 1, two_faces)})
    strategy = HitTable("first jack", "looks at the first card", frozenset(), True, by_first)
    jack, queen, other_jack = faces
    decks = [
        [
            first,
            0,
            second,
            *(card for card in range(1, game.equipment[0].size) if card not in (first, second)),
        ]
        for first, second in [(jack, queen), (queen, jack), (jack, other_jack)]
    ]
    drawn = [len(play(StagedRound(first.text(game)), deck, strategy).faces("player")) for deck in decks]
    assert drawn == [3, 2, 3]
    assert not agreement(game, strategy, np.array(decks, dtype=np.uint8)).differences


# Play-through against enumeration: they agree under every strategy, and planted faults are found and named.


SEED = b"planted faults, a fixed seed ..."
AGREEING = b"play-through against enumeration"
ROUNDS = 1_000_000
ALPHA = Fraction(1, 100)


PAYS = {
    "king-of-denari-seven-and-a-half": 2,
    "win": 1,
    "pair-of-sevens": 25,
    "pair-of-faces": 15,
    "pair-ace-to-six": 10,
    "royal-flush": 100,
    "straight-flush": 50,
    "three-of-a-kind": 25,
    "flush": 6,
    "straight": 5,
}
FIXED_RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)


@pytest.fixture(scope="module")
def game() -> Game:
    """The published game with rules and pays fixed here, whichever of them the submission adopts."""
    return replace(GAME, rules=FIXED_RULES, wagers=tuple(fixed(wager) for wager in GAME.wagers))


def fixed(wager: Wager) -> Wager:
    rows = tuple(replace(row, pays=Fraction(PAYS[row.id])) for row in wager.paytable.rows)
    return replace(wager, paytable=Paytable(rows))


@pytest.fixture(scope="module")
def analysis(game: Game) -> Analysis:
    return analyze(game, "main-optimal")


def judge(
    game: Game, analysis: Analysis, *, played: Game | None = None, deal: object = None, rounds: int = ROUNDS
) -> dict[str, WagerAgreement]:
    source = deal or stream_decks(SEED)
    campaign = run_campaign(played or game, analysis.strategy, rounds, deal=source)  # type: ignore[arg-type]
    return {found.wager: found for found in compare(campaign, analysis, game, ALPHA)}


def reasons(found: WagerAgreement) -> str:
    assert found.verdict is Verdict.NOT_SATISFIED
    return "; ".join(found.reasons)


def unrefuted(found: WagerAgreement) -> bool:
    """Tells whether nothing speaks against the exact figures, though the rounds may be too few for the margin."""
    short = (
        () if found.equivalence.equivalent else (f"{found.equivalence.rounds_needed:,} rounds would show it",)
    )
    told = tuple(reason.rsplit(": ", 1)[1] for reason in found.reasons)
    return (found.verdict, told) == (Verdict.INCONCLUSIVE if short else Verdict.SATISFIED, short)


def with_rules(game: Game, **changes: object) -> Game:
    return with_push(replace(game, rules=replace(rules_of(game), **changes)))  # type: ignore[arg-type]


@pytest.mark.slow
def test_without_a_fault_every_wager_is_satisfied(game: Game, analysis: Analysis) -> None:
    rounds = max(rounds_needed(figures) for figures in analysis.wagers)
    found = judge(game, analysis, rounds=rounds)
    assert [agreed.verdict for agreed in found.values()] == [Verdict.SATISFIED] * 3
    assert all(not agreed.reasons for agreed in found.values())


def test_without_a_fault_a_campaign_too_short_for_its_margin_is_inconclusive_and_no_more(
    game: Game, analysis: Analysis
) -> None:
    found = judge(game, analysis)
    assert found["main"].verdict is Verdict.INCONCLUSIVE
    assert ROUNDS < found["main"].equivalence.rounds_needed == rounds_needed(analysis.wager("main"))
    assert all(unrefuted(agreed) for agreed in found.values())


def test_a_wrong_pay_is_named(game: Game, analysis: Analysis) -> None:
    main = game.wagers[0]
    rows = tuple(
        replace(row, pays=Fraction(11, 10)) if row.id == "win" else row for row in main.paytable.rows
    )
    wrong = replace(
        game, wagers=(replace(main, paytable=replace(main.paytable, rows=rows)), *game.wagers[1:])
    )
    found = judge(wrong, analysis)
    assert "win pays 11/10, analysed with 1" in reasons(found["main"])
    assert "z of the mean is rejected" in reasons(found["main"])
    assert unrefuted(found["mano-di-poker"])


PLAYED_OTHERWISE = [
    pytest.param({"tie": Tie.PUSH}, "main", "push occurred", marks=pytest.mark.slow),
    *(
        pytest.param(change, "main", "chi-square over outcomes is rejected", marks=pytest.mark.slow)
        for change in (
            {"dealer_stands_on": 5},
            {"dealer_stands_on": 7},
            {"dealer_chases_seven_and_a_half": False},
        )
    ),
    (
        {"pair_condition": PairCondition.UNCONDITIONAL},
        "partita-perfetta",
        "farthest off: not-uncovered, 0 times",
    ),
]


@pytest.mark.parametrize(("changes", "wager", "told"), PLAYED_OTHERWISE)
def test_a_rule_played_otherwise_is_named(
    game: Game, analysis: Analysis, changes: dict[str, object], wager: str, told: str
) -> None:
    found = judge(game, analysis, played=with_rules(game, **changes))
    assert told in reasons(found[wager])
    other = "main" if wager != "main" else "partita-perfetta"
    assert unrefuted(found[other])


def test_a_player_who_departs_from_the_strategy_is_found(game: Game, analysis: Analysis) -> None:
    strategy = hit_table(analysis.strategy)
    fewer = frozenset(hand for hand in strategy.draws if sum(hand) > 1)
    other = replace(analysis, strategy=HitTable(strategy.name, strategy.strategy_class, fewer))
    campaign = run_campaign(game, other.strategy, ROUNDS, deal=stream_decks(SEED))
    found = {agreed.wager: agreed for agreed in compare(campaign, analysis, game, ALPHA)}
    assert "no-second-card" in reasons(found["mano-di-poker"])


def naive_shuffle(source: StreamDecks, index: int, count: int) -> NDArray[np.uint8]:
    """Swaps every position with any position: the classic fault, n^n paths for n! orders."""
    draws = source.deal(index, count * 40)[:, 0].reshape(count, 40)
    decks = np.tile(np.arange(40, dtype=np.uint8), (count, 1))
    rows = np.arange(count)
    for position in range(40):
        other = draws[:, position]
        decks[rows, position], decks[rows, other] = decks[rows, other], decks[rows, position].copy()
    return decks


def short_shuffle(source: StreamDecks, index: int, count: int) -> NDArray[np.uint8]:
    """Never leaves a king in front: the first place is not drawn from all forty cards."""
    decks = source.deal(index, count)
    kept = decks[:, 0] < 36
    return np.where(kept[:, None], decks, np.roll(decks, 1, axis=1)).astype(np.uint8)


@pytest.mark.parametrize("shuffle", firsts([short_shuffle, naive_shuffle]))
def test_a_biased_shuffle_is_found(
    game: Game, analysis: Analysis, shuffle: Callable[[StreamDecks, int, int], NDArray[np.uint8]]
) -> None:
    class Biased:
        purpose, seed = "simulation-decks", SEED.hex()

        def deal(self, stream_index: int, count: int) -> NDArray[np.uint8]:
            return shuffle(stream_decks(SEED), stream_index, count)

    found = judge(game, analysis, deal=WholeDecks(Biased()), rounds=100_000)
    rejected = [wager for wager, agreed in found.items() if agreed.verdict is Verdict.NOT_SATISFIED]
    assert rejected
    assert all("is rejected" in reasons(found[wager]) for wager in rejected)


def test_too_few_rounds_are_inconclusive_never_a_pass(game: Game, analysis: Analysis) -> None:
    found = judge(game, analysis, rounds=500)
    assert {agreed.verdict for agreed in found.values()} == {Verdict.INCONCLUSIVE}
    for agreed in found.values():
        said = "; ".join(agreed.reasons)
        assert f"{agreed.equivalence.rounds_needed:,} rounds would show it" in said
        assert ("play more rounds" in said) is (agreed.chi_square is None)


def test_a_test_is_rejected_at_its_adjusted_p_value_and_not_above(game: Game, analysis: Analysis) -> None:
    campaign = run_campaign(game, analysis.strategy, ROUNDS, deal=stream_decks(SEED))
    smallest = min(
        p for agreed in compare(campaign, analysis, game, ALPHA) for p in agreed.adjusted_p.values()
    )
    assert 0 < smallest < 0.9
    for alpha, rejected in ((smallest, True), (smallest * 0.999, False)):
        verdicts = {agreed.verdict for agreed in compare(campaign, analysis, game, alpha)}
        assert (Verdict.NOT_SATISFIED in verdicts) is rejected


def test_a_swapped_tie_rule_in_one_leg_is_found_deck_by_deck(game: Game, analysis: Analysis) -> None:
    decks = stream_decks(SEED).deal(0, 500)
    counter = volume_of(game).counter(game, analysis.strategy)
    wagers = [wager for wager, _ in counter.axes]
    rounds = game.port.reference(with_rules(game, tie=Tie.PUSH))
    ends = [play(rounds, row, analysis.strategy).outcomes for row in decks.tolist()]
    swapped = [tuple(end[wager] for wager in wagers) for end in ends]
    found = compare_legs(decks, {"right": counter.twin(decks), "wrong": swapped}, wagers)
    assert {difference.outcomes for difference in found.differences} == {
        (("right", "lose"), ("wrong", "push"))
    }


def test_agreement_of_nothing_or_of_one_is_refused(game: Game, analysis: Analysis) -> None:
    none = np.empty((0, 40), dtype=np.uint8)
    with pytest.raises(NothingCheckedError):
        agreement(game, analysis.strategy, none)
    refuses(
        AgreementError,
        ("at least two", lambda: compare_legs(none, {"alone": []}, ["main"])),
        (
            "1 decks, expected 2",
            lambda: compare_legs(
                stream_decks(SEED).deal(0, 2), {"a": [("x",)], "b": [("x",), ("y",)]}, ["main"]
            ),
        ),
    )
    with pytest.raises(NothingCheckedError):
        compare_all([], ALPHA)


def test_what_does_not_belong_together_is_refused(game: Game, analysis: Analysis) -> None:
    campaign = run_campaign(game, analysis.strategy, 1_000, deal=stream_decks(SEED))
    refuses(
        InputError,
        (
            "expected the same strategy",
            lambda: compare(replace(campaign, strategy="mimic-dealer"), analysis, game, ALPHA),
        ),
        ("an analysis of another", lambda: compare(campaign, replace(analysis, game="another"), game, ALPHA)),
        ("alpha", lambda: compare(campaign, analysis, game, 0)),
    )


# --- without a fault ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "one", "other"),
    firsts([("roulette-single-zero", "dozen", "red"), ("playtech-7-e-mezzo", "main", "mano-di-poker")]),
)
def test_the_covariance_of_a_wager_with_itself_is_its_variance(name: str, one: str, other: str) -> None:
    game = read_game(Path("fixtures/games") / name / "game.toml")
    exact = analyze(game)
    campaign = run_campaign(game, exact.strategy, 1_000_000, deal=StreamDecks.of(game, AGREEING))
    observed = covariance(campaign, game, one, one)
    assert float(observed) == pytest.approx(float(exact.wager(one).variance), rel=0.01)
    assert covariance(campaign, game, one, other) == covariance(campaign, game, other, one)
