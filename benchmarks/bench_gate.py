"""What the gate costs where one of two hundred games is changed, and where all are.

    .venv/bin/python benchmarks/bench_gate.py [--games 200] [--repeats 3] [--changed FIXTURE] [--all] [--json]

Processor time of whole processes with all that they start (git above all), the best of the repeats, all in one run. The
games are those of fixtures/games in turn under ids of their own, committed to a repository made for the run; a second
commit raises one pay of one game by one unit. No figures are kept between runs (``--no-cache``), so that both states of
that game are counted. The peer is `certify analyze` of both states, what anybody pays who looks at them by hand. With
``--all`` the first game of each fixture, of as many as ``--games`` says, is the whole repository, a pay of each is
raised, and the peer is `certify analyze` of both states of each; that takes minutes. The run stops unless the gate
tells of just the games that were changed. Wanted: one of two hundred below 2 s.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURES = sorted((ROOT / "fixtures/games").glob("*/game.toml"))
ID = re.compile(r'^id = "([^"]+)"$', re.MULTILINE)
PAYS = re.compile(r'^pays = "(\d+) to 1"$', re.MULTILINE)
CERTIFY = (sys.executable, "-m", "certify")
COMPARED = (*CERTIFY, "gate", "git:HEAD~", "git:HEAD", "--no-cache", "--format", "json")


class Bench:
    """A repository of games, and the processes that are measured in it."""

    def __init__(self, folder: Path, number: int, repeats: int) -> None:
        self.folder, self.repeats = folder, repeats
        self.games = dict(submitted(index) for index in range(number))
        people = {
            f"GIT_{who}_{what}": "bench" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(ROOT)}
        # Compiled once, as an installed program is.
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / ".git/compiled")}
        self.environment = {**os.environ, **people, **settings, **compiled}
        self.spent("git", "init", "-q", "-b", "main")
        self.commit(self.games)

    def commit(self, files: dict[str, str]) -> None:
        """Commits files by their paths."""
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        self.spent("git", "add", "-A")
        self.spent("git", "commit", "-q", "-m", "games")

    def spent(self, *command: str) -> tuple[float, str]:
        """Returns the processor time of a process with its children, and what it printed."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def analysed(self, path: str) -> float:
        """Returns the least processor time of analyzing a game."""
        return min(self.spent(*CERTIFY, "analyze", path)[0] for _ in range(self.repeats))

    def raised(self, paths: list[str]) -> dict[str, float]:
        """Returns the processor time of the gate where these games pay one unit more, and of analyzing both states."""
        before = sum(map(self.analysed, paths))
        self.commit({path: raised(self.games[path]) for path in paths})
        found = [self.spent(*COMPARED) for _ in range(self.repeats)]
        told = json.loads(found[0][1])["games"]
        changed = sorted(game["after"]["path"] for game in told if game["status"] != "unchanged")
        if len(told) != len(self.games) or changed != sorted(paths):
            raise SystemExit(f"the gate told of {changed}: expected {sorted(paths)}")
        took, peer = min(seconds for seconds, _ in found), before + sum(map(self.analysed, paths))
        return {
            "games": len(told),
            "changed": len(paths),
            "gate": took,
            "analyze": peer,
            "ratio": took / peer,
        }


def submitted(index: int) -> tuple[str, str]:
    """Returns path and text of a game: the fixtures in turn, each time under another id."""
    text = FIXTURES[index % len(FIXTURES)].read_text(encoding="utf-8")
    name = f"{ID.findall(text)[0]}-{index:03}"
    return f"games/{name}/game.toml", ID.sub(f'id = "{name}"', text, count=1)


def raised(text: str) -> str:
    """Returns a submission whose first pay to one is one unit more."""
    return PAYS.sub(lambda pay: f'pays = "{int(pay[1]) + 1} to 1"', text, count=1)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--changed", default="roulette-single-zero")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(
            Path(folder),
            min(arguments.games, len(FIXTURES)) if arguments.all else arguments.games,
            arguments.repeats,
        )
        named = [path for path in bench.games if path.startswith(f"games/{arguments.changed}-")]
        found = bench.raised([*bench.games] if arguments.all else named[:1])
    if arguments.json:
        print(json.dumps(found))
    else:
        print(
            f"{found['changed']} of {found['games']} games changed: gate {found['gate']:.2f} CPU s, "
            f"analyze of both states {found['analyze']:.2f} CPU s, ratio {found['ratio']:.2f}"
        )


if __name__ == "__main__":
    main()
