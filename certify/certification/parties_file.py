"""The parties as a file of the pack, so that whoever makes the report again states the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from certify.evidence.operator import Brought, Sampling
from certify.evidence.report import NOTHING_STATED, Head

PARTIES: Final = "data/parties.toml"
"""Where the pack holds it."""


def parties_bytes(head: Head, brought: Brought = Brought()) -> bytes | None:  # noqa: B008 (frozen)
    """Returns the parties file that a head was made from; none where the options of the command line say it all.

    Args:
        head: The head of the report.
        brought: What the operator brought, with the records of how it was sampled.
    """
    told = head.engagement or NOTHING_STATED
    if told == NOTHING_STATED and not brought.samplings:
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
        "accreditation": told.accreditation,
        "source_review": told.source_review,
        "recommendation": told.recommendation,
    }
    lines = [f"{key} = {_text(text)}" for key, text in texts.items() if text]
    if told.received:
        lines.append(f"received = {told.received}")
    lines += _list("declarations", told.declarations)
    lines += _list("deviations", told.deviations)
    for record in brought.samplings:
        lines += ["", "[[samples]]", *_sampling(record)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _list(key: str, entries: Sequence[str]) -> list[str]:
    return [f"{key} = [", *(f"  {_text(entry)}," for entry in entries), "]"] if entries else []


def _sampling(record: Sampling) -> Iterator[str]:
    """Yields the lines of one record of sampling."""
    texts = {
        "of": record.of,
        "sha256": record.sha256,
        "item": record.item,
        "item_sha256": record.item_sha256,
        "taken_by": record.taken_by,
        "place": record.place,
        "how": record.how,
        "attested_by": record.attested_by,
    }
    yield from (f"{key} = {_text(text)}" for key, text in texts.items() if text)
    yield f"taken_on = {record.taken_on}"


def _text(text: str) -> str:
    """Returns a text as a basic string of TOML, which is written as JSON writes it."""
    return json.dumps(text, ensure_ascii=False)
