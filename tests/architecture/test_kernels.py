"""What is compiled without an entry from Python is called by compiled code alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILED = ("njit", "called_by_kernels")
MODULES = sorted(
    path
    for room in ("certify", "rng")
    for path in (ROOT / room).rglob("*.py")
    if "\n@called_by_kernels\n" in path.read_text("utf-8")
)


def compiled_by(node: ast.FunctionDef) -> set[str]:
    return {word for word in COMPILED for one in node.decorator_list if word in ast.unparse(one)}


def called_from_python(text: str) -> list[str]:
    """The functions of a module that have no entry from Python and can be called from there all the same."""
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    inner = {node.name for node in functions if "called_by_kernels" in compiled_by(node)}
    python = [node for node in tree.body if not (isinstance(node, ast.FunctionDef) and compiled_by(node))]
    asked = {node.id for one in python for node in ast.walk(one) if isinstance(node, ast.Name)}
    return sorted({name for name in inner if not name.startswith("_")} | (inner & asked))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_kernels_without_an_entry_are_private_and_only_kernels_of_their_module_call_them(path: Path) -> None:
    assert called_from_python(path.read_text("utf-8")) == []


def test_a_call_from_python_is_found() -> None:
    text = "@called_by_kernels\ndef _inner(): ...\n@njit\ndef outer(): _inner()\n"
    assert called_from_python(text) == []
    assert called_from_python(text + "def port(): return _inner()\n") == ["_inner"]
    assert called_from_python("@called_by_kernels\ndef inner(): ...\n") == ["inner"]
