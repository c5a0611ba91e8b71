"""Plugin of pytest: ``pytest --certify`` shows what every submission promises, as tests.

Each submission below the collected folders becomes a file of tests: that it can be read, that every printed figure
is what the game returns and every printed count and row what exact counting gives, that returns are above the floors
of the policy and not above what is staked, that top awards are not too rare, and that the exposure stays within the
policy's limit. Nothing is collected without ``--certify``. What is known to be wrong and stays so, such as misprints of
a source, is written down by ``--certify-write-known FILE`` and expected to fail in just that way by
``--certify-known FILE``.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import pytest

from certify.errors import InputError, Refusing
from certify.model import Filled
from certify.untrusted_input import quoted, read_bounded, write_whole

SCHEMA: Final = "certify-known-wrong/1"


@dataclass(frozen=True, slots=True)
class _Known:
    """One ``[[known]]``."""

    game: Filled
    promise: Filled
    wrong: Filled


@dataclass(frozen=True, slots=True)
class _KnownFile:
    """A file of what is known to be wrong."""

    schema: str
    known: tuple[_Known, ...] = ()


_KEYS: Final = tuple(one.name for one in fields(_Known))
_HEADER: Final = f'''# What is known to be wrong: promises of submissions that fail in just this way are expected to.
# Written by `pytest --certify --certify-write-known FILE`.
schema = "{SCHEMA}"
'''


def read_known(path: Path) -> dict[tuple[str, str], str]:
    """Returns what a file says is known to be wrong, by game and promise.

    Raises:
        InputError: The file cannot be read, or is not of that form.
    """
    from certify.submission import located_form

    file, problems = located_form(read_bounded(path), str(path), _KnownFile)
    problems.refuse_where(file.schema != SCHEMA, ("schema",), f'schema: expected "{SCHEMA}"')
    found: dict[tuple[str, str], str] = {}
    for place, entry in enumerate(file.known):
        problems.refuse_where(
            (entry.game, entry.promise) in found,
            ("known", place),
            f"{entry.promise} of {entry.game} is known twice",
        )
        found[entry.game, entry.promise] = entry.wrong
    problems.raise_found()
    return found


def write_known(path: Path, known: dict[tuple[str, str], str]) -> None:
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


_KNOWN = pytest.StashKey[dict[tuple[str, str], str]]()
_WRONG = pytest.StashKey[dict[tuple[str, str], str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--certify`` and ``--certify-cache``."""
    group = parser.getgroup("certify", "mathematics of submitted games")
    group.addoption(
        "--certify", action="store_true", help="collect every submission as tests of what it promises"
    )
    for name, metavar, words in (
        ("cache", "DIR", "folder of exact figures; CERTIFY_CACHE if left out"),
        ("known", "FILE", "promises that are known to fail, and in which way (TOML)"),
        ("write-known", "FILE", "write the promises that fail, as --certify-known reads them"),
    ):
        group.addoption(f"--certify-{name}", metavar=metavar, help=words)


def pytest_configure(config: pytest.Config) -> None:
    """Reads what is known to be wrong, before anything is collected."""
    named = config.getoption("--certify-known")
    with Refusing(InputError, pytest.UsageError):
        config.stash[_KNOWN] = read_known(Path(named)) if named else {}
    config.stash[_WRONG] = {}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes down which promises failed, where that is requested."""
    if named := session.config.getoption("--certify-write-known"):
        write_known(Path(named), session.config.stash[_WRONG])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a file that says it is a submission."""
    if not parent.config.getoption("--certify") or file_path.suffix.lower() != ".toml":
        return None
    from certify.gate.promises import SubmissionFile, is_submission

    if not is_submission(file_path):
        return None
    known, wrong = (parent.config.stash[key] for key in (_KNOWN, _WRONG))
    collector: pytest.Collector = SubmissionFile.from_parent(parent, path=file_path, known=known, wrong=wrong)
    return collector


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuses a run that was to check submissions and found none: it would pass without having checked any."""
    if not config.getoption("--certify"):
        return
    from certify.gate.promises import PromiseItem

    if not any(isinstance(item, PromiseItem) for item in items):
        raise pytest.UsageError("--certify: no submission was found below the collected folders")
