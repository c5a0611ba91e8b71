"""Play-through against enumeration under several strategies, and the evidence it leaves."""

import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from dealing import stream_decks
from representatives import firsts

from certify.certification.cross_checks import agreement
from certify.evidence.encode import plain
from certify.families.sette_e_mezzo.rules import SetteEMezzoRules
from certify.mathematics import analyze
from certify.model.finding import Verdict
from certify.model.game import Paytable
from certify.simulation import campaign_evidence, compare_all, run_campaign
from certify.simulation.decks import StreamDecks
from certify.simulation.evidence import covariance
from certify.submission import read_game

SEED = b"play-through against enumeration"


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
RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)


@pytest.fixture(scope="module")
def game():
    """The published game with rules and pays fixed here, whichever of them the submission adopts."""
    submitted = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))
    return replace(submitted, rules=RULES, wagers=tuple(fixed(wager) for wager in submitted.wagers))


def fixed(wager):
    rows = tuple(replace(row, pays=Fraction(PAYS[row.id])) for row in wager.paytable.rows)
    return replace(wager, paytable=Paytable(rows))


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ("main-optimal", "jointly-optimal"),
        ("main-optimal", "always-second-card", "mimic-dealer", "stand-on:5", "jointly-optimal"),
    ],
    ids=["two", "every one"],
)
def test_play_through_agrees_with_enumeration_under_every_strategy(game, names):
    analyses = [analyze(game, name) for name in names]
    pairs = [
        (run_campaign(game, exact.strategy, 1_000_000, deal=stream_decks(SEED)), exact) for exact in analyses
    ]
    # No return is read under these strategies: outcomes and means are held against the exact figures, no margin.
    judged = compare_all(pairs, game, Fraction(1, 100), read_under={})
    asked = compare_all(pairs, game, Fraction(1, 100))
    for (campaign, exact), agreements, margins in zip(pairs, judged, asked, strict=True):
        assert [(found.wager, found.verdict, found.reasons) for found in agreements] == [
            (wager.id, Verdict.SATISFIED, ()) for wager in game.wagers
        ]
        # Where the margin is asked, it decides, and a million rounds never show it for the main wager.
        for found in margins:
            shown = Verdict.SATISFIED if found.equivalence.equivalent else Verdict.INCONCLUSIVE
            assert found.verdict is shown
        assert margins[0].verdict is Verdict.INCONCLUSIVE
        entry = plain(campaign_evidence(campaign, agreements, game, exact, kernel_twin_rounds=7))
        assert json.loads(json.dumps(entry, allow_nan=False)) == entry
        assert entry["convergence"][-1]["rounds"] == entry["rounds"] == 1_000_000
        for wager in entry["wagers"]:
            assert sum(int(outcome["count"]) for outcome in wager["outcomes"]) == 1_000_000
            assert sum(Fraction(outcome["probability"]) for outcome in wager["outcomes"]) == 1


@pytest.mark.slow
def test_reference_engine_kernel_and_twin_agree_on_the_decks_of_a_campaign(game):
    strategy = analyze(game, "main-optimal").strategy
    found = agreement(game, strategy, stream_decks(SEED).deal(0, 2_000))
    assert plain(found.evidence()) == {
        "decks": 2_000,
        "legs": ["reference engine", "second text", "kernel", "kernel twin"],
        "compared": ["main", "partita-perfetta", "mano-di-poker"],
        "differences": 0,
        "listed": [],
    }


@pytest.mark.parametrize(
    ("name", "one", "other"),
    firsts([("roulette-single-zero", "dozen", "red"), ("playtech-7-e-mezzo", "main", "mano-di-poker")]),
)
def test_the_covariance_of_a_wager_with_itself_is_its_variance(name, one, other):
    game = read_game(Path("fixtures/games") / name / "game.toml")
    exact = analyze(game)
    campaign = run_campaign(game, exact.strategy, 1_000_000, deal=StreamDecks.of(game, SEED))
    observed = covariance(campaign, game, one, one)
    assert float(observed) == pytest.approx(float(exact.wager(one).variance), rel=0.01)
    assert covariance(campaign, game, one, other) == covariance(campaign, game, other, one)


@pytest.mark.slow
def test_verdicts_are_wrong_as_rarely_as_they_say(game):
    """Over 500 seeds the p-values are uniform, and about one family in a hundred is refuted by chance."""
    from scipy import stats

    exact = analyze(game, "main-optimal")
    p_values = {}
    refuted = 0
    for number in range(500):
        source = stream_decks(hashlib.sha256(b"calibration %d" % number).digest())
        campaign = run_campaign(game, exact.strategy, 600_000, deal=source)
        judged = compare_all([(campaign, exact)], game, Fraction(1, 100))[0]
        refuted += any(found.verdict is Verdict.NOT_SATISFIED for found in judged)
        for found in judged:
            assert found.chi_square is not None
            p_values.setdefault((found.wager, "chi-square"), []).append(found.chi_square.p_value)
            p_values.setdefault((found.wager, "z"), []).append(found.mean.p_value)
    for name, values in p_values.items():
        assert stats.kstest(values, "uniform").pvalue > 0.001 / 6, name
    # At a true error of 1 %, more than 14 of 500 are seen less than once in a thousand times.
    assert refuted <= 14
