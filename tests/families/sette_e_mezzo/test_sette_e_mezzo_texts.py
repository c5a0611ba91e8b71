"""The two texts of 7 e Mezzo: they agree on every state, and faults in the one that plays are found by the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
from open_card_rules import on_cards
from representatives import firsts, one_each

from certify.analysis.engine import best
from certify.analysis.engine.deals import deals
from certify.analysis.engine.distribution import counting_order, decide_by, joint, visits
from certify.analysis.engine.walk import walk
from certify.certification.cross_checks import agreement
from certify.errors import InputError
from certify.families.driver import play
from certify.families.second_text import TextAgreement, compared, settled
from certify.families.sette_e_mezzo import text as first
from certify.families.sette_e_mezzo.exact.best_play import chances, solve
from certify.families.sette_e_mezzo.exact.figures import jointly_optimal
from certify.families.sette_e_mezzo.rules import HitTable, PairCondition, SetteEMezzoRules, Tie, with_push
from certify.families.sette_e_mezzo.second import settle
from certify.families.seven_and_a_half.counting import ClassDeck
from certify.families.stage_machine import StagedRound, proven
from certify.model.game import Game
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
