"""Every benchmark finds what it imports and says how it is called: none of them runs in the other tests."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(Path("benchmarks").glob("bench_*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_benchmark_starts(script):
    called = subprocess.run(
        [sys.executable, str(script), "--help"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (called.returncode, called.stdout.partition(" ")[0]) == (0, "usage:"), called.stderr
