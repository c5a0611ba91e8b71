"""A campaign is the enumeration's, whoever plays it: under several strategies, and on a cluster of Dask."""

import hashlib
import json
import multiprocessing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from dealing import stream_decks
from executor_work import Square
from representatives import firsts

from certify.certification.cross_checks import agreement
from certify.errors import InputError
from certify.evidence.encode import plain
from certify.executors import WorkerError, open_executor, parse_executor
from certify.executors.dask_cluster import DaskCluster
from certify.executors.pooled import Pooled
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


GAME = Path("fixtures/games/roulette-single-zero/game.toml")
"""A game that each process counts and begins to play at once."""
DECKS = stream_decks(b"tests of the cluster, thirty-two")


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("distributed")
    with DaskCluster("local:2") as pool:
        yield pool


def campaign(**options):
    game = read_game(GAME)
    return run_campaign(game, analyze(game).strategy, 20_000, deal=DECKS, chunk_rounds=500, **options)


def test_a_campaign_on_a_cluster_is_the_same(cluster):
    executor = Pooled(cluster, checked_in=4)
    assert campaign(executor=executor) == campaign()
    ran = executor.execution()
    assert (ran.executor, ran.chunks, len(ran.workers)) == ("dask:local:2", 40, 2)
    assert ran.checked >= 1


def test_a_worker_that_counts_otherwise_stops_the_run_by_its_name(cluster, tmp_path):
    with pytest.raises(WorkerError, match=r"chunk 5: \S+ counted otherwise"):
        list(Pooled(cluster, checked_in=1).map(Square(str(tmp_path), "lies"), range(20)))


def _scheduler(address):
    import time

    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address.put(cluster.scheduler_address)
        time.sleep(600)


@pytest.mark.slow
def test_a_campaign_whose_scheduler_dies_goes_on_from_what_was_kept(tmp_path):
    context = multiprocessing.get_context("spawn")
    address = context.Queue()
    scheduler = context.Process(target=_scheduler, args=(address,))
    scheduler.start()
    try:
        with open_executor(parse_executor(f"dask:{address.get(timeout=60)}")) as executor:
            told = iter(range(100))

            def kill(done, total):
                if next(told) == 5:
                    scheduler.kill()

            with pytest.raises(WorkerError, match="what was done is kept with --resume"):
                campaign(executor=executor, resume=tmp_path, progress=kill)
    finally:
        scheduler.kill()
    assert 5 < len(list(tmp_path.iterdir())) < 40
    assert campaign(resume=tmp_path) == campaign()


def test_where_no_scheduler_answers_it_is_said(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("certify.executors.dask_cluster._CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="no scheduler answers there"):
        open_executor(parse_executor("dask:tcp://127.0.0.1:9")).__enter__()
