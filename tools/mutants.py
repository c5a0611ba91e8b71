"""Plants single mistakes in the code and tells which of them the tests find.

    python tools/mutants.py --number 200 --seed 25 --out build/mutants.csv

Mistakes are drawn by a seed over all lines of certify and rng, so that two states of the tests are tried on the same
ones. Each is planted in a copy of the tree, in which the tests run whose files import the module; a row says what was
changed and whether a test failed ("killed"), none did ("survived"), time ran out, no test
imports the module, or the tests end so without a mistake too.
"""

from __future__ import annotations

import argparse
import ast
import csv
import hashlib
import os
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


def places(tree: ast.AST) -> list[ast.AST]:
    """The nodes of functions that a mistake can be planted in, in the order of the text."""
    inside = [
        node for function in ast.walk(tree) if isinstance(function, ast.FunctionDef) for node in function.body
    ]
    found = {
        (node.lineno, node.col_offset, type(node).__name__): node  # type: ignore[attr-defined]
        for statement in inside
        for node in ast.walk(statement)
        if (isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED)
        or (isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED)
        or (isinstance(node, ast.Constant) and type(node.value) is int)
        or (isinstance(node, ast.If | ast.IfExp))
        or (isinstance(node, ast.Return) and node.value is not None)
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
        node.value += 1
        return f"constant {node.value}"
    if isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return "condition negated"
    node.value = ast.Constant(None)  # type: ignore[attr-defined]
    return "return None"


def tests_of(module: str) -> list[str]:
    """The files of tests that import a module."""
    package, _, name = module.rpartition(".")
    wanted = (f"from {module} import", f"import {module}\n", f"from {package} import {name}\n")
    texts = {path: path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    return [str(path.relative_to(ROOT)) for path, text in texts.items() if any(one in text for one in wanted)]


def write(tree: Path, file: str, text: str) -> None:
    """Writes a module, and forgets what was compiled where it holds kernels: others hold them too, compiled in."""
    (tree / file).write_text(text, "utf-8")
    if "njit" in text or "called_by_kernels" in text:
        for compiled in tree.rglob("*.nbi"):
            compiled.unlink()


def tried(tree: Path, file: str, number: int, limit: int) -> tuple[int, str, str]:
    """Plants one mistake, runs the tests and takes it away again; returns line, mistake and what became of it."""
    text = (tree / file).read_text("utf-8")
    parsed = ast.parse(text)
    node = places(parsed)[number]
    line, done = node.lineno, mutate(node)  # type: ignore[attr-defined]
    asked = tests_of(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    if not asked:
        return line, done, "no test imports it"
    if outcome(tree, tuple(asked), limit) != "survived":
        return line, done, "the tests fail or run out of time without a mistake"
    write(tree, file, ast.unparse(ast.fix_missing_locations(parsed)))
    try:
        return line, done, outcome.__wrapped__(tree, tuple(asked), limit)
    finally:
        write(tree, file, text)


@cache
def outcome(tree: Path, asked: tuple[str, ...], limit: int) -> str:
    """Runs tests; without a mistake, in which each set of tests is run once, they have to survive."""
    call = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *asked]
    own = {**os.environ, "PYTHONPATH": str(tree)}
    try:
        done = subprocess.run(call, cwd=tree, env=own, timeout=limit, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return "time ran out"
    return "killed" if done.returncode else "survived"


def main() -> None:
    """Draws the mistakes, tries each and writes the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=200, help="how many mistakes")
    parser.add_argument("--seed", default="25", help="what they are drawn by")
    parser.add_argument("--room", default="", help="only files whose path begins so, such as certify/gate")
    parser.add_argument("--limit", type=int, default=300, help="seconds for the tests of one mistake")
    parser.add_argument("--out", type=Path, required=True, help="CSV file that is written")
    asked = parser.parse_args()
    files = [
        str(path.relative_to(ROOT))
        for room in ("certify", "rng")
        for path in sorted((ROOT / room).rglob("*.py"))
    ]
    every = [
        (file, place)
        for file in files
        if file.startswith(asked.room)
        for place in range(len(places(ast.parse((ROOT / file).read_text("utf-8")))))
    ]
    every.sort(key=lambda one: hashlib.sha256(f"{asked.seed}/{one[0]}/{one[1]}".encode()).digest())
    with tempfile.TemporaryDirectory() as folder, asked.out.open("w", newline="", encoding="utf-8") as out:
        tree = Path(folder) / "tree"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns(".venv", "build", "__pycache__"), symlinks=True
        )
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("file", "line", "mistake", "outcome"))
        for file, place in every[: asked.number]:
            row = (file, *tried(tree, file, place, asked.limit))
            rows.writerow(row)
            out.flush()
            print(*row)


if __name__ == "__main__":
    main()
