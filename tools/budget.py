"""Hold every room to its budget of statements and files: continuous integration runs this first.

    python tools/budget.py            # fails where a room, or the whole, exceeds tools/budget.toml, or a row rose
    python tools/budget.py --lower    # takes what was saved off the rows, never raises one, and draws ARCHITECTURE.md
    python tools/budget.py --sizes    # prints statements and files by room as they are

Statements are nodes of the syntax tree without docstrings: longer lines, fewer blanks and shorter docstrings
buy nothing. A row rises only by hand, with an entry of ``moved`` of the same commit that names the room, what it
holds now and which rooms gave the statements, or an entry of ``added`` with the issue that pays. Every version of
the file in the history is held to that.

The CPU seconds of tests by file, ``tests/costs.csv``, are held too: each file of tests has a row, and a commit that
makes the whole record slower by a tenth has a line ``Slower: why`` in its message, or one of what it merges has it.
"""

from __future__ import annotations

import ast
import csv
import itertools
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = "tools/budget.toml"
COSTS: Final = "tests/costs.csv"
HELD_SINCE: Final = "faf40efc8082e75f1d112fe46a669b69402be04e"
"""The record of costs from which on a slower one says so."""
DEEPER: Final = ("certify/families", "rng/battery")
_DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def statements(source: str) -> int:
    """Returns the statements of a module, docstrings apart.

    >>> statements("if True: x = 1; y = 2")
    3
    """
    nodes = list(ast.walk(ast.parse(source)))
    documented = (
        isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None for node in nodes
    )
    return sum(isinstance(node, ast.stmt) for node in nodes) - sum(documented)


def room(path: Path) -> str:
    """Returns the room of a module: its folder in a package; families and parts of the battery one by one.

    >>> room(Path("certify/families/slot/exact/port.py")), room(Path("certify/money.py"))
    ('certify/families/slot', 'certify')
    """
    folder = path.parent.as_posix()
    depth = 3 if folder.startswith(tuple(one + "/" for one in DEEPER)) else 2
    return "/".join(path.parent.parts[:depth])


def sizes() -> dict[str, tuple[int, int]]:
    """Returns statements and files of every room, as the tree holds them now."""
    counted: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for top in ("certify", "rng", "tests"):
        for path in sorted((ROOT / top).rglob("*.py")):
            name = room(path.relative_to(ROOT))
            counted[name] += statements(path.read_text("utf-8"))
            files[name] += 1
    return {name: (counted[name], files[name]) for name in sorted(files)}


def total(rows: dict[str, Any], *, tests: bool) -> tuple[int, int]:
    """Returns statements and files of the tests, or of everything else."""
    kept = [size for name, size in rows.items() if (name.split("/")[0] == "tests") is tests]
    return sum(size[0] for size in kept), sum(size[1] for size in kept)


def exceeded(now: dict[str, tuple[int, int]], rows: dict[str, Any]) -> list[str]:
    """Returns what is above its row, a sentence each."""
    pairs = [
        (name, kind, have, most)
        for name, size in now.items()
        for kind, have, most in zip(("statements", "files"), size, rows.get(name, (0, 0)), strict=True)
    ]
    return [
        f"{name}: {have} {kind}, {have - most} above its row of {most}: make it smaller, or take from a room by name"
        for name, kind, have, most in pairs
        if have > most
    ]


