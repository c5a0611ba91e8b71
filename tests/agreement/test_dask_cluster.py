"""A cluster of Dask: the same bytes, and no harm from a worker that lies or a scheduler that dies."""

import multiprocessing
from pathlib import Path

import pytest
from dealing import stream_decks
from executor_work import Square

from certify.errors import InputError
from certify.executors import WorkerError, open_executor, parse_executor
from certify.executors.dask_cluster import DaskCluster
from certify.executors.pooled import Pooled
from certify.mathematics import analyze
from certify.simulation import run_campaign
from certify.submission import read_game

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
