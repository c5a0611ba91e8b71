"""Shared settings and fixtures of the test suite."""

import gc
import itertools
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import exhaustive
import pytest
from cli_support import Called
from costs import Costs
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import HealthCheck, settings
from postgres_server import Server

from certify import result_cache, submission
from certify.cli.main import run
from certify.databases import Place
from certify.model import Game

settings.register_profile(
    "whole", max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("quick", settings.get_profile("whole"), max_examples=15)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--costs`` and ``--refresh``."""
    parser.addoption(
        "--refresh", action="store_true", help="write down what tests compare whole as it is now"
    )
    parser.addoption("--costs", type=Path, metavar="FILE.csv", help="record CPU seconds of tests by file")


def pytest_configure(config: pytest.Config) -> None:
    """Tries as many examples as the run has time for: fewer where slow tests are left out."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "whole")
    # Processes that tests start keep what they compile, so that not each of them compiles all of it again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    config.pluginmanager.register(exhaustive)
    if config.option.costs:
        config.pluginmanager.register(Costs(config.option.costs.absolute()))


FIXTURES = Path(__file__).parents[1] / "fixtures"
_read = submission.read_game
_known = cache(_read)


def read_once(path: Path) -> Game:
    """Reads a game of the fixtures once, and any other whenever it is asked for."""
    return _known(path) if Path(path).resolve().is_relative_to(FIXTURES) else _read(path)


# Some fifty modules of tests begin with a game: while they are collected, all of them take it from one reading.
submission.read_game = read_once


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Looks for no garbage while tests are collected, next to all of which stays until the end, and seldom afterwards.

    Then the product has its own reader back.
    """
    gc.disable()
    found = yield
    submission.read_game = _read
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()
    return found


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Runs a PostgreSQL server while there are tests that want one."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Returns where a ledger or a state can be kept: the stories of one kind of database are those of the other."""
    return tmp_path / "ledger.db" if request.param == "file" else request.getfixturevalue("server").fresh()


@pytest.fixture(scope="session", autouse=True)
def kept_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps what commands keep away from the user's own folders, in one place for all processes of the test run.

    What the first of them proved, counted or planted the others find by its digest, whether they call the command
    line or the library. A test that wants another folder names it; one that changes the engine itself keeps nothing
    (`nothing_kept`).
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = str(shared / variable.lower())
    secret = result_cache.secret_of(os.environ) or pytest.fail("the test run has no key of its own")
    with result_cache.kept_in(result_cache.default_folder(os.environ), secret):
        yield


@pytest.fixture(scope="session", autouse=True)
def keys_drawn_once() -> Iterator[None]:
    """Has all demonstrations of a process signed by the same two keys: to draw a pair takes 0.3 CPU seconds."""
    turns = itertools.cycle(("root", "signer"))
    drawn = cache(lambda turn, **asked: rsa.generate_private_key(**asked))
    with pytest.MonkeyPatch.context() as patch:
        known = {**vars(rsa), "generate_private_key": lambda **asked: drawn(next(turns), **asked)}
        patch.setattr("certify.seal.signer.rsa", SimpleNamespace(**known))
        yield


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a test begin where nothing is kept, as any program does."""
    monkeypatch.setattr(result_cache, "_KEEPING", [])


@pytest.fixture
def unshortened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a breach shown by the first story that shows it, but where slow tests run: shortening it tells hundreds."""
    if request.config.option.markexpr == "not slow":
        monkeypatch.setattr(
            "certify.rounds.conformance.conform.shortest", lambda story, seen, *_: (story, seen, True)
        )


@pytest.fixture
def briefly(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a system not be asked for every action in every phase, but where slow tests run: other tests ask for it."""
    if request.config.option.markexpr == "not slow":
        monkeypatch.setattr("certify.rounds.conformance.fixed._tried", lambda *_: [])


@pytest.fixture
def certify(capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Calls the command line in this process."""

    def call(*arguments: str | Path) -> Called:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Called(code, captured.out, captured.err)

    return call


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the file beside the test that keeps it; ``--refresh`` writes down the text as it is now."""

    def compare(name: str, text: str) -> None:
        path = request.path.with_name(name)
        if request.config.option.refresh:
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8"), (
            f"what changed is meant? pytest --refresh {request.node.nodeid}"
        )

    return compare
