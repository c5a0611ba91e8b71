"""Every use of randomness in the product names a registered purpose."""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from rng.generator import PURPOSES

ROOT = Path(__file__).parents[2]
# The functions that open a source, and where each takes the purpose: its position and its name.
OPENERS = {"stream": 1, "record_stream": 1, "Generator": 1, "record_generator": 1}


# The run itself proves that an unregistered purpose is refused, and for that it has to ask for one.
PROBES = {"unregistered-use"}


def purposes_in(source: str) -> Iterator[tuple[int, str | None]]:
    """Line and purpose of each call that opens a source; None where the purpose is not written out."""
    if not any(opener in source for opener in OPENERS):
        return
    constants: dict[str, str] = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        for target in targets:
            if (
                isinstance(target, ast.Name)
                and isinstance(value, ast.Constant)
                and isinstance(value.value, str)
            ):
                constants[target.id] = value.value
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in OPENERS:
            continue
        named = [k.value for k in node.keywords if k.arg == "purpose"]
        position = OPENERS[name]
        given = named[0] if named else node.args[position] if len(node.args) > position else None
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            yield node.lineno, given.value
        elif isinstance(given, ast.Name) and given.id in constants:
            yield node.lineno, constants[given.id]
        else:
            yield node.lineno, None


def product_files() -> list[Path]:
    """The sources of the product that open streams: all but the module of each opener itself."""
    own = {"streams.py", "transcript.py", "replay.py", "generator.py"}
    files = [p for p in (ROOT / "rng").rglob("*.py") if p.name not in own or p.parent.name != "rng"]
    return [*files, *(ROOT / "certify").rglob("*.py")]


def test_every_call_site_draws_for_a_registered_purpose() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {purpose}"
        for path in product_files()
        for line, purpose in purposes_in(path.read_text())
        # A purpose handed through is checked when the stream is opened.
        if purpose is not None and purpose not in PURPOSES.keys() | PROBES
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "source",
    [
        "stream(seed, 'raffle', 0)",
        "streams.stream(seed, purpose='raffle', index=0)",
        "P = 'raffle'\nrecord_stream(seed, P, 3)",
        "Generator(system_entropy(), 'raffle')",
    ],
)
def test_the_check_finds_an_unregistered_purpose(source: str) -> None:
    found = [purpose for _, purpose in purposes_in(source)]
    assert found == ["raffle"]
    assert not {"raffle", *PROBES} & PURPOSES.keys()


def test_the_inventory_names_modules_that_exist() -> None:
    for purpose in PURPOSES.values():
        assert purpose.description.endswith(".")
        assert find_spec(purpose.used_by) is not None
        assert purpose.id.isascii()


def test_rng_is_imported_without_compiling_anything() -> None:
    import subprocess
    import sys

    code = (
        "import sys, rng.shuffle, rng.streams, rng.uniform, rng.kat, rng.replay, rng.uniform, rng.entropy;"
        "print('numba' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "False"]
