"""Executors: the same results from threads, processes and a cluster, and a share of it computed twice."""

import io
import os
import pickle
import signal
import sys
import threading
import time
from concurrent.futures import Future
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from unittest.mock import ANY, Mock

import numpy as np
import pytest
from cli_support import refuses
from executor_work import Square

from certify.certification.request import RunRequest, profile_named
from certify.children import source_digest, start
from certify.errors import InputError, MissingPartError
from certify.executors import (
    BackgroundProcess,
    Deferred,
    Execution,
    InTurn,
    WorkerError,
    open_background,
    open_executor,
    parse_executor,
)
from certify.executors.dask_cluster import DaskCluster
from certify.executors.packages import package_files
from certify.executors.port import ChunkAnswer, Lost, Pooled
from certify.executors.processes import Processes, WorkerProcess
from certify.mathematics import analyze
from certify.simulation import StreamDecks, run_campaign
from certify.submission import read_game

ROUNDS = 20_000
START = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture(scope="module")
def game():
    return read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))


def campaign(executor=None, **options):
    """Plays a game whose table is derived, and proved in no time by each process."""
    game = read_game(Path("fixtures/games/roulette-single-zero/game.toml"))
    dealt = StreamDecks.of(game, b"tests of the executors, 32 bytes")
    strategy = analyze(game).strategy
    return run_campaign(game, strategy, ROUNDS, deal=dealt, chunk_rounds=1_000, executor=executor, **options)


@pytest.fixture(scope="module")
def processes():
    with Processes(2) as pool:
        yield pool


@pytest.mark.parametrize("spec", ["processes:2"])
def test_a_campaign_is_the_same_whoever_plays_it(spec):
    alone = campaign()
    assert campaign(workers=2) == alone
    with open_executor(parse_executor(spec)) as executor:
        assert campaign(executor) == alone
        ran = executor.execution()
    assert (ran.executor, ran.chunks, len(ran.workers)) == (spec, 20, 2)


def test_results_come_in_order_and_some_are_computed_twice(processes):
    executor = Pooled(processes, checked_in=3)
    assert list(executor.map(Square(), range(300))) == [n * n for n in range(300)]
    # Each is drawn with a chance of a third: fewer or more come once in 10^12 runs.
    assert 45 <= executor.execution().checked <= 160


def test_a_worker_that_dies_is_survived(processes, tmp_path):
    executor = Pooled(processes)
    assert list(executor.map(Square(str(tmp_path), "dies"), range(20))) == [n * n for n in range(20)]
    assert len(executor.execution().workers) == 3


def test_work_that_ends_every_worker_ends_the_run_with_a_clear_error(processes):
    with pytest.raises(WorkerError, match=r"processes:2: chunk 3 was lost 3 times, .*--resume"):
        list(Pooled(processes).map(os._exit, [3]))  # type: ignore[arg-type]
    assert list(Pooled(processes).map(Square(), [3])) == [9]


def test_a_worker_that_counts_otherwise_stops_the_run_by_its_name(processes, tmp_path):
    executor = Pooled(processes, checked_in=1)
    with pytest.raises(WorkerError, match=r"chunk 5: \d+ counted otherwise than this process"):
        list(executor.map(Square(str(tmp_path), "lies"), range(20)))


class InProcess:
    """A pool of this process whose workers answer as they are told."""

    name = "in process"
    answers: dict[str, Any]

    def __init__(self, **answers):
        self.answers = answers or {"one": ChunkAnswer, "two": ChunkAnswer}
        self.sent: list[tuple[str, int]] = []

    @property
    def size(self):
        return len(self.answers)

    def reachable(self):
        return True

    def compute(self, work, item, besides=""):
        others = [name for name in self.answers if name != besides]
        if not others:
            return None
        name = others[len(self.sent) % len(others)]
        self.sent.append((name, item))
        landed = Future()
        try:
            landed.set_result(self.answers[name](name, source_digest(), work(item)))
        except Exception as error:  # noqa: BLE001 - of the worker
            landed.set_exception(error)
        return landed


def lies(name, code, result):
    return ChunkAnswer(name, code, result + 1)


def of_other_code(name, _, result):
    return ChunkAnswer(name, "0" * 64, result)


def lost(name, *_):
    raise Lost(name)


@pytest.mark.parametrize("workers", [{"one": ChunkAnswer}, {"one": ChunkAnswer, "two": ChunkAnswer}])
def test_a_chunk_is_computed_twice_by_another_worker_or_here(workers):
    pool = InProcess(**workers)
    executor = Pooled(pool, checked_in=1)
    assert list(executor.map(Square(), range(50))) == [number * number for number in range(50)]
    assert executor.execution() == Execution("in process", tuple(workers), 50, 50)
    assert len(set(pool.sent)) == len(pool.sent) == 50 * len(workers)


