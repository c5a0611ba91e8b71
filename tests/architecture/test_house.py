"""The house keeps its own rules: tree, help, fixtures, names, and nothing ambient."""

import ast
import hashlib
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from exhaustive import is_listed, listed

ROOT = Path(__file__).parents[2]
PACKAGES = ("certify", "rng", "report_templates")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


def section(text: str, name: str) -> str:
    return text.split(f"<!-- {name}")[1].split("-->", 1)[1].split(f"<!-- end of {name} -->")[0]


def test_the_tree_in_architecture_is_the_tree_on_disk() -> None:
    lines = section((ROOT / "ARCHITECTURE.md").read_text("utf-8"), "tree").splitlines()
    named, path = set(), []
    for line in lines:
        match = re.match(
            r"^( *)([a-z0-9_]+)/ ", line.replace("certify/", "certify/ ", 1) if line == "certify/" else line
        )
        if match:
            depth = len(match[1]) // 2
            path = [*path[:depth], match[2]]
            named.add("/".join(path))
    folders = {
        parent.relative_to(ROOT).as_posix()
        for file in tracked("certify", "rng", "report_templates")
        for parent in [file.parent, *file.parent.parents]
        if ROOT in parent.parents
    }
    in_packages = {name for name in named if name.split("/")[0] in PACKAGES}
    assert in_packages == folders
    assert {name for name in named if name not in in_packages} == {
        "fixtures",
        "docs",
        "tests",
        "benchmarks",
        "tools",
    }


def test_the_readme_names_the_two_commands_and_ci_runs_the_tests_command() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.search(r"^make pack ", readme, re.M)
    assert re.search(r"^make test ", readme, re.M)
    assert re.search(r"^make test$", (ROOT / ".ci/run").read_text(), re.M)


def test_files_that_the_readme_points_to_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (ROOT / target).exists(), target


def test_every_fixture_has_its_provenance_and_its_digest() -> None:
    text = (ROOT / "fixtures/SOURCES.md").read_text("utf-8")
    lacking = []
    for path in tracked("fixtures"):
        name = path.relative_to(ROOT / "fixtures").as_posix()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        rows = [line for line in text.splitlines() if name in line]
        if name != "SOURCES.md" and digest not in re.findall(r"[0-9a-f]{64}", "".join(rows)):
            what = "has another digest" if rows else "has no row"
            lacking.append(f"fixtures/{name} {what} in SOURCES.md: | `{name}` | … | … | `{digest}` | … |")
    assert not lacking, "\n".join(lacking)


def test_modules_are_small() -> None:
    sizes = {path: len(path.read_text("utf-8").splitlines()) for path in tracked("*.py")}
    assert {path.name: size for path, size in sizes.items() if size > 600} == {}


@pytest.mark.parametrize("word", ["Manager", "Helper", "utils"])
def test_names_are_the_fields(word: str) -> None:
    for path in tracked("*.py"):
        if path.parts[len(ROOT.parts)] in PACKAGES:
            text = path.read_text("utf-8")
            assert not re.search(rf"^class \w*{word}\w*\b|^def \w*{word}\w*\b", text, re.M), path
            assert word not in path.stem, path


def shared_names(texts: Iterable[str]) -> set[str]:
    """Returns the names that public classes of more than one module bear."""
    named = Counter(re.findall(r"^class ([A-Za-z]\w*)", "\n".join(texts), re.M))
    return {name for name, times in named.items() if times > 1}


def test_a_name_of_a_class_means_one_thing() -> None:
    assert shared_names(["class Deck:", "class Deck(Shoe):", "class _Own:", "class _Own:"]) == {"Deck"}
    modules = [path for path in tracked("*.py") if path.parts[len(ROOT.parts)] in ("certify", "rng")]
    assert shared_names(path.read_text("utf-8") for path in modules) == set()


CALLED_BY_OTHERS = {
    "pytest_addoption", "pytest_configure", "pytest_sessionfinish", "pytest_collect_file", "runtest", "reportinfo",
    "pytest_collection_modifyitems", "list_commands", "get_command", "format_commands", "get_code", "do_GET", "do_HEAD",
    "_handle_id", "_update_meta", "emit", "of_pair", "piece_kinds",
    "to_pandas", "to_polars", "get_source_stamp", "ensure_cache_path",
}  # fmt: skip
"""Functions that libraries call by name, two that who writes scripts may call, and one that new families begin with."""


def test_every_function_is_called_by_somebody() -> None:
    modules = [path for path in tracked("*.py") if path.parts[len(ROOT.parts)] in PACKAGES]
    text = "\n".join(
        path.read_text("utf-8") for path in (*modules, *tracked("*.j2"), ROOT / "pyproject.toml")
    )
    named = Counter(re.findall(r"\w+", text))
    # What another decorator stands above is registered by it.
    defined = re.findall(
        r"(?:\n|@property|@staticmethod|@classmethod|@(?:njit|lru_cache).*)\n *def ((?!__)\w+)", text
    )
    assert {name for name in defined if named[name] == 1} == CALLED_BY_OTHERS


def test_tests_that_are_left_to_slow_runs_exist() -> None:
    gone = []
    for test in listed():
        path, *names = test.partition("[")[0].split("::")
        text = (ROOT / path).read_text("utf-8") if (ROOT / path).is_file() else ""
        gone += [test for name in names if name != "runTest" and not re.search(rf"\b{name}\b", text)]
    assert gone == []
    # A case that is named by where the tree stands is found in that place alone.
    assert not [test for test in listed() if re.search(r"\[/.*/game\.toml", test)]
    assert is_listed(f"{next(name for name in listed() if '[' not in name)}[any case]")
    assert not is_listed("tests/architecture/test_house.py::test_modules_are_small")


