"""Shared settings and fixtures of the test suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_support import Called
from hypothesis import HealthCheck, settings

from certify.cli.main import run

settings.register_profile(
    "certify", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("certify")


@pytest.fixture
def certify(capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Calls the command line in this process."""

    def call(*arguments: str | Path) -> Called:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Called(code, captured.out, captured.err)

    return call
