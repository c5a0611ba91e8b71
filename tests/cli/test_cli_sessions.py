"""Sessions on the command line: claims, exact figures, starting a game, rounds; each compared whole."""

from pathlib import Path

import pytest
from cli_support import ROOT
from sessions import Player, cases, compare

from certify.families import forget_families
from certify.kit.code import _on_path

HERE = Path(__file__).parent


@pytest.fixture(scope="module", autouse=True)
def _installed():
    """Makes the stranger's wheel known."""
    with _on_path([str(ROOT / "tests/installed")]):
        yield
    forget_families()


@pytest.mark.parametrize(("path", "name"), cases(*sorted(HERE.glob("*.txt"))))
def test_a_session_is_as_it_was_written_down(path, name, certify, tmp_path, monkeypatch, request):
    told = Player(tmp_path, certify, monkeypatch).play(path, name)
    compare(path, name, told, refresh=request.config.option.refresh)
