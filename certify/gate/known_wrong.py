"""What is known to be wrong in submissions and is not mended: misprints of a source, each with what is wrong about it.

A promise that fails in just the way that is written down is expected to fail; one that fails in another way, and one
that holds by now, is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.outside import TomlError, bounded_toml, quoted, read_bounded, write_whole

SCHEMA: Final = "certify-known-wrong/1"
_KEYS: Final = ("game", "promise", "wrong")
_HEADER: Final = f'''# What is known to be wrong: promises of submissions that fail in just this way are expected to.
# Written by `pytest --certify --certify-write-known FILE`.
schema = "{SCHEMA}"
'''

KnownWrong = Mapping[tuple[str, str], str]
"""What is wrong by game and promise."""


def read_known(path: Path) -> KnownWrong:
    """Returns what a file says is known to be wrong.

    Raises:
        InputError: The file cannot be read, or is not of that form.
    """
    try:
        document = bounded_toml(read_bounded(path).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from error
    except TomlError as error:
        raise InputError(f"{path}: {error}") from error
    entries = document.get("known", [])
    if (
        document.get("schema") != SCHEMA
        or set(document) - {"schema", "known"}
        or not isinstance(entries, list)
    ):
        raise InputError(f'{path}: expected schema = "{SCHEMA}" and tables [[known]]')
    found: dict[tuple[str, str], str] = {}
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {*_KEYS}:
            raise InputError(f"{path}: {entry!r}: expected a table of {', '.join(_KEYS)}")
        game, promise, wrong = (entry[key] for key in _KEYS)
        if not all(isinstance(value, str) and value for value in (game, promise, wrong)):
            raise InputError(f"{path}: {entry!r}: expected texts")
        if (game, promise) in found:
            raise InputError(f"{path}: {promise} of {game} is known twice")
        found[game, promise] = wrong
    return found


def write_known(path: Path, known: KnownWrong) -> None:
    """Writes what is known to be wrong, in the order of games and promises.

    Raises:
        InputError: The file cannot be written.
    """
    tables = [
        "\n[[known]]\n"
        + "".join(f"{key} = {quoted(value)}\n" for key, value in zip(_KEYS, entry, strict=True))
        for entry in sorted((game, promise, wrong) for (game, promise), wrong in known.items())
    ]
    write_whole(path, [(_HEADER + "".join(tables)).encode()])
