"""Repositories and variants of the published game for the tests of the gate."""

import os
import subprocess
from functools import cache
from pathlib import Path

from certify.gate.change import Approval
from certify.gate.compare import compare
from certify.gate.policy import GatePolicy
from certify.gate.snapshot_reader import Snapshot
from certify.result_cache import default_folder, kept_by_user

ROOT = Path(__file__).parents[1]
GAME = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
ID = "playtech-7-e-mezzo"

KING = 'pays = "2 to 1"'
LOWERED = 'pays = "3 to 2"'


@cache
def published():
    return GAME.read_text(encoding="utf-8")


def edited(*changes, text=None):
    """The published game with the first occurrence of each text replaced; each must be there."""
    text = text or published()
    for old, new in changes:
        assert old in text, f"{old!r} is not in the game"
        text = text.replace(old, new, 1)
    return text


def second_game():
    """Another game of the same family: other id and title, otherwise the published one."""
    return edited(
        (f'id = "{ID}"', 'id = "sette-notte"'),
        ('title = "7 e Mezzo"', 'title = "Sette Notte"'),
    )


def figures_folder():
    """The folder of all tests of a run: each variant is counted and proved once, whichever worker needs it."""
    return default_folder({"XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]})


def state(label, **files):
    """A state of files; double underscores in names are slashes, and a name without suffix is a TOML file."""
    return Snapshot(label, {f"{name.replace('__', '/')}.toml": text.encode() for name, text in files.items()})


def compared(before, after, policy=None):
    """One game compared between two texts, either of which may not exist."""
    old = state("before", **({"game": before} if before is not None else {}))
    new = state("after", **({"game": after} if after is not None else {}))
    with kept_by_user(figures_folder()):
        (found,) = compare(old, new, policy or GatePolicy())
    return found


def approval(day="2026-11-21"):
    return Approval(
        "ab" * 16, "game", "paytable-row-changed", "main/win", "0" * 64, "1" * 64, "agreed", day, day, "Ada",
        "", "", "", 1,
    )  # fmt: skip


def ids(changes):
    return sorted(change.kind.id for change in changes)


def change(comparison, kind, subject=None):
    (found,) = (
        c for c in comparison.changes if c.kind.id == kind and (subject is None or c.subject == subject)
    )
    return found


ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-11-02T09:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-02T09:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Repository:
    """A repository in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments, given=None):
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**os.environ, **ENVIRONMENT},
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, message, **files):
        """Commits TOML files by name; double underscores are slashes."""
        for name, text in files.items():
            self.write(f"{name.replace('__', '/')}.toml", text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
