"""Plants single mistakes in the code and tells which of them the tests find.

    python tools/mutants.py --number 100 --seed 25 --out build/mutants.csv

Mistakes are drawn by a seed over all lines of certify and rng, so that two states of the tests are tried on the same
ones. Each is planted in a copy of the tree. What runs is the module's own examples and the quick tests whose files
import it (where none does, those that import its folder), the cheapest by `tests/costs.csv` first, as many as the limit
allows. A row says what was changed and whether a test failed ("killed") that passes without the mistake, none did
("survived"), time ran out, or no test imports it. `--only FILE.csv` tries those again that survived there.
"""

from __future__ import annotations

import argparse
import ast
import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
PATIENCE = 3
"""How many times the limit of CPU seconds a run may last by the clock, collecting and compiling too."""


def can_be_changed(node: ast.AST) -> bool:
    """Tells whether a mistake can be planted in a node."""
    return (
        (isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED)
        or (isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED)
        or (isinstance(node, ast.Constant) and type(node.value) is int)
        or isinstance(node, ast.If | ast.IfExp)
        or (isinstance(node, ast.Return) and node.value is not None)
        or (isinstance(node, ast.Call) and len(node.args) > 1 and not isinstance(node.args[0], ast.Starred))
    )


def places(tree: ast.AST) -> list[ast.AST]:
    """The nodes of functions that a mistake can be planted in, in the order of the text."""
    inside = [one for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) for one in each.body]
    found = {
        (node.lineno, node.col_offset, type(node).__name__): node  # type: ignore[attr-defined]
        for statement in inside
        for node in ast.walk(statement)
        if can_be_changed(node)
    }
    return [found[key] for key in sorted(found)]


def mutate(node: ast.AST) -> str:
    """Plants the mistake of a node; returns what was done."""
    if isinstance(node, ast.Compare):
        node.ops[0] = SWAPPED[type(node.ops[0])]()
        return f"comparison {type(node.ops[0]).__name__}"
    if isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = SWAPPED[type(node.op)]()
        return f"operator {type(node.op).__name__}"
    if isinstance(node, ast.Constant):
        node.value += 1 if node.col_offset % 2 else -1
        return f"constant {node.value}"
    if isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return "condition negated"
    if isinstance(node, ast.Call):
        node.args[0], node.args[1] = node.args[1], node.args[0]
        return "arguments swapped"
    node.value = ast.Constant(None)  # type: ignore[attr-defined]
    return "return None"


@cache
def imported() -> dict[str, set[str]]:
    """The files of tests that import each module, as they name it."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom):
                names = [str(node.module), *(f"{node.module}.{name}" for name in names)]
            for name in names:
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


@cache
def costs() -> dict[str, float]:
    """CPU seconds of each file of tests, as they were recorded."""
    with (ROOT / "tests/costs.csv").open(newline="", encoding="utf-8") as rows:
        return {row["file"]: float(row["cpu_seconds"]) for row in csv.DictReader(rows)}


def tests_of(file: str, limit: float) -> list[str]:
    """The tests of a module, the cheapest first, as many as may take so many seconds together."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    folder = module.rpartition(".")[0]
    near = {one for name, files in imported().items() if name.startswith(f"{folder}.") for one in files}
    chosen, spent = [file], 0.0
    for test in sorted(imported().get(module) or near, key=lambda one: (costs().get(one, 0.0), one)):
        spent += costs().get(test, 0.0)
        if spent > limit and len(chosen) > 1:
            break
        chosen.append(test)
    return chosen


def run(tree: Path, asked: list[str], limit: float, **environment: str) -> tuple[str, list[str]]:
    """Runs tests until one fails; returns what became of it, and which failed."""
    call = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", *asked]
    own = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "500", **environment}
    try:
        done = subprocess.run(
            call, cwd=tree, env=own, timeout=limit, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return "time ran out", []
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.*?)?)(?: - |$)", done.stdout, re.M)
    return "killed" if done.returncode else "survived", failed


def tried(tree: Path, file: str, number: int, limit: float) -> tuple[int, str, str, str]:
    """Plants one mistake, runs the tests and takes it away again: line, mistake, what became of it, by which test."""
    text, stood = (tree / file).read_text("utf-8"), (tree / file).stat()
    parsed = ast.parse(text)
    node = places(parsed)[number]
    line, done = node.lineno, mutate(node)  # type: ignore[attr-defined]
    asked = tests_of(file, limit)
    if len(asked) == 1:
        return line, done, "no test imports it", ""
    with tempfile.TemporaryDirectory() as kernels:
        # What is compiled of other modules holds the text of this one.
        own = {"NUMBA_CACHE_DIR": kernels} if "njit" in text or "called_by_kernels" in text else {}
        (tree / file).write_text(ast.unparse(ast.fix_missing_locations(parsed)), "utf-8")
        try:
            outcome, by = run(tree, ["-x", *asked], PATIENCE * limit, **own)
        finally:
            (tree / file).write_text(text, "utf-8")
            # What was compiled of it before stays good.
            os.utime(tree / file, ns=(stood.st_atime_ns, stood.st_mtime_ns))
    return line, done, outcome, by[0] if by else ""


def drawn(seed: str, room: str) -> list[tuple[str, int]]:
    """Every place of a mistake, in an order that the seed gives."""
    files = [
        str(path.relative_to(ROOT))
        for one in ("certify", "rng")
        for path in sorted((ROOT / one).rglob("*.py"))
    ]
    every = [
        (file, place)
        for file in files
        if file.startswith(room)
        for place in range(len(places(ast.parse((ROOT / file).read_text("utf-8")))))
    ]
    return sorted(every, key=lambda one: hashlib.sha256(f"{seed}/{one[0]}/{one[1]}".encode()).digest())


def main() -> None:
    """Draws the mistakes, tries each and writes the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=100, help="how many mistakes")
    parser.add_argument("--seed", default="25", help="what they are drawn by")
    parser.add_argument("--room", default="", help="only files whose path begins so, such as certify/gate")
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds for the tests of one mistake")
    parser.add_argument("--only", type=Path, help="rows written before: those that survived are tried again")
    parser.add_argument("--out", type=Path, required=True, help="CSV file that is written")
    asked = parser.parse_args()
    again = None
    if asked.only:
        with asked.only.open(newline="", encoding="utf-8") as known:
            again = {
                (row["file"], row["place"]) for row in csv.DictReader(known) if row["outcome"] != "killed"
            }
    rows = [("file", "place", "line", "mistake", "outcome", "by")]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".venv", "build", ".git"), symlinks=True)
        for file, place in drawn(asked.seed, asked.room)[: asked.number]:
            if again is None or (file, str(place)) in again:
                rows.append((file, *map(str, (place, *tried(tree, file, place, asked.limit)))))
                print(*rows[-1], flush=True)
                written(asked.out, rows)
        # What fails without a mistake finds none.
        told = sorted({row[-1] for row in rows[1:] if row[-1]})
        failed = run(tree, told, PATIENCE * asked.limit * len(told))[1] if told else []
    written(
        asked.out,
        [(*row[:4], "fails without a mistake", row[5]) if row[5] in failed else row for row in rows],
    )


def written(out: Path, rows: list[tuple[str, ...]]) -> None:
    """Writes rows into a CSV file."""
    with out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
