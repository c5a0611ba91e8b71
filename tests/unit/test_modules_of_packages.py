"""Which modules belong to a distribution that states none: those of its files, machine code too."""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackagePath
from types import SimpleNamespace
from typing import Any, cast

import pytest

from certify.executors.packages import _modules


@pytest.mark.parametrize(
    ("stated", "files", "modules"),
    [
        (None, ["plain.py", "plain-1.0.dist-info/RECORD"], {"plain"}),
        (None, ["whole/__init__.py", "whole/part.py", "whole/data.toml"], {"whole"}),
        (None, [f"speedups{EXTENSION_SUFFIXES[0]}"], {"speedups"}),
        (None, [f"native/core{EXTENSION_SUFFIXES[0]}"], {"native"}),
        (None, ["__pycache__/plain.cpython-311.pyc", "readme.txt"], set()),
        ("one\ntwo\n", ["three.py"], {"one", "two"}),
    ],
)
def test_modules_are_those_that_are_stated_or_those_of_the_files(stated, files, modules):
    dist = SimpleNamespace(read_text=lambda name: stated, files=[PackagePath(file) for file in files])
    assert set(_modules(cast(Any, dist))) == modules