@pytest.mark.parametrize(
    "workers",
    [
        {"one": lies},
        {"one": ChunkAnswer, "two": lies},
        {"one": lies, "two": lies},
        {"one": lambda name, code, _: ChunkAnswer(name, code, ANY), "two": ChunkAnswer},
        {"one": lambda name, code, result: ChunkAnswer(name, code, float(result)), "two": ChunkAnswer},
    ],
)
def test_workers_that_lie_are_named_by_what_this_process_counts(workers):
    # Two that lie alike agree; the exact figures catch them.
    executor = Pooled(InProcess(**workers))
    if list(workers.values()).count(lies) == 2:
        assert list(executor.map(Square(), range(3))) == [1, 2, 5]
        return
    with pytest.raises(WorkerError, match=r"chunk \d+: (?:one|two) counted otherwise than this process"):
        list(executor.map(Square(), range(3_000)))


def test_what_is_computed_twice_is_drawn_when_the_result_is_in(monkeypatch):
    events = []

    def sample(_, octets):
        events.append("drawn")
        return bytes(octets)

    def told(name, code, result):
        events.append(f"{result} in")
        return ChunkAnswer(name, code, result)

    monkeypatch.setattr("rng.entropy.OperatingSystemNoise.samples", sample)
    executor = Pooled(InProcess(one=told))
    assert list(executor.map(Square(), [5])) == [25]
    assert events == ["25 in", "drawn"]
    assert executor.checked == 1


@pytest.mark.parametrize(
    "written",
    [
        b"junk\n",
        b"cnosuch\nThing\n.",
        b"]I1\nI2\ns.",
        *map(pickle.dumps, (5, (False, 3), (False, SystemExit(0)))),
    ],
)
def test_what_is_no_answer_is_that_of_a_process_that_is_lost(written):
    """Before, it was an error of this process, or the end of it as if all were well, and more of it was read."""
    with io.BytesIO() as given, io.BytesIO(written) as answers:
        worker, child = WorkerProcess(), Mock(stdin=given, stdout=answers)
        worker._child = child
        with pytest.raises(Lost):
            worker.call(abs, -1)
    assert worker.pid == 0
    assert child.kill.called


def test_workers_of_other_sources_lost_ones_and_those_of_a_resumed_run_are_named_with_the_chunk():
    refuses(
        WorkerError,
        (
            "worker one: its sources are 000000000000, expected [0-9a-f]{12}",
            lambda: next(Pooled(InProcess(one=of_other_code)).map(Square(), range(3))),
        ),
        (
            "in process: chunk 0 was lost 3 times, the last time with one",
            lambda: list(Pooled(InProcess(one=lost)).map(Square(), range(3))),
        ),
        # The first 700 chunks were kept: what is given out first is chunk 700, which can be replayed.
        (
            "chunk 70[0-9]: ",
            lambda: list(Pooled(InProcess(one=lies), checked_in=1).map(Square(), range(700, 710))),
        ),
    )


def test_work_that_cannot_be_done_fails_with_its_own_error_wherever_it_runs(processes):
    for pool in (InProcess(), processes):
        with pytest.raises(TypeError, match="unsupported operand"):
            list(Pooled(pool).map(Square(), [1, None, 3]))  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (lambda _: ("code", 25), ChunkAnswer("tls://two", "code", 25)),
        (lambda _: 25, ChunkAnswer("tls://two", "", None)),
        (lambda _: sys.exit(0), Lost),
        (lambda _: int("a"), ValueError),
    ],
)
def test_the_scheduler_says_who_computed_and_no_answer_ends_the_caller(answer, found):
    """Before, a worker named itself, and could be the one that computed its own chunk again."""
    pytest.importorskip("distributed")
    cluster, landed = DaskCluster("tls://scheduler"), Future[ChunkAnswer]()
    cluster._client = Mock(**{"who_has.return_value": {"chunk": ("tls://two",)}})
    cluster._land(Mock(key="chunk", result=lambda timeout: answer(timeout)), landed)
    assert isinstance(landed.exception(), found) if landed.exception() else landed.result() == found


def test_results_that_are_arrays_are_compared(processes):
    executor = Pooled(processes, checked_in=1)
    assert [found.tolist() for found in executor.map(np.arange, [2, 3])] == [[0, 1], [0, 1, 2]]
    assert executor.checked == 2
    with pytest.raises(WorkerError, match="chunk 3: one counted otherwise"):
        next(Pooled(InProcess(one=lies), checked_in=1).map(np.arange, [3]))


