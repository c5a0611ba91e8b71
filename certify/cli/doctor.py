"""``certify doctor``: is everything this machine needs there?"""

import ctypes.util
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import click

from certify.children import program as program_at
from certify.cli.failures import Exit
from certify.cli.options import executor_option, format_option, keeps_results, next_step, print_result
from certify.errors import CertifyError
from certify.executors import Executor, ExecutorSpec, execution_words, open_executor

APT = "apt-get install -y --no-install-recommends"

MAIN_JOB = "the main job"
PDF = "the PDF report"
BY_HAND = "VERIFY.md by hand"
TOKENS = "signing with a hardware token"
STATES = "states of a repository in certify gate"
EXECUTOR = "an executor"
AUDITS = "certify audit and watch"
SERVERS = "a PostgreSQL server"

#: The heading above the parts of each purpose.
_HEADINGS = {
    MAIN_JOB: "To certify, verify and analyse",
    PDF: "To lay out the PDF report",
    BY_HAND: "To check a pack without this software, as its VERIFY.md shows",
    TOKENS: "To sign with a hardware token (PKCS #11); keys in files need none of this",
    STATES: "To compare states of a repository (certify gate git:REF)",
    AUDITS: "To audit played rounds and to watch live returns (certify audit, certify watch)",
    SERVERS: "To keep a ledger of rounds or the state of a watch on a PostgreSQL server",
    EXECUTOR: "To compute elsewhere (--executor)",
}

#: Distributions that the main job imports, as pyproject.toml names them.
PACKAGES = (
    "babel",
    "cattrs",
    "click",
    "cryptography",
    "fonttools",
    "iso4217",
    "jinja2",
    "msgspec",
    "numba",
    "numpy",
    "openpyxl",
    "pikepdf",
    "pyhanko",
    "rfc8785",
    "scipy",
    "securesystemslib",
    "weasyprint",
)

#: Where systems put the libraries of tokens; a module elsewhere serves as well.
_MODULES = (
    "softhsm/libsofthsm2.so",
    "opensc-pkcs11.so",
    "libykcs11.so",
    "p11-kit-proxy.so",
    "libtpm2_pkcs11.so",
)
_LIBRARY_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib")


@dataclass(frozen=True, slots=True)
class SystemPart:
    """One part of the system: whether it is there, who needs it, and how to get it."""

    name: str
    present: bool
    required: bool
    needed_for: str
    remedy: str
    detail: str = ""


_SUPPORTED = ((3, 11), (3, 13))
_LIBRARIES = {
    "pango-1.0": "libpango-1.0-0",
    "pangoft2-1.0": "libpangoft2-1.0-0",
    "harfbuzz-subset": "libharfbuzz-subset0",
}
"""Native libraries that lay out the report, with the packages that bring them."""

_PROGRAMS = (
    ("openssl", "openssl", BY_HAND),
    ("pdfsig", "poppler-utils", BY_HAND),
    ("pdfdetach", "poppler-utils", BY_HAND),
    ("sha256sum", "coreutils", BY_HAND),
    ("git", "git", STATES),
)
"""Programs that single commands call, or with which a stranger verifies a pack; package and purpose of each."""


def inspect() -> list[SystemPart]:
    """Returns every part the work needs, present or not; modules of tokens are looked for and never loaded."""
    from certify.kit.kernels import compiled  # Loading numba takes a moment that --help need not wait for.

    supported = _SUPPORTED[0] <= sys.version_info[:2] <= _SUPPORTED[1]
    python = platform.python_version()
    modules = ", ".join(map(str, token_modules()))
    return [
        SystemPart("python", supported, True, MAIN_JOB, "install Python 3.11 to 3.13", python),
        *(_part(name, _version(name), True, MAIN_JOB, "make env") for name in PACKAGES),
        _part("kernels", compiled(), False, MAIN_JOB, "certify doctor --compile"),
        *(
            _part(f"lib{name}", ctypes.util.find_library(name), True, PDF, f"{APT} {package}")
            for name, package in _LIBRARIES.items()
        ),
        *(
            _part(name, program_at(name), False, purpose, f"{APT} {package}")
            for name, package, purpose in _PROGRAMS
        ),
        _part("duckdb", _version("duckdb"), False, AUDITS, "pip install 'certify-VERSION.whl[audit]'"),
        _part(
            "psycopg", _version("psycopg"), False, SERVERS, "pip install 'certify-VERSION.whl[postgresql]'"
        ),
        _part("python-pkcs11", _version("python-pkcs11"), False, TOKENS, "make env"),
        _part(
            "pkcs11-module",
            modules,
            False,
            TOKENS,
            f"install the software that came with the token (to try without one: {APT} softhsm2)",
        ),
    ]


