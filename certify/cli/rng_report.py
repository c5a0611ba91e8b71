"""The battery's own report: PDF, HTML twin, and the numbers in both."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.cli.rng_files import require_place, write_whole
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.issue.identity import Identity

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


def write_report(
    folder: Path, document: dict[str, Any], signs: tuple[Identity, datetime] | None = None
) -> None:
    """Renders what was found and writes the three parts, each whole or not at all.

    Args:
        folder: Where they go.
        document: What was found.
        signs: Who signs the PDF, with the numbers attached to it, and when; nobody if left out.
    """
    from certify.report.battery import render_battery

    numbers = (json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    if signs is None:
        pdf, html = render_battery(document)
    else:
        identity, moment = signs
        unsigned, html = render_battery(document, numbers, moment)
        pdf = _signed(unsigned, identity, moment, document["input"]["sha256"])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
    for name, content in zip(NAMES, (pdf, html, numbers), strict=True):
        write_whole(folder / name, [content])


def _signed(unsigned: bytes, identity: Identity, moment: datetime, digest: str) -> bytes:
    """Returns the PDF signed as a pack's report is: certified, no later change allowed."""
    from certify.seal.pdf_signature import sign_pdf

    return sign_pdf(
        unsigned,
        identity.signer,
        signing_time=moment,
        reason=f"Tests of randomness of SHA-256 {digest[:16]}",
        location="",
        timestamper=identity.timestamper,
        stamp_roots=identity.stamp_roots,
    )
