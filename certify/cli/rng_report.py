"""The battery's own report: PDF, HTML twin, and the numbers in both."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from certify.cli.rng_files import require_place, write_whole
from certify.errors import InputError

NAMES = ("battery.pdf", "battery.html", "battery.json")


def require_room(folder: Path) -> None:
    """Refuses, before any work, a folder that the report cannot be written to; nothing is made yet.

    Raises:
        InputError: It cannot be made or written to, or something else than a file has the name of a part.
    """
    nearest = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: {nearest} is no folder that can be written to")
    if folder.exists():
        for name in NAMES:
            require_place(folder / name)


def write_report(folder: Path, document: dict[str, Any]) -> None:
    """Renders what was found and writes the three parts, each whole or not at all."""
    from certify.report.battery import render_battery

    pdf, html = render_battery(document)
    numbers = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
    for name, content in zip(NAMES, (pdf, html, numbers.encode()), strict=True):
        write_whole(folder / name, [content])
