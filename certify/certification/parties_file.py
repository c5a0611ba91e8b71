"""The parties as a file of the pack, so that whoever makes the report again states the same."""

from __future__ import annotations

import json
from typing import Final

from certify.evidence.report import NOTHING_STATED, Head

PARTIES: Final = "data/parties.toml"
"""Where the pack holds it."""


def parties_bytes(head: Head) -> bytes | None:
    """Returns the parties file that a head was made from; none where the options of the command line say it all.

    Args:
        head: The head of the report.
    """
    told = head.engagement
    if told is None or told == NOTHING_STATED:
        return None
    texts = {
        "laboratory": head.issuer.name,
        "address": head.issuer.address,
        "client": head.client,
        "client_address": told.client_address,
        "tested_by": told.tested_by,
        "reviewed_by": told.reviewed_by,
        "authorised_by": head.authorised_by or "",
        "place": told.place,
        "recommendation": told.recommendation,
    }
    lines = [f"{key} = {_text(text)}" for key, text in texts.items() if text]
    if told.received:
        lines.append(f"received = {told.received}")
    if told.deviations:
        lines += ["deviations = [", *(f"  {_text(entry)}," for entry in told.deviations), "]"]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _text(text: str) -> str:
    """Returns a text as a basic string of TOML, which is written as JSON writes it."""
    return json.dumps(text, ensure_ascii=False)
