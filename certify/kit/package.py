"""The package of a new family: rules, reference round, play-through, a game, tests, CI; it certifies as it stands."""

from __future__ import annotations

import hashlib
import keyword
import re
import sys
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.families.registry import families

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LONGEST: Final = 60

_PLACES: Final[Mapping[str, str]] = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "gitignore.in": ".gitignore",
    "ci.yml.in": ".github/workflows/certify.yml",
    "init.py.in": "src/{module}/__init__.py",
    "submitted.py.in": "src/{module}/submitted.py",
    "reference.py.in": "src/{module}/reference.py",
    "volume.py.in": "src/{module}/volume.py",
    "counting.py.in": "src/{module}/counting.py",
    "rules.txt.in": "games/rules.txt",
    "game.toml.in": "games/game.toml",
    "test_family.py.in": "tests/test_family.py",
}
"""Where each template is written."""


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
    said = {"NAME": name, "MODULE": module, "TITLE": title}
    folder = files("certify.kit") / "template"
    texts = {file: _filled((folder / file).read_text("utf-8"), said) for file in _PLACES}
    digest = hashlib.sha256(texts["rules.txt.in"].encode()).hexdigest()
    texts["game.toml.in"] = texts["game.toml.in"].replace("@SHA256@", digest)
    return {place.format(module=module): texts[file] for file, place in _PLACES.items()}


def _filled(text: str, said: Mapping[str, str]) -> str:
    for key, value in said.items():
        text = text.replace(f"@{key}@", value)
    return text


def write_package(name: str, out: Path) -> tuple[str, ...]:
    """Writes the package of a new family into a new folder, whole or not at all; returns the names of its files.

    Raises:
        InputError: The name is of the wrong form or taken, or the folder is there already or cannot be made.
    """
    contents = package_files(name)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            f"{out} is there already and holds something: expected a new folder, nothing was written"
        )
    target = out.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
            fresh = Path(scratch, "new")
            for place, text in contents.items():
                path = fresh / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            if target.exists():
                target.rmdir()
            fresh.rename(target)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error
    return tuple(contents)
