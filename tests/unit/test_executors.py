"""Executors: the same results from threads, processes and a cluster, and no trust in whoever computes."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from executor_work import Square
from representatives import firsts

from certify.certification.generator import SMALL_DECKS, CountOrders, count_orders
from certify.certification.profile import profile_named
from certify.certification.request import RunRequest
from certify.errors import InputError, MissingPartError
from certify.executors import Executor, WorkerError, open_executor, parse_executor
from certify.executors.background import BackgroundProcess, Deferred, open_background
from certify.executors.crew import CrewExecutor, Greeting, Lost, compute, greet
from certify.executors.crew_run import PARCEL
from certify.executors.environment import Environment, environment
from certify.executors.port import Execution, InTurn, is_drawn
from certify.executors.processes import Processes
from certify.mathematics import analyze, identify
from certify.mathematics.of_game import SeekPays
from certify.model.game import Game
from certify.simulation import Campaign, StreamDecks, run_campaign
from certify.submission import read_game

ROUNDS = 20_000
START = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))


def campaign(executor: Executor | None = None, **options: Any) -> Campaign:
    """Plays a game whose table is derived, and proved in no time by each process."""
    game = read_game(Path("fixtures/games/roulette-single-zero/game.toml"))
    dealt = StreamDecks.of(game, b"tests of the executors, 32 bytes")
    strategy = analyze(game).strategy
    return run_campaign(game, strategy, ROUNDS, deal=dealt, chunk_rounds=1_000, executor=executor, **options)


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as crew:
        yield crew


@pytest.mark.parametrize("spec", ["processes:2"])
def test_a_campaign_is_the_same_whoever_plays_it(spec: str) -> None:
    alone = campaign()
    assert campaign(workers=2) == alone
    with open_executor(parse_executor(spec)) as executor:
        assert campaign(executor) == alone
        ran = executor.execution()
    assert (ran.executor, ran.chunks, len(ran.workers), ran.lost) == (spec, 20, 2, ())


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 9])
def test_recovered_pays_and_enumerated_decks_are_the_same_whoever_computes_them(
    game: Game, processes: Processes, most: int
) -> None:
    executor = CrewExecutor(processes, checked_in=1)
    lost = [wager.id for wager in game.wagers if wager.pays_are_recovered][:most]
    decks = SMALL_DECKS[: 2 * most]
    assert list(executor.map(SeekPays(game), lost)) == [identify(game, wager) for wager in lost]
    assert list(executor.map(CountOrders(), decks)) == [count_orders(cards) for cards in decks]
    assert executor.execution().checked == len(lost) + len(decks) == min(3 * most, 9)


def test_results_come_in_order_and_some_are_computed_twice(processes: Processes) -> None:
    executor = CrewExecutor(processes, checked_in=3)
    assert list(executor.map(Square(), range(100))) == [n * n for n in range(100)]
    drawn = [n for n in range(100) if executor.twice(Square(), n)]
    assert executor.execution().checked == len(drawn) > 20


def test_a_worker_that_dies_is_survived(processes: Processes, tmp_path: Path) -> None:
    executor = CrewExecutor(processes)
    assert list(executor.map(Square(str(tmp_path), "dies"), range(20))) == [n * n for n in range(20)]
    assert any("chunk 5 was lost" in one for one in executor.execution().lost)


def test_a_worker_that_hangs_is_given_up(processes: Processes, tmp_path: Path) -> None:
    executor = CrewExecutor(processes, patience=3)
    assert list(executor.map(Square(str(tmp_path), "hangs"), range(20))) == [n * n for n in range(20)]
    assert any("gave no answer" in one for one in executor.execution().lost)


def test_a_worker_that_counts_otherwise_stops_the_run_by_its_name(
    processes: Processes, tmp_path: Path
) -> None:
    executor = CrewExecutor(processes, checked_in=1)
    with pytest.raises(WorkerError, match=r"chunk 5: \S+/\d+ counted otherwise"):
        list(executor.map(Square(str(tmp_path), "lies"), range(20)))


class InProcess:
    """A crew of one thread a call, that can be told what it says of itself."""

    name = "in process"

    def __init__(self, hello: Greeting | None = None, workers: tuple[str, ...] = ("one", "two")) -> None:
        self.hello, self.workers = hello, workers

    def present(self) -> tuple[str, ...]:
        return self.workers

    def submit(self, worker: str, call: Any, *arguments: Any) -> Any:
        from concurrent.futures import Future

        flight: Future[Any] = Future()

        def land() -> None:
            try:
                flight.set_result(self.hello if call is greet and self.hello else call(*arguments))
            except Exception as error:  # noqa: BLE001 - of the worker
                flight.set_exception(error)

        threading.Timer(0.001, land).start()
        return flight

    def lost(self, error: BaseException) -> bool:
        return isinstance(error, Lost)

    def give_up(self, worker: str) -> None:
        self.workers = tuple(one for one in self.workers if one != worker)


@pytest.mark.parametrize("part", [name for name, _ in environment().facts])
def test_a_worker_with_other_software_is_refused_before_the_first_chunk(part: str) -> None:
    other = Environment(tuple((name, "0" if name == part else fact) for name, fact in environment().facts))
    hello = replace(greet(Square()), called="node7/31", environment=other)
    with pytest.raises(WorkerError, match=r"worker node7/31: .* is 0, expected "):
        next(CrewExecutor(InProcess(hello)).map(Square(), range(3)))


def test_a_worker_that_received_other_work_is_refused() -> None:
    hello = replace(greet(Square()), work="0" * 64)
    with pytest.raises(WorkerError, match="received other work"):
        next(CrewExecutor(InProcess(hello)).map(Square(), range(3)))


@pytest.mark.parametrize("workers", [("one",), ("one", "two"), ("one", "two", "three")])
def test_quick_chunks_travel_many_in_a_parcel_and_each_comes_back_once_and_in_order(
    workers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = InProcess(workers=workers)
    parcels: list[tuple[str, tuple[int, ...]]] = []
    submit = crew.submit

    def counted(worker: str, call: Any, *arguments: Any) -> Any:
        if call is compute:
            parcels.append((worker, arguments[1]))
        return submit(worker, call, *arguments)

    monkeypatch.setattr(crew, "submit", counted)
    executor = CrewExecutor(crew, checked_in=4)
    assert list(executor.map(Square(), range(500))) == [number * number for number in range(500)]
    assert executor.execution().chunks == 500
    assert max(len(items) for _, items in parcels) == PARCEL
    assert len(parcels) < 80
    # No parcel holds a chunk twice, and no worker is asked twice for the same.
    given = [(worker, item) for worker, items in parcels for item in items]
    here = executor.execution().checked if len(workers) == 1 else 0
    assert len(set(given)) == len(given) == 500 + executor.execution().checked - here
    # With one worker only, this process checks it.
    assert executor.execution().checked == sum(executor.twice(Square(), number) for number in range(500))


class Misbehaves(InProcess):
    """A crew of threads, the worker ``two`` of which does what it is told instead of what it is sent."""

    def __init__(self, how: Any, on: Any = compute) -> None:
        super().__init__()
        self.how, self.on = how, on

    def submit(self, worker: str, call: Any, *arguments: Any) -> Any:
        if worker == "two" and call is self.on:
            return super().submit(worker, self.how, *arguments)
        return super().submit(worker, call, *arguments)


def lies_where_the_digest_draws_nothing(work: Any, items: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    """What an adversary can tell from what it was sent: the work, its digest and the items."""
    from hashlib import sha256

    def was_checked(item: int) -> bool:
        drawn = sha256(f"{work.digest}/{item}".encode()).digest()
        return int.from_bytes(drawn[:8], "big") % 32 == 0

    return 0.001, tuple(item * item if was_checked(item) else 0 for item in items)


def test_a_worker_that_lies_wherever_the_work_itself_does_not_betray_a_check_is_caught() -> None:
    with pytest.raises(WorkerError, match="counted otherwise"):
        list(CrewExecutor(Misbehaves(lies_where_the_digest_draws_nothing)).map(Square(), range(3_000)))


def test_each_run_draws_other_chunks_and_discloses_afterwards_how() -> None:
    executors = [CrewExecutor(InProcess()) for _ in range(2)]
    for executor in executors:
        assert list(executor.map(Square(), range(400))) == [number * number for number in range(400)]
    one, other = (executor.execution() for executor in executors)
    assert one.secret != other.secret
    for ran in (one, other):
        assert ran.works == ((Square().digest, 400),)
        assert ran.checked == sum(
            is_drawn(ran.secret, Square().digest, n, ran.checked_in) for n in range(400)
        )


def test_one_worker_alone_is_checked_by_this_process() -> None:
    crew = Misbehaves(lambda _, items: (0.001, tuple(item + 1 for item in items)))
    crew.workers = ("two",)
    with pytest.raises(WorkerError, match=r"chunk \d+: \S+/\d+ counted otherwise"):
        list(CrewExecutor(crew).map(Square(), range(500)))


def raises(*_: Any) -> Any:
    raise ValueError("I would rather not")


@pytest.mark.parametrize(
    "answer",
    [
        raises,
        lambda *_: None,
        lambda _, items: (float("nan"), tuple(item * item for item in items)),
        lambda _, items: (0.1, tuple(item * item for item in items[1:])),
        lambda _, items: ("soon", tuple(items)),
    ],
    ids=["an exception", "nothing", "no number of seconds", "a chunk less", "a word for seconds"],
)
def test_what_a_worker_makes_up_does_not_end_the_run_while_another_is_honest(answer: Any) -> None:
    executor = CrewExecutor(Misbehaves(answer))
    assert list(executor.map(Square(), range(60))) == [number * number for number in range(60)]
    assert any("failed from chunk" in one for one in executor.execution().lost)


def test_a_worker_that_cannot_say_what_it_computes_with_is_let_go() -> None:
    executor = CrewExecutor(Misbehaves(raises, greet))
    assert list(executor.map(Square(), range(60))) == [number * number for number in range(60)]
    assert any("does not say what it computes with" in one for one in executor.execution().lost)
    crew = Misbehaves(raises, greet)
    crew.workers = ("two",)
    with pytest.raises(WorkerError, match=r"no worker is left \(two does not say .*I would rather not"):
        list(CrewExecutor(crew).map(Square(), range(3)))


def test_work_that_cannot_be_done_fails_with_its_own_error_wherever_it_runs() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        list(CrewExecutor(InProcess()).map(Square(), [1, None, 3]))  # type: ignore[list-item]


@pytest.mark.parametrize("others", firsts([10, 40]))
def test_workers_are_greeted_at_once_and_one_that_hangs_holds_up_nobody(others: int) -> None:
    class Silent(InProcess):
        def submit(self, worker: str, call: Any, *arguments: Any) -> Any:
            from concurrent.futures import Future

            if worker == "one":
                return Future()  # never lands
            return super().submit(worker, call, *arguments)

    executor = CrewExecutor(Silent(workers=("one", *(f"worker {n}" for n in range(others)))))
    assert list(executor.map(Square(), range(200))) == [number * number for number in range(200)]
    # It was over before the silent one would have been given up: nobody waited for it.
    assert executor.execution().lost == ()


def test_a_result_that_is_never_handed_over_holds_up_nobody() -> None:
    class Keeps(InProcess):
        """The worker ``two`` says that it is done and keeps what it has."""

        def submit(self, worker: str, call: Any, *arguments: Any) -> Any:
            flight = super().submit(worker, call, *arguments)
            if worker != "two" or call is greet:
                return flight

            class Kept:
                def result(self, timeout: float | None = None) -> Any:
                    time.sleep(0.05)
                    raise TimeoutError

                def add_done_callback(self, fn: Any) -> None:
                    flight.add_done_callback(lambda _: fn(self))

            return Kept()

    executor = CrewExecutor(Keeps(), patience=1)
    assert list(executor.map(Square(), range(60))) == [number * number for number in range(60)]
    assert any("gave no answer for 1 s" in one for one in executor.execution().lost)


def test_messages_of_a_resumed_run_name_the_chunk_that_can_be_replayed() -> None:
    crew = Misbehaves(lambda _, items: (0.001, tuple(item + 1 for item in items)))
    with pytest.raises(WorkerError, match=r"chunk 70[0-9]: "):
        # The first 700 chunks were kept: what is given out first is chunk 700.
        list(CrewExecutor(crew, checked_in=1).map(Square(), range(700, 710)))


def test_a_parcel_that_is_lost_is_computed_by_others_chunk_by_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    crew = InProcess()
    sent = 0
    submit = crew.submit

    def dies(worker: str, call: Any, *arguments: Any) -> Any:
        nonlocal sent
        sent += call is compute
        if call is compute and len(arguments[1]) > 3 and worker == "two":
            raise Lost(worker)
        return submit(worker, call, *arguments)

    monkeypatch.setattr(crew, "submit", dies)
    executor = CrewExecutor(crew)
    assert list(executor.map(Square(), range(100))) == [number * number for number in range(100)]
    assert len([one for one in executor.execution().lost if "was lost with" in one]) > 3


def test_without_a_worker_nothing_is_said_to_be_done() -> None:
    with pytest.raises(WorkerError, match="no worker is left"):
        list(CrewExecutor(InProcess(workers=())).map(Square(), range(3)))


def test_a_campaign_broken_off_on_one_executor_goes_on_elsewhere(tmp_path: Path) -> None:
    class Breaks:
        name = "breaks"

        def map(self, work: Any, items: Any) -> Iterator[Any]:
            for place, item in enumerate(items):
                if place == 7:
                    raise WorkerError("the scheduler is gone")
                yield work(item)

        def execution(self) -> Any:
            return Execution(self.name, (), "", 0, 0)

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
def test_an_executor_of_no_known_form_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_executor(text)


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPartError, match=r"pip install 'certify\[cluster\]'"):
        open_executor(parse_executor("dask:local:2")).__enter__()


def test_a_task_beside_runs_in_another_process_and_says_what_went_wrong_there() -> None:
    with open_background(parse_executor("threads:2")) as background:
        process, refused = background.begin(os.getpid), background.begin(parse_executor, "nowhere")
        assert process() not in (os.getpid(), 0)
        assert process() == process()
        with pytest.raises(InputError, match="nowhere"):
            refused()


def test_what_a_lost_process_had_to_do_the_caller_does() -> None:
    with Processes(1) as processes:
        background = BackgroundProcess(processes)
        background.begin(time.sleep, 60)
        waiting = background.begin(os.getpid)
        ((process, _),) = processes._pools.values()
        os.kill(process.pid, signal.SIGKILL)
        assert waiting() == os.getpid()
        assert background.begin(os.getpid)() == os.getpid()


def test_what_cannot_be_sent_to_a_process_the_caller_computes() -> None:
    with open_background(parse_executor("threads:2")) as background:
        assert background.begin(lambda: os.getpid())() == os.getpid()
        assert isinstance(background.begin(threading.Lock)(), type(threading.Lock()))


@pytest.mark.parametrize("spec", ["threads:1", "processes:2"])
def test_one_thread_and_other_executors_have_nothing_beside_them(spec: str) -> None:
    calls: list[int] = []
    with open_background(parse_executor(spec)) as background:
        assert isinstance(background, Deferred)
        task = background.begin(calls.append, 1)
        assert calls == []
        task()
        task()
        assert calls == [1]


def test_a_machine_that_allows_no_process_has_none_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no semaphores here")

    with monkeypatch.context() as without:
        without.setattr(Processes, "__enter__", refused)
        with open_background(parse_executor("threads:2")) as background:
            assert background.begin(os.getpid)() == os.getpid()
    with Processes(1) as processes:
        monkeypatch.setattr(Processes, "submit", refused)
        assert BackgroundProcess(processes).begin(os.getpid)() == os.getpid()


def test_a_request_leaves_behind_where_it_runs_when_it_is_sent(game: Game) -> None:
    request = RunRequest(game, profile_named("quick"), bytes(32), START, 3, executor=InTurn())
    sent = pickle.loads(pickle.dumps(request))  # noqa: S301 - of this test
    assert (sent, sent.executor, sent.background) == (request, None, Deferred())
