"""Tools of the house: who is asked before anything is installed, and what is known of the locked dependencies."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Programs that note how they are called, and install nothing."""
    for name, does in {
        "apt-get": f'echo "apt-get $*" >> {tmp_path}/called',
        "sudo": f'echo sudo >> {tmp_path}/called; "$@"',
        "id": f"cat {tmp_path}/user",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "user").write_text("1000\n")
    return tmp_path


def packages(
    machine: Path, *named: str, answer: str | None = None, **environment: str
) -> tuple[int, str, list[str]]:
    """Runs the tool, at a terminal where there is an answer: its exit code, what it says, and what it called."""
    kept = {name: value for name, value in os.environ.items() if name != "CERTIFY_INSTALL"}
    kept |= {"PATH": f"{machine}:{os.environ['PATH']}", **environment}
    ours, theirs = pty.openpty()
    if answer is not None:
        os.write(ours, f"{answer}\n".encode())
    at_terminal = theirs if answer is not None else subprocess.DEVNULL
    done = subprocess.Popen(
        [ROOT / "tools/packages", *named],
        env=kept,
        stdin=at_terminal,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    code = done.wait(30)
    os.close(theirs)
    told = b""
    try:
        while part := os.read(ours, 65536):
            told += part
    except OSError:  # The other end is closed, and everything read.
        os.close(ours)
    called = machine / "called"
    return code, told.decode(), called.read_text().splitlines() if called.exists() else []


def test_nothing_is_installed_by_sudo_without_a_yes(machine: Path) -> None:
    for answer in (None, "n", "", "no"):
        code, told, called = packages(machine, "qpdf", "poppler-utils", answer=answer)
        assert (code, called) == (3, []), told
        assert "sudo env DEBIAN_FRONTEND=noninteractive apt-get install" in told
        assert "qpdf poppler-utils" in told
    assert packages(machine, "--optional", "softhsm2", answer="y")[::2] == (3, []), (
        "nobody is asked for a wish"
    )


@pytest.mark.parametrize("how", ["yes at the terminal", "a variable", "root", "root, a wish"])
def test_what_is_installed_is_named_first(machine: Path, how: str) -> None:
    if how.startswith("root"):
        (machine / "user").write_text("0\n")
    named = ("--optional", "qpdf") if how == "root, a wish" else ("qpdf",)
    given = {"CERTIFY_INSTALL": "yes"} if how == "a variable" else {}
    code, told, called = packages(machine, *named, answer="y" if "terminal" in how else None, **given)
    assert (code, "installing qpdf" in told) == (0, True), told
    assert any("install" in call and call.endswith("qpdf") for call in called)
    assert ("sudo" in called) is not how.startswith("root")
