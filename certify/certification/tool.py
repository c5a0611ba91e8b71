"""What computed: version, sources, locked dependencies and platform, by digest."""

from __future__ import annotations

import hashlib
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from certify import __version__
from certify.children import ROOT, source_digest
from certify.evidence.tool import FamilyCode, SourceText, Tool
from certify.families.registry import family_of, offer_of
from certify.model.game import Game

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


def family_evidence(game: Game) -> FamilyCode:
    """Returns the code that plays a game, as a noun of the evidence.

    Args:
        game: The submission.
    """
    known, offer = family_of(game), offer_of(game.family)
    # A family may bring a second text of its rules, which settles what the first one played.
    second = getattr(known, "second", None)
    return FamilyCode(
        family=known.id,
        package=known.package,
        version=__version__ if offer is None else offer.version,
        sha256=source_digest() if offer is None else offer.sha256,
        reference=_text(type(known.reference(game) if known.text is None else known.text(game))),
        second=None if second is None else _text(second),
    )


def _text(written: Any) -> SourceText:
    """Returns the module in which a class or function is written."""
    name = written.__module__
    file = getattr(sys.modules[name], "__file__", None)
    content = Path(file).read_bytes() if file else b""
    return SourceText(name, hashlib.sha256(content).hexdigest())
