"""One quick pack, made once for all tests of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from certify.cli.main import run

ROOT = Path(__file__).parents[2]
GAME = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
SEED = "5e77ee" * 11  # 33 bytes


@dataclass(frozen=True)
class Called:
    code: int
    out: str
    err: str


@pytest.fixture
def certify(capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Calls the command line in this process."""

    def call(*arguments: str | Path) -> Called:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Called(code, captured.out, captured.err)

    return call
