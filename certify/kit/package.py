"""The package of a new family: its two texts, a game, tests, CI; it certifies as it stands."""

from __future__ import annotations

import hashlib
import keyword
import re
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from certify import __version__
from certify.errors import InputError
from certify.families.registry import families
from certify.kit.folders import write_folder

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LONGEST: Final = 60

_PLACES: Final[Mapping[str, str]] = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "gitignore.in": ".gitignore",
    "ci.yml.in": ".github/workflows/certify.yml",
    "init.py.in": "src/{module}/__init__.py",
    "second.py.in": "src/{module}/second.py",
    "rules.txt.in": "games/rules.txt",
    "game.toml.in": "games/game.toml",
    "test_family.py.in": "tests/test_family.py",
}
"""Where each template is written."""


_DEPENDS_ON: Final[Mapping[str, str]] = {
    "certify": f"=={__version__}",
    "pytest": ">=8.4,<10",
    "hatchling": ">=1.27,<2",
}
"""What a new package depends on, with the versions that serve where none is at hand."""


def check_name(name: str) -> str:
    """Returns the module of a family with a name.

    Raises:
        InputError: The name is of the wrong form, or taken.

    >>> check_name("lucky-wheel")
    'lucky_wheel'
    """
    module = name.replace("-", "_")
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        raise InputError(f'name "{name}": expected lower-case words with hyphens, such as lucky-wheel')
    if name in families():
        raise InputError(
            f'name "{name}": there is a family of that id already, of {families()[name].package}'
        )
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module) is not None:
        raise InputError(
            f'name "{name}": {module} is the name of another module of Python, expected one of its own'
        )
    return module


def package_files(name: str) -> Mapping[str, str]:
    """Returns the files of the package of a new family, by their places.

    Raises:
        InputError: The name is of the wrong form, or taken.
    """
    module = check_name(name)
    title = name.replace("-", " ").capitalize()
    said = {"NAME": name, "MODULE": module, "TITLE": title, **_pinned()}
    folder = files("certify.kit") / "template"
    texts = {file: _filled((folder / file).read_text("utf-8"), said) for file in _PLACES}
    digest = hashlib.sha256(texts["rules.txt.in"].encode()).hexdigest()
    texts["game.toml.in"] = texts["game.toml.in"].replace("@SHA256@", digest)
    return {place.format(module=module): texts[file] for file, place in _PLACES.items()}


def _pinned() -> Mapping[str, str]:
    """Returns the requirement of each package that a family depends on: the version at hand, and no other."""
    found = {}
    for package, otherwise in _DEPENDS_ON.items():
        try:
            stated = f"{package}=={version(package)}"
        except PackageNotFoundError:
            stated = f"{package}{otherwise}"
        found[package.upper()] = f'"{stated}"'
    return found


def _filled(text: str, said: Mapping[str, str]) -> str:
    for key, value in said.items():
        text = text.replace(f"@{key}@", value)
    return text


def write_package(name: str, out: Path) -> tuple[str, ...]:
    """Writes the package of a new family into a new folder, whole or not at all; returns the names of its files.

    Raises:
        InputError: The name is of the wrong form or taken, or the folder is there already or cannot be made.
    """
    return write_folder(package_files(name), out)
