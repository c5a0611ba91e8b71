"""Starts every other process, and nothing that is in the folder that a command is called from.

A child of our own code runs with an interpreter that looks neither there nor at the caller's ``PYTHON*`` variables, in
another folder, and takes our packages from where this module is. It states the digest of its code before anything
else; a child of other code, or of none, is an error and its answer is not read. Programs are found by name in the
absolute folders of ``PATH`` alone.

This module is the first that such a child runs, by its path: it imports nothing of ours.
"""

import errno
import gc
import hashlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

ROOT: Final = Path(__file__).absolute().parents[1]
SOURCES: Final = ("certify", "rng", "report_templates")

NAMED: Final[set[str]] = set()
"""Folders that the caller named to import from: they hold even where they are the one that it calls from."""

_COMPILER_SETTINGS: Final = ".numba_config.yaml"
_DIGEST: Final = 64
_ALL: Final = tuple(f"{package}/**/*" for package in SOURCES)


Child: TypeAlias = "subprocess.Popen[bytes]"
"""A process that runs."""


class ChildError(Exception):
    """A child ended with an error, gave no answer, or is of other code; the message is its own last line if any."""


class UnfinishedError(ChildError):
    """A child did not come to its end within the time that it was given."""


@cache
def source_digest(*patterns: str) -> str:
    """Returns one SHA-256 over source files of the harness, by name and content.

    Args:
        patterns: Which files, as patterns of their paths; all of them where left out.
    """
    paths = (path for pattern in patterns or _ALL for path in ROOT.glob(pattern))
    return digest_of(
        (path.relative_to(ROOT).as_posix(), path.read_bytes())
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    )


def digest_of(files: Iterable[tuple[str, bytes]]) -> str:
    """Returns one SHA-256 over some files.

    It is the digest of lines ``sha256  name``, one for each file in order of its name, as ``sha256sum`` prints.

    Args:
        files: Each file by its name, with its content.
    """
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files]
    return hashlib.sha256("".join(sorted(lines, key=lambda line: line[66:])).encode()).hexdigest()


def of_current_folder(place: str) -> bool:
    """Returns whether an entry of the path is the folder called from, or was written from there as a relative one.

    A folder that the caller named, and the one that our own code is in, are not.
    """
    if not os.path.isabs(place):
        return True
    relative = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if not os.path.isabs(one)]
    places = {os.path.realpath(one) for one in (os.curdir, *relative)}
    return os.path.realpath(place) in places - {os.path.realpath(ROOT)} and place not in NAMED


def leave_current_folder() -> None:
    """Takes the folder called from out of where this process looks for modules and programs.

    Raises:
        InputError: Settings of the compiler lie there, which it would read.
    """
    from certify.errors import InputError

    sys.path[:] = [place for place in sys.path if not of_current_folder(place)]
    os.environ["PATH"] = _absolute_path()
    if os.path.lexists(_COMPILER_SETTINGS):
        raise InputError(
            f"{_COMPILER_SETTINGS} is in the folder that the command is called from, and would change how figures are "
            "compiled and what is run: expected another folder, or none of it"
        )


def program(name: str) -> str | None:
    """Returns the absolute path of a program, None where it is not installed.

    Args:
        name: Looked for in the absolute folders of ``PATH``; a name with a slash is a path as the caller gives it.
    """
    found = shutil.which(name, path=_absolute_path())
    return os.path.abspath(found) if found else None


def _absolute_path() -> str:
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(place for place in places if os.path.isabs(place))


