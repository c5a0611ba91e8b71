"""``certify doctor``: is everything this machine needs there?"""

from __future__ import annotations

import ctypes.util
import platform
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata

import click

from certify.cli.exits import Exit
from certify.cli.options import format_option, print_json

APT = "apt-get install -y --no-install-recommends"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the system: whether it is there, who needs it, and how to get it."""

    name: str
    present: bool
    required: bool
    needed_for: str
    remedy: str
    detail: str = ""


def inspect() -> list[Part]:
    """Returns every part the work needs, present or not."""
    return [_python(), *_libraries(), *_packages(), *_programs()]


def _python() -> Part:
    """Checks the version of the interpreter."""
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Part(
        "python", supported, True, "everything", "install Python 3.11 to 3.13", platform.python_version()
    )


def _libraries() -> list[Part]:
    """Checks the native libraries that lay out the report."""
    wanted = (
        ("pango-1.0", "libpango-1.0-0"),
        ("pangoft2-1.0", "libpangoft2-1.0-0"),
        ("harfbuzz-subset", "libharfbuzz-subset0"),
    )
    found = [(library, package, ctypes.util.find_library(library)) for library, package in wanted]
    return [
        Part(f"lib{library}", path is not None, True, "the PDF report", f"{APT} {package}", path or "")
        for library, package, path in found
    ]


def _packages() -> list[Part]:
    """Checks the Python packages of the main job."""
    parts = []
    for name in ("cryptography", "numba", "numpy", "scipy", "weasyprint", "pyhanko", "jinja2"):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            version = ""
        parts.append(Part(name, bool(version), True, "the main job", "make env", version))
    return parts


def _programs() -> list[Part]:
    """Checks the programs with which a stranger verifies a pack; the main job does without them."""
    wanted = (
        ("openssl", "openssl"),
        ("pdfsig", "poppler-utils"),
        ("pdfdetach", "poppler-utils"),
        ("qpdf", "qpdf"),
        ("sha256sum", "coreutils"),
    )
    found = [(program, package, shutil.which(program)) for program, package in wanted]
    return [
        Part(program, path is not None, False, "VERIFY.md by hand", f"{APT} {package}", path or "")
        for program, package, path in found
    ]


@click.command(epilog="Example: certify doctor --format json")
@format_option
def doctor(output: str) -> int:
    """Say what this machine has and lacks, with the command that mends it."""
    parts = inspect()
    missing = [part for part in parts if part.required and not part.present]
    if output == "json":
        print_json(
            {
                "complete": not missing,
                "parts": [
                    {
                        "name": part.name,
                        "present": part.present,
                        "required": part.required,
                        "needed_for": part.needed_for,
                        "remedy": part.remedy,
                        "detail": part.detail,
                    }
                    for part in parts
                ],
            }
        )
    else:
        for part in parts:
            word = "ok     " if part.present else ("MISSING" if part.required else "absent ")
            tail = part.detail if part.present else f"needed for {part.needed_for}: {part.remedy}"
            click.echo(f"{word}  {part.name:22} {tail}")
    return int(Exit.INTERNAL if missing else Exit.SATISFIED)
