"""What computed: version, sources, locked dependencies and platform, by digest."""

from __future__ import annotations

import hashlib
import platform
from importlib import metadata
from typing import Final

from certify import __version__
from certify.evidence.tool import Tool
from certify.executors.environment import ROOT, source_digest

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