def run_program(
    command: Sequence[str],
    *,
    given: bytes = b"",
    timeout: float | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    capture: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program that is not ours to its end, without a shell.

    Args:
        command: Program and arguments.
        given: What is on its standard input.
        timeout: Seconds after which it is ended.
        environment: Its environment, in place of the caller's.
        folder: Where it runs.
        capture: Whether its output is returned; otherwise what it prints goes nowhere, and its errors where ours go.

    Raises:
        OSError: It is not there or cannot be run.
        subprocess.TimeoutExpired: It took too long.
    """
    return subprocess.run(  # noqa: S603 - by its absolute path, without a shell
        _absolute(command),
        input=given,
        stdout=subprocess.PIPE if capture else subprocess.DEVNULL,
        stderr=subprocess.PIPE if capture else None,
        timeout=timeout,
        env={**(os.environ if environment is None else environment), "PATH": _absolute_path()},
        cwd=folder,
        check=False,
    )


def start_program(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path, errors: BinaryIO
) -> Child:
    """Starts a program that is not ours, without a shell, to be written to and read from while it runs.

    Args:
        command: Program and arguments.
        environment: Its environment, in place of the caller's.
        folder: Where it runs.
        errors: The file of its standard error.

    Raises:
        OSError: It is not there or cannot be run.
    """
    return subprocess.Popen(  # noqa: S603 - by its absolute path, without a shell
        _absolute(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**environment, "PATH": _absolute_path()},
        cwd=folder,
        # An interrupt at the terminal is the caller's to handle; it ends what it started.
        start_new_session=True,
    )


def _absolute(command: Sequence[str]) -> list[str]:
    found = program(command[0])
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    return [found, *command[1:]]


def start(target: str, environment: Mapping[str, str] | None = None, *, quiet: bool = False) -> Child:
    """Starts a function of ours in an isolated interpreter; it is handed two streams, to read its task and to answer.

    Args:
        target: The function, ``package.module:name``.
        environment: Variables in addition to those of the caller, whose ``PYTHON*`` are left out.
        quiet: Whether its standard error is kept from the caller's, to be read.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    places = [place for place in sys.path if not of_current_folder(place)]
    flags = ["-P", "-s", *(["-B"] if sys.dont_write_bytecode else [])]
    return subprocess.Popen(  # noqa: S603 - this interpreter on this file
        [sys.executable, *flags, __file__, target, *places],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if quiet else None,
        env={**kept, "PATH": _absolute_path(), **(environment or {})},
        cwd=os.sep,
        # An interrupt at the terminal is the caller's to handle; it ends what it started.
        start_new_session=True,
    )


def end_all() -> None:
    """Ends every process that this one started and that still runs, whoever waits for it."""
    for one in gc.get_objects():
        if type(one) is subprocess.Popen:
            one.kill()


def require_same_code(stated: bytes) -> None:
    """Refuses a child whose first word is not the digest of the code that runs here.

    Raises:
        ChildError: It is another, or none.
    """
    if stated != source_digest().encode():
        raise ChildError(
            f"its code is {stated[:12].decode('ascii', 'replace') or 'not stated'}, expected {source_digest()[:12]}"
        )


def answer(
    target: str, task: bytes, *, timeout: float, environment: Mapping[str, str] | None = None
) -> bytes:
    """Returns what a function of ours answers to a task in an isolated interpreter.

    Args:
        target: The function, ``package.module:name``; it is handed two streams, its task and its answer.
        task: The task.
        timeout: Seconds that it may take.
        environment: Variables in addition to those of the caller, whose ``PYTHON*`` are left out.

    Raises:
        UnfinishedError: It takes too long.
        ChildError: It is of other code, or ends with an error.
    """
    with start(target, environment, quiet=True) as child:
        try:
            found, errors = child.communicate(task, timeout)
        except subprocess.TimeoutExpired as error:
            raise UnfinishedError(f"no answer within {timeout:g} seconds") from error
        finally:
            child.kill()
    if child.returncode == -signal.SIGXCPU:
        raise UnfinishedError("it used the seconds of a core that it was given")
    if child.returncode:
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        raise ChildError(lines[-1] if lines else f"it ended with {child.returncode}")
    require_same_code(found[:_DIGEST])
    return found[_DIGEST:]


def read_digest(stream: BinaryIO) -> bytes:
    """Returns the first word of a child that was started."""
    return stream.read(_DIGEST)


class _OurPackages(MetaPathFinder):
    """Finds our packages where this module is, whatever else is on the path."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns where one of our packages is, None for every other module."""
        folder = ROOT / fullname
        return (
            spec_from_file_location(
                fullname, folder / "__init__.py", submodule_search_locations=[str(folder)]
            )
            if fullname in SOURCES
            else None
        )


def _main(target: str, *places: str) -> None:
    sys.path += [place for place in places if place not in sys.path]
    sys.meta_path.insert(0, _OurPackages())
    answers = os.fdopen(os.dup(1), "wb")
    # What any code prints is no answer.
    os.dup2(2, 1)
    answers.write(source_digest().encode())
    answers.flush()
    module, _, name = target.partition(":")
    getattr(importlib.import_module(module), name)(sys.stdin.buffer, answers)
    answers.flush()


if __name__ == "__main__":
    _main(*sys.argv[1:])