def risen(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Returns the rows, or totals, that rose between two versions of the budget without an entry for it."""
    moved = [entry for entry in after.get("moved", []) if entry not in before.get("moved", [])]
    added = [entry for entry in after.get("added", []) if entry not in before.get("added", [])]
    named = {entry["to"]: entry["holds"] for entry in moved if entry["from"] and entry["because"]}
    named |= {entry["to"]: entry["holds"] for entry in added if entry["issue"] and entry["because"]}
    found = [
        f"{name}: the row rose from {old} to {size}, and no new entry of moved or added says that it holds this"
        for name, size in after["rooms"].items()
        for old in [before["rooms"].get(name, [0, 0])]
        if (size[0] > old[0] or size[1] > old[1]) and named.get(name) != size
    ]
    for tests, kind in ((False, "certify and rng"), (True, "tests")):
        paid = sum(entry["statements"] for entry in added if (entry["to"].split("/")[0] == "tests") is tests)
        old, new = total(before["rooms"], tests=tests)[0], total(after["rooms"], tests=tests)[0]
        if new > old + paid:
            found.append(f"{kind}: {new - old} statements more than before, of which an issue pays {paid}")
    return found


def versions() -> list[dict[str, Any]]:
    """Returns the versions of the budget in the history, the oldest first, and the one of the tree."""
    git = shutil.which("git") or "git"
    commits = _git(git, "log", "--first-parent", "--format=%H", "--reverse", "--", FILE).split()
    texts = [_git(git, "show", f"{commit}:{FILE}") for commit in commits]
    return [tomllib.loads(text) for text in [*texts, (ROOT / FILE).read_text("utf-8")]]


def seconds(record: str) -> dict[str, float]:
    """Returns the recorded CPU seconds of each file of tests."""
    return {row["file"]: float(row["cpu_seconds"]) for row in csv.DictReader(record.splitlines())}


def unrecorded(record: str, files: list[str]) -> list[str]:
    """Returns the files of tests without a row, and the rows of files that are gone, a sentence each."""
    rows, tests = seconds(record), {file for file in files if Path(file).name.startswith("test_")}
    return [
        *(
            f"{COSTS}: no row of {one}: run pytest --costs {COSTS} {one}"
            for one in sorted(tests - rows.keys())
        ),
        *(f"{COSTS}: a row of {one}, which is gone: take it out" for one in sorted(rows.keys() - {*files})),
    ]


def slower(before: str, after: str, said: str) -> list[str]:
    """Returns that a record is slower by more than a tenth than the one before, where no message says why."""
    old, new = sum(seconds(before).values()), sum(seconds(after).values())
    if new <= old * 1.1 or re.search(r"^Slower: \S", said, re.M):
        return []
    wanted = 'expected at most a tenth more, or a line "Slower: why" in the message'
    return [f"{COSTS}: {new:.0f} CPU seconds, {old:.0f} before: {wanted}"]


def records() -> list[str]:
    """Returns what is wrong with the record of costs, in the tree and in every commit since it is held."""
    git = shutil.which("git") or "git"
    commits = _git(git, "log", "--first-parent", "--format=%H", "--reverse", "--", COSTS).split()
    since = commits.index(HELD_SINCE) if HELD_SINCE in commits else 0
    found = unrecorded((ROOT / COSTS).read_text("utf-8"), _git(git, "ls-files", "*.py").split())
    for old, new in itertools.pairwise(commits[since:]):
        before, after = (_git(git, "show", f"{commit}:{COSTS}") for commit in (old, new))
        said = _git(git, "log", "--format=%B", f"{old}..{new}")
        found += [f"{new[:12]}: {sentence}" for sentence in slower(before, after, said)]
    return found


def _git(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def lowered(text: str, now: dict[str, tuple[int, int]]) -> str:
    """Returns the file with each row at the lesser of itself and what its room holds; rooms that are gone go."""
    rows = tomllib.loads(text)["rooms"]
    lines = []
    for line in text.splitlines():
        name = line.split('"')[1] if line.startswith('"') else None
        if name is None or name not in rows:
            lines.append(line)
        elif name in now:
            lines.append(f'"{name}" = {[min(pair) for pair in zip(rows[name], now[name], strict=True)]}')
    return "\n".join(lines) + "\n"


def drawn(page: str, rows: dict[str, Any]) -> str:
    """Returns ARCHITECTURE.md with the row of each room, statements/files, behind the room's name in the tree."""
    head, tree, tail = re.split("(?<=<!-- tree -->\n```\n)|(?=```\n<!-- end of tree)", page)
    lines, path = [], list[str]()
    for line in tree.splitlines():
        match = re.fullmatch("( *)([a-z0-9_]+)/ *([0-9]+/[0-9]+)? *(.*)", line)
        if match:
            path = [*path[: len(match[1]) // 2], match[2]]
            size = "/".join(map(str, rows.get("/".join(path), ())))
            lines.append(f"{f'{match[1]}{match[2]}/':<24} {size:>8}  {match[4]}".rstrip())
        else:
            lines.append(line)
    return head + "\n".join(lines) + "\n" + tail


def main() -> int:
    """Returns 1 where a room is above its row or a row rose unaccounted for."""
    now = sizes()
    file = ROOT / FILE
    if "--sizes" in sys.argv:
        print(*(f'"{name}" = {list(size)}' for name, size in now.items()), sep="\n")
        return 0
    if "--lower" in sys.argv:
        file.write_text(lowered(file.read_text("utf-8"), now), "utf-8")
        page = ROOT / "ARCHITECTURE.md"
        page.write_text(drawn(page.read_text("utf-8"), versions()[-1]["rooms"]), "utf-8")
    history = versions()
    found = exceeded(now, history[-1]["rooms"])
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    if page != drawn(page, history[-1]["rooms"]):
        found.append(
            "ARCHITECTURE.md: its tree does not show the rows of the budget: run tools/budget.py --lower"
        )
    for before, after in itertools.pairwise(history):
        found += risen(before, after)
    found += records()
    print(*found, sep="\n", end="\n" if found else "")
    for tests, kind in ((False, "certify and rng"), (True, "tests")):
        goal = history[-1]["goal"]["tests" if tests else "code"]
        print(
            f"{kind}: %d statements in %d files" % total(now, tests=tests), f"(goal: {goal[0]} in {goal[1]})"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
