"""What is compiled without an entry from Python is called by compiled code alone."""

import ast
from pathlib import Path
from unittest.mock import Mock

import pytest

import rng
from rng import compiled

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


def test_a_kernel_is_believed_while_all_that_is_compiled_into_it_is_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "ROOT", tmp_path)
    texts = {"kernel": "from room import limits\n", "limits": "from room.deep import (\n    MOST,\n)\n"}
    for name, text in {**texts, "deep": "MOST = 1\n", "other": "MOST = 1\n"}.items():
        (tmp_path / "room").mkdir(exist_ok=True)
        (tmp_path / f"room/{name}.py").write_text(text)

    def stamp() -> str:
        for known in (compiled.stamp, compiled._read):
            known.cache_clear()
        return compiled.stamp(str(tmp_path / "room/kernel.py"))

    before = stamp()
    (tmp_path / "room/other.py").write_text("MOST = 2\n")
    assert stamp() == before
    (tmp_path / "room/deep.py").write_text("MOST = 2\n")
    assert stamp() != before


def test_kernels_are_kept_where_nobody_else_can_write_and_read_from_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kernel() -> None: ...

    (tmp_path / "kernel.py").touch()
    place = compiled.BesideSource.from_function(kernel, str(tmp_path / "kernel.py"))
    folder = tmp_path / "__pycache__/kernels"
    # Numba makes sure of the folder anew with every kernel that it keeps.
    assert (place.ensure_cache_path(), place.get_cache_path(), folder.stat().st_mode & 0o777) == (
        None,
        str(folder),
        0o700,
    )
    for mode, owner, kept in (
        (0o755, 0, True),
        (0o1777, 0, True),
        (0o775, 0, False),
        (0o757, 0, False),
        (0o755, 54321, False),
    ):
        monkeypatch.setattr(Path, "stat", Mock(return_value=Mock(st_uid=owner, st_mode=0o040000 | mode)))
        compiled._reach.cache_clear()
        assert bool(compiled.BesideSource.from_function(kernel, str(tmp_path / "kernel.py"))) is kept
    monkeypatch.undo()
    # Where no other place holds, there is one that goes with the process.
    assert compiled.PassingFolder.from_function(kernel, str(tmp_path / "kernel.py")) is not None
    folder.chmod(0o770)
    assert compiled.BesideSource.from_function(kernel, str(tmp_path / "kernel.py")) is None
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert compiled.BesideSource.from_function(kernel, str(tmp_path / "kernel.py")) is None


def test_code_for_many_machines_is_made_where_every_processor_can_run_it(tmp_path: Path) -> None:
    known = tmp_path / "cpuinfo"
    known.write_text("flags\t: fpu avx avx2\n\nflags\t: fpu avx\n")
    assert [rng._has(flags, known) for flags in ("avx", "fpu avx", "avx avx2")] == [True, True, False]
    assert not rng._has("avx", tmp_path / "none")