def test_a_campaign_broken_off_on_one_executor_goes_on_elsewhere(tmp_path):
    class Breaks:
        name = "breaks"

        def map(self, work, items):
            for place, item in enumerate(items):
                if place == 7:
                    raise WorkerError("the scheduler is gone")
                yield work(item)

        def execution(self):
            return Execution(self.name)

    with pytest.raises(WorkerError):
        campaign(Breaks(), resume=tmp_path)
    assert len(list(tmp_path.iterdir())) == 7
    assert campaign(resume=tmp_path) == campaign()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("threads:0", "N from 1 to 256"),
        ("processes:many", "N from 1 to 256"),
        ("dask:", "expected threads:N"),
        ("fork:2", "expected threads:N"),
        ("dask:10.0.0.1:8786", "is not this machine, expected tls://10.0.0.1:8786"),
        ("dask:tcp://node:8786", "is not this machine, expected tls://node:8786"),
        ("dask:http://127.0.0.1:1", "expected tls://HOST:PORT"),
    ],
)
def test_an_executor_of_no_known_form_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        parse_executor(text)


@pytest.mark.parametrize(
    ("value", "expected"), [("rng:X", "a package of its own"), ("nowhere:X", "a package in one folder")]
)
def test_a_family_of_our_own_modules_or_of_none_is_refused(value, expected):
    with pytest.raises(InputError, match=f"'mine' .*{value}: expected {expected}"):
        package_files(EntryPoint("mine", value, "certify.families"))


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPartError, match=r"pip install 'certify-VERSION.whl\[cluster\]'"):
        open_executor(parse_executor("dask:local:2")).__enter__()


def test_a_task_beside_runs_in_another_process_and_says_what_went_wrong_there():
    with open_background(parse_executor("threads:2")) as background:
        process, refused = background.begin(os.getpid), background.begin(parse_executor, "nowhere")
        assert process() not in (os.getpid(), 0)
        assert process() == process()
        with pytest.raises(InputError, match="nowhere"):
            refused()


def test_what_a_lost_process_had_to_do_the_caller_does():
    with Processes(1) as processes:
        background = BackgroundProcess(processes)
        there = background.begin(os.getpid)()
        background.begin(time.sleep, 60)
        os.kill(there, signal.SIGKILL)
        # What was not begun yet a process started in its place does.
        assert background.begin(os.getpid)() not in (there, os.getpid())
        dying = background.begin(die_elsewhere, os.getpid())
        assert dying() == os.getpid()


def die_elsewhere(here):
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return here


def test_a_process_that_starts_while_its_command_ends_is_ended(monkeypatch):
    starting, ended, started = threading.Event(), threading.Event(), []

    def late(target):
        starting.set()
        ended.wait()
        started.append(start(target))
        return started[0]

    monkeypatch.setattr("certify.executors.processes.start", late)
    with Processes(1) as processes:
        processes.submit(os.getpid)
        starting.wait()
    ended.set()
    processes._workers[0].queue.shutdown()
    assert started[0].returncode == -signal.SIGKILL


def test_what_cannot_be_sent_to_a_process_the_caller_computes():
    with open_background(parse_executor("threads:2")) as background:
        assert background.begin(lambda: os.getpid())() == os.getpid()
        assert isinstance(background.begin(threading.Lock)(), type(threading.Lock()))


@pytest.mark.parametrize("spec", ["threads:1", "processes:2"])
def test_one_thread_and_other_executors_have_nothing_beside_them(spec):
    calls = []
    with open_background(parse_executor(spec)) as background:
        assert isinstance(background, Deferred)
        task = background.begin(calls.append, 1)
        assert calls == []
        task()
        task()
        assert calls == [1]


def test_a_machine_that_allows_no_process_has_none_beside(monkeypatch):
    def refused(*_):
        raise OSError("no process any more")

    monkeypatch.setattr("certify.executors.processes.start", refused)
    with open_background(parse_executor("threads:2")) as background:
        assert background.begin(os.getpid)() == os.getpid()


def test_a_request_leaves_behind_where_it_runs_when_it_is_sent(game):
    request = RunRequest(game, profile_named("quick"), bytes(32), START, 3, executor=InTurn())
    sent = pickle.loads(pickle.dumps(request))  # noqa: S301 - of this test
    assert (sent, sent.executor, sent.background) == (request, None, Deferred())