def test_no_stub_is_left() -> None:
    marks = "raise NotImplemented" + "Error", "TO" + "DO", "FIX" + "ME"
    for path in tracked("*.py"):
        text = path.read_text("utf-8")
        for mark in marks:
            assert mark not in text, (path, mark)


def test_no_key_is_in_the_repository() -> None:
    mark = b"PRIVATE " + b"KEY-----"
    assert [path for path in tracked() if mark in path.read_bytes()] == []


FRESH = "in a temporary folder of its own, made just before"
WRITERS = {
    "certify/untrusted_input.py": "write_whole: a new file that takes the place of no link",
    "certify/seal/pack.py": FRESH,
    "certify/kit/starting.py": FRESH,
    "certify/kit/code.py": FRESH,
    "certify/gate/figures.py": FRESH,
    "certify/cli/main.py": "the device that swallows what nobody reads",
    "certify/rounds/journal.py": "appended to, on whatever medium an operator links there",
    "rng/entropy.py": "appended to, the operator's own",
}


def writes(source: str) -> bool:
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(
        name in ("write_text", "write_bytes")
        or (name == "open" and re.search(r"'[rbt]*[wxa+][bt+]*'|O_CREAT|O_WRONLY|O_RDWR", ast.unparse(call)))
        for call in calls
        for name in [getattr(call.func, "attr", getattr(call.func, "id", ""))]
    )


def test_files_are_written_by_one_function_which_follows_no_link() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in tracked("*.py")}
    rooms = {name: text for name, text in sources.items() if name.split("/")[0] in ("certify", "rng")}
    found = {name for name, text in rooms.items() if "/template/" not in name and writes(text)}
    assert found == WRITERS.keys()


def test_no_registry_host_is_named() -> None:
    names = (("pypi", "org"), ("pythonhosted", "org"), ("debian", "org"), ("npmjs", "org"))
    hosts = [".".join(parts) for parts in names]
    for path in tracked():
        content = path.read_bytes()
        assert not [host for host in hosts if host.encode() in content], path


STARTS_ITSELF = {
    "certify/children.py": "The one module.",
    "tools/budget.py": "Asks git, by hand and first of all in CI, before anything is installed.",
    "tools/mutants.py": "Tests of a copy of the tree, by a developer's hand.",
    "tools/packs.py": "Waits for each command by its number, for its CPU seconds; what it starts is this interpreter.",
}
"""Modules that start processes or look for programs by themselves, each with the reason."""

STARTERS = {
    "os": r"exec[lv]\w*|spawn\w*|posix_spawn\w*|system|popen|fork(pty)?|startfile",
    "shutil": "which",
    "subprocess": "(?!CompletedProcess$|TimeoutExpired$).*",
    "multiprocessing": ".*",
    "pty": ".*",
    "concurrent.futures": "ProcessPoolExecutor",
    "concurrent.futures.process": ".*",
    "asyncio": "create_subprocess_.*",
}
"""Names by module with which a process is started or a program is looked for."""


def starts_a_process(text: str) -> bool:
    """Returns whether a module starts processes or looks for programs, by what it imports and calls."""
    for node in ast.walk(ast.parse(text)):
        used: list[tuple[str, str]] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            used = [(node.module, one.name) for one in node.names]
            used += [(f"{node.module}.{one.name}", "") for one in node.names]
        elif isinstance(node, ast.Import):
            used = [(one.name.partition(".")[0], "") for one in node.names]
        elif isinstance(node, ast.Attribute):
            # A name is itself; to write out a hundred thousand expressions takes two seconds.
            used = [(getattr(node.value, "id", "") or ast.unparse(node.value), node.attr)]
        elif isinstance(node, ast.keyword) and node.arg in ("shell", "processes"):
            used = [("pty", "")] if ast.unparse(node.value) == "True" else []
        if any(module in STARTERS and re.fullmatch(STARTERS[module], name) for module, name in used):
            return True
    return False


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("import subprocess as s", True),
        ("from subprocess import TimeoutExpired, run", True),
        ("from subprocess import CompletedProcess, TimeoutExpired", False),
        ("import multiprocessing.pool", True),
        ("from multiprocessing import get_context", True),
        ("def f():\n    from concurrent.futures import ProcessPoolExecutor", True),
        ("from concurrent.futures import ThreadPoolExecutor, Future", False),
        ("import os\nos.execv('a', [])", True),
        ("import os\nos.posix_spawnp('a', [], {})", True),
        ("from os import system", True),
        ("import os\nos.popen('a')", True),
        ("import os\nos.register_at_fork(before=f)", False),
        ("import pty", True),
        ("from shutil import which", True),
        ("import shutil\nshutil.which('git')", True),
        ("import shutil\nshutil.rmtree('a')", False),
        ("LocalCluster(n_workers=2, processes=True)", True),
        ("LocalCluster(n_workers=2, processes=False)", False),
    ],
)
def test_what_starts_a_process_is_seen(text: str, starts: bool) -> None:
    assert starts_a_process(text) is starts


def test_one_module_starts_every_process_and_finds_every_program() -> None:
    starting = {
        path.relative_to(ROOT).as_posix()
        for path in tracked("certify/**.py", "rng/**.py", "report_templates/**.py", "tools/*.py")
        if starts_a_process(path.read_text("utf-8"))
    }
    assert starting == set(STARTS_ITSELF)