def _part(name: str, found: str | None, required: bool, needed_for: str, remedy: str) -> SystemPart:
    return SystemPart(name, bool(found), required, needed_for, remedy, found or "")


def _version(package: str) -> str:
    """Returns the version of a Python package, empty where it is missing."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def token_modules(folders: Sequence[str] = _LIBRARY_FOLDERS) -> list[Path]:
    """Returns the libraries of tokens in the usual places, for ``--pkcs11-module``."""
    found = {
        path.resolve(): path
        for folder in folders
        for pattern in ("", "*/")
        for module in _MODULES
        for path in sorted(Path(folder).glob(pattern + module))
    }
    return list(found.values())


@dataclass(frozen=True)
class Ping:
    """Work that does nothing, to see that a worker answers and computes with the same software."""

    def __call__(self, number: int) -> int:
        """Returns the number."""
        return number


def inspect_executor(spec: ExecutorSpec) -> SystemPart:
    """Returns whether an executor answers, and whether its workers compute with this software."""
    try:
        with open_executor(spec) as executor:
            told = list(executor.map(Ping(), _pings(executor, spec.workers)))
            ran = executor.execution()
    except CertifyError as error:
        return SystemPart("executor", False, True, EXECUTOR, str(error))
    return SystemPart("executor", told == list(range(len(told))), True, EXECUTOR, "", execution_words(ran))


def _pings(executor: Executor, workers: int) -> Iterator[int]:
    """Yields 64 numbers, and more for as long as some worker has not answered yet, half a minute at most."""
    yield from range(64)
    for number in range(64, 1564):
        if len(executor.execution().workers) >= workers:
            return
        time.sleep(0.02)
        yield number


@click.command(epilog="Example: certify doctor --format json")
@executor_option
@click.option(
    "--compile",
    "ahead",
    is_flag=True,
    help="Compile the kernels first (minutes), so that no command waits for them later.",
)
@format_option
def doctor(executor: ExecutorSpec | None, ahead: bool, output: str) -> int:
    """Say what this machine has and lacks, with the command that mends it; --executor checks its workers too."""
    if ahead:
        from certify.kit.kernels import compile_all

        keeps_results(compile_all)(min(os.cpu_count() or 1, 4))
    parts = inspect()
    if executor is not None:
        parts.append(inspect_executor(executor))
    missing = [part for part in parts if part.required and not part.present]
    document = {"complete": not missing, "parts": [asdict(part) for part in parts]}
    print_result(output, document, _lines(parts))
    if not missing:
        next_step(output, "certify new-game --like red-dog --out my-game")
    return int(Exit.INTERNAL if missing else Exit.SATISFIED)


def _lines(parts: Sequence[SystemPart]) -> list[str]:
    """Returns the parts by purpose, and at the end what it all means."""
    lines = []
    for purpose, heading in _HEADINGS.items():
        of_purpose = [_line(part) for part in parts if part.needed_for == purpose]
        lines += [heading, *of_purpose, ""] if of_purpose else []
    missing = [part.name for part in parts if part.required and not part.present]
    absent = [part.name for part in parts if not part.required and not part.present]
    if missing:
        return [*lines, f"NOT COMPLETE: certify run needs what is missing: {', '.join(missing)}"]
    rest = f"; optional parts missing: {', '.join(absent)}" if absent else ""
    return [*lines, f"COMPLETE: everything that certify run needs is there{rest}"]


def _line(part: SystemPart) -> str:
    """Returns one part in one line: what was found, or how to get it."""
    word = "ok" if part.present else ("MISSING" if part.required else "absent")
    return f"  {word:7}  {part.name:20} {part.detail if part.present else part.remedy}".rstrip()
