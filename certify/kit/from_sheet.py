"""A submission from a spreadsheet: what the sheet states, below what every submission says besides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.families.registry import families
from certify.submission.from_sheet import Written, read_blocks, written
from certify.untrusted_input import SHEET, read_bounded

_HEAD: Final = """\
# Made from {files} by `certify import-par`; what the sheet does not say is taken as usual, and stands in this head.
schema = "certify-game/1"
rules = []

[game]
id = "{id}"
title = "{title}"
version = "1.0.0"
family = "{family}"
supplier = "Name of the supplier"
banked_by = "house"

[[wagers]]
id = "main"
title = "Total bet"
description = "One paid round with everything that it leads to"
limits = {{ minimum = "0.10", maximum = "100.00", currency = "EUR", provenance = "adopted", by = "reading/limits" }}

[[readings]]
id = "limits"
question = "What may be staked on a round?"
adopted = "Any amount from EUR 0.10 to EUR 100.00."
because = "The spreadsheet states no limits in money."

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true
"""

_SOURCE: Final = """
[[sources]]
id = "{id}"
title = "The spreadsheet {file}"
file = "{file}"
sha256 = "{digest}"
"""


def from_sheet(paths: Sequence[Path], name: str, family: str = "") -> Written:
    """Returns the submission that a spreadsheet states, or several together.

    Args:
        paths: Workbooks (``.xlsx``) or CSV files.
        name: Id of the game.
        family: Family that takes them; the one that takes spreadsheets where left out.

    Raises:
        InputError: One is no spreadsheet, or no such family takes one.
        SubmissionError: There are mistakes; all are listed, each with sheet and cell.
    """
    takes = {one.id: one for one in families().values() if one.sources.sheets is not None}
    chosen = takes.get(family) if family else next(iter(takes.values()), None)
    if chosen is None:
        raise InputError(f'no family "{family}" takes spreadsheets: expected one of {", ".join(takes)}')
    blocks = [block for path in paths for block in read_blocks(path)]
    told = ", ".join(path.name for path in paths)
    if not blocks:
        raise InputError(f"{told}: nothing in it: expected rows under a heading")
    title = name.replace("-", " ").capitalize()
    head = _HEAD.format(files=told, id=name, title=title, family=chosen.id)
    return written(blocks, chosen, head + "".join(map(_source, range(1, len(paths) + 1), paths)), told)


def _source(number: int, path: Path) -> str:
    digest = hashlib.sha256(read_bounded(path, SHEET)).hexdigest()
    place = "sheet" if number == 1 else f"sheet-{number}"
    return _SOURCE.format(id=place, file=path.name.replace('"', ""), digest=digest)
