"""What computed: version, sources, locked dependencies and platform, by digest."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from certify import __version__
from certify.evidence.tool import Tool

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = (
    "cattrs",
    "click",
    "cryptography",
    "jinja2",
    "llvmlite",
    "numba",
    "numpy",
    "pikepdf",
    "pyhanko",
    "rfc8785",
    "scipy",
    "weasyprint",
)


@cache
def source_digest() -> str:
    """Returns one SHA-256 over all source files of the harness, by name and content.

    It is the digest of lines ``sha256  name``, one for each file in order of its name, as ``sha256sum`` prints.
    """
    lines = []
    for package in ("certify", "rng", "report_templates"):
        for path in sorted((ROOT / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                lines.append(f"{digest}  {path.relative_to(ROOT).as_posix()}\n")
    return hashlib.sha256("".join(sorted(lines, key=lambda line: line[66:])).encode()).hexdigest()


def lock_digest() -> str:
    """Returns the SHA-256 of the lock of dependencies, or of nothing where it is not beside the packages."""
    lock = ROOT / "requirements.lock"
    return hashlib.sha256(lock.read_bytes() if lock.is_file() else b"").hexdigest()


def tool_evidence() -> Tool:
    """Returns what computes, as a noun of the evidence."""
    return Tool(
        name="certify",
        version=__version__,
        source_sha256=source_digest(),
        lock_sha256=lock_digest(),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}",
        packages={name: metadata.version(name) for name in PACKAGES},
    )
